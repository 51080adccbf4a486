"""From a value to a cell: the one total function, and how counted groups of values become the cells of a table.

Adapters count records by *codes*: for each column, the position of the record's category or `STRAY`. They look raw values
up in the finite sets of `discreet.schema.canonical`, either in the engine or by `coder` here, so nothing can raise on a value.
"""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from discreet.curator.source.moments import Part
from discreet.curator.source.numeric import Grid
from discreet.curator.source.persons import Cut
from discreet.errors import InvalidInput
from discreet.schema.canonical import Spellings
from discreet.schema.columns import Categorical

STRAY = -1
_AT_ONCE = 2**20

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Counted:
    """Counted groups as arrays: the codes of shape (groups, columns), and the number of records in each group.

    As an iterable it is the pairs of both, as the readers give them that count one by one.
    """

    codes: NDArray[np.integer[Any]]
    numbers: Counts

    def __iter__(self) -> Iterator[tuple[list[int], int]]:
        return zip(self.codes.tolist(), self.numbers.tolist(), strict=True)


Groups = Iterable[tuple[Sequence[int], int]]
"""Pairs (codes of the columns in order, number of records), one by one or as `Counted`."""

GroupsInParts = Groups | Sequence[Counted]


@dataclass(frozen=True)
class Flaws:
    """The numbers of records whose value of a numeric column is null or NaN, below or above the bounds, or no number."""

    missing: int
    below: int
    above: int
    not_numbers: int


class Reader(Protocol):
    """What an engine must offer; columns are named as in the schema, and all of them are there."""

    def count_rows(self) -> int:
        """The number of records; also meets every fault of the file that reading could meet later."""
        ...

    def groups(self, columns: Mapping[str, Categorical]) -> GroupsInParts:
        """Pairs (codes of the columns in order, number of records); the same codes may come more than once."""
        ...

    def moments(
        self, columns: Mapping[str, Grid], fixed: tuple[str, Categorical] | None, *, products: bool
    ) -> Sequence[Part]:
        """The exact sums of the codes, and of their products; the same label may come more than once."""
        ...

    def bins(self, columns: Mapping[str, tuple[Grid, int]]) -> Groups:
        """Pairs (bin of each column, number of records): code j of J + 1 falls into bin min(m - 1, j m // J)."""
        ...

    def check_unit(self, name: str) -> None:
        """`InvalidInput` where the column's type cannot tell persons apart."""
        ...

    def persons(self, unit: str, columns: Mapping[str, Cut], most: int) -> Groups:
        """Pairs (code or bin of each column, number of records) of the records that count: see `persons`."""
        ...

    def flaws(self, name: str, grid: Grid) -> Flaws:
        """What of a numeric column does not fit its declaration. Confidential."""
        ...

    def strays(self, name: str, column: Categorical, limit: int) -> list[tuple[str, str | None]]:
        """Up to `limit` stray values of the column, as pairs (type, text or None for null). Confidential."""
        ...

    def close(self) -> None:
        """Let go of the records."""
        ...


def coder(spellings: Spellings) -> Callable[[Any], int]:
    """The total function from one Python value of any type to its code.

    Examples
    --------
    >>> from discreet.schema.canonical import spellings
    >>> code = coder(spellings(["no", 1, True]))
    >>> [code(value) for value in ("no", 1, 1.0, "1.0", True, "TRUE", 0, None, float("nan"), [1])]
    [0, 1, 1, 1, 2, 2, -1, -1, -1, -1]
    """
    texts, integers, booleans, dates = spellings.texts, spellings.integers, spellings.booleans, spellings.dates

    def code(value: Any) -> int:
        if type(value) is str:  # first because most records are text
            return texts.get(value, STRAY)
        try:
            if isinstance(value, str):
                return texts.get(str.__str__(value), STRAY)
            if isinstance(value, bool | np.bool_):
                return booleans.get(bool(value), STRAY)
            if isinstance(value, int | np.integer):
                return integers.get(int(value), STRAY)
            if isinstance(value, float | np.floating):
                return integers.get(int(value), STRAY) if value.is_integer() else STRAY
            if isinstance(value, np.datetime64):
                day = value.astype("datetime64[D]")
                return dates.get(day.item(), STRAY) if day == value else STRAY
            if isinstance(value, datetime.datetime):
                at_midnight = value.time() == datetime.time() and not getattr(value, "nanosecond", 0)
                return dates.get(value.date(), STRAY) if at_midnight and value.tzinfo is None else STRAY
            if isinstance(value, datetime.date):
                return dates.get(value, STRAY)
        except Exception:  # noqa: BLE001 - a value that breaks its own type (NaT, a date out of range) is a stray
            return STRAY
        return STRAY

    return code


def counted(groups: GroupsInParts, columns: int) -> Iterator[Counted]:
    """The groups as arrays, a part at a time.

    Examples
    --------
    >>> next(counted([((0, 1), 5), ((2, STRAY), 1)], 2)).codes
    array([[ 0,  1],
           [ 2, -1]])
    """
    if isinstance(groups, Counted):
        for start in range(0, len(groups.numbers), _AT_ONCE):
            yield Counted(groups.codes[start : start + _AT_ONCE], groups.numbers[start : start + _AT_ONCE])
        return
    found = list(groups)
    if found and isinstance(found[0], Counted):
        for part in found:
            yield from counted(cast(Counted, part), columns)
        return
    pairs = cast(list[tuple[Sequence[int], int]], found)
    codes = np.array([list(codes) for codes, _ in pairs], np.int64).reshape(len(pairs), columns)
    yield Counted(codes, np.array([number for _, number in pairs], np.int64))


def cells(groups: GroupsInParts, columns: Sequence[Categorical], *, complete: bool) -> Counts:
    """The counts of the declared cells, row-major; then, unless `complete`, of the records with a stray.

    Under `complete` a stray counts as the first category of its column.
    """
    sizes = [len(column) for column in columns]
    size = math.prod(sizes)
    counts = np.zeros(size if complete else size + 1, np.int64)
    for found in counted(groups, len(columns)):
        cell = _row_major(np.maximum(found.codes, 0), sizes)
        if not complete:
            cell[(found.codes < 0).any(1)] = size
        np.add.at(counts, cell, found.numbers)
    return counts


def cells_by_group(groups: GroupsInParts, columns: Sequence[Categorical], fixed: int) -> Counts:
    """The counts of a table by a fixed column (position `fixed`) whose schema is not complete, in three parts.

    First the declared cells, row-major. Then the cells of the records with an undeclared label, which are one more group:
    row-major over the other columns. Last the other cell of each group, the undeclared one's at the end: the records of
    that group with a stray in another column.

    Examples
    --------
    >>> sex, smoking = Categorical(["f", "m"]), Categorical(["no", "yes"])
    >>> pairs = [((0, 0), 5), ((1, 1), 4), ((1, STRAY), 3), ((STRAY, 0), 2), ((STRAY, STRAY), 1)]
    >>> cells_by_group(pairs, [sex, smoking], fixed=0)
    array([5, 0, 0, 4, 2, 0, 0, 3, 1])
    """
    sizes = [len(column) for column in columns]
    size, labels = math.prod(sizes), sizes[fixed]
    in_a_group, other_sizes = size // labels, sizes[:fixed] + sizes[fixed + 1 :]
    counts = np.zeros(size + in_a_group + labels + 1, np.int64)
    for found in counted(groups, len(columns)):
        label, rest = found.codes[:, fixed], np.delete(found.codes, fixed, axis=1)
        declared = label >= 0
        cell = _row_major(np.maximum(found.codes, 0), sizes)
        cell[~declared] = size + _row_major(np.maximum(rest[~declared], 0), other_sizes)
        stray = (rest < 0).any(1)
        cell[stray] = size + in_a_group + np.where(declared, label, labels)[stray]
        np.add.at(counts, cell, found.numbers)
    return counts


def _row_major(codes: NDArray[np.integer[Any]], sizes: Sequence[int]) -> Counts:
    """The cell of each row of codes."""
    cell = np.zeros(len(codes), np.int64)
    for position, size in enumerate(sizes):
        cell *= size
        cell += codes[:, position]
    return cell


def row_major(groups: Groups, sizes: Sequence[int]) -> list[int]:
    """The counts of all cells of axes of these sizes, row-major."""
    counts = [0] * math.prod(sizes)
    for positions, number in groups:
        cell = 0
        for position, size in zip(positions, sizes, strict=True):
            cell = cell * size + int(position)
        counts[cell] += int(number)
    return counts


def distinct_names(names: Iterable[Any]) -> list[str]:
    """The names of the source's columns; `InvalidInput` where one is there twice."""
    counted = Counter(map(str, names))
    repeated = [name for name, number in counted.items() if number > 1]
    if repeated:
        raise InvalidInput(f"column names must be distinct, got {', '.join(map(repr, repeated))} more than once")
    return list(counted)
