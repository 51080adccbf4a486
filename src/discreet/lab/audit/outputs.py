"""The outputs of a mechanism on both data sets, and what is wrong with them before any statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_SPARE_BITS = 40


def draw_outputs(
    mechanism: Callable[..., ArrayLike], d0: Any, d1: Any, coins: NDArray[np.bool_], batched: bool
) -> tuple[Floats, list[str]]:
    """One output a row, in the order of the coins; faults where they have no common shape or the mechanism fails."""
    try:
        if batched:
            zeros, ones = (np.asarray(mechanism(d, int(n))) for d, n in ((d0, (~coins).sum()), (d1, coins.sum())))
            shapes = {zeros.shape[1:], ones.shape[1:]}
            rows = [*zeros, *ones] if len(shapes) > 1 else None
            kinds = {zeros.dtype.kind, ones.dtype.kind}
        else:
            rows = [np.asarray(mechanism(d1 if coin else d0)) for coin in coins]
            shapes, kinds = {row.shape for row in rows}, {row.dtype.kind for row in rows}
    except Exception as failure:  # noqa: BLE001  an exception is an output, too, and one that no guarantee covers
        return np.empty((0, 0)), [f"the mechanism raised {type(failure).__name__}"]
    if len(shapes) > 1:
        return np.empty((0, 0)), ["the outputs have different shapes"]
    if len(kinds) > 1 or not kinds <= set("iuf"):
        return np.empty((0, 0)), ["the outputs are not all numbers of one kind"]
    if rows is None:
        together = np.empty((coins.size, *zeros.shape[1:]))
        together[~coins], together[coins] = zeros, ones
    else:
        together = np.array(rows, float)
    return together.reshape(coins.size, -1).astype(float), []


def look_at(outputs: Floats, exponent: int | None) -> list[str]:
    """The faults that need no statistics."""
    if outputs.size == 0:
        return []
    faults = []
    if not np.isfinite(outputs).all():
        faults.append("an output is NaN or infinite")
        return faults
    if exponent is not None:
        scaled = np.ldexp(outputs, exponent)
        if (scaled != np.floor(scaled)).any():
            faults.append(f"an output is not on the grid of step 2^-{exponent}")
        # On a support of 2^b points (the observed ranges in grid steps) some two of n outputs agree with a probability of
        # about n^2/2^b; tails make it larger by a small power of 10.
        bits = float(np.log2(np.maximum(np.ptp(outputs, axis=0) * 2.0**exponent, 1.0)).sum())
        rich = bits > 2 * np.log2(outputs.shape[0]) + _SPARE_BITS
        if rich and np.unique(outputs, axis=0).shape[0] < outputs.shape[0]:
            faults.append("the same output came twice")
    return faults
