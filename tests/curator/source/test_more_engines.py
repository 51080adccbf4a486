"""Dask, Ibis, PostgreSQL, Spark and addresses: what these alone can hold, lose or show. All engines' common cases are run
on them, too, by the tests beside this one."""

from __future__ import annotations

import decimal
import logging
import traceback
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import ibis
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.curator.source import Source, files, ibis_tables, open_source
from discreet.curator.source.databases import DatabaseReader, Field
from discreet.curator.source.dialects import POSTGRES
from discreet.errors import InvalidInput, SourceError
from discreet.schema import Bounded, Schema

NAN, INF = float("nan"), float("inf")
CANARY = "canary7391"
NO_ANSWER = "the database or cluster did not answer"


def _fails_silently(ask: Any, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        ask()
    error = caught.value
    assert str(error).startswith(message)
    assert error.__context__ is None
    assert error.__cause__ is None
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if "discreet/" in frame.f_code.co_filename]
    ours = [frame for frame in frames if "tests" not in frame.f_code.co_filename]
    assert CANARY not in repr(error) + "".join(repr(frame.f_locals) for frame in ours)


def _answers(source: Source) -> list[Any]:
    """Every integer a source gives of the columns of `_nasty`."""
    sums = source.sums(["x", "y", "i"], products=True)
    return [
        source.count_rows(),
        source.tabulate(["b", "g"]),
        source.tabulate(["t"]),
        source.tabulate(["d", "i2"]),
        source.count_groups(),
        [(part.n, part.sums, part.products) for part in sums],
        source.count_codes("x"),
        source.count_bins(["x", "y"], [7, 64]),
        source.count_bins(["i"], [50]),
        [(flaws.name, str(flaws)) for flaws in source.diagnose().numbers],
        [(column.name, column.count) for column in source.diagnose().columns],
    ]


SCHEMA = Schema(
    {
        "g": ["a", "b", "c"], "b": [True, False], "t": ["x", "\u00e9", "it's", "\\", "%s"], "d": ["2024-01-31", "1970-01-01"],
        "i2": [0, 1, -(2**63)], "x": Bounded(0, 1, step=0.1), "y": Bounded(-1e6, 1e6, step=0.01, missing=3),
        "i": Bounded(-(2**40), 2**53, step=2**23),
    },
    fixed="g",
)  # fmt: skip


def _nasty() -> pa.Table:
    rng = np.random.default_rng(20261130)
    n = 3000
    ties = np.round(rng.integers(-5, 125, n) / 100, 2)  # ties, as they are printed
    strange = [NAN, None, INF, -INF, -0.0, 5e-324, -5e-324, 1e308, -1e308, 1e-320, 0.1 + 0.2, 2.2e-308]
    x = [strange[k] if k < len(strange) else float(v) for k, v in zip(rng.integers(0, 60, n), ties, strict=True)]
    scaled = rng.normal(0, 6e5, n)
    y = [strange[k] if k < len(strange) else float(v) for k, v in zip(rng.integers(0, 60, n), scaled, strict=True)]
    whole = [2**53, 2**53 + 1, -(2**63), 2**63 - 1, None, 0, 1, -(2**40) + 2**22, 2**22 - 1]
    return pa.table(
        {
            "g": rng.choice(["a", "b", "c", "z", ""], n).tolist(),
            "b": pa.array([(True, False, None)[k] for k in rng.integers(0, 3, n)], pa.bool_()),
            "t": [
                ("x", "X", "\u00e9", "e\u0301", "it's", "\\", "\\\\", "%s", " x", None)[k]
                for k in rng.integers(0, 10, n)
            ],
            "d": pa.array([(0, 19753, None, 19754, -719162)[k] for k in rng.integers(0, 5, n)], pa.int32()).cast(
                pa.date32()
            ),
            "i2": pa.array([whole[k] for k in rng.integers(0, 9, n)], pa.int64()),
            "i": pa.array([whole[k] for k in rng.integers(0, 9, n)], pa.int64()),
            "x": pa.array(x, pa.float64()),
            "y": pa.array(y, pa.float64()),
        }
    )


def test_thousands_of_nasty_records_give_the_same_integers(engine: Any) -> None:
    table = _nasty()
    assert _answers(open_source(engine(table), SCHEMA)) == _answers(open_source(table, SCHEMA))


# Dask


def _dask_frame(table: pa.Table, partitions: int = 70) -> Any:
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_pandas(table.to_pandas(), npartitions=partitions)


def test_dask_sums_a_tree_of_partitions_and_never_computes_the_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    table = _nasty()
    frame = _dask_frame(table)
    assert frame.npartitions > 2 * 32
    monkeypatch.setattr(type(frame), "compute", lambda *_, **__: pytest.fail("the frame was collected"))
    found, expected = open_source(frame, SCHEMA), open_source(table, SCHEMA)
    assert found.tabulate(["b", "g"]) == expected.tabulate(["b", "g"])
    assert found.count_bins(["x", "y"], [7, 64]) == expected.count_bins(["x", "y"], [7, 64])
    (one, other) = (source.sums(["x", "i"], products=True) for source in (found, expected))
    assert [(part.n, part.sums, part.products) for part in one] == [(p.n, p.sums, p.products) for p in other]


def test_a_cluster_of_dask_workers_gives_the_same_integers() -> None:
    distributed = pytest.importorskip("dask.distributed")
    table = _nasty().slice(0, 400)
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL):
        found = _answers(open_source(_dask_frame(table, 5), SCHEMA))
    assert found == _answers(open_source(table, SCHEMA))


def test_dask_partitions_that_fail_show_no_value(capfd: Any, caplog: Any) -> None:
    records = pd.DataFrame({"a": ["x", CANARY, "x", "x"]})
    schema = Schema({"a": ["x"]})

    def fail(part: pd.DataFrame) -> pd.DataFrame:
        raise ValueError(part.to_string())

    frame = dd.from_pandas(records, npartitions=2).map_partitions(fail, meta=records)
    source = open_source(frame, schema)
    for ask in (lambda: source.tabulate(["a"]), source.count_rows, source.diagnose):
        _fails_silently(ask, "a partition of the Dask frame cannot be read or counted")
    lying = dd.from_pandas(records, npartitions=2).map_partitions(lambda part: part.values, meta=records)
    _fails_silently(lambda: open_source(lying, schema).tabulate(["a"]), "a partition of the Dask frame")
    assert CANARY not in "".join(capfd.readouterr()) + caplog.text


def test_repeated_names_in_dask_are_refused() -> None:
    frame = dd.from_pandas(pd.DataFrame([["x", "y"]], columns=["a", "b"]), npartitions=1)
    frame.columns = ["a", "a"]
    with pytest.raises(InvalidInput, match="column names must be distinct, got 'a' more than once"):
        open_source(frame, Schema({"a": ["x"]}))


# Ibis


def test_ibis_expressions_and_tables_in_memory() -> None:
    records = ibis.memtable(pd.DataFrame({"a": ["x", "y", "x"], "n": [0.1, 0.9, NAN]}))
    chosen = records.filter(records.a == "x").mutate(p=ibis.literal("100%"))
    schema = Schema({"a": ["x", "y"], "p": ["100%"], "n": Bounded(0, 1, step=0.1)})
    for table in (chosen, nw.from_native(chosen)):
        source = open_source(table, schema)
        assert source.tabulate(["a", "p"]) == [2, 0, 0]
        assert source.count_codes("n") == [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_what_ibis_cannot_be_counted_on_is_refused(tmp_path: Path) -> None:
    connection = ibis.sqlite.connect(tmp_path / "records.db")
    table = connection.create_table("t", schema=ibis.schema({"a": "string"}))
    with pytest.raises(
        InvalidInput, match="an Ibis table must be on DuckDB, Polars, PostgreSQL or PySpark, got 'sqlite'"
    ):
        open_source(table, Schema({"a": ["x"]}))
    connection.disconnect()
    with pytest.raises(InvalidInput, match="a source must be a table, got the Ibis object StringColumn"):
        open_source(ibis.memtable({"a": ["x"]}).a, Schema({"a": ["x"]}))


# PostgreSQL


def test_postgres_types_of_its_own(database: Any) -> None:
    with database.con.cursor() as cursor:
        cursor.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')")
        cursor.execute("CREATE DOMAIN positive AS int CHECK (value > 0)")
        cursor.execute(
            """CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"""
        )
        cursor.execute(
            "CREATE TABLE own (n numeric, m mood, p positive, c char(5), v varchar(9) COLLATE anycase, "
            "s timestamp, d date, f float8, r real, i interval, u money, x name)"
        )
        cursor.execute(
            "INSERT INTO own VALUES "
            "('NaN', 'sad', 1, 'ab', 'x', 'infinity', 'infinity', '5e-324', 0.1, '1 day', '1', 'x'),"
            "('1e400', 'ok', 2, 'ab', 'X', '2024-01-31', '0044-03-15 BC', '1e308', 1, '1 day', '1', 'y'),"
            "('-1e-16000', 'ok', 2, NULL, 'X', '2024-01-31', '2024-01-31', '-1e308', 'NaN', '1 day', '1', 'z'),"
            "('Infinity', 'ok', 2, NULL, 'X', '-infinity', '-infinity', '-inf', NULL, '1 day', '1', NULL)"
        )
    day = "2024-01-31"
    schema = Schema(
        {
            "m": ["sad"], "p": [1], "c": ["ab"], "v": ["x"], "s": [day], "d": [day], "x": ["x"], "r": [1],
            "n": Bounded(0, 1, step=0.1), "f": Bounded(0, 1e280, step=1e279), "i": Bounded(0, 2), "u": Bounded(0, 2),
        }
    )  # fmt: skip
    source = open_source(database.table("own"), schema)
    found = {name: source.tabulate([name])[0] for name in "mpcvsdxr"}
    assert found == {"m": 1, "p": 1, "c": 2, "v": 1, "s": 2, "d": 1, "x": 1, "r": 1}
    assert source.count_codes("n") == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2]
    assert source.count_codes("f") == [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert source.count_bins(["i", "u"], [2, 2]) == [0, 0, 0, 4]  # missing: half of the way
    flaws = {flaw.name: (flaw.missing, flaw.below, flaw.above, flaw.not_numbers) for flaw in source.diagnose().numbers}
    assert flaws == {"n": (1, 0, 2, 0), "f": (0, 2, 1, 0), "i": (0, 0, 0, 4), "u": (0, 0, 0, 4)}


def test_differences_beyond_the_doubles_are_no_error_in_postgres(postgres: Any) -> None:
    far = Bounded(1e301, 1.0000000000004e301, step=1e288)
    table = pa.table({"x": [-1.7976931348623157e308, 1.0000000000002e301, 1.7976931348623157e308]})
    assert open_source(postgres(table), Schema({"x": far})).count_codes("x") == [1, 0, 1, 0, 1]


def test_only_whole_numbers_come_from_postgres(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most a row a cell; `diagnose` alone reads values."""
    received: list[Any] = []
    ask = ibis_tables._ask_postgres

    def heard(*args: Any) -> Any:
        rows = ask(*args)
        received.extend(rows)
        return rows

    monkeypatch.setattr(ibis_tables, "_ask_postgres", heard)
    source = open_source(postgres(_nasty()), SCHEMA)
    source.tabulate(["b", "g"])
    assert len(received) <= 3 * 4
    source.sums(["x", "y"], products=True)
    source.count_bins(["x", "y"], [7, 64])
    kinds = {type(value) for row in received for value in row}
    assert kinds <= {int, decimal.Decimal, type(None)}
    assert all(value is None or value == int(value) for row in received for value in row)


def test_a_connection_that_is_dropped_in_the_middle(server: Any, postgres: Any, database: Any) -> None:
    import psycopg

    postgres(pa.table({"a": [CANARY, "x"]}))  # makes sure that the schema is there
    address = server.address()
    with psycopg.connect(address) as plain:
        plain.execute("CREATE TABLE t AS SELECT 'canary7391' AS a")
    connection = ibis.postgres.from_connection(psycopg.connect(address))
    table = connection.table("t")
    source = open_source(table, Schema({"a": ["x"]}))
    assert source.tabulate(["a"]) == [0, 1]
    assert connection.con.info.transaction_status == psycopg.pq.TransactionStatus.IDLE  # nothing is left open
    database.con.execute(f"SELECT pg_terminate_backend({connection.con.info.backend_pid})")
    for ask in (lambda: source.tabulate(["a"]), source.count_rows, source.diagnose):
        _fails_silently(ask, NO_ANSWER)
    with pytest.raises(SourceError):
        open_source(table, Schema({"a": ["x"]}))


def test_a_query_of_the_users_that_fails_shows_no_value(database: Any, postgres: Any) -> None:
    failing = postgres(pa.table({"a": ["1", CANARY]})).mutate(i=ibis._.a.cast("int64"))
    source = open_source(failing, Schema({"i": [1], "a": ["1"]}))
    _fails_silently(lambda: source.tabulate(["i"]), NO_ANSWER)
    assert source.tabulate(["a"]) == [1, 1]  # and the connection is still of use
    gone = postgres(pa.table({"a": [CANARY]}))
    opened = open_source(gone, Schema({"a": ["x"]}))
    database.drop_table(gone.get_name())
    _fails_silently(lambda: opened.tabulate(["a"]), NO_ANSWER)


def test_more_records_than_64_bits_hold_are_refused() -> None:
    def reader(rows: list[tuple[Any, ...]]) -> DatabaseReader:
        return DatabaseReader(lambda _: rows, "t", [Field("x", "float", "float8")], POSTGRES, ["x"])

    schema = Schema({"x": Bounded(0, 1)})
    for rows in ([(2**31, 5)], [(7, None)]):
        with pytest.raises(SourceError, match="fewer than 2\\*\\*31 records"):
            Source(reader(rows), schema).sums(["x"], products=False)
    assert Source(reader([(2**31 - 1, 5)]), schema).sums(["x"], products=False)[0].sums == ((2**31 - 1) * 2**15 + 5,)


# Spark: run where PySpark and Java are installed


def test_spark_types_of_its_own(session: Any) -> None:
    frame = session.sql(
        "SELECT CAST(c1 AS DECIMAL(38, 10)) AS d, c2 AS t, CAST(c2 AS VARCHAR(20)) AS v, c2 COLLATE UTF8_LCASE AS l, "
        "TIMESTAMP_NTZ'2024-01-31 00:00:00' AS s, TIMESTAMP'2024-01-31 00:00:00' AS z, c1 AS A "
        "FROM (VALUES ('0.35', '1d'), ('-3', ' 1e400 '), ('1e20', '0x1p3'), (NULL, 'TRUE'), ('0.3', 'x')) AS t(c1, c2)"
    )
    grid = Bounded(0, 1, step=0.1)
    schema = Schema(
        {
            "d": grid,
            "t": grid,
            "v": ["1d", "true"],
            "l": ["X", "x"],
            "s": ["2024-01-31"],
            "z": ["2024-01-31"],
            "A": ["-3"],
        }
    )
    source = open_source(frame, schema)
    assert source.count_codes("d") == [1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1]
    assert source.count_codes("t") == [0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 2]  # "1d" and "0x1p3" are numbers to Java alone
    found = {name: source.tabulate([name]) for name in "vlszA"}
    assert found == {"v": [1, 0, 4], "l": [0, 1, 4], "s": [5, 0], "z": [0, 5], "A": [1, 4]}
    assert not [table for table in session.catalog.listTables() if table.isTemporary]


def test_spark_that_fails_shows_no_value(session: Any) -> None:
    frame = session.sql(f"SELECT CASE WHEN id < 9 THEN CAST(raise_error('{CANARY}') AS STRING) END AS a FROM range(9)")
    _fails_silently(lambda: open_source(frame, Schema({"a": ["x"]})).tabulate(["a"]), NO_ANSWER)


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")  # Ibis, as it connects
def test_spark_through_ibis(session: Any, spark: Any) -> None:
    """A view of the connection counts as the frame does."""
    table = _nasty().slice(0, 300)
    frame = spark(table.rename_columns([f"c{position}" for position in range(table.num_columns)]))
    frame.createOrReplaceTempView("visits")
    visits = (
        ibis.pyspark.connect(session).table("visits").rename(dict(zip(table.column_names, frame.columns, strict=True)))
    )
    assert _answers(open_source(visits, SCHEMA)) == _answers(open_source(table, SCHEMA))
    session.catalog.dropTempView("visits")


def test_an_engine_that_was_promised_is_not_skipped(leave_out: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_ENGINES", "postgresql spark")
    with pytest.raises(pytest.fail.Exception, match="promises spark, but: no Java"):
        leave_out("spark", "no Java")
    monkeypatch.setenv("DISCREET_ENGINES", "postgresql")
    with pytest.raises(pytest.skip.Exception, match="no Java"):
        leave_out("spark", "no Java")


# Addresses, read by DuckDB


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A store in memory under s3://, in the place of DuckDB's extension for it."""
    from fsspec.implementations.memory import MemoryFileSystem

    class Store(MemoryFileSystem):  # type: ignore[misc]
        protocol = ("s3",)
        store: dict[str, Any] = {}  # noqa: RUF012 - as fsspec has it
        pseudo_dirs: list[str] = [""]  # noqa: RUF012
        cachable = False

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return "/" + path.removeprefix("s3://").strip("/")

    monkeypatch.setattr(files, "_load", lambda connection, _: connection.register_filesystem(Store()))
    return Store()


def test_a_bucket_is_read_as_a_folder_is(bucket: Any) -> None:
    table = _nasty()
    for i in range(3):
        with bucket.open(f"s3://lab/year={i}/part.parquet", "wb") as file:
            pq.write_table(table.slice(i * 1000, 1000), file)
    expected = _answers(open_source(table, SCHEMA))
    for address in ("s3://lab/*/part.parquet", "s3://lab/"):
        assert _answers(open_source(address, SCHEMA)) == expected
    one = open_source("s3://lab/year=0/part.parquet", SCHEMA)
    assert one.count_rows() == 1000
    with bucket.open("s3://lab/year=1/part.parquet", "wb") as file:
        pq.write_table(table.select(["g"]), file)
    with pytest.raises(InvalidInput, match="all Parquet files of one source must have the same columns"):
        open_source("s3://lab/*/part.parquet", SCHEMA)


def test_addresses_that_cannot_be_read_show_nothing(bucket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"s3://{CANARY}/none.parquet?key={CANARY}"
    with pytest.raises(SourceError) as caught:
        open_source(address, Schema({"a": ["x"]}))
    assert str(caught.value).startswith("the Parquet files of the address cannot be read")
    assert caught.value.__context__ is None
    monkeypatch.undo()
    monkeypatch.setattr(files, "_EXTENSIONS", {"s3": "none_of_this_name"})
    with pytest.raises(
        SourceError, match="needs DuckDB's extension 'none_of_this_name', which is not installed here"
    ) as caught:
        open_source(address, Schema({"a": ["x"]}))
    assert CANARY not in str(caught.value)
    with pytest.raises(InvalidInput, match=r"an address must name \.parquet files"):
        open_source("s3://lab/records.csv", Schema({"a": ["x"]}))
