"""The discrete Laplace law, or two-sided geometric: integer noise of pure differential privacy, as most tools draw it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.noise.joint import JointNoise, table_noise
from discreet.noise.validation import positive

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DiscreteLaplace:
    """Noise on the integers with P(X = z) proportional to `exp(-|z|/scale)`, independent in every cell.

    With p = exp(-1/scale): P(X = z) = (1 - p)/(1 + p) p^|z|. A tool that adds geometric noise at epsilon has the scale
    (sensitivity)/epsilon.

    Parameters
    ----------
    scale : float
        b > 0, in records.

    Examples
    --------
    >>> from discreet.noise import DiscreteLaplace
    >>> law = DiscreteLaplace(4.0)
    >>> print(round(law.variance, 4), law.ppf(0.975))
    31.8339 12.0
    """

    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("discrete Laplace scale", self.scale))

    @property
    def is_normal(self) -> bool:
        """Whether tests may take the law for a normal one."""
        return False

    @property
    def on_integers(self) -> bool:
        """The law is on the whole numbers."""
        return True

    @property
    def variance(self) -> float:
        """2 p/(1 - p)^2 = 1/(2 sinh(1/(2 b))^2); below 2 b^2 by a factor of about 1 - 1/(12 b^2)."""
        half = 0.5 / self.scale
        return 0.5 / math.sinh(half) ** 2 if half < 350 else 2.0 * math.exp(-2.0 * half)

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)

    def sf(self, x: ArrayLike) -> Floats:
        """P(X > x) = p^k/(1 + p) with k the next whole number above x >= 0; relative accuracy is kept in the upper tail."""
        k = np.floor(np.asarray(x, float)) + 1.0
        tail = np.exp(-np.where(k > 0, k, 1.0 - k) / self.scale) / (1.0 + math.exp(-1.0 / self.scale))
        return np.asarray(np.where(k > 0, tail, 1.0 - tail))

    def cdf(self, x: ArrayLike) -> Floats:
        """P(X <= x) = P(X >= -x); relative accuracy is kept in the lower tail."""
        return self.sf(np.ceil(-np.asarray(x, float)) - 1.0)

    def ppf(self, u: ArrayLike) -> Floats:
        """The quantile function: the smallest whole number x with P(X <= x) >= u, for 0 < u < 1."""
        u = np.asarray(u, float)
        tail = np.log(np.minimum(u, 1.0 - u)) + math.log1p(math.exp(-1.0 / self.scale))
        steps = -self.scale * tail  # P(X >= steps) is min(u, 1 - u)
        nearest = np.where(u < 0.5, -np.floor(steps), np.ceil(steps) - 1.0)
        # Where u is a jump of the cdf, rounding decides by one.
        nearest = np.where(self.cdf(nearest) < u, nearest + 1.0, nearest)
        return np.asarray(np.where(self.cdf(nearest - 1.0) >= u, nearest - 1.0, nearest) + 0.0)

    def characteristic_function(self, t: ArrayLike) -> Floats:
        """E exp(itX) = sinh(1/(2 b))^2 / (sinh(1/(2 b))^2 + sin(t/2)^2), real because the law is symmetric."""
        return 1.0 / (1.0 + 2.0 * self.variance * np.sin(0.5 * np.asarray(t, float)) ** 2)

    def log_mgf(self, s: ArrayLike) -> NDArray[np.complex128]:
        """log E exp(sX) = 2 log(1 - p) - log(1 - p e^s) - log(1 - p e^-s) for complex s with `|Re s| < 1/b`."""
        s, rate = np.asarray(s, complex), 1.0 / self.scale
        ends = np.log(-np.expm1(s - rate)) + np.log(-np.expm1(-s - rate))
        return np.asarray(2.0 * math.log(-math.expm1(-rate)) - ends, complex)

    @property
    def mgf_radius(self) -> float:
        """The moment generating function is finite for `|Re s|` below this: 1/b."""
        return 1.0 / self.scale

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Simulated draws for studies and null distributions; never the noise that protects records."""
        return self.ppf(np.clip(rng.random(size), 2.0**-54, None))

    def on(self, shape: tuple[int, ...], *, other: bool = False, group_axis: int | None = None) -> JointNoise:
        """The joint law of this noise on a table's declared cells.

        `other`: the table has one more, undeclared cell. `group_axis`: the axis of a fixed column, each of whose labels
        has noise (and an other cell) of its own.
        """
        return table_noise(self, shape, other=other, group_axis=group_axis)
