"""How a value of a DuckDB column is looked up among the spellings of the categories: the SQL of one column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.curator.source.table_numbers import INTEGERS
from discreet.schema.canonical import Spellings

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


def join_sql(index: int, position: int, found: Lookup) -> str:
    """The join, under the name k0, k1, ..., with the codes of a column's spellings; empty where no value is a category."""
    if not found.codes:
        return ""
    rows = ", ".join(f"({found.literal(key)}, {code})" for key, code in found.codes.items())
    return (
        f"LEFT JOIN (VALUES {rows}) k{index}(spelling, code) ON {found.row_key(f't.c{position}')} = k{index}.spelling"
    )


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"
