"""The four guarantees: pure, approximate, zero-concentrated and Gaussian differential privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from scipy import special

from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy import gaussian_curve, renyi
from discreet.privacy.cost import exact
from discreet.privacy.curves import pure_mu
from discreet.privacy.parameters import Floats, parameter, probability, round_up, whole
from discreet.privacy.questions import AsksDelta, AsksEpsilon, Guarantee, Parameter
from discreet.privacy.tradeoff import TradeOff

__all__ = [
    "ApproxDP",
    "GaussianDP",
    "Guarantee",
    "PureDP",
    "ZeroConcentratedDP",
    "guarantee_from_dict",
]


@dataclass(frozen=True)
class PureDP(AsksDelta):
    """epsilon-DP: no release is more than e^epsilon times likelier under one of two neighbours than under the other.

    Parameters
    ----------
    epsilon : float
        Above 0, at most 500. `.epsilon` is the number, and `.epsilon(delta)` the smallest epsilon implied at delta.

    Examples
    --------
    >>> from discreet.privacy import PureDP
    >>> PureDP(0.5)
    PureDP(epsilon=0.5)
    >>> print(f"{PureDP(1).to_gaussian().mu:.6f} {PureDP(1).max_power(0.05):.6f} {PureDP(1).bayes_factor():.6f}")
    1.232035 0.135914 2.718282
    >>> PureDP(1) <= PureDP(2)
    True
    """

    epsilon: Parameter
    kind: ClassVar[str] = "pure"

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "epsilon", Parameter.of(parameter("epsilon", epsilon), self._ask_epsilon))

    @property
    def exact(self) -> Fraction:
        """epsilon as the decimal that prints it."""
        return exact(self.epsilon)

    def tradeoff(self) -> TradeOff:
        """max(0, 1 - e^eps alpha, e^-eps (1 - alpha)): that of randomised response."""
        return TradeOff.approx_dp(self.epsilon, 0.0)

    def to_gaussian(self) -> GaussianDP:
        """mu = 2 Phi^-1(e^eps/(1 + e^eps)), the smallest valid one; binding at the fixed point of the curve."""
        return GaussianDP(pure_mu(self.epsilon))

    def to_zero_concentrated(self) -> ZeroConcentratedDP:
        """rho = eps tanh(eps/2), the smallest valid one; that of randomised response (order 1)."""
        return ZeroConcentratedDP(renyi.pure_to_rho(self.epsilon))

    def group(self, k: int) -> PureDP:
        """k epsilon."""
        return PureDP(round_up(whole("k", k) * self.exact))

    def bayes_factor(self, *, classical: bool = False) -> float:
        """e^epsilon: the most by which a release multiplies the odds of any two values of one record.

        Its reciprocal is the least. Randomised response reaches both. The classical bound, for `classical=True`, is
        e^(2 epsilon): valid, and never reached under replacement of one record.
        """
        return math.exp(2 * self.epsilon if classical else self.epsilon)

    def _smallest_epsilon(self, delta: Floats) -> Floats:
        return _leaky_epsilon(self.epsilon, 0.0, delta)

    def _implied(self, kind: str) -> Fraction | None:
        if kind == "pure":
            return self.exact
        return exact(pure_mu(self.epsilon) if kind == "gdp" else renyi.pure_to_rho(self.epsilon))


@dataclass(frozen=True)
class ApproxDP(Guarantee):
    """(epsilon, delta)-DP: every set of releases has P(A) <= e^epsilon Q(A) + delta for neighbours, in both directions.

    Parameters
    ----------
    epsilon : float
        Above 0, at most 500. `.epsilon(delta)` is the smallest epsilon implied at another delta.
    delta : float
        Between 0 and 1, both excluded. `.delta(epsilon)` is the smallest delta implied at another epsilon.

    Examples
    --------
    >>> from discreet.privacy import ApproxDP, PureDP
    >>> ApproxDP(1, 1e-6)
    ApproxDP(epsilon=1.0, delta=1e-06)
    >>> PureDP(1) <= ApproxDP(1, 1e-6)
    True
    """

    epsilon: Parameter
    delta: Parameter
    kind: ClassVar[str] = "approx"

    def __init__(self, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "epsilon", Parameter.of(parameter("epsilon", epsilon), self._ask_epsilon))
        object.__setattr__(self, "delta", Parameter.of(probability("delta", delta), self._ask_delta))

    @property
    def exact(self) -> tuple[Fraction, Fraction]:
        """epsilon and delta as the decimals that print them."""
        return exact(self.epsilon), exact(self.delta)

    def tradeoff(self) -> TradeOff:
        """max(0, 1 - delta - e^eps alpha, e^-eps (1 - delta - alpha))."""
        return TradeOff.approx_dp(self.epsilon, self.delta)

    def to_gaussian(self) -> GaussianDP:
        """Refused: no mu is valid."""
        raise NotAvailable(
            "(epsilon, delta)-DP implies no mu-GDP: its trade-off curve starts at 1 - delta, below every Gaussian one; "
            "state the guarantee of the mechanism as GaussianDP where it has one"
        )

    def group(self, k: int) -> ApproxDP:
        """(k eps, delta (e^(k eps) - 1)/(e^eps - 1)); refused where that delta reaches 1."""
        k = whole("k", k)
        log_delta = math.log(self.delta) + _log_expm1(k * self.epsilon) - _log_expm1(self.epsilon)
        if k == 1:
            return self
        if log_delta >= 0:
            raise NotAvailable(f"{self!r} protects no group of {k} records: its delta would reach 1")
        return ApproxDP(round_up(k * self.exact[0]), math.exp(log_delta))

    def _smallest_epsilon(self, delta: Floats) -> Floats:
        return _leaky_epsilon(self.epsilon, self.delta, delta)

    def _implied(self, kind: str) -> Fraction | None:
        return None


@dataclass(frozen=True)
class ZeroConcentratedDP(AsksDelta, AsksEpsilon):
    """rho-zCDP: the Renyi divergence of every order alpha > 1 between neighbours' releases is at most rho alpha.

    Its `.delta`, `.epsilon` and `.tradeoff` are the tightest over all orders (see `discreet.privacy.renyi`).

    Parameters
    ----------
    rho : float
        Above 0, at most 500.

    Examples
    --------
    >>> from discreet.privacy import ZeroConcentratedDP
    >>> print(f"{ZeroConcentratedDP(0.5).epsilon(1e-5):.6f}")
    4.728386
    """

    rho: float
    kind: ClassVar[str] = "zcdp"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", parameter("rho", self.rho))

    @property
    def exact(self) -> Fraction:
        """rho as the decimal that prints it."""
        return exact(self.rho)

    def tradeoff(self) -> TradeOff:
        """The smallest type II errors that Renyi divergences of at most rho alpha allow, in both directions."""
        return TradeOff.zero_concentrated(self.rho)

    def to_gaussian(self) -> GaussianDP:
        """Refused: sqrt(2 rho) is false."""
        raise NotAvailable(
            "rho-zCDP does not imply sqrt(2 rho)-GDP: randomised response with epsilon = 1 has rho = 0.46212, "
            "sqrt(2 rho) = 0.9614 and mu = 1.2320; state the guarantee of the mechanism as GaussianDP where it has one"
        )

    def group(self, k: int) -> ZeroConcentratedDP:
        """k^2 rho."""
        return ZeroConcentratedDP(round_up(whole("k", k) ** 2 * self.exact))

    def _smallest_epsilon(self, delta: Floats) -> Floats:
        found = [0.0 if d >= 1 else renyi.epsilon(self.rho, d) if d > 0 else math.inf for d in delta.ravel().tolist()]
        return np.reshape(found, delta.shape)

    def _implied(self, kind: str) -> Fraction | None:
        return self.exact if kind == "zcdp" else None


@dataclass(frozen=True)
class GaussianDP(AsksDelta, AsksEpsilon):
    """mu-GDP: neighbours are no easier to tell apart than N(0, 1) from N(mu, 1) by one draw (Dong, Roth and Su 2022).

    Parameters
    ----------
    mu : float
        Above 0, at most 500.

    Examples
    --------
    >>> from discreet.privacy import GaussianDP
    >>> g = GaussianDP(1)
    >>> print(f"{g.delta(1.0):.6f} {g.epsilon(1e-5):.6f} {g.max_power(0.05):.6f}")
    0.126937 4.377178 0.259511
    """

    mu: float
    kind: ClassVar[str] = "gdp"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", parameter("mu", self.mu))

    @property
    def exact(self) -> Fraction:
        """mu as the decimal that prints it."""
        return exact(self.mu)

    def tradeoff(self) -> TradeOff:
        """G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu)."""
        return TradeOff.gaussian(self.mu)

    def to_gaussian(self) -> GaussianDP:
        """Itself."""
        return self

    def to_zero_concentrated(self) -> ZeroConcentratedDP:
        """rho = mu^2/2, attained by Gaussian noise."""
        return ZeroConcentratedDP(round_up(self.exact**2 / 2))

    def group(self, k: int) -> GaussianDP:
        """k mu."""
        return GaussianDP(round_up(whole("k", k) * self.exact))

    def _smallest_epsilon(self, delta: Floats) -> Floats:
        return gaussian_curve.epsilon(self.mu, delta)

    def _implied(self, kind: str) -> Fraction | None:
        return {"gdp": self.exact, "zcdp": self.exact**2 / 2}.get(kind)


def _log_expm1(x: float) -> float:
    """log(e^x - 1) for x > 0."""
    return x + math.log(-math.expm1(-x))


def _leaky_epsilon(epsilon: float, leak: float, delta: Floats) -> Floats:
    """The smallest e >= 0 with leak + (1 - leak) (1 - e^(e - epsilon)) e^eps/(1 + e^eps) <= delta."""
    share = (delta - leak) / (1 - leak) / special.expit(epsilon)
    reached = np.maximum(epsilon + np.log1p(-np.clip(share, 0.0, 1 - 1e-16)), 0.0)
    return np.where(share < 0, np.inf, np.where(share >= 1, 0.0, reached))


_KINDS: dict[str, tuple[type[Guarantee], tuple[str, ...]]] = {
    "pure": (PureDP, ("epsilon",)),
    "approx": (ApproxDP, ("epsilon", "delta")),
    "zcdp": (ZeroConcentratedDP, ("rho",)),
    "gdp": (GaussianDP, ("mu",)),
}


def guarantee_from_dict(data: Mapping[str, Any]) -> Guarantee:
    """The guarantee that `to_dict` wrote.

    Examples
    --------
    >>> from discreet.privacy import guarantee_from_dict
    >>> guarantee_from_dict({"kind": "gdp", "mu": 1.0})
    GaussianDP(mu=1.0)
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        near = get_close_matches(str(kind), _KINDS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InvalidInput(f"a guarantee has a kind among {', '.join(map(repr, _KINDS))}, not {kind!r}{hint}")
    cls, names = _KINDS[kind]
    if set(data) != {"kind", *names}:
        given = ", ".join(map(repr, data))
        raise InvalidInput(f"a guarantee of kind {kind!r} has 'kind' and {', '.join(map(repr, names))}, not {given}")
    return cls(**{name: data[name] for name in names})
