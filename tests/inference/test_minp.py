"""The smaller of two p-values: its ranking, its refusals, and the power that it is there for."""

import numpy as np
import pytest

from discreet.errors import NotApplicable, NotAvailable
from discreet.inference import Conditional, MonteCarlo, goodness_of_fit, homogeneity, independence
from discreet.inference.statistic.fitted import fit_independence
from discreet.inference.statistic.likelihood import information
from discreet.inference.statistic.minp import rank_smaller, refitted
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian

SKEWED = np.array([0.5, 0.3, 0.15, 0.04, 0.01])
TABLE = np.array([[120.0, 90.0, 150.0], [80.0, 110.0, 140.0]])


def test_the_observed_pair_is_one_of_its_reference_draws():
    """Every member of a set of exchangeable pairs has the same chance to be the observed one: P(p <= k/(m+1)) <= k/(m+1)."""
    rng = np.random.default_rng(1)
    pairs = rng.standard_normal((2, 60)) + rng.standard_normal(60)
    pvalues = np.sort([rank_smaller(np.roll(pairs, -i, axis=1)).pvalue for i in range(60)])
    assert (pvalues >= (np.arange(60) + 1) / 60 - 1e-12).all()
    assert pvalues[0] <= 2 / 60


def test_ties_count_against_the_observed_pair():
    assert rank_smaller(np.ones((2, 10))).pvalue == 1.0


def test_refitting_takes_the_open_directions_out_and_nothing_twice():
    fitted = fit_independence(TABLE.ravel(), 690.0, Laplace(5).on((2, 3)))
    h = refitted(fitted).T
    g = np.concatenate([fitted.expected[:, None], fitted.tangents], axis=1)
    i = np.diag(information(fitted.expected, np.full(6, 5.0)))
    assert h == pytest.approx(np.eye(6) - g @ np.linalg.solve(g.T @ i @ g, g.T @ i), abs=1e-10)
    assert h @ g == pytest.approx(0.0, abs=1e-7)
    assert h @ h == pytest.approx(h, abs=1e-10)


@pytest.mark.parametrize("n", [690, None])
def test_without_noise_it_is_close_to_pearsons(n):
    ours = independence(TABLE, noise=Laplace(1e-3), n=n, statistic="minp", rng=1)
    assert ours.pvalue == pytest.approx(independence(TABLE, noise=Laplace(1e-3), n=n, rng=1).pvalue, abs=0.012)


def test_a_seed_repeats_it_and_other_laws_are_taken():
    one = independence(TABLE, noise=Laplace(5), n=690, statistic="minp", rng=3)
    assert independence(TABLE, noise=Laplace(5), n=690, statistic="minp", rng=3).pvalue == one.pvalue
    assert one.null.startswith("monte-carlo: 10,000 ranked")
    margin = JointNoise(Laplace(3.0), (2, 3, 2)).margin((0, 1))
    assert 0 < independence(TABLE, noise=margin, n=690, statistic="minp", rng=3).pvalue < 1
    mixed = homogeneity(*TABLE, noise=[Laplace(5), Gaussian(5)], n=[360, 330], statistic="minp", rng=3)
    assert 0 < mixed.pvalue < 1
    assert 0.9 < (one.null_curve.density * np.gradient(one.null_curve.x)).sum() < 1.01


@pytest.mark.parametrize("noise", [Gaussian(5), ProjectedGaussian(5)])
def test_gaussian_noise_is_refused_with_a_hint(noise):
    with pytest.raises(NotApplicable, match="statistic='projected'"):
        independence(TABLE, noise=noise, n=690, statistic="minp")


def test_other_null_methods_are_refused():
    for null in ("conditional", Conditional(), "bootstrap"):
        with pytest.raises(NotAvailable, match="ranked among its own reference draws"):
            independence(TABLE, noise=Laplace(5), n=690, statistic="minp", null=null)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("true", "powers"),
    [
        ((0.55, 0.25, 0.15, 0.04, 0.01), {"chi2": 0.064, "projected": 0.562, "minp": 0.707}),
        ((0.47, 0.30, 0.15, 0.04, 0.04), {"chi2": 0.483, "projected": 0.421, "minp": 0.333}),
    ],
    ids=["large cells change", "a rare cell jumps"],
)
def test_power_on_a_skewed_table(true, powers):
    """2,000 tables and 399 reference points: a standard error of .011, and .005 lost by the points; 5 of them are 1e-6.

    The powers to compare with were computed once by an independent program, with errors up to .004.
    """
    noise, null = Laplace(10.0), MonteCarlo(points=399)
    for statistic, expected in powers.items():
        rng = np.random.default_rng(41)
        noisy = rng.multinomial(1000, true, 2000) + noise.sample((2000, 5), rng)
        found = np.mean(
            [
                goodness_of_fit(y, SKEWED, noise=noise, n=1000, statistic=statistic, null=null, rng=rng).pvalue <= 0.05
                for y in noisy
            ]
        )
        assert found == pytest.approx(expected, abs=5 * np.sqrt(expected * (1 - expected) / 2000) + 0.01)
