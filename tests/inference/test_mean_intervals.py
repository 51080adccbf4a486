"""Intervals and regions of means: what they are made of, how often they hold the true means, and their inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats

from discreet.errors import InvalidInput, NotApplicable
from discreet.inference import hotelling, mean_intervals, mean_regions
from discreet.inference.mean_intervals import quantiles
from discreet.mechanisms import ED, EntrywiseGaussian, EntrywiseLaplace
from discreet.noise import Gaussian, Laplace
from discreet.privacy import GaussianDP, PureDP
from discreet.release.moments.moments_part import MomentsPart


class Exact:
    """A covariance that is released as it is."""

    def sample(self, covariances, rng):
        return covariances


@dataclass
class Release:
    parts: tuple


def part(mean, covariance, n=1000, noise=None, label=None):
    mean, covariance = np.atleast_1d(np.array(mean, float)), np.atleast_2d(np.array(covariance, float))
    d = mean.size
    columns = tuple("abcdefghij"[:d])
    return MomentsPart(
        label, n, mean, covariance, noise or Laplace(1e-9), Exact(), columns, np.full(d, 100.0), np.full(d, 50.0)
    )


SIGMA = np.array([[0.3, 0.1], [0.1, 0.2]])
X = part([0.12, -0.05], SIGMA, 800, Laplace(0.02), "x")
Y = part([0.02, 0.03], 1.3 * SIGMA, 500, Laplace(0.03), "y")
Z = part([0.3, 0.3], SIGMA, 200, Laplace(0.03), "z")
THREE = Release((X, Y, Z))


# --- what they are made of


@pytest.mark.parametrize("n", [2, 12, 10**6])
def test_without_noise_the_interval_is_students(n):
    (row,) = mean_intervals(part([0.1], [[0.004]], n), replicates=200_000, rng=1).rows
    half = stats.t.ppf(0.975, n - 1) * np.sqrt(0.004 / n)
    assert row.estimate == pytest.approx(105.0)
    # The quantile of 200,000 draws; heavy tails at n = 2, where the interval is cut at the bounds.
    assert (row.low, row.high) == pytest.approx((max(50, 105 - 50 * half), min(150, 105 + 50 * half)), rel=0.012)


def test_with_gaussian_noise_and_exact_covariances_the_interval_is_normal():
    many = [replace(p, mean_noise=Gaussian(0.001), n=10**6) for p in (X, Y)]
    found = mean_intervals(Release(tuple(many)), replicates=100_000, rng=1)
    assert [(row.group, row.versus, row.column) for row in found.rows] == [
        ("x", None, "a"),
        ("x", None, "b"),
        ("y", None, "a"),
        ("y", None, "b"),
        ("x", "y", "a"),
        ("x", "y", "b"),
    ]
    variances = [SIGMA[0, 0], SIGMA[1, 1], 1.3 * SIGMA[0, 0], 1.3 * SIGMA[1, 1], 2.3 * SIGMA[0, 0], 2.3 * SIGMA[1, 1]]
    noises = np.array([1, 1, 1, 1, 2, 2]) * 1e-6
    halves = [50 * 1.95996 * np.sqrt(v / 10**6 + w) for v, w in zip(variances, noises, strict=True)]
    assert [(row.high - row.low) / 2 for row in found.rows] == pytest.approx(halves, rel=0.015)
    assert [row.estimate for row in found.differences] == pytest.approx([50 * 0.1, 50 * -0.08])
    assert (found.means + found.differences) == found.rows
    assert found.bounds == {"a": (50.0, 150.0), "b": (50.0, 150.0)}


def test_simultaneous_intervals_are_wider_and_no_wider_than_bonferronis():
    each, all_, strict = (
        mean_intervals(THREE, replicates=20_000, rng=1, **options)
        for options in ({}, {"simultaneous": True}, {"level": 1 - 0.05 / 12})
    )
    widths = [[row.high - row.low for row in found.rows] for found in (each, all_, strict)]
    assert len(widths[0]) == 12
    assert (np.array(widths[1]) > np.array(widths[0])).all()
    assert (np.array(widths[1]) < 1.03 * np.array(widths[2])).all()
    assert "simultaneous" in repr(all_)


def test_groups_and_differences_on_request():
    some = mean_intervals(THREE, groups=("z", "x"), replicates=100, rng=1)
    assert {(row.group, row.versus) for row in some.rows} == {("z", None), ("x", None), ("z", "x")}
    assert mean_intervals(THREE, differences=False, replicates=100).differences == ()
    alone = mean_intervals(THREE, groups="y", replicates=100, rng=2)
    assert alone.rows == mean_intervals(Y, replicates=100, rng=2).rows
    frame = some.to_frame()
    assert frame.columns == ["group", "versus", "column", "estimate", "low", "high"]
    assert frame.shape == (6, 6)
    assert some.to_frame("pandas").shape == (6, 6)


def test_an_interval_stays_within_the_declared_bounds():
    found = mean_intervals(
        Release((part([0.999], [[0.3]], 5, label="x"), part([-0.999], [[0.3]], 5, label="y"))), rng=1
    )
    first, second, difference = found.rows
    assert first.high == 150.0
    assert second.low == 50.0
    assert difference.high == 100.0
    # A noisy mean may lie beyond the bounds by itself.
    (beyond,) = mean_intervals(part([1.2], [[0.01]], 500, Laplace(0.1)), rng=1).rows
    assert beyond.estimate == 160.0
    assert 50 <= beyond.low <= beyond.high == 150.0


def test_the_quantile_counts_the_next_draw():
    draws = np.arange(1.0, 100.0)[::-1].copy()
    assert quantiles(draws, 0.95) == 95.0
    assert quantiles(draws, 0.5) == 50.0
    assert quantiles(draws[:19], 0.95) == draws[:19].max()


def test_constant_columns_have_an_interval_of_the_noise_alone():
    (row,) = mean_intervals(part([0.1], [[0.0]], 50, Laplace(0.01)), replicates=100_000, rng=3).rows
    half = -0.01 * np.log(0.05)  # P(|Laplace| > x) = e^(-x/b)
    assert (row.high - row.low) / 2 == pytest.approx(50 * half, rel=0.03)


# --- coverage


def private(records, specification, guarantee, rng, label=None):
    n, d = records.shape
    mechanism = specification.for_moments([2**20] * d, n, guarantee)
    noise, law = mechanism.mean.law(n), mechanism.covariance.law(n)
    mean, covariance = records.mean(0) + noise.sample(d, rng), law.sample(np.cov(records.T).reshape(d, d), rng)
    return MomentsPart(label, n, mean, covariance, noise, law, tuple("abcdef"[:d]), np.zeros(d), np.ones(d))


SETTINGS = {
    "noise": (1, (1000, 1000), EntrywiseLaplace(), PureDP(0.5), 4000),
    "records": (2, (1000, 400), EntrywiseGaussian(), GaussianDP(1.0), 2500),
    "ED": (2, (500, 500), ED(), PureDP(2.0), 1500),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_coverage(name):
    """Of 95 % intervals for means and for differences, and of all of them together.

    Each coverage is within .94 to .96 of thousands of intervals; were the true one .95, the chance of that not to be so is
    below .002 at the smallest number of them, which is why the seed is fixed. All together: .95 -+ five standard errors.
    """
    d, (n1, n2), specification, guarantee, repetitions = SETTINGS[name]
    rng = np.random.default_rng(31)
    true = np.repeat([0.0, 0.1, -0.1], d)
    held = np.empty((repetitions, 3 * d), bool)
    together = np.empty(repetitions, bool)
    for r in range(repetitions):
        x, y = rng.uniform(-0.8, 0.8, (n1, d)), rng.uniform(-0.4, 0.4, (n2, d)) + 0.1
        release = Release(tuple(private(z, specification, guarantee, rng, k) for z, k in ((x, "x"), (y, "y"))))
        seed = int(rng.integers(2**60))
        for simultaneous in (False, True):
            found = mean_intervals(release, replicates=399, simultaneous=simultaneous, rng=seed)
            inside = np.array([row.low <= t <= row.high for row, t in zip(found.rows, true, strict=True)])
            if simultaneous:
                together[r] = inside.all()
            else:
                held[r] = inside
    assert 0.94 < held[:, : 2 * d].mean() < 0.96
    assert 0.94 < held[:, 2 * d :].mean() < 0.96
    assert together.mean() == pytest.approx(0.95, abs=5 * np.sqrt(0.05 * 0.95 / repetitions))


@pytest.mark.slow
def test_coverage_of_regions_and_of_effects():
    """800 data sets: .95 -+ five standard errors (.0385) for the region; .91 to .98 for the distance, measured .958."""
    rng, repetitions, region, effect = np.random.default_rng(32), 800, 0, 0
    distance = np.sqrt(2 * 0.1**2 / (0.8**2 / 3))
    for _ in range(repetitions):
        x, y = rng.uniform(-0.8, 0.8, (1000, 2)) + 0.1, rng.uniform(-0.8, 0.8, (300, 2))
        parts = [private(z, EntrywiseLaplace(), PureDP(2), rng) for z in (x, y)]
        (ellipse,) = mean_regions(parts[0], replicates=399, rng=rng).ellipses
        region += ellipse.contains([0.1, 0.1])
        found = hotelling(*parts, null="asymptotic").effect
        effect += found.low <= distance <= found.high
    assert region / repetitions == pytest.approx(0.95, abs=0.0385)
    assert 0.91 < effect / repetitions < 0.98


# --- regions


def test_the_region_is_what_the_test_does_not_reject():
    """The means on the ellipse have the one-sample statistic q: the quantile of the same simulation."""
    regions = mean_regions(X, replicates=4000, rng=7)
    (ellipse,) = regions.ellipses
    boundary = ellipse.boundary(9)
    values = [hotelling(X, mean=point, null="asymptotic").statistic for point in boundary]
    assert values == pytest.approx([values[0]] * 9, rel=1e-9)
    # Between the chi-squared quantile and the one where noise is all (6.93 for two samples; heavier for one).
    assert 5.8 < values[0] < 7.6
    assert ellipse.contains(ellipse.centre + 0.999 * (boundary[3] - ellipse.centre))
    assert not ellipse.contains(ellipse.centre + 1.001 * (boundary[3] - ellipse.centre))
    x, y = boundary.T
    assert ellipse.area == pytest.approx(0.5 * abs(np.trapezoid(x, y) - np.trapezoid(y, x)), rel=0.2)
    assert ellipse.centre == pytest.approx([106.0, 97.5])


def test_regions_of_a_pair_of_columns():
    wide = part([0.1, 0.2, 0.3], np.diag([0.1, 0.2, 0.3]), 400, Gaussian(0.01), "x")
    regions = mean_regions(Release((wide,)), ("c", "a"), level=0.9, rng=1)
    assert regions.columns == ("c", "a")
    (ellipse,) = regions.ellipses
    half = 50 * np.sqrt(stats.chi2.ppf(0.9, 2) * (np.array([0.3, 0.1]) / 400 + 1e-4))
    assert np.ptp(ellipse.boundary(), axis=0) / 2 == pytest.approx(half, rel=0.05)
    assert "90% regions of the means of c and a" in repr(regions)


# --- inputs


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_intervals(3), "release must be a release of means and covariances .*, not an int"),
        (lambda: mean_intervals(X, level=1.0), "level must lie strictly between 0 and 1, not 1.0"),
        (lambda: mean_intervals(X, level="0.9"), "strictly between 0 and 1, not '0.9'"),
        (
            lambda: mean_intervals(X, level=0.999, replicates=100),
            "level 0.999 needs .* at least 1000 replicates, not 100",
        ),
        (lambda: mean_intervals(THREE, groups=("x", "why")), "no group 'why', only 'x', 'y', 'z'"),
        (lambda: mean_intervals(THREE, groups=()), "groups must name different groups"),
        (lambda: mean_regions(X, ("a",)), r"two different columns of 'a', 'b', not \('a',\)"),
        (lambda: mean_regions(X, ("a", "a")), "two different columns"),
        (lambda: mean_regions(X, "ab"), "two different columns"),
        (lambda: mean_regions(X, ("a", "c")), "no column 'c', only 'a', 'b'"),
        (lambda: mean_regions(part([0.1], [[0.1]])), "two different columns of 'a', not None"),
        (lambda: mean_regions(X, level=0), "strictly between 0 and 1"),
    ],
)
def test_what_is_not_allowed(call, message):
    with pytest.raises(InvalidInput, match=message) as refusal:
        call()
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("of", [mean_intervals, mean_regions])
def test_a_single_record_has_no_interval(of):
    with pytest.raises(NotApplicable, match="group 'x' has 1 records; an interval needs at least 2"):
        of(replace(X, n=1))
