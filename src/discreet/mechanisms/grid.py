"""What the grid that noise is drawn on costs a Laplace coordinate: the rate that its continuous curve is taken at."""

from __future__ import annotations

GRID_STEPS = 2**20
"""One scale has at least this many grid steps, wherever it is below 2^20 units; above, the grid is one unit."""


def grid_excess(scale: float) -> float:
    """An upper bound of 2 log cosh(1/(2 b_g)): log cosh x <= x^2/2, and b_g is at least max(2^20, scale) grid steps."""
    return (0.5 / float(max(GRID_STEPS, scale))) ** 2
