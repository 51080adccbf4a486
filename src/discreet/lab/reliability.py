"""Are the p-values of a test uniform under its null? Simulated, with exact binomial intervals for its level and a picture.

A p-value must be at or below q with probability q whatever q (Wang, Lee and Kifer 2015, section 5.1). Tables are drawn from
a null, noise is added, and every method is put to the same tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.lab.binomial import binomial_error, clopper_pearson, uniform_distance
from discreet.lab.chunks import Progress
from discreet.lab.designs.designs import Design
from discreet.lab.designs.protection import protect
from discreet.lab.methods.methods import find_methods
from discreet.lab.table_study import Store, TableTask, pvalues_of
from discreet.release.frames import to_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

ALPHAS = (0.01, 0.05, 0.1)


@dataclass(frozen=True)
class Level:
    """How often a method rejects a true null at the nominal level `alpha`.

    `rejected` of `repetitions` tables; the exact binomial interval `low` ... `high` at `confidence`; `error` is the standard
    error. A table to which the method does not apply is not rejected.
    """

    method: str
    alpha: float
    level: float
    low: float
    high: float
    error: float
    rejected: int
    repetitions: int
    confidence: float

    @property
    def agrees(self) -> bool:
        """Whether `alpha` lies in the interval."""
        return self.low <= self.alpha <= self.high


@dataclass(frozen=True)
class Uniformity:
    """The Kolmogorov-Smirnov test of a method's p-values against the uniform law."""

    method: str
    distance: float
    pvalue: float


@dataclass(frozen=True, eq=False)
class ReliabilityStudy:
    """The p-values of several methods on the same null tables; prints their levels.

    Attributes
    ----------
    title, settings : str
        What was simulated, in words.
    pvalues : mapping of str to array
        By method, in the order of the tables; NaN where a method does not apply to a table.
    seed : int
    """

    title: str
    settings: str
    pvalues: Mapping[str, Floats] = field(repr=False)
    seed: int

    @property
    def repetitions(self) -> int:
        """How many tables."""
        return int(next(iter(self.pvalues.values())).size)

    @property
    def refused(self) -> dict[str, int]:
        """To how many tables each method does not apply."""
        return {name: int(np.isnan(p).sum()) for name, p in self.pvalues.items()}

    def levels(self, *alphas: float, confidence: float = 0.95) -> tuple[Level, ...]:
        """The level reached by each method at each nominal level (.01, .05 and .1 unless given)."""
        rows = []
        for name, pvalues in self.pvalues.items():
            for alpha in alphas or ALPHAS:
                if not 0 < alpha < 1:
                    raise InvalidInput(f"a level lies between 0 and 1, not {alpha!r}")
                k, n = int((pvalues <= alpha).sum()), pvalues.size
                low, high = clopper_pearson(k, n, confidence)
                rows.append(Level(name, alpha, k / n, low, high, binomial_error(k, n), k, n, confidence))
        return tuple(rows)

    def uniformity(self) -> tuple[Uniformity, ...]:
        """The Kolmogorov-Smirnov test for each method, on the tables that it applies to."""
        return tuple(Uniformity(name, *uniform_distance(p[~np.isnan(p)])) for name, p in self.pvalues.items())

    def to_frame(self, backend: str = "polars") -> Any:
        """One row a method and nominal level, as a frame of `backend` ("polars", "pandas" or "pyarrow")."""
        levels, tests = self.levels(), {test.method: test for test in self.uniformity()}
        names = [name for name in Level.__dataclass_fields__ if name != "confidence"]
        columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in levels] for name in names}
        columns["refused"] = [self.refused[row.method] for row in levels]
        columns["ks_distance"] = [tests[row.method].distance for row in levels]
        columns["ks_pvalue"] = [tests[row.method].pvalue for row in levels]
        return to_frame(columns, backend)

    def plot(self) -> Figure:
        """The share of p-values at or below each value, whole and in the lower tail (needs `discreet[plot]`)."""
        from discreet.view.reliability_plot import reliability_plot

        return reliability_plot(self)

    def __repr__(self) -> str:
        width = max(len(name) for name in self.pvalues)
        lines = [self.title, f"  {self.settings}"]
        tests = {test.method: test for test in self.uniformity()}
        for name in self.pvalues:
            shares = (
                f"{row.level:.4f} [{row.low:.4f}, {row.high:.4f}] at {row.alpha:g}"
                for row in self.levels()
                if row.method == name
            )
            lines.append(
                f"  {name:<{width}}  {', '.join(shares)}; KS {tests[name].distance:.4f} (p {tests[name].pvalue:.2g})"
            )
            if self.refused[name]:
                lines.append(f"  {'':<{width}}  not applicable to {self.refused[name]} tables, which are not rejected")
        return "\n".join(lines)


def reliability(
    design: Design,
    noise: Any,
    *,
    methods: Any = ("discreet", "naive"),
    statistic: str = "chi2",
    repetitions: int = 10_000,
    seed: int = 1,
    store: Store = None,
    progress: Progress | None = None,
    n_jobs: int | None = 1,
) -> ReliabilityStudy:
    """Draw tables from a null, add noise, test them by several methods, and see whether the p-values are uniform.

    Parameters
    ----------
    design : Design
        Made by `independence_design`, `fit_design` or `homogeneity_design`, with no effect.
    noise : guarantee or law
        A guarantee such as `PureDP(0.5)` (then the noise is that of the default mechanism for tables), or the law of the
        noise in each cell, such as `discreet.noise.Laplace(4.0)`.
    methods : sequence of names, objects or functions
        "discreet", "naive" (Johnson and Shmatikov), "monte-carlo" (999 reference points), "output" (noise on the statistic),
        "no privacy"; an object such as `lab.Discreet("projected")`; a function `(cells, noise, n, rng) -> p-value` of one
        noisy table, or `(tables) -> p-values` of all of them.
    statistic : "chi2", "lr", "projected" or "minp"
        For methods given by name; "naive" takes Pearson's where it has no such statistic.
    repetitions : int
        The number of tables.
    seed : int
        The same seed gives the same p-values, whatever the number of workers.
    store : path, optional
        A folder that keeps finished parts, so that an interrupted study goes on. It knows a function of your own by its name
        only: give a changed one another name.
    progress : callable, optional
        Told how many tables are done, of how many.
    n_jobs : int or None
        Workers; -1 is all cores. None leaves it to `joblib.parallel_config`, and so to a cluster: with Dask's client made,
        `with joblib.parallel_config(backend="dask"): lab.reliability(..., n_jobs=None)`.

    Returns
    -------
    ReliabilityStudy

    References
    ----------
    Wang, Lee and Kifer (2015), Revisiting differentially private hypothesis tests for categorical data, section 5.1.

    Examples
    --------
    >>> from discreet import PureDP, lab
    >>> design = lab.independence_design([0.5, 0.5], [0.5, 0.5], 500)
    >>> study = lab.reliability(design, PureDP(0.2), repetitions=2000)
    >>> ours, naive = study.levels(0.05)
    >>> ours.agrees, naive.level > 0.15
    (True, True)
    """
    if not isinstance(design, Design):
        raise InvalidInput(f"a study needs a design, such as lab.independence_design(...), not {design!r}")
    if not design.is_null:
        raise InvalidInput(
            f"reliability is about a true null, but the design has {design.effect_name} {design.effect:.4g}; take "
            "design.with_effect(0), or lab.power"
        )
    protection, chosen = protect(noise), find_methods(methods, statistic)
    task = TableTask(design, protection, chosen, level=None)
    pvalues = pvalues_of(task, repetitions, seed=seed, store=store, progress=progress, n_jobs=n_jobs)
    settings = f"{_probabilities(design)}; {protection.label}; {repetitions:,} tables, seed {seed}"
    return ReliabilityStudy(f"Reliability of p-values: {design}", settings, pvalues, seed)


def _probabilities(design: Design) -> str:
    """The cell probabilities in words, as short as they can be."""
    cells = design.null.ravel()
    if np.ptp(cells) < 1e-12:
        return "equal cells"
    if design.test_name == "independence":
        return " x ".join(_list(design.null.sum(axis)) for axis in (1, 0))
    return "cells " + _list(design.null[0] if design.test_name == "homogeneity" else cells)


def _list(numbers: Floats) -> str:
    shown = [f"{x:.3g}".replace("0.", ".", 1) for x in numbers[:6]]
    return f"({', '.join(shown)}{', ...' if numbers.size > 6 else ''})"
