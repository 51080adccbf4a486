"""What was drawn for the covariances of a release: noisy integers of the upper triangle, or idealised matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.noise.coordinates import FAMILIES
from discreet.noise.validation import positive
from discreet.release.moments.means_validation import MOST_COLUMNS_OF_MOMENTS, check_drawn
from discreet.release.validation import whole_number

Floats = NDArray[np.float64]


def triangle(d: int) -> tuple[tuple[int, int], ...]:
    """The places (a, b), a <= b, of the upper triangle of a d x d matrix, row by row."""
    return tuple((a, b) for a in range(d) for b in range(a, d))


def check_order(d: int) -> None:
    """Raise `InvalidInput` for more columns than covariances are released of at once."""
    if d > MOST_COLUMNS_OF_MOMENTS:
        raise InvalidInput(f"{d} columns: the covariances of at most {MOST_COLUMNS_OF_MOMENTS} are released at once")


LARGEST_ENTRY = 10**100  # a covariance on [-1, 1]^d with noise is far below; its eigenvalues stay finite


@dataclass(frozen=True)
class EntryDraws:
    """Noise on every entry: the integers as they left the gate.

    Attributes
    ----------
    mechanism : str
        Which specification chose the noise, e.g. "EntrywiseLaplace".
    family : "Laplace" or "Gaussian"
        The law of the noise.
    scales : tuple of float
        Of each place of the upper triangle, row by row: the scale on C = (n Q - s s')/(n - 1), in codes.
    exponents : tuple of int
        k >= 0 of each place.
    drawn : tuple of int
        y = 2^k C + noise: one row a group, one entry a place.
    """

    mechanism: str
    family: str
    scales: tuple[float, ...]
    exponents: tuple[int, ...]
    drawn: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise InvalidInput(f"unknown law {self.family!r} of a covariance: one of {', '.join(FAMILIES)}")
        object.__setattr__(self, "scales", tuple(positive("a scale of noise", scale) for scale in self.scales))
        object.__setattr__(self, "exponents", tuple(whole_number("a grid exponent", k) for k in self.exponents))
        object.__setattr__(self, "drawn", tuple(whole_number("a drawn number", y) for y in self.drawn))

    @property
    def idealised(self) -> bool:
        """Whether the noise was drawn in floating point, outside of the gate."""
        return False

    def check(self, d: int, rows: int) -> None:
        """Raise `InvalidInput` unless this is what was drawn for `rows` covariances of order d."""
        check_order(d)
        check_drawn(self.drawn, self.exponents, self.scales, columns=len(triangle(d)), rows=rows)


@dataclass(frozen=True)
class IdealisedDraws:
    """Noise on eigenvalues and eigenvectors (`ED`): matrices that were drawn in floating point, outside of the gate.

    Attributes
    ----------
    eigenvalue_scale : float
        On [-1, 1]^d the eigenvalues of a covariance of n records got Laplace noise of scale eigenvalue_scale/n.
    exponent : float
        Its directions u were drawn with density proportional to exp(exponent n u'Su).
    matrices : tuple of tuples of float
        For each group, the upper triangle of the released covariance on [-1, 1]^d, row by row; all 0 for a group of
        undeclared labels with fewer than two records.
    """

    eigenvalue_scale: float
    exponent: float
    matrices: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "eigenvalue_scale", positive("the scale of eigenvalues", self.eigenvalue_scale))
        # One column has one direction, which needs no draw and has the exponent 0.
        exponent = 0.0 if self.exponent == 0 else positive("the exponent of directions", self.exponent)
        object.__setattr__(self, "exponent", exponent)
        object.__setattr__(self, "matrices", tuple(tuple(map(float, matrix)) for matrix in self.matrices))

    @property
    def mechanism(self) -> str:
        """The specification: "ED"."""
        return "ED"

    @property
    def idealised(self) -> bool:
        """Whether the noise was drawn in floating point, outside of the gate."""
        return True

    def check(self, d: int, rows: int) -> None:
        """Raise `InvalidInput` unless this is what was drawn for `rows` covariances of order d."""
        check_order(d)
        entries = len(triangle(d))
        if len(self.matrices) != rows or any(len(matrix) != entries for matrix in self.matrices):
            raise InvalidInput(f"{rows} groups of {d} columns need {rows} covariances of {entries} numbers each")
        if not all(math.isfinite(x) and abs(x) < LARGEST_ENTRY for matrix in self.matrices for x in matrix):
            raise InvalidInput("the numbers of an idealised covariance are finite")


CovarianceDraws = EntryDraws | IdealisedDraws


def symmetric(upper: Floats, d: int) -> Floats:
    """The matrix with this upper triangle (row by row)."""
    matrix = np.zeros((d, d))
    for (a, b), value in zip(triangle(d), upper, strict=True):
        matrix[a, b] = matrix[b, a] = value
    return matrix
