"""The records that count of each person (`persons`), in DuckDB."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.curator.source.person_sql import PersonDialect, kept_sql
from discreet.curator.source.persons import key_of
from discreet.curator.source.table_numbers import WHOLE

_INTEGERS = WHOLE | {"HUGEINT", "UHUGEINT"}

DUCKDB = PersonDialect(
    digest=lambda text, person: f"md5(encode({text.format(text='VARCHAR')}) || {person})",
    copies=lambda names, rows, number: f"SELECT {names}, unnest(range(1, {number} + 1)) AS copy FROM ({rows}) AS b",
)


def person_column(column: str, sql_type: str) -> str | None:
    """The bytes of the person that a value of the unit stands for, NULL where it is none; None: no type of a unit."""
    if sql_type in ("VARCHAR", "UUID") or sql_type.startswith("ENUM(") or sql_type in _INTEGERS:
        return f"encode(CAST({column} AS VARCHAR))"
    if sql_type in ("FLOAT", "DOUBLE"):
        whole = f"{column} = floor({column}) AND abs({column}) < '9223372036854775808'::DOUBLE"
        text = f"CASE WHEN {whole} THEN CAST(CAST({column} AS BIGINT) AS VARCHAR) ELSE '' END"
        return f"CASE WHEN {column} IS NULL OR isnan({column}) THEN NULL ELSE encode({text}) END"
    return None


def person_value(column: str, sql_type: str) -> str:
    """What is equal for equal persons, and NULL for a record of none: the value itself, but for floats."""
    return str(person_column(column, sql_type)) if sql_type in ("FLOAT", "DOUBLE") else column


def part_sql(column: str, sql_type: str, part: int, parts: int) -> str:
    """A condition that holds for the persons of one part."""
    return f"coalesce(hash({person_value(column, sql_type)}) % {parts}, 0) = {part}"


def persons_sql(coded: str, unit: str, columns: Sequence[str], most: int) -> str:
    """A row an occupied cell and the number of its records that count."""
    shown = ", ".join(f"g{i}" for i in range(len(columns)))
    named = f"SELECT * FROM ({coded}) WHERE u IS NOT NULL"
    bounded = kept_sql(named, len(columns), most, key_of(unit, columns), DUCKDB)
    alone = f"SELECT {shown}, count(*) AS n FROM ({coded}) WHERE u IS NULL GROUP BY {shown}"
    return f"{bounded} UNION ALL {alone}"
