"""Mechanism specifications: which noise, which sensitivity, which guarantee, which cost. They see no records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from discreet.mechanisms.choices.exponential import Exponential
from discreet.mechanisms.choices.kolmogorov import KolmogorovDistance
from discreet.mechanisms.choices.mean_distance import MeanDistance
from discreet.mechanisms.choices.sample import SampleMechanism, SampleSpecification
from discreet.mechanisms.choices.series_distance import SeriesDistance
from discreet.mechanisms.choices.smoothed_histogram import SmoothedHistogram, smoothed_histogram_delta
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.moments.covariance import CovarianceMechanism
from discreet.mechanisms.moments.ed import ED, ed_is_better
from discreet.mechanisms.moments.entrywise import EntrywiseGaussian, EntrywiseLaplace
from discreet.mechanisms.moments.means import MeanMechanism
from discreet.mechanisms.moments.moments import MomentsMechanism
from discreet.mechanisms.projected import ProjectedGaussian
from discreet.mechanisms.table import TableMechanism
from discreet.privacy import PureDP
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.moment_sensitivity import covariance_sensitivity


class TableSpecification(Protocol):
    """What `mechanism=` of a table takes; `records` of one person count, where neighbours differ in a person."""

    def for_table(
        self, guarantee: Guarantee, adjacency: str = "replace-one", *, records: int = 1
    ) -> TableMechanism: ...


class MeanSpecification(Protocol):
    """What `mechanism=` of a mean takes: `steps` are the codes above zero of each column."""

    def for_mean(self, steps: Sequence[int], guarantee: Guarantee, adjacency: str = "replace-one") -> MeanMechanism: ...


class MomentsSpecification(Protocol):
    """What `mechanism=` of moments takes; `n` is the public size of the smallest group."""

    def for_moments(
        self, steps: Sequence[int], n: int, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> MomentsMechanism: ...


def default_for_table(guarantee: Guarantee, adjacency: str = "replace-one") -> TableSpecification:
    """The best mechanism for the guarantee: Laplace for pure DP, else Gaussian, projected where the total is public."""
    if isinstance(guarantee, PureDP):
        return Laplace()
    return ProjectedGaussian() if adjacency == "replace-one" else Gaussian()


def default_for_mean(guarantee: Guarantee) -> MeanSpecification:
    """The best mechanism for means under the guarantee: Laplace for pure DP, else Gaussian."""
    return Laplace() if isinstance(guarantee, PureDP) else Gaussian()


def default_for_moments(guarantee: Guarantee) -> MomentsSpecification:
    """The best one for means and covariances: noise on the entries, Laplace for pure DP, else Gaussian; never `ED`."""
    return EntrywiseLaplace() if isinstance(guarantee, PureDP) else EntrywiseGaussian()


__all__ = [
    "ED",
    "CovarianceMechanism",
    "EntrywiseGaussian",
    "EntrywiseLaplace",
    "Exponential",
    "Gaussian",
    "KolmogorovDistance",
    "Laplace",
    "MeanDistance",
    "MeanMechanism",
    "MeanSpecification",
    "MomentsMechanism",
    "MomentsSpecification",
    "ProjectedGaussian",
    "SampleMechanism",
    "SampleSpecification",
    "SeriesDistance",
    "SmoothedHistogram",
    "TableMechanism",
    "TableSpecification",
    "covariance_sensitivity",
    "default_for_mean",
    "default_for_moments",
    "default_for_table",
    "ed_is_better",
    "smoothed_histogram_delta",
]
