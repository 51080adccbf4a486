"""The law of noise in cumulative sums: V_t = sum_(k <= t) w_k Z_(t-k) with independent normal Z.

It is the noise of a distribution function that was released through a factor of the cumulative sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from discreet.noise.validation import positive

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CumulativeNoise:
    """Correlated normal noise V = W Z, W lower triangular with w_0, w_1, ... down its first column and every other.

    Parameters
    ----------
    sd : float
        The standard deviation of each Z.
    weights : array (T,)
        w_0 ... w_(T-1).

    Examples
    --------
    >>> from discreet.noise import CumulativeNoise
    >>> noise = CumulativeNoise(2.0, [1.0, 0.5, 0.375])
    >>> noise.covariance
    array([[4.    , 2.    , 1.5   ],
           [2.    , 5.    , 2.75  ],
           [1.5   , 2.75  , 5.5625]])
    >>> noise.sample(5, 1).shape
    (5, 3)
    """

    sd: float
    weights: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "sd", positive("standard deviation", self.sd))
        weights = np.array(self.weights, float)
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of V."""
        return self.weights.shape

    @cached_property
    def cell_sds(self) -> Floats:
        """The standard deviation of each V_t: sd sqrt(w_0^2 + ... + w_t^2)."""
        return np.asarray(self.sd * np.sqrt(np.cumsum(self.weights**2)))

    @property
    def variance(self) -> Floats:
        """The variance of each V_t."""
        return self.cell_sds**2

    @property
    def covariance(self) -> Floats:
        """sd^2 W W', of shape (T, T)."""
        size = len(self.weights)
        lag = np.subtract.outer(np.arange(size), np.arange(size))
        matrix = np.where(lag >= 0, self.weights[np.abs(lag)], 0.0)
        return np.asarray(self.sd**2 * matrix @ matrix.T)

    def cdf(self, x: ArrayLike) -> Floats:
        """P(V_t <= x_t), for x of shape (..., T) or a number."""
        return np.asarray(special.ndtr(np.asarray(x, float) / self.cell_sds))

    def ppf(self, u: float) -> Floats:
        """The quantile of each V_t."""
        return np.asarray(self.cell_sds * special.ndtri(u))

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Floats:
        """`size` simulated noise vectors, of shape (size, T). For studies; never the noise that protects records."""
        count = len(self.weights)
        draws = np.random.default_rng(rng).normal(0.0, self.sd, (size, count))
        length = 2 << (count - 1).bit_length()  # room for the convolution not to wrap around
        spectrum = np.fft.rfft(draws, length, axis=-1) * np.fft.rfft(self.weights, length)
        return np.asarray(np.fft.irfft(spectrum, length, axis=-1)[:, :count])
