"""Tables with given margins: all of them where they are few, random ones under independence where they are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput

Integers = NDArray[np.int64]

MOST_RECORDS = 2**40


def margins(row_totals: Sequence[int], column_totals: Sequence[int]) -> tuple[Integers, Integers]:
    """Both margins as arrays: two or more non-negative integers each, with one sum above 0."""
    checked = []
    for name, given in (("row_totals", row_totals), ("column_totals", column_totals)):
        totals = np.asarray(given)
        if totals.ndim != 1 or len(totals) < 2 or totals.dtype.kind not in "iu" or totals.min() < 0:
            raise InvalidInput(f"{name} must be two or more whole numbers of at least 0, not {given!r}")
        checked.append(totals.astype(np.int64))
    rows, columns = checked
    if rows.sum() != columns.sum() or not 0 < rows.sum() <= MOST_RECORDS:
        raise InvalidInput(
            f"row and column totals must have one sum from 1 to 2^40, not {int(rows.sum())} and {int(columns.sum())}"
        )
    return rows, columns


def all_tables(row_totals: Sequence[int], column_totals: Sequence[int]) -> Iterator[Integers]:
    """Every table with these margins, each once; their number grows fast.

    Examples
    --------
    >>> [table.tolist() for table in all_tables([1, 2], [2, 1])]
    [[[0, 1], [2, 0]], [[1, 0], [1, 1]]]
    """
    rows, columns = margins(row_totals, column_totals)
    for table in _filled(rows.tolist(), columns.tolist()):
        yield np.array(table, np.int64)


def _filled(rows: list[int], columns: list[int]) -> Iterator[list[list[int]]]:
    if len(rows) == 1:
        yield [columns]
        return
    for first in _rows(rows[0], columns):
        left = [total - used for total, used in zip(columns, first, strict=True)]
        for rest in _filled(rows[1:], left):
            yield [first, *rest]


def _rows(total: int, caps: list[int]) -> Iterator[list[int]]:
    """All ways of writing `total` as a sum of entries below the caps."""
    if len(caps) == 1:
        if total <= caps[0]:
            yield [total]
        return
    for first in range(max(0, total - sum(caps[1:])), min(total, caps[0]) + 1):
        for rest in _rows(total - first, caps[1:]):
            yield [first, *rest]


def null_tables(
    row_totals: Sequence[int], column_totals: Sequence[int], size: int, rng: np.random.Generator
) -> Integers:
    """Tables of randomly permuted records, shape (size, r, c): independence with these margins.

    Each is what a permutation of one attribute among the records gives; drawn without making the records (Patefield 1981).

    Examples
    --------
    >>> import numpy as np
    >>> tables = null_tables([6, 8], [5, 9], 1000, np.random.default_rng(1))
    >>> tables.shape, tables.sum(2)[0], round(float(tables[:, 0, 0].mean()), 1)       # 6 * 5 / 14 = 2.14
    ((1000, 2, 2), array([6, 8]), 2.1)
    """
    from scipy.stats import random_table  # loaded here, because it takes longer to load than all of this package

    rows, columns = margins(row_totals, column_totals)
    tables = random_table(rows, columns).rvs(size, random_state=rng)
    return np.asarray(tables, np.int64).reshape(size, len(rows), len(columns))
