"""Exact entries as floats: 2^-k (a + r/M), integers a and fractions r/M that many entries share, each rounded once.

The trick is to round twice such that it does not show. Scale a + r/M by 2^s to about 62 bits and cut it to an integer; where
something was cut off, set the last bit ("round to odd"). The conversion to a float then sees on which side of every float,
and of every tie between two, the exact number lies, because 62 bits are more than 53 + 2. Source: Boldo and Melquiond (2008),
Theorem 3.1. Integers beyond 64 bits, and grids so fine that a result could be subnormal, are divided one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.release.integers import Vector, exact_sum

Floats = NDArray[np.float64]

_BITS = 62
_FINEST = 900  # a grid of step 2^-900 or coarser has no entry that is subnormal, unless it is 0
_AT_ONCE = 2**16


@dataclass(frozen=True, eq=False)
class Entries:
    """The numbers 2^-exponent (whole_i + parts[part_i] / draws).

    Attributes
    ----------
    whole : array of integers
        Of dtype int64, or Python integers.
    part : array of int
        For each number, which of the `parts` it has.
    parts : sequence of int
        Numerators, from 0 to draws - 1.
    draws, exponent : int
        The denominator M of the parts, and k.

    Examples
    --------
    >>> import numpy as np
    >>> Entries(np.array([5, -1]), np.array([0, 1]), (0, 2), draws=3, exponent=1).floats(0, 2)
    array([ 2.5       , -0.16666667])
    """

    whole: Vector
    part: NDArray[Any]
    parts: Sequence[int]
    draws: int
    exponent: int

    def floats(self, start: int, stop: int) -> Floats:
        """The numbers from `start` to `stop`, each the float nearest to it."""
        rounded = np.empty(stop - start)
        for first in range(start, stop, _AT_ONCE):
            last = min(first + _AT_ONCE, stop)
            rounded[first - start : last - start] = self._chunk(slice(first, last))
        return rounded

    def total(self, stop: int) -> float:
        """The sum of the numbers before `stop`, rounded once."""
        times = np.bincount(self.part[:stop], minlength=len(self.parts)).tolist()
        fractions = sum(r * number for r, number in zip(self.parts, times, strict=True))
        return float((int(exact_sum(self.whole[:stop], 0)) * self.draws + fractions) / (self.draws << self.exponent))

    def _chunk(self, places: slice) -> NDArray[Any]:
        whole, part, k = self.whole[places], self.part[places], self.exponent
        if whole.dtype == object or k > _FINEST:
            return np.array([self._one(a, r) for a, r in zip(whole.tolist(), part.tolist(), strict=True)])
        if not any(self.parts):
            return np.asarray(np.ldexp(whole.astype(float), -k))
        scaled = [divmod(r << _BITS, self.draws) for r in self.parts]
        fraction = np.array([bits for bits, _ in scaled], np.int64)[part]
        cut = np.array([rest > 0 for _, rest in scaled])[part]
        _, length = np.frexp(whole.astype(float))  # at least the number of bits, and one more at the most
        shift = np.maximum(_BITS - length, 0)
        behind = _BITS - shift
        odd = (whole << shift) + (fraction >> behind)
        odd |= cut | ((fraction & ((np.int64(1) << behind) - 1)) > 0)
        rounded: Floats = np.ldexp(odd.astype(float), -(shift + k))
        for a in (0, -1):  # there a + r/M may be far smaller than 1, and 62 bits behind the point are few
            small = whole == a
            rounded[small] = np.array([self._one(a, r) for r in range(len(self.parts))])[part[small]]
        return rounded

    def _one(self, a: int, part: int) -> float:
        return float((a * self.draws + self.parts[part]) / (self.draws << self.exponent))
