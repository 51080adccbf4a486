"""A group's covariance on [-1, 1]^d from what was drawn, and the law by which it was drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.noise.covariance import EigenNoise, EntrywiseNoise, nearest_psd
from discreet.release.moments.coded import as_floats, cube_covariance
from discreet.release.moments.covariance_draws import LARGEST_ENTRY, CovarianceDraws, EntryDraws, symmetric, triangle
from discreet.release.moments.moments_part import CovarianceLaw
from discreet.schema import Bounded

Floats = NDArray[np.float64]


def matrix_of(draws: CovarianceDraws, columns: Sequence[Bounded], row: int, n: int) -> Floats:
    """The released covariance of group `row` with n records, positive semidefinite.

    An entry drawn for C = (n Q - s s')/(n - 1) in codes is 4/(J_a J_b) C/n on [-1, 1].
    """
    d = len(columns)
    if not isinstance(draws, EntryDraws):
        return nearest_psd(symmetric(np.array(draws.matrices[row]), d))
    places = triangle(d)
    drawn = draws.drawn[row * len(places) : (row + 1) * len(places)]
    entries = [
        cube_covariance(columns[a], columns[b], y, k, n)
        for (a, b), y, k in zip(places, drawn, draws.exponents, strict=True)
    ]
    if max(map(abs, entries)) > LARGEST_ENTRY:
        raise InvalidInput("a released covariance is too large to compute with")
    return nearest_psd(symmetric(as_floats(entries), d))


def law_of(draws: CovarianceDraws, columns: Sequence[Bounded], n: int) -> CovarianceLaw:
    """How that covariance was released, as a simulation on [-1, 1]^d."""
    if not isinstance(draws, EntryDraws):
        return EigenNoise(draws.eigenvalue_scale / n, draws.exponent * n)
    scales = [
        4.0 * scale / (columns[a].steps * columns[b].steps * n)
        for (a, b), scale in zip(triangle(len(columns)), draws.scales, strict=True)
    ]
    per_entry = symmetric(np.array(scales), len(columns)).tolist()
    family: Literal["laplace", "gaussian"] = "laplace" if draws.family == "Laplace" else "gaussian"
    return EntrywiseNoise(family, tuple(map(tuple, per_entry)))
