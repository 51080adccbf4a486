"""The exponential mechanism for a mean: one grid point near it, a truncated Laplace law."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.choices.exponential_weights import ExponentialWeights
from discreet.mechanisms.choices.sample import SampleMechanism, checked
from discreet.privacy.guarantee import Guarantee

MOST_STEPS = 2**17


@dataclass(frozen=True)
class MeanExponential(SampleMechanism):
    """P(z) proportional to w(|S - n z|) over the codes z = 0 ... J, S the sum of the records' codes.

    Replacing one record moves S, and with it every |S - n z|, by at most J.
    """

    name: ClassVar[str] = "MeanExponential"
    sampler: ClassVar[str] = "mean_distance"

    @cached_property
    def weights(self) -> ExponentialWeights:
        """The weights of the shortfalls."""
        return ExponentialWeights(self.guarantee, 2 * self.setting.steps, self.setting.points)

    @property
    def accuracy(self) -> dict[str, float]:
        """The expected distance to the mean in grid steps where truncation plays no part."""
        rate = float(self.guarantee.epsilon) * self.setting.n / (2 * self.setting.steps)
        return {"size": 1.0, "expected_steps": 1.0 / math.sinh(rate) if rate < 700 else 0.0}


@dataclass(frozen=True)
class MeanDistance:
    """|mean of the records - z| for one released point z.

    Its exponential mechanism: P(z) proportional to exp(-epsilon n |mean - z|/(2 (upper - lower))) over the column's grid, a
    Laplace law that is cut off at the bounds (Wasserman and Zhou 2010, section 5, the mean example). One point only: a sample
    of more, scored by its mean, would be drawn to the middle of the bounds.
    """

    name: ClassVar[str] = MeanExponential.name

    def for_sample(
        self, size: int | None, *, steps: int, n: int | None, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> MeanExponential:
        """The mechanism; see `discreet.mechanisms.Exponential`."""
        given = checked(self.name, size, steps=steps, n=n, guarantee=guarantee, adjacency=adjacency)
        if given.size not in (None, 1):
            raise InvalidInput(
                f"a sample near the mean has size 1, not {size}: more points would be drawn to the middle"
            )
        if steps > MOST_STEPS:
            raise NotAvailable(
                f"{self.name} weighs every grid point, of which there may be {MOST_STEPS + 1:,}, not {steps + 1:,}: declare a "
                "coarser step for the column"
            )
        return MeanExponential(given.setting, 1)
