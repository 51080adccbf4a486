"""DuckDB tables (files and the user's own relations): the SQL that counts records by their codes.

Two ways, with one result. *Groups first*: GROUP BY the raw values, then encode the few groups; it costs what a bare GROUP
BY costs, but its memory grows with the number of distinct raw values. *Row by row*: look every value up in the table of
spellings, then group the codes; its memory depends on the schema alone. A file is read the first way under a memory limit
without spilling to disk, and the second way where that limit or the cap on groups is passed. A relation of the user's
connection is always read the second way, because its limits are not ours to set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import duckdb
import numpy as np

from discreet.curator.source.encode import STRAY, Counted, Flaws, Groups, GroupsInParts, distinct_names
from discreet.curator.source.moments import MOST_ROWS, Digits, Part
from discreet.curator.source.numeric import Grid
from discreet.curator.source.persons import Cut, no_persons
from discreet.curator.source.table_numbers import (
    INTEGERS,
    WHOLE,
    binned_sql,
    bins_of_groups,
    bins_sql,
    flaws_sql,
    groups_sql,
    number_sql,
    sums_sql,
    veiled,
)
from discreet.curator.source.table_persons import part_sql, person_column, persons_sql
from discreet.schema.canonical import Spellings
from discreet.schema.columns import Categorical

_Answer = TypeVar("_Answer")

DISTRUST = "SET disabled_optimizers = 'statistics_propagation'"  # see `table_numbers`

_MOST_GROUPS = 2**17
_CELLS_AT_ONCE, _MOST_PARTS = 2**21, 64
_ROWS_SORTED = 2**20
_RECORDS = "discreet_records"  # the name of the relation within a query; no view of this name outlives it

_TIMESTAMPS = {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}


@dataclass(frozen=True)
class Lookup:
    """How one column is looked up: its values as `sql_type` ("" where no value of the type is a category)."""

    sql_type: str
    codes: Mapping[Any, int]

    def literal(self, key: str | float) -> str:
        return f"encode({quoted(key)})" if isinstance(key, str) else f"{key!r}::DOUBLE"

    def row_key(self, column: str) -> str:
        """As bytes, because the user's table may compare text without regard to case (a collation)."""
        return f"encode(CAST({column} AS VARCHAR))" if self.sql_type == "VARCHAR" else f"CAST({column} AS DOUBLE)"


def lookup(sql_type: str, spellings: Spellings) -> Lookup:
    """The spellings of a column of this DuckDB type, in the form in which DuckDB prints them."""
    if sql_type == "VARCHAR" or sql_type.startswith("ENUM("):
        return Lookup("VARCHAR", spellings.texts)
    if sql_type in INTEGERS:
        return Lookup("VARCHAR", {str(integer): code for integer, code in spellings.integers.items()})
    if sql_type in ("FLOAT", "DOUBLE"):
        return Lookup("DOUBLE", spellings.floats)
    if sql_type == "BOOLEAN":
        return Lookup("VARCHAR", {str(truth).lower(): code for truth, code in spellings.booleans.items()})
    if sql_type == "DATE":
        return Lookup("VARCHAR", {day.isoformat(): code for day, code in spellings.dates.items()})
    if sql_type in _TIMESTAMPS:
        return Lookup("VARCHAR", {f"{day.isoformat()} 00:00:00": code for day, code in spellings.dates.items()})
    return Lookup("", {})


def open_relation(relation: Any) -> tuple[TableReader, list[str]]:
    """The reader of a DuckDB relation and the names of its columns."""
    names = distinct_names(relation.columns)
    return TableReader(relation, names), names


class TableReader:
    """Counts the records of a DuckDB relation by codes."""

    __slots__ = ("_positions", "_relation", "_types")
    _is_ours = False  # the connection and its settings
    _scan = _RECORDS
    _small_sum = "sum"

    def __init__(self, relation: Any, names: Sequence[str]) -> None:
        self._relation = relation
        self._types = [str(sql_type) for sql_type in relation.types]
        self._positions = {name: position for position, name in enumerate(names)}

    def count_rows(self) -> int:
        return int(self._ask(f"SELECT count(*) FROM {self._records}")[0][0])

    def groups(self, columns: Mapping[str, Categorical]) -> GroupsInParts:
        return self._row_by_row(columns)

    def moments(
        self, columns: Mapping[str, Grid], fixed: tuple[str, Categorical] | None, *, products: bool
    ) -> list[Part]:
        numbers = [self._number(name) for name in columns]
        key, join = None, ""
        if fixed is not None:
            ((position, found),) = self._lookups(dict([fixed]))
            if found.codes:
                key, join = "k0.code", _join(0, position, found)
        grids, records = list(columns.values()), f"{self._records} {join}"
        rows = self._ask(sums_sql(numbers, grids, key, records, products=products, small=self._small_sum))
        if self._small_sum != "sum" and sum(row[1] for row in rows) >= MOST_ROWS // 2:
            rows = self._ask(sums_sql(numbers, grids, key, records, products=products, small="sum"))
        parts = []
        for label, n, *sums in rows:
            added = [int(value or 0) for value in sums]  # the sum of no records is NULL
            which = STRAY if label is None else label
            parts.append(Digits.whole(grids).recombined(which, n, added[: len(grids)], added[len(grids) :]))
        return parts

    def bins(self, columns: Mapping[str, tuple[Grid, int]]) -> Groups:
        cuts = list(columns.values())
        rows = self._ask(bins_sql([self._number(name) for name in columns], cuts, self._records))
        return [([min(b, size - 1) for b, (_, size) in zip(row[:-1], cuts, strict=True)], row[-1]) for row in rows]

    def check_unit(self, name: str) -> None:
        sql_type = self._types[self._positions[name]]
        if person_column("", sql_type) is None:
            raise no_persons(name, sql_type)

    def persons(self, unit: str, columns: Mapping[str, Cut], most: int) -> Groups:
        return self._persons(unit, columns, most, "")

    def _persons(self, unit: str, columns: Mapping[str, Cut], most: int, where: str) -> Groups:
        position = self._positions[unit]
        person = str(person_column(f"t.c{position}", self._types[position]))
        coded = self._coded_persons(person if self._is_ours else veiled(person), columns, where)
        return [(row[:-1], int(row[-1])) for row in self._ask(persons_sql(coded, unit, list(columns), most))]

    def _coded_persons(self, person: str, columns: Mapping[str, Cut], where: str) -> str:
        """A row a record: the bytes of its person, u, and its codes g0, g1, ..."""
        categorical = {name: cut for name, cut in columns.items() if isinstance(cut, Categorical)}
        if len(categorical) == len(columns):
            lookups = self._lookups(categorical)
            codes = [
                f"coalesce(k{i}.code, {STRAY})" if found.codes else f"{STRAY}" for i, (_, found) in enumerate(lookups)
            ]
            joins = " ".join(_join(i, position, found) for i, (position, found) in enumerate(lookups))
            shown = ", ".join(f"{code} AS g{i}" for i, code in enumerate(codes))
            return f"SELECT {person} AS u, {shown} FROM {self._records} {joins} {where}"
        cuts = [cut for cut in columns.values() if not isinstance(cut, Categorical)]
        shown = ", ".join(f"least(b{i}, {size - 1}) AS g{i}" for i, (_, size) in enumerate(cuts))
        binned = binned_sql([self._number(name) for name in columns], cuts, f"{self._records} {where}", person)
        return f"SELECT u, {shown} FROM ({binned})"

    def flaws(self, name: str, grid: Grid) -> Flaws:
        position = self._positions[name]
        sql = flaws_sql(self._number(name), f"t.c{position}", self._types[position], grid, self._records)
        return Flaws(*self._ask(sql)[0])

    def _number(self, name: str) -> str:
        position = self._positions[name]
        number = number_sql(f"t.c{position}", self._types[position])
        return number if self._is_ours else veiled(number)

    def strays(self, name: str, column: Categorical, limit: int) -> list[tuple[str, str | None]]:
        ((position, found),) = self._lookups({name: column})
        rows = self._ask(
            f"SELECT TRY_CAST(t.c{position} AS VARCHAR) FROM {self._records} {_join(0, position, found)} "
            f"WHERE {'k0.code IS NULL' if found.codes else 'true'} LIMIT {limit}"
        )
        return [(self._types[position], text) for (text,) in rows]

    def close(self) -> None:
        self._relation = None

    @property
    def _records(self) -> str:
        """Columns are called by position (t.c0, t.c1, ...), because DuckDB's own names disregard case."""
        return f"{self._scan} AS t({', '.join(f'c{position}' for position in range(len(self._types)))})"

    def _ask(self, sql: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._query(sql).fetchall()
        return rows

    def _query(self, sql: str) -> Any:
        return self._relation.query(_RECORDS, sql)

    def _lookups(self, columns: Mapping[str, Categorical]) -> list[tuple[int, Lookup]]:
        positions = [self._positions[name] for name in columns]
        return [
            (position, lookup(self._types[position], column.spellings))
            for position, column in zip(positions, columns.values(), strict=True)
        ]

    def _row_by_row(self, columns: Mapping[str, Categorical], part: int = 0, parts: int = 1) -> Counted:
        """The groups by codes, as arrays: the engine groups by one whole number, row-major over the codes with STRAY first.

        With `parts` only the groups whose number is `part` modulo `parts`.
        """
        lookups, sizes = self._lookups(columns), [len(column) + 1 for column in columns.values()]
        joins = " ".join(_join(i, position, found) for i, (position, found) in enumerate(lookups))
        digits = [f"coalesce(k{i}.code + 1, 0)" if found.codes else "0" for i, (_, found) in enumerate(lookups)]
        blocks = _blocks(sizes)
        names = [f"p{i}" for i in range(len(blocks))]
        places = (f"{_place(digits[b], sizes[b])} AS {name}" for b, name in zip(blocks, names, strict=True))
        query = f"SELECT {', '.join(places)} FROM {self._records} {joins}"
        where = f"WHERE p0 % {parts} = {part}" if parts > 1 else ""
        query = f"SELECT {', '.join(names)}, count(*) AS number FROM ({query}) {where} GROUP BY ALL"
        found = self._query(query).fetchnumpy()
        codes = np.empty((len(found["number"]), len(sizes)), np.int32)
        for name, block in zip(names, blocks, strict=True):
            codes[:, block] = np.transpose(np.unravel_index(np.asarray(found[name], np.int64), sizes[block]))
        codes += STRAY
        return Counted(codes, np.asarray(found["number"], np.int64))

    def _groups_first(self, lookups: list[tuple[int, Lookup]]) -> Groups | None:
        """None where there are more than the most groups."""
        raw = [f"t.c{position}" for position, found in lookups if found.codes]
        inner = ", ".join([*(f"{column} AS r{i}" for i, column in enumerate(raw)), "count(*) AS number"])
        shown = iter(range(len(raw)))
        outer = [f"CAST(r{next(shown)} AS {found.sql_type})" if found.codes else "NULL" for _, found in lookups]
        group_by = f"GROUP BY {', '.join(raw)}" if raw else ""
        rows = self._ask(
            f"SELECT {', '.join(outer)}, number FROM "
            f"(SELECT {inner} FROM {self._records} {group_by} LIMIT {_MOST_GROUPS + 1})"
        )
        if len(rows) > _MOST_GROUPS:
            return None
        tables = [found.codes for _, found in lookups]
        return [
            ([table.get(value, STRAY) for table, value in zip(tables, row[:-1], strict=True)], row[-1]) for row in rows
        ]


class FileReader(TableReader):
    """The same for a file, on a connection of our own whose memory is limited and which writes no temporary files."""

    __slots__ = ("_checked", "_connection", "_scan", "_small_sum")
    _is_ours = True

    def __init__(self, connection: Any, scan: str, names: Sequence[str], checked: Sequence[str]) -> None:
        super().__init__(connection.sql(f"SELECT * FROM {scan}"), names)
        self._connection = connection
        self._scan = f"(SELECT * FROM {scan})"
        self._small_sum = "sum"
        self._checked = [f"count(t.c{self._positions[name]})" for name in checked]

    def count_rows(self) -> int:
        """Counts the columns that will be read, too: text that is not UTF-8 is only met in columns that are looked at."""
        count = f"SELECT {', '.join(['count(*)', *self._checked])} FROM {self._records}"
        # A number of records may be believed of a file's statistics, which know it; their smallest and largest values may not.
        self._connection.execute("RESET disabled_optimizers")
        try:
            return int(self._within_memory(lambda: self._ask(count))[0][0])
        finally:
            self._connection.execute(DISTRUST)

    def groups(self, columns: Mapping[str, Categorical]) -> GroupsInParts:
        try:
            found = self._groups_first(self._lookups(columns))
        except duckdb.OutOfMemoryException:
            found = None
        return self._in_parts(columns) if found is None else found

    def _in_parts(self, columns: Mapping[str, Categorical]) -> list[Counted]:
        """Row by row, and as often as it takes for the groups of one reading to fit into the memory."""
        parts = -(-math.prod(map(len, columns.values())) // _CELLS_AT_ONCE)
        while parts < _MOST_PARTS:
            try:
                return [self._within_memory(partial(self._row_by_row, columns, part, parts)) for part in range(parts)]
            except duckdb.OutOfMemoryException:
                parts *= 4
        return [self._row_by_row(columns, part, parts) for part in range(parts)]

    def moments(
        self, columns: Mapping[str, Grid], fixed: tuple[str, Categorical] | None, *, products: bool
    ) -> list[Part]:
        self._small_sum = _small_sum(self._connection)
        return self._within_memory(partial(super().moments, columns, fixed, products=products))

    def bins(self, columns: Mapping[str, tuple[Grid, int]]) -> Groups:
        found = self._groups_of_integers(columns)
        return self._within_memory(partial(super().bins, columns)) if found is None else found

    def _groups_of_integers(self, columns: Mapping[str, tuple[Grid, int]]) -> Groups | None:
        """Groups first, then bins of the few groups; None where a column has no integers, or too many different ones.

        Not tried where the declared bounds alone hold too many: a grouping that fails costs more than it would have saved.
        """
        positions = [self._positions[name] for name in columns]
        within = math.prod(grid.upper - grid.lower + 1 for grid, _ in columns.values())
        if within > _MOST_GROUPS or any(self._types[position] not in WHOLE for position in positions):
            return None
        try:
            rows = self._ask(groups_sql([f"t.c{position}" for position in positions], _MOST_GROUPS + 1, self._records))
        except duckdb.OutOfMemoryException:
            return None
        return None if len(rows) > _MOST_GROUPS else bins_of_groups(rows, list(columns.values()))

    def persons(self, unit: str, columns: Mapping[str, Cut], most: int) -> Groups:
        """In parts of the persons, as sorting takes memory; in finer ones where that does not suffice."""
        parts = 1 + self.count_rows() // _ROWS_SORTED
        try:
            return self._persons_in_parts(unit, columns, most, parts)
        except duckdb.OutOfMemoryException:
            return self._within_memory(lambda: self._persons_in_parts(unit, columns, most, 16 * parts))

    def _persons_in_parts(self, unit: str, columns: Mapping[str, Cut], most: int, parts: int) -> Groups:
        position = self._positions[unit]
        chosen = [part_sql(f"t.c{position}", self._types[position], part, parts) for part in range(parts)]
        return [group for part in chosen for group in self._persons(unit, columns, most, f"WHERE {part}")]

    def flaws(self, name: str, grid: Grid) -> Flaws:
        return self._within_memory(partial(super().flaws, name, grid))

    def _query(self, sql: str) -> Any:
        """Asked of the connection: a query on a relation looks into the files four times before it reads them."""
        return self._connection.execute(sql)

    def _within_memory(self, ask: Callable[[], _Answer]) -> _Answer:
        """Many threads hold many buffers of wide text: where memory does not suffice for them, it does for one."""
        try:
            return ask()
        except duckdb.OutOfMemoryException:
            self._connection.execute("SET threads = 1")
            return ask()

    def close(self) -> None:
        super().close()
        self._connection.close()


def _small_sum(connection: Any) -> str:
    """The faster function is one of DuckDB's own, which another version may not offer."""
    try:
        connection.execute("SELECT sum_no_overflow(1::INTEGER)").fetchall()
    except duckdb.Error:
        return "sum"
    return "sum_no_overflow"


def _blocks(sizes: Sequence[int]) -> list[slice]:
    """The columns in blocks whose combinations of codes fit into 63 bits: one, but for dozens of columns."""
    blocks, start = [], 0
    for stop in range(1, len(sizes) + 1):
        if stop == len(sizes) or math.prod(sizes[start : stop + 1]) >= 2**63:
            blocks.append(slice(start, stop))
            start = stop
    return blocks


def _place(digits: Sequence[str], sizes: Sequence[int]) -> str:
    """A number in the mixed base of `sizes`, in SQL."""
    place = "0::BIGINT"
    for digit, size in zip(digits, sizes, strict=True):
        place = f"({place} * {size} + {digit})"
    return place


def _join(index: int, position: int, found: Lookup) -> str:
    if not found.codes:
        return ""
    rows = ", ".join(f"({found.literal(key)}, {code})" for key, code in found.codes.items())
    return (
        f"LEFT JOIN (VALUES {rows}) k{index}(spelling, code) ON {found.row_key(f't.c{position}')} = k{index}.spelling"
    )


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"
