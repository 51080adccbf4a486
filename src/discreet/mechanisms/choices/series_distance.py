"""The exponential mechanism under the L2 distance of orthogonal series, where it can be drawn exactly: by enumeration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.choices.exponential_weights import ExponentialWeights
from discreet.mechanisms.choices.sample import SampleMechanism, checked
from discreet.mechanisms.densities.cosine import CosineBasis
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.parameters import whole

MOST_SAMPLES = 50_000


@dataclass(frozen=True)
class SeriesExponential(SampleMechanism):
    """P(z) proportional to w(floor |k T(x) - n T(z)|_2), T the sums of the fixed-point cosine basis over records and points.

    |k T(x) - n T(z)|_2 is n k times the L2 distance of the two series. Replacing one record moves k T(x) by at most k times
    the largest distance D of two rows of the basis; and the whole part of a number by at most the next whole number.
    """

    name: ClassVar[str] = "SeriesExponential"
    sampler: ClassVar[str] = "series_distance"

    terms: int

    @property
    def parameters(self) -> Mapping[str, int | float]:
        """The number of cosines."""
        return {"terms": self.terms}

    @cached_property
    def basis(self) -> CosineBasis:
        """The integers that are summed."""
        return CosineBasis(self.setting.steps, self.terms)

    @cached_property
    def sensitivity(self) -> int:
        """The next whole number above k D."""
        return ceiling_root(self.size**2 * int(self.basis.sensitivity.l2_squared))

    @cached_property
    def weights(self) -> ExponentialWeights:
        """The weights of the shortfalls."""
        return ExponentialWeights(self.guarantee, 2 * self.sensitivity, self.setting.points**self.size)


@dataclass(frozen=True)
class SeriesDistance:
    """The L2 distance between the cosine series of records and sample, with a public number of `terms`.

    Its exponential mechanism is the second scheme of Wasserman and Zhou (2010), section 6. It is drawn exactly where all
    samples of k grid points can be listed (at most 50,000 of them), and refused elsewhere: the law has no known exact sampler
    then, and a Markov chain that has not converged is not epsilon-DP, by an amount that no diagnostic bounds.

    Parameters
    ----------
    terms : int
        The number of cosines.
    """

    terms: int

    name: ClassVar[str] = SeriesExponential.name

    def for_sample(
        self, size: int | None, *, steps: int, n: int | None, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> SeriesExponential:
        """The mechanism; see `discreet.mechanisms.Exponential`."""
        given = checked(self.name, size, steps=steps, n=n, guarantee=guarantee, adjacency=adjacency)
        if given.size is None:
            raise InvalidInput(f"{self.name} needs a size: the number of points to release, such as 2")
        terms = whole("terms", self.terms)
        samples = math.comb(steps + given.size, given.size)
        if samples > MOST_SAMPLES:
            shown = f"{samples:,}" if samples < 10**15 else "more than 10^15"
            raise NotAvailable(
                f"{self.name} can be drawn exactly only where all samples are listed, at most {MOST_SAMPLES:,}; "
                f"{given.size} of {steps + 1:,} grid points make {shown}. Use fewer points, a coarser step, or curator.series "
                "(a Markov chain would not be epsilon-DP)"
            )
        mechanism = SeriesExponential(given.setting, given.size, terms)
        mechanism.basis  # noqa: B018  refuses more terms than the grid has steps
        return mechanism


def ceiling_root(square: int) -> int:
    """The smallest whole number whose square is at least `square`."""
    root = math.isqrt(square)
    return root + (root * root < square)
