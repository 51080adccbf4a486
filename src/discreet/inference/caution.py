"""Warnings of a test, from released numbers only: where its limit law is a poor guide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.noise import JointNoise

Floats = NDArray[np.float64]


def cautions(cells: Floats, expected: Floats, noises: tuple[JointNoise, ...], pvalue: float) -> tuple[str, ...]:
    """Cells below 5 + 3 noise standard deviations, and deep tails of small tables with little noise."""
    sds = np.concatenate([np.full(noise.size, noise.cell_sd) for noise in noises])
    bounds = 5.0 + 3.0 * sds
    few = cells.ravel() < bounds
    found = []
    if few.any():
        found.append(
            f"{int(few.sum())} of {few.size} noisy cells are below 5 + 3 noise standard deviations "
            f"({bounds[few].max():.4g}): the limit law is approximate here"
        )
    smallest = float(expected.min())
    if pvalue < 1e-3 and smallest < 20 and float(sds.min()) < np.sqrt(smallest):
        found.append(
            f"the smallest expected count is {smallest:.3g}: so far out, the limit law's p-value is too small by up to a "
            "factor of about 4"
        )
    return tuple(found)
