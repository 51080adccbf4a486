"""A margin of a table: the drawn integers summed exactly, and the law that their noise then has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import InvalidInput
from discreet.schema import unknown_name

if TYPE_CHECKING:
    from discreet.release.table import TableRelease


def margin(release: TableRelease, columns: str | Sequence[str]) -> TableRelease:
    """Sum a table over all axes but `columns`; see `TableRelease.margin`.

    The integers are summed before any projection. Projecting afterwards gives the same table, because the projection
    adds the same amount to each tabulated cell: m times it to a sum of m of them.
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
    size = math.prod(release.shape)
    # Python integers: the sums may pass 2^63.
    cells = np.array(release.drawn[:size], object).reshape(release.shape).transpose(*axes, *gone)
    sums = cells.reshape(math.prod(cells.shape[: len(axes)]), -1).sum(axis=1)
    return replace(release, column_names=kept, drawn=(*sums.tolist(), *release.drawn[size:]))
