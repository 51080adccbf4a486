"""The exponential mechanism under the Kolmogorov-Smirnov distance: samples that lie close to the records' distribution."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.choices.exponential_weights import ExponentialWeights
from discreet.mechanisms.choices.sample import SampleMechanism, checked
from discreet.mechanisms.choices.small_ball import expected_ks
from discreet.privacy.guarantee import Guarantee

MOST_POINTS = 1000
MOST_STEPS = 2**20


@dataclass(frozen=True)
class KolmogorovExponential(SampleMechanism):
    """P(z) proportional to w(KS(F_x, F_z)) over all z among the codes 0 ... J to the power k.

    KS = max_t |F_x(t) - F_z(t)| over the grid points t is a multiple of 1/L, L = lcm(n, k), and the score counts these units.
    Replacing one record changes F_x by at most 1/n everywhere, so the score moves by at most L/n = k/gcd(n, k) units.
    """

    name: ClassVar[str] = "KolmogorovExponential"
    sampler: ClassVar[str] = "kolmogorov"

    @property
    def common(self) -> int:
        """gcd(n, k): |k #{x <= t} - n #{z <= t}| are multiples of it."""
        return math.gcd(self.setting.n, self.size)

    @property
    def largest(self) -> int:
        """L = lcm(n, k), the score of KS = 1."""
        return math.lcm(self.setting.n, self.size)

    @cached_property
    def weights(self) -> ExponentialWeights:
        """The weights of the scores."""
        return ExponentialWeights(self.guarantee, 2 * self.size // self.common, self.setting.points**self.size)

    @property
    def accuracy(self) -> dict[str, float]:
        """Beside the size, the expected KS distance between records and sample if the records are spread evenly."""
        expected = expected_ks(self.size, self.setting.n * self.guarantee.epsilon / 2)
        return {"size": float(self.size), "expected_ks": expected}

    def band(self, cumulative: Sequence[int], score: int) -> tuple[list[int], list[int]]:
        """The bounds on the order statistics of z that say: the score is at most this.

        |k C(t) - n N(t)| <= T for all t < J, with C(t) = #{x <= t} = `cumulative[t]`, N(t) = #{z <= t} and T = score gcd(n, k).
        z_(j) <= t if and only if N(t) >= j. So z_(j) is at most the first t with k C(t) - T > n (j - 1), and at least the
        first t with k C(t) + T >= n j.
        """
        n, k, slack = self.setting.n, self.size, score * self.common
        lower, upper = [], []
        for j in range(1, k + 1):
            needed = -((slack - n * j) // k)  # the ceiling of (n j - T)/k
            lower.append(bisect_left(cumulative, needed) if needed > 0 else 0)
            upper.append(min(bisect_left(cumulative, (n * (j - 1) + slack) // k + 1), self.setting.steps) + 1)
        return lower, upper


@dataclass(frozen=True)
class KolmogorovDistance:
    """KS(F_x, F_z), the largest difference between the distribution functions of records and sample on the grid.

    Its exponential mechanism, for epsilon and k points: P(z) proportional to exp(-epsilon n KS(F_x, F_z)/2), KS having the
    sensitivity 1/n (Wasserman and Zhou 2010, section 5). `size=None` takes `default_size(n, epsilon)` points. The more
    points, the more the uniform distribution, which most samples resemble, draws the sample towards itself.
    """

    name: ClassVar[str] = KolmogorovExponential.name

    def for_sample(
        self, size: int | None, *, steps: int, n: int | None, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> KolmogorovExponential:
        """The mechanism; see `discreet.mechanisms.Exponential`."""
        given = checked(self.name, size, steps=steps, n=n, guarantee=guarantee, adjacency=adjacency)
        if steps > MOST_STEPS:
            raise NotAvailable(
                f"{self.name} counts the records at every grid point, of which there may be {MOST_STEPS + 1:,}, not "
                f"{steps + 1:,}: declare a coarser step for the column"
            )
        points = default_size(given.setting.n, given.setting.guarantee.epsilon) if given.size is None else given.size
        if points > MOST_POINTS:
            raise InvalidInput(
                f"{self.name} is drawn exactly, in integers, for at most {MOST_POINTS:,} points, not {points:,}; release a "
                "histogram and draw from its density for more"
            )
        return KolmogorovExponential(given.setting, points)


def default_size(n: int, epsilon: float) -> int:
    """How many points to release: min(n^(2/3), epsilon n/10), at least 1 and at most 1000.

    n^(2/3) gives the rate n^(-1/3) (Wasserman and Zhou 2010, section 5). A sample from f weighs exp(-k KL(f, uniform)) of a
    uniform one, and is preferred to it by exp(epsilon n KS/2) only; so k must be a small part of epsilon n unless the records
    are spread evenly.

    Examples
    --------
    >>> from discreet.mechanisms.choices.kolmogorov import default_size
    >>> default_size(1728, 1.0), default_size(1728, 0.1), default_size(10, 0.1)
    (144, 17, 1)
    """
    root = round(math.pow(n, 2 / 3))
    while root**3 > n * n:
        root -= 1
    while (root + 1) ** 3 <= n * n:
        root += 1
    return max(1, min(root, int(epsilon * n / 10), MOST_POINTS))
