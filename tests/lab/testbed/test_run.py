"""The testbed: p-values uniform under the null, the pattern of the paper's figure, null tables by enumeration."""

from collections import Counter
from math import comb, factorial, prod

import numpy as np
import pytest
from scipy.stats import kstest

from discreet.errors import InvalidInput
from discreet.lab import testbed


def test_null_tables_have_the_permutation_law():
    """40,000 tables on margins with few tables, against n!-free exact probabilities; each within 6 standard errors."""
    rows, columns, size = (3, 4, 2), (5, 4), 40_000
    drawn = Counter(t.tobytes() for t in testbed.null_tables(rows, columns, size, np.random.default_rng(5)))
    total = 0.0
    for table in testbed.all_tables(rows, columns):
        cells = prod(factorial(int(x)) for x in table.ravel())
        p = prod(map(factorial, (*rows, *columns))) / (factorial(9) * cells)
        total += p
        assert abs(drawn[table.tobytes()] / size - p) < 6 * np.sqrt(p / size)
    assert total == pytest.approx(1)
    assert len(list(testbed.all_tables((6, 8), (5, 9)))) == 6
    assert sum(comb(5, k) * comb(9, 6 - k) for k in range(6)) == comb(14, 6)


@pytest.mark.parametrize("perturb", ["input", "output"])
@pytest.mark.parametrize("statistic", ["chi2", "lr", "ll", "diff"])
def test_p_values_are_uniform_under_the_null(perturb, statistic):
    """400 null tables, one draw of noise each; Kolmogorov-Smirnov at 1e-6 (ties make it conservative)."""
    rng = np.random.default_rng(11)
    pvalues = [
        testbed.run(table, statistic, 0.5, perturb, permutations=999, repeats=1, rng=rng).pvalues[0]
        for table in testbed.null_tables((60, 90, 50), (80, 120), 400, rng)
    ]
    assert kstest(pvalues, "uniform").pvalue > 1e-6


def test_uniformity_would_be_missed_by_a_null_without_fresh_noise():
    """The test above can fail: ranked among noiseless reference values, output-perturbed statistics are far off."""
    rng = np.random.default_rng(12)
    rows, columns = (60, 90, 50), (80, 120)
    reference = testbed.null_tables(rows, columns, 1000, rng).astype(float)
    from discreet.lab.testbed.statistics import chi2, expected_cells

    null = chi2(reference[500:], expected_cells(reference[500:]))
    noisy = chi2(reference[:400], expected_cells(reference[:400])) + rng.laplace(0, 20, 400)
    pvalues = [(1 + (null >= t).sum()) / 501 for t in noisy]
    assert kstest(pvalues, "uniform").pvalue < 1e-6


SMOKE_MENTAL, SMOKE_PHYSICAL = [[339, 541], [439, 522]], [[493, 387], [421, 540]]
PATTERN = [
    # table, statistic, perturbed: the mean p over many draws of noise at epsilon = .2 of an independent run
    (SMOKE_MENTAL, "chi2", "input", 0.14),
    (SMOKE_MENTAL, "diff", "input", 0.12),
    (SMOKE_MENTAL, "chi2", "output", 0.40),
    (SMOKE_MENTAL, "lr", "output", 0.48),
    (SMOKE_MENTAL, "ll", "output", 0.50),
    (SMOKE_MENTAL, "diff", "output", 0.026),
    (SMOKE_PHYSICAL, "chi2", "input", 0.012),
    (SMOKE_PHYSICAL, "lr", "output", 0.45),
    (SMOKE_PHYSICAL, "diff", "output", 0.0),
]


@pytest.mark.parametrize(("table", "statistic", "perturb", "mean"), PATTERN)
def test_the_pattern_of_the_paper(table, statistic, perturb, mean):
    """Output perturbation is worse than input perturbation, but for the difference statistic, which needs least noise."""
    study = testbed.run(table, statistic, 0.2, perturb, permutations=4000, repeats=1000, rng=3)
    assert abs(study.mean - mean) < 0.06  # the reference means are of 100 draws: their standard error is up to .03
    assert study.without_noise < 0.005


def test_less_noise_leads_to_the_permutation_test():
    for perturb in ("input", "output"):
        study = testbed.run(SMOKE_MENTAL, "chi2", 1e7, perturb, permutations=5000, repeats=5, rng=1)
        assert study.pvalues == pytest.approx([study.without_noise] * 5, abs=2e-4)


def test_a_statistic_of_ones_own():
    def corner(table):
        return abs(table[0, 0] - table[1, 1])

    study = testbed.run([[4, 3], [3, 4]], corner, 1.0, "output", permutations=500, repeats=10, rng=1)
    assert (study.statistic, study.sensitivity) == ("corner", 0.0)
    with pytest.raises(InvalidInput, match="NaN"):
        testbed.run([[4, 3], [3, 4]], lambda table: float("nan"), 1.0, repeats=2, permutations=50)


def test_what_a_study_says():
    study = testbed.run(SMOKE_MENTAL, "diff", 0.2, "output", permutations=500, repeats=50, rng=1)
    share, low, high = study.power(0.05)
    assert low <= share <= high
    assert study.to_frame("pandas").shape == (50, 4)
    assert "not a release" in str(study)
    again = testbed.run(SMOKE_MENTAL, "diff", 0.2, "output", permutations=500, repeats=50, rng=1)
    assert again == study


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": [[1.5, 2], [3, 4]]}, "whole numbers"),
        ({"table": [[0, 0], [0, 0]]}, "empty"),
        ({"table": [1, 2, 3]}, r"\(r, c\)"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"perturb": "both"}, "'input' or 'output'"),
        ({"repeats": 0}, "repeats"),
        ({"permutations": 2.5}, "permutations"),
        ({"statistic": "g"}, "'chi2', 'lr', 'll', 'diff'"),
        ({"sensitivity_bound": 3.0}, "statistic of your own"),
    ],
)
def test_bad_input(options, message):
    given = {"table": [[4, 3], [3, 4]], "statistic": "chi2", "epsilon": 1.0, "repeats": 2, "permutations": 50} | options
    with pytest.raises(InvalidInput, match=message):
        testbed.run(**given)
