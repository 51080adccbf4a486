"""The Laplace mechanism for tables: independent integer Laplace noise in every cell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.mechanisms.table import TableMechanism, no_cost, up
from discreet.noise import Laplace as LaplaceNoise
from discreet.noise import calibrate
from discreet.privacy import Cost, GaussianDP, PureDP
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.sensitivity import table as table_sensitivity
from discreet.privacy.tradeoff import laplace_table_mu

GRID_STEPS = 2**20
"""One scale has at least this many grid steps, wherever it is below 2^20 records; above, the grid is one record."""


@dataclass(frozen=True)
class Laplace:
    """Laplace noise for a table: the mechanism of pure differential privacy.

    Guarantee: epsilon = 2/b pure DP for the replacement of one record (a table's L1 sensitivity is 2: one count falls by
    one, another rises by one). Under a Gaussian guarantee mu, b is the smallest scale whose exact trade-off curve stays
    above G_mu, b_min(mu) (Kim, Lee, Kwak and Jung 2022, the Laplace mechanism under GDP).

    Costs: epsilon = 2/b exactly; mu by its own trade-off curve, on the grid mu(a') with a' = a + 2 log cosh(1/(2 b_g)),
    a = 1/b and b_g the scale in grid steps; rho = epsilon tanh(epsilon/2); (epsilon, 0) on an approximate budget.

    Examples
    --------
    >>> from discreet.mechanisms import Laplace
    >>> from discreet.privacy import PureDP
    >>> mechanism = Laplace().for_table(PureDP(0.5))
    >>> mechanism.scale, str(mechanism.cost("epsilon")), round(mechanism.cost("mu").amount, 6)
    (4.0, 'epsilon = 0.5', 0.371508)
    """

    def for_table(self, guarantee: Guarantee, adjacency: str = "replace-one") -> TableMechanism:
        """The mechanism that reaches `guarantee` with the smallest scale."""
        sensitivity = table_sensitivity(adjacency)
        if isinstance(guarantee, GaussianDP):
            scale = _room_for_the_grid(calibrate.laplace_table(guarantee))
        else:
            scale = calibrate.laplace(guarantee, sensitivity.l1)
        return TableMechanism("Laplace", "laplace", LaplaceNoise(scale), sensitivity, guarantee, False, laplace_cost)


def laplace_cost(mechanism: TableMechanism, currency: Currency) -> Cost:
    """The cost of a Laplace table in a currency that is not its guarantee's own."""
    stated = mechanism.guarantee
    epsilon = stated.epsilon if isinstance(stated, PureDP) else up(mechanism.sensitivity.l1 / Fraction(mechanism.scale))
    if currency == "epsilon":
        return Cost("epsilon", epsilon)
    if currency == "approx":
        return Cost("approx", epsilon, 0.0)
    if currency == "rho":
        return Cost("rho", epsilon * math.tanh(epsilon / 2) * (1 + 1e-15))
    if currency == "mu":
        return Cost("mu", laplace_table_mu(1.0 / mechanism.scale + _grid_excess(mechanism.scale)))
    raise no_cost(mechanism, currency, "the currency is unknown")


def _grid_excess(scale: float) -> float:
    """An upper bound of 2 log cosh(1/(2 b_g)): log cosh x <= x^2/2, and b_g is at least max(2^20, scale) grid steps."""
    return 1.0 / (4.0 * float(max(GRID_STEPS, scale)) ** 2)


def _room_for_the_grid(scale: float) -> float:
    """The scale enlarged so that the curve on the grid, at rate 1/b + excess, is that of the scale asked for."""
    return math.nextafter(1.0 / (1.0 / scale - _grid_excess(scale)) * (1 + 1e-15), math.inf)
