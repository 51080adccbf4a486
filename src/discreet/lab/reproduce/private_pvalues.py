"""Private p-values of real tables over epsilon: what figures 6 to 12 of Wang, Lee and Kifer (2017) show.

Laplace(2/epsilon) noise is added to every cell of a table, again and again; each noisy table is tested. Shown are the mean of
the p-values and the interval that holds the middle 80 % of them, beside the p-value of the table without noise.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import DiscreetWarning, NotApplicable
from discreet.inference import goodness_of_fit, homogeneity, independence_many
from discreet.inference.statistic.cellwise import STATISTICS
from discreet.lab.reproduce.bench import Bench, Job
from discreet.lab.reproduce.study import Study
from discreet.noise import Laplace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

INDEPENDENCE, PROPORTIONS, FIT = "independence", "sample proportions", "goodness of fit"
DRAWS, FULL_DRAWS = 40, 100
MIDDLE = (0.1, 0.9)


@dataclass(frozen=True, eq=False)
class Panel:
    """One table and what it is tested for.

    `cells` are the counts: two-way for independence, one row a sample for sample proportions, a vector for goodness of fit,
    which also has `theta`, the probabilities of its null.
    """

    test: str
    title: str
    cells: NDArray[np.int64]
    theta: Floats | None = None

    @property
    def n(self) -> int:
        return int(self.cells.sum())

    @property
    def expected(self) -> Floats:
        """The expected counts without noise."""
        if self.theta is not None:
            return self.n * self.theta
        return np.outer(self.cells.sum(1), self.cells.sum(0)) / self.n

    @property
    def df(self) -> int:
        if self.theta is not None:
            return int(self.theta.size) - 1
        return int((self.cells.shape[0] - 1) * (self.cells.shape[1] - 1))

    def without_noise(self, statistic: str) -> float:
        """The classical p-value."""
        value = STATISTICS[statistic][0](self.cells.ravel().astype(float), self.expected.ravel())
        return float(special.chdtrc(self.df, value))


def pvalues(panel: Panel, epsilon: float, rng: np.random.Generator, count: int) -> dict[str, Floats]:
    """The p-values of both statistics for `count` draws of the noise; 1 where the noise leaves nothing to be tested."""
    noise, shape = Laplace(2.0 / epsilon), panel.cells.shape
    tables = panel.cells + noise.sample((count, *shape), rng)
    if panel.test == INDEPENDENCE:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DiscreetWarning)
            found = {
                name: independence_many(tables, noise, n=float(panel.n), statistic=name, rng=rng) for name in STATISTICS
            }
        return {name: np.nan_to_num(values, nan=1.0) for name, values in found.items()}
    return {name: np.array([_one(panel, table, noise, name, rng) for table in tables], float) for name in STATISTICS}


def _one(panel: Panel, table: Floats, noise: Laplace, statistic: str, rng: np.random.Generator) -> float:
    try:
        if panel.theta is not None:
            return goodness_of_fit(
                table, panel.theta, statistic=statistic, noise=noise, n=float(panel.n), rng=rng
            ).pvalue
        sizes = panel.cells.sum(1).astype(float).tolist()
        return homogeneity(*table, statistic=statistic, noise=noise, n=sizes, rng=rng).pvalue
    except NotApplicable:
        return 1.0


def study(
    name: str,
    title: str,
    panels: Sequence[Panel],
    epsilons: Sequence[float],
    source: str,
    *,
    full: bool,
    seed: int,
    bench: Bench,
) -> Study:
    """One row a panel, statistic and epsilon."""
    draws = FULL_DRAWS if full else DRAWS
    jobs = [
        Job(
            partial(pvalues, panel, epsilon),
            draws,
            {
                "figure": name,
                "test": panel.test,
                "cells": panel.cells.tolist(),
                "theta": None if panel.theta is None else panel.theta.tolist(),
                "epsilon": epsilon,
            },
            chunk=20,
            work=1.0 if panel.test == INDEPENDENCE else 8.0,
        )
        for panel in panels
        for epsilon in epsilons
    ]
    found = iter(bench.simulate(jobs, seed))
    names = (
        "test",
        "table",
        "n",
        "epsilon",
        "statistic",
        "without_noise",
        "mean",
        "error",
        "low",
        "high",
        "rejected_05",
    )
    columns: dict[str, list[Any]] = {key: [] for key in names}
    for panel in panels:
        for epsilon in epsilons:
            for statistic, p in next(found).items():
                low, high = np.quantile(p, MIDDLE).tolist()
                row = (
                    panel.test,
                    panel.title,
                    panel.n,
                    epsilon,
                    statistic,
                    panel.without_noise(statistic),
                    float(p.mean()),
                    float(p.std(ddof=1) / np.sqrt(p.size)),
                    low,
                    high,
                    float((p <= 0.05).mean()),
                )
                for values, value in zip(columns.values(), row, strict=True):
                    values.append(value)
    words = (
        f"{source}\n"
        f"Laplace(2/epsilon) noise in every cell, {draws:,} draws of it at each epsilon; tables and epsilon ours; seed {seed}\n"
        "lines: mean p-value, 1 where the noise leaves no margin to test; band: the middle 80 % (chi-squared)"
    )
    return Study(name, title, words, columns, picture)


def picture(found: Study) -> Figure:
    """One panel a table."""
    from discreet.view.pvalues_plot import pvalues_plot

    return pvalues_plot(found.title, found.settings, found.rows())
