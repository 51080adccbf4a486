"""A margin of a table: the drawn integers summed exactly, and the law that their noise then has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import InvalidInput
from discreet.release.integers import Integers, Vector, exact_sum
from discreet.schema import unknown_name

if TYPE_CHECKING:
    from discreet.release.tables.table import TableRelease


def margin(release: TableRelease, columns: str | Sequence[str]) -> TableRelease:
    """Sum a table over all axes but `columns`; see `TableRelease.margin`.

    The integers are summed before any projection. Projecting afterwards gives the same table, because the projection
    adds the same amount to each tabulated cell (of a group): m times it to a sum of m of them.
    """
    kept = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in kept:
        if name in release.summed_over:
            raise InvalidInput(f"column {name!r} was summed over in this margin; take a margin of the table before it")
        if name not in release.column_names:
            raise unknown_name("column", name, release.column_names)
    if not kept or len(set(kept)) < len(kept):
        raise InvalidInput(f"a margin keeps one or more different columns, not {kept!r}")
    axes = [release.column_names.index(name) for name in kept]
    gone = [axis for axis in range(len(release.shape)) if axis not in axes]
    layout = release.layout
    drawn = release.drawn.array
    cells = drawn[: layout.size].reshape(release.shape)
    sums = _summed(cells, axes, gone)
    rest = drawn[layout.size :]
    group = layout.group_axis
    if group in gone and layout.others:
        # The declared groups' other cells; the undeclared group is known as a whole and needs no noisy number.
        rest = np.atleast_1d(exact_sum(rest[layout.undeclared : -1], 0))
    elif group is not None and layout.others:
        undeclared = drawn[layout.size : layout.size + layout.undeclared]
        one_label = undeclared.reshape([1 if axis == group else k for axis, k in enumerate(release.shape)])
        rest = np.concatenate([_summed(one_label, axes, gone), rest[layout.undeclared :]])
    return replace(release, column_names=kept, drawn=Integers(np.concatenate([sums, rest])))


def _summed(cells: Vector, axes: list[int], gone: list[int]) -> Vector:
    """The sums over the axes `gone`, row-major over `axes`."""
    ordered = cells.transpose(*axes, *gone)
    sums: Vector = exact_sum(ordered.reshape(math.prod(ordered.shape[: len(axes)]), -1), 1)
    return sums
