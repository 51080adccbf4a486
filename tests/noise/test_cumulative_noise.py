"""The law of noise in cumulative sums, against the plain matrix product."""

import numpy as np
import pytest
from scipy import linalg, stats

from discreet.errors import InvalidInput
from discreet.noise import CumulativeNoise

WEIGHTS = np.array([1.0, 0.5, 0.375, 0.3125, 0.2])


def test_moments_are_those_of_the_matrix():
    noise = CumulativeNoise(3.0, WEIGHTS)
    w = linalg.toeplitz(WEIGHTS, np.zeros(5))
    assert noise.covariance == pytest.approx(9 * w @ w.T)
    assert noise.variance == pytest.approx(np.diag(noise.covariance))
    assert noise.cdf(2.0) == pytest.approx(stats.norm.cdf(2.0, scale=noise.cell_sds))
    assert noise.ppf(0.975) == pytest.approx(stats.norm.ppf(0.975, scale=noise.cell_sds))
    assert noise.shape == (5,)


@pytest.mark.parametrize("size", [1, 2, 5, 33])
def test_a_simulation_is_the_matrix_times_independent_draws(size):
    noise = CumulativeNoise(3.0, np.linspace(1, 0.3, size))
    draws = np.random.default_rng(5).normal(0.0, 3.0, (4, size))
    w = linalg.toeplitz(noise.weights, np.zeros(size))
    assert noise.sample(4, 5) == pytest.approx(draws @ w.T)


def test_a_scale_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="standard deviation"):
        CumulativeNoise(0.0, WEIGHTS)
