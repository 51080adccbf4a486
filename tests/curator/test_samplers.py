"""The laws of released samples, exactly: every choice of a sampler is walked through, and all neighbours are compared.

Nothing here is random but the last tests, which say how often they fail. The oracle computes distances and laws anew, in
fractions, by listing all samples.
"""

from collections import Counter
from fractions import Fraction
from itertools import accumulate, product

import mpmath
import numpy as np
import pytest

from discreet.curator import gate
from discreet.curator.releasing.samplers import kolmogorov, mean_distance, series_distance, smoothed_histogram
from discreet.mechanisms import Exponential, MeanDistance, SeriesDistance, SmoothedHistogram
from discreet.mechanisms.choices.kolmogorov import default_size
from discreet.privacy import PureDP


class Records:
    """Records with these counts of the codes 0 ... J."""

    def __init__(self, counts):
        self.counts = list(counts)
        self.n = sum(counts)

    def count_codes(self, column):
        return self.counts

    def count_bins(self, columns, bins):
        steps, cells = len(self.counts) - 1, bins[0]
        found = [0] * cells
        for code, count in enumerate(self.counts):
            found[min(cells - 1, code * cells // steps)] += count
        return found

    def sums(self, columns, *, products):
        self_sum = sum(code * count for code, count in enumerate(self.counts))
        return [type("Sums", (), {"n": self.n, "sums": (self_sum,)})]


def mechanism_for(specification, size, counts, epsilon):
    return specification.for_sample(size, steps=len(counts) - 1, n=sum(counts), guarantee=PureDP(epsilon))


def law_of(draw):
    """The exact law of what `draw(choose)` returns: every sequence of choices is walked through."""
    law, waiting = Counter(), [[]]
    while waiting:
        fixed, taken, chance = waiting.pop(), [], [Fraction(1)]

        def choose(weights, fixed=fixed, taken=taken, chance=chance):
            assert all(type(weight) is int for weight in weights)
            possible = [i for i, weight in enumerate(weights) if weight]
            if len(taken) < len(fixed):
                index = fixed[len(taken)]
            else:
                index = possible[0]
                waiting.extend([*taken, other] for other in possible[1:])
            taken.append(index)
            chance[0] *= Fraction(weights[index], sum(weights))
            return index

        law[draw(choose)] += chance[0]
    assert sum(law.values()) == 1
    return law


def ks(counts, z):
    """max over the grid of |F_x - F_z|."""
    n, k = sum(counts), len(z)
    return max(
        abs(Fraction(sum(counts[: t + 1]), n) - Fraction(sum(code <= t for code in z), k)) for t in range(len(counts))
    )


def kolmogorov_law(mechanism, counts):
    """P(z) prop. to w(L KS(x, z)) for sorted z, by listing all z."""
    weighed = Counter()
    for z in product(range(len(counts)), repeat=mechanism.size):
        score = ks(counts, z) * mechanism.largest
        assert score.denominator == 1
        weighed[tuple(sorted(z))] += mechanism.weights.weight(int(score))
    total = sum(weighed.values())
    return {z: Fraction(weight, total) for z, weight in weighed.items()}


CASES = [
    ((2, 0, 1, 0), 2, 1.0),
    ((0, 3, 0), 4, 2.5),
    ((1, 1, 1, 1), 3, 0.7),
    ((5, 0, 0, 1), 2, 20.0),
    ((0, 0, 4), 1, 1.0),
    ((7, 6), 3, 0.01),
    ((2, 3, 0, 4), 3, 40.0),
    ((1,) + (0,) * 5, 2, 3.0),
]


@pytest.mark.parametrize(("counts", "size", "epsilon"), CASES)
def test_the_kolmogorov_sampler_has_its_law_exactly(counts, size, epsilon):
    mechanism = mechanism_for(Exponential(), size, counts, epsilon)
    sampler = kolmogorov.Sampler(mechanism, list(accumulate(counts)))
    law = law_of(lambda choose: tuple(found) if (found := sampler.attempt(choose)) is not None else None)
    rejected = law.pop(None, Fraction(0))
    assert rejected <= Fraction(1, 2)
    assert {z: chance / (1 - rejected) for z, chance in law.items()} == kolmogorov_law(mechanism, counts)


def test_rejection_and_the_cutoff_are_reached_by_these_cases():
    """Else the test above would say little about them."""
    rejections, flat = 0, 0
    for counts, size, epsilon in CASES:
        mechanism = mechanism_for(Exponential(), size, counts, epsilon)
        sampler = kolmogorov.Sampler(mechanism, list(accumulate(counts)))
        rejections += any(block.last > block.first for block in sampler.blocks)
        flat += mechanism.weights.cutoff < mechanism.largest
    assert rejections >= 2
    assert flat >= 1


def all_records(points, n):
    return [counts for counts in product(range(n + 1), repeat=points) if sum(counts) == n]


def neighbours(counts):
    for a, b in product(range(len(counts)), repeat=2):
        if a != b and counts[a]:
            moved = list(counts)
            moved[a], moved[b] = moved[a] - 1, moved[b] + 1
            yield tuple(moved)


def largest_loss(laws):
    """The largest ratio of the probabilities of one outcome under neighbours: over all records, neighbours, outcomes."""
    assert all(set(law) == set(next(iter(laws.values()))) for law in laws.values())
    return max(law[z] / laws[other][z] for counts, law in laws.items() for other in neighbours(counts) for z in law)


def is_private(loss, epsilon):
    with mpmath.workdps(60):
        return mpmath.mpf(loss.numerator) / loss.denominator <= mpmath.exp(mpmath.mpf(repr(epsilon)))


@pytest.mark.parametrize(
    ("points", "n", "size", "epsilon"), [(3, 4, 2, 1.0), (4, 3, 3, 0.5), (3, 6, 3, 2.0), (2, 5, 4, 1.0), (4, 3, 1, 5.0)]
)
def test_all_neighbours_of_the_kolmogorov_mechanism(points, n, size, epsilon):
    laws = {
        counts: kolmogorov_law(mechanism_for(Exponential(), size, counts, epsilon), counts)
        for counts in all_records(points, n)
    }
    loss = largest_loss(laws)
    assert is_private(loss, epsilon)
    assert loss > 1 + epsilon / 4  # the budget is used: no more than about half of it is lost to the normaliser


def test_the_kolmogorov_score_moves_by_its_sensitivity_and_no_more():
    for points, n, size in ((3, 4, 2), (4, 3, 3), (3, 6, 4), (3, 5, 1)):
        mechanism = mechanism_for(Exponential(), size, (n,) + (0,) * (points - 1), 1.0)
        moves = {
            abs(ks(counts, z) - ks(other, z)) * mechanism.largest
            for counts in all_records(points, n)
            for other in neighbours(counts)
            for z in product(range(points), repeat=size)
        }
        assert 2 * max(moves) == mechanism.weights.spread


def test_a_sensitivity_that_is_too_small_would_be_found():
    """The same audit with weights for three times the epsilon, which is what a spread of a third means."""
    laws = {}
    for counts in all_records(3, 4):
        laws[counts] = kolmogorov_law(mechanism_for(Exponential(), 2, counts, 3.0), counts)
    assert not is_private(largest_loss(laws), 1.0)


def smoothed_law(counts, cells, size, epsilon):
    mechanism = mechanism_for(SmoothedHistogram(cells), size, counts, epsilon)
    return law_of(lambda choose: tuple(smoothed_histogram.draw(mechanism, Records(counts), "x", choose)))


@pytest.mark.parametrize(("counts", "cells"), [((2, 0, 1, 3), 2), ((2, 0, 1, 3, 0), 3), ((1, 4), 1), ((0, 0, 5), 2)])
def test_the_smoothed_histogram_has_its_law_exactly(counts, cells):
    steps, n, size = len(counts) - 1, sum(counts), 2
    mechanism = mechanism_for(SmoothedHistogram(cells), size, counts, 1.0)
    share = Fraction(repr(mechanism.delta))
    cell_of = [min(cells - 1, code * cells // steps) for code in range(steps + 1)]
    point = [
        (
            (1 - share) * Fraction(sum(c for c, own in zip(counts, cell_of, strict=True) if own == cell), n)
            + share / cells
        )
        / cell_of.count(cell)
        for cell in cell_of
    ]
    assert sum(point) == 1
    expected = Counter()
    for z in product(range(steps + 1), repeat=size):
        expected[tuple(sorted(z))] += point[z[0]] * point[z[1]]
    assert smoothed_law(counts, cells, size, 1.0) == expected


def test_all_neighbours_of_the_smoothed_histogram():
    laws = {counts: smoothed_law(counts, 2, 3, 1.0) for counts in all_records(4, 3)}
    loss = largest_loss(laws)
    assert is_private(loss, 1.0)
    assert not is_private(loss, 1.0 - 1e-9)


def mean_law(counts, epsilon):
    mechanism = mechanism_for(Exponential(MeanDistance()), 1, counts, epsilon)
    chosen = []  # the one list of weights that it chooses from, one a code
    assert mean_distance.draw(mechanism, Records(counts), "x", lambda weights: chosen.append(weights) or 1) == [1]
    assert len(chosen) == 1
    total = sum(chosen[0])
    return {(code,): Fraction(weight, total) for code, weight in enumerate(chosen[0])}


def test_the_mean_has_a_truncated_laplace_law():
    counts = (4, 0, 0, 3, 0, 1)  # the mean code is 14/8
    law = mean_law(counts, 1.0)
    rate = 8 * 1.0 / (2 * 5)
    weights = [np.exp(-rate * abs(14 / 8 - code)) for code in range(6)]
    assert [float(law[code,]) for code in range(6)] == pytest.approx(
        (np.array(weights) / sum(weights)).tolist(), rel=1e-12
    )


@pytest.mark.parametrize(("points", "n", "epsilon"), [(3, 3, 1.0), (5, 3, 0.5), (2, 6, 4.0), (4, 1, 60.0)])
def test_all_neighbours_of_the_mean(points, n, epsilon):
    loss = largest_loss({counts: mean_law(counts, epsilon) for counts in all_records(points, n)})
    assert is_private(loss, epsilon)
    assert loss > 1 + epsilon / 4


def test_the_mean_is_as_accurate_as_published():
    """E|z - mean| on [0, 1] with mean 0.4, on the continuum: .02 at n = 100, epsilon = 1; .15371 at epsilon = .1."""
    steps = 1000
    counts = [0] * (steps + 1)
    counts[400] = 100
    for epsilon, expected in ((1.0, 0.0200), (0.1, 0.15371)):
        law = mean_law(counts, epsilon)
        error = sum(float(chance) * abs(code[0] - 400) / steps for code, chance in law.items())
        assert error == pytest.approx(expected, abs=1.5e-4)


def series_law(counts, size, terms, epsilon):
    mechanism = mechanism_for(Exponential(SeriesDistance(terms)), size, counts, epsilon)
    return law_of(lambda choose: tuple(series_distance.draw(mechanism, Records(counts), "x", choose)))


def test_the_series_mechanism_has_its_law():
    """The distance of the two series anew, in floating-point cosines: the integers round it by 1/(n k 2^20)."""
    counts, size, terms = (3, 0, 2, 1), 2, 2
    law = series_law(counts, size, terms, 1.0)
    x = np.arange(4) / 3
    basis = np.sqrt(2) * np.cos(np.pi * np.outer(x, np.arange(1, terms + 1)))
    target = np.array(counts) @ basis / 6
    largest = max(np.linalg.norm(a - b) for a in basis for b in basis)
    weights = Counter()
    for z in product(range(4), repeat=size):
        distance = np.linalg.norm(target - basis[list(z)].mean(0))
        weights[tuple(sorted(z))] += np.exp(-distance * 6 / (2 * largest))
    total = sum(weights.values())
    assert {z: float(chance) for z, chance in law.items()} == pytest.approx(
        {z: w / total for z, w in weights.items()}, rel=1e-5
    )


def test_all_neighbours_of_the_series_mechanism():
    loss = largest_loss({counts: series_law(counts, 2, 2, 1.0) for counts in all_records(4, 3)})
    assert is_private(loss, 1.0)
    assert loss > 1.2


@pytest.mark.parametrize("sampler", [kolmogorov, mean_distance, series_distance, smoothed_histogram])
def test_records_that_changed_since_they_were_counted_are_refused(sampler):
    specification = {
        kolmogorov: Exponential(),
        mean_distance: Exponential(MeanDistance()),
        series_distance: Exponential(SeriesDistance(1)),
        smoothed_histogram: SmoothedHistogram(2),
    }[sampler]
    mechanism = mechanism_for(specification, 1, (2, 1, 1), 1.0)
    with pytest.raises(Exception, match="the records changed since they were counted"):
        sampler.draw(mechanism, Records((2, 1, 2)), "x", gate.choose)


def constant(points, place, n):
    counts = [0] * points
    counts[place] = n
    return counts


def test_a_point_mass_is_not_found_on_a_fine_grid():
    """P(KS(point mass, sample) < 1/2), exactly: below its bound for some point, and falling as the grid gets finer."""
    from discreet.lab import point_mass_bound

    chances = []
    for points in (3, 9, 33):
        found = []
        for place in (0, points // 3, points // 2, points - 1):
            counts = constant(points, place, 2)
            law = kolmogorov_law(mechanism_for(Exponential(), 2, counts, 0.5), counts)
            found.append(sum(chance for z, chance in law.items() if ks(counts, z) < Fraction(1, 2)))
        assert min(found) <= point_mass_bound(2, 0.5, 2, points)
        chances.append(max(found))
    assert chances[0] > 7 * chances[1] > 40 * chances[2]


def test_samples_of_constant_records_stay_half_a_unit_away():
    """By chance a sample finds the point with probability below 2e-8 (a pair of equal codes: e^(n epsilon) pairs in 2^32)."""
    counts = constant(65537, 19661, 20)
    for specification in (Exponential(), SmoothedHistogram(1)):
        mechanism = mechanism_for(specification, 2, counts, 0.1)
        sampler = {"kolmogorov": kolmogorov, "smoothed_histogram": smoothed_histogram}[mechanism.sampler]
        for _ in range(5):
            codes = sampler.draw(mechanism, Records(counts), "x", gate.choose)
            below, at = sum(c < 19661 for c in codes) / 2, sum(c <= 19661 for c in codes) / 2
            assert max(below, 1 - at) >= 0.5


def released_distance(n, size, epsilon, draw, cdf, repeats):
    """The mean KS distance of samples from the distribution of the records, and its standard error."""
    rng, distances = np.random.default_rng(20261130), []
    for _ in range(repeats):
        counts = np.bincount(np.rint(65536 * draw(rng, n)).astype(int), minlength=65537).tolist()
        mechanism = mechanism_for(Exponential(), size, counts, epsilon)
        z = np.array(kolmogorov.draw(mechanism, Records(counts), "x", gate.choose)) / 65536
        values = cdf(z)
        places = np.arange(size)
        distances.append(max(np.max((places + 1) / size - values), np.max(values - places / size)))
    return np.mean(distances), np.std(distances) / np.sqrt(repeats)


def uniform(rng, n):
    return rng.random(n)


def beta(rng, n):
    return rng.beta(10, 10, n)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "size", "epsilon", "records", "published", "error", "repeats"),
    [
        (64, 16, 1.0, uniform, 0.1630, 0.0021, 400),
        (64, 16, 1.0, beta, 0.2622, 0.0029, 400),
        (64, 16, 0.1, uniform, 0.1967, 0.0030, 400),
        (216, 36, 1.0, uniform, 0.0938, 0.0013, 200),
        (216, 36, 1.0, beta, 0.1710, 0.0020, 120),
        (512, 64, 1.0, uniform, 0.0640, 0.0009, 160),
    ],
)
def test_the_accuracy_is_that_of_the_reference_table(n, size, epsilon, records, published, error, repeats):
    """Means of 120 to 400 samples, within 5.5 standard errors of both simulations: false alarm below 1e-7 each."""
    from scipy import stats

    cdf = (lambda x: x) if records is uniform else stats.beta(10, 10).cdf
    mean, own = released_distance(n, size, epsilon, records, cdf, repeats)
    assert abs(mean - published) < 5.5 * np.hypot(own, error)
    assert 5.5 * np.hypot(own, error) < 0.15 * published  # an error of 15 % would be found


def test_default_sizes_are_public_and_moderate():
    assert [default_size(n, e) for n, e in ((1728, 1.0), (1728, 0.1), (10**9, 1.0), (5, 0.01), (27, 500.0))] == [
        144,
        17,
        1000,
        1,
        9,
    ]
