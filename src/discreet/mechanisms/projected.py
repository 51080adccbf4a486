"""The rank-deficient Gaussian mechanism: no noise is spent on the total that is public anyway."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.errors import NotAvailable
from discreet.mechanisms.gaussian import gaussian_cost
from discreet.mechanisms.table import TableMechanism
from discreet.noise import ProjectedGaussian as ProjectedNoise
from discreet.noise import calibrate
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.sensitivity import table as table_sensitivity


@dataclass(frozen=True)
class ProjectedGaussian:
    """Gaussian noise projected on the tables with the public total: the rank-deficient mechanism.

    Neighbours under replace-one differ by e_i - e_j, which sums to zero, so noise along (1, ..., 1) protects nothing. The
    mechanism draws N(0, sigma^2 I) on all M cells and subtracts the mean of the result's deviation from the public n: the
    released cells add up to n and each has variance sigma^2 (1 - 1/M). The projection is post-processing of the Gaussian
    mechanism, so guarantee and costs are those of `Gaussian()` (Kim, Lee, Kwak and Jung 2022, theorem 3). A table by a
    fixed column is projected group by group, each on its own public size.

    Examples
    --------
    >>> from discreet.mechanisms import ProjectedGaussian
    >>> from discreet.privacy import GaussianDP
    >>> ProjectedGaussian().for_table(GaussianDP(0.5)).law.on((2, 2)).cell_variance < 8
    True
    """

    def for_table(self, guarantee: Guarantee, adjacency: str = "replace-one", *, records: int = 1) -> TableMechanism:
        """The mechanism that reaches `guarantee` with the smallest standard deviation; needs a public total."""
        if adjacency != "replace-one":
            raise NotAvailable(
                f"ProjectedGaussian needs a public total, which adjacency {adjacency!r} does not give (one record more or "
                "less changes it); use Gaussian()"
            )
        if records != 1:
            raise NotAvailable(
                f"ProjectedGaussian needs a public total, which persons with up to {records} records each do not have; use "
                "Gaussian()"
            )
        sensitivity = table_sensitivity(adjacency)
        sd = calibrate.gaussian(guarantee, l2_squared=sensitivity.l2_squared)
        law = ProjectedNoise(sd)
        return TableMechanism("ProjectedGaussian", "gaussian", law, sensitivity, guarantee, True, gaussian_cost)
