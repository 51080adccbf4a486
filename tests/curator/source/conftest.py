"""One table of records in every engine: built from a PyArrow table, so that all engines hold the same values."""

from __future__ import annotations

import csv
import datetime
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Engine = Callable[[pa.Table], Any]


def _pandas(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas()


def _pandas_objects(table: pa.Table) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(table[name].to_pylist(), dtype=object) for name in table.column_names})


def _pandas_nullable(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas().convert_dtypes()


def _duckdb(table: pa.Table) -> Any:
    return duckdb.connect().from_arrow(table)


ENGINES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "pandas": lambda table, _: _pandas(table),
    "pandas of objects": lambda table, _: _pandas_objects(table),
    "pandas nullable": lambda table, _: _pandas_nullable(table),
    "pandas of arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda table, _: pl.from_arrow(table),
    "polars lazy": lambda table, _: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table, _: table,
    "duckdb": lambda table, _: _duckdb(table),
    "parquet": lambda table, folder: _parquet(table, folder),
}


def _parquet(table: pa.Table, folder: Path) -> Path:
    path = folder / "records.parquet"
    pq.write_table(table, path)
    return path


def _csv(table: pa.Table, folder: Path) -> Path:
    path = folder / "records.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
            writer.writerow(["" if value is None else str(value) for value in row])
    return path


NUMERIC_ENGINES: dict[str, Callable[[pa.Table, Path], Any]] = {
    **ENGINES,
    "csv": _csv,
    "narwhals lazy": lambda table, _: nw.from_native(_duckdb(table)),
}


@pytest.fixture(params=list(NUMERIC_ENGINES))
def numeric_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """Every engine, and a CSV file: for numbers its text counts as the same."""
    build = NUMERIC_ENGINES[request.param]
    return lambda table: build(table, tmp_path)


@pytest.fixture(scope="session")
def in_memory() -> dict[str, Callable[[pa.Table], Any]]:
    """The engines that need no file."""
    kept = {name: build for name, build in NUMERIC_ENGINES.items() if name not in ("csv", "parquet")}
    return {name: lambda table, build=build: build(table, Path()) for name, build in kept.items()}


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    build = ENGINES[request.param]
    return lambda table: build(table, tmp_path)


def _oracle(categories: list[Any], value: Any) -> int:
    """The code of one Python value, straight from the specification; -1 for a stray."""
    for code, category in enumerate(categories):
        if isinstance(category, bool):
            if isinstance(value, str) and value.isascii() and value.lower() == str(category).lower():
                return code
            if isinstance(value, bool) and value is category:
                return code
        elif isinstance(category, int):
            if isinstance(value, str) and (
                value in (str(category), f"{category}.0") or (category == 0 and value == "-0.0")
            ):
                return code
            if isinstance(value, int | float) and not isinstance(value, bool) and value == category:
                return code
        elif isinstance(value, str):
            if value in (unicodedata.normalize("NFC", category), unicodedata.normalize("NFD", category)):
                return code
        elif _form(value) == category:
            return code
    return -1


def _form(value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else None
    if isinstance(value, datetime.datetime):
        whole = value.tzinfo is None and value == datetime.datetime(value.year, value.month, value.day)
        return value.date().isoformat() if whole else None
    return value.isoformat() if isinstance(value, datetime.date) else None


@pytest.fixture(scope="session")
def counted() -> Callable[[list[Any], list[Any]], list[int]]:
    """The counts of one column by the oracle: the declared cells, then the strays."""

    def count(categories: list[Any], values: list[Any]) -> list[int]:
        counts = [0] * (len(categories) + 1)
        for value in values:
            counts[_oracle(categories, value)] += 1
        return counts

    return count
