"""Where each drawn number of a table belongs, and how many draws of noise are in it.

A plain table is drawn as its declared cells, row-major, then the `other` cell unless the schema is complete. A table by the
schema's fixed column is drawn for each group as such a table of its own:

    declared cells, row-major
    the cells of the group of all undeclared labels, row-major over the other axes      unless the schema is complete
    the other cell of each group, that of the undeclared one last                       unless the schema is complete

In its margin over the groups the declared ones are summed, cell by cell, and so are their other cells (to one number).
The group of undeclared labels is left out there: its size is public and is added to `other` as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.release.tables.table import TableRelease


@dataclass(frozen=True)
class Layout:
    """The parts of a release's drawn numbers.

    Attributes
    ----------
    size : int
        Declared cells.
    undeclared : int
        Cells of the group of undeclared labels; 0 where there is none.
    others : int
        Other cells.
    group_axis : int or None
        The axis of the fixed column, where the table is by group.
    draws_per_cell, draws_per_other : int
        How many draws of noise are summed in a cell, and in an other cell.
    total_draws : int
        M, the number of draws that are projected together: all of the release, or those of a group.
    """

    size: int
    undeclared: int
    others: int
    group_axis: int | None
    draws_per_cell: int
    draws_per_other: int
    total_draws: int

    @property
    def drawn(self) -> int:
        """How many numbers there are."""
        return self.size + self.undeclared + self.others


def layout_of(release: TableRelease) -> Layout:
    """The layout of a release, from its schema, its axes and whether it was drawn by group."""
    schema, size, m = release.schema, math.prod(release.shape), release.draws_per_cell
    has_other = not schema.complete
    if release.group_sizes is None or schema.fixed is None:
        return Layout(size, 0, int(has_other), None, m, 1, size * m + has_other)
    labels = len(schema.categorical(schema.fixed).labels)
    if schema.fixed not in release.column_names:
        return Layout(size, 0, int(has_other), None, m, labels, size * m + labels * has_other)
    in_a_group = size // labels
    axis = release.column_names.index(schema.fixed)
    total = in_a_group * m + has_other
    return Layout(size, in_a_group * has_other, (labels + 1) * has_other, axis, m, 1, total)
