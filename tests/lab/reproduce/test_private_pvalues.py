"""Private p-values of the real tables: the classical ones beside them, and those by the papers' own recipe."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from discreet.lab.reproduce import pvalues_czech, pvalues_rochdale
from discreet.lab.reproduce.counts import read
from discreet.lab.reproduce.private_pvalues import FIT, INDEPENDENCE, PROPORTIONS, Panel, pvalues

PANELS = [*pvalues_czech.panels(), *pvalues_rochdale.panels()]


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: f"{panel.test} {panel.title}")
def test_the_pvalues_without_noise_are_the_classical_ones(panel):
    for name, power in (("chi2", "pearson"), ("lr", "log-likelihood")):
        if panel.test == FIT:
            known = stats.power_divergence(panel.cells, panel.n * panel.theta, lambda_=power).pvalue
        else:
            known = stats.chi2_contingency(panel.cells, correction=False, lambda_=power).pvalue
        assert panel.without_noise(name) == pytest.approx(known, rel=1e-9)


def test_known_values_of_the_tables():
    known = {
        "smoking, physical work": 1.643e-07,
        "smoking, mental work": 0.001896,
        "smoking, family history": 0.301,
        "blood pressure by lipoprotein": 0.0003422,
        "mental work by family": 0.02892,
        "husband's work, others' work": 0.6828,
        "wife's age, 1 : 1": 0.5737,
        "others' work, as the rest": 0.6621,
    }
    found = {panel.title: panel.without_noise("chi2") for panel in PANELS}
    for title, value in known.items():
        assert found[title] == pytest.approx(value, rel=2e-3), title
    assert {panel.n for panel in PANELS if panel.test == FIT} == {260, 79}


def reference(table, n, epsilon, points, rng):
    """The recipe of Wang, Lee and Kifer for independence: reference points of the limit law at the fitted probabilities."""
    rows, columns, total = table.sum(1), table.sum(0), table.sum()
    statistic = float(((table - np.outer(rows, columns) / total) ** 2 / (np.outer(rows, columns) / total)).sum())
    theta = np.outer(rows, columns) / total**2
    root = np.sqrt(theta.ravel())
    normal = rng.standard_normal((points, root.size))
    a = root * (normal - (normal @ root)[:, None] * root)  # N(0, diag(theta) - theta theta')
    b = (a + rng.laplace(scale=2 / epsilon, size=a.shape) / np.sqrt(n)).reshape(points, *table.shape)
    p, q = theta.sum(1), theta.sum(0)
    d = b - p[:, None] * b.sum(1)[:, None, :] - b.sum(2)[:, :, None] * q + np.outer(p, q) * b.sum((1, 2))[:, None, None]
    return float(((d**2 / theta).sum((1, 2)) >= statistic).mean())


def test_independence_agrees_with_the_papers_recipe():
    panel, epsilon, draws, points = PANELS[1], 0.1, 25, 4000
    assert panel.test == INDEPENDENCE
    found = pvalues(panel, epsilon, np.random.default_rng(8), draws)["chi2"]
    from discreet.noise import Laplace

    noise = Laplace(2 / epsilon).sample((draws, 2, 2), np.random.default_rng(8))  # the first thing that is drawn
    rng = np.random.default_rng(9)
    for p, table in zip(found, panel.cells + noise, strict=True):
        error = np.sqrt(p * (1 - p) / points)
        assert abs(reference(table, panel.n, epsilon, points, rng) - p) < 6 * error + 1 / points


@pytest.mark.parametrize(
    ("title", "epsilon", "low", "high"),
    [
        # means over 100 draws of the noise in an earlier study: .024, .0002, .15, .028, .0044, .57 (errors .01 to .03)
        ("smoking, physical work", 0.1, 0.01, 0.05),
        ("smoking, physical work", 0.2, 0.0, 0.002),
        ("smoking, mental work", 0.1, 0.1, 0.2),
        ("smoking, mental work", 0.2, 0.015, 0.05),
        ("smoking, mental work", 0.5, 0.003, 0.007),
        ("husband's work, others' work", 0.1, 0.47, 0.67),
    ],
)
def test_mean_pvalues_of_the_real_tables(title, epsilon, low, high):
    panel = next(panel for panel in PANELS if panel.title == title)
    mean = float(pvalues(panel, epsilon, np.random.default_rng(2), 500)["chi2"].mean())
    assert low < mean < high


@pytest.mark.parametrize("test", [PROPORTIONS, FIT])
def test_little_noise_gives_the_classical_pvalue(test):
    for panel in PANELS:
        if panel.test == test:
            found = pvalues(panel, 1e4, np.random.default_rng(1), 2)
            for name in found:
                assert found[name] == pytest.approx(panel.without_noise(name), rel=0.03, abs=0.004)


def test_noise_that_leaves_no_margin_gives_one():
    cells = read("rochdale").margin("husband_employed", "other_employed")
    found = pvalues(Panel(INDEPENDENCE, "a table", cells), 0.001, np.random.default_rng(1), 40)
    assert (found["chi2"] == 1.0).any()
    assert np.isfinite(found["lr"]).all()
