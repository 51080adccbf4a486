"""The sum of many draws as one draw: the same law, cell by cell and jointly."""

import numpy as np
import pytest
from scipy import special, stats

from discreet.errors import InvalidInput
from discreet.noise import DiscreteGaussian, DiscreteLaplace, Gaussian, JointNoise, Laplace, ProjectedGaussian
from discreet.noise.single_cell import cell_ppf
from discreet.noise.summed import FEWEST, summed


@pytest.mark.parametrize("times", [FEWEST, 40, 2500, 10**6])
def test_the_quantiles_of_summed_laplace_draws_are_inverse_to_their_tail(times):
    """On the scale of standard normal quantiles: exact tails at the tabulated quantiles, from the median to 1e-15."""
    law = summed(Laplace(2.5), times)
    z = np.linspace(0.01, 7.9, 40)
    assert np.abs(-special.ndtri(law.sf(-law.ppf(special.ndtr(-z)))) - z).max() < 1e-6
    assert np.array_equal(law.ppf([0.25, 0.75]), -law.ppf([0.75, 0.25]))
    assert law.ppf(0.5) == pytest.approx(0.0, abs=1e-9 * law.scale)


@pytest.mark.parametrize("law", [DiscreteLaplace(0.7), DiscreteLaplace(5.0), DiscreteGaussian(0.3)])
@pytest.mark.parametrize("times", [FEWEST, 300])
def test_sums_on_the_integers_have_exact_quantiles(law, times):
    many = summed(law, times)
    u = [1e-9, 1e-4, 0.05, 0.3, 0.49, 0.61, 0.9, 0.9999]
    assert many.ppf(u).tolist() == [cell_ppf(law, ((1.0, times),), x, many.variance**0.5) for x in u]


def test_sums_of_wide_laws_on_the_integers_are_those_of_the_continuous_law():
    """Where the step is below 1e-5 of the standard deviation."""
    many = summed(DiscreteLaplace(5000.0), 10_000)
    assert not many.on_integers
    assert many.variance == pytest.approx(10_000 * DiscreteLaplace(5000.0).variance)


@pytest.mark.parametrize("law", [Laplace(2.0), DiscreteLaplace(1.0)])
def test_samples_have_the_law(law):
    """Kolmogorov's test with a false alarm of 1e-6 for each; and it tells the law from one with an 8 % larger scale."""
    many = summed(law, 50)
    x = many.sample(60_000, np.random.default_rng(7))
    if many.on_integers:
        x = x + np.random.default_rng(8).uniform(-0.5, 0.5, x.size)
        k = np.arange(-120, 121)
        ends, tails = k + 0.5, 1.0 - many.sf(k + 0.25)

        def cdf(y):
            return np.interp(y, ends, tails)

    else:

        def cdf(y):
            return 1.0 - many.sf(y)

    assert stats.kstest(x, cdf).pvalue > 1e-6
    assert stats.kstest(1.08 * x, cdf).pvalue < 1e-6


def test_gaussian_draws_stay_gaussian_and_few_draws_stay_apart():
    assert summed(Gaussian(3.0), 16) == Gaussian(12.0)
    few = Laplace(1.0).on((4, FEWEST - 1)).margin((0,))
    assert few.lumped is few


LAWS = {
    "independent Laplace": Laplace(2.0).on((40, 5, 6)).margin((2, 1)),
    "with other": Laplace(2.0).on((40, 5, 6), other=True).margin((1,)),
    "projected": ProjectedGaussian(2.0).on((40, 5, 6)).margin((1, 2)),
    "projected with other": ProjectedGaussian(2.0).on((40, 5, 6), other=True).margin((2, 1)),
    "by group": ProjectedGaussian(2.0).on((40, 5, 6), group_axis=1).margin((2, 1)),
    "by group with other": ProjectedGaussian(2.0).on((40, 5, 6), other=True, group_axis=1).margin((1, 2)),
    "over groups with other": ProjectedGaussian(2.0).on((40, 5, 6), other=True, group_axis=1).margin((2,)),
    "on the integers": DiscreteLaplace(0.5).on((40, 5, 6)).margin((2,)),
    "centred Laplace": JointNoise(Laplace(1.0), (6,), 40, 240, True),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_lumped_law_is_the_same_joint_law(name):
    noise, lumped = LAWS[name], LAWS[name].lumped
    assert lumped.dimension <= lumped.size + lumped.groups
    assert lumped.draws_per_cell == 1
    np.testing.assert_allclose(lumped.covariance, noise.covariance, rtol=1e-12, atol=1e-12)
    assert lumped.total_variance == pytest.approx(noise.total_variance, abs=1e-9)
    if not noise.centred:
        assert lumped.ppf(0.9) == pytest.approx(noise.ppf(0.9), rel=1e-6)
    map_of_draws = lumped.mix(np.eye(lumped.dimension))  # the rows are L'
    covariance = lumped.law.variance * map_of_draws.T @ map_of_draws
    np.testing.assert_allclose(covariance, noise.covariance, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(lumped.pull_back(np.eye(lumped.size)), map_of_draws.T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_simulated_tables_of_both_have_one_covariance(name):
    """20,000 tables: each entry within 5.7 of its standard errors (1e-6 for the 900 entries of the largest together)."""
    noise, lumped = LAWS[name], LAWS[name].lumped
    size = 20_000
    x = lumped.sample(size, 11).reshape(size, -1)
    wanted = noise.covariance
    error = np.sqrt((np.outer(wanted.diagonal(), wanted.diagonal()) + wanted**2) / size) * 1.02
    assert (np.abs(x.T @ x / size - wanted) <= 6.2 * error + 1e-9).all()


def test_parts_of_a_draw_are_for_gaussian_noise_only():
    with pytest.raises(InvalidInput, match="only Gaussian noise"):
        JointNoise(Laplace(1.0), (2, 2), 1, 4.5, True)
