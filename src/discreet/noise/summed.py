"""The sum of many independent draws as one draw: what the noise in a cell of a margin of a wide table is.

Summing m draws one by one for every simulated cell costs m times too much where m is ten thousand. The law of the sum is known
exactly, so it is drawn at once: a Gaussian stays Gaussian; of other laws the quantile function is tabulated, on the scale of
standard normal quantiles z, where it is nearly a straight line: x(z)/z as a polynomial in z^2 through exact points
(`single_cell`), the more so the larger m (central limit theorem). Draws on the integers are summed by a Fourier transform of
the characteristic function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import ArrayLike, NDArray
from scipy import special

from discreet.noise.draw_law import DrawLaw
from discreet.noise.gaussian import Gaussian
from discreet.noise.laplace import Laplace
from discreet.noise.single_cell import cell_sf

Floats = NDArray[np.float64]

FEWEST = 8
"""Below, a single draw shows in the far tail, where the polynomial loses digits."""

_FARTHEST = 8.2  # standard normal quantiles: 2^-53, beyond which no uniform number lies
_EXACT, _DEGREE, _DENSE = 97, 24, 8192
_MOST_STEPS = 2**21  # of the lattice that are written out
_REACH = 14.0  # standard deviations to either side


def summed(law: DrawLaw, times: int) -> DrawLaw:
    """The law of the sum of `times` independent draws, at least 8.

    Examples
    --------
    >>> from discreet.noise import Gaussian, Laplace
    >>> from discreet.noise.summed import summed
    >>> summed(Gaussian(2.0), 100)
    Gaussian(sd=20.0)
    >>> many = summed(Laplace(1.0), 200)
    >>> many.variance, many.ppf([0.5, 0.975]).round(4)
    (400.0, array([ 0.  , 39.22]))
    """
    sd = math.sqrt(times * law.variance)
    if law.is_normal:
        return Gaussian(sd)
    if law.on_integers and 2.0 * _REACH * sd > _MOST_STEPS:  # the step is a hundred-thousandth of the sd
        return Summed(Laplace(math.sqrt(law.variance / 2.0)), times)
    return Summed(law, times)


@dataclass(frozen=True)
class Summed:
    """The sum of `times` draws of a law that is not normal; what `DrawLaw` asks for."""

    law: DrawLaw
    times: int

    @property
    def is_normal(self) -> bool:
        """Never taken for a normal one, however close it is."""
        return False

    @property
    def on_integers(self) -> bool:
        """As one draw is."""
        return self.law.on_integers

    @property
    def variance(self) -> float:
        """m times that of a draw."""
        return self.times * self.law.variance

    @property
    def scale(self) -> float:
        """sqrt(m) times that of a draw."""
        return math.sqrt(self.times) * self.law.scale

    @property
    def mgf_radius(self) -> float:
        """That of a draw."""
        return self.law.mgf_radius

    def sf(self, x: ArrayLike) -> Floats:
        """P(sum > x)."""
        return cell_sf(self.law, ((1.0, self.times),), np.asarray(x, float))

    def characteristic_function(self, t: ArrayLike) -> Floats:
        """That of a draw to the power m."""
        return np.asarray(self.law.characteristic_function(t) ** self.times)

    def log_mgf(self, s: ArrayLike) -> NDArray[np.complex128]:
        """m times that of a draw."""
        return np.asarray(self.times * self.law.log_mgf(s), complex)

    def ppf(self, u: ArrayLike) -> Floats:
        """The quantile function, for 0 < u < 1."""
        u = np.asarray(u, float)
        if self.on_integers:
            cumulative, first = _lattice(self.law, self.times)
            below = first + np.searchsorted(cumulative, np.minimum(u, 1.0 - u))
            return np.asarray(np.where(u > 0.5, -below, below), float)
        z, x = _table(self.law, self.times)
        return np.asarray(np.interp(special.ndtri(u), z, x))

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Simulated sums for studies and null distributions; never the noise that protects records."""
        if isinstance(self.law, Laplace):  # a Laplace draw is the difference of two exponential ones
            return self.law.scale * (rng.standard_gamma(self.times, size) - rng.standard_gamma(self.times, size))
        return self.ppf(np.clip(rng.random(size), 2.0**-60, 1.0 - 2.0**-53))


@lru_cache(maxsize=64)
def _table(law: DrawLaw, times: int) -> tuple[Floats, Floats]:
    """Standard normal quantiles and those of the sum, at 2 x 8,192 places."""
    coefficients, sd = ((1.0, times),), math.sqrt(times * law.variance)
    end = _FARTHEST * sd
    while float(cell_sf(law, coefficients, np.array(end))) > special.ndtr(-_FARTHEST):
        end *= 1.1
    x = end * (0.5 - 0.5 * np.cos(np.pi * (np.arange(_EXACT) + 1) / _EXACT))
    z = -special.ndtri(cell_sf(law, coefficients, x))
    ratio = Chebyshev.fit(z**2, x / z, _DEGREE)
    dense = np.linspace(0.0, float(z[-1]), _DENSE)
    upper = dense * ratio(dense**2)
    return np.concatenate([-dense[:0:-1], dense]), np.concatenate([-upper[:0:-1], upper])


@lru_cache(maxsize=16)
def _lattice(law: DrawLaw, times: int) -> tuple[Floats, int]:
    """P(sum <= k) for k from `first` to 0, where it is at least 1/2, by the discrete Fourier transform."""
    reach = math.ceil(_REACH * math.sqrt(times * law.variance)) + 8
    size = 1 << math.ceil(math.log2(2 * reach + 1))
    angles = 2.0 * np.pi * np.arange(size // 2 + 1) / size
    masses = np.fft.irfft(law.characteristic_function(angles) ** times, size)
    lower = np.maximum(np.concatenate([masses[size - reach :], masses[:1]]), 0.0)
    cumulative = np.cumsum(lower)
    cumulative[-1] = max(cumulative[-1], 0.5)
    return cumulative, -reach
