"""What several releases of the same records promise together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import ClassVar, NoReturn, cast

import numpy as np

from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy.cost import exact
from discreet.privacy.curves import (
    ApproxDPCurve,
    GaussianCurve,
    Highest,
    LaplaceCurve,
    LaplaceTableCurve,
    ZeroConcentratedCurve,
)
from discreet.privacy.guarantee import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP
from discreet.privacy.parameters import LARGEST, Floats, round_up, whole
from discreet.privacy.pld import composed_curve
from discreet.privacy.questions import AsksDelta, AsksEpsilon
from discreet.privacy.tradeoff import TradeOff

Part = Guarantee | TradeOff


def compose(*parts: Guarantee | TradeOff) -> Guarantee:
    """The tightest supported guarantee of several releases of the same records together, chosen adaptively or not.

    mu-GDP composes exactly to sqrt(sum of mu^2); epsilon-DP and rho-zCDP to the sum; (epsilon, delta)-DP, also with
    epsilon-DP among it, to the sums of epsilon and of delta. Parameters are read as the decimals that print them and the
    result is rounded up. Other mixtures, and trade-off curves of mechanisms, go through the privacy loss distribution,
    which needs the extra `accounting`; the result is a `Composed`, a bound that errs on the less private side.

    Parameters
    ----------
    *parts : Guarantee or TradeOff
        One for each release. A curve, such as `TradeOff.laplace_table(4)`, is a tighter statement about its mechanism
        than a guarantee is.

    Raises
    ------
    NotAvailable
        The deltas add up to 1 or more.
    MissingExtra
        The composition needs dp-accounting, which is not installed.

    Examples
    --------
    >>> from discreet.privacy import GaussianDP, PureDP, compose
    >>> compose(GaussianDP(0.3), GaussianDP(0.4))
    GaussianDP(mu=0.5)
    >>> compose(PureDP(0.1), PureDP(0.1), PureDP(0.1))
    PureDP(epsilon=0.3)
    """
    stated = [_as_guarantee(part) for part in _flat(parts)]
    guarantees = [part for part in stated if isinstance(part, Guarantee)]
    kinds = {part.kind if isinstance(part, Guarantee) else "curve" for part in stated}
    if kinds == {"gdp"}:
        return GaussianDP(_root_up(sum((g.exact**2 for g in guarantees), Fraction(0))))
    if kinds == {"pure"}:
        return PureDP(round_up(sum(g.exact for g in guarantees)))
    if kinds == {"zcdp"}:
        return ZeroConcentratedDP(round_up(sum(g.exact for g in guarantees)))
    if kinds <= {"pure", "approx"}:
        pairs = [g.exact if g.kind == "approx" else (g.exact, Fraction(0)) for g in guarantees]
        epsilon, delta = (round_up(sum(column, Fraction(0))) for column in zip(*pairs, strict=True))
        if delta >= 1:
            raise NotAvailable("the deltas add up to 1 or more: together these releases protect nothing")
        return ApproxDP(epsilon, delta)
    return Composed(tuple(stated))


@dataclass(frozen=True)
class Composed(AsksDelta, AsksEpsilon):
    """What releases of different kinds promise together: a guarantee given by its curve. Made by `compose`.

    The curve holds whatever is chosen adaptively: it is the composition of the parts' lowest curves (Dong, Roth and Su
    2022), computed by privacy loss distributions that are rounded to the less private side, or, where that is higher, the
    Gaussian curve of sqrt(sum of mu^2). `delta` and `epsilon` come from it; deltas below 1e-12 for each part are beyond
    the precision of the distributions. It is neither a budget nor what a mechanism is calibrated to.

    Parameters
    ----------
    parts : tuple of Guarantee or TradeOff
        What is composed.

    Examples
    --------
    >>> from discreet.privacy import GaussianDP, PureDP, compose
    >>> both = compose(GaussianDP(1), PureDP(0.5))
    >>> both
    Composed(parts=(GaussianDP(mu=1.0), PureDP(epsilon=0.5)))
    >>> print(f"{both.epsilon(1e-6):.4f} {both.delta(1.0):.6f} {both.mu:.6f} {both.max_power(0.05):.6f}")
    5.2867 0.169813 1.178661 0.298294
    """

    parts: tuple[Part, ...]
    curve: TradeOff = field(init=False, compare=False, repr=False)
    kind: ClassVar[str] = "composed"

    def __post_init__(self) -> None:
        curves = [_curve(part) for part in self.parts]
        bounds = [composed_curve(curves)]
        if self.mu <= LARGEST:
            bounds.append(TradeOff.gaussian(self.mu))
        if (pure := self._implied("pure")) is not None and pure <= LARGEST:
            bounds.append(TradeOff.approx_dp(round_up(pure)))
        object.__setattr__(self, "curve", Highest(tuple(bounds)))

    @property
    def mu(self) -> float:
        """A mu that holds: sqrt(sum of the parts' mu^2), an upper bound of the smallest; infinite where a part has none."""
        square = self._sum("gdp", power=2)
        return math.inf if square is None else _root_up(square)

    @property
    def exact(self) -> NoReturn:
        """Refused: it has no parameter."""
        raise NotAvailable("a composition of different kinds has no parameter of its own; ask its epsilon(delta) or mu")

    def tradeoff(self) -> TradeOff:
        """A curve that holds for all releases together."""
        return self.curve

    def to_gaussian(self) -> GaussianDP:
        """`GaussianDP(mu)`, refused where a part implies no mu."""
        if math.isinf(self.mu):
            raise NotAvailable(
                "a part of this composition implies no mu-GDP ((epsilon, delta)-DP and rho-zCDP do not); "
                "ask its epsilon(delta) instead"
            )
        return GaussianDP(self.mu)

    def group(self, k: int) -> Guarantee:
        """The composition of the parts' guarantees for k records; refused for a part that is a curve."""
        k = whole("k", k)
        grouped = [part.group(k) for part in self.parts if isinstance(part, Guarantee)]
        if len(grouped) < len(self.parts):
            raise NotAvailable("a trade-off curve says nothing about groups of records; compose guarantees instead")
        return compose(*grouped)

    def to_dict(self) -> NoReturn:
        """Refused: a release or a ledger holds the guarantee of one release."""
        raise NotAvailable("a composition of different kinds is not written to files; write its parts")

    def _smallest_epsilon(self, delta: Floats) -> Floats:
        low, high = np.zeros_like(delta), np.ones_like(delta)
        for _ in range(20):  # up to 2^20, beyond every finite epsilon of guarantees up to 500
            high = np.where(self.curve.delta(high) > delta, 2 * high, high)
        unreachable = self.curve.delta(high) > delta
        for _ in range(60):
            middle = 0.5 * (low + high)
            enough = self.curve.delta(middle) <= delta
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        high = np.where(self.curve.delta(np.zeros_like(delta)) <= delta, 0.0, high)
        pure = self._sum("pure")
        return np.where(delta == 0, np.inf if pure is None else round_up(pure), np.where(unreachable, np.inf, high))

    def bayes_factor(self, *, classical: bool = False) -> float:
        """e^(sum of epsilon) where every part implies an epsilon, twice the exponent if `classical`; else infinite."""
        pure = self._implied("pure")
        return math.inf if pure is None else math.exp((2 if classical else 1) * round_up(pure))

    def _implied(self, kind: str) -> Fraction | None:
        if kind == "gdp":
            return None if math.isinf(self.mu) else exact(self.mu)
        return self._sum(kind)

    def _sum(self, kind: str, power: int = 1) -> Fraction | None:
        amounts = [_implied(part, kind) for part in self.parts]
        known = [amount**power for amount in amounts if amount is not None]
        return sum(known, Fraction(0)) if len(known) == len(amounts) else None


def _flat(parts: Sequence[object]) -> list[Part]:
    """The parts, with those of compositions in their place."""
    if not parts or not all(isinstance(part, (Guarantee, TradeOff)) for part in parts):
        raise InvalidInput(f"compose takes one or more guarantees or trade-off curves, not {parts!r}")
    flat: list[Part] = []
    for part in cast("Sequence[Part]", parts):
        flat.extend(part.parts if isinstance(part, Composed) else (part,))
    return flat


def _as_guarantee(part: Part) -> Part:
    """A curve that is one of a guarantee, as that guarantee."""
    if isinstance(part, GaussianCurve):
        return GaussianDP(part.level)
    if isinstance(part, ZeroConcentratedCurve):
        return ZeroConcentratedDP(part.rho)
    if isinstance(part, ApproxDPCurve) and part.epsilon > 0 and part.delta_ < 1:
        return ApproxDP(part.epsilon, part.delta_) if part.delta_ > 0 else PureDP(part.epsilon)
    return part


def _implied(part: Part, kind: str) -> Fraction | None:
    """The parameter of the strongest guarantee of that kind that is known to follow from a part."""
    if isinstance(part, Guarantee):
        return part._implied(kind)
    if kind == "gdp":
        return None if math.isinf(part.mu) else exact(part.mu)
    if isinstance(part, LaplaceCurve):
        epsilon = exact(part.shift)
    elif isinstance(part, LaplaceTableCurve):
        epsilon = 2 / exact(part.scale)
    else:
        return None
    return PureDP(round_up(epsilon))._implied(kind) if epsilon <= LARGEST else None


def _curve(part: Part) -> TradeOff:
    """The symmetric curve of a part."""
    return part.tradeoff() if isinstance(part, Guarantee) else part.symmetrized()


def _root_up(square: Fraction) -> float:
    """The smallest float whose printed decimal has at least that square."""
    with localcontext(prec=40):  # decimals keep the range: the square of a small mu would underflow
        root = float((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())
    while exact(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    while exact(below := math.nextafter(root, 0.0)) ** 2 >= square and below < root:
        root = below
    return root
