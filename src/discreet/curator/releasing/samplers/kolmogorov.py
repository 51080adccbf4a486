"""Draws from the exponential mechanism under the KS distance, exactly: levels, integer counts, one rejection.

With s(z) the score of a sample and w the decreasing integer weights, P(z) must be proportional to w(s(z)). The scores are cut
into blocks lo < s <= hi, and g = w(lo + 1), the block's largest weight, takes the place of w. As g is a decreasing step
function, it is a sum of indicators {s(z) <= hi} times the drop of g at hi; so

1. a level hi is chosen with weight V(hi) (g of its block - g of the next), V(hi) = #{z: s(z) <= hi} being counted exactly;
2. z is drawn from these V(hi) samples, all equally likely (`discreet.mechanisms.choices.order_band`): its law is prop. to g;
3. it is kept with probability w(s(z))/g, else all begins anew.

The result has the exact law whatever the blocks are. They are chosen, before anything is drawn, so that 3. keeps at least one
half: a block is halved as long as the replacement costs too much. Source of the slices: a layer-cake form of the
exponential; of the mechanism: Wasserman and Zhou (2010), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from discreet.curator.releasing.plan import Records
from discreet.errors import DiscreetError
from discreet.mechanisms.choices.kolmogorov import KolmogorovExponential
from discreet.mechanisms.choices.order_band import Choose, Paths, count_ordered, uniform


def draw(mechanism: KolmogorovExponential, records: Records, column: str, choose: Choose) -> list[int]:
    """The codes of one sample, sorted."""
    counts = records.count_codes(column)
    if len(counts) != mechanism.setting.points or sum(counts) != mechanism.setting.n:
        raise DiscreetError("the records changed since they were counted")
    sampler = Sampler(mechanism, list(accumulate(counts)))
    codes = None
    while codes is None:
        codes = sampler.attempt(choose)
    return codes


@dataclass(frozen=True)
class Block:
    """The scores from `first` to `last`, the number V of samples that score at most `last`, and g = w(first)."""

    first: int
    last: int
    volume: int
    weight: int


@dataclass(frozen=True)
class Sampler:
    """The mechanism for records with these cumulative counts; nothing is drawn before `attempt`."""

    mechanism: KolmogorovExponential
    cumulative: list[int]
    _volumes: dict[int, int] = field(default_factory=dict)
    _paths: dict[int, Paths] = field(default_factory=dict)

    def attempt(self, choose: Choose) -> list[int] | None:
        """One sample, or None where it is not kept."""
        blocks = self.blocks
        drops = [b.weight - after.weight for b, after in pairwise(blocks)] + [blocks[-1].weight]
        level = blocks[choose([block.volume * drop for block, drop in zip(blocks, drops, strict=True)])]
        codes = self._within(level.last, choose)
        score = self.score(codes)
        weight = self.mechanism.weights.weight(score)
        block = next((block for block in blocks if score <= block.last), blocks[-1])
        return codes if choose([block.weight - weight, weight]) == 1 else None

    def score(self, codes: Sequence[int]) -> int:
        """L KS(F_x, F_z), a whole number."""
        n, k = self.mechanism.setting.n, self.mechanism.size
        below = np.cumsum(np.bincount(np.array(codes), minlength=self.mechanism.setting.points))
        return int(np.max(np.abs(k * self._array - n * below))) // self.mechanism.common

    @cached_property
    def _array(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array(self.cumulative, np.int64)

    @cached_property
    def top(self) -> int:
        """The last score that the weights tell from the next: beyond it all samples weigh the same."""
        return min(self.mechanism.largest, self.mechanism.weights.cutoff)

    def volume(self, score: int) -> int:
        """V: the number of samples that score at most this, all of them at the top."""
        if score >= self.top:
            everything: int = self.mechanism.setting.points**self.mechanism.size
            return everything
        if score not in self._volumes:
            self._volumes[score] = count_ordered(*self.mechanism.band(self.cumulative, score))
        return self._volumes[score]

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks of scores, in order: on average at least half of the samples drawn by them are kept."""
        blocks = self._first_blocks()
        while True:
            masses = [b.volume - a for b, a in zip(blocks, [0, *(b.volume for b in blocks)], strict=False)]
            kept = [mass * self._weight(b.last) for b, mass in zip(blocks, masses, strict=True)]
            lost = [mass * b.weight - least for b, mass, least in zip(blocks, masses, kept, strict=True)]
            if sum(lost) <= sum(kept):
                return blocks
            worst = max(range(len(blocks)), key=lost.__getitem__)
            block = blocks[worst]
            middle = (block.first + block.last) // 2
            blocks[worst : worst + 1] = [self._block(block.first, middle), self._block(middle + 1, block.last)]

    def _first_blocks(self) -> list[Block]:
        """Up to the least possible score and beyond it by leaps, until all later scores together weigh little."""
        first = last = self._least()
        leap = 1
        blocks: list[Block] = []
        heaviest, everything = 0, self.volume(self.top)
        while True:
            blocks.append(self._block(first, last))
            heaviest = max(heaviest, blocks[-1].volume * self._weight(last))
            if last == self.top:
                return blocks
            enough = 8 * everything * self._weight(last + 1) <= heaviest
            first, last, leap = last + 1, self.top if enough else min(self.top, last + leap), 2 * leap

    def _least(self) -> int:
        """The least score that any sample reaches."""
        low, high = 0, self.top
        while low < high:
            middle = (low + high) // 2
            lower, upper = self.mechanism.band(self.cumulative, middle)
            if middle >= self.top or all(a < b for a, b in zip(lower, upper, strict=True)):
                high = middle
            else:
                low = middle + 1
        return low

    def _block(self, first: int, last: int) -> Block:
        return Block(first, last, self.volume(last), self._weight(first))

    def _weight(self, score: int) -> int:
        return self.mechanism.weights.weight(score)

    def _within(self, score: int, choose: Choose) -> list[int]:
        """One of the samples that score at most this, all equally likely."""
        points, size = self.mechanism.setting.points, self.mechanism.size
        if score >= self.top:
            return sorted(uniform(choose, points) for _ in range(size))
        if score not in self._paths:
            self._paths[score] = Paths.within(*self.mechanism.band(self.cumulative, score), points)
        return self._paths[score].draw(choose)
