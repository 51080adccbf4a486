"""The testbed itself: the private p-values that a table would get if its margins were public, over many draws of noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from discreet.errors import InvalidInput
from discreet.lab.testbed.sensitivity import brute_force_sensitivity, sensitivity
from discreet.lab.testbed.statistics import STATISTICS, Statistic, expected_cells
from discreet.lab.testbed.tables import Integers, null_tables
from discreet.noise import Laplace
from discreet.release.frames import to_frame

Floats = NDArray[np.float64]
Perturb = Literal["input", "output"]
UserStatistic = Callable[[Floats], float]

TABLE_SENSITIVITY = 4
"""A swap of two records' attributes moves four cells by one each."""


@dataclass(frozen=True)
class TestbedStudy:
    """The p-values of one statistic under one perturbation, one for each repetition of the noise. A study, NOT a release.

    Attributes
    ----------
    statistic : str
    perturb : "input" or "output"
        Whether the noise went on the table's cells or on the statistic.
    epsilon : float
        Of epsilon-mn-differential privacy (margins public).
    sensitivity : float
        s_h of what was perturbed: 4 for the table.
    without_noise : float
        The p-value of the ordinary permutation test.
    pvalues : tuple of float
    permutations : int
    """

    statistic: str
    perturb: Perturb
    epsilon: float
    sensitivity: float
    without_noise: float
    pvalues: tuple[float, ...] = field(repr=False)
    permutations: int

    @property
    def mean(self) -> float:
        """The mean p-value over the repetitions."""
        return float(np.mean(self.pvalues))

    @property
    def mean_error(self) -> float:
        """Its standard error; infinite with one repetition."""
        k = len(self.pvalues)
        return float(np.std(self.pvalues, ddof=1) / math.sqrt(k)) if k > 1 else math.inf

    def quantiles(self, level: float = 0.8) -> tuple[float, float]:
        """The central interval that holds this share of the p-values."""
        low, high = np.quantile(self.pvalues, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def power(self, level: float = 0.05, confidence: float = 0.95) -> tuple[float, float, float]:
        """The share of p-values at or below `level`, with its exact binomial interval (Clopper and Pearson 1934)."""
        k, n = sum(p <= level for p in self.pvalues), len(self.pvalues)
        tail = (1 - confidence) / 2
        low = float(betaincinv(k, n - k + 1, tail)) if k else 0.0
        high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
        return k / n, low, high

    def to_frame(self, backend: str = "polars") -> Any:
        """One row a repetition, as a frame of `backend` ("polars", "pandas" or "pyarrow")."""
        columns: dict[str, list[Any]] = {
            "statistic": [self.statistic] * len(self.pvalues),
            "perturb": [self.perturb] * len(self.pvalues),
            "epsilon": [self.epsilon] * len(self.pvalues),
            "pvalue": list(self.pvalues),
        }
        return to_frame(columns, backend)

    def __str__(self) -> str:
        low, high = self.quantiles()
        return (
            f"{self.statistic}, {self.perturb} perturbed at epsilon = {self.epsilon:g} with public margins (a laboratory, "
            f"not a release): mean p {self.mean:.4f} ± {self.mean_error:.4f}, 80 % of them from {low:.4f} to {high:.4f}, "
            f"over {len(self.pvalues)} draws of noise; without noise {self.without_noise:.4f}"
        )


def run(
    table: ArrayLike,
    statistic: str | UserStatistic,
    epsilon: float,
    perturb: Perturb = "input",
    permutations: int = 10_000,
    repeats: int = 100,
    sensitivity_bound: float | None = None,
    rng: np.random.Generator | int | None = None,
) -> TestbedStudy:
    """Private permutation tests of one table with public margins, repeated over the noise.

    *Input*: Laplace(4/epsilon) noise on every cell, and the statistic of the noisy table with its own, noisy margins, as a
    release without public margins would have to be used. *Output*: the statistic of the true table plus
    Laplace(s_h/epsilon), s_h its exact sensitivity on these margins. The null distribution is that of `permutations` tables
    of permuted records with fresh noise each; it depends on the margins alone, so all repetitions share it. p is
    (1 + #{t_i >= t*}) / (1 + permutations).

    Parameters
    ----------
    table : array (r, c) of int
        True counts: do not show the result of a confidential table, since margins and the p-value without noise are not
        protected.
    statistic : "chi2", "lr", "ll", "diff" or a callable
        A callable maps one table (r, c) of floats to a finite number, large where the attributes are dependent. Its
        sensitivity for `perturb="output"` is found by brute force on small margins; on larger ones give it.
    epsilon : float
        Of epsilon-mn-differential privacy. Input noise of epsilon-mn equals that of epsilon/2 without public margins.
    perturb : "input" or "output"
    permutations, repeats : int
    sensitivity_bound : float, optional
        For a callable with `perturb="output"`: a bound of its s_h, such as `testbed.sensitivity(cell_function, ...)`.
    rng : Generator or int, optional

    Returns
    -------
    TestbedStudy

    References
    ----------
    Wang, Lee and Kifer (2017), "Revisiting differentially private hypothesis tests for categorical data", appendix G.

    Examples
    --------
    >>> from discreet.lab import testbed
    >>> study = testbed.run([[493, 387], [421, 540]], "diff", 0.2, perturb="output", permutations=2000, repeats=20, rng=1)
    >>> study.sensitivity, study.mean < 0.01
    (4.0, True)
    """
    counts = _table(table)
    for name, number in (("permutations", permutations), ("repeats", repeats)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InvalidInput(f"{name} must be a whole number of at least 1, not {number!r}")
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 < epsilon < math.inf:
        raise InvalidInput(f"epsilon must be a finite number above 0, not {epsilon!r}")
    if perturb not in ("input", "output"):
        raise InvalidInput(f"perturb must be 'input' or 'output', not {perturb!r}")
    if sensitivity_bound is not None and not (callable(statistic) and 0 < sensitivity_bound < math.inf):
        raise InvalidInput("sensitivity_bound is a finite number above 0, and belongs to a statistic of your own")
    name, function = _statistic(statistic)
    rows, columns = counts.sum(1), counts.sum(0)
    generator = np.random.default_rng(rng)
    reference = null_tables(rows.tolist(), columns.tolist(), permutations, generator).astype(float)
    truth, null = _evaluate(function, counts[None].astype(float), name), _evaluate(function, reference, name)
    without_noise = _pvalues(null, truth)[0]
    if perturb == "input":
        moved = float(TABLE_SENSITIVITY)
        law = Laplace(moved / epsilon)
        null = _evaluate(function, reference + law.sample(reference.shape, generator), name)
        shape = (repeats, *counts.shape)
        observed = _evaluate(function, counts + law.sample(shape, generator), name)
    else:
        moved = _sensitivity(statistic, rows, columns) if sensitivity_bound is None else float(sensitivity_bound)
        noise = Laplace(moved / epsilon).sample if moved else lambda size, _: np.zeros(size)
        null, observed = null + noise(permutations, generator), truth + noise(repeats, generator)
    return TestbedStudy(
        name, perturb, float(epsilon), moved, without_noise, tuple(_pvalues(null, observed).tolist()), permutations
    )


def _table(table: ArrayLike) -> Integers:
    counts = np.asarray(table)
    if counts.ndim != 2 or min(counts.shape) < 2 or counts.dtype.kind not in "iu" or counts.min() < 0:
        raise InvalidInput(
            "table must be an array (r, c) of whole numbers of at least 0, with two or more rows and columns"
        )
    if not counts.any():
        raise InvalidInput("the table is empty: a permutation test needs records")
    return counts.astype(np.int64)


def _statistic(statistic: str | UserStatistic) -> tuple[str, Statistic]:
    if callable(statistic):
        user = statistic
        name = getattr(statistic, "__name__", "a user's statistic")
        return name, lambda tables, _: np.array([float(user(table)) for table in tables])
    if statistic not in STATISTICS:
        known = ", ".join(map(repr, STATISTICS))
        raise InvalidInput(f"statistic must be {known} or a callable of one table, not {statistic!r}")
    return statistic, STATISTICS[statistic]


def _sensitivity(statistic: str | UserStatistic, rows: Integers, columns: Integers) -> float:
    if callable(statistic):
        user = statistic
        return brute_force_sensitivity(lambda table: user(table.astype(float)), rows.tolist(), columns.tolist())
    return sensitivity(statistic, rows.tolist(), columns.tolist())


def _evaluate(function: Statistic, tables: Floats, name: str) -> Floats:
    values = np.asarray(function(tables, expected_cells(tables)), float)
    if np.isnan(values).any():
        raise InvalidInput(f"the statistic {name!r} is NaN on {int(np.isnan(values).sum())} of {len(values)} tables")
    return values


def _pvalues(null: Floats, observed: Floats) -> Floats:
    """(1 + #{null >= observed}) / (1 + m). Values that differ by rounding alone count as equal."""
    ordered = np.sort(null)
    slack = 1e-9 * np.maximum(1.0, np.abs(observed))
    return np.asarray((1 + len(ordered) - np.searchsorted(ordered, observed - slack)) / (1 + len(ordered)))
