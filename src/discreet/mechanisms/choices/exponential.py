"""The exponential mechanism for samples: a whole sample is drawn, near the records in a distance of choice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from discreet.errors import InvalidInput
from discreet.mechanisms.choices.kolmogorov import KolmogorovDistance
from discreet.mechanisms.choices.sample import SampleMechanism
from discreet.privacy.guarantee import Guarantee


class SampleDistance(Protocol):
    """A distance between records and samples whose exponential mechanism can be drawn exactly."""

    def for_sample(
        self, size: int | None, *, steps: int, n: int | None, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> SampleMechanism: ...


@dataclass(frozen=True)
class Exponential:
    """P(z) proportional to exp(-epsilon distance(records, z)/(2 sensitivity)) over all samples z of k grid points.

    Guarantee: epsilon-DP for the replacement of one record. Scores are whole numbers whose exact sensitivity is known, weights
    are integers (`discreet.mechanisms.choices.exponential_weights` has the proof), and samples are drawn exactly by them: no
    chain, no approximation. Costs: epsilon; mu = 2 Phi^-1(e^eps/(1 + e^eps)); rho = epsilon^2/8, because the log-likelihood
    ratio of two neighbours stays within an interval of length epsilon (Cesar and Rogers 2021).

    Parameters
    ----------
    distance : KolmogorovDistance, MeanDistance or SeriesDistance
        None given: the Kolmogorov-Smirnov distance.

    Examples
    --------
    >>> from discreet.mechanisms import Exponential
    >>> from discreet.privacy import PureDP
    >>> mechanism = Exponential().for_sample(None, steps=120, n=1728, guarantee=PureDP(1))
    >>> mechanism.size, round(mechanism.accuracy["expected_ks"], 3), str(mechanism.cost("rho"))
    (144, 0.025, 'rho = 0.125')
    """

    distance: SampleDistance = field(default_factory=KolmogorovDistance)

    def __post_init__(self) -> None:
        if isinstance(self.distance, type) or not hasattr(self.distance, "for_sample"):
            raise InvalidInput(f"distance must be one such as KolmogorovDistance(), not {self.distance!r}")

    def for_sample(
        self, size: int | None, *, steps: int, n: int | None, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> SampleMechanism:
        """The mechanism for k = `size` points (None: a public default) from n records with codes 0 ... `steps`."""
        return self.distance.for_sample(size, steps=steps, n=n, guarantee=guarantee, adjacency=adjacency)
