"""Files in DuckDB, on a connection of our own whose memory is limited and which writes no temporary files.

Two ways, with one result. *Groups first*: GROUP BY the raw values, then encode the few groups; it costs what a bare GROUP
BY costs, but its memory grows with the number of distinct raw values. *Row by row* is that of `tables`. A file is read the
first way, and the second way where the memory limit or the cap on groups is passed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import duckdb

from discreet.curator.source.encode import STRAY, Counted, Flaws, Groups, GroupsInParts
from discreet.curator.source.moments import Part
from discreet.curator.source.numeric import Grid
from discreet.curator.source.persons import Cut
from discreet.curator.source.table_lookup import Lookup
from discreet.curator.source.table_numbers import WHOLE, bins_of_groups, groups_sql
from discreet.curator.source.table_persons import part_sql, person_value
from discreet.curator.source.tables import TableReader
from discreet.schema.columns import Categorical

_Answer = TypeVar("_Answer")

DISTRUST = "SET disabled_optimizers = 'statistics_propagation'"  # see `table_numbers`

_MOST_GROUPS = 2**17
_CELLS_AT_ONCE, _MOST_PARTS = 2**21, 64
_ROWS_SORTED = 2**20
_MANY = "discreet_many"  # the persons with more records than count; in memory, on a connection of our own


class FileReader(TableReader):
    """Counts the records of a file by codes."""

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
        """Of a person with at most k records all count; the others are read in parts of the persons, as sorting takes memory.

        Where the names of those others do not fit into the memory, everybody is read in parts.
        """
        try:
            return self._few_and_many(unit, columns, most)
        except duckdb.OutOfMemoryException:
            rows = self.count_rows()
        return self._within_memory(lambda: self._persons_in_parts(unit, columns, most, 1 + 16 * rows // _ROWS_SORTED))

    def _few_and_many(self, unit: str, columns: Mapping[str, Cut], most: int) -> list[tuple[Sequence[int], int]]:
        position = self._positions[unit]
        person = person_value(f"t.c{position}", self._types[position])
        listed = (
            f"SELECT {person} AS person, count(*) AS n FROM {self._records} WHERE {person} IS NOT NULL GROUP BY ALL"
        )
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {_MANY} AS {listed} HAVING count(*) > {most}")
        try:
            ((number,),) = self._ask(f"SELECT coalesce(sum(n), 0) FROM {_MANY}")
            few = f"WHERE ({person} IS NULL OR {person} NOT IN (SELECT person FROM {_MANY}))"
            shown = ", ".join(f"g{i}" for i in range(len(columns)))
            coded = self._coded_persons("NULL", columns, few if number else "")
            counted = self._ask(f"SELECT {shown}, count(*) FROM ({coded}) GROUP BY ALL")
            groups: list[tuple[Sequence[int], int]] = [(row[:-1], row[-1]) for row in counted]
            if number:
                many = f"{person} IN (SELECT person FROM {_MANY}) AND"
                groups += self._persons_in_parts(unit, columns, most, 1 + int(number) // _ROWS_SORTED, many)
            return groups
        finally:
            self._connection.execute(f"DROP TABLE {_MANY}")

    def _persons_in_parts(
        self, unit: str, columns: Mapping[str, Cut], most: int, parts: int, which: str = ""
    ) -> list[tuple[Sequence[int], int]]:
        position = self._positions[unit]
        chosen = [part_sql(f"t.c{position}", self._types[position], part, parts) for part in range(parts)]
        return [group for part in chosen for group in self._persons(unit, columns, most, f"WHERE {which} {part}")]

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
