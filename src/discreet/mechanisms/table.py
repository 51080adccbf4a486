"""What a table mechanism states before any record is read: its noise, its guarantee, and its cost in each currency.

A specification such as `Laplace()` becomes a `TableMechanism` for one guarantee. The numbers are those of the mechanism
as it runs: integer noise on a public grid of step 2^-k with at least 2^20 steps in one scale (k >= 0), rounded so that
the stated guarantee is never better than the true one. A cost asked for in the currency of the guarantee itself is that
guarantee, exactly; so a budget admits a release equal to itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from discreet.errors import InvalidInput, NoCost
from discreet.noise import JointNoise
from discreet.privacy import ApproxDP, Cost, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.cost import Currency, exact
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.sensitivity import Sensitivity


class CellLaw(Protocol):
    """The law of the noise of a whole table, named by one scale: `discreet.noise.Laplace(4.0)` and its kind."""

    @property
    def scale(self) -> float: ...
    def on(self, shape: tuple[int, ...], *, other: bool = False, group_axis: int | None = None) -> JointNoise: ...


class CostRule(Protocol):
    """The cost of a table mechanism of one family in a currency that is not its guarantee's own."""

    def __call__(self, mechanism: TableMechanism, currency: Currency) -> Cost: ...


@dataclass(frozen=True)
class TableMechanism:
    """A mechanism for one table under one guarantee.

    Attributes
    ----------
    name : str
        "Laplace", "Gaussian", "ProjectedGaussian", "DiscreteLaplace" or "DiscreteGaussian".
    family : "laplace" or "gaussian"
        The noise that the gate draws.
    law : CellLaw
        The law of the released noise; `law.scale` is the gate's scale in records.
    sensitivity : Sensitivity
        Of the vector of counts, under the schema's adjacency.
    guarantee : Guarantee
        What the release promises.
    projected : bool
        Whether the drawn table is projected on the public total (post-processing).
    integer : bool
        Whether the noise is drawn on the whole numbers, not on a fine grid.
    """

    name: str
    family: Literal["laplace", "gaussian"]
    law: CellLaw
    sensitivity: Sensitivity
    guarantee: Guarantee
    projected: bool
    rule: CostRule
    integer: bool = False

    @property
    def scale(self) -> float:
        """b, or sigma before projection, in records."""
        return self.law.scale

    def cost(self, currency: Currency) -> Cost:
        """The cost in a budget's currency: the guarantee itself where it is of that kind, else by the family's exact rule.

        Raises
        ------
        NoCost
            There is no valid cost in this currency; the message says why.
        """
        own = own_cost(self.guarantee)
        return own if own.currency == currency else self.rule(self, currency)


def own_cost(guarantee: Guarantee) -> Cost:
    """The guarantee itself as a cost: what a budget of its own kind is charged."""
    if isinstance(guarantee, PureDP):
        return Cost("epsilon", guarantee.epsilon)
    if isinstance(guarantee, GaussianDP):
        return Cost("mu", guarantee.mu)
    if isinstance(guarantee, ZeroConcentratedDP):
        return Cost("rho", guarantee.rho)
    if isinstance(guarantee, ApproxDP):
        return Cost("approx", guarantee.epsilon, guarantee.delta)
    raise InvalidInput(f"a guarantee is needed, such as PureDP(0.5), not {guarantee!r}")


class Stated(Protocol):
    """A mechanism as a refusal names it."""

    @property
    def name(self) -> str: ...
    @property
    def guarantee(self) -> Guarantee: ...


def no_cost(mechanism: Stated, currency: Currency, reason: str) -> NoCost:
    """The refusal of a cost, in one form for all families."""
    kind = {"epsilon": "PureDP", "mu": "GaussianDP", "rho": "ZeroConcentratedDP", "approx": "ApproxDP"}[currency]
    return NoCost(f"{mechanism.name} under {mechanism.guarantee} has no valid cost in a budget of {kind}: {reason}")


def up(number: Fraction) -> float:
    """The smallest float whose printed decimal, which is what a ledger adds up, is at least this fraction."""
    candidate = math.nextafter(float(number), 0.0)
    while exact(candidate) < number:
        candidate = math.nextafter(candidate, math.inf)
    return candidate
