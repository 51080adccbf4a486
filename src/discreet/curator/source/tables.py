"""DuckDB tables: the SQL that counts records by their codes, on the user's own relations and, in `table_files`, on files.

Every value is looked up in the table of spellings, and then the codes are grouped, so that the memory depends on the schema
alone: the limits of the user's connection are not ours to set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.curator.source.encode import STRAY, Counted, Flaws, Groups, GroupsInParts, distinct_names
from discreet.curator.source.moments import MOST_ROWS, Digits, Part
from discreet.curator.source.numeric import Grid
from discreet.curator.source.persons import Cut, no_persons
from discreet.curator.source.table_lookup import Lookup, join_sql, lookup
from discreet.curator.source.table_numbers import (
    binned_sql,
    bins_sql,
    flaws_sql,
    number_sql,
    sums_sql,
    veiled,
)
from discreet.curator.source.table_persons import person_column, persons_sql
from discreet.schema.columns import Categorical

_RECORDS = "discreet_records"  # the name of the relation within a query; no view of this name outlives it


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
                key, join = "k0.code", join_sql(0, position, found)
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

    def _persons(self, unit: str, columns: Mapping[str, Cut], most: int, where: str) -> list[tuple[Sequence[int], int]]:
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
            joins = " ".join(join_sql(i, position, found) for i, (position, found) in enumerate(lookups))
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
            f"SELECT TRY_CAST(t.c{position} AS VARCHAR) FROM {self._records} {join_sql(0, position, found)} "
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
        joins = " ".join(join_sql(i, position, found) for i, (position, found) in enumerate(lookups))
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
