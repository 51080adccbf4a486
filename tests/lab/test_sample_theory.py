"""The accuracy theory of samples: reference values, its bound against the exact law, distances against quadrature."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from discreet import Bounded, GaussianDP, PureDP, Schema
from discreet.errors import InvalidInput
from discreet.estimate import Density
from discreet.lab import (
    BetaMixture,
    ks_bound,
    ks_distance,
    ks_law,
    l2_distance,
    mise_bins,
    point_mass_bound,
    points_to_release,
    small_ball,
)
from discreet.lab.densities.sample_theory import log_volume_term
from discreet.release import SampleRelease


def test_the_continuous_law_has_the_reference_numbers():
    log_normaliser, law = ks_law([0.2, 0.35, 0.8], size=2, epsilon=2.0)
    assert log_normaliser == pytest.approx(-1.671423705329443, abs=1e-14)
    assert list(law) == [Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1)]
    assert list(law.values()) == pytest.approx([0.26420, 0.37984, 0.33478, 0.02119], abs=5e-6)


def test_the_continuous_law_is_that_of_simulated_samples():
    """200,000 uniform samples, weighed: within 5.5 standard errors (seeded)."""
    x, size, epsilon = np.array([0.1, 0.15, 0.5, 0.7, 0.72]), 3, 1.5
    log_normaliser, law = ks_law(x.tolist(), size, epsilon)
    z = np.random.default_rng(3).random((200_000, size))
    below = (z[:, :, None] < x).sum(1) / size
    places = np.arange(5)
    distance = np.maximum(np.abs(places / 5 - below), np.abs((places + 1) / 5 - below)).max(1)
    weights = np.exp(-epsilon * 5 * distance / 2)
    error = weights.std() / math.sqrt(len(z))
    assert abs(weights.mean() - math.exp(log_normaliser)) < 5.5 * error
    mean = sum(float(v) * p for v, p in law.items())
    assert np.average(distance, weights=weights) == pytest.approx(mean, abs=0.004)


def test_the_grid_mechanism_approaches_the_continuum():
    """Volumes on 65,537 grid points against those of the continuum: the two scores differ where points coincide."""
    from itertools import accumulate

    from discreet.curator.releasing.samplers.kolmogorov import Sampler
    from discreet.mechanisms import Exponential

    x, size, epsilon = [0.25, 0.375, 0.75], 2, 2.0
    counts = [0] * 65537
    for value in x:
        counts[round(65536 * value)] += 1
    mechanism = Exponential().for_sample(size, steps=65536, n=3, guarantee=PureDP(epsilon))
    sampler = Sampler(mechanism, list(accumulate(counts)))
    volumes = [sampler.volume(score) / 65537**size for score in range(mechanism.largest + 1)]
    masses = np.diff([0.0, *volumes])
    weights = masses * np.exp(-epsilon * 3 * np.arange(mechanism.largest + 1) / mechanism.largest / 2)
    log_normaliser, law = ks_law(x, size, epsilon)
    assert math.log(weights.sum()) == pytest.approx(log_normaliser, abs=1e-4)
    for value, chance in law.items():
        assert weights[int(value * mechanism.largest)] / weights.sum() == pytest.approx(chance, abs=1e-4)


def test_the_bound_holds_for_the_exact_law():
    """Against the exact probability that a sample is far from the records; F_n = F nearly, for evenly spread records."""
    n, size, epsilon = 60, 4, 3.0
    _, law = ks_law([(2 * i + 1) / 120 for i in range(n)], size, epsilon)
    for radius in (0.2, 0.3, 0.5, 0.8):
        chance = sum(p for v, p in law.items() if v > radius)
        assert chance <= math.exp(min(0.0, log_volume_term(n, epsilon, size, radius, 1.0)))


def test_reference_values_of_the_bound():
    """At n = 10,000, k = n^(2/3): -174 for the uniform density at 2 n^(-1/3); vacuous for Beta(10, 10) until 7 n^(-1/3)."""
    n, k = 10_000, 464
    assert log_volume_term(n, 1.0, k, 2 * n ** (-1 / 3), 1.0) == pytest.approx(-174, abs=1)
    peak = float(stats.beta(10, 10).pdf(0.5))
    assert (
        log_volume_term(n, 1.0, k, 6 * n ** (-1 / 3), peak) > 0 > log_volume_term(n, 1.0, k, 7.5 * n ** (-1 / 3), peak)
    )
    assert ks_bound(n, 1.0, k, 0.05) > 0.999
    assert ks_bound(5000, 1.0, 100, 0.4) == pytest.approx(1 - small_ball(5000, 0.4 / 16), rel=1e-9)


def test_fewer_points_where_the_density_has_a_peak():
    sizes = [points_to_release(1000, 1.0, density_bound=c) for c in (1.0, 1.5, 3.5, 10.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 1000
    assert points_to_release(4000, 1.0, density_bound=3.5) > sizes[2]


def test_the_point_mass_bound():
    assert point_mass_bound(1, 1e-12, 1, 4) == pytest.approx(0.25)
    assert point_mass_bound(1000, 1.0, 1, 65537) == 1.0
    assert point_mass_bound(4, 0.5, 3, 1000) == pytest.approx(3 * math.e**2 / 1000)


def test_ks_distance_is_that_of_scipy():
    points = np.random.default_rng(0).random(37)
    truth = stats.beta(2, 3)
    release = SampleRelease(
        schema=Schema({"x": Bounded(0, 1)}),
        column_name="x",
        codes=np.rint(points * 65536).astype(int).tolist(),
        mechanism="KolmogorovExponential",
        n=10,
    )
    assert ks_distance(points, truth) == pytest.approx(stats.kstest(points, truth.cdf).statistic, rel=1e-12)
    assert ks_distance(release, truth) == pytest.approx(stats.kstest(release.points, truth.cdf).statistic, rel=1e-12)
    density = Density([0, 0.25, 1], [0.5, 0.5])
    assert ks_distance(density, lambda x: x) == pytest.approx(0.25)


def test_l2_distance_is_the_integral():
    truth = BetaMixture([(2, 5), (6, 2)])
    density = Density([0, 0.3, 0.6, 1], [0.2, 0.5, 0.3])

    def gap(x):
        return float((density.pdf(x) - truth.pdf(x)) ** 2)

    exact = integrate.quad(gap, 0, 1, points=[0.3, 0.6], epsabs=1e-13)[0]
    assert l2_distance(density, truth) ** 2 == pytest.approx(exact, rel=1e-9)
    with pytest.raises(InvalidInput, match="needs a density"):
        l2_distance([0.1, 0.2], truth)


def test_bins_of_least_risk():
    """The minimum of the risk that it states, found by trying all; and the table's optimum: 25 plain, 10 at epsilon = .1."""
    rough = integrate.quad(lambda x: (stats.beta(9, 10).pdf(x) * 19 - stats.beta(10, 9).pdf(x) * 19) ** 2, 0, 1)[0]
    for n, guarantee, variance in (
        (1000, None, 0.0),
        (1000, PureDP(0.1), 800.0),
        (100, PureDP(1), 8.0),
        (10**6, GaussianDP(0.5), 8.0),
        (10, PureDP(0.01), 80_000.0),
    ):
        m = np.arange(1, 3000)
        risk = m / n + rough / (12 * m**2) + m**2 * variance / n**2
        assert mise_bins(n, guarantee, rough) == m[risk.argmin()]
    assert mise_bins(1000, None, rough) == pytest.approx(25, abs=3)
    assert mise_bins(1000, PureDP(0.1), rough) == pytest.approx(10, abs=2)
    assert mise_bins(1000, PureDP(0.1), 0.0) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: small_ball(0, 0.1), "size must be a whole number"),
        (lambda: small_ball(100_001, 0.1), "at most 100,000"),
        (lambda: small_ball(5, float("nan")), "radius must be finite"),
        (lambda: ks_bound(10, 1.0, 5, 0.0), "radius must be above 0"),
        (lambda: ks_bound(10, 1.0, 5, 0.1, density_bound=0.5), "at least 1"),
        (lambda: ks_law([0.1, 0.1], 2, 1.0), "different numbers in"),
        (lambda: ks_law([1.5], 2, 1.0), "different numbers in"),
        (lambda: mise_bins(10, PureDP(1), -1.0), "0 or more"),
        (lambda: ks_distance([[0.1]], lambda x: x), "array of points"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
