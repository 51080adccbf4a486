"""What the reliability figures must show: p-values of this package uniform where the null holds, the naive ones far from it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from discreet.lab.reproduce import qq_goodness_of_fit, qq_homogeneity, qq_independence
from discreet.lab.reproduce.bench import Bench
from discreet.lab.reproduce.qq import METHODS, NAIVE, NO_NOISE, OURS, Setting, ks_from_uniform, pvalues, study

FALSE_ALARM = 1e-6
ALLOWED = {"goodness of fit": 0.0, "homogeneity": 0.03, "independence": 0.03}
"""How far the law of the p-values may be from uniform: not at all where the null is simulated, a little for a limit law."""

NOISY = [
    setting for module in (qq_independence, qq_homogeneity, qq_goodness_of_fit) for setting in module.SETTINGS[1:3]
]
TABLES = {"goodness of fit": 1000, "homogeneity": 800, "independence": 1500}


def critical(m: int, bound: float) -> float:
    """A KS distance from uniform that m p-values exceed with probability below the bound (Massart 1990)."""
    return math.sqrt(math.log(2 / bound) / (2 * m))


@pytest.mark.parametrize("setting", NOISY, ids=lambda s: f"{s.test} {len(s.theta)} cells {s.epsilon}")
def test_ours_are_uniform_and_the_naive_ones_are_not(setting):
    m = TABLES[setting.test]
    found = pvalues(setting, 499, np.random.default_rng(11), m)
    assert tuple(sorted(found)) == tuple(sorted(METHODS))
    grid = 1 / 500 if setting.test != "independence" else 0.0  # the steps of a p-value by reference points
    for method in OURS:
        limit = critical(m, FALSE_ALARM / len(NOISY) / 2) + ALLOWED[setting.test] + grid
        assert ks_from_uniform(found[method]) < limit, method
        assert abs(float((found[method] <= 0.05).mean()) - 0.05) < 0.05
    assert ks_from_uniform(found[NAIVE[0]]) > 0.2
    assert float((found[NAIVE[0]] <= 0.05).mean()) > 0.25


@pytest.mark.parametrize("module", [qq_independence, qq_homogeneity, qq_goodness_of_fit])
def test_without_noise_both_agree(module):
    setting = module.SETTINGS[0]
    assert setting.epsilon == NO_NOISE
    found = pvalues(setting, 4999, np.random.default_rng(5), 40)
    for ours, naive in zip(OURS, NAIVE, strict=True):
        assert np.abs(found[ours] - found[naive]).max() < 0.04


def test_the_naive_pvalues_are_those_of_a_program_that_knows_no_noise():
    setting = Setting("independence", (1000,), (0.4, 0.6), 0.5, columns=(0.2, 0.3, 0.5))
    found = pvalues(setting, 0, np.random.default_rng(3), 5)
    rng = np.random.default_rng(3)
    tables = rng.multinomial(1000, np.outer(setting.theta, setting.columns).ravel(), 5).reshape(5, 2, 3)
    noisy = tables + setting.noise.sample((5, 2, 3), rng)
    expected = [stats.chi2_contingency(table, correction=False).pvalue for table in noisy]
    assert np.allclose(found["chi2, naive"], expected)
    assert np.allclose(
        found["lr, naive"],
        [stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").pvalue for table in noisy],
    )


def test_a_table_without_a_test_counts_as_not_rejected():
    setting = Setting("independence", (20,), (0.5, 0.5), 0.01, columns=(0.5, 0.5))
    found = pvalues(setting, 0, np.random.default_rng(1), 60)
    assert (found["chi2"] == 1.0).sum() > 10
    assert all(np.isfinite(values).all() for values in found.values())


def test_the_quantiles_of_a_study():
    settings = (Setting("goodness of fit", (100,), (0.5, 0.5), 0.2),)
    found = study("a name", "A title", settings, 100, 99, "some null", 1, Bench())
    rows = [row for row in found.rows() if row["method"] == "chi2"]
    assert [row["share"] for row in rows] == [k / 100 for k in range(1, 100)]
    assert [row["pvalue"] for row in rows] == sorted(row["pvalue"] for row in rows)
    assert rows[0]["n"] == 100
    below = sum(row["pvalue"] <= 0.05 for row in rows)
    assert abs(rows[0]["level_05"] - below / 100) <= 0.01


def test_the_distance_from_uniform():
    p = np.random.default_rng(1).random(50)
    assert math.isclose(ks_from_uniform(p), stats.kstest(p, "uniform").statistic)
