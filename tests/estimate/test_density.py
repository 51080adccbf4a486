"""Densities out of releases: by hand, against numerical integration, and against published risks."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from discreet import Bounded, Schema
from discreet.errors import InvalidInput, NotAvailable
from discreet.estimate import BoxDensity, Density, Empirical, density, isotonic
from discreet.estimate.density import cell_masses
from discreet.lab import BetaMixture
from discreet.mechanisms.densities.cosine import UNIT, CosineBasis
from discreet.mechanisms.densities.square_root import SquareRoot
from discreet.mechanisms.densities.vector import additive
from discreet.privacy import GaussianDP
from discreet.release import CdfRelease, HistogramRelease, SampleRelease, SeriesRelease

UNIT_INTERVAL = Schema({"x": Bounded(0, 1)})
PLANE = Schema({"x": Bounded(0, 2), "y": Bounded(-10, 20, step=1)})


def histogram(drawn, schema=UNIT_INTERVAL, names=("x",), bins=None):
    bins = bins or (len(drawn),)
    return HistogramRelease(
        schema=schema, column_names=names, bins=bins, drawn=drawn, exponent=0, mechanism="Laplace", scale=2.0, n=100
    )


def series(coefficients, n=1000):
    drawn = [round(UNIT * n * beta * 2**20) for beta in coefficients]
    return SeriesRelease(
        schema=UNIT_INTERVAL, column_name="x", drawn=drawn, exponent=20, mechanism="Laplace", scale=1.0, n=n
    )


def test_a_histogram_is_clipped_and_renormalised():
    found = density(histogram([30, -5, 60, 10]))
    assert found.masses.tolist() == [0.3, 0, 0.6, 0.1]
    assert found.pdf([0.1, 0.3, 0.6, 1.0, 1.01, -0.01]).tolist() == pytest.approx([1.2, 0, 2.4, 0.4, 0, 0])
    assert found.cdf([-1, 0.25, 0.5, 0.625, 2]).tolist() == pytest.approx([0, 0.3, 0.3, 0.6, 1])
    assert found.quantile([0, 0.15, 0.3, 0.6, 1]).tolist() == pytest.approx([0, 0.125, 0.25, 0.625, 1])
    assert not found.fallback


@pytest.mark.parametrize("drawn", [[0, 0], [-1, -5], [-1, 0]])
def test_where_nothing_is_left_the_density_is_uniform_and_says_so(drawn):
    found = density(histogram(drawn))
    assert found.masses.tolist() == [0.5, 0.5]
    assert found.fallback
    assert "uniform" in repr(found)


def test_quantiles_and_the_distribution_function_are_inverse():
    found = density(histogram([3, 0, 9, 1, 0, 7]))
    u = np.linspace(0.001, 0.999, 57)
    assert found.cdf(found.quantile(u)) == pytest.approx(u, abs=1e-12)
    for x in np.linspace(0, 1, 31):
        assert found.cdf(x) == pytest.approx(
            integrate.quad(found.pdf, 0, x, points=found.edges, limit=200)[0], abs=1e-6
        )


def test_samples_have_the_law_of_the_density():
    found = density(histogram([3, 0, 9, 1, 0, 7]))
    draws = found.sample(20_000, 7)
    assert stats.kstest(draws, found.cdf).pvalue > 1e-3
    assert found.pdf(draws).min() > 0
    assert found.sample(3, np.random.default_rng(7)).tolist() == draws[:3].tolist()


def test_a_density_of_two_columns():
    found = density(histogram([1, 2, -4, 3, 0, 4], PLANE, ("x", "y"), (2, 3)))
    assert isinstance(found, BoxDensity)
    assert found.masses.tolist() == [[0.1, 0.2, 0], [0.3, 0, 0.4]]
    assert found.pdf([[0.5, -5], [0.5, 15], [1.5, 19], [3, 0]]) == pytest.approx([0.01, 0, 0.04, 0])
    assert found.cdf([[1, 0], [1, 10], [2, 20], [1.5, 5], [-1, 5], [9, 9]]) == pytest.approx(
        [0.1, 0.3, 1, 0.35, 0, 0.58]
    )
    assert found.marginal("y").masses == pytest.approx([0.4, 0.2, 0.4])
    with pytest.raises(NotAvailable, match="no quantiles"):
        found.quantile(0.5)
    with pytest.raises(InvalidInput, match="unknown column"):
        found.marginal("z")
    with pytest.raises(InvalidInput, match="shape"):
        found.pdf([0.5, 5])
    draws = found.sample(20_000, 3)
    cells = np.histogram2d(*draws.T, bins=found.edges)[0]
    positive = found.masses > 0
    assert cells[~positive].sum() == 0
    assert stats.chisquare(cells[positive], 20_000 * found.masses[positive]).pvalue > 1e-3
    assert stats.kstest(draws[draws[:, 0] < 1, 0], "uniform").pvalue > 1e-3


def test_the_positive_part_of_a_series():
    release = series([0.3, -1.2, 0.1, 0.4])
    found = density(release)

    def positive(x):
        return max(float(release.raw(x)), 0.0)

    roots = [
        optimize.brentq(release.raw, a, b)
        for a, b in ((0, 0.15), (0.15, 0.35), (0.6, 0.9))
        if release.raw(a) * release.raw(b) < 0
    ]
    total = integrate.quad(positive, 0, 1, points=roots, limit=200)[0]
    assert total > 1.001  # something was cut
    for x in (0.05, 0.3, 0.5, 0.77, 1.0):
        assert found.pdf(x) == pytest.approx(positive(x) / total, rel=1e-6)
        assert found.cdf(x) == pytest.approx(
            integrate.quad(positive, 0, x, points=roots, limit=200)[0] / total, abs=2e-7
        )
    assert found.pdf([-0.1, 1.1]).tolist() == [0, 0]
    assert stats.kstest(found.sample(20_000, 1), found.cdf).pvalue > 1e-3


def test_a_series_in_units_of_its_column():
    schema = Schema({"x": Bounded(-10, 20, step=1)})
    release = SeriesRelease(
        schema=schema, column_name="x", drawn=[2**18, 2**17], exponent=0, mechanism="Laplace", scale=1.0, n=1
    )
    found = density(release)
    assert integrate.quad(found.pdf, -10, 20)[0] == pytest.approx(1, abs=1e-9)
    assert found.cdf([-10, 20]).tolist() == [0, 1]


def test_the_coefficients_of_a_beta_density():
    """beta_j = E sqrt(2) cos(pi j X) for Beta(10, 10), and what the integer basis makes of it on the default grid."""
    beta = [
        math.sqrt(2) * integrate.quad(lambda x, j=j: math.cos(math.pi * j * x) * stats.beta(10, 10).pdf(x), 0, 1)[0]
        for j in range(1, 9)
    ]
    assert beta == pytest.approx([0, -1.1153, 0, 0.52927, 0, -0.13174, 0, 0.00939], abs=6e-5)
    assert 1 + sum(b * b for b in beta) == pytest.approx(2.541454145, abs=1e-4)
    assert BetaMixture([(10, 10)]).squared_integral == pytest.approx(2.541454145, abs=6e-10)
    share = np.diff(stats.beta(10, 10).cdf(np.concatenate([[0], (np.arange(2**16) + 0.5) / 2**16, [1]])))
    counts = np.rint(share * 2**38).astype(int)
    sums = CosineBasis(2**16, 8).sums(counts)
    assert np.array(sums) / (UNIT * counts.sum()) == pytest.approx(beta, abs=1e-6)


# mean integrated squared errors from 4,000 simulations each, at the noise of the lemma, 2 sqrt(2) m/(n epsilon):
# without noise, with it, and with it once clipped and renormalised
@pytest.mark.parametrize(
    ("n", "terms", "plain", "raw", "truncated"),
    [(100, 4, 0.0374, 0.1411, 0.0923), (1000, 6, 0.0040, 0.0075, 0.0066), (1000, 10, 0.0079, 0.0240, 0.0199)],
)
def test_the_risk_of_a_perturbed_series(n, terms, plain, raw, truncated):
    rng, truth = np.random.default_rng(terms), BetaMixture([(10, 10)])
    j = np.arange(1, 31)
    true = np.array(
        [math.sqrt(2) * integrate.quad(lambda x, k=k: math.cos(math.pi * k * x) * truth.pdf(x), 0, 1)[0] for k in j]
    )
    rest = truth.squared_integral - 1 - (true[:terms] ** 2).sum()
    x = rng.beta(10, 10, (1500, n))
    exact = np.stack([math.sqrt(2) * np.cos(math.pi * k * x).mean(1) for k in j[:terms]], axis=1)
    noisy = exact + rng.laplace(0, 2 * math.sqrt(2) * terms / n, exact.shape)
    for coefficients, expected in ((exact, plain), (noisy, raw)):
        losses = ((coefficients - true[:terms]) ** 2).sum(1) + rest
        assert abs(losses.mean() - expected) < 4 * losses.std() / math.sqrt(1500) + 1e-4
    grid = (np.arange(500) + 0.5) / 500
    losses = [np.mean((density(series(row, n)).pdf(grid) - truth.pdf(grid)) ** 2) for row in noisy[:400]]
    assert abs(np.mean(losses) - truncated) < 4 * np.std(losses) / 20 + 1e-4
    # what is released has less noise: the exact constant instead of the lemma
    assert CosineBasis(2**16, terms).sensitivity.l1 / UNIT < 2 * math.sqrt(2) * terms


def test_the_perturbed_histogram_before_clipping():
    """Its squared error is the ordinary one and 8 m^2/(epsilon n)^2: 8.155 at n = 100, m = 10, epsilon = 0.1."""
    rng, truth, m, n = np.random.default_rng(2), BetaMixture([(10, 10)]), 10, 100
    p = truth.cell_probabilities(m)
    noise = histogram([0] * m).noise
    assert noise.cell_variance == 8.0  # epsilon = 1
    q = (rng.multinomial(n, p, 40_000) + 10 * noise.sample(40_000, rng)) / n
    losses = m * (q * q).sum(1) - 2 * m * q @ p + truth.squared_integral
    assert abs(losses.mean() - 8.155) < 4 * losses.std() / 200


@pytest.mark.parametrize(
    ("m", "epsilon", "share"), [(2, 0.1, 0.0017), (2, 0.01, 0.148), (5, 0.01, 0.020), (10, 0.01, 0.0007)]
)
def test_how_often_nothing_is_left(m, epsilon, share):
    rng = np.random.default_rng(4)
    counts = rng.multinomial(100, BetaMixture([(10, 10)]).cell_probabilities(m), 40_000)
    noisy = counts + rng.laplace(0, 2 / epsilon, counts.shape)
    empty = [cell_masses(row)[1] for row in noisy[(noisy <= 0).all(1)]]
    assert all(empty)
    assert abs(len(empty) / 40_000 - share) < 4 * math.sqrt(share / 40_000) + 5e-4 * (share > 0.01)


def cdf_release(counts, mu, rng):
    root = SquareRoot(len(counts))
    scale = additive(GaussianDP(mu), root.sensitivity).scale
    drawn = np.array(root.sums(counts)) + np.rint(rng.normal(0, scale, len(counts) - 1)).astype(np.int64)
    return CdfRelease(
        schema=UNIT_INTERVAL,
        column_name="x",
        drawn=drawn.tolist(),
        exponent=0,
        mechanism="Gaussian",
        scale=scale,
        n=int(sum(counts)),
    )


@pytest.mark.parametrize(
    ("n", "mu", "cells", "ours", "sums"), [(1000, 0.5, 256, 0.0166, 0.0385), (1000, 0.1, 256, 0.067, 0.187)]
)
def test_the_square_root_beats_summing_up_a_histogram(n, mu, cells, ours, sums):
    """The mean largest error of the distribution function, beside that of the sums of a noisy histogram."""
    rng = np.random.default_rng(6)
    errors, summed = [], []
    for _ in range(150):
        counts = np.histogram(rng.random(n), cells, (0, 1))[0]
        true = np.cumsum(counts) / n
        errors.append(np.abs(density(cdf_release(counts, mu, rng)).cdf(np.arange(1, cells + 1) / cells) - true).max())
        noisy = counts + rng.normal(0, math.sqrt(2) / mu, cells)
        noisy += (n - noisy.sum()) / cells
        summed.append(np.abs(np.cumsum(noisy) / n - true).max())
    assert np.mean(errors) == pytest.approx(ours, rel=0.08)
    assert np.mean(summed) == pytest.approx(sums, rel=0.08)


def test_a_distribution_function_is_monotone_and_ends_at_one():
    rng = np.random.default_rng(8)
    found = density(cdf_release(rng.multinomial(50, np.full(64, 1 / 64)), 0.2, rng))
    assert found.masses.min() >= 0
    assert found.masses.sum() == pytest.approx(1)
    assert found.cdf([0, 1]).tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_regression(seed):
    rng = np.random.default_rng(seed)
    values = np.round(np.cumsum(rng.normal(0.1, 1, 200)), 1)
    assert isotonic(values) == pytest.approx(optimize.isotonic_regression(values).x, abs=1e-12)
    other = values + rng.uniform(-1, 1, 200)
    assert np.abs(isotonic(values) - isotonic(other)).max() <= np.abs(values - other).max() + 1e-12
    with pytest.raises(InvalidInput):
        isotonic([1.0, math.nan])


def test_a_sample_is_its_points():
    schema = Schema({"age": Bounded(0, 100, step=1)})
    release = SampleRelease(
        schema=schema, column_name="age", codes=[10, 20, 20, 90], mechanism="KolmogorovExponential", n=50
    )
    found = density(release)
    assert isinstance(found, Empirical)
    assert found.cdf([9, 10, 20, 89, 90]).tolist() == [0, 0.25, 0.75, 0.75, 1]
    assert found.quantile([0, 0.25, 0.26, 0.75, 1]).tolist() == [10, 10, 20, 20, 90]
    assert found.pdf([15, 95]).tolist() == pytest.approx([0.03, 0.01])
    assert set(found.sample(100, 1)) == {10, 20, 90}


@pytest.mark.parametrize("wrong", [None, [1, 2], 3.0])
def test_only_a_release_has_a_density(wrong):
    with pytest.raises(InvalidInput, match="histogram, series, sample or cdf"):
        density(wrong)


def test_densities_that_are_none():
    with pytest.raises(InvalidInput, match="increasing edges"):
        Density([0, 0, 1], [0.5, 0.5])
    with pytest.raises(InvalidInput, match="add up to 1"):
        Density([0, 1, 2], [0.5, 0.6])
    with pytest.raises(InvalidInput, match="add up to 1"):
        Density([0, 1, 2], [1.5, -0.5])
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        Density([0, 1], [1.0]).quantile(1.1)
    with pytest.raises(InvalidInput, match="within the bounds"):
        Empirical([2.0], 0, 1)
