"""The smoothed histogram: its smallest mixing weight, its condition, exactly and by listing all neighbours."""

from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import product
from math import log

import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms import SmoothedHistogram, smoothed_histogram_delta
from discreet.privacy import GaussianDP, PureDP
from discreet.privacy.cost import exact

getcontext().prec = 60


@pytest.mark.parametrize(
    ("cells", "n", "size", "epsilon", "delta"),
    [
        (3, 4, 2, 1, 0.5362040427),
        (4, 5, 3, 0.5, 0.8151948963),
        (2, 6, 5, 2, 0.4039630238),
        (2, 100, 14, 1, 0.21267),
        (3, 100, 16, 1, 0.31748),
        (2, 100, 14, 0.1, 0.73615),
        (3, 100, 16, 0.1, 0.82714),
        (3, 1000, 52, 1, 0.13383),
        (4, 1000, 63, 1, 0.20000),
        (3, 1000, 52, 0.1, 0.60915),
        (4, 1000, 63, 0.1, 0.71575),
        (4, 10000, 193, 1, 0.07150),
        (6, 10000, 251, 1, 0.13066),
    ],
)
def test_reference_values(cells, n, size, epsilon, delta):
    found = smoothed_histogram_delta(cells, n, size, epsilon)
    assert found == pytest.approx(delta, abs=6e-6 if delta == round(delta, 5) else 6e-11)
    # The paper's own choice is first order and may exceed 1; where it does not it is larger.
    assert found < size * cells / (n * epsilon)


@pytest.mark.parametrize("epsilon", [1e-9, 0.013, 1.0, 37.0, 500.0])
@pytest.mark.parametrize(("cells", "n", "size"), [(1, 1, 1), (4, 63, 1000), (7, 10**9, 3), (100, 20, 20)])
def test_the_condition_holds_and_fails_for_a_smaller_weight(cells, n, size, epsilon):
    delta = smoothed_histogram_delta(cells, n, size, epsilon)
    bound = (Decimal(repr(epsilon)) / size).exp() - 1

    def odds(share):
        return (1 - share) * cells / (n * share)

    def below(share):
        ratio = odds(share)
        return Decimal(ratio.numerator) / Decimal(ratio.denominator) <= bound

    assert below(exact(delta))
    assert not below(exact(delta) * (1 - Fraction(1, 10**12)))


def all_counts(n, cells):
    return [c for c in product(range(n + 1), repeat=cells) if sum(c) == n]


@pytest.mark.parametrize(("cells", "n", "size", "epsilon"), [(3, 4, 2, 1.0), (4, 5, 3, 0.5), (2, 6, 5, 2.0)])
def test_all_neighbours(cells, n, size, epsilon):
    """The largest log-likelihood ratio of all k draws over all neighbours is epsilon: not more, and within 1e-9."""
    mechanism = SmoothedHistogram(cells).for_sample(size, steps=cells, n=n, guarantee=PureDP(epsilon))
    largest = Fraction(0)
    for counts in all_counts(n, cells):
        law = mechanism.weights(counts)
        for a, b in product(range(cells), repeat=2):
            if a != b and counts[a]:
                moved = list(counts)
                moved[a], moved[b] = moved[a] - 1, moved[b] + 1
                other = mechanism.weights(moved)
                assert sum(law) == sum(other)
                largest = max(largest, *(Fraction(p, q) for p, q in zip(law, other, strict=True)))
    worst = largest**size  # the draws are independent: all of them in the worst cell
    assert Decimal(worst.numerator) / Decimal(worst.denominator) <= Decimal(repr(epsilon)).exp()
    assert log(worst) == pytest.approx(epsilon, abs=1e-9)


def test_the_weights_are_the_formula():
    mechanism = SmoothedHistogram(3, delta=0.7).for_sample(2, steps=9, n=4, guarantee=PureDP(1))
    weights = mechanism.weights([4, 0, 0])
    assert [Fraction(w, sum(weights)) for w in weights] == [Fraction(3, 10) + Fraction(7, 30)] + [Fraction(7, 30)] * 2


def test_defaults_are_the_published_rates():
    for n, cells, size in ((100, 2, 14), (1000, 3, 52), (10_000, 4, 193)):
        mechanism = SmoothedHistogram().for_sample(None, steps=1000, n=n, guarantee=PureDP(1))
        assert (mechanism.cells, mechanism.size) == (cells, size)


@pytest.mark.parametrize(
    ("specification", "change", "message"),
    [
        (SmoothedHistogram(0), {}, "cells must be a whole number from 1 to 100"),
        (SmoothedHistogram(101), {}, "cells must be a whole number from 1 to 100"),
        (SmoothedHistogram(2.0), {}, "cells must be a whole number"),
        (SmoothedHistogram(3, delta=1.0), {}, "delta must be above 0 and below 1"),
        (SmoothedHistogram(3, delta=0.0), {}, "delta must be above 0 and below 1"),
        (
            SmoothedHistogram(3, delta=0.01),
            {},
            "delta = 0.01 makes 20 draws from 3 cells of 50 records .* smallest that does",
        ),
        (SmoothedHistogram(), {"size": 0}, "size, the number of points to release"),
        (SmoothedHistogram(), {"size": True}, "size, the number of points to release"),
        (SmoothedHistogram(), {"n": 0}, "needs at least one record"),
        (SmoothedHistogram(100), {"size": 10**6}, "their product may be at most"),
    ],
)
def test_bad_input(specification, change, message):
    given = {"size": 20, "steps": 100, "n": 50, "guarantee": PureDP(1)} | change
    with pytest.raises(InvalidInput, match=message):
        specification.for_sample(given.pop("size"), **given)


def test_a_weight_of_one_is_refused():
    with pytest.raises(InvalidInput, match="no delta below 1"):
        SmoothedHistogram(100).for_sample(1000, steps=100, n=1, guarantee=PureDP(1e-300))


def test_other_neighbours_and_guarantees_are_refused_with_the_reason():
    with pytest.raises(NotAvailable, match="divide by n, the number of records, which is not public"):
        SmoothedHistogram().for_sample(5, steps=10, n=None, guarantee=PureDP(1), adjacency="add-remove")
    with pytest.raises(NotAvailable, match="promises pure epsilon"):
        SmoothedHistogram().for_sample(5, steps=10, n=20, guarantee=GaussianDP(1))
