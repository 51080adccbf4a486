"""Gaussian noise makes the limit law a sum of weighted chi-squared variables: the weights.

With C = H Cov(V) H the covariance of the scaled noise w (notation of `law`),

    Q = ||Pi (g + w)||^2 + ||K w||^2  ~  sum_i lambda_i chi2_1,      lambda = eigenvalues of Pi + (Pi + K) C (Pi + K) above 0.

Where C = diag(r) (x) G is a product, as for independent noise and for rows that were each projected on their own size, the
eigenproblem falls apart (F = I - aa', P_b = I - bb'; rho the eigenvalues of F diag(r) F on the range of F):

    K = 0                       1 + rho_k gamma_l,    gamma = eigenvalues of P_b G P_b on the range of P_b
    K = F (x) bb'               for each k the eigenvalues of P_b + rho_k G

With one projection over the whole table there is a common covariance beside the product, C = diag(r) (x) diag(c) + z hh',
and the problem is of size df in a basis of the range of Pi. All else is one dense eigenproblem of the size of the table,
which is refused above 1,000 cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.errors import NotAvailable
from discreet.inference.law import LimitLaw, TwoWay
from discreet.noise import JointNoise

Floats = NDArray[np.float64]

MOST_CELLS = 1000  # above, the dense eigenproblem takes longer than the average over the noise

_ZERO = 1e-12  # of the largest weight: what is smaller is 0, or does not matter


def chi2_weights(law: LimitLaw) -> Floats:
    """The weights lambda > 0 of the chi-squared variables whose sum is the limit law, in falling order.

    Raises
    ------
    NotAvailable
        Where a noise is not Gaussian, or the table too large.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.inference.law import LimitLaw, OneWay
    >>> from discreet.inference.null.weights import chi2_weights
    >>> from discreet.noise import Gaussian
    >>> theta = np.array([0.1, 0.2, 0.3, 0.4])
    >>> law = LimitLaw(OneWay(np.sqrt(theta), True), 1 / np.sqrt(500 * theta), (Gaussian(200**0.5).on((4,)),))
    >>> chi2_weights(law).round(6)
    array([4.926266, 2.896449, 2.216131, 1.294488])
    """
    if not all(noise.law.is_normal for noise in law.noises):
        laws = ", ".join(sorted({repr(noise.law) for noise in law.noises}))
        raise NotAvailable(f"the closed form needs Gaussian noise or one degree of freedom, not {laws}")
    weights = _by_product(law)
    if weights is None:
        if law.scaling.size > MOST_CELLS:
            raise NotAvailable(f"the closed form is for tables of up to {MOST_CELLS:,} cells, not {law.scaling.size:,}")
        weights = _eigenvalues(_dense(law))
    falling = np.sort(weights, axis=None)[::-1]
    return np.asarray(falling[falling > _ZERO * falling[0]], float)


def _dense(law: LimitLaw) -> Floats:
    """B (C B') + Pi, B the rows of Pi and K."""
    p, geometry = law.scaling.size, law.geometry
    residual = geometry.residual(np.eye(p))
    totals = geometry.fixed_totals(np.eye(p)) if geometry.fixed_totals_diagonal.any() else np.empty((p, 0))
    onto = np.concatenate([residual, totals], axis=-1)
    matrix, start = np.zeros((onto.shape[1],) * 2), 0
    matrix[:p, :p] = residual
    for noise in law.noises:
        block = slice(start, start + noise.size)
        scaled = onto[block] * law.scaling[block, None]
        matrix += (noise.cell_variance - noise.common_covariance) * (scaled.T @ scaled)
        if noise.common_covariance:
            sums = (np.arange(noise.groups)[:, None] == noise.group_of_cell).astype(float) @ scaled
            matrix += noise.common_covariance * (sums.T @ sums)
        start += noise.size
    return matrix


def _by_product(law: LimitLaw) -> Floats | None:
    """The weights from eigenproblems of the sizes of rows and columns; None where the law is not such a product."""
    geometry = law.geometry
    if not isinstance(geometry, TwoWay):
        return None
    h = law.scaling.reshape(geometry.a.size, geometry.b.size)
    left, right = h[:, 0], h[0] / h[0, 0]
    if not np.allclose(np.outer(left, right), h, rtol=1e-12, atol=0.0):
        return None
    row_variance, share = _row_structure(law, h.shape)
    if row_variance is not None:
        rho = _eigenvalues(_restricted(np.diag(row_variance * left**2), geometry.a))
        within = np.diag(right**2) + share * np.outer(right, right)
        if not geometry.public:
            return 1.0 + np.outer(rho, _eigenvalues(_restricted(within, geometry.b)))
        residual = np.eye(right.size) - np.outer(geometry.b, geometry.b)
        return _eigenvalues(residual + rho[:, None, None] * within)
    if geometry.public or len(law.noises) > 1 or law.noises[0].groups > 1 or geometry.df > MOST_CELLS:
        return None
    return _projected_once(law.noises[0], geometry, left, right)


def _row_structure(law: LimitLaw, shape: tuple[int, int]) -> tuple[Floats | None, float]:
    """(variances, share) where the rows are independent and row i has the covariance variance_i (I + share J)."""
    first, rows = law.noises[0], law.noises
    own = [noise.cell_variance - noise.common_covariance for noise in rows]
    shares = [noise.common_covariance / variance for noise, variance in zip(rows, own, strict=True)]
    one_a_row = len(rows) == shape[0] and all(noise.size == shape[1] and noise.groups == 1 for noise in rows)
    if one_a_row and np.allclose(shares, shares[0], rtol=1e-12):
        return np.array(own), shares[0]
    by_row = first.shape == shape and first.group_axis == 0
    if len(rows) == 1 and (shares[0] == 0.0 or by_row):
        return np.full(shape[0], own[0]), shares[0]
    return None, 0.0


def _projected_once(noise: JointNoise, geometry: TwoWay, left: Floats, right: Floats) -> Floats:
    """1 + v rho_k gamma_l on the diagonal, and the common covariance times a matrix of rank one."""
    rho, u = np.linalg.eigh(_restricted(np.diag(left**2), geometry.a))
    gamma, v = np.linalg.eigh(_restricted(np.diag(right**2), geometry.b))
    d = np.outer(u.T @ (_off(geometry.a).T @ left), v.T @ (_off(geometry.b).T @ right)).ravel()
    own = noise.cell_variance - noise.common_covariance
    return _eigenvalues(np.diag(1.0 + own * np.outer(rho, gamma).ravel()) + noise.common_covariance * np.outer(d, d))


def _eigenvalues(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.eigvalsh(matrix), float)


def _restricted(matrix: Floats, unit: Floats) -> Floats:
    """The matrix in an orthonormal basis of what is orthogonal to the unit vector."""
    basis = _off(unit)
    return np.asarray(basis.T @ matrix @ basis)


def _off(unit: Floats) -> Floats:
    """Orthonormal columns orthogonal to a unit vector with positive entries, by Householder's reflection."""
    v = unit.copy()
    v[0] += 1.0
    return np.asarray((np.eye(unit.size) - np.outer(v, v) / v[0])[:, 1:])
