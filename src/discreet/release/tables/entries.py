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

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.release.tables.layout import Layout, layout_of

if TYPE_CHECKING:
    from discreet.release.tables.table import TableRelease


def exact_entries(release: TableRelease) -> tuple[list[int], int]:
    """All entries, in the order of `drawn`, as numerators over one denominator, to be rounded once.

    Where n is None a projected table is taken to be as published: its own sum is its n.
    """
    layout, step = layout_of(release), 2**release.exponent
    if not release.projected or release.n is None:
        entries, denominator = list(release.drawn), step
    elif layout.group_axis is not None:
        entries, denominator = _projected_by_group(release, layout), layout.total_draws * step
    else:
        summed = release.n - _undeclared_size(release)
        surplus = summed * step - sum(release.drawn)
        draws = [layout.draws_per_cell] * layout.size + [layout.draws_per_other] * layout.others
        entries = [y * layout.total_draws + m * surplus for y, m in zip(release.drawn, draws, strict=True)]
        denominator = layout.total_draws * step
    if layout.others == 1:  # in a margin over groups the size of the one without a declared label is known
        entries[-1] += _undeclared_size(release) * denominator
    return entries, denominator


def _undeclared_size(release: TableRelease) -> int:
    """The number of records in the group of undeclared labels of a margin over groups, else 0."""
    if release.group_sizes is None or release.schema.complete or release.schema.fixed in release.column_names:
        return 0
    return release.group_sizes[-1]


def _projected_by_group(release: TableRelease, layout: Layout) -> list[int]:
    assert release.group_sizes is not None
    assert layout.group_axis is not None
    blocks = by_group(release, layout)
    sizes = np.array(release.group_sizes, object) * 2**release.exponent
    surplus = (sizes - blocks.sum(1))[:, None]
    draws = np.full(blocks.shape[1], layout.draws_per_cell, object)
    if layout.others:
        draws[-1] = 1
    return _in_order(release, layout, blocks * layout.total_draws + draws * surplus)


def by_group(release: TableRelease, layout: Layout) -> NDArray[Any]:
    """The drawn numbers with one row a group: its cells, row-major over the other axes, then its other cell."""
    assert layout.group_axis is not None
    drawn = np.array(release.drawn, object)
    cells, undeclared, others = np.split(drawn, [layout.size, layout.size + layout.undeclared])
    rows = np.moveaxis(cells.reshape(release.shape), layout.group_axis, 0)
    rows = rows.reshape(release.shape[layout.group_axis], -1)
    if not layout.others:
        return rows
    return np.hstack([np.vstack([rows, undeclared]), others[:, None]])


def _in_order(release: TableRelease, layout: Layout, blocks: NDArray[Any]) -> list[int]:
    """The inverse of `by_group`."""
    assert layout.group_axis is not None
    labels, in_a_group = release.shape[layout.group_axis], layout.size // release.shape[layout.group_axis]
    rest = [k for axis, k in enumerate(release.shape) if axis != layout.group_axis]
    cells = np.moveaxis(blocks[:labels, :in_a_group].reshape(labels, *rest), 0, layout.group_axis)
    entries: list[int] = [*cells.ravel().tolist(), *blocks[labels:, :in_a_group].ravel().tolist()]
    return entries + (blocks[:, in_a_group].tolist() if layout.others else [])
