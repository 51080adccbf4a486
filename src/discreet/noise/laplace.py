"""The Laplace law: the noise of pure differential privacy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.noise.joint import JointNoise, table_noise
from discreet.noise.validation import positive

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Laplace:
    """Laplace noise with density `exp(-|x|/scale) / (2 scale)`, independent in every cell.

    Parameters
    ----------
    scale : float
        b > 0, in the units of the released number (records, for a table).

    Examples
    --------
    >>> from discreet.noise import Laplace
    >>> Laplace(4.0).variance
    32.0
    >>> Laplace(4.0).on((2, 2)).covariance.diagonal()
    array([32., 32., 32., 32.])
    """

    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("Laplace scale", self.scale))

    @property
    def is_normal(self) -> bool:
        """Whether tests may take the law for a normal one."""
        return False

    @property
    def on_integers(self) -> bool:
        """The law is continuous."""
        return False

    @property
    def variance(self) -> float:
        """2 b^2."""
        return 2.0 * self.scale**2

    @property
    def sd(self) -> float:
        """sqrt(2) b."""
        return float(np.sqrt(2.0)) * self.scale

    def cdf(self, x: ArrayLike) -> Floats:
        """P(X <= x); relative accuracy is kept in the lower tail."""
        z = np.asarray(x, float) / self.scale
        return np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0.0)), 1.0 - 0.5 * np.exp(-np.maximum(z, 0.0)))

    def sf(self, x: ArrayLike) -> Floats:
        """P(X > x); relative accuracy is kept in the upper tail."""
        return self.cdf(-np.asarray(x, float))

    def ppf(self, u: ArrayLike) -> Floats:
        """The quantile function: the x with P(X <= x) = u, for 0 < u < 1."""
        u = np.asarray(u, float)
        # 1 - u is exact for u >= 1/2, so no digit is lost at either end.
        return np.asarray(np.copysign(self.scale * np.log(2.0 * np.minimum(u, 1.0 - u)), u - 0.5))

    def characteristic_function(self, t: ArrayLike) -> Floats:
        """E exp(itX) = 1 / (1 + b^2 t^2), real because the law is symmetric."""
        return 1.0 / (1.0 + (self.scale * np.asarray(t, float)) ** 2)

    def log_mgf(self, s: ArrayLike) -> NDArray[np.complex128]:
        """log E exp(sX) = -log(1 - b^2 s^2) for complex s with `|Re s| < 1/b`."""
        return -np.log1p(-((self.scale * np.asarray(s, complex)) ** 2))

    @property
    def mgf_radius(self) -> float:
        """The moment generating function is finite for `|Re s|` below this: 1/b."""
        return 1.0 / self.scale

    def moment_generating_function(self, s: ArrayLike) -> Floats:
        """E exp(sX) = 1 / (1 - b^2 s^2) for real `|s| < 1/b`, infinite outside."""
        z = (self.scale * np.asarray(s, float)) ** 2
        with np.errstate(divide="ignore"):
            return np.where(z < 1, 1.0 / np.where(z < 1, 1.0 - z, 1.0), np.inf)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Simulated draws for studies and null distributions; never the noise that protects records."""
        return rng.laplace(0.0, self.scale, size)

    def on(self, shape: tuple[int, ...], *, other: bool = False, group_axis: int | None = None) -> JointNoise:
        """The joint law of this noise on a table's declared cells.

        `other`: the table has one more, undeclared cell. `group_axis`: the axis of a fixed column, each of whose labels
        has noise (and an other cell, and a projection on its public size) of its own.
        """
        return table_noise(self, shape, other=other, group_axis=group_axis)
