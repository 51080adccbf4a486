"""Trade-off curves: how well the best test can tell two neighbouring sets of records apart from a release.

f(alpha) is the smallest type II error of any test of type I error alpha (Dong, Roth and Su 2022). The higher the curve,
the more private; 1 - alpha is perfect privacy. The mathematics of each curve stands in a file of its own
(`gaussian_curve`, `laplace_curve`, `renyi`); here each becomes one `TradeOff` with the same few questions.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import InvalidInput
from discreet.privacy import gaussian_curve, laplace_curve, renyi
from discreet.privacy.laplace_curve import laplace_table_mu
from discreet.privacy.parameters import LARGEST, Floats, numbers_in, parameter, real

__all__ = ["TradeOff", "laplace_table_mu"]

Many = NDArray[Any] | Sequence[float]


class TradeOff(ABC):
    """A trade-off curve; convex, non-increasing, symmetric, at most 1 - alpha. Made by the constructors below.

    Examples
    --------
    >>> from discreet.privacy import TradeOff
    >>> f = TradeOff.laplace_table(scale=2.0)
    >>> f
    TradeOff.laplace_table(scale=2.0)
    >>> print(f"{f(0.05):.6f} {f.mu:.6f} {f.fixed_point:.6f}")
    0.864086 0.707552 0.379082
    >>> TradeOff.gaussian(f.mu)([0.05, 0.5]).round(6)
    array([0.825698, 0.239612])
    """

    @staticmethod
    def gaussian(mu: float) -> TradeOff:
        """G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu): N(0, 1) against N(mu, 1)."""
        return _Gaussian(parameter("mu", mu))

    @staticmethod
    def laplace(shift: float) -> TradeOff:
        """Laplace noise of scale 1 against its shift by `shift` (the sensitivity in units of the scale)."""
        return _Laplace(parameter("shift", shift))

    @staticmethod
    def laplace_table(scale: float) -> TradeOff:
        """A table with independent Laplace noise of scale b (in records) when one record is replaced."""
        scale = real("scale", scale)
        if not 1e-3 <= scale <= 1e12:
            raise InvalidInput(f"scale must lie between 0.001 and 1e12 records, not {scale!r}")
        return _LaplaceTable(scale)

    @staticmethod
    def approx_dp(epsilon: float, delta: float = 0.0) -> TradeOff:
        """The lowest curve that (epsilon, delta)-DP allows: max(0, 1 - delta - e^eps alpha, e^-eps (1 - delta - alpha))."""
        epsilon, delta = real("epsilon", epsilon), real("delta", delta)
        if not 0 <= epsilon <= LARGEST or not 0 <= delta <= 1:
            raise InvalidInput(
                f"epsilon must lie in [0, {LARGEST:g}] and delta in [0, 1], not {epsilon!r} and {delta!r}"
            )
        return _ApproxDP(epsilon, delta)

    @staticmethod
    def zero_concentrated(rho: float) -> TradeOff:
        """The lowest curve that rho-zCDP allows, over all Renyi orders and both directions."""
        return _ZeroConcentrated(parameter("rho", rho))

    @overload
    def __call__(self, alpha: float) -> float: ...
    @overload
    def __call__(self, alpha: Many) -> Floats: ...
    def __call__(self, alpha: float | Many) -> float | Floats:
        """f(alpha): a float for a number, an array for an array of type I errors in [0, 1]."""
        result = self._type_two(numbers_in("alpha, a type I error,", alpha, 0, 1))
        return float(result) if result.ndim == 0 else result

    @overload
    def power(self, alpha: float) -> float: ...
    @overload
    def power(self, alpha: Many) -> Floats: ...
    def power(self, alpha: float | Many) -> float | Floats:
        """1 - f(alpha): the most power of a test of that level."""
        result = self._power(numbers_in("level", alpha, 0, 1))
        return float(result) if result.ndim == 0 else result

    @overload
    def delta(self, epsilon: float) -> float: ...
    @overload
    def delta(self, epsilon: Many) -> Floats: ...
    def delta(self, epsilon: float | Many) -> float | Floats:
        """The smallest delta with f >= f_{epsilon, delta}, for epsilon >= 0: max over alpha of 1 - f - e^eps alpha."""
        result = self._delta(numbers_in("epsilon", epsilon, 0, np.finfo(float).max))
        return float(result) if result.ndim == 0 else result

    @property
    @abstractmethod
    def fixed_point(self) -> float:
        """The alpha with f(alpha) = alpha; at most 1/2, where nothing is told apart."""

    @property
    @abstractmethod
    def mu(self) -> float:
        """The smallest mu with f >= G_mu everywhere: the GDP level that holds. Infinite where none does."""

    def dominates(self, other: TradeOff) -> bool:
        """Whether f(alpha) >= other(alpha) for every alpha: this curve is at least as private.

        Decided by the parameters where that settles it (same kind, or `other` Gaussian or (epsilon, delta)); otherwise by
        comparison on a grid of 4,000 type I errors, dense at both ends, to 1e-12.
        """
        if isinstance(other, _Gaussian):
            return self.mu <= other.mu
        if isinstance(other, _ApproxDP):
            return self.delta(other.epsilon) <= other.delta_
        if type(self) is type(other):
            return self._leak() <= other._leak()
        grid = special.expit(np.linspace(-300.0, 36.0, 4000))
        return bool(np.all(self(grid) >= other(grid) - 1e-12))

    def _leak(self) -> float:
        """The one parameter that orders curves of the same kind: the larger, the less private."""
        return float(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]

    def _power(self, alpha: Floats) -> Floats:
        return 1 - self._type_two(alpha)

    @abstractmethod
    def _type_two(self, alpha: Floats) -> Floats: ...

    @abstractmethod
    def _delta(self, epsilon: Floats) -> Floats: ...


@dataclass(frozen=True, repr=False)
class _Gaussian(TradeOff):
    level: float

    def __repr__(self) -> str:
        return f"TradeOff.gaussian(mu={self.level!r})"

    @property
    def fixed_point(self) -> float:
        return float(special.ndtr(-0.5 * self.level))

    @property
    def mu(self) -> float:
        return self.level

    def _type_two(self, alpha: Floats) -> Floats:
        return np.asarray(special.ndtr(-special.ndtri(alpha) - self.level))

    def _power(self, alpha: Floats) -> Floats:
        return np.asarray(special.ndtr(special.ndtri(alpha) + self.level))

    def _delta(self, epsilon: Floats) -> Floats:
        return gaussian_curve.delta(self.level, epsilon)


@dataclass(frozen=True, repr=False)
class _Laplace(TradeOff):
    shift: float

    def __repr__(self) -> str:
        return f"TradeOff.laplace(shift={self.shift!r})"

    @property
    def fixed_point(self) -> float:
        return 0.5 * math.exp(-0.5 * self.shift)

    @property
    def mu(self) -> float:
        return laplace_curve.shift_mu(self.shift)

    def _type_two(self, alpha: Floats) -> Floats:
        return laplace_curve.shift_tradeoff(alpha, self.shift)

    def _delta(self, epsilon: Floats) -> Floats:
        return -np.expm1(np.minimum(0.5 * (epsilon - self.shift), 0.0))


@dataclass(frozen=True, repr=False)
class _LaplaceTable(TradeOff):
    scale: float

    def __repr__(self) -> str:
        return f"TradeOff.laplace_table(scale={self.scale!r})"

    @property
    def fixed_point(self) -> float:
        return 0.25 * math.exp(-1 / self.scale) * (2 + 1 / self.scale)

    @property
    def mu(self) -> float:
        return laplace_table_mu(1 / self.scale)

    def _leak(self) -> float:
        return -self.scale

    def _type_two(self, alpha: Floats) -> Floats:
        return laplace_curve.table_tradeoff(alpha, 1 / self.scale)

    def _delta(self, epsilon: Floats) -> Floats:
        return laplace_curve.table_delta(epsilon, 1 / self.scale)


@dataclass(frozen=True, repr=False)
class _ApproxDP(TradeOff):
    epsilon: float
    delta_: float

    def __repr__(self) -> str:
        return f"TradeOff.approx_dp(epsilon={self.epsilon!r}, delta={self.delta_!r})"

    @property
    def fixed_point(self) -> float:
        return (1 - self.delta_) * float(special.expit(-self.epsilon))

    @property
    def mu(self) -> float:
        if self.delta_ > 0:
            return math.inf  # f(0) = 1 - delta is below every G_mu(0) = 1
        return pure_mu(self.epsilon)

    def _type_two(self, alpha: Floats) -> Floats:
        grown, shrunk = math.exp(self.epsilon), math.exp(-self.epsilon)
        return np.maximum(0.0, np.maximum(1 - self.delta_ - grown * alpha, shrunk * (1 - self.delta_ - alpha)))

    def _power(self, alpha: Floats) -> Floats:
        grown, shrunk = math.exp(self.epsilon), math.exp(-self.epsilon)
        return np.minimum(1.0, np.minimum(self.delta_ + grown * alpha, 1 - shrunk * (1 - self.delta_ - alpha)))

    def _delta(self, epsilon: Floats) -> Floats:
        # Attained by randomised response that tells all with probability delta.
        flipped = -np.expm1(np.minimum(epsilon - self.epsilon, 0.0)) * special.expit(self.epsilon)
        return self.delta_ + (1 - self.delta_) * flipped


@dataclass(frozen=True, repr=False)
class _ZeroConcentrated(TradeOff):
    rho: float

    def __repr__(self) -> str:
        return f"TradeOff.zero_concentrated(rho={self.rho!r})"

    @property
    def fixed_point(self) -> float:
        return float(special.expit(-renyi.rho_to_pure(self.rho)))

    @property
    def mu(self) -> float:
        # Binding at the fixed point, where the coins are those of randomised response (checked for rho from 1e-4 to 50).
        return pure_mu(renyi.rho_to_pure(self.rho))

    def _type_two(self, alpha: Floats) -> Floats:
        return renyi.tradeoff(self.rho, alpha)

    def _delta(self, epsilon: Floats) -> Floats:
        return np.exp(renyi.log_delta(self.rho, epsilon))


def pure_mu(epsilon: float) -> float:
    """The smallest mu such that epsilon-DP implies mu-GDP: 2 Phi^-1(e^eps/(1 + e^eps)), stable at both ends.

    >>> print(f"{pure_mu(1.0):.10f}")
    1.2320353853
    """
    if epsilon < 1:
        return 2 * math.sqrt(2) * float(special.erfinv(math.tanh(0.5 * epsilon)))
    return -2 * float(special.ndtri_exp(-epsilon - math.log1p(math.exp(-epsilon))))
