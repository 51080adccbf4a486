"""From drawn integers to released numbers, in exact arithmetic.

What left the gate are integers on a public grid, y_i = 2^k (true count) + noise. With M draws in all (one for each
tabulated cell, and for the `other` cell if there is one), the projected mechanism moves every tabulated cell by the same
amount, so that all of them add up to the public n:

    count_i = 2^-k (y_i + m_i (2^k n - sum y) / M),      m_i = the number of tabulated cells summed into entry i

(m_i = 1 but in a margin); the other mechanisms release count_i = 2^-k y_i. A table by a fixed column is projected group by
group, with the size of the group for n and its own cells for the sum. Source of the projection: Kim, Lee, Kwak and Jung
(2022), Theorem 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.release.integers import HIGH, Integers, Vector, exact_sum
from discreet.release.tables.layout import Layout, layout_of
from discreet.release.tables.rounding import Entries

if TYPE_CHECKING:
    from discreet.release.tables.table import TableRelease


def exact_entries(release: TableRelease) -> Entries:
    """All entries, in the order of `drawn`, to be rounded once.

    Where n is None a projected table is taken to be as published: its own sum is its n.
    """
    layout, drawn = layout_of(release), release.drawn.array
    last = np.arange(len(drawn)) >= layout.size  # the other cell, or none, but in a table by group
    if not release.projected or release.n is None:
        entries = Entries(drawn, np.zeros(len(drawn), np.int8), (0,), 1, release.exponent)
    elif layout.group_axis is not None:
        entries = _projected_by_group(release, layout)
    else:
        summed = release.n - _undeclared_size(release)
        surplus = (summed << release.exponent) - release.drawn.total()
        draws = (layout.draws_per_cell, layout.draws_per_other)
        shifts, parts = _divided([m * surplus for m in draws], layout.total_draws)
        part = last.astype(np.int8)
        entries = Entries(_shifted(drawn, shifts, part), part, parts, layout.total_draws, release.exponent)
    if layout.others == 1 and (size := _undeclared_size(release)):
        # In a margin over groups the size of the one without a declared label is known.
        known = _shifted(entries.whole, (0, size << release.exponent), last.astype(np.int8))
        return replace(entries, whole=known)
    return entries


def _divided(numerators: Sequence[int], denominator: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Quotients and remainders."""
    quotients, remainders = zip(*(divmod(numerator, denominator) for numerator in numerators), strict=True)
    return quotients, remainders


def _shifted(numbers: Vector, shifts: Sequence[int], which: NDArray[Any]) -> Vector:
    """numbers + shifts[which], of dtype int64 where that is sure to hold the sums."""
    amounts = Integers(shifts)
    if numbers.dtype == object or Integers(numbers.ravel()).farthest() + amounts.farthest() > HIGH:
        return np.asarray(numbers.astype(object) + amounts.array.astype(object)[which])
    return np.asarray(numbers + amounts.array[which])


def _undeclared_size(release: TableRelease) -> int:
    """The number of records in the group of undeclared labels of a margin over groups, else 0."""
    if release.group_sizes is None or release.schema.complete or release.schema.fixed in release.column_names:
        return 0
    return release.group_sizes[-1]


def _projected_by_group(release: TableRelease, layout: Layout) -> Entries:
    assert release.group_sizes is not None
    assert layout.group_axis is not None
    blocks = by_group(release, layout)
    sums = exact_sum(blocks, 1).tolist()
    surplus = [(size << release.exponent) - total for size, total in zip(release.group_sizes, sums, strict=True)]
    groups, in_a_block = blocks.shape
    draws = [layout.draws_per_cell] * groups + [1] * groups  # those of the cells of each group, then of its other cell
    shifts, parts = _divided([m * s for m, s in zip(draws, surplus * 2, strict=True)], layout.total_draws)
    part = np.repeat(np.arange(groups, dtype=np.int32)[:, None], in_a_block, axis=1)
    if layout.others:
        part[:, -1] += groups
    whole = _shifted(blocks, shifts, part)
    whole, part = (_in_order(release, layout, numbers) for numbers in (whole, part))
    return Entries(whole, part, parts, layout.total_draws, release.exponent)


def by_group(release: TableRelease, layout: Layout) -> NDArray[Any]:
    """The drawn numbers with one row a group: its cells, row-major over the other axes, then its other cell."""
    assert layout.group_axis is not None
    cells, undeclared, others = np.split(release.drawn.array, [layout.size, layout.size + layout.undeclared])
    rows = np.moveaxis(cells.reshape(release.shape), layout.group_axis, 0)
    rows = rows.reshape(release.shape[layout.group_axis], -1)
    if not layout.others:
        return rows
    return np.hstack([np.vstack([rows, undeclared]), others[:, None]])


def _in_order(release: TableRelease, layout: Layout, blocks: NDArray[Any]) -> NDArray[Any]:
    """The inverse of `by_group`."""
    assert layout.group_axis is not None
    labels, in_a_group = release.shape[layout.group_axis], layout.size // release.shape[layout.group_axis]
    rest = [k for axis, k in enumerate(release.shape) if axis != layout.group_axis]
    cells = np.moveaxis(blocks[:labels, :in_a_group].reshape(labels, *rest), 0, layout.group_axis)
    others = blocks[:, in_a_group] if layout.others else blocks[:0, 0]
    return np.concatenate([cells.ravel(), blocks[labels:, :in_a_group].ravel(), others])
