"""The Gaussian law: the noise of Gaussian and zero-concentrated differential privacy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from discreet.noise.joint import JointNoise, table_noise
from discreet.noise.validation import positive

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gaussian:
    """Normal noise N(0, sd^2), independent in every cell.

    Parameters
    ----------
    sd : float
        Standard deviation > 0, in the units of the released number.

    Examples
    --------
    >>> from discreet.noise import Gaussian
    >>> Gaussian(3.0).variance
    9.0
    """

    sd: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sd", positive("Gaussian standard deviation", self.sd))

    @property
    def scale(self) -> float:
        """The parameter by which the law is stored: its standard deviation."""
        return self.sd

    @property
    def is_normal(self) -> bool:
        """Whether tests may take the law for a normal one."""
        return True

    @property
    def on_integers(self) -> bool:
        """The law is continuous."""
        return False

    @property
    def variance(self) -> float:
        """sd^2."""
        return self.sd**2

    def cdf(self, x: ArrayLike) -> Floats:
        """P(X <= x)."""
        return np.asarray(special.ndtr(np.asarray(x, float) / self.sd))

    def sf(self, x: ArrayLike) -> Floats:
        """P(X > x); relative accuracy is kept in the upper tail."""
        return np.asarray(special.ndtr(-np.asarray(x, float) / self.sd))

    def ppf(self, u: ArrayLike) -> Floats:
        """The quantile function: the x with P(X <= x) = u, for 0 < u < 1."""
        return self.sd * np.asarray(special.ndtri(np.asarray(u, float)))

    def characteristic_function(self, t: ArrayLike) -> Floats:
        """E exp(itX) = exp(-sd^2 t^2 / 2)."""
        return np.exp(-0.5 * (self.sd * np.asarray(t, float)) ** 2)

    def log_mgf(self, s: ArrayLike) -> NDArray[np.complex128]:
        """log E exp(sX) = sd^2 s^2 / 2 for any complex s."""
        return np.asarray(0.5 * (self.sd * np.asarray(s, complex)) ** 2, complex)

    @property
    def mgf_radius(self) -> float:
        """The moment generating function is finite everywhere."""
        return float("inf")

    def moment_generating_function(self, s: ArrayLike) -> Floats:
        """E exp(sX) = exp(sd^2 s^2 / 2)."""
        return np.exp(0.5 * (self.sd * np.asarray(s, float)) ** 2)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Simulated draws for studies and null distributions; never the noise that protects records."""
        return rng.normal(0.0, self.sd, size)

    def on(self, shape: tuple[int, ...], *, other: bool = False, group_axis: int | None = None) -> JointNoise:
        """The joint law of this noise on a table's declared cells.

        `other`: the table has one more, undeclared cell. `group_axis`: the axis of a fixed column, each of whose labels
        has noise (and an other cell, and a projection on its public size) of its own.
        """
        return table_noise(self, shape, other=other, group_axis=group_axis)
