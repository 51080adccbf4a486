"""How a budget adds up: four rules, in exact integers, and one rounding.

Every number is read as the decimal that prints it and becomes an integer number of units of 10^-40, rounded up; costs
and totals alike, so that ten costs of 0.1 are exactly 1, and a budget admits a cost equal to itself. The unit is so fine
that nothing is rounded at all for epsilon, rho and delta from 10^-23 and for mu from 10^-3 (17 digits, squared). Smaller
costs are charged up to one unit too much. What adds up, by the budget's currency:

=========  ======================================  =============================================================
currency   budget                                  spent
=========  ======================================  =============================================================
epsilon    PureDP(epsilon)                         the sum of epsilon (basic composition)
mu         GaussianDP(mu)                          the sum of mu^2; its root is the mu spent. Valid for adaptive
                                                   charges, too (Smith and Thakurta 2022, arXiv 2210.17520)
rho        ZeroConcentratedDP(rho)                 the sum of rho
approx     ApproxDP(epsilon, delta)                the sums of epsilon and of delta, side by side
mu         ApproxDP(epsilon, delta), rule "gdp"    the sum of mu^2, within the largest mu whose curve holds
                                                   delta(epsilon) <= delta
=========  ======================================  =============================================================
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, get_args

from discreet.errors import InvalidInput, NoCost
from discreet.privacy.cost import Cost, Currency, exact
from discreet.privacy.gaussian_curve import mu_for
from discreet.privacy.guarantee import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.parameters import real
from discreet.privacy.questions import Guarantee

Amount = float | tuple[float, float]

UNIT = 10**40
"""Units in 1."""

_ADDS_UP = {
    "epsilon": "epsilon (pure differential privacy)",
    "mu": "the squares of mu (Gaussian differential privacy)",
    "rho": "rho (zero-concentrated differential privacy)",
    "approx": "epsilon and delta side by side (approximate differential privacy)",
}


class Units(NamedTuple):
    """An exact amount of privacy: integers in units of 10^-40. `delta` is 0 but in the currency "approx"."""

    main: int
    delta: int = 0

    def within(self, other: Units) -> bool:
        return self.main <= other.main and self.delta <= other.delta


def units(number: Fraction) -> int:
    """The one rounding: up to a whole number of units.

    >>> units(Fraction(1, 10)) * 10 == units(Fraction(1))
    True
    """
    return math.ceil(number * UNIT)


@dataclass(frozen=True)
class Rule:
    """What adds up in one budget, and how much there is of it.

    Examples
    --------
    >>> from discreet.privacy import GaussianDP
    >>> from discreet.privacy.cost import Cost
    >>> rule = rule_for(GaussianDP(1.0), "sum")
    >>> half = rule.units(Cost("mu", 0.6))
    >>> rule.display_left(half)
    0.8
    """

    currency: Currency
    total: Units

    def units(self, cost: Cost) -> Units:
        """The exact units of a cost.

        Raises
        ------
        NoCost
            The cost is stated in another currency than this budget's.
        InvalidInput
            The cost is not a finite number above 0.
        """
        if not isinstance(cost, Cost) or cost.currency not in get_args(Currency):
            known = ", ".join(map(repr, get_args(Currency)))
            raise InvalidInput(f"a charge must be a Cost in one of the currencies {known}, not {cost!r}")
        amount, delta = real("a cost", cost.amount), real("the delta of a cost", cost.delta)
        if cost.currency != self.currency:
            raise NoCost(
                f"a cost of {cost} cannot be charged to this budget, which adds up {_ADDS_UP[self.currency]}: the "
                "mechanism has no valid cost in that currency; choose another mechanism; nothing was charged"
            )
        if self.currency == "approx":
            if amount < 0 or not 0 <= delta < 1 or (amount == 0 and delta == 0):
                raise InvalidInput(f"a cost needs epsilon >= 0, 0 <= delta < 1 and not both 0; this one has {cost}")
            return Units(units(exact(amount)), units(exact(delta)))
        if amount <= 0 or delta != 0:
            raise InvalidInput(f"a cost in {self.currency} must be above 0 and have no delta; this one is {cost!r}")
        return Units(units(exact(amount) ** self._power))

    def display_spent(self, spent: Units) -> Amount:
        """The smallest number in the budget's own parameter that covers what was spent (a pair for "approx")."""
        main = _cover(Fraction(spent.main, UNIT), self._power)
        return (main, _cover(Fraction(spent.delta, UNIT))) if self.currency == "approx" else main

    def display_left(self, spent: Units) -> Amount:
        """The largest number in the budget's own parameter that can still be charged (a pair for "approx")."""
        main = _fit(Fraction(self.total.main - spent.main, UNIT), self._power)
        return (main, _fit(Fraction(self.total.delta - spent.delta, UNIT))) if self.currency == "approx" else main

    @property
    def _power(self) -> int:
        """mu counts by its square."""
        return 2 if self.currency == "mu" else 1


def rule_for(budget: Guarantee, accounting: str) -> Rule:
    """The rule of a budget. `accounting` is "sum", or, for ApproxDP only, "gdp".

    Raises
    ------
    InvalidInput
        Not a guarantee, or no such rule for it.
    """
    allowed = ("sum", "gdp") if isinstance(budget, ApproxDP) else ("sum",)
    if isinstance(budget, Guarantee) and accounting not in allowed:
        known = " or ".join(repr(name) for name in allowed)
        raise InvalidInput(f"the accounting of {budget!r} must be {known}, not {accounting!r}")
    match budget:
        case PureDP(epsilon=epsilon):
            return Rule("epsilon", Units(units(exact(epsilon))))
        case ZeroConcentratedDP(rho=rho):
            return Rule("rho", Units(units(exact(rho))))
        case GaussianDP(mu=mu):
            return Rule("mu", Units(units(exact(mu) ** 2)))
        case ApproxDP(epsilon=epsilon, delta=delta) if accounting == "gdp":
            return Rule("mu", Units(units(exact(mu_for(epsilon, delta)) ** 2)))
        case ApproxDP(epsilon=epsilon, delta=delta):
            return Rule("approx", Units(units(exact(epsilon)), units(exact(delta))))
    raise InvalidInput(f"a budget must be PureDP, GaussianDP, ZeroConcentratedDP or ApproxDP, not {budget!r}")


def _cover(amount: Fraction, power: int = 1) -> float:
    """The smallest float x >= 0 with x^power >= amount, x read as the decimal that prints it."""
    x = _root(amount, power)
    while exact(x) ** power < amount:
        x = math.nextafter(x, math.inf)
    while x > 0 and exact(below := math.nextafter(x, 0.0)) ** power >= amount:
        x = below
    return x


def _fit(amount: Fraction, power: int = 1) -> float:
    """The largest float x >= 0 with x^power <= amount, x read as the decimal that prints it."""
    x = _root(amount, power)
    while exact(x) ** power > amount:
        x = math.nextafter(x, 0.0)
    while exact(above := math.nextafter(x, math.inf)) ** power <= amount:
        x = above
    return x


def _root(amount: Fraction, power: int) -> float:
    """amount^(1/power) to within a few floats; amount is a whole number of units, which gives the root 20 digits."""
    return float(amount) if power == 1 else math.isqrt(int(amount * UNIT**2)) / UNIT


def total(amounts: Iterable[Units]) -> Units:
    """The sum of many amounts."""
    main, delta = 0, 0
    for amount in amounts:
        main, delta = main + amount.main, delta + amount.delta
    return Units(main, delta)


def exceeded(cost: Cost, left: Amount) -> str:
    """The refusal of a charge, in one line: requested, remaining, difference."""
    names = ("epsilon", "delta") if isinstance(left, tuple) else (cost.currency,)
    remaining = left if isinstance(left, tuple) else (left,)
    requested = (float(cost.amount), float(cost.delta))[: len(names)]
    short = [
        float(max(exact(asked) - exact(rest), Fraction(0))) for asked, rest in zip(requested, remaining, strict=True)
    ]

    def words(numbers: Iterable[float]) -> str:
        return ", ".join(f"{name} = {number!r}" for name, number in zip(names, numbers, strict=True))

    return (
        f"the charge exceeds the budget: requested {words(requested)}; remaining {words(remaining)}; "
        f"difference {words(short)}; nothing was charged"
    )
