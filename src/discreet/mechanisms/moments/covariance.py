"""Private covariance matrices: what is drawn, and the law of what is released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.mechanisms.moments.noisy_vector import NoisyVector
from discreet.noise.covariance import EigenNoise, EntrywiseNoise
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.moment_sensitivity import entry_moves

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class CovarianceMechanism:
    """A mechanism for the covariance matrix of d numeric columns.

    *Entrywise.* From the sums s_i and cross-products Q_ij of the codes of n records, the integers

        C_ij = round((n Q_ij - s_i s_j)/(n - 1)),    C/n the covariance of the codes with divisor n - 1,

    get integer noise on and above the diagonal; the matrix is completed by symmetry and projected on the positive
    semidefinite ones, which is post-processing. Entry (i, j) moves by at most J_i J_j when one record is replaced, the
    rounding counted (`discreet.privacy.moment_sensitivity`), and its noise has a scale in proportion.

    *ED* releases eigenvalues and eigenvectors: see `ED`. It is idealised: its random numbers are floating-point ones.

    Attributes
    ----------
    name : "Laplace", "Gaussian" or "ED"
    family : "laplace" or "gaussian", or None
        The noise that the gate draws; None for ED.
    steps : tuple of int
        J_i.
    guarantee : Guarantee
        Of the covariance alone.
    entry_scales : tuple of tuples of float, or None
        Symmetric: the scale of the integer noise on C_ij. None for ED.
    eigenvalue_scale, exponent : float or None
        For ED: with n records, rescaled to [-1, 1], eigenvalues get Lap(eigenvalue_scale/n), and a direction u is drawn
        with density proportional to exp(exponent n u'S u). None else.
    """

    name: str
    family: Literal["laplace", "gaussian"] | None
    steps: tuple[int, ...]
    guarantee: Guarantee
    entry_scales: Matrix | None = None
    eigenvalue_scale: float | None = None
    exponent: float | None = None

    @property
    def vector(self) -> NoisyVector | None:
        """The upper triangle with its noise, row by row; None for ED."""
        if self.family is None or self.entry_scales is None:
            return None
        upper = [(i, j) for i in range(len(self.steps)) for j in range(i, len(self.steps))]
        return NoisyVector(self.family, entry_moves(self.steps), tuple(self.entry_scales[i][j] for i, j in upper))

    def law(self, n: int) -> EntrywiseNoise | EigenNoise:
        """What would be released for a covariance of n records, every column rescaled to [-1, 1], as a simulation."""
        if isinstance(n, bool) or not isinstance(n, int) or n < 2:
            raise InvalidInput(f"a covariance needs at least 2 records, not n = {n!r}")
        if self.family is not None and self.entry_scales is not None:
            half_widths: NDArray[np.float64] = np.asarray(self.steps, float) / 2.0
            scales = np.asarray(self.entry_scales, float) / (np.outer(half_widths, half_widths) * n)
            return EntrywiseNoise(self.family, tuple(map(tuple, scales.tolist())))
        if self.eigenvalue_scale is None or self.exponent is None:
            raise InvalidInput("a covariance mechanism has entry_scales, or eigenvalue_scale and exponent")
        return EigenNoise(self.eigenvalue_scale / n, self.exponent * n)


def symmetric(d: int, upper: tuple[float, ...]) -> Matrix:
    """The symmetric matrix with this upper triangle, given row by row."""
    matrix = np.zeros((d, d))
    matrix[np.triu_indices(d)] = upper
    matrix = np.where(matrix == 0, matrix.T, matrix)
    return tuple(map(tuple, matrix.tolist()))
