"""How many bins a private histogram should have: fewer than a plain one, by how much the noise weighs."""

from __future__ import annotations

import math

from discreet.errors import InvalidInput
from discreet.mechanisms import TableSpecification, default_for_table
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.parameters import real, whole

MOST_BINS = 100_000


def mise_bins(
    n: int, guarantee: Guarantee | None, roughness: float, *, mechanism: TableSpecification | None = None
) -> int:
    """The number of equal cells with the smallest approximate risk E int (f_estimate - f)^2 on [0, 1].

    risk(m) = m/n + A/(12 m^2) + m^2 v/n^2 for m cells: sampling error, bias (A = int f'^2), and the noise of variance v in each
    count, before clipping (which can only be guessed without f, and helps). Choosing m so costs nothing: it uses public numbers
    and a guess of how rough the density is, never the records.

    Parameters
    ----------
    n : int
        The number of records.
    guarantee : Guarantee or None
        None is no noise: (A n/6)^(1/3) bins, the classical rule.
    roughness : float
        A, for the column rescaled to [0, 1]; e.g. 12 for a triangle on [0, 1], 1/(4 sqrt(pi) s^3) for a normal with
        standard deviation s.
    mechanism : specification, optional
        As for a table; None is the best for the guarantee.

    Examples
    --------
    >>> from discreet import PureDP
    >>> from discreet.lab import mise_bins
    >>> roughness = 1 / (4 * 3.14159**0.5 * 0.109**3)          # about that of Beta(10, 10)
    >>> mise_bins(1000, None, roughness), mise_bins(1000, PureDP(0.1), roughness), mise_bins(1000, PureDP(0.01), roughness)
    (26, 10, 3)
    """
    n, rough = whole("n", n), real("roughness", roughness)
    if rough < 0:
        raise InvalidInput(f"roughness is the integral of a square: 0 or more, not {roughness!r}")
    variance = 0.0
    if guarantee is not None:
        chosen = default_for_table(guarantee) if mechanism is None else mechanism
        reached = chosen.for_table(guarantee)
        variance = (2 if reached.family == "laplace" else 1) * reached.scale**2

    def slope(m: float) -> float:
        return 1 / n - rough / (6 * m**3) + 2 * m * variance / n**2

    def risk(m: int) -> float:
        return m / n + rough / (12 * m * m) + m * m * variance / n**2

    low, high = 1e-9, float(MOST_BINS)
    while high - low > 1e-6 * high:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    below = max(1, math.floor(low))
    return min((below, below + 1), key=risk)
