"""The integer weights of the exponential mechanism, against mpmath and by exact ratios."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.choices.exponential_weights import ExponentialWeights
from discreet.mechanisms.choices.pure import pure_cost, pure_only
from discreet.mechanisms.choices.selection import CountScore, Selection
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP

CASES = [(1.0, 2, 10), (0.1, 2, 10**6), (7.5, 24, 65537**20), (1e-6, 3, 4), (500.0, 2, 5), (0.3, 131072, 65537)]


@pytest.mark.parametrize(("epsilon", "spread", "outcomes"), CASES)
def test_a_weight_has_the_declared_relative_error(epsilon, spread, outcomes):
    weights = ExponentialWeights(PureDP(epsilon), spread, outcomes)
    top = weights.weight(0)
    with mpmath.workdps(80):
        rate = mpmath.mpf(repr(epsilon)) / spread
        for share in (0, 1, 10, 50, 99, 100):
            shortfall = weights.cutoff * share // 100
            exact = mpmath.exp(-rate * shortfall)
            slack = mpmath.exp(mpmath.mpf(10) ** -37 / spread * shortfall) - 1  # the rate is lowered by this
            error = abs(mpmath.mpf(weights.weight(shortfall)) / top / exact - 1)
            assert error < slack + mpmath.mpf(10) ** -38


@pytest.mark.parametrize(("epsilon", "spread", "outcomes"), CASES)
def test_the_cutoff_is_flat_and_weighs_next_to_nothing(epsilon, spread, outcomes):
    weights = ExponentialWeights(PureDP(epsilon), spread, outcomes)
    least = weights.weight(weights.cutoff)
    assert weights.weight(weights.cutoff + 1) == weights.weight(10**30) == least >= 10**40
    assert outcomes * least * 2**64 <= weights.weight(0) * (1 + Fraction(1, 10**30))
    if weights.cutoff > 1:
        assert weights.weight(weights.cutoff - 1) > least


def losses(weights, spread, candidates=3, range_of_scores=5):
    """The largest exact ratio of probabilities over all score vectors and all changes within an interval of `spread`."""
    largest = Fraction(0)
    changes = [d for d in product(range(spread + 1), repeat=candidates) if min(d) == 0]
    for scores in product(range(range_of_scores), repeat=candidates):
        for change in changes:
            moved = [s + d for s, d in zip(scores, change, strict=True)]
            laws = []
            for found in (scores, moved):
                weighed = [weights.weight(max(found) - s) for s in found]
                laws.append([Fraction(w, sum(weighed)) for w in weighed])
            for p, q in zip(*laws, strict=True):
                largest = max(largest, p / q, q / p)
    return largest


@pytest.mark.parametrize(("epsilon", "spread"), [(1.0, 1), (1.0, 2), (0.25, 2), (3.0, 2)])
def test_no_change_within_the_spread_costs_more_than_epsilon_and_a_larger_one_does(epsilon, spread):
    weights = ExponentialWeights(PureDP(epsilon), spread, outcomes=3)
    with mpmath.workdps(60):
        bound = mpmath.exp(mpmath.mpf(repr(epsilon)))
        within, beyond = losses(weights, spread), losses(weights, spread + 1)
        assert mpmath.mpf(within.numerator) / within.denominator <= bound
        assert mpmath.mpf(beyond.numerator) / beyond.denominator > bound


def test_scores_far_apart_still_have_weights_above_zero_and_the_proof_holds_at_the_cutoff():
    weights = ExponentialWeights(PureDP(1), 2, outcomes=2)
    for gap in range(weights.cutoff - 3, weights.cutoff + 4):
        for change in (-2, -1, 0, 1, 2):
            first = [weights.weight(0), weights.weight(gap)]
            second = [weights.weight(0), weights.weight(gap + change)]
            for i in range(2):
                ratio = Fraction(first[i], sum(first)) / Fraction(second[i], sum(second))
                assert 0 < ratio < Fraction("2.7182818284590452353")


def test_costs_in_every_currency():
    mechanism = Selection(PureDP(1), CountScore(3, "replace-one"))
    assert mechanism.cost("epsilon").amount == 1.0
    assert (mechanism.cost("approx").amount, mechanism.cost("approx").delta) == (1.0, 0.0)
    assert mechanism.cost("rho").amount == pytest.approx(1 / 8, rel=1e-9)
    assert mechanism.cost("mu").amount == pytest.approx(1.2320353853, rel=1e-9)
    assert pure_cost(mechanism, "rho").amount == pytest.approx(0.4621171573, rel=1e-9)


def test_the_rho_of_a_bounded_range_covers_the_renyi_divergences_of_the_worst_pairs():
    """Two outcomes whose log-likelihood ratios are t and t - epsilon: the extreme points of a range of length epsilon."""
    for epsilon in (0.1, 1.0, 3.0, 8.0, 20.0):
        mechanism = Selection(PureDP(epsilon), CountScore(2, "replace-one"))
        rho = mechanism.cost("rho").amount
        for t in [epsilon * i / 40 for i in range(1, 40)]:
            q = (1 - mpmath.exp(t - epsilon)) / (mpmath.exp(t) - mpmath.exp(t - epsilon))
            for order in (1.0001, 1.5, 2, 5, 20, 100):
                moment = q * mpmath.exp(order * t) + (1 - q) * mpmath.exp(order * (t - epsilon))
                assert mpmath.log(moment) / (order - 1) <= order * rho * (1 + 1e-9)


@pytest.mark.parametrize("guarantee", [GaussianDP(1), ZeroConcentratedDP(0.5), ApproxDP(1, 1e-6)])
def test_only_a_pure_guarantee_is_stated(guarantee):
    with pytest.raises(NotAvailable, match=r"state PureDP\(epsilon\)"):
        pure_only("Selection", guarantee)
    with pytest.raises(InvalidInput, match="a guarantee is needed"):
        pure_only("Selection", 1.0)


def test_a_vanishing_epsilon_is_refused():
    with pytest.raises(InvalidInput, match="at least 1e-12"):
        ExponentialWeights(PureDP(1e-13), 2, 3)
