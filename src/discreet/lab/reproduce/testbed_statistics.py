"""Which statistic suits privacy? The permutation testbed on six tables: figure 14 of Wang, Lee and Kifer (2017).

Margins are public (epsilon-mn-differential privacy), so every statistic has an exact null by permutation: Pearson's, the
likelihood ratio, the log-likelihood and the absolute difference, with the noise on the table (in) or on the statistic (out).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.lab import testbed
from discreet.lab.reproduce.bench import PLAIN, Bench, Job
from discreet.lab.reproduce.counts import read
from discreet.lab.reproduce.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, TITLE = "testbed", "Which statistic suits privacy? The permutation testbed"
SOURCE = "Wang, Lee and Kifer (2017), figure 14"
SECONDS, FULL_SECONDS = 5, 20

EPSILON = 0.2
STATISTICS = ("chi2", "lr", "ll", "diff")
PAIRS = (
    ("smoking", "physical_work", "smoking, physical work"),
    ("mental_work", "family_history", "mental work, family"),
    ("smoking", "family_history", "smoking, family"),
    ("smoking", "mental_work", "smoking, mental work"),
    ("lipoprotein_ratio", "systolic", "lipoprotein, pressure"),
    ("lipoprotein_ratio", "family_history", "lipoprotein, family"),
)
"""The first row: strong, borderline and no evidence; the second: further ones."""


def pvalues(
    table: NDArray[np.int64], statistic: str, perturb: Any, permutations: int, rng: np.random.Generator, count: int
) -> dict[str, NDArray[np.float64]]:
    """The p-values for `count` draws of the noise, and that of the permutation test without noise."""
    found = testbed.run(table, statistic, EPSILON, perturb, permutations, count, rng=rng)
    return {"pvalue": np.array(found.pvalues), "without_noise": np.full(count, found.without_noise)}


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 200 draws of the noise and 5,000 permutations; in full 1,000 and 10,000."""
    draws, permutations = (1000, 10_000) if full else (200, 5_000)
    counts = read("czech")
    settings = [
        (words, counts.margin(a, b), statistic, perturb)
        for a, b, words in PAIRS
        for perturb in ("input", "output")
        for statistic in STATISTICS
    ]
    jobs = [
        Job(
            partial(pvalues, table, statistic, perturb, permutations),
            draws,
            {"figure": NAME, "table": table.tolist(), "statistic": statistic, "perturb": perturb, "m": permutations},
            chunk=draws,
        )
        for _, table, statistic, perturb in settings
    ]
    names = ("table", "n", "statistic", "perturb", "without_noise", "mean", "error", "low", "high", "rejected_05")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for (words, table, statistic, perturb), found in zip(settings, bench.simulate(jobs, seed), strict=True):
        p = found["pvalue"]
        low, high = np.quantile(p, (0.1, 0.9)).tolist()
        error, rejected = float(p.std(ddof=1) / np.sqrt(p.size)), float((p <= 0.05).mean())
        plain = float(found["without_noise"][0])
        row = (words, int(table.sum()), statistic, perturb, plain, float(p.mean()), error, low, high, rejected)
        for values, value in zip(columns.values(), row, strict=True):
            values.append(value)
    words = (
        f"Czech car workers, n = 1,841; margins public (a laboratory, not a release); epsilon-mn = {EPSILON}; settings ours\n"
        f"{permutations:,} permutations, {draws:,} draws of the noise, seed {seed}\n"
        "dot: mean p-value; bar: the middle 80 %; tick: without noise"
    )
    return Study(NAME, TITLE, words, columns, picture)


def picture(study: Study) -> Figure:
    """One panel a table, one line a statistic and place of the noise."""
    from discreet.view.testbed_plot import testbed_plot

    return testbed_plot(study.title, study.settings, study.rows())
