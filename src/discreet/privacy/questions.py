"""What one can ask of any guarantee, and the order among guarantees.

`g <= h` says that g implies h: whatever satisfies g satisfies h, so g is at least as strong. It is a partial order: within
a kind by the parameters; pure implies all other kinds; mu-GDP implies (mu^2/2)-zCDP; every kind implies (epsilon,
delta)-DP with its own delta(epsilon). Where no implication is known (zCDP to GDP; anything but pure to pure) it is False
in both directions, so `not g <= h` does not mean `h <= g`. `==` is equality of kind and parameters.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, overload

from discreet.privacy.parameters import Floats, numbers_in
from discreet.privacy.tradeoff import Many, TradeOff


class Question(Protocol):
    """A function of numbers: a float for a number, an array for an array."""

    @overload
    def __call__(self, at: float, /) -> float: ...
    @overload
    def __call__(self, at: Many, /) -> Floats: ...


class Parameter(float):
    """A parameter that is also the question of that name.

    `PureDP(1).epsilon` is the number 1.0 and `PureDP(1).epsilon(delta)` the smallest epsilon that it implies at delta.
    """

    _answer: Question

    @classmethod
    def of(cls, value: float, answer: Question) -> Parameter:
        """`value`, which when called asks `answer`."""
        made = cls(value)
        made._answer = answer
        return made

    @overload
    def __call__(self, at: float, /) -> float: ...
    @overload
    def __call__(self, at: Many, /) -> Floats: ...
    def __call__(self, at: float | Many, /) -> float | Floats:
        """Ask the question that has the parameter's name."""
        return self._answer(at)


def _ask(answer: Callable[[Floats], Floats], at: Floats) -> float | Floats:
    result = answer(at)
    return float(result) if result.ndim == 0 else result


class Guarantee(ABC):
    """A guarantee of differential privacy between neighbouring sets of records: `PureDP` and its siblings."""

    kind: ClassVar[str]

    @abstractmethod
    def tradeoff(self) -> TradeOff:
        """The lowest trade-off curve that the guarantee allows: every test about one record does at least that badly."""

    @abstractmethod
    def to_gaussian(self) -> Guarantee:
        """The smallest mu such that the guarantee implies mu-GDP; `NotAvailable` with the reason where there is none."""

    @abstractmethod
    def group(self, k: int) -> Guarantee:
        """The guarantee for sets of records that differ in k records."""

    @property
    @abstractmethod
    def exact(self) -> Any:
        """The parameter as the decimal that prints it, a `Fraction`; the pair (epsilon, delta) for `ApproxDP`."""

    if TYPE_CHECKING:
        # At run time a `Parameter` where the guarantee has one of that name, else one of the classes at the end.
        @property
        def delta(self) -> Question: ...
        @property
        def epsilon(self) -> Question: ...

    @overload
    def max_power(self, level: float) -> float: ...
    @overload
    def max_power(self, level: Many) -> Floats: ...
    def max_power(self, level: float | Many) -> float | Floats:
        """The most power that any test of that level about one record can have: 1 - f(level)."""
        return self.tradeoff().power(level)

    def bayes_factor(self, *, classical: bool = False) -> float:
        """The most by which a release multiplies the odds of two values of one record; infinite, but for `PureDP`."""
        return math.inf

    def to_dict(self) -> dict[str, str | float]:
        """`{"kind": ..., parameters}`, for JSON; `guarantee_from_dict` reads it."""
        return {"kind": self.kind} | {f.name: float(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]

    def __le__(self, other: object) -> bool:
        if not isinstance(other, Guarantee):
            return NotImplemented
        if other.kind == "approx":
            return self.delta(float(other.epsilon)) <= float(other.delta)  # type: ignore[arg-type]
        implied = self._implied(other.kind)
        return implied is not None and bool(implied <= other.exact)

    def __ge__(self, other: object) -> bool:
        return other.__le__(self) if isinstance(other, Guarantee) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self <= other and not other <= self if isinstance(other, Guarantee) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return other < self if isinstance(other, Guarantee) else NotImplemented

    @overload
    def _ask_delta(self, at: float, /) -> float: ...
    @overload
    def _ask_delta(self, at: Many, /) -> Floats: ...
    def _ask_delta(self, at: float | Many, /) -> float | Floats:
        return self.tradeoff().delta(at)

    @overload
    def _ask_epsilon(self, at: float, /) -> float: ...
    @overload
    def _ask_epsilon(self, at: Many, /) -> Floats: ...
    def _ask_epsilon(self, at: float | Many, /) -> float | Floats:
        return _ask(self._smallest_epsilon, numbers_in("delta", at, 0, 1))

    @abstractmethod
    def _smallest_epsilon(self, delta: Floats) -> Floats: ...

    @abstractmethod
    def _implied(self, kind: str) -> Fraction | None:
        """The parameter of the strongest guarantee of that kind that this one implies; None where none is known."""


class AsksDelta(Guarantee):
    """A guarantee without a parameter delta."""

    @property
    def delta(self) -> Question:
        """`delta(epsilon)`: the smallest delta such that the guarantee implies (epsilon, delta)-DP, for epsilon >= 0."""
        return self._ask_delta


class AsksEpsilon(Guarantee):
    """A guarantee without a parameter epsilon."""

    @property
    def epsilon(self) -> Question:
        """`epsilon(delta)`: the smallest epsilon >= 0 such that the guarantee implies (epsilon, delta)-DP.

        For delta in [0, 1]; infinite at delta = 0.
        """
        return self._ask_epsilon
