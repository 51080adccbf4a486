"""The level of every test under its null, at the settings where ignoring the noise goes most wrong.

The measured sizes of the limit law at nominal .05 are .051 to .052 at the first three settings; 45,000 tables give a
standard error of .00104, so the bounds .045 and .058 are passed by chance with probability below 1e-6. Other bounds are
5.5 standard errors around the size that was measured once, with other seeds. Nothing is retried.
"""

import numpy as np
import pytest

from discreet.inference import Conditional, MonteCarlo, goodness_of_fit, homogeneity, independence
from discreet.noise import JointNoise, Laplace, ProjectedGaussian

pytestmark = pytest.mark.slow

FAST = Conditional(points=512)


def sizes(draw_and_test, tables, seed):
    """Shares of p-values <= .05: ours and the naive ones."""
    rng = np.random.default_rng(seed)
    results = [draw_and_test(rng) for _ in range(tables)]
    return np.mean([r.pvalue <= 0.05 for r in results]), np.mean([r.naive_pvalue <= 0.05 for r in results])


def noisy_independent(rows, columns, n, epsilon, **options):
    theta, noise = np.outer(rows, columns), Laplace(2 / epsilon)
    null = "closed-form" if theta.size == 4 else FAST

    def draw_and_test(rng):
        counts = rng.multinomial(n, theta.ravel()).reshape(theta.shape)
        return independence(counts + noise.sample(theta.shape, rng), noise=noise, n=n, null=null, rng=rng, **options)

    return draw_and_test


HALF, THIRD = (0.5, 0.5), (1 / 3, 1 / 3, 1 / 3)


@pytest.mark.parametrize(
    ("rows", "columns", "n", "epsilon", "naive_at_least"),
    [(HALF, HALF, 1000, 0.1, 0.30), ((0.2, 0.3, 0.5), (0.4, 0.6), 2000, 0.1, 0.43), (HALF, HALF, 500, 0.2, 0.19)],
)
def test_independence_keeps_its_level_where_the_naive_test_does_not(rows, columns, n, epsilon, naive_at_least):
    ours, naive = sizes(noisy_independent(rows, columns, n, epsilon), 45_000, seed=11)
    assert 0.045 < ours < 0.058
    assert naive > naive_at_least


def test_the_known_mild_excess_of_the_limit_law_at_three_by_three():
    ours, naive = sizes(noisy_independent(THIRD, THIRD, 1000, 0.1), 45_000, seed=12)
    assert 0.052 < ours < 0.065  # about .058: stated in the documentation
    assert naive > 0.8


@pytest.mark.parametrize(("n", "epsilon", "naive_at_least"), [(1000, 0.1, 0.28), (500, 0.2, 0.19)])
def test_the_likelihood_ratio_keeps_its_level(n, epsilon, naive_at_least):
    ours, naive = sizes(noisy_independent(HALF, HALF, n, epsilon, statistic="lr"), 20_000, seed=13)
    assert 0.043 < ours < 0.060
    assert naive > naive_at_least


def test_strays_are_estimated_and_never_counted_in_n():
    """3 x 3, half of the records in the other cell, n = 2000, epsilon = .2: kappa must be 1/sqrt(N-hat)."""
    noise, cells = Laplace(10), np.full(9, 0.5 / 9)

    def draw(rng):
        counts = rng.multinomial(2000, [*cells, 0.5])[:9].reshape(3, 3)
        return counts + noise.sample((3, 3), rng)

    ours, naive = sizes(lambda rng: independence(draw(rng), noise=noise, null=FAST, rng=rng), 45_000, seed=14)
    assert 0.045 < ours < 0.058
    assert naive > 0.3
    wrong, _ = sizes(lambda rng: independence(draw(rng), noise=noise, n=2000, null=FAST, rng=rng), 10_000, seed=15)
    assert wrong > 0.14


THETA = np.array([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("public", [True, False])
def test_goodness_of_fit_keeps_its_level(public):
    noise = Laplace(10)

    def draw_and_test(rng):
        noisy = rng.multinomial(500, THETA) + noise.sample(4, rng)
        return goodness_of_fit(noisy, THETA, noise=noise, n=500 if public else None, null=FAST, rng=rng)

    ours, naive = sizes(draw_and_test, 20_000, seed=16)
    assert 0.041 < ours < 0.060
    assert naive > 0.25


def test_goodness_of_fit_by_simulation_keeps_its_level_in_a_small_sample():
    """Finite-sample validity: at n = 30 P(p <= .05) <= .05 by exchangeability, whatever the limit law says."""
    noise = Laplace(2)

    def draw_and_test(rng):
        noisy = rng.multinomial(30, THETA) + noise.sample(4, rng)
        return goodness_of_fit(noisy, THETA, noise=noise, n=30, null=MonteCarlo(points=199), rng=rng)

    ours, _ = sizes(draw_and_test, 20_000, seed=17)
    assert 0.042 < ours < 0.0585  # .05 -+ 5.5 standard errors


@pytest.mark.parametrize("public", [True, False])
def test_homogeneity_keeps_its_level(public):
    theta, sample_sizes, noise = [0.25, 0.25, 0.5], (400, 700), Laplace(10)

    def draw_and_test(rng):
        noisy = [rng.multinomial(n, theta) + noise.sample(3, rng) for n in sample_sizes]
        return homogeneity(*noisy, noise=noise, n=sample_sizes if public else None, null=FAST, rng=rng)

    ours, naive = sizes(draw_and_test, 20_000, seed=18)
    assert 0.041 < ours < 0.062
    assert naive > 0.2


@pytest.mark.parametrize("other", [0, 1])
def test_projected_gaussian_noise_keeps_its_level(other):
    """The rank-deficient mechanism on a skewed 2 x 2 table, complete and with an other cell, mu = .1."""
    theta = np.outer((0.3, 0.7), (0.4, 0.6)).ravel() * (1 - 0.2 * other)
    law = ProjectedGaussian(np.sqrt(2) / 0.1)
    noise = law.on((2, 2), other=bool(other))

    def draw_and_test(rng):
        counts = rng.multinomial(2000, [*theta, 1 - theta.sum() + 1e-15])[:4].reshape(2, 2)
        noisy = counts + noise.sample(1, rng)[0]
        return independence(noisy, noise=noise, n=None if other else 2000, null="closed-form")

    ours, naive = sizes(draw_and_test, 20_000, seed=19)
    assert 0.041 < ours < 0.060
    assert naive > 0.1


COVERAGE = {
    "2 x 2, V = .1": (np.array([[0.275, 0.225], [0.225, 0.275]]), 2000, Laplace(20)),
    "2 x 3, V = .15": (
        np.array([[1, 1, 1], [1, 1, 1]]) / 6 + 0.15 / 6 * np.sqrt(1.5) * np.array([[1, 0, -1], [-1, 0, 1]]),
        3000,
        Laplace(10),
    ),
    "3 x 3, V = .1": (
        np.full((3, 3), 1 / 9) + 0.1 / 9 * np.sqrt(3) * np.array([[1, -1, 0], [-1, 1, 0], [0, 0, 0]]) * np.sqrt(1.5),
        4000,
        ProjectedGaussian(10.0),
    ),
}


@pytest.mark.parametrize("setting", COVERAGE)
def test_the_effect_interval_covers_the_true_effect(setting):
    """2,000 tables: the standard error of a coverage of .95 is .0049, so .926 and .974 are nearly five of them away."""
    theta, n, noise = COVERAGE[setting]
    independent = np.outer(theta.sum(1), theta.sum(0))
    truth = np.sqrt(((theta - independent) ** 2 / independent).sum() / (min(theta.shape) - 1))
    joint, rng = noise.on(theta.shape), np.random.default_rng(20)
    covered = []
    for _ in range(2000):
        noisy = rng.multinomial(n, theta.ravel()).reshape(theta.shape) + joint.sample(1, rng)[0]
        effect = independence(noisy, noise=noise, n=n, null=FAST, rng=rng).effect
        covered.append(effect.low <= truth <= effect.high)
    assert 0.926 < np.mean(covered) < 0.974


def test_margins_of_a_projected_table_keep_their_level():
    """A 2 x 2 margin of a 2 x 2 x 3 table: the noise of each cell is a sum of three correlated draws."""
    noise = JointNoise(Laplace(10.0), (2, 2, 3))
    theta = np.einsum("i,j,k->ijk", (0.4, 0.6), (0.3, 0.7), THIRD).ravel()

    def draw_and_test(rng):
        noisy = rng.multinomial(1500, theta).reshape(2, 2, 3) + noise.sample(1, rng)[0]
        return independence(noisy.sum(2), noise=noise.margin((0, 1)), n=1500, null="closed-form")

    ours, naive = sizes(draw_and_test, 20_000, seed=21)
    assert 0.041 < ours < 0.060
    assert naive > 0.12
