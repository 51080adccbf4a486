"""One degree of freedom: the integral against closed forms, sums over integers, and published numbers."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from discreet.inference.null.one_degree import one_degree_sf, one_degree_tail
from discreet.noise import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace


def normal_tail(z):
    return mp.erfc(z / mp.sqrt(2)) / 2


def laplace_sum_tail(x, scales):
    """P(N(0, 1) + sum a_j Laplace(1) > x) for distinct a_j > 0: partial fractions of the moment generating function."""
    total = mp.mpf(0)
    for j, a in enumerate(scales):
        share = mp.mpf(1)
        for k, b in enumerate(scales):
            share *= 1 if k == j else a**2 / (a**2 - b**2)
        cross = mp.e ** (-x / a) * normal_tail(1 / a - x) - mp.e ** (x / a) * normal_tail(1 / a + x)
        total += share * (normal_tail(x) + mp.e ** (1 / (2 * a**2)) / 2 * cross)
    return total


@pytest.mark.parametrize(
    "scales",
    [(0.1,), (2.0,), (0.64, 0.63, 0.62, 0.61), (0.05, 0.4, 3.0), (31.0, 14.0, 29.5), (20.0, 0.3, 19.0, 0.2, 5.0)],
)
@pytest.mark.parametrize("deviations", [0.01, 1.0, 3.0, 8.0, 20.0])
def test_laplace_noise_by_partial_fractions(scales, deviations):
    t = (deviations * np.sqrt(1 + 2 * sum(a * a for a in scales))) ** 2
    with mp.workdps(60):
        reference = 2 * laplace_sum_tail(mp.sqrt(mp.mpf(float(t))), [mp.mpf(a) for a in scales])
        computed = one_degree_sf(t, [(Laplace(2.0), 0.5 * np.array(scales) * np.resize([1, -1], len(scales)))])
        assert float(computed / reference - 1) == pytest.approx(0, abs=1e-10)


def test_far_down_it_keeps_its_digits():
    with mp.workdps(60):
        for x in (40, 80, 160):
            reference = 2 * laplace_sum_tail(mp.mpf(x), [mp.mpf(1), mp.mpf("0.75")])
            computed = one_degree_sf(float(x**2), [(Laplace(1.0), np.array([1.0, 0.75]))])
            assert float(computed / reference - 1) == pytest.approx(0, abs=1e-10)
        assert reference < 1e-68


@pytest.mark.parametrize("sd", [1e-3, 1.0, 100.0])
def test_gaussian_noise_widens_the_normal(sd):
    x = np.array([1e-8, 0.3, 2.0, 9.0, 30.0])
    reference = 2 * stats.norm.sf(x)
    np.testing.assert_allclose(one_degree_sf(x**2 * (1 + sd**2), [(Gaussian(sd), np.ones(1))]), reference, rtol=1e-11)


@pytest.mark.parametrize(
    "law", [DiscreteLaplace(4.0), DiscreteLaplace(0.4), DiscreteGaussian(3.0), DiscreteGaussian(0.4)]
)
@pytest.mark.parametrize("coefficient", [0.3, 3.0])
def test_integer_noise_by_summation(law, coefficient):
    """Also where a step of the noise is three standard deviations, so that the tail has steps."""
    z = np.arange(-800, 801)
    mass = np.maximum(law.cdf(z) - law.cdf(z - 1), 0.0)
    mass[z > 0] = mass[z < 0][::-1]
    for t in (0.5, 4.0, 50.0, 500.0):
        reference = 2 * (mass * stats.norm.sf(np.sqrt(t) - coefficient * z)).sum()
        assert one_degree_sf(t, [(law, np.array([coefficient]))]) == pytest.approx(reference, rel=1e-10)


def test_several_noises_stack():
    """Laplace(1) with a = 0.5 and Laplace(2) with a = 0.2 are Laplace(1) with 0.5 and 0.4; Gaussian noise adds variance."""
    t = np.array([0.5, 6.0, 60.0])
    one = one_degree_sf(t, [(Laplace(1.0), np.array([0.5, 0.4]))])
    two = one_degree_sf(t, [(Laplace(1.0), np.array([0.5])), (Laplace(2.0), np.array([0.2]))])
    np.testing.assert_allclose(one, two, rtol=1e-12)
    widened = one_degree_sf(t, [(Laplace(1.0), np.array([0.5])), (Gaussian(3.0), np.array([1.0]))])
    scaled = one_degree_sf(t / 10, [(Laplace(1.0), np.array([0.5 / np.sqrt(10)]))])
    np.testing.assert_allclose(widened, scaled, rtol=1e-10)


def test_many_at_once_are_each_alone():
    rng = np.random.default_rng(8)
    t, contrast = rng.exponential(10.0, 60), rng.normal(0, 0.5, (60, 4))
    for noise in (Laplace(1.5).on((4,)), DiscreteLaplace(1.5).on((4,), other=True)):
        together = one_degree_tail(t, noise, contrast)
        alone = [float(one_degree_tail(t[i], noise, contrast[i])) for i in range(60)]
        np.testing.assert_allclose(together, alone, rtol=1e-10)


def test_a_margin_of_many_draws_is_nearly_normal():
    noise = Laplace(0.1).on((2, 300)).margin((0,))
    p = one_degree_tail([1.0, 9.0], noise, [0.5, -0.5])
    np.testing.assert_allclose(p, 2 * stats.norm.sf(np.array([1.0, 3.0]) / np.sqrt(4.0)), rtol=1e-3)


def test_the_ends():
    draws = [(Laplace(1.0), np.array([0.5]))]
    p = one_degree_sf([-1.0, 0.0, 1e-300, 1e8, np.inf], draws)
    assert p.tolist() == [1, 1, pytest.approx(1, abs=1e-12), 0, 0]
