"""Whether the parts of a table release fit together: the same checks for one just drawn and for one from a file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import InvalidInput
from discreet.release.neighbours import check_n

if TYPE_CHECKING:
    from discreet.release.tables.table import TableRelease

LARGEST_EXPONENT = 1074  # the finest grid that a published float can need
LARGEST_BITS = 1000  # a count must stay well inside the range of floats
LARGEST_TABLE = 10**7  # tabulated cells; also what bounds the work on a margin's law


def check_parts(release: TableRelease) -> None:
    """Raise `InvalidInput` unless axes, drawn numbers, grid and n describe one table."""
    _check_axes(release)
    _check_groups(release)
    size, layout = math.prod(release.shape), release.layout
    if len(release.drawn) != layout.drawn:
        cells = " x ".join(map(str, release.shape)) + (" cells and the other cell" if release.has_other else " cells")
        if layout.group_axis is not None:
            cells += " of each group, and the group of undeclared labels" if release.has_other else " by group"
        raise InvalidInput(f"{len(release.drawn)} drawn numbers for a table of {cells}")
    if size * release.draws_per_cell > LARGEST_TABLE:
        raise InvalidInput(f"a table of {size * release.draws_per_cell} cells: at most {LARGEST_TABLE} are allowed")
    if not 0 <= release.exponent <= LARGEST_EXPONENT:
        raise InvalidInput(f"the grid exponent must lie in 0 ... {LARGEST_EXPONENT}")
    if release.drawn.farthest().bit_length() - release.exponent > LARGEST_BITS:
        raise InvalidInput("a count is too large for a floating-point number")
    if release.n is not None and not 0 <= release.n < 2**63:
        raise InvalidInput("n, the number of records, must lie in 0 ... 2^63 - 1")


def _check_axes(release: TableRelease) -> None:
    names, schema = release.column_names, release.schema
    check_n(schema, release.n)
    if release.projected and not schema.n_is_public:
        raise InvalidInput("a projected table adds up to n, which is not public here")
    if not names or len(set(names)) < len(names):
        raise InvalidInput(f"the axes of a table are one or more different columns, not {names!r}")
    for name in (*names, *release.summed_over):
        schema.categorical(name)


def _check_groups(release: TableRelease) -> None:
    fixed, sizes, n = release.schema.fixed, release.group_sizes, release.n
    if sizes is None:
        if fixed is not None and fixed in release.column_names:
            raise InvalidInput(
                f"a table by the fixed column {fixed!r} needs group_sizes, the public size of each group"
            )
        return
    if fixed is None:
        raise InvalidInput("group_sizes belong to a schema with a fixed column; this one has none")
    groups = len(release.schema.categorical(fixed).labels) + release.has_other
    if len(sizes) != groups:
        raise InvalidInput(f"there are {groups} groups of {fixed!r} (undeclared labels included), not {len(sizes)}")
    if min(sizes) < 0 or n is None or sum(sizes) != n:
        raise InvalidInput("group sizes are 0 or more and add up to n")


def whole_number(name: str, value: object) -> int:
    """`value` as a Python integer; a clear `InvalidInput` where it is none (booleans are refused)."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InvalidInput(f"{name} must be an integer, not {value!r}")
    return int(value)


def probability_level(level: float) -> float:
    """`level` as a float strictly between 0 and 1; a clear `InvalidInput` otherwise."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.floating) or not 0 < level < 1:
        raise InvalidInput(f"a level lies between 0 and 1, e.g. 0.95, not {level!r}")
    return float(level)
