"""Draws from the exponential mechanism under the L2 distance of two series: all samples are listed and weighed exactly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement

from discreet.curator.releasing.plan import Records
from discreet.errors import DiscreetError
from discreet.mechanisms.choices.order_band import Choose
from discreet.mechanisms.choices.series_distance import SeriesExponential


def draw(mechanism: SeriesExponential, records: Records, column: str, choose: Choose) -> list[int]:
    """The codes of one sample, sorted."""
    counts = records.count_codes(column)
    if len(counts) != mechanism.setting.points or sum(counts) != mechanism.setting.n:
        raise DiscreetError("the records changed since they were counted")
    n, k = mechanism.setting.n, mechanism.size
    target = [k * total for total in mechanism.basis.sums(counts)]
    rows = [[n * entry for entry in row] for row in mechanism.basis.rows(range(len(counts))).tolist()]
    samples = list(combinations_with_replacement(range(len(counts)), k))
    scores = [_distance(target, [rows[code] for code in sample]) for sample in samples]
    nearest, weights = min(scores), mechanism.weights
    weighed = [weights.weight(score - nearest) * orders(sample) for sample, score in zip(samples, scores, strict=True)]
    return list(samples[choose(weighed)])


def orders(sample: Sequence[int]) -> int:
    """In how many orders a sample can be drawn: k! over the factorials of its ties."""
    return math.factorial(len(sample)) // math.prod(math.factorial(ties) for ties in Counter(sample).values())


def _distance(target: Sequence[int], rows: Sequence[Sequence[int]]) -> int:
    return math.isqrt(
        sum((wanted - sum(column)) ** 2 for wanted, column in zip(target, zip(*rows, strict=True), strict=True))
    )
