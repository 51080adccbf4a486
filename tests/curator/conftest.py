"""One line a verb and one line an engine: what the tests of the wall, of hostile input and of the replay run over."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import Bounded, GaussianDP, PureDP, Schema
from discreet.curator.curator import FAMILIES

SCHEMA = Schema(
    {
        "smoking": ["no", "yes"],
        "region": ["n", "s", 1],
        "age": Bounded(0, 100, step=1),
        "share": Bounded(0, 1, step=0.25),
    }
)


class Verb(NamedTuple):
    """A sample call of a verb: its arguments, what it reads of a source, and which columns."""

    name: str
    args: tuple[Any, ...]
    reads: str
    columns: tuple[str, ...]


VERBS = [
    Verb("table", (["smoking", "region"], PureDP(1)), "tabulate", ("smoking", "region")),
    Verb("mean", (["age", "share"], PureDP(1)), "sums", ("age", "share")),
    Verb("moments", (["age", "share"], PureDP(1)), "sums", ("age", "share")),
    Verb("histogram", ("age", 4, PureDP(1)), "count_bins", ("age",)),
    Verb("series", ("age", 3, PureDP(1)), "count_codes", ("age",)),
    Verb("cdf", ("age", GaussianDP(1), 10), "count_bins", ("age",)),
    Verb("sample", ("age", 3, PureDP(1)), "count_codes", ("age",)),
    Verb("select", ("region", PureDP(1)), "tabulate", ("region",)),
]
"""A new verb is added here by one line; `test_every_verb_is_here` fails until it is."""

ENGINES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "pandas": lambda table, _: table.to_pandas(),
    "pandas of objects": lambda table, _: pd.DataFrame(
        {name: pd.Series(table[name].to_pylist(), dtype=object) for name in table.column_names}
    ),
    "pandas nullable": lambda table, _: table.to_pandas().convert_dtypes(),
    "pandas of arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda table, _: pl.from_arrow(table),
    "polars lazy": lambda table, _: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table, _: table,
    "duckdb": lambda table, _: duckdb.connect().from_arrow(table),
    "parquet": lambda table, folder: _parquet(table, folder),
    "csv": lambda table, folder: _csv(table, folder),
}


def _parquet(table: pa.Table, folder: Path) -> Path:
    path = folder / "records.parquet"
    pq.write_table(table, path)
    return path


def _csv(table: pa.Table, folder: Path) -> Path:
    path = folder / "records.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        writer.writerows(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    return path


@pytest.fixture(scope="session")
def leave_out() -> Callable[[str, str], None]:
    """Skips a test whose engine is not there, or fails it where DISCREET_ENGINES names the engine (`.ci/run` sets it)."""

    def leave(engine: str, reason: str) -> None:
        if engine in os.environ.get("DISCREET_ENGINES", "").split():
            pytest.fail(f"DISCREET_ENGINES promises {engine}, but: {reason}", pytrace=False)
        pytest.skip(reason)

    return leave


@pytest.fixture
def public_schema() -> Schema:
    return SCHEMA


@pytest.fixture
def engines() -> dict[str, Callable[[pa.Table, Path], Any]]:
    return ENGINES


@pytest.fixture
def all_verbs() -> list[Verb]:
    return VERBS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "sample_verb" in metafunc.fixturenames:
        metafunc.parametrize("sample_verb", VERBS, ids=[verb.name for verb in VERBS])
    if "some_engine" in metafunc.fixturenames:
        metafunc.parametrize("some_engine", list(ENGINES))


@pytest.fixture(scope="session")
def known_verbs() -> tuple[set[str], set[str]]:
    """Those of the table above, and those of the library."""
    return {verb.name for verb in VERBS}, set(FAMILIES)
