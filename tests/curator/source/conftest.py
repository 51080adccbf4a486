"""One table of records in every engine: built from a PyArrow table, so that all engines hold the same values."""

from __future__ import annotations

import csv
import datetime
import importlib.util
import itertools
import os
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import duckdb
import ibis
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


def _ibis_duckdb(table: pa.Table) -> Any:
    connection = ibis.duckdb.connect()
    connection.con.register("records", table)
    return connection.table("records")


def _ibis_polars(table: pa.Table) -> Any:
    frame = pl.from_arrow(table)
    if any(dtype in (pl.Null, pl.Duration, pl.Binary) for dtype in frame.dtypes):
        pytest.skip("Ibis does not read such a column of Polars")
    return ibis.polars.connect({"records": frame.lazy()}).table("records")


def _dask(table: pa.Table) -> Any:
    """In a few partitions, one of them empty. Dask would make text of Python objects, among them decimals."""
    whole = table.to_pandas()
    size = max(2, len(whole) // 4)
    parts = [whole.iloc[:0], *(whole.iloc[i : i + size] for i in range(0, len(whole), size))]
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_map(lambda i: parts[i], range(len(parts)), meta=whole.iloc[:0])


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
    "dask": lambda table, _: _dask(table),
    "ibis duckdb": lambda table, _: _ibis_duckdb(table),
    "ibis polars": lambda table, _: _ibis_polars(table),
}
SERVED = ("ibis postgres", "pyspark")  # by a server or a session, which a fixture starts


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


def _served(request: pytest.FixtureRequest) -> Engine:
    return request.getfixturevalue("postgres" if request.param == "ibis postgres" else "spark")  # type: ignore[no-any-return]


@pytest.fixture(params=[*NUMERIC_ENGINES, *SERVED])
def numeric_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """Every engine, and a CSV file: for numbers its text counts as the same."""
    if request.param in SERVED:
        return _served(request)
    build = NUMERIC_ENGINES[request.param]
    return lambda table: build(table, tmp_path)


@pytest.fixture(scope="session")
def in_memory() -> dict[str, Callable[[pa.Table], Any]]:
    """The engines that need no file, and are quick to build."""
    slow = ("csv", "parquet", "dask", "ibis duckdb", "ibis polars")
    kept = {name: build for name, build in NUMERIC_ENGINES.items() if name not in slow}
    return {name: lambda table, build=build: build(table, Path()) for name, build in kept.items()}


@pytest.fixture(params=[*ENGINES, *SERVED])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param in SERVED:
        return _served(request)
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


# A table in PostgreSQL, and one in Spark.

_POSTGRES = {
    "string": "text", "large_string": "text", "bool": "boolean", "int8": "smallint", "uint8": "smallint", "int16": "smallint",
    "int32": "integer", "int64": "bigint", "float": "real", "double": "double precision", "date32[day]": "date",
    "binary": "bytea", "time64[us]": "time", "null": "integer", "timestamp[us, tz=UTC]": "timestamptz",
    "list<item: string>": "text[]", "list<item: int64>": "bigint[]", "list<item: double>": "float8[]",
    "list<element: int64>": "bigint[]", "timestamp[s]": "timestamp", "timestamp[ms]": "timestamp", "timestamp[us]": "timestamp",
    "timestamp[ns]": "timestamp",
}  # fmt: skip
_SPARK = {
    "string": "string", "large_string": "string", "bool": "boolean", "int8": "tinyint", "uint8": "smallint",
    "int16": "smallint", "int32": "int", "int64": "bigint", "float": "float", "double": "double", "date32[day]": "date",
    "binary": "binary", "null": "void", "timestamp[us, tz=UTC]": "timestamp", "list<item: string>": "array<string>",
    "list<item: int64>": "array<bigint>", "list<item: double>": "array<double>", "struct<a: string>": "struct<a:string>",
    "struct<a: double>": "struct<a:double>", "timestamp[s]": "timestamp_ntz", "timestamp[ms]": "timestamp_ntz",
    "timestamp[us]": "timestamp_ntz",
}  # fmt: skip


def _held(table: pa.Table, types: dict[str, str], engine: str) -> tuple[list[str], list[list[Any]]]:
    """The engine's types, and the rows; a skip where it has no such type."""
    found, columns = [], []
    for column in table.columns:
        dtype = column.type
        if pa.types.is_dictionary(dtype):
            dtype = dtype.value_type
        name = f"decimal({dtype.precision}, {dtype.scale})" if pa.types.is_decimal(dtype) else types.get(str(dtype))
        if name is None:
            pytest.skip(f"{engine} has no type {dtype}")
        found.append(name)
        columns.append(column.to_pylist())
    return found, [list(row) for row in zip(*columns, strict=True)]


def _postgres_server() -> Any:
    path = Path(__file__).parents[1] / "ledger" / "postgres_server.py"
    spec = importlib.util.spec_from_file_location("postgres_server_of_sources", path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


@pytest.fixture(scope="session")
def server(leave_out: Callable[[str, str], None]) -> Iterator[Any]:
    """A PostgreSQL server for the tests of one worker."""
    module = _postgres_server()
    if (reason := module.missing()) is not None:
        leave_out("postgresql", reason)
    if running := os.environ.get("DISCREET_TEST_POSTGRES"):
        yield module.Server.running_in(running)
        return
    started = module.Server()
    yield started
    started.stop()


@pytest.fixture(scope="session")
def database(server: Any) -> Iterator[Any]:
    """An Ibis connection to a schema of its own."""
    import psycopg

    connection = ibis.postgres.from_connection(psycopg.connect(server.address(), autocommit=True))
    yield connection
    connection.disconnect()


@pytest.fixture(scope="session")
def postgres(database: Any) -> Engine:
    """A table in PostgreSQL, as an Ibis table."""
    numbers = itertools.count()

    def build(table: pa.Table) -> Any:
        types, rows = _held(table, _POSTGRES, "PostgreSQL")
        if any(isinstance(value, str) and "\x00" in value for row in rows for value in row):
            pytest.skip("PostgreSQL holds no text with a zero byte")
        name = f"t{next(numbers)}"
        quoted = [column.replace('"', '""') for column in table.column_names]
        columns = ", ".join(f'"{column}" {sql_type}' for column, sql_type in zip(quoted, types, strict=True))
        with database.con.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {name} ({columns})")
            with cursor.copy(f"COPY {name} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        return database.table(name)

    return build


SPARK_SETTINGS = {
    "ui.enabled": "false",
    "sql.shuffle.partitions": "2",
    "sql.session.timeZone": "UTC",
    "sql.execution.arrow.localRelationThreshold": "0",  # a scan, as of a file; else the optimiser itself computes
    "sql.execution.arrow.maxRecordsPerBatch": "1000",  # three partitions of the largest table
    "driver.host": "127.0.0.1",  # a machine may not know its own name
    "driver.bindAddress": "127.0.0.1",
    "driver.memory": "512m",
    # Hundreds of small queries, each compiled and run once: Java's second compiler would take as much time as all the rest.
    "driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests on Spark come first: then one of xdist's workers has them all, so that one Java machine is started."""
    items.sort(key=lambda item: not _is_on_spark(item))


def _is_on_spark(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function) or Path(__file__).parent not in item.path.parents:
        return False
    chosen = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return "session" in item.fixturenames or any(isinstance(value, str) and value == "pyspark" for value in chosen)


@pytest.fixture(scope="session")
def session(leave_out: Callable[[str, str], None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A local Spark session, where PySpark and Java are installed: together half a gigabyte."""
    if importlib.util.find_spec("pyspark") is None:
        leave_out("spark", "PySpark is not installed: make spark")
    if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        leave_out("spark", "Spark needs Java (17 or newer), which is not installed")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("discreet")
    warehouse = str(tmp_path_factory.mktemp("warehouse"))  # else Spark makes a folder where the tests were started
    for setting, value in {**SPARK_SETTINGS, "sql.warehouse.dir": warehouse}.items():
        builder = builder.config(f"spark.{setting}", value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    yield started
    started.stop()


@pytest.fixture(scope="session")
def spark(session: Any) -> Engine:
    """A Spark data frame, handed over in Arrow: from Python's rows another process would make it, in twice the time."""
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    def build(table: pa.Table) -> Any:
        types, rows = _held(table, _SPARK, "Spark")
        columns = [f"c{position}" for position in range(len(types))]
        schema = ", ".join(f"{column} {sql_type}" for column, sql_type in zip(columns, types, strict=True))
        fields = to_arrow_schema(StructType.fromDDL(schema), timezone="UTC")
        values = zip(*rows, strict=True) if rows else [[]] * len(columns)
        arrays = [pa.array(column, field.type) for column, field in zip(values, fields, strict=True)]
        return session.createDataFrame(pa.table(arrays, fields), schema).toDF(*table.column_names)

    return build
