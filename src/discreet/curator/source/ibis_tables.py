"""Ibis tables: handed on to the reader of the engine that they stand for, with the SQL that Ibis makes of them.

Ibis translates what the user wrote; the counting is ours in each engine, because engines differ in what they take for equal
text, for a number and for an error. So an Ibis table is read on the engines whose counts are proven to agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from discreet.curator.source.databases import DatabaseReader, Field, Rows, answered
from discreet.curator.source.dialects import POSTGRES
from discreet.curator.source.encode import Reader, distinct_names
from discreet.curator.source.frames import open_frame
from discreet.curator.source.spark import open_spark
from discreet.curator.source.tables import open_relation
from discreet.errors import InvalidInput

_KINDS = {
    "bool": "boolean",
    "int2": "integer",
    "int4": "integer",
    "int8": "integer",
    "float4": "float",
    "float8": "float",
    "numeric": "decimal",
    "date": "date",
    "timestamp": "timestamp",
}
_TYPES = "SELECT oid, typname, typcategory FROM pg_catalog.pg_type WHERE oid IN ({})"


def open_ibis(table: Any, numeric: Sequence[str]) -> tuple[Reader, list[str]]:
    """The reader of an Ibis table and the names of its columns; `InvalidInput` for an engine that is not supported."""
    if not hasattr(table, "get_backend") or not hasattr(table, "columns"):
        raise InvalidInput(f"a source must be a table, got the Ibis object {type(table).__name__}")
    backend = table.get_backend()
    if backend.name not in ("duckdb", "polars", "postgres", "pyspark"):
        raise InvalidInput(
            f"an Ibis table must be on DuckDB, Polars, PostgreSQL or PySpark, got {backend.name!r}: there the counts are known "
            f"to agree; write the table to Parquet files, or read it with DuckDB"
        )
    names = distinct_names(table.columns)
    if backend.name == "polars":
        return open_frame(backend.compile(table))
    if _holds_memory(table):
        table.limit(0).to_pyarrow()  # Ibis makes its tables in memory known to the engine; no record is read
    sql = backend.compile(table)
    if backend.name == "duckdb":
        return open_relation(backend.con.sql(sql))[0], names
    if backend.name == "pyspark":
        return open_spark(backend.raw_sql(sql), numeric)[0], names
    ask = partial(_ask_postgres, backend)
    return DatabaseReader(ask, f"({sql})", _fields(backend, sql), POSTGRES, numeric), names


def _holds_memory(table: Any) -> bool:
    import ibis.expr.operations as operations

    return bool(table.op().find(operations.InMemoryTable))


def _ask_postgres(backend: Any, sql: str) -> Rows:
    with backend.begin() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def _fields(backend: Any, sql: str) -> list[Field]:
    """The names and kinds of the columns, as the server describes them; it has text types that Ibis does not tell apart."""

    def describe() -> Rows:
        with backend.begin() as cursor:
            cursor.execute(f"SELECT * FROM ({sql}) AS t LIMIT 0")
            described = [(column[0], int(column[1])) for column in cursor.description]
            cursor.execute(_TYPES.format(", ".join(str(oid) for _, oid in described)))
            types = {int(oid): (str(name), str(category)) for oid, name, category in cursor.fetchall()}
        return [(name, *types[oid]) for name, oid in described]

    fields = []
    for name, typname, category in answered(describe):
        is_text = category in ("S", "E")  # every kind of text, and enumerations
        fields.append(Field(name, "text" if is_text else _KINDS.get(typname, "other"), typname))
    return fields
