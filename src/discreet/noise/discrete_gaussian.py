"""The discrete Gaussian law: integer noise of zero-concentrated differential privacy, as the US Census draws it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.noise.joint import JointNoise, table_noise
from discreet.noise.validation import positive

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

FINE = 2.0  # records; from here on a lattice of step 1 cannot be seen: exp(-8 pi^2) is 5e-35
LARGEST = 1e5  # records; beyond, the law differs from the continuous one in the tenth digit only


@dataclass(frozen=True)
class DiscreteGaussian:
    """Noise on the integers with P(X = z) proportional to `exp(-z^2/(2 sd^2))`, independent in every cell.

    From sd = 1 on its standard deviation is `sd` to eight digits, and its tails are those of rounded normal noise, nearly.

    Parameters
    ----------
    sd : float
        sigma > 0 in the formula, in records, up to 100,000.

    References
    ----------
    Canonne, Kamath and Steinke (2020), The discrete Gaussian for differential privacy.

    Examples
    --------
    >>> from discreet.noise import DiscreteGaussian
    >>> law = DiscreteGaussian(3.0)
    >>> print(round(law.variance, 6), law.ppf(0.975), law.sf(5.5).round(6))
    9.0 6.0 0.032747
    """

    sd: float

    def __post_init__(self) -> None:
        sd = positive("discrete Gaussian standard deviation", self.sd)
        if sd > LARGEST:
            raise InvalidInput(
                f"a discrete Gaussian law has an sd of up to {LARGEST:,.0f}, not {sd!r}; use Gaussian({sd!r})"
            )
        object.__setattr__(self, "sd", sd)

    @property
    def is_normal(self) -> bool:
        """Whether tests may take the law for a normal one: its characteristic function differs by exp(-2 pi^2 sd^2)."""
        return self.sd >= FINE

    @property
    def on_integers(self) -> bool:
        """The law is on the whole numbers."""
        return True

    @property
    def scale(self) -> float:
        """The parameter by which the law is stored: sigma in the formula."""
        return self.sd

    @property
    def variance(self) -> float:
        """sum z^2 P(X = z): sd^2 but for small sd (at sd = 1/2 it is 0.2150)."""
        mass = _masses(self.sd)
        z = np.arange(mass.size, dtype=float)
        return float(2.0 * (z * z) @ mass)

    def sf(self, x: ArrayLike) -> Floats:
        """P(X > x); relative accuracy is kept in the upper tail."""
        k = np.floor(np.asarray(x, float)) + 1.0
        tails = _tails(self.sd)
        tail = tails[np.minimum(np.where(k > 0, k, 1.0 - k), tails.size - 1.0).astype(np.intp)]
        return np.asarray(np.where(k > 0, tail, 1.0 - tail))

    def cdf(self, x: ArrayLike) -> Floats:
        """P(X <= x) = P(X >= -x); relative accuracy is kept in the lower tail."""
        return self.sf(np.ceil(-np.asarray(x, float)) - 1.0)

    def ppf(self, u: ArrayLike) -> Floats:
        """The quantile function: the smallest whole number x with P(X <= x) >= u, for 0 < u < 1."""
        u = np.asarray(u, float)
        rising = _tails(self.sd)[::-1]
        last = rising.size - 1
        upper = last - np.searchsorted(rising, 1.0 - u, side="right")  # the smallest x with P(X > x) <= 1 - u
        lower = last - np.searchsorted(rising, u, side="left")  # the largest k with P(X >= k) >= u
        nearest = np.where(u < 0.5, -lower, np.maximum(upper, 0)).astype(float) + 0.0
        # Where u is a jump of the cdf, rounding decides by one.
        return np.asarray(np.where(self.cdf(nearest - 1.0) >= u, nearest - 1.0, nearest) + 0.0)

    def characteristic_function(self, t: ArrayLike) -> Floats:
        """E exp(itX), real because the law is symmetric."""
        return np.asarray(np.exp(self.log_mgf(1j * np.asarray(t, float))).real)

    def log_mgf(self, s: ArrayLike) -> Complexes:
        """log E exp(sX) for any complex s, up to a multiple of 2 pi i.

        sum_z exp(s z - z^2/(2 sd^2)), or the same by Poisson's formula, sqrt(2 pi) sd sum_n exp(sd^2 (s + 2 pi i n)^2/2),
        whichever converges faster; the terms of a few z, or n, around the largest are summed.
        """
        s = np.asarray(s, complex)
        return np.asarray(_log_theta(self.sd, s) - _log_theta(self.sd, np.zeros(1, complex))[0])

    @property
    def mgf_radius(self) -> float:
        """The moment generating function is finite everywhere."""
        return float("inf")

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Simulated draws for studies and null distributions; never the noise that protects records."""
        return self.ppf(np.clip(rng.random(size), 2.0**-54, None))

    def on(self, shape: tuple[int, ...], *, other: bool = False, group_axis: int | None = None) -> JointNoise:
        """The joint law of this noise on a table's declared cells.

        `other`: the table has one more, undeclared cell. `group_axis`: the axis of a fixed column, each of whose labels
        has noise (and an other cell) of its own.
        """
        return table_noise(self, shape, other=other, group_axis=group_axis)


def _log_theta(sd: float, s: Complexes) -> Complexes:
    """log sum_z exp(s z - z^2/(2 sd^2))."""
    if sd < 1.0:
        around = np.round(sd**2 * s.real)[..., None] + np.arange(-10.0, 11.0)
        exponents = s[..., None] * around - around**2 / (2.0 * sd**2)
    else:
        around = -np.round(s.imag / (2.0 * np.pi))[..., None] + np.arange(-2.0, 3.0)
        exponents = 0.5 * sd**2 * (s[..., None] + 2j * np.pi * around) ** 2
    top = exponents.real.max(-1)
    return np.asarray(top + np.log(np.exp(exponents - top[..., None]).sum(-1)))


@lru_cache(maxsize=4)
def _masses(sd: float) -> Floats:
    """P(X = z) for z = 0, 1, ... until it underflows."""
    z = np.arange(math.ceil(39.0 * sd) + 2, dtype=float)
    weight = np.exp(-0.5 * (z / sd) ** 2)
    mass: Floats = weight / (weight[0] + 2.0 * weight[1:].sum())
    mass.flags.writeable = False
    return mass


@lru_cache(maxsize=4)
def _tails(sd: float) -> Floats:
    """P(X >= z) for the same z, summed from the far end; the last is 0."""
    tails: Floats = np.append(np.cumsum(_masses(sd)[::-1])[::-1], 0.0)
    tails.flags.writeable = False
    return tails
