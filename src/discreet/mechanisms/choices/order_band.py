"""How many points of a grid have their order statistics in a band, in exact integers; and one of them at random.

Z = (z_1, ..., z_k) has k coordinates among the codes 0 ... G - 1, its order statistics are z_(1) <= ... <= z_(k), and a band is
lower_j <= z_(j) < upper_j with both bounds increasing in j. Two ways to count the Z in a band:

- `count_ordered`: Steck's (1971) determinant, expanded along its subdiagonal. With E_j the number of (z_1, ..., z_j) within
  the first j bounds,

      E_j = sum_(i <= j, upper_i > lower_j) (-1)^(j-i) C(j, i-1) (upper_i - lower_j)^(j-i+1) E_(i-1),        E_0 = 1.

  The terms alternate in sign, which integers do not mind. The cost is k times the number of i with upper_i > lower_j.
- `Paths`: let N(p) be the number of coordinates below p. Z is in the band if and only if, at every bound p,

      #{j: upper_j <= p} <= N(p) <= #{j: lower_j < p},

  and the number of ways to place N coordinates below p follows from one bound to the next by a positive sum. It costs
  more, but it can be walked backward: that draws from the Z in the band with equal probabilities.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Choose = Callable[[list[int]], int]
"""An index with probability proportional to its integer weight."""

_DIGIT = 1024


def count_ordered(lower: Sequence[int], upper: Sequence[int]) -> int:
    """The number of Z with lower_j <= z_(j) < upper_j for all j.

    Examples
    --------
    >>> from discreet.mechanisms.choices.order_band import count_ordered
    >>> count_ordered([0, 2], [3, 5])                     # (0..2, 2..4): pairs of a smaller and a larger, in any order
    17
    """
    if any(a >= b for a, b in zip(lower, upper, strict=True)):
        return 0
    counts = [1]
    for j in range(1, len(lower) + 1):
        bound, total, binomial, i = lower[j - 1], 0, j, j
        while i >= 1 and (width := upper[i - 1] - bound) > 0:
            term = binomial * width ** (j - i + 1) * counts[i - 1]
            total += term if (j - i) % 2 == 0 else -term
            binomial = binomial * (i - 1) // (j - i + 2)  # C(j, i-1) to C(j, i-2)
            i -= 1
        counts.append(total)
    return counts[-1]


@dataclass(frozen=True)
class Paths:
    """All Z in a band, as a table of counts: `ways[t][N - least[t]]` ways to have N coordinates below `bounds[t]`."""

    bounds: list[int]
    least: list[int]
    ways: list[list[int]] = field(repr=False)

    @property
    def total(self) -> int:
        """The number of Z in the band."""
        return self.ways[-1][0]

    @classmethod
    def within(cls, lower: Sequence[int], upper: Sequence[int], grid: int) -> Paths:
        """The table for a band on the codes 0 ... grid - 1, which holds at least one Z."""
        size = len(lower)
        bounds = sorted({0, grid, *lower, *upper})
        least = [bisect_right(upper, p) for p in bounds]
        most = [bisect_left(lower, p) for p in bounds]
        ways = [[1]]
        for t in range(1, len(bounds)):
            width, before = bounds[t] - bounds[t - 1], ways[-1]
            powers = [1]
            for _ in range(most[t] - least[t - 1]):
                powers.append(powers[-1] * width)
            start = least[t - 1]
            line = []
            for below in range(least[t], most[t] + 1):
                stop = min(len(before), below - start + 1)
                line.append(
                    sum(math.comb(below, start + u) * powers[below - start - u] * before[u] for u in range(stop))
                )
            ways.append(line)
        assert (least[-1], most[-1]) == (size, size)
        return cls(bounds, least, ways)

    def draw(self, choose: Choose) -> list[int]:
        """The order statistics of one Z in the band, all Z being equally likely."""
        below, codes = self.least[-1], []
        for t in range(len(self.bounds) - 1, 0, -1):
            start, before = self.least[t - 1], self.ways[t - 1]
            width = self.bounds[t] - self.bounds[t - 1]
            stop = min(len(before), below - start + 1)
            weights = [math.comb(below, start + u) * width ** (below - start - u) * before[u] for u in range(stop)]
            previous = start + choose(weights)
            codes += [self.bounds[t - 1] + uniform(choose, width) for _ in range(below - previous)]
            below = previous
        return sorted(codes)


def uniform(choose: Choose, width: int) -> int:
    """A number among 0 ... width - 1, all equally likely, digit by digit.

    Examples
    --------
    >>> from discreet.mechanisms.choices.order_band import uniform
    >>> uniform(lambda weights: len(weights) - 1, 65537)
    65536
    """
    if width <= _DIGIT:
        return choose([1] * width)
    chunk = _DIGIT
    while chunk * _DIGIT < width:
        chunk *= _DIGIT
    whole, rest = divmod(width, chunk)
    digit = choose([chunk] * whole + [rest] * (rest > 0))
    return digit * chunk + uniform(choose, chunk if digit < whole else rest)
