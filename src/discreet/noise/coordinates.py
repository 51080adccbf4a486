"""Independent noise in every coordinate of a vector or matrix, each with a scale of its own: the noise of released means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.noise.gaussian import Gaussian
from discreet.noise.laplace import Laplace
from discreet.noise.validation import positive

Floats = NDArray[np.float64]

FAMILIES: Mapping[str, type[Laplace] | type[Gaussian]] = MappingProxyType({"Laplace": Laplace, "Gaussian": Gaussian})
"""The laws that a coordinate may have; all coordinates have one of them."""


@dataclass(frozen=True)
class CoordinateNoise:
    """Noise s_i Z_i with Z_i independent of one law of scale 1 and a public scale s_i for each coordinate.

    Parameters
    ----------
    family : "Laplace" or "Gaussian"
        The law of every Z_i.
    scales : sequence of float
        s_i > 0 (Laplace scale or standard deviation) in the coordinate's own units, row-major.
    shape : tuple of int
        The shape of the released array; it holds as many numbers as there are scales.

    Examples
    --------
    >>> from discreet.noise import CoordinateNoise
    >>> noise = CoordinateNoise("Laplace", (4.0, 0.5), (2,))
    >>> noise.variance
    array([32. ,  0.5])
    >>> noise.ppf(0.975).round(3)
    array([11.983,  1.498])
    """

    family: str
    scales: tuple[float, ...]
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise InvalidInput(f"noise in coordinates is one of {', '.join(FAMILIES)}, not {self.family!r}")
        object.__setattr__(self, "scales", tuple(positive("a scale of noise", scale) for scale in self.scales))
        object.__setattr__(self, "shape", tuple(int(size) for size in self.shape))
        if not self.scales or math.prod(self.shape) != len(self.scales):
            raise InvalidInput(f"{len(self.scales)} scales do not fill the shape {self.shape!r}")

    @cached_property
    def _unit(self) -> Laplace | Gaussian:
        return FAMILIES[self.family](1.0)

    @cached_property
    def scale(self) -> Floats:
        """The scales in the shape of the array."""
        scales = np.reshape(self.scales, self.shape)
        scales.setflags(write=False)
        return scales

    def coordinate(self, *index: int) -> Laplace | Gaussian:
        """The law of one coordinate."""
        return FAMILIES[self.family](float(self.scale[index]))

    @property
    def sd(self) -> Floats:
        """The standard deviation of each coordinate."""
        return self.scale * self._unit.sd

    @property
    def variance(self) -> Floats:
        """The variance of each coordinate."""
        return self.sd**2

    @property
    def covariance(self) -> Floats:
        """The covariance matrix of all coordinates, row-major: diagonal, because they are independent."""
        return np.diag(self.variance.ravel())

    def cdf(self, x: ArrayLike) -> Floats:
        """P(noise <= x) in each coordinate; `x` of the shape of the array, or one that broadcasts with it."""
        return np.asarray(self._unit.cdf(np.asarray(x, float) / self.scale))

    def sf(self, x: ArrayLike) -> Floats:
        """P(noise > x) in each coordinate; relative accuracy is kept in the upper tail."""
        return np.asarray(self._unit.sf(np.asarray(x, float) / self.scale))

    def ppf(self, u: float) -> Floats:
        """The quantile at 0 < u < 1 in each coordinate."""
        return self.scale * self._unit.ppf(u)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Floats:
        """`size` simulated noise arrays, of shape `(size, *shape)`. For studies; never the noise that protects records."""
        return self.scale * self._unit.sample((size, *self.shape), np.random.default_rng(rng))
