"""Independence of every pair of columns of one released table: each pair's margin, under that margin's own law.

The two-way margins of one release share its noise and its records, so their tests depend on each other. Each p-value is valid
by itself, because the margin carries the law that its noise then has (many draws summed in a cell, correlated after a
projection: `discreet.noise.joint`). For all of them together they are adjusted by a method that holds under any dependence:
Holm's, unless another is asked for.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DiscreetWarning, InvalidInput, NotApplicable
from discreet.inference.adjust import adjust_pvalues
from discreet.inference.independence import independence
from discreet.inference.null.problem import NullMethod, Seed
from discreet.inference.result import TestResult
from discreet.release import TableRelease
from discreet.release.frames import to_frame
from discreet.release.labels import shortened
from discreet.release.text import aligned

Floats = NDArray[np.float64]

_SHOWN = 10


@dataclass(frozen=True, eq=False)
class PairedResults:
    """The tests of all pairs; prints as the list of those with the smallest p-values.

    Attributes
    ----------
    pairs : tuple of (str, str)
        The two columns of each test.
    results : tuple of TestResult or None
        In the same order; None where no test applies.
    adjust : str or None
        How `adjusted` was made of the p-values: see `adjust_pvalues`.
    """

    pairs: tuple[tuple[str, str], ...]
    results: tuple[TestResult | None, ...]
    adjust: str | None

    @property
    def pvalues(self) -> Floats:
        """One a pair; NaN where no test applies."""
        return np.array([math.nan if result is None else result.pvalue for result in self.results])

    @property
    def adjusted(self) -> Floats:
        """The p-values adjusted for there being so many; as they are where `adjust` is None."""
        return self.pvalues if self.adjust is None else adjust_pvalues(self.pvalues, self.adjust)

    def __getitem__(self, pair: tuple[str, str]) -> TestResult | None:
        """The result of two columns, in either order."""
        for known, result in zip(self.pairs, self.results, strict=True):
            if pair in (known, known[::-1]):
                return result
        raise InvalidInput(f"{pair!r} is no pair that was tested")

    def to_frame(self, backend: str = "polars") -> Any:
        """One row a pair: `rows`, `columns`, `statistic`, `df`, `pvalue`, `adjusted`, `effect` (Cramer's V), its interval.

        A frame of `backend` ("polars", "pandas" or "pyarrow"); numbers of a pair without a test are NaN, its df is 0.
        """
        none = math.nan
        found = [
            (none, 0, none, none, none)
            if result is None
            else (result.statistic, result.df, result.effect.value, result.effect.low, result.effect.high)
            for result in self.results
        ]
        statistic, df, effect, low, high = (list(column) for column in zip(*found, strict=True))
        return to_frame(
            {
                "rows": [first for first, _ in self.pairs],
                "columns": [second for _, second in self.pairs],
                "statistic": statistic,
                "df": df,
                "pvalue": self.pvalues.tolist(),
                "adjusted": self.adjusted.tolist(),
                "effect": effect,
                "effect_low": low,
                "effect_high": high,
            },
            backend,
        )

    def __repr__(self) -> str:
        pvalues, adjusted = self.pvalues, self.adjusted
        order = [int(i) for i in np.argsort(pvalues)[:_SHOWN] if not math.isnan(pvalues[i])]
        lines = [["rows", "columns", "statistic", "df", "p-value", "adjusted"]]
        for i in order:
            result = self.results[i]
            assert result is not None
            numbers = [f"{result.statistic:.4g}", str(result.df), _chance(pvalues[i]), _chance(adjusted[i])]
            lines.append([*map(shortened, self.pairs[i]), *numbers])
        method = "not adjusted" if self.adjust is None else f"adjusted by {self.adjust}"
        more = len(self.pairs) - len(order)
        rest = [f"... {more} more {_pairs(more)}"] if more else []
        title = f"Independence of {len(self.pairs)} {_pairs(len(self.pairs))} of columns, {method}"
        warned = sum(result is not None and bool(result.warnings) for result in self.results)
        beware = [f"{warned} of the tests warn{'s' * (warned == 1)}: see the warnings of .results"] if warned else []
        return "\n".join([title, *aligned(lines, 2), *rest, *beware])


def independence_pairs(
    release: TableRelease,
    columns: Sequence[str] | None = None,
    *,
    adjust: str | None = "holm",
    statistic: str = "chi2",
    null: str | NullMethod = "auto",
    rng: Seed = None,
) -> PairedResults:
    """Test the independence of every pair of columns of one released table. Spends nothing.

    Parameters
    ----------
    release : TableRelease
        With two columns or more.
    columns : sequence of str, optional
        Which of them; all that have two categories or more by default. k columns are k (k - 1)/2 tests.
    adjust : "holm", "benjamini-yekutieli", "benjamini-hochberg" or None
        How the p-values are adjusted. The tests depend on each other; the first two methods allow that.
    statistic, null, rng
        As in `independence`; every pair has a generator of its own.

    Returns
    -------
    PairedResults
        NaN for a pair that no test applies to (a noisy total that is not above 0), with one `DiscreetWarning`.

    Raises
    ------
    InvalidInput
        For what is no release, unknown columns, or fewer than two.
    NotApplicable
        Where no pair has a test; the reason is that of the last one.

    Examples
    --------
    >>> from discreet.inference import independence_pairs
    >>> from discreet.noise import Gaussian
    >>> from discreet.release import TableRelease
    >>> values = [[[130, 100], [60, 70]], [[90, 120], [110, 95]]]
    >>> columns = {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"], "sex": ["f", "m"]}
    >>> table = TableRelease.from_counts(values, columns, noise=Gaussian(2.0), n=775)
    >>> independence_pairs(table)
    Independence of 3 pairs of columns, adjusted by holm
    rows      columns   statistic  df    p-value   adjusted
    smoking   systolic      13.87   1  0.0002666  0.0007998
    smoking   sex           1.621   1     0.2122     0.4245
    systolic  sex         0.04237   1     0.8403     0.8403
    """
    if not isinstance(release, TableRelease):
        raise InvalidInput(f"the pairs are those of a released table (TableRelease), not of a {type(release).__name__}")
    if adjust is not None:
        adjust_pvalues([], adjust)  # an unknown method is refused before the work
    chosen = _chosen(release, columns)
    small = release.margin(chosen)  # the wide table is summed once
    pairs = tuple(combinations(chosen, 2))
    seeds = np.random.default_rng(rng).integers(2**63, size=len(pairs)).tolist()
    results: list[TestResult | None] = []
    refusal = None
    for pair, seed in zip(pairs, seeds, strict=True):
        try:
            results.append(independence(small.margin(pair), statistic=statistic, null=null, rng=seed))
        except NotApplicable as refused:
            results.append(None)
            refusal = refused
    if refusal is not None and not any(results):
        raise refusal
    lost = [" x ".join(pair) for pair, result in zip(pairs, results, strict=True) if result is None]
    if lost:
        named = ", ".join(lost[:_SHOWN]) + (", ..." if len(lost) > _SHOWN else "")
        warnings.warn(
            f"{len(lost)} of {len(pairs)} pairs have no p-value (NaN): {named}; a noisy total is not above 0, or the table "
            "is beyond what the statistic or the null method can do",
            DiscreetWarning,
            stacklevel=2,
        )
    return PairedResults(pairs, tuple(results), adjust)


def _chosen(release: TableRelease, columns: Sequence[str] | None) -> list[str]:
    sizes = dict(zip(release.column_names, release.shape, strict=True))
    if columns is None:
        chosen = [name for name, size in sizes.items() if size > 1]
    else:
        chosen = [columns] if isinstance(columns, str) else list(columns)
        for name in chosen:
            if sizes.get(name, 2) < 2:
                raise InvalidInput(f"column {name!r} has one category, so it has no test; leave it out")
    if len(chosen) < 2:
        raise InvalidInput(f"pairs need two columns of two categories or more, got {chosen}")
    return chosen


def _chance(p: float) -> str:
    """One that is too small for a float is said to be so, not to be 0."""
    return f"{p:.4g}" if p > 0 else "below 1e-300"


def _pairs(number: int) -> str:
    return "pair" if number == 1 else "pairs"
