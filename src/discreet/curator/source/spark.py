"""PySpark data frames: counted by Spark's own SQL, so that nothing of ours need be installed on its executors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from discreet.curator.source.databases import DatabaseReader, Field, Rows
from discreet.curator.source.dialects import SPARK
from discreet.curator.source.encode import distinct_names

_KINDS = {
    "boolean": "boolean",
    "tinyint": "integer",
    "smallint": "integer",
    "int": "integer",
    "bigint": "integer",
    "float": "float",
    "double": "float",
    "date": "date",
    "timestamp_ntz": "timestamp",
}


def open_spark(frame: Any, numeric: Sequence[str]) -> tuple[DatabaseReader, list[str]]:
    """The reader of a Spark data frame and the names of its columns."""
    fields = [Field(str(field.name), *_kind(field.dataType.simpleString())) for field in frame.schema.fields]
    names = distinct_names(field.name for field in fields)
    renamed = frame.toDF(*(f"c{position}" for position in range(len(fields))))  # Spark's names disregard case
    return DatabaseReader(partial(_ask, renamed), "{records}", fields, SPARK, numeric), names


def _kind(sql_type: str) -> tuple[str, str]:
    base = sql_type.split(" ")[0].split("(")[0]  # "string collate ...", "decimal(10,2)", "char(3)"
    if base in ("string", "char", "varchar"):
        return "text", sql_type
    return "decimal" if base == "decimal" else _KINDS.get(base, "other"), sql_type


def _ask(frame: Any, sql: str) -> Rows:
    return list(frame.sparkSession.sql(sql, records=frame).collect())
