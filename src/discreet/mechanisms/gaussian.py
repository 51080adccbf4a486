"""The Gaussian mechanism: independent integer Gaussian noise in every cell of a table, on every sum of a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.mechanisms.integer import gaussian_on_integers
from discreet.mechanisms.moments.entrywise import EntrywiseGaussian
from discreet.mechanisms.moments.means import MeanMechanism, gaussian_mean, tables_only
from discreet.mechanisms.moments.moments import MomentsMechanism
from discreet.mechanisms.table import TableMechanism, no_cost, up
from discreet.noise import Gaussian as GaussianNoise
from discreet.noise import calibrate
from discreet.privacy import Cost
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.sensitivity import table as table_sensitivity

GRID_SLACK = Fraction(2**36 + 1, 2**36)
"""The integer Gaussian of s >= 2^20 grid steps is mu-GDP with mu^2 at most this times sensitivity^2 / s^2."""


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise N(0, sigma^2). What follows is about tables; means have `.for_mean`.

    Guarantee: mu = sqrt(2)/sigma Gaussian DP for the replacement of one record (a table's L2 sensitivity is sqrt 2),
    1/sigma for one added or removed, up to a max-divergence below 1e-70 for each cell, because the noise is the integer
    Gaussian on a grid of at least 2^20 steps in sigma; sigma^2 is enlarged by 1 + 2^-36 for it. Exactly rho = mu^2/2
    zero-concentrated DP.

    Costs: mu and rho as above; none in pure epsilon (Gaussian noise has no finite one); (epsilon, delta) only where the
    guarantee was stated so.

    Parameters
    ----------
    integer : bool
        Noise on the whole numbers (the discrete Gaussian law), so that the released counts are whole, too. The same rho,
        exactly. In mu it costs more: sigma^2 must be larger by 9/4, and the claim holds up to a max-divergence below
        1e-18 (`discreet.mechanisms.integer`); under a Gaussian guarantee, rather round the counts of a release.

    Examples
    --------
    >>> from discreet.mechanisms import Gaussian
    >>> from discreet.privacy import GaussianDP
    >>> mechanism = Gaussian().for_table(GaussianDP(0.5))
    >>> round(mechanism.scale, 6), str(mechanism.cost("mu")), round(mechanism.cost("rho").amount, 6)
    (2.828427, 'mu = 0.5', 0.125)
    >>> round(Gaussian(integer=True).for_table(GaussianDP(0.5)).scale, 6)
    3.201562
    """

    integer: bool = False

    def for_table(self, guarantee: Guarantee, adjacency: str = "replace-one", *, records: int = 1) -> TableMechanism:
        """The mechanism that reaches `guarantee` with the smallest standard deviation: k times larger for k `records`."""
        if self.integer:
            return gaussian_on_integers(guarantee, adjacency, records)
        sensitivity = table_sensitivity(adjacency, records=records)
        sd = calibrate.gaussian(guarantee, l2_squared=sensitivity.l2_squared)
        return TableMechanism("Gaussian", "gaussian", GaussianNoise(sd), sensitivity, guarantee, False, gaussian_cost)

    def for_mean(self, steps: Sequence[int], guarantee: Guarantee, adjacency: str = "replace-one") -> MeanMechanism:
        """The mechanism for the means of columns with `steps` codes above zero each: see `MeanMechanism`."""
        if self.integer:
            raise tables_only()
        return gaussian_mean(steps, guarantee, adjacency)

    def for_moments(
        self, steps: Sequence[int], n: int, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> MomentsMechanism:
        """`EntrywiseGaussian()`, half of the guarantee for the means and half for the covariances."""
        if self.integer:
            raise tables_only()
        return EntrywiseGaussian().for_moments(steps, n, guarantee, adjacency)


def gaussian_cost(mechanism: TableMechanism, currency: Currency) -> Cost:
    """The cost of a Gaussian table in a currency that is not its guarantee's own."""
    squared = Fraction(mechanism.sensitivity.l2_squared) / Fraction(mechanism.scale) ** 2
    if currency == "mu":
        return Cost("mu", math.nextafter(math.sqrt(up(squared * GRID_SLACK)), math.inf))
    if currency == "rho":
        return Cost("rho", up(squared / 2))
    if currency == "epsilon":
        raise no_cost(mechanism, currency, "Gaussian noise has no finite pure epsilon; use Laplace()")
    raise no_cost(
        mechanism,
        currency,
        "it meets many pairs (epsilon, delta); state the release's guarantee as ApproxDP(epsilon, delta)",
    )
