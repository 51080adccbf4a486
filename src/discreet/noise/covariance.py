"""What a covariance mechanism releases, as a simulation: entries with noise and a projection, or eigenvalues and directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.noise.bingham import bingham_each
from discreet.noise.validation import positive

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EntrywiseNoise:
    """Independent noise on and above the diagonal, completed by symmetry, then the nearest positive semidefinite matrix.

    Parameters
    ----------
    family : "laplace" or "gaussian"
    scales : tuple of tuples of float
        Symmetric, shape (d, d), each above 0: Laplace scale or standard deviation on every entry.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.noise import EntrywiseNoise
    >>> law = EntrywiseNoise("gaussian", ((0.01, 0.01), (0.01, 0.01)))
    >>> released = law.sample(np.broadcast_to(np.eye(2), (1000, 2, 2)), np.random.default_rng(1))
    >>> print(released.shape, released.std(0).round(3))
    (1000, 2, 2) [[0.01 0.01]
     [0.01 0.01]]
    """

    family: Literal["laplace", "gaussian"]
    scales: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        if self.family not in ("laplace", "gaussian"):
            raise InvalidInput(f"the family of noise must be 'laplace' or 'gaussian', not {self.family!r}")
        rows = tuple(tuple(positive("scale of an entry", scale) for scale in row) for row in self.scales)
        if not rows or any(len(row) != len(rows) for row in rows) or tuple(zip(*rows, strict=True)) != rows:
            raise InvalidInput("the scales of a covariance's entries must be a symmetric matrix")
        object.__setattr__(self, "scales", rows)

    @property
    def d(self) -> int:
        """The number of columns."""
        return len(self.scales)

    def sample(self, covariances: ArrayLike, rng: np.random.Generator) -> Floats:
        """For each covariance of a batch (..., d, d), a released one: symmetric, positive semidefinite."""
        given = _square(covariances, self.d)
        rows, columns = np.triu_indices(self.d)
        draw = rng.laplace if self.family == "laplace" else rng.normal
        noise = draw(0.0, np.asarray(self.scales)[rows, columns], (*given.shape[:-2], rows.size))
        noisy = given.copy()
        noisy[..., rows, columns] += noise
        noisy[..., columns, rows] = noisy[..., rows, columns]
        return nearest_psd(noisy)


@dataclass(frozen=True)
class EigenNoise:
    """Laplace noise on the sorted eigenvalues; eigenvectors drawn one after the other: the mechanism ED.

    For d columns: eigenvalues get Lap(eigenvalue_scale), are set to 0 where negative and sorted. A first direction has
    density proportional to exp(exponent u'Su); the next one the same within the complement of those before; the last is
    what is left. The result is the sum of eigenvalue times direction times its transpose.

    Parameters
    ----------
    eigenvalue_scale : float
        Above 0.
    exponent : float
        At least 0; not used where d = 1.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.noise import EigenNoise
    >>> EigenNoise(0.001, 1e6).sample(np.diag([2.0, 1.0]), np.random.default_rng(1)).round(2)
    array([[2., 0.],
           [0., 1.]])
    """

    eigenvalue_scale: float
    exponent: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eigenvalue_scale", positive("eigenvalue_scale", self.eigenvalue_scale))
        if self.exponent != 0 or isinstance(self.exponent, bool):
            object.__setattr__(self, "exponent", positive("exponent", self.exponent))

    def sample(self, covariances: ArrayLike, rng: np.random.Generator) -> Floats:
        """For each covariance of a batch (..., d, d), a released one: symmetric, positive semidefinite."""
        given = _square(covariances, None)
        shape, d = given.shape, given.shape[-1]
        flat = given.reshape(-1, d, d)
        values = np.linalg.eigvalsh(flat)
        noisy = np.maximum(values + rng.laplace(0.0, self.eigenvalue_scale, values.shape), 0.0)
        falling = np.sort(noisy, -1)[:, ::-1]
        directions = _directions(flat, self.exponent, rng)
        return _composed(directions, falling).reshape(shape)


def nearest_psd(matrices: ArrayLike) -> Floats:
    """For each symmetric matrix of a batch (..., d, d), the nearest positive semidefinite one in the Frobenius norm.

    Its negative eigenvalues become 0.

    Examples
    --------
    >>> from discreet.noise.covariance import nearest_psd
    >>> nearest_psd([[0.0, 1.0], [1.0, 0.0]])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    given = _square(matrices, None)
    values, vectors = np.linalg.eigh(given)
    projected = _composed(vectors, np.maximum(values, 0.0))
    # Eigenvalues are exact up to a rounding error of the largest, and beside that an entry of the diagonal may be negative.
    diagonal = np.diagonal(given, axis1=-2, axis2=-1)
    positive = (values[..., 0] >= 0) & (diagonal >= 0).all(-1)
    return np.where(positive[..., None, None], given, projected)


def _directions(matrices: Floats, exponent: float, rng: np.random.Generator) -> Floats:
    """The eigenvectors of ED as columns, for a batch (B, d, d)."""
    count, d, _ = matrices.shape
    basis = np.broadcast_to(np.eye(d), (count, d, d))
    left = matrices
    found = []
    for k in range(d, 1, -1):
        u = bingham_each(exponent * left, rng)
        found.append((basis @ u[..., None])[..., 0])
        complement = _complement(u, k)
        basis = basis @ complement
        left = np.swapaxes(complement, -1, -2) @ left @ complement
        left = 0.5 * (left + np.swapaxes(left, -1, -2))
    found.append(basis[..., 0])
    return np.stack(found, -1)


def _complement(u: Floats, k: int) -> Floats:
    """An orthonormal basis of what is orthogonal to each unit vector u, (B, k, k - 1): Householder's reflection but one.

    The reflection at v = u + sign(u_1) e_1 maps e_1 to -+u, so its other columns are orthogonal to u; 1 + |u_1| never is 0.
    """
    v = u.copy()
    v[:, 0] += np.where(u[:, 0] < 0, -1.0, 1.0)
    share = v[:, 1:] / (1.0 + np.abs(u[:, :1]))
    return np.asarray(np.eye(k)[:, 1:] - v[:, :, None] * share[:, None, :])


def _composed(vectors: Floats, values: Floats) -> Floats:
    """sum of value times column times its transpose, exactly symmetric."""
    half = vectors * np.sqrt(values)[..., None, :]
    product = half @ np.swapaxes(half, -1, -2)
    return np.asarray(0.5 * (product + np.swapaxes(product, -1, -2)))


def _square(matrices: ArrayLike, d: int | None) -> Floats:
    given = np.asarray(matrices, float)
    if given.ndim < 2 or given.shape[-1] != given.shape[-2] or (d is not None and given.shape[-1] != d):
        raise InvalidInput(f"a covariance has the shape (..., {d or 'd'}, {d or 'd'}), not {given.shape}")
    return given
