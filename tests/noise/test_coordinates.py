"""Independent noise with a scale in each coordinate: the laws of SciPy, coordinate by coordinate."""

import numpy as np
import pytest
from scipy import stats

from discreet.errors import InvalidInput
from discreet.noise import CoordinateNoise, Gaussian, Laplace

SCALES = (0.5, 4.0, 30.0, 1.0, 2.0, 1e-3)
ORACLES = {"Laplace": stats.laplace, "Gaussian": stats.norm}


@pytest.mark.parametrize("family", ORACLES)
def test_every_coordinate_has_its_own_law(family):
    noise = CoordinateNoise(family, SCALES, (2, 3))
    oracle = ORACLES[family](scale=np.reshape(SCALES, (2, 3)))
    x = np.array([[-1.0, 2.0, 40.0], [0.0, -9.0, 0.01]])
    np.testing.assert_allclose(noise.cdf(x), oracle.cdf(x), rtol=1e-12)
    np.testing.assert_allclose(noise.sf(x), oracle.sf(x), rtol=1e-12)
    np.testing.assert_allclose(noise.ppf(0.975), oracle.ppf(0.975), rtol=1e-12)
    np.testing.assert_allclose(noise.sd, oracle.std(), rtol=1e-12)
    np.testing.assert_allclose(noise.variance, oracle.var(), rtol=1e-12)
    assert noise.coordinate(1, 0) == {"Laplace": Laplace, "Gaussian": Gaussian}[family](1.0)
    np.testing.assert_array_equal(noise.covariance, np.diag(noise.variance.ravel()))


@pytest.mark.parametrize("family", ORACLES)
def test_simulated_noise_has_the_law_and_independent_coordinates(family):
    noise = CoordinateNoise(family, SCALES, (2, 3))
    draws = noise.sample(20_000, 7)
    assert draws.shape == (20_000, 2, 3)
    for index in np.ndindex(2, 3):
        law = ORACLES[family](scale=noise.scale[index])
        assert stats.kstest(draws[(slice(None), *index)], law.cdf).pvalue > 1e-4  # fixed seed
    correlations = np.corrcoef(draws.reshape(-1, 6).T) - np.eye(6)
    assert abs(correlations).max() < 4.5 / np.sqrt(20_000)


@pytest.mark.parametrize(
    ("family", "scales", "shape", "message"),
    [
        ("Cauchy", (1.0,), (1,), "one of Laplace, Gaussian"),
        ("Laplace", (1.0, 2.0), (3,), "do not fill"),
        ("Laplace", (), (0,), "do not fill"),
        ("Laplace", (1.0, 0.0), (2,), "above 0"),
        ("Gaussian", (float("nan"),), (1,), "finite"),
        ("Gaussian", (True,), (1,), "must be a number"),
    ],
)
def test_what_is_no_noise_is_refused(family, scales, shape, message):
    with pytest.raises(InvalidInput, match=message):
        CoordinateNoise(family, scales, shape)


def test_a_law_is_a_value():
    one, other = (CoordinateNoise("Laplace", (1.0, 2.0), (2,)) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    with pytest.raises(ValueError, match="read-only"):
        one.scale[0] = 3.0
