"""Numbers of the other figures beside known ones: the testbed, bootstrap power, and the KS distances of private samples."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.lab import reproduce
from discreet.lab.reproduce import bootstrap_power
from discreet.lab.reproduce.bootstrap_power import Setting, rejections
from discreet.lab.reproduce.ks_rates import distances


def test_the_pattern_of_the_testbed():
    rows = reproduce.run("testbed", seed=1).rows()
    mean = {(row["table"], row["statistic"], row["perturb"]): row["mean"] for row in rows}
    mental, physical = "smoking, mental work", "smoking, physical work"
    # earlier: chi2-in .14, lr-in .12, diff-in .12, chi2-out .40, lr-out .48, ll-out .50, diff-out .026
    for statistic, low, high in (("chi2", 0.08, 0.2), ("lr", 0.08, 0.2), ("diff", 0.08, 0.2)):
        assert low < mean[mental, statistic, "input"] < high
    for statistic, low, high in (("chi2", 0.3, 0.5), ("lr", 0.38, 0.58), ("ll", 0.4, 0.6), ("diff", 0.01, 0.05)):
        assert low < mean[mental, statistic, "output"] < high
    # earlier: chi2-in .012, lr-in .014, diff-in .014, chi2-out .33, lr-out .45, diff-out .000
    for statistic in ("chi2", "lr", "diff"):
        assert mean[physical, statistic, "input"] < 0.04
    assert 0.24 < mean[physical, "chi2", "output"] < 0.44
    assert mean[physical, "diff", "output"] < 0.002
    for table in {row["table"] for row in rows}:  # the difference is the statistic to put noise on
        assert min(("chi2", "lr", "ll", "diff"), key=lambda s, t=table: mean[t, s, "output"]) == "diff"


def test_the_power_of_goodness_of_fit():
    found = rejections(Setting("goodness of fit", (500,), 10, 0.1, 0.025), 0, np.random.default_rng(4), 8000)
    power = {method: float(rejected.mean()) for method, rejected in found.items()}
    # 100,000 tables each, by another program; five standard errors here are at most .028, those of the null's quantile .02
    known = {
        "gaussian": 0.341,
        "JS": 0.316,
        "rank-deficient": 0.356,
        "rJS": 0.322,
        "laplace": 0.096,
        "laplace-l1": 0.064,
    }
    for method, value in known.items():
        assert power[method] == pytest.approx(value, abs=0.045), method
    assert power["rJSz"] == pytest.approx(0.353, abs=0.045)
    assert power["no privacy"] == pytest.approx(0.990, abs=0.01)


def test_the_level_of_the_bootstrap(monkeypatch):
    monkeypatch.setattr(bootstrap_power, "NULL_DRAWS", 50_000)
    found = rejections(Setting("goodness of fit", (500,), 10, 0.1, 0.0), 0, np.random.default_rng(5), 10_000)
    for method, rejected in found.items():  # six standard errors
        assert abs(float(rejected.mean()) - 0.05) < 6 * np.sqrt(0.05 * 0.95 * (1 / 10_000 + 1 / 50_000)), method


def test_the_level_and_power_of_homogeneity():
    rng = np.random.default_rng(6)
    null = rejections(Setting("homogeneity", (400, 600), 5, 0.5, 0.0), 99, rng, 200)
    true = rejections(Setting("homogeneity", (400, 600), 5, 0.5, 0.12), 99, rng, 40)
    for method in null:
        assert float(null[method].mean()) < 0.15  # six standard errors above .05
        assert float(true[method].mean()) > 0.8


@pytest.mark.parametrize(
    ("method", "density", "epsilon", "samples", "known"),
    [
        ("smoothed histogram", "uniform", 1.0, 300, 0.119),
        ("smoothed histogram", "beta(10, 10)", 0.1, 300, 0.247),
        ("perturbed histogram", "uniform", 1.0, 300, 0.037),
        ("perturbed histogram", "uniform", 0.1, 300, 0.070),
        ("perturbed histogram", "beta(10, 10)", 1.0, 300, 0.042),
        ("exponential mechanism", "uniform", 1.0, 12, 0.045),
    ],
)
def test_distances_at_a_thousand_records(method, density, epsilon, samples, known):
    """Known: means of 400 simulations of another program, with two digits (three for the first two)."""
    found = distances(method, density, 1000, epsilon, np.random.default_rng(7), samples)["distance"]
    error = float(found.std() / np.sqrt(samples))
    assert abs(float(found.mean()) - known) < 5 * error * np.sqrt(1 + samples / 400) + 0.001


def test_records_themselves_come_nearest():
    found = distances("no privacy", "uniform", 1000, 1.0, np.random.default_rng(7), 300)["distance"]
    # E KS = .8687/sqrt(n), less a term of order 1/n
    assert float(found.mean()) == pytest.approx(0.8687 / np.sqrt(1000), rel=0.1)
