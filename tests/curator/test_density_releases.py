"""Histogram, series and distribution function releases end to end: what reaches the gate, the law of what comes out.

The audits replay a release on neighbouring records and look at the exact integers that the gate is asked to hide: they may
differ by no more than the sensitivity that the noise was scaled to, and some neighbours must reach it.

The law tests use protective noise, which has no seed. A true law fails a check with probability 1e-7; a scale that is 10 %
off passes with less than 1e-6 (the sums are then at least 11 of their standard deviations away, and 5.3 are allowed).
"""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet import ApproxDP, Bounded, Curator, GaussianDP, PureDP, Schema, ZeroConcentratedDP
from discreet.curator import gate
from discreet.curator.releasing import cdf as cdf_family
from discreet.curator.releasing import histogram as histogram_family
from discreet.curator.releasing import series as series_family
from discreet.curator.releasing.plan import PublicSize
from discreet.errors import InvalidInput, NoCost, NotAvailable, ReleaseFailed
from discreet.estimate import density
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian
from discreet.mechanisms.densities.cosine import UNIT, CosineBasis
from discreet.mechanisms.densities.square_root import SquareRoot

SCHEMA = Schema({"age": Bounded(0, 50, step=1), "share": Bounded(0, 1), "smokes": ["no", "yes"]})
ALARM = 1e-7


def frame_of(**columns):
    """A frame with all columns of the schema; those not given are of no interest."""
    size = len(next(iter(columns.values())))
    rest = {"age": np.zeros(size), "share": np.zeros(size), "smokes": ["no"] * size}
    return pd.DataFrame(rest | columns)


class FakeRecords:
    """Records that are a list of codes of one column."""

    def __init__(self, codes, steps):
        self.codes, self.steps = codes, steps

    def count_bins(self, columns, bins):
        (m,) = bins
        places = np.minimum(m - 1, np.asarray(self.codes) * m // self.steps)
        return np.bincount(places, minlength=m).tolist()

    def count_codes(self, column):
        return np.bincount(self.codes, minlength=self.steps + 1).tolist()


@pytest.fixture
def silent_gate(monkeypatch):
    """The gate without noise, and what it was asked for."""
    asked = []

    def draw_noise(exact, **public):
        asked.append((list(exact), public))
        k = gate.grid_exponent(public["scale"])
        return gate.GateDraw(tuple(x << k for x in exact), k)

    monkeypatch.setattr(gate, "draw_noise", draw_noise)
    return asked


def audit(asked, plan, codes, others, steps):
    """The largest L1 and squared L2 change of the gate's integers when the first record gets another code."""
    l1 = l2 = 0
    plan.make(FakeRecords(codes, steps))
    first, public = asked.pop()
    for other in others:
        plan.make(FakeRecords([other, *codes[1:]], steps))
        second, again = asked.pop()
        assert public == again
        assert len(first) == len(second)
        apart = [abs(a - b) for a, b in zip(first, second, strict=True)]
        l1, l2 = max(l1, sum(apart)), max(l2, sum(x * x for x in apart))
    return l1, l2, public["scale"]


@pytest.mark.parametrize("terms", [1, 3, 6])
def test_no_neighbour_moves_the_sums_of_a_series_further_than_its_noise_is_scaled_to(silent_gate, terms):
    plans = [
        series_family.plan_series(SCHEMA, PublicSize(3), currency, "age", terms, guarantee)
        for currency, guarantee in (("epsilon", PureDP(1)), ("mu", GaussianDP(1)))
    ]
    found = [[audit(silent_gate, plan, [first, 7, 50], range(first, 51), 50) for first in range(51)] for plan in plans]
    sensitivity = CosineBasis(50, terms).sensitivity
    assert max(l1 for l1, _, _ in found[0]) == sensitivity.l1
    assert max(l2 for _, l2, _ in found[1]) == sensitivity.l2_squared
    assert found[0][0][2] == sensitivity.l1  # epsilon = 1
    assert sensitivity.l2 < found[1][0][2] < sensitivity.l2 * (1 + 1e-9)  # mu = 1


@pytest.mark.parametrize("points", [2, 3, 10, 50])
def test_no_neighbour_moves_the_sums_of_a_distribution_function_further(silent_gate, points):
    plan = cdf_family.plan_cdf(SCHEMA, PublicSize(3), "mu", "age", GaussianDP(1), points)
    found = [audit(silent_gate, plan, [first, 7, 50], range(first, 51), 50) for first in range(51)]
    sensitivity = SquareRoot(points).sensitivity
    assert max(l2 for _, l2, _ in found) == sensitivity.l2_squared
    assert sensitivity.l2 < found[0][2] < sensitivity.l2 * (1 + 1e-9)


@pytest.mark.parametrize("bins", [1, 2, 7, 50])
def test_no_neighbour_moves_the_counts_of_a_histogram_further(silent_gate, bins):
    plan = histogram_family.plan_histogram(SCHEMA, PublicSize(3), "epsilon", "age", bins, PureDP(1))
    found = [audit(silent_gate, plan, [first, 7, 50], range(51), 50) for first in range(51)]
    assert max(l1 for l1, _, _ in found) == (2 if bins > 1 else 0)
    assert max(l2 for _, l2, _ in found) == (2 if bins > 1 else 0)
    assert found[0][2] == 2.0


VALUES = st.sampled_from(
    [None, math.nan, math.inf, -math.inf, -3.0, 0.0, 7.49, 7.5, 24.5, 50.0, 50.5, 1e300, -0.0, 49.999]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=5), VALUES, st.integers(0, 4))
def test_hostile_values_move_the_gates_integers_no_further(records, new, where):
    """The same through the whole road, from a frame."""
    neighbour = list(records)
    neighbour[where % len(records)] = new
    seen = []
    for values in (records, neighbour):
        asked = []

        def spy(exact, asked=asked, **public):
            asked.append((list(exact), public))
            return gate.GateDraw(tuple(exact), 0)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gate, "draw_noise", spy)
            with Curator(frame_of(age=pd.Series(values, dtype=float)), SCHEMA, budget=GaussianDP(9)) as curator:
                curator.histogram("age", 5, GaussianDP(1))
                curator.series("age", 4, GaussianDP(1))
                curator.cdf("age", GaussianDP(1), 10)
        seen.append(asked)
    limits = (2, CosineBasis(50, 4).sensitivity.l2_squared, SquareRoot(10).sensitivity.l2_squared)
    for (first, public), (second, other), limit in zip(*seen, limits, strict=True):
        assert public == other
        assert sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) <= limit


def test_without_noise_the_numbers_are_those_of_the_records(silent_gate):
    rng = np.random.default_rng(3)
    ages, shares = rng.integers(-5, 60, 400).astype(float), rng.random(400)
    ages[:20] = np.nan
    frame = frame_of(age=ages, share=shares)
    with Curator(frame, SCHEMA, budget=GaussianDP(9)) as curator:
        histogram = curator.histogram("age", 10, GaussianDP(1))
        both = curator.histogram(["age", "share"], (5, 4), GaussianDP(1), Gaussian())
        series = curator.series("share", 8, GaussianDP(1))
        cdf = curator.cdf("age", GaussianDP(1), 25)
    codes = np.where(np.isnan(ages), 25, np.clip(ages, 0, 50)).astype(int)  # a missing value is the middle, code 25
    assert histogram.counts.tolist() == np.bincount(np.minimum(codes * 10 // 50, 9), minlength=10).tolist()
    grid = np.rint(shares * 2**16)
    expected = np.histogram2d(np.minimum(codes // 10, 4), np.minimum(grid * 4 // 2**16, 3), (range(6), range(5)))[0]
    assert both.counts.tolist() == expected.tolist()
    x = grid / 2**16
    cosines = np.sqrt(2) * np.cos(np.pi * np.outer(np.arange(1, 9), x)).mean(1)
    assert series.coefficients == pytest.approx(cosines, abs=2.0**-21)
    assert cdf.cumulative == pytest.approx([(codes < 2 * t).sum() for t in range(1, 25)], abs=1e-9)


@pytest.mark.parametrize(
    ("guarantee", "mechanism", "law"),
    [
        (PureDP(0.5), None, stats.laplace(scale=4.0)),
        (GaussianDP(0.5), Gaussian(), stats.norm(scale=math.sqrt(8))),
        (GaussianDP(0.5), ProjectedGaussian(), stats.norm(scale=math.sqrt(8))),  # 1/65,536 less variance does not show
    ],
)
def test_a_histogram_has_noise_of_the_declared_law(guarantee, mechanism, law):
    frame = frame_of(share=np.linspace(0, 1, 100))
    with Curator(frame, SCHEMA, budget=guarantee) as curator:
        release = curator.histogram("share", 2**16, guarantee, mechanism)
    true = np.bincount(np.minimum(np.rint(np.linspace(0, 1, 100) * 2**16).astype(int), 2**16 - 1), minlength=2**16)
    noise = release.counts - true
    assert release.noise.cell_sd == pytest.approx(law.std(), rel=1e-4)
    assert stats.kstest(noise, law.cdf).pvalue > ALARM
    for off in (1.1, 1 / 1.1):
        assert stats.kstest(noise, lambda x, off=off: law.cdf(x * off)).pvalue < ALARM


def standardised(pure):
    """Noise of many series releases, divided by the declared scale."""
    schema, guarantee = Schema({"x": Bounded(0, 200, step=1)}), PureDP(1) if pure else GaussianDP(1)
    codes = [3, 50, 121, 200]
    plan = series_family.plan_series(schema, PublicSize(4), "epsilon" if pure else "mu", "x", 100, guarantee)
    exact = np.array(CosineBasis(200, 100).sums(np.bincount(codes, minlength=201)))
    found = []
    for _ in range(150):
        release = plan.make(FakeRecords(codes, 200))
        found.append(release.coefficients - exact / (UNIT * 4))
        declared = release.noise.law.scale
    return np.concatenate(found) / declared


def test_a_series_has_laplace_noise_of_the_declared_scale():
    """15,000 absolute values of Laplace(1): their sum is Gamma(15,000)."""
    noise = np.abs(standardised(pure=True))
    law = stats.gamma(len(noise))
    assert ALARM / 2 < law.cdf(noise.sum()) < 1 - ALARM / 2
    assert stats.kstest(noise, stats.expon.cdf).pvalue > ALARM
    assert law.cdf(noise.sum() / 1.1) < ALARM / 2
    assert law.sf(noise.sum() * 1.1) < ALARM / 2


def test_a_series_has_gaussian_noise_of_the_declared_sd():
    noise = standardised(pure=False)
    law = stats.chi2(len(noise))
    assert ALARM / 2 < law.cdf((noise**2).sum()) < 1 - ALARM / 2
    assert stats.kstest(noise, stats.norm.cdf).pvalue > ALARM
    assert law.cdf((noise**2).sum() / 1.21) < ALARM / 2
    assert law.sf((noise**2).sum() * 1.21) < ALARM / 2


def test_a_distribution_function_has_noise_of_the_declared_law():
    """Its noise V = W Z is whitened: Z = W^-1 V is what was drawn."""
    frame = frame_of(share=np.linspace(0, 1, 100))
    with Curator(frame, SCHEMA, budget=GaussianDP(1)) as curator:
        release = curator.cdf("share", GaussianDP(1), 2**13)
    codes = np.rint(np.linspace(0, 1, 100) * 2**16).astype(int)
    true = np.array(SquareRoot(2**13).sums(np.bincount(np.minimum(codes // 8, 2**13 - 1), minlength=2**13)))
    z = (np.array(release.drawn) / 2.0**release.exponent - true) / release.scale
    assert len(z) == 2**13 - 1
    law = stats.chi2(len(z))
    assert ALARM / 2 < law.cdf((z**2).sum()) < 1 - ALARM / 2
    assert stats.kstest(z, stats.norm.cdf).pvalue > ALARM
    assert law.cdf((z**2).sum() / 1.21) < ALARM / 2
    assert law.sf((z**2).sum() * 1.21) < ALARM / 2


def test_each_release_charges_its_own_guarantee():
    frame = frame_of(age=[20, 30, 40])
    for guarantee in (PureDP(1.5), GaussianDP(2), ZeroConcentratedDP(2), ApproxDP(2, 1e-6)):
        with Curator(frame, SCHEMA, budget=guarantee) as curator:
            release = curator.histogram("age", 5, guarantee)
            assert release.guarantee == guarantee
            assert curator.ledger.remaining in (0, (0, 0))
        with Curator(frame, SCHEMA, budget=guarantee) as curator:
            assert curator.series("age", 3, guarantee, request_id="a") == curator.series(
                "age", 3, guarantee, request_id="a"
            )
            assert curator.ledger.remaining in (0, (0, 0))
        if guarantee != PureDP(1.5):
            with Curator(frame, SCHEMA, budget=guarantee) as curator:
                price = curator.price("cdf", "age", guarantee, 5)
                assert price.admitted
                curator.cdf("age", guarantee, 5)
                assert curator.ledger.remaining in (0, (0, 0))


def test_prices_state_the_accuracy():
    frame = frame_of(age=[20.0] * 1000)
    with Curator(frame, SCHEMA, budget=PureDP(1)) as curator:
        price = curator.price("histogram", "age", 7, PureDP(0.5))
        assert price.accuracy == pytest.approx({"noise_sd": math.sqrt(32), "half_width": 4 * math.log(20), "cells": 7})
        assert "7 or 8 grid points" in str(price)
        assert not curator.price("histogram", "age", 10, PureDP(0.5)).notes
        series = curator.price("series", "age", 3, PureDP(0.5))
        scale = CosineBasis(50, 3).sensitivity.l1 / UNIT / 0.5 / 1000
        assert series.accuracy["noise_sd"] == pytest.approx(math.sqrt(2) * scale)
    with Curator(frame, SCHEMA, budget=GaussianDP(1)) as curator:
        price = curator.price("cdf", "age", GaussianDP(1), 10)
        assert "points=50" in str(price)
        assert not curator.price("cdf", "age", GaussianDP(1)).notes
        with pytest.raises(NoCost, match="no finite pure epsilon"), Curator(frame, SCHEMA, budget=PureDP(1)) as pure:
            pure.cdf("age", GaussianDP(1), 5)


def test_add_remove_neighbours():
    schema = Schema({"age": Bounded(0, 50, step=1)}, adjacency="add-remove")
    frame = frame_of(age=[20, 30, 40])
    with Curator(frame, schema, budget=GaussianDP(3)) as curator:
        release = curator.histogram("age", 5, GaussianDP(1))
        assert (release.mechanism, release.n) == ("Gaussian", None)
        assert release.scale == pytest.approx(1.0, rel=1e-10)
        for refused in (
            lambda: curator.series("age", 3, GaussianDP(1)),
            lambda: curator.cdf("age", GaussianDP(1)),
            lambda: curator.histogram("age", 5, GaussianDP(1), ProjectedGaussian()),
        ):
            with pytest.raises(NotAvailable, match="add-remove"):
                refused()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda c: c.histogram("age", 0, PureDP(1)), "0 cells of column 'age': from 1 to 50"),
        (lambda c: c.histogram("age", 51, PureDP(1)), "51 cells"),
        (lambda c: c.histogram("age", 2.5, PureDP(1)), "bins"),
        (lambda c: c.histogram("age", True, PureDP(1)), "bins"),
        (lambda c: c.histogram(["age", "share"], [5], PureDP(1)), "2 columns need 2"),
        (lambda c: c.histogram(["age", "age"], 5, PureDP(1)), "different columns"),
        (lambda c: c.histogram([], 5, PureDP(1)), "one or more"),
        (lambda c: c.histogram(5, 5, PureDP(1)), "a name or a list of names"),
        (lambda c: c.histogram("smokes", 2, PureDP(1)), "categorical"),
        (lambda c: c.histogram("wage", 2, PureDP(1)), "wage"),
        (lambda c: c.histogram(["age", "share"], (50, 2**16), PureDP(1)), "3,276,800 cells"),
        (lambda c: c.histogram("age", 5, 0.5), "guarantee"),
        (lambda c: c.histogram("age", 5, PureDP(1), "laplace"), "Laplace()"),
        (lambda c: c.series("age", 0, PureDP(1)), "terms"),
        (lambda c: c.series("age", 51, PureDP(1)), "at most 50 cosines"),
        (lambda c: c.series(["age"], 5, PureDP(1)), "age"),
        (lambda c: c.series("age", 5, 1.0), "guarantee"),
        (lambda c: c.cdf("age", PureDP(1)), "no finite pure epsilon"),
        (lambda c: c.cdf("age", GaussianDP(1), 51), "from 2 to 50"),
        (lambda c: c.cdf("age", GaussianDP(1), 1), "2 to 8192"),
        (lambda c: c.cdf("smokes", GaussianDP(1), 2), "categorical"),
        (lambda c: c.cdf("age", 1.0), "guarantee"),
    ],
)
def test_what_is_refused_is_refused_for_free(ask, words):
    budget = PureDP(1)
    with Curator(frame_of(age=[1.0]), SCHEMA, budget=budget) as curator:
        with pytest.raises((InvalidInput, NotAvailable)) as refusal:
            ask(curator)
        assert words in str(refusal.value)
        assert "\n" not in str(refusal.value)
        assert curator.ledger.spent == 0


def test_no_records_give_a_histogram_of_noise_and_no_series():
    frame = frame_of(age=pd.Series([], dtype=float))
    with Curator(frame, SCHEMA, budget=GaussianDP(3)) as curator:
        assert curator.histogram("age", 5, GaussianDP(1)).counts.sum() == pytest.approx(0, abs=1e-9)
        with pytest.raises(InvalidInput, match="at least one record"):
            curator.series("age", 3, GaussianDP(1))
        with pytest.raises(InvalidInput, match="at least one record"):
            curator.cdf("age", GaussianDP(1))


@pytest.mark.parametrize("verb", ["histogram", "series", "cdf"])
def test_records_that_changed_give_no_release(monkeypatch, verb):
    """More records than were counted before the charge: the constant message, whatever the family."""
    frame = frame_of(age=[1.0, 2.0])
    with Curator(frame, SCHEMA, budget=GaussianDP(3)) as curator:
        monkeypatch.setattr(type(curator), "n", 3)
        arguments = {"histogram": (5, GaussianDP(1)), "series": (3, GaussianDP(1)), "cdf": (GaussianDP(1), 5)}[verb]
        with pytest.raises(ReleaseFailed):
            getattr(curator, verb)("age", *arguments)


def test_the_laplace_scale_is_no_variance():
    """Scale 2/epsilon has the variance 8/epsilon^2; taken for the scale, that would be 40 times too much at epsilon 0.1."""
    frame = frame_of(age=[20.0] * 10)
    with Curator(frame, SCHEMA, budget=PureDP(1)) as curator:
        release = curator.histogram("age", 5, PureDP(0.1), Laplace())
    assert release.scale == 20.0
    assert release.noise.variance == pytest.approx(np.full(5, 8 / 0.1**2))


@pytest.mark.parametrize("verb", ["histogram", "series", "cdf"])
def test_nothing_private_finds_a_point_mass(verb):
    """A density that is estimated under privacy stays at a Kolmogorov-Smirnov distance of 1/2 or more from a point mass.

    At the point s the distance is max(F(s-), 1 - F(s-)) at least, whatever the noise and the number of records.
    """
    with Curator(frame_of(share=np.full(5000, 0.3)), SCHEMA, budget=GaussianDP(9)) as curator:
        arguments = {"histogram": (500, GaussianDP(2)), "series": (40, GaussianDP(2)), "cdf": (GaussianDP(2), 500)}[
            verb
        ]
        found = density(getattr(curator, verb)("share", *arguments))
    x = np.linspace(0, 1, 2001)
    distance = max(np.abs(found.cdf(x) - (x >= 0.3)).max(), float(found.cdf(0.3)), 1 - float(found.cdf(0.3)))
    assert distance >= 0.5
    assert abs(float(found.quantile(0.5)) - 0.3) < 0.01  # although it is where it should be


def test_one_cell_has_no_noise_where_the_total_is_public():
    with Curator(frame_of(age=[20.0] * 10), SCHEMA, budget=GaussianDP(9)) as curator:
        release = curator.histogram("age", 1, GaussianDP(1))
    assert release.counts.tolist() == [10.0]
    assert release.half_width() == 0
    assert "n = 10" in repr(release)
