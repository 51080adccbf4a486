"""The laws of one draw against scipy.stats and mpmath."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from discreet.errors import InvalidInput
from discreet.noise import Gaussian, Laplace, ProjectedGaussian

X = np.array([-40.0, -3.3, -1.0, -1e-9, 0.0, 1e-9, 0.5, 2.0, 7.7, 60.0])
U = np.array([1e-300, 1e-16, 1e-6, 0.1, 0.4999, 0.5, 0.5001, 0.9, 1 - 1e-6, 1 - 1e-15])
PAIRS = [(Laplace(2.5), stats.laplace(scale=2.5)), (Gaussian(1.7), stats.norm(scale=1.7))]


@pytest.mark.parametrize(("law", "reference"), PAIRS, ids=["laplace", "gaussian"])
def test_against_scipy(law: Laplace | Gaussian, reference: stats.rv_continuous) -> None:
    np.testing.assert_allclose(law.cdf(X), reference.cdf(X), rtol=1e-13)
    np.testing.assert_allclose(law.sf(X), reference.sf(X), rtol=1e-13)
    np.testing.assert_allclose(law.ppf(U), reference.ppf(U), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(law.cdf(law.ppf(U)), U, rtol=1e-12)
    assert law.variance == pytest.approx(reference.var(), rel=1e-14)


def test_tails_by_mpmath() -> None:
    for x in (5.0, 30.0):
        assert Gaussian(1.0).sf(x) == pytest.approx(float(mp.ncdf(-x)), rel=1e-13)
        assert Gaussian(1.0).cdf(-x) == pytest.approx(float(mp.ncdf(-x)), rel=1e-13)
        assert Laplace(1.0).sf(10 * x) == pytest.approx(float(mp.exp(-10 * x) / 2), rel=1e-13)


@pytest.mark.parametrize("law", [Laplace(0.8), Gaussian(0.8)], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("t", [0.0, 0.3, 1.1])
def test_transforms_by_quadrature(law: Laplace | Gaussian, t: float) -> None:
    def density(x: mp.mpf) -> mp.mpf:
        z = x / mp.mpf("0.8")
        return mp.exp(-z) / mp.mpf("1.6") if isinstance(law, Laplace) else mp.npdf(z) / mp.mpf("0.8")

    even = [2 * mp.quad(lambda x, g=g: g(t * x) * density(x), [0, 1, 5, 20, 200]) for g in (mp.cos, mp.cosh)]
    assert float(law.characteristic_function(t)) == pytest.approx(float(even[0]), rel=1e-10)
    assert float(law.moment_generating_function(t)) == pytest.approx(float(even[1]), rel=1e-10)
    assert complex(law.log_mgf(1j * t)).real == pytest.approx(math.log(float(even[0])), abs=1e-12)


def test_the_moment_generating_function_ends() -> None:
    law = Laplace(2.0)
    assert law.mgf_radius == 0.5
    np.testing.assert_array_equal(law.moment_generating_function([0.5, -0.5, 3.0]), [np.inf] * 3)
    assert Gaussian(2.0).mgf_radius == np.inf


@pytest.mark.parametrize(("law", "reference"), PAIRS, ids=["laplace", "gaussian"])
def test_simulation_follows_the_law(law: Laplace | Gaussian, reference: stats.rv_continuous) -> None:
    draws = law.sample((50, 1000), np.random.default_rng(11))
    assert draws.shape == (50, 1000)
    assert stats.kstest(draws.ravel(), reference.cdf).pvalue > 1e-6
    # The test has the power to see a wrong scale.
    assert stats.kstest(1.1 * draws.ravel(), reference.cdf).pvalue < 1e-6


@pytest.mark.parametrize("law", [Laplace, Gaussian, ProjectedGaussian])
@pytest.mark.parametrize("value", [0, -1, -0.0, math.nan, math.inf, True, "1", None])
def test_bad_scales(law: type, value: object) -> None:
    with pytest.raises(InvalidInput, match="must be"):
        law(value)


def test_a_law_is_a_value() -> None:
    assert Laplace(2) == Laplace(2.0) != Laplace(3)
    assert repr(ProjectedGaussian(2)) == "ProjectedGaussian(sd=2.0)"
    assert Laplace(2).scale == 2.0
    assert Gaussian(2).scale == ProjectedGaussian(2).scale == 2.0
