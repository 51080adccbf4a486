"""Orthonormal coordinates of the tables whose cells sum to zero: the space in which one record moves a table.

A basis U is a p x (p - 1) matrix with U'U = I and 1'U = 0. The coordinates of a table x are U'x; going back, the part of x
without its mean is U U'x. The Helmert basis has the columns

    (1, ..., 1, -j, 0, ..., 0)/sqrt(j(j + 1)),   j ones,   j = 1 ... p - 1,

and its coordinates are differences of running sums, so it is never written out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput

Floats = NDArray[np.float64]

TOLERANCE = 1e-8
"""How far a given basis may be from orthonormal, or its vectors from summing to zero."""


def check_basis(basis: ArrayLike) -> Floats:
    """A basis as a read-only matrix; `InvalidInput` unless it is orthonormal, complete, and inside the space."""
    try:
        matrix = np.array(basis, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"a basis is 'helmert' or a matrix of numbers, not {basis!r:.60}") from None
    if matrix.ndim != 2 or matrix.shape[1] != matrix.shape[0] - 1 or not np.isfinite(matrix).all():
        raise InvalidInput(
            f"the basis for p cells is a matrix of p rows and p - 1 columns, all finite; this one has shape {matrix.shape}"
        )
    if np.abs(matrix.sum(0)).max(initial=0.0) > TOLERANCE * np.sqrt(matrix.shape[0]):
        raise InvalidInput(
            "the basis leaves the sensitivity space: each of its columns must sum to 0, as one record changes no total"
        )
    if np.abs(matrix.T @ matrix - np.eye(matrix.shape[1])).max(initial=0.0) > TOLERANCE:
        raise InvalidInput("the basis is not orthonormal: its columns must have length 1 and be orthogonal")
    matrix.setflags(write=False)
    return matrix


def coordinates(cells: Floats, basis: Floats | None) -> Floats:
    """U'x along the last axis, for a matrix U or, where it is None, the Helmert basis."""
    if basis is not None:
        return np.asarray(cells @ basis)
    j = np.arange(1.0, cells.shape[-1])
    y = np.cumsum(cells[..., :-1], axis=-1)
    y -= j * cells[..., 1:]
    y /= np.sqrt(j * (j + 1.0))
    return y


def contrasts(y: Floats, basis: Floats | None) -> Floats:
    """U y along the last axis, which sums to zero."""
    if basis is not None:
        return np.asarray(y @ basis.T)
    j = np.arange(1.0, y.shape[-1] + 1.0)
    scaled = y / np.sqrt(j * (j + 1.0))
    cells = np.zeros((*y.shape[:-1], y.shape[-1] + 1))
    cells[..., :-1] = np.cumsum(scaled[..., ::-1], axis=-1)[..., ::-1]
    cells[..., 1:] -= j * scaled
    return cells
