"""Databases and clusters that answer SQL (PostgreSQL, Spark): records counted there by their codes, row by row.

A query joins each column with the table of its spellings and groups by the codes, or adds up the codes of numbers; what
comes back is whole numbers, at most one row for each cell. Nothing is written, and no setting is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from discreet.curator.source.dialects import Dialect
from discreet.curator.source.encode import STRAY, Flaws, Groups
from discreet.curator.source.moments import MOST_ROWS, Digits, Part, pairs
from discreet.curator.source.numeric import Grid
from discreet.curator.source.person_sql import kept_sql
from discreet.curator.source.persons import Cut, key_of, no_persons
from discreet.errors import DiscreetError, InvalidInput, SourceError
from discreet.schema.columns import Categorical

Rows = list[tuple[Any, ...]]
_Answer = TypeVar("_Answer")

NO_ANSWER = (
    "the database or cluster did not answer: the connection was lost, a column or file is gone, or the query was refused "
    "or failed (no detail is shown, because it could show a record)"
)
_SMALL = 2**31  # a product below it, summed over fewer than 2**32 records, fits 63 bits


@dataclass(frozen=True)
class Field:
    """A column: its name, its kind (text, integer, ..., other) and its type as the engine calls it."""

    name: str
    kind: str
    sql_type: str


class DatabaseReader:
    """Counts the records of `records`, an SQL subquery whose columns are t.c0, t.c1, ..., by codes."""

    __slots__ = ("_ask_engine", "_dialect", "_fields", "_positions", "_records")

    def __init__(
        self,
        ask: Callable[[str], Rows],
        records: str,
        fields: Sequence[Field],
        dialect: Dialect,
        numeric: Sequence[str],
    ) -> None:
        self._ask_engine = ask
        names = ", ".join(f"c{position}" for position in range(len(fields)))
        self._records = f"{records} AS t({names})"
        self._fields = list(fields)
        self._positions = {field.name: position for position, field in enumerate(fields)}
        self._dialect = dialect
        for name in numeric:
            if name in self._positions and self._number(name) is None:
                raise InvalidInput(
                    f"column {name!r} holds text, and {dialect.name} has no way to try whether text is a number: cast it "
                    f"to a number in the query, or declare it as categories"
                )

    def count_rows(self) -> int:
        return int(self._ask(f"SELECT count(*) FROM {self._records}")[0][0])

    def groups(self, columns: Mapping[str, Categorical]) -> Groups:
        joins, codes = self._joined(columns)
        used = [code for code in codes if code]
        shown = [f"{code} AS g{i}" if code else f"NULL AS g{i}" for i, code in enumerate(codes)]
        by = f" GROUP BY {', '.join(used)}" if used else ""
        rows = self._ask(f"SELECT {', '.join(shown)}, count(*) AS n FROM {self._records} {joins}{by}")
        return [([STRAY if code is None else int(code) for code in row[:-1]], int(row[-1])) for row in rows]

    def moments(
        self, columns: Mapping[str, Grid], fixed: tuple[str, Categorical] | None, *, products: bool
    ) -> list[Part]:
        grids, chosen = list(columns.values()), pairs(len(columns)) if products else []
        joins, (label,) = ("", [""]) if fixed is None else self._joined(dict([fixed]))
        added = [f"sum(j{i})" for i in range(len(grids))]
        for i, j in chosen:
            largest = (grids[i].steps - grids[i].centre) * (grids[j].steps - grids[j].centre)
            product = f"j{i} * j{j}"
            added.append(f"sum({product})" if largest < _SMALL else self._dialect.wide_sum(product))
        kept = f"{label} AS label, " if label else ""
        carried = "label, " if label else ""
        sums = ", ".join(f"{total} AS s{i}" for i, total in enumerate(added))
        rows = self._ask(
            f"SELECT {carried}count(*) AS n, {sums} FROM ({self._coded(columns, carried, kept, joins)}) AS b"
            + (" GROUP BY label" if label else "")
        )
        parts = []
        for row in rows:
            which, n, *found = row if label else (None, *row)
            if int(n) >= MOST_ROWS // 4 or (n and None in found):
                raise SourceError("a source in Spark or PostgreSQL must have fewer than 2**31 records a group here")
            whole = [int(value or 0) for value in found]  # the sum of no records is NULL
            place = STRAY if which is None else int(which)
            parts.append(Digits.whole(grids).recombined(place, int(n), whole[: len(grids)], whole[len(grids) :]))
        return parts

    def bins(self, columns: Mapping[str, tuple[Grid, int]]) -> Groups:
        shown = _shown(len(columns))
        binned = self._binned(columns, "", "")
        rows = self._ask(f"SELECT {shown}, count(*) AS n FROM ({binned}) AS c GROUP BY {shown}")
        return [([int(position) for position in row[:-1]], int(row[-1])) for row in rows]

    def check_unit(self, name: str) -> None:
        field = self._fields[self._positions[name]]
        if self._person(name) is None:
            raise no_persons(name, field.sql_type)

    def persons(self, unit: str, columns: Mapping[str, Cut], most: int) -> Groups:
        coded, shown = self._coded_persons(f"{self._person(unit)} AS u", columns), _shown(len(columns))
        key = key_of(unit, list(columns))
        bounded = kept_sql(
            f"SELECT * FROM ({coded}) AS p WHERE u IS NOT NULL", len(columns), most, key, self._dialect.persons
        )
        alone = f"SELECT {shown}, count(*) AS n FROM ({coded}) AS p WHERE u IS NULL GROUP BY {shown}"
        rows = self._ask(f"{bounded} UNION ALL {alone}")
        return [([int(code) for code in row[:-1]], int(row[-1])) for row in rows]

    def flaws(self, name: str, grid: Grid) -> Flaws:
        position, nan = self._positions[name], self._dialect.literal(float("nan"))
        missing = "x IS NULL"
        if self._fields[position].kind in ("float", "decimal"):
            missing = f"v IS NULL OR v = {nan}"
        counted = {
            "missing": missing,
            "below": f"v < {self._dialect.literal(grid.lower)}",
            "above": f"v > {self._dialect.literal(grid.upper)} AND v <> {nan}",
            "others": f"NOT ({missing}) AND (v IS NULL OR v = {nan})",
        }
        shown = ", ".join(f"count(CASE WHEN {condition} THEN 1 END) AS {kind}" for kind, condition in counted.items())
        values = f"SELECT t.c{position} AS x, {self._number(name)} AS v FROM {self._records}"
        return Flaws(*map(int, self._ask(f"SELECT {shown} FROM ({values}) AS a")[0]))

    def strays(self, name: str, column: Categorical, limit: int) -> list[tuple[str, str | None]]:
        joins, (code,) = self._joined({name: column})
        position = self._positions[name]
        field = self._fields[position]
        text = f"CAST(t.c{position} AS {self._dialect.text})"
        where = f"WHERE {code} IS NULL" if code else ""
        rows = self._ask(f"SELECT {text} AS x FROM {self._records} {joins} {where} LIMIT {limit}")
        kind = "str" if field.kind == "text" else field.sql_type
        return [(kind, text if text is None or kind == "str" else text.replace("NaN", "nan")) for (text,) in rows]

    def close(self) -> None:
        del self._ask_engine

    def _person(self, name: str) -> str | None:
        position = self._positions[name]
        field = self._fields[position]
        return self._dialect.person(f"t.c{position}", "uuid" if field.sql_type == "uuid" else field.kind)

    def _coded_persons(self, person: str, columns: Mapping[str, Cut]) -> str:
        """A row a record: the bytes of its person, u, and its codes g0, g1, ..."""
        categorical = {name: cut for name, cut in columns.items() if isinstance(cut, Categorical)}
        if len(categorical) < len(columns):
            cuts = {name: cut for name, cut in columns.items() if not isinstance(cut, Categorical)}
            return self._binned(cuts, "u, ", f"{person}, ")
        joins, codes = self._joined(categorical)
        shown = ", ".join(f"{f'coalesce({code}, {STRAY})' if code else STRAY} AS g{i}" for i, code in enumerate(codes))
        return f"SELECT {person}, {shown} FROM {self._records} {joins}"

    def _binned(self, columns: Mapping[str, tuple[Grid, int]], carried: str, kept: str) -> str:
        """A row a record: its bins g0, g1, ..., and before them what is carried."""
        coded = self._coded({name: grid for name, (grid, _) in columns.items()}, carried, kept, "")
        cut = [
            f"LEAST((j{i} + {grid.centre}) * CAST({size} AS BIGINT) {self._dialect.divided} {grid.steps}, {size - 1})"
            for i, (grid, size) in enumerate(columns.values())
        ]
        shown = ", ".join(f"{bin_} AS g{i}" for i, bin_ in enumerate(cut))
        return f"SELECT {carried}{shown} FROM ({coded}) AS b"

    def _coded(self, columns: Mapping[str, Grid], carried: str, kept: str, joins: str) -> str:
        numbers = ", ".join(f"{self._number(name)} AS v{i}" for i, name in enumerate(columns))
        codes = ", ".join(f"{self._dialect.code_of(f'v{i}', grid)} AS j{i}" for i, grid in enumerate(columns.values()))
        return f"SELECT {carried}{codes} FROM (SELECT {kept}{numbers} FROM {self._records} {joins}) AS a"

    def _number(self, name: str) -> str | None:
        position = self._positions[name]
        return self._dialect.double_of(f"t.c{position}", self._fields[position].kind)

    def _joined(self, columns: Mapping[str, Categorical]) -> tuple[str, list[str]]:
        """The joins with the tables of spellings, and the code of each column ("" where all values are strays)."""
        joins, codes = [], []
        for i, (name, column) in enumerate(columns.items()):
            position = self._positions[name]
            kind = self._fields[position].kind
            known = self._dialect.spellings(kind, column.spellings)
            codes.append(f"k{i}.code" if known else "")
            if known:
                rows = ", ".join(f"({literal}, {code})" for literal, code in known.items())
                spelt = self._dialect.spelt(f"t.c{position}", kind)
                joins.append(f"LEFT JOIN (VALUES {rows}) AS k{i}(spelling, code) ON {spelt} = k{i}.spelling")
        return " ".join(joins), codes

    def _ask(self, sql: str) -> Rows:
        ask = self._ask_engine
        return [tuple(row) for row in answered(lambda: ask(sql))]


def _shown(codes: int) -> str:
    return ", ".join(f"g{i}" for i in range(codes))


def answered(ask: Callable[[], _Answer], message: str = NO_ANSWER) -> _Answer:
    """What the engine answers; one constant error, raised outside of the handler, where it does not (ours pass)."""
    try:
        return ask()
    except (KeyboardInterrupt, SystemExit, DiscreetError):
        raise
    except BaseException:  # noqa: BLE001 - the text of an engine's error may hold a value
        failure = SourceError(message)
    raise failure
