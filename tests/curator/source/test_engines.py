"""Every engine gives the same integers, for every kind of value, and they are those of the slow oracle."""

from __future__ import annotations

import datetime
import decimal
import unicodedata
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.curator.source import open_source
from discreet.errors import InvalidInput
from discreet.schema import Schema

NFC, NFD = unicodedata.normalize("NFC", "caf\u00e9"), unicodedata.normalize("NFD", "caf\u00e9")
DAY, MOMENT = datetime.datetime(2024, 1, 31), datetime.datetime(2024, 1, 31, 0, 0, 0, 1000)
LATER = datetime.datetime(2024, 1, 31, 0, 0, 1)
EPOCH = datetime.datetime(1970, 1, 1)
UTC = datetime.UTC
NAN, INF = float("nan"), float("inf")
BIG = 2**53 + 1

CASES: dict[str, tuple[list[Any], list[Any], pa.DataType]] = {
    "nulls": (["a", "b"], ["a", None, "b", None], pa.string()),
    "only nulls": (["a", "b"], [None, None], pa.string()),
    "null type": (["a", "b"], [None, None], pa.null()),
    "empty frame": (["a", "b"], [], pa.string()),
    "empty integers": ([1], [], pa.int64()),
    "undeclared": (["a", "b"], ["a", "c", "zz"], pa.string()),
    "blanks and empty text": (["a", "b"], ["a", " a", "a ", "", "\ta", "a\n", "\u00a0a"], pa.string()),
    "normal forms": ([NFC, "b"], [NFC, NFD, "b", "cafe"], pa.string()),
    "declared as NFD": ([NFD, "b"], [NFC, NFD, "b", "cafe"], pa.string()),
    "strange text": (["it's", "{x}", "a\x00b", "\u202eabc"], ["it's", "{x}", "a\x00b", "a", "\u202eabc", "abc"], pa.string()),
    "long text": (["x" * 10_000, "y"], ["x" * 10_000, "x" * 9_999, "y"], pa.string()),
    "large strings": (["a", "b"], ["a", "b", None], pa.large_string()),
    "text for integers": ([0, 1], ["1", "1.0", "01", "1.", "0", "-0.0", "True", " 1", "1.5", "+1", None], pa.string()),
    "text for booleans": ([False, True], ["True", "true", "TRUE", "tRuE", "false", "1", "0", "1.0", "yes", None], pa.string()),
    "text for text": (["1", "true"], ["1", "1.0", "true", "True", "TRUE"], pa.string()),
    "integers": ([1, 2], [1, 2, 3, -1, None, 0], pa.int64()),
    "integers without null": ([1, 2], [1, 2, 3, 0], pa.int64()),
    "small integers": ([0, 1, 300], [0, 1, 2, 127, -128, None], pa.int8()),
    "all small integers": (list(range(256)), list(range(256)), pa.uint8()),
    "integers for text": (["1", "-2", "01"], [1, -2, 0, None], pa.int32()),
    "integers for booleans": ([False, True], [0, 1, None], pa.int64()),
    "unsigned": ([1, 2**64 - 1, BIG], [1, 2**64 - 1, BIG, 2**53, 2**63], pa.uint64()),
    "wide integers": ([BIG, 2**63 - 1, -(2**63), 10**30], [BIG, 2**53, 2**63 - 1, -(2**63)], pa.int64()),
    "floats": ([0, 1], [1.0, 0.0, -0.0, 1.5, 0.5, NAN, INF, -INF, None, 1e300, 5e-324], pa.float64()),
    "floats for text": (["1", "1.5", "nan"], [1.0, 1.5, NAN], pa.float64()),
    "floats for booleans": ([False, True], [1.0, 0.0], pa.float64()),
    "single floats": ([1, 2**24, 2**24 + 1], [1.0, 2.0**24, 0.1, NAN, None], pa.float32()),
    "wide floats": ([2**53, BIG, 10**37], [2.0**53, 2.0**60, 1e300], pa.float64()),
    "booleans": ([True, False], [True, False, True, None], pa.bool_()),
    "booleans without null": ([True, False], [True, False, True], pa.bool_()),
    "booleans for text": (["true", "no"], [True, False, None], pa.bool_()),
    "booleans for integers": ([0, 1], [True, False, None], pa.bool_()),
    "booleans, one declared": ([True], [True, False, None], pa.bool_()),
    "dates": (["2024-01-31", "0001-01-01"], [DAY.date(), datetime.date.min, datetime.date.max, None], pa.date32()),
    "dates for integers": ([19753], [DAY.date()], pa.date32()),
    **{
        f"timestamps in {unit}": (["2024-01-31", "1970-01-01"], [DAY, LATER, EPOCH, None], pa.timestamp(unit))
        for unit in ("s", "ms", "us", "ns")
    },
    "timestamps within a millisecond": (["2024-01-31"], [DAY, MOMENT], pa.timestamp("us")),
    "time zones": (["2024-01-31"], [DAY.replace(tzinfo=UTC), None], pa.timestamp("us", tz="UTC")),
    "decimals": ([1, 2], [decimal.Decimal("1.0"), decimal.Decimal("2.5"), None], pa.decimal128(10, 1)),
    "whole decimals": ([1, 2], [decimal.Decimal("1"), None], pa.decimal128(18, 0)),
    "lists": (["a"], [["a"], [], None], pa.list_(pa.string())),
    "records": (["a"], [{"a": "a"}, None], pa.struct([("a", pa.string())])),
    "bytes": (["a"], [b"a", b"\xff", None], pa.binary()),
    "times": (["00:00:00"], [datetime.time(0), None], pa.time64("us")),
    "durations": ([0], [datetime.timedelta(0), None], pa.duration("us")),
    "dictionary": (["a", "b"], ["a", "b", "c", None, "a"], pa.dictionary(pa.int32(), pa.string())),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_engine_counts_as_the_oracle(case: str, engine: Any, counted: Any, request: Any) -> None:
    if "parquet-durations" in request.node.name:
        pytest.skip("Parquet has no durations: the file holds integers")
    categories, values, dtype = CASES[case]
    schema = Schema({"a": categories})
    source = open_source(engine(pa.table({"a": pa.array(values, dtype)})), schema)
    expected = counted(categories, values)
    assert source.tabulate(["a"]) == expected
    assert source.count_rows() == len(values)
    assert all(type(number) is int for number in source.tabulate(["a"]))
    complete = open_source(
        engine(pa.table({"a": pa.array(values, dtype)})), Schema({"a": categories}, complete=True)
    ).tabulate(["a"])
    assert complete == [expected[0] + expected[-1], *expected[1:-1]]


def test_several_columns_are_row_major_and_a_stray_in_any_is_other(engine: Any) -> None:
    table = pa.table(
        {
            "x": pa.array(["u", "v", "v", None, "w"]),
            "unused": pa.array([[1], [2], [3], [4], [5]]),
            "y z": pa.array([1, 2, 3, 1, 3], pa.int64()),
            "flag": pa.array([True, True, False, True, False]),
        }
    )
    source = open_source(engine(table), Schema({"y z": [1, 2, 3], "x": ["u", "v"], "flag": [True, False]}))
    assert source.tabulate(["x", "y z"]) == [1, 0, 0, 0, 1, 1, 2]
    assert source.tabulate(["y z", "x"]) == [1, 0, 0, 1, 0, 1, 2]
    assert source.tabulate(["flag", "y z"]) == [2, 1, 0, 0, 0, 2, 0]
    assert source.tabulate(["flag", "y z", "x"])[-1] == 2
    assert source.count_rows() == 5


def test_names_differing_in_case_are_two_columns(engine: Any, request: Any) -> None:
    if "duckdb]" in request.node.name:
        pytest.skip("a DuckDB relation has renamed the second column itself")
    source = open_source(engine(pa.table({"a": ["x", "x"], "A": ["y", "x"]})), Schema({"A": ["x", "y"], "a": ["x"]}))
    assert source.tabulate(["A"]) == [1, 1, 0]
    assert source.tabulate(["a", "A"]) == [1, 1, 0]


def test_awkward_column_names(engine: Any) -> None:
    names = ['it\'s "so"', "{x}", "n", "k0", "select", "codes 0", "\u00e9"]
    source = open_source(
        engine(pa.table({name: ["x", "y"] for name in names})), Schema({name: ["x"] for name in names})
    )
    assert source.tabulate(names) == [1, 1]
    assert source.tabulate(["n", "k0"]) == [1, 1]


def test_a_missing_column_lists_the_known_and_the_nearest(engine: Any) -> None:
    with pytest.raises(
        InvalidInput, match=r"unknown column of the schema 'smokin'; known: 'smoking', 'age'; did you mean 'smoking'"
    ):
        open_source(engine(pa.table({"smoking": ["no"], "age": [1]})), Schema({"smokin": ["no"]}))


def test_columns_asked_for(engine: Any) -> None:
    source = open_source(engine(pa.table({"a": ["x"]})), Schema({"a": ["x"]}))
    for columns in ([], ["a", "a"], "a", ["b"]):
        with pytest.raises(InvalidInput):
            source.tabulate(columns)


# What only pandas can hold.


def _count(values: Any, categories: list[Any]) -> list[int]:
    return open_source(pd.DataFrame({"a": values}), Schema({"a": categories})).tabulate(["a"])


def test_pandas_objects_that_are_equal_but_of_different_types() -> None:
    mixed = [True, 1, 1.0, "1", "True", None, False, 0, "0", np.True_, np.int64(1), np.float64(1), NAN]
    for values in (mixed, mixed[::-1]):
        column = pd.Series(values, dtype=object)
        assert _count(column, [True, False]) == [3, 1, 9]
        assert _count(column, [1, 0]) == [5, 2, 6]
        assert _count(column, ["1", "true"]) == [5, 2, 6]


def test_pandas_objects_of_every_kind() -> None:
    class Broken(str):
        __slots__ = ()

        def __hash__(self) -> int:
            raise RuntimeError("canary")

    strange = [
        decimal.Decimal(1), [1], {}, object(), b"1", pd.NA, pd.NaT, complex(1), pd.Timestamp("2024-01-31", tz="UTC"),
        np.datetime64("NaT", "D"), datetime.time(0), 10**400, "\ud800", np.longdouble(1) + np.finfo(np.longdouble).eps,
    ]  # fmt: skip
    days = [
        pd.Timestamp("2024-01-31"),
        np.datetime64("2024-01-31T00:00"),
        DAY,
        DAY.date(),
        pd.Timestamp("2024-01-31") + pd.Timedelta(1, "ns"),
    ]
    column = pd.Series([*strange, *days, Broken("1"), 1, 1.0], dtype=object)
    assert _count(column, ["1", "2024-01-31"]) == [3, 4, len(strange) + 1]


def test_pandas_late_in_an_object_column() -> None:
    assert _count(pd.Series(["1"] * 500 + [True, 1, None], dtype=object), [1]) == [501, 2]


@pytest.mark.parametrize(
    ("values", "categories", "expected"),
    [
        (pd.Categorical(["a", None, "c"], categories=["z", "c", "b", "a"]), ["a", "b"], [1, 0, 2]),
        (pd.Categorical(["a", "b"], categories=["b", "a"], ordered=True), ["a", "b"], [1, 1, 0]),
        (pd.Categorical([1, 2, None]), [1, 2], [1, 1, 1]),
        (pd.Categorical([1.0, 2.5, None]), [1, 2], [1, 0, 2]),
        (pd.Categorical([True, False, None]), [True, False], [1, 1, 1]),
        (pd.Categorical([True, False, None]), [0, 1], [0, 0, 3]),
        (pd.Categorical([pd.Timestamp("2024-01-31"), pd.Timestamp("2024-01-31 01:00")]), ["2024-01-31"], [1, 1]),
        (pd.Categorical([], categories=["a"]), ["a"], [0, 0]),
        (pd.arrays.SparseArray([1, 0, 0]), [0, 1], [2, 1, 0]),
        (pd.array(["a", None], dtype="string"), ["a"], [1, 1]),
        (pd.period_range("2024-01", periods=2, freq="M"), ["2024-01"], [0, 2]),
        (pd.interval_range(0, 2), [0], [0, 2]),
        (np.array([1 + 0j, 2]), [1], [0, 2]),
        (np.array([1.0, 2.0], dtype=np.float16), [1], [1, 1]),
        (pd.array([BIG, None], dtype="Int64"), [BIG, 2**53], [1, 0, 1]),
        (pd.Series([BIG, None]), [BIG, 2**53], [0, 1, 1]),  # the frame holds 2**53: pandas made a float of it
        (pd.array([2**64 - 1, None], dtype="UInt64"), [2**64 - 1], [1, 1]),
        (pd.Series([DAY, None, MOMENT]).astype("datetime64[ns]"), ["2024-01-31"], [1, 2]),
        (pd.Series([DAY]).dt.tz_localize("Europe/Berlin"), ["2024-01-31"], [0, 1]),
    ],
)  # fmt: skip
def test_pandas_types(values: Any, categories: list[Any], expected: list[int]) -> None:
    assert _count(values, categories) == expected


def test_pandas_indexes_do_not_matter() -> None:
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": pd.Series([1, 2, "1"], dtype=object)})
    schema = Schema({"a": ["x", "y"], "b": [1, 2]})
    expected = [2, 0, 0, 1, 0]
    for index in (
        [7, 7, 7],
        [2, 0, 1],
        ["p", "q", None],
        pd.MultiIndex.from_tuples([(1, 2), (1, 2), (3, 4)]),
        [3, 1, 3],
    ):
        moved = frame.copy()
        moved.index = index
        assert open_source(moved, schema).tabulate(["a", "b"]) == expected
    misaligned = pd.DataFrame({"a": pd.Series(["x", "y"], index=[0, 1]), "b": pd.Series([1, 2], index=[1, 2])})
    assert open_source(misaligned, schema).tabulate(["a", "b"]) == [0, 0, 1, 0, 2]  # the frame holds three rows


def test_repeated_column_names_are_refused_before_anything_is_read() -> None:
    table = pa.table([pa.array(["x"]), pa.array(["y"])], names=["a", "a"])
    relation = __import__("duckdb").connect().sql("SELECT 1 AS a, 2 AS a")
    for frame in (pd.DataFrame([["x", "y"]], columns=["a", "a"]), table, relation):
        with pytest.raises(InvalidInput, match="column names must be distinct, got 'a' more than once"):
            open_source(frame, Schema({"a": ["x"]}))


def test_polars_objects_and_own_types() -> None:
    frame = pl.DataFrame({"o": pl.Series(["a", 1, True, None, [1]], dtype=pl.Object)})
    assert open_source(frame, Schema({"o": ["a", 1]})).tabulate(["o"]) == [1, 1, 3]
    frame = pl.DataFrame(
        {
            "c": pl.Series(["a", "b", None], dtype=pl.Categorical),
            "e": pl.Series(["a", "b", None], dtype=pl.Enum(["z", "b", "a"])),
            "i": pl.Series([1, 10**30, None], dtype=pl.Int128),
        }
    )
    for source in (frame, frame.lazy()):
        opened = open_source(source, Schema({"c": ["a"], "e": ["b"], "i": [1, 10**30]}))
        assert opened.tabulate(["c"]) == [1, 2]
        assert opened.tabulate(["e"]) == [1, 2]
        assert opened.tabulate(["i"]) == [1, 1, 1]


def test_pyarrow_dictionaries_of_any_type_and_chunks() -> None:
    integers = pa.chunked_array([pa.array([1, 2, None]).dictionary_encode(), pa.array([3, 1]).dictionary_encode()])
    assert open_source(pa.table({"a": integers}), Schema({"a": [1, 3]})).tabulate(["a"]) == [2, 1, 2]
    moments = pa.array([DAY, MOMENT]).dictionary_encode()
    assert open_source(pa.table({"a": moments}), Schema({"a": ["2024-01-31"]})).tabulate(["a"]) == [1, 1]


def test_duckdb_types_and_collations() -> None:
    import duckdb

    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE t (a VARCHAR COLLATE NOCASE, d DATE, m TIMESTAMP, h HUGEINT, e ENUM('p', 'q'), f FLOAT, u UUID, j JSON)"
    )
    connection.execute("INSERT INTO t VALUES ('X', 'infinity', 'infinity', 2::HUGEINT ** 126, 'p', 1, uuid(), '1')")
    connection.execute("INSERT INTO t VALUES ('x', '2024-01-31', '2024-01-31', 1, 'q', 0.1, NULL, NULL)")
    schema = Schema(
        {
            "a": ["x", "y"],
            "d": ["2024-01-31", "9999-12-31"],
            "m": ["2024-01-31", "9999-12-31"],
            "h": [1, 2**126],
            "e": ["q"],
            "f": [1],
            "u": ["a"],
            "j": [1],
        }
    )
    for collation in ("binary", "nocase"):
        connection.execute(f"SET default_collation = '{collation}'")
        source = open_source(connection.table("t"), schema)
        assert source.tabulate(["a"]) == [1, 0, 1]
    assert [source.tabulate([name])[-1] for name in "dmhefuj"] == [1, 1, 0, 1, 1, 2, 2]
    assert source.tabulate(["h"]) == [1, 1, 0]
    assert connection.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(0,)]
