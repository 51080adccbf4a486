"""Hotelling's test keeps its level, and its power is what it was measured to be elsewhere.

A rate over R data sets is compared with binomial quantiles: where the true rate lies in the stated range, a test fails by
chance with a probability below 1e-6. Seeds are fixed, and nothing is retried.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from discreet.inference.mean_comparison import MeanComparison
from discreet.lab.reproduce.hotelling_level import METHODS, level
from discreet.lab.reproduce.hotelling_power import power
from discreet.lab.reproduce.hotelling_samples import Setting, bootstrap_pvalue
from discreet.mechanisms import EntrywiseGaussian, EntrywiseLaplace
from discreet.privacy import GaussianDP, PureDP
from discreet.release.moments.moments_part import MomentsPart

FALSE_ALARM = 1e-7


def is_between(rate, repetitions, low, high):
    """Whether a rate is compatible with a true one in [low, high]."""
    count = round(rate * repetitions)
    return stats.binom.ppf(FALSE_ALARM, repetitions, low) <= count <= stats.binom.isf(FALSE_ALARM, repetitions, high)


def check(setting, repetitions, chi_squared, naive, seed):
    """The bootstrap's level is .04 to .065 (measured elsewhere: .044 to .062); the others' are what they were there.

    `chi_squared` and `naive` (the chi-squared law without the correction) have standard errors of .01 to .03 themselves.
    """
    rates = dict(zip(METHODS, level(setting, repetitions, np.random.default_rng(seed)), strict=True))
    assert is_between(rates["bootstrap"], repetitions, 0.04, 0.065), rates
    assert is_between(rates["no privacy"], repetitions, 0.05, 0.05), rates
    assert is_between(rates["chi-squared"], repetitions, *chi_squared), rates
    assert is_between(rates["chi-squared, no correction"], repetitions, *naive), rates


def test_one_column():
    check(Setting(1, 1000, 0.5), 2500, (0.045, 0.07), (0.17, 0.21), seed=21)


def test_two_columns():
    check(Setting(2, 1000, 0.5), 800, (0.05, 0.075), (0.59, 0.65), seed=22)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "repetitions", "chi_squared", "naive"),
    [
        (Setting(1, 10_000, 0.5), 4000, (0.045, 0.065), (0.055, 0.08)),
        (Setting(2, 1000, 1.0), 1500, (0.045, 0.065), (0.28, 0.32)),
        (Setting(2, 10_000, 0.5), 1000, (0.045, 0.068), (0.13, 0.17)),
        (Setting(5, 1000, 0.5), 500, (0.06, 0.1), (0.98, 1.0)),
        (Setting(5, 1000, 4.0), 500, (0.045, 0.075), (0.17, 0.25)),
        (Setting(10, 1000, 0.5), 300, (0.08, 0.13), (0.99, 1.0)),
        (Setting(10, 100_000, 0.5), 300, (0.045, 0.09), (0.65, 0.75)),
    ],
    ids=lambda value: f"d={value.d} n={value.n} eps={value.epsilon}" if isinstance(value, Setting) else "",
)
def test_the_settings_of_the_table(setting, repetitions, chi_squared, naive):
    check(setting, repetitions, chi_squared, naive, seed=23)


def private(records, specification, guarantee, rng, label=None):
    """The moments of an array of records on [-1, 1]^d."""
    n, d = records.shape
    mechanism = specification.for_moments([2**20] * d, n, guarantee)
    noise, law = mechanism.mean.law(n), mechanism.covariance.law(n)
    mean, covariance = records.mean(0) + noise.sample(d, rng), law.sample(np.cov(records.T).reshape(d, d), rng)
    return MomentsPart(label, n, mean, covariance, noise, law, tuple("abcdef"[:d]), np.zeros(d), np.ones(d))


def correlated(n, d, rng):
    common = rng.uniform(-1, 1, (n, 1))
    return 0.95 * common + 0.05 * rng.uniform(-1, 1, (n, d))


@pytest.mark.parametrize(
    ("first", "second", "specification", "guarantee"),
    [
        (
            lambda r: r.uniform(-1, 1, (1000, 2)),
            lambda r: r.uniform(-1, 1, (1000, 2)),
            EntrywiseGaussian(),
            GaussianDP(0.5),
        ),
        (lambda r: correlated(2000, 3, r), lambda r: correlated(2000, 3, r), EntrywiseLaplace(), PureDP(2)),
        # The small sample has the large covariance: the pooled one is far too small for it, the bootstrap's is not.
        (
            lambda r: r.uniform(-0.2, 0.2, (2000, 2)),
            lambda r: r.uniform(-1, 1, (200, 2)),
            EntrywiseLaplace(),
            PureDP(8),
        ),
        (lambda r: np.zeros((500, 2)), lambda r: np.zeros((500, 2)), EntrywiseLaplace(), PureDP(1)),
        (lambda r: r.uniform(-1, 1, (25, 1)), lambda r: r.uniform(-1, 1, (15, 1)), EntrywiseLaplace(), PureDP(20)),
    ],
    ids=["Gaussian", "correlated", "unequal", "constant", "few"],
)
def test_other_noise_and_other_records(first, second, specification, guarantee):
    rng, repetitions = np.random.default_rng(24), 1500
    pvalues = []
    for _ in range(repetitions):
        groups = (private(draw(rng), specification, guarantee, rng) for draw in (first, second))
        pvalues.append(bootstrap_pvalue(MeanComparison(tuple(groups)), 199, rng))
    assert is_between(np.mean(np.array(pvalues) <= 0.05), repetitions, 0.04, 0.065)


def test_pooling_alone_would_not_keep_the_level_of_unequal_groups():
    """The counterpart of "unequal" above: by the chi-squared law more than a third of the tests reject."""
    rng = np.random.default_rng(25)
    statistics = []
    for _ in range(300):
        records = rng.uniform(-0.2, 0.2, (2000, 2)), rng.uniform(-1, 1, (200, 2))
        groups = (private(x, EntrywiseLaplace(), PureDP(8), rng) for x in records)
        statistics.append(MeanComparison(tuple(groups)).statistic)
    assert np.mean(np.array(statistics) > stats.chi2.isf(0.05, 2)) > 0.33


@pytest.mark.parametrize(
    ("setting", "shift", "repetitions", "measured", "without"),
    [
        (Setting(1, 1000, 1.0), 0.05, 600, 0.46, 0.68),
        pytest.param(Setting(2, 1000, 1.0), 0.1, 500, 0.64, 1.0, marks=pytest.mark.slow),
        pytest.param(Setting(5, 10_000, 1.0), 0.02, 250, 0.27, 0.67, marks=pytest.mark.slow),
    ],
    ids=lambda value: f"d={value.d} n={value.n} eps={value.epsilon}" if isinstance(value, Setting) else "",
)
def test_the_power_is_what_was_measured_elsewhere(setting, shift, repetitions, measured, without):
    """Both figures are shares of 400 data sets; five standard errors of the difference."""
    private_rate, entrywise, exact = power(setting, shift, repetitions, np.random.default_rng(26))
    for rate, other in ((private_rate, measured), (exact, without)):
        error = np.sqrt(max(other * (1 - other), 0.005) * (1 / 400 + 1 / repetitions))
        assert rate == pytest.approx(other, abs=5 * error)
    assert entrywise > private_rate  # the whole guarantee for each sample, and the better mechanism
