"""The Laplace mechanism: independent integer Laplace noise in every cell of a table, on every sum of a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.mechanisms.grid import grid_excess
from discreet.mechanisms.integer import laplace_on_integers
from discreet.mechanisms.moments.entrywise import EntrywiseLaplace
from discreet.mechanisms.moments.means import MeanMechanism, laplace_mean, tables_only
from discreet.mechanisms.moments.moments import MomentsMechanism
from discreet.mechanisms.table import TableMechanism, no_cost, up
from discreet.noise import Laplace as LaplaceNoise
from discreet.noise import calibrate
from discreet.privacy import Cost, GaussianDP, PureDP
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.laplace_curve import SAFETY, shift_mu
from discreet.privacy.sensitivity import Sensitivity
from discreet.privacy.sensitivity import table as table_sensitivity
from discreet.privacy.tradeoff import laplace_table_mu


@dataclass(frozen=True)
class Laplace:
    """Laplace noise: the mechanism of pure differential privacy. What follows is about tables; means have `.for_mean`.

    Guarantee: epsilon = 2/b pure DP for the replacement of one record (a table's L1 sensitivity is 2: one count falls by
    one, another rises by one), epsilon = 1/b for one record added or removed. Under a Gaussian guarantee mu, b is the
    smallest scale whose exact trade-off curve stays above G_mu: b_min(mu), where two coordinates are shifted (Kim, Lee,
    Kwak and Jung 2022, the Laplace mechanism under GDP), 1/(-2 log(2 Phi(-mu/2))), where one is. Where neighbours differ
    in a person with up to k records, counts move by up to k, and k scales protect as one does against 1.

    Costs: epsilon = 2/b exactly; mu by its own trade-off curve, on the grid mu(a') with a' = a + 2 log cosh(1/(2 b_g)),
    a = 1/b and b_g the scale in grid steps; rho = epsilon tanh(epsilon/2); (epsilon, 0) on an approximate budget.

    The curve on the grid, one coordinate shifted by N = a b_g steps (q = e^(-1/b_g)): its corners are the tests "at least j
    steps", alpha_j = q^j/(1 + q) and beta_j = q^(N+1-j)/(1 + q), whose product q^(N+1)/(1 + q)^2 = e^-a' / 4 is that of the
    continuous curve of rate a' = a + 2 log cosh(1/(2 b_g)). Between corners it is straight and the other one convex, so it
    lies on or above the curve of a', and touches it in every corner; the log-likelihood ratio stays within a exactly.

    Parameters
    ----------
    integer : bool
        Noise on the whole numbers (the discrete Laplace law), so that the released counts are whole, too. The same
        epsilon and rho; a little more mu, by its own curve (`discreet.mechanisms.integer`).

    Examples
    --------
    >>> from discreet.mechanisms import Laplace
    >>> from discreet.privacy import PureDP
    >>> mechanism = Laplace().for_table(PureDP(0.5))
    >>> mechanism.scale, str(mechanism.cost("epsilon")), round(mechanism.cost("mu").amount, 6)
    (4.0, 'epsilon = 0.5', 0.371508)
    >>> mechanism = Laplace(integer=True).for_table(PureDP(0.5))
    >>> mechanism.scale, str(mechanism.cost("epsilon")), round(mechanism.cost("mu").amount, 6)
    (4.0, 'epsilon = 0.5', 0.392893)
    """

    integer: bool = False

    def for_table(self, guarantee: Guarantee, adjacency: str = "replace-one", *, records: int = 1) -> TableMechanism:
        """The mechanism that reaches `guarantee` with the smallest scale: with k `records` a person, k times that for one."""
        if self.integer:
            return laplace_on_integers(guarantee, adjacency, records)
        sensitivity = table_sensitivity(adjacency, records=records)
        if isinstance(guarantee, GaussianDP):
            two = _coordinates(sensitivity) == 2
            smallest = calibrate.laplace_table(guarantee) if two else calibrate.laplace(guarantee, 1)
            scale = _room_for_the_grid(smallest, records)
        else:
            scale = calibrate.laplace(guarantee, float(sensitivity.l1))
        return TableMechanism("Laplace", "laplace", LaplaceNoise(scale), sensitivity, guarantee, False, laplace_cost)

    def for_mean(self, steps: Sequence[int], guarantee: Guarantee, adjacency: str = "replace-one") -> MeanMechanism:
        """The mechanism for the means of columns with `steps` codes above zero each: see `MeanMechanism`."""
        if self.integer:
            raise tables_only()
        return laplace_mean(steps, guarantee, adjacency)

    def for_moments(
        self, steps: Sequence[int], n: int, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> MomentsMechanism:
        """`EntrywiseLaplace()`, half of the guarantee for the means and half for the covariances."""
        if self.integer:
            raise tables_only()
        return EntrywiseLaplace().for_moments(steps, n, guarantee, adjacency)


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
        coordinates = _coordinates(mechanism.sensitivity)
        records = int(mechanism.sensitivity.l1) // coordinates
        rate = records * (1.0 / mechanism.scale + grid_excess(mechanism.scale))
        return Cost("mu", laplace_table_mu(rate) if coordinates == 2 else _one_coordinate_mu(rate))
    raise no_cost(mechanism, currency, "the currency is unknown")


def _coordinates(sensitivity: Sensitivity) -> int:
    """How many counts move at worst: 2 where a record or person is replaced, 1 where one is added or removed.

    At worst, because a shift that is spread over several counts is never easier to see than the whole of it in one
    (`discreet.privacy.laplace_vector`): of the counts that fall, and of those that rise.
    """
    return int(sensitivity.l1**2 / sensitivity.l2_squared)


def _one_coordinate_mu(rate: float) -> float:
    """The mu of one Laplace coordinate whose shift is `rate` scales, rounded up like `laplace_table_mu`."""
    return shift_mu(rate) * (1 + SAFETY)


def _room_for_the_grid(scale: float, records: int) -> float:
    """`records` scales, enlarged so that the curve on the grid, of rate records (1/b + excess), is the one asked for."""
    return math.nextafter(records / (1.0 / scale - records * grid_excess(records * scale)) * (1 + 1e-15), math.inf)
