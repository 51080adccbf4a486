"""How far a statistic moves when two records swap an attribute: exactly, for sums of convex functions of the cells.

*Marginal neighbours* (Kifer and Machanavajjhala 2014): two records swap one attribute, so that the margins stay,

    T' = T - e_{i1 j1} - e_{i2 j2} + e_{i1 j2} + e_{i2 j1},     i1 != i2, j1 != j2,     both source cells at least 1.

For h = sum f_ij(T_ij) with every f_ij convex the increments f(x) - f(x - 1) grow with x. The swap changes h by

    [f(T) - f(T - 1)]_{i1 j1} + [f(T) - f(T - 1)]_{i2 j2} - [f(T + 1) - f(T)]_{i1 j2} - [f(T + 1) - f(T)]_{i2 j1},

which is largest where the two source cells are as large, and the two target cells as small, as the margins allow (the
Frechet bounds); one table attains all four at once. Ordered pairs cover both directions of the swap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, xlogy

from discreet.errors import InvalidInput, NotApplicable, NotAvailable
from discreet.lab.testbed.tables import Integers, all_tables, margins

Floats = NDArray[np.float64]
CellFunction = Callable[[ArrayLike, ArrayLike], ArrayLike]
"""f(x, expected): one cell's contribution, convex in the count x."""

_MOST_CHECKED = 10**6  # counts of one cell for which the convexity of a user's function is checked


def _chi2(x: ArrayLike, expected: ArrayLike) -> Floats:
    return np.asarray((np.asarray(x, float) - expected) ** 2 / np.asarray(expected))


def _likelihood_ratio(x: ArrayLike, expected: ArrayLike) -> Floats:
    count = np.asarray(x, float)
    return np.asarray(2 * xlogy(count, count))  # its linear part in log E is the same for all tables with these margins


def _log_likelihood(x: ArrayLike, expected: ArrayLike) -> Floats:
    return np.asarray(gammaln(np.asarray(x) + 1.0))


def _difference(x: ArrayLike, expected: ArrayLike) -> Floats:
    return np.asarray(np.abs(np.asarray(x) - expected))


CELL_FUNCTIONS: dict[str, CellFunction] = {
    "chi2": _chi2,
    "lr": _likelihood_ratio,
    "ll": _log_likelihood,
    "diff": _difference,
}


def sensitivity(statistic: str | CellFunction, row_totals: Sequence[int], column_totals: Sequence[int]) -> float:
    """The exact s_h = max |h(T) - h(T')| over marginal neighbours with these margins.

    Parameters
    ----------
    statistic : "chi2", "lr", "ll", "diff", or a convex cell function
        A function f(x, expected) gives h = sum f(T_ij, T_i. T_.j / n); it is refused where it is not convex.
    row_totals, column_totals : sequence of int
        The margins; empty rows and columns are left out.

    Returns
    -------
    float
        0 where the margins leave only one table.

    References
    ----------
    Wang, Lee and Kifer (2017), theorems G.20 to G.26, give the 2 x 2 case, and upper bounds beyond it: `paper_bound`.

    Examples
    --------
    >>> [round(sensitivity(name, [6, 8], [5, 9]), 4) for name in ("chi2", "lr", "ll", "diff")]
    [5.9889, 8.2598, 2.9957, 4.0]
    """
    rows, columns = margins(row_totals, column_totals)
    return _largest_swap(_cell_function(statistic), rows[rows > 0], columns[columns > 0], frechet=True)


def paper_bound(statistic: str, row_totals: Sequence[int], column_totals: Sequence[int]) -> float:
    """The bound that the paper's theorems give for these margins: exact for 2 x 2 ("diff": 4), too large for some others.

    From three rows and columns on it takes the lower Frechet bounds to be 0, also where that is impossible.

    Raises
    ------
    NotAvailable
        For two rows or two columns with three or more of the other, which the theorems do not cover.

    Examples
    --------
    >>> round(paper_bound("lr", [5, 4, 1], [7, 2, 1]), 4), round(sensitivity("lr", [5, 4, 1], [7, 2, 1]), 4)
    (7.7766, 5.004)
    """
    if statistic not in CELL_FUNCTIONS:
        raise InvalidInput(f"the paper has bounds for {', '.join(map(repr, CELL_FUNCTIONS))}, not {statistic!r}")
    if statistic == "diff":
        return 4.0
    rows, columns = margins(row_totals, column_totals)
    rows, columns = rows[rows > 0], columns[columns > 0]
    if len(rows) == len(columns) == 2:
        return sensitivity(statistic, row_totals, column_totals)
    if min(len(rows), len(columns)) < 3:
        raise NotAvailable("the paper's theorems cover 2 x 2 and three or more rows and columns; use `sensitivity`")
    return _largest_swap(CELL_FUNCTIONS[statistic], rows, columns, frechet=False)


def brute_force_sensitivity(
    statistic: Callable[[Integers], float],
    row_totals: Sequence[int],
    column_totals: Sequence[int],
    *,
    most: int = 20_000,
) -> float:
    """s_h of any statistic of one table, by looking at every table on the margins and every swap of two records.

    Parameters
    ----------
    statistic : callable
        From an integer table (r, c) to a finite number.
    most : int
        Refuse where there are more tables than this.

    Examples
    --------
    >>> brute_force_sensitivity(lambda table: abs(table[0, 0] - 3), [6, 8], [5, 9])
    1.0
    """
    values: dict[bytes, float] = {}
    kept: list[Integers] = []
    for table in all_tables(row_totals, column_totals):
        if len(kept) == most:
            raise NotAvailable(
                f"there are more than {most} tables on these margins; give a convex cell function instead"
            )
        value = float(statistic(table))
        if not np.isfinite(value):
            raise InvalidInput(f"the statistic is {value} on the table {table.tolist()}; it must be finite on all")
        values[table.tobytes()] = value
        kept.append(table)
    largest = 0.0
    for table in kept:
        for i, k in permutations(range(table.shape[0]), 2):
            for j, m in permutations(range(table.shape[1]), 2):
                if table[i, j] and table[k, m]:
                    moved = table.copy()
                    moved[[i, k, i, k], [j, m, m, j]] += [-1, -1, 1, 1]
                    largest = max(largest, abs(values[table.tobytes()] - values[moved.tobytes()]))
    return largest


def _cell_function(statistic: str | CellFunction) -> CellFunction:
    if callable(statistic):
        return statistic
    if statistic not in CELL_FUNCTIONS:
        known = ", ".join(map(repr, CELL_FUNCTIONS))
        raise InvalidInput(f"statistic must be {known} or a convex cell function f(x, expected), not {statistic!r}")
    return CELL_FUNCTIONS[statistic]


def _largest_swap(f: CellFunction, rows: Integers, columns: Integers, *, frechet: bool) -> float:
    n = int(rows.sum())
    expected = np.outer(rows, columns) / n
    high = np.minimum.outer(rows, columns)
    frechet_low = np.maximum(np.add.outer(rows, columns) - n, 0)
    low = frechet_low if frechet else np.zeros_like(high)
    falling = _increment(f, expected, high)  # f(a) - f(a - 1) at the upper bound
    rising = _increment(f, expected, low + 1)  # f(b + 1) - f(b) at the lower one
    if f not in CELL_FUNCTIONS.values():
        _check_convex(f, expected, frechet_low, high)
    best = 0.0
    free = high > frechet_low  # a cell that the margins determine cannot take part in a swap
    for (i, k), (j, m) in product(permutations(range(len(rows)), 2), permutations(range(len(columns)), 2)):
        if free[i, j] and free[k, m] and free[i, m] and free[k, j]:
            best = max(best, float(falling[i, j] + falling[k, m] - rising[i, m] - rising[k, j]))
    return best


def _increment(f: CellFunction, expected: Floats, upper: Integers) -> Floats:
    with np.errstate(all="ignore"):
        change = np.asarray(f(upper, expected), float) - np.asarray(f(upper - 1, expected), float)
    if change.shape != expected.shape or not np.isfinite(change).all():
        raise InvalidInput(
            "a cell function f(x, expected) must return one finite number for every count on the margins"
        )
    return np.asarray(change)


def _check_convex(f: CellFunction, expected: Floats, low: Integers, high: Integers) -> None:
    if int((high - low).max()) > _MOST_CHECKED:
        raise NotAvailable(f"a cell has more than {_MOST_CHECKED} possible counts; too many to check a user's function")
    for cell in np.ndindex(expected.shape):
        values = np.asarray(f(np.arange(int(low[cell]), int(high[cell]) + 1), np.float64(expected[cell])), float)
        bend = np.diff(values, 2)
        if not (bend >= -1e-9 * max(1.0, float(np.abs(values).max()))).all():  # False for NaN, too
            raise NotApplicable(
                f"the cell function is not convex in the count (cell {cell}, expected {float(expected[cell]):.6g}); "
                "its sensitivity needs brute_force_sensitivity"
            )
