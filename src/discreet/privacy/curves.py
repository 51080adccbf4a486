"""The trade-off curves that have a parameter or two: each an exact closed form, or one search over orders.

Their mathematics stands in files of its own (`gaussian_curve`, `laplace_curve`, `renyi`); here each becomes a `TradeOff`.
All of them are symmetric, their own inverse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from discreet.privacy import gaussian_curve, laplace_curve, renyi
from discreet.privacy.parameters import Floats
from discreet.privacy.tradeoff import TradeOff


@dataclass(frozen=True, repr=False)
class GaussianCurve(TradeOff):
    """G_mu."""

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

    def _lies_below(self, higher: TradeOff) -> bool:
        return higher.mu <= self.level


@dataclass(frozen=True, repr=False)
class LaplaceCurve(TradeOff):
    """One Laplace coordinate, shifted."""

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
class LaplaceTableCurve(TradeOff):
    """Two Laplace coordinates, shifted by +1 and -1: a table in which one record is replaced."""

    scale: float

    def __repr__(self) -> str:
        return f"TradeOff.laplace_table(scale={self.scale!r})"

    @property
    def fixed_point(self) -> float:
        return 0.25 * math.exp(-1 / self.scale) * (2 + 1 / self.scale)

    @property
    def mu(self) -> float:
        return laplace_curve.laplace_table_mu(1 / self.scale)

    def _leak(self) -> float:
        return -self.scale

    def _type_two(self, alpha: Floats) -> Floats:
        return laplace_curve.table_tradeoff(alpha, 1 / self.scale)

    def _delta(self, epsilon: Floats) -> Floats:
        return laplace_curve.table_delta(epsilon, 1 / self.scale)


@dataclass(frozen=True, repr=False)
class ApproxDPCurve(TradeOff):
    """Two lines through a fixed point, and the leak delta at both ends."""

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

    def _lies_below(self, higher: TradeOff) -> bool:
        return max(higher.delta(self.epsilon), higher.inverse().delta(self.epsilon)) <= self.delta_


def perfect() -> TradeOff:
    """1 - alpha: nothing is told apart."""
    return ApproxDPCurve(0.0, 0.0)


def distinguishable() -> TradeOff:
    """0: the two are told apart without error."""
    return ApproxDPCurve(0.0, 1.0)


@dataclass(frozen=True, repr=False)
class Highest(TradeOff):
    """The highest of several symmetric curves, each of which holds. `delta` and `mu` are the smallest of theirs."""

    curves: tuple[TradeOff, ...]

    def __repr__(self) -> str:
        return f"<TradeOff, the highest of {len(self.curves)}>"

    @property
    def fixed_point(self) -> float:
        return max(curve.fixed_point for curve in self.curves)

    @property
    def mu(self) -> float:
        return min(curve.mu for curve in self.curves)

    def _type_two(self, alpha: Floats) -> Floats:
        return np.asarray(np.max([curve(alpha) for curve in self.curves], axis=0))

    def _delta(self, epsilon: Floats) -> Floats:
        return np.asarray(np.min([curve.delta(epsilon) for curve in self.curves], axis=0))

    def _lies_below(self, higher: TradeOff) -> bool:
        return all(higher.dominates(curve) for curve in self.curves)


@dataclass(frozen=True, repr=False)
class ZeroConcentratedCurve(TradeOff):
    """The envelope of all pairs of laws that are rho-zCDP."""

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
