"""The laws on the integers against sums over their masses, scipy.stats, and one another; cells that sum several draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from discreet import load
from discreet.errors import InvalidInput, NotAvailable
from discreet.noise import DiscreteGaussian, DiscreteLaplace, Gaussian, JointNoise, Laplace
from discreet.release import TableRelease

LAPLACE = [DiscreteLaplace(4.0), DiscreteLaplace(0.3), DiscreteLaplace(50.0)]
GAUSSIAN = [DiscreteGaussian(3.0), DiscreteGaussian(0.4), DiscreteGaussian(1.0), DiscreteGaussian(40.0)]
LAWS = [*LAPLACE, *GAUSSIAN]


def masses(law):
    """z and P(X = z), normalised by summation."""
    reach = math.ceil((700 if isinstance(law, DiscreteLaplace) else 38) * law.scale) + 10
    z = np.arange(-reach, reach + 1)
    mass = np.exp(-np.abs(z) / law.scale) if isinstance(law, DiscreteLaplace) else np.exp(-0.5 * (z / law.scale) ** 2)
    return z, mass / mass.sum()


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_tails_moments_and_quantiles_by_summation(law):
    z, mass = masses(law)
    assert law.variance == pytest.approx(mass @ z**2, rel=1e-12)
    below, above = np.cumsum(mass), np.cumsum(mass[::-1])[::-1]
    near = np.flatnonzero((np.abs(z) < 20 * law.scale + 2) & (np.minimum(below, above) > 1e-280))[:-1]
    np.testing.assert_allclose(law.cdf(z[near]), below[near], rtol=1e-12)
    np.testing.assert_allclose(law.sf(z[near]), above[near + 1], rtol=1e-12)
    np.testing.assert_array_equal(law.sf(z[near] + 0.5), law.sf(z[near]))
    np.testing.assert_array_equal(law.cdf(z[near] + 0.5), law.cdf(z[near]))
    u = np.random.default_rng(5).random(5000)
    np.testing.assert_array_equal(law.ppf(u), z[np.searchsorted(below, u)])
    lower = z[near][(z[near] <= 0) & (below[near] > 1e-250)]
    np.testing.assert_array_equal(law.ppf(law.cdf(lower)), lower)  # each jump is its own quantile
    np.testing.assert_array_equal(law.ppf(law.cdf(lower) * (1 + 1e-9)), lower + 1)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_transforms_by_summation(law):
    z, mass = masses(law)
    t = np.array([0.0, 0.4, 1.3, 3.0, 9.0])
    np.testing.assert_allclose(law.characteristic_function(t), np.cos(np.outer(t, z)) @ mass, atol=1e-13)
    radius = min(law.mgf_radius, 12.0 / law.scale)
    for s in (0.5 * radius, -0.9 * radius, 0.3 * radius + 0.5j, 0.7 * radius + 4j):
        exponents = s * z
        keep = exponents.real < 700
        direct = (mass[keep] * np.exp(exponents[keep])).sum()
        size = (mass[keep] * np.exp(exponents[keep].real)).sum()
        assert abs(np.exp(law.log_mgf(s)) - direct) < 1e-12 * size


def test_against_scipy():
    k = np.arange(-30, 31)
    np.testing.assert_allclose(DiscreteLaplace(4.0).cdf(k), stats.dlaplace(1 / 4.0).cdf(k), rtol=1e-12)


def test_wide_laws_are_nearly_continuous():
    x = np.array([-1.5e4, 0.0, 2e4, 9e4])
    np.testing.assert_allclose(DiscreteGaussian(1e4).sf(x), Gaussian(1e4).sf(x + 0.5), rtol=1e-6)
    np.testing.assert_allclose(DiscreteLaplace(1e4).sf(x), Laplace(1e4).sf(x + 0.5), rtol=1e-8)
    assert DiscreteLaplace(3.0).variance == pytest.approx(Laplace(3.0).variance * (1 - 1 / (12 * 9)), rel=1e-3)


@pytest.mark.parametrize("law", [DiscreteLaplace(2.5), DiscreteGaussian(0.8)], ids=repr)
def test_simulation_follows_the_law(law):
    """A chi-squared test at a fixed seed; the continuous law of the same scale, rounded down, is told apart."""
    draws = law.sample((40, 500), np.random.default_rng(2))
    assert draws.shape == (40, 500)
    assert (draws == np.round(draws)).all()
    z = np.arange(-4, 5)
    counts = np.array([(draws == k).sum() for k in z])
    expected = draws.size * (law.cdf(z) - law.cdf(z - 1))
    assert stats.chi2.sf((((counts - expected) ** 2) / expected).sum(), z.size) > 1e-6
    continuous = np.floor(
        (Laplace if isinstance(law, DiscreteLaplace) else Gaussian)(law.scale).sample(
            draws.size, np.random.default_rng(2)
        )
    )
    wrong = np.array([(continuous == k).sum() for k in z])
    assert stats.chi2.sf((((wrong - expected) ** 2) / expected).sum(), z.size) < 1e-6


@pytest.mark.parametrize("law", [DiscreteLaplace(4.0), DiscreteLaplace(0.3), DiscreteGaussian(3.0)], ids=repr)
def test_cells_that_sum_several_draws(law):
    z, mass = masses(law)
    keep = mass > 1e-40
    z, mass = z[keep], mass[keep]
    three = np.convolve(np.convolve(mass, mass), mass)
    values = np.arange(3 * z[0], 3 * z[-1] + 1)
    noise = JointNoise(law, (2,), draws_per_cell=3)
    for x in (-6.0, -1.0, 0.0, 0.5, 3.0, 11.0):
        assert noise.sf(x) == pytest.approx(three[values > x].sum(), rel=1e-10)
        assert noise.cdf(x) == pytest.approx(three[values <= x].sum(), rel=1e-10)
    for u in (0.025, 0.3, 0.5, 0.9, 0.975):
        assert noise.ppf(u) == values[np.searchsorted(np.cumsum(three), u)]


@pytest.mark.parametrize("law", [DiscreteLaplace(4.0), DiscreteGaussian(0.7)], ids=repr)
def test_centred_cells_have_a_finer_lattice(law):
    """One cell of five after centring: (4 A - B)/5 with B a sum of four draws."""
    z, mass = masses(law)
    keep = mass > 1e-30
    z, mass = z[keep], mass[keep]
    four = np.convolve(np.convolve(mass, mass), np.convolve(mass, mass))
    sums = np.arange(4 * z[0], 4 * z[-1] + 1)
    noise = JointNoise(law, (5,), centred=True)
    for x in (0.0, 0.4, 2.0, -1.2):
        tail = sum(p * four[sums < 4 * a - 5 * x - 1e-9].sum() for a, p in zip(z, mass, strict=True))
        assert noise.sf(x) == pytest.approx(tail, rel=1e-10)
        assert noise.sf(x) + noise.cdf(x) == pytest.approx(1.0, rel=1e-10)
    q = noise.ppf(0.9)
    assert noise.cdf(q) >= 0.9 > noise.cdf(q - 0.2)


@pytest.mark.parametrize("law", [DiscreteLaplace(4.0), DiscreteGaussian(3.0)], ids=repr)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_intervals_cover_with_at_least_their_level(law, level):
    columns = {"a": ["x", "y"], "b": ["u", "v", "w"]}
    table = TableRelease.from_counts(np.full((2, 3), 40), columns, noise=law, n=240)
    for release in (table, table.margin("a")):
        half = release.half_width(level)
        inside = 1.0 - 2.0 * release.noise.sf(half)
        assert half == round(half)
        assert inside >= level > 1.0 - 2.0 * release.noise.sf(half - 1.0)
        assert release.interval(level)[0].ravel()[0] == release.counts.ravel()[0] - half


@pytest.mark.parametrize("law", [DiscreteLaplace(4.0), DiscreteGaussian(3.0)], ids=repr)
def test_a_release_keeps_the_law(law, tmp_path):
    table = TableRelease.from_counts([3, 40], {"a": ["x", "y"]}, noise=law, other=-2)
    table.save(tmp_path / "table.json")
    assert load(tmp_path / "table.json").noise == table.noise == law.on((2,), other=True)
    assert "iscrete" in repr(table)


@pytest.mark.parametrize("law", [DiscreteLaplace, DiscreteGaussian])
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, True, "1", None])
def test_bad_scales(law, value):
    with pytest.raises(InvalidInput, match="must be"):
        law(value)


def test_too_wide():
    with pytest.raises(InvalidInput, match="Gaussian"):
        DiscreteGaussian(2e5)
    with pytest.raises(NotAvailable, match="continuous law"):
        JointNoise(DiscreteLaplace(1e7), (2,), draws_per_cell=2).sf(5.0)
