"""A Gaussian law against its shift, with any covariance: only the Mahalanobis distance counts.

T(N(0, S), N(d, S)) = G_m with m^2 = d' S^+ d where d lies in the range of S, and 0 where it does not (Kim, Lee, Kwak and
Jung 2022, Theorem A.3). Coordinates are standardised first, so noise of very different sizes is not taken for singular.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from discreet.errors import InvalidInput
from discreet.privacy.curves import GaussianCurve, distinguishable, perfect
from discreet.privacy.parameters import LARGEST, Floats
from discreet.privacy.tradeoff import TradeOff

#: Eigenvalues of the correlation matrix below this are 0; a part of the shift above `_LEAVES` (relative) leaves the range.
_SINGULAR, _LEAVES = 1e-12, 1e-9


def gaussian_shift(shift: ArrayLike, covariance: ArrayLike) -> TradeOff:
    """See `TradeOff.gaussian_shift`."""
    length = mahalanobis(shift, covariance)
    if length == 0:
        return perfect()
    if math.isinf(length):
        return distinguishable()
    if length > LARGEST:
        raise InvalidInput(
            f"the shift is {length:.6g} standard deviations long; beyond {LARGEST:g} nothing is protected, and the curve is "
            "0 but for its ends"
        )
    return GaussianCurve(length)


def mahalanobis(shift: ArrayLike, covariance: ArrayLike) -> float:
    """sqrt(shift' covariance^+ shift); infinite where the shift leaves the range of the covariance."""
    d, matrix = _read(shift, covariance)
    variances = matrix.diagonal()
    noisy = variances > 0
    if np.any(d[~noisy] != 0):
        return math.inf
    root = np.sqrt(variances[noisy])
    if not root.size:
        return 0.0
    values, vectors = np.linalg.eigh(matrix[np.ix_(noisy, noisy)] / root / root[:, None])
    if values[0] < -_LEAVES:
        raise InvalidInput("the covariance must be non-negative definite; it has a negative eigenvalue")
    along = vectors.T @ (d[noisy] / root)
    in_range = values > _SINGULAR * values[-1]
    if np.linalg.norm(along[~in_range]) > _LEAVES * np.linalg.norm(along):
        return math.inf
    return float(np.linalg.norm(along[in_range] / np.sqrt(values[in_range])))


def _read(shift: ArrayLike, covariance: ArrayLike) -> tuple[Floats, Floats]:
    """Both as finite floats, the matrix symmetric with variances that are not negative."""
    try:
        d, matrix = np.asarray(shift, float), np.asarray(covariance, float)
    except (TypeError, ValueError):
        raise InvalidInput("the shift must be a vector of numbers and the covariance a matrix of numbers") from None
    if d.ndim != 1 or not d.size or matrix.shape != (d.size, d.size):
        raise InvalidInput(
            f"a shift of shape (p,) needs a covariance of shape (p, p); these have {d.shape} and {matrix.shape}"
        )
    if not np.all(np.isfinite(d)) or not np.all(np.isfinite(matrix)):
        raise InvalidInput("the shift and the covariance must be finite")
    variances = matrix.diagonal()
    if np.any(variances < 0):
        raise InvalidInput("the covariance must be non-negative definite; a variance is negative")
    if np.any(np.abs(matrix - matrix.T) > 1e-12 * np.sqrt(np.outer(variances, variances))):
        raise InvalidInput("the covariance must be symmetric")
    if np.any(np.abs(matrix) > (1 + 1e-9) * np.sqrt(np.outer(variances, variances))):
        raise InvalidInput(
            "the covariance must be non-negative definite; a covariance exceeds what the variances allow"
        )
    return d, 0.5 * (matrix + matrix.T)
