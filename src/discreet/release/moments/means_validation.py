"""Whether the parts of released means fit together: the same checks for a release just drawn and for one from a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput
from discreet.noise.coordinates import FAMILIES
from discreet.noise.validation import positive
from discreet.release.moments.coded import numeric_columns
from discreet.release.validation import LARGEST_BITS, LARGEST_EXPONENT

if TYPE_CHECKING:
    from discreet.release.moments.means import MeanRelease

MOST_COLUMNS, MOST_COLUMNS_OF_MOMENTS = 1000, 100
MOST_NUMBERS = 10**6


def check_means(release: MeanRelease) -> None:
    """Raise `InvalidInput` unless columns, drawn numbers, grids, scales and sizes describe means."""
    schema, names = release.schema, release.column_names
    numeric_columns(schema, names)
    if {*schema.columns} - {schema.fixed} != {*names}:
        raise InvalidInput("the schema of released means holds their columns and the fixed one, no others")
    if len(names) > MOST_COLUMNS:
        raise InvalidInput(f"{len(names)} columns: at most {MOST_COLUMNS} are released at once")
    if release.mechanism not in FAMILIES:
        raise InvalidInput(f"unknown mechanism {release.mechanism!r} of means: one of {', '.join(FAMILIES)}")
    check_drawn(release.drawn, release.exponents, release.scales, columns=len(names), rows=len(release.groups.sizes))
    object.__setattr__(release, "scales", tuple(positive("a scale of noise", scale) for scale in release.scales))
    _ = release.values, release.noise, release.undeclared  # whatever is beyond the range of floats shows here


def check_drawn(
    drawn: Sequence[int], exponents: Sequence[int], scales: Sequence[float], *, columns: int, rows: int
) -> None:
    """Raise `InvalidInput` unless there are `rows` times `columns` drawn numbers, with a grid and a scale for each column."""
    if len(drawn) != rows * columns or len(drawn) > MOST_NUMBERS:
        raise InvalidInput(f"{len(drawn)} drawn numbers for {rows} groups of {columns}")
    if len(exponents) != columns or len(scales) != columns:
        raise InvalidInput(f"{len(exponents)} grid exponents and {len(scales)} scales for {columns} numbers a group")
    if not all(0 <= k <= LARGEST_EXPONENT for k in exponents):
        raise InvalidInput(f"a grid exponent must lie in 0 ... {LARGEST_EXPONENT}")
    if max(abs(y).bit_length() for y in drawn) - min(exponents) > LARGEST_BITS:
        raise InvalidInput("a drawn number is too large")
