"""Files: a CSV agrees with the frame it was written from, both ways of counting agree, and damage is one constant error."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.curator.source import open_source, table_files
from discreet.errors import InvalidInput, SourceError
from discreet.schema import Schema

AB = Schema({"a": ["x", "y"], "b": [0, 1]})


def _csv(folder: Path, contents: bytes | str, name: str = "records.csv") -> Path:
    path = folder / name
    path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return path


@pytest.mark.parametrize(
    "contents",
    [
        "a,b\nx,0\ny,1\nx,1\n",
        "a,b\r\nx,0\r\ny,1\r\nx,1\r\n",
        "a,b\nx,0\ny,1\nx,1",
        "\ufeffa,b\nx,0\ny,1\nx,1\n",
        'a,b\n"x","0"\ny,1.0\nx,1\n',
        "a;b;note\nx;0;,\ny;1;p,q\nx;1;\n",
        "b\tn\ta\n0\t1\tx\n1\t1\ty\n1\t1\tx\n",
        'n,a,b\n"1\n2",x,0\n"say ""no""",y,1\n",",x,1\n',
        "a,b\nx,0\n\ny,1\nx,1\n\n",
        '"a","b","a b"\nx,0,\xe9\ny,1,\xff\nx,1,\n',
    ],
)
def test_dialects(contents: str, tmp_path: Path) -> None:
    source = open_source(_csv(tmp_path, contents), AB)
    assert source.count_rows() == 3
    assert source.tabulate(["a", "b"]) == [1, 1, 0, 1, 0]
    with gzip.open(tmp_path / "records.csv.gz", "wb") as file:
        file.write(contents.encode())
    assert open_source(str(tmp_path / "records.csv.gz"), AB).tabulate(["a", "b"]) == [1, 1, 0, 1, 0]


def test_values_of_a_csv_are_text_as_it_stands(tmp_path: Path) -> None:
    path = _csv(tmp_path, 'a,b\n x,1\nx ,0\nX,01\n,\n"",""\nNA,NULL\nx,1e0\n#x,1.00\n')
    source = open_source(path, AB)
    assert source.tabulate(["a"]) == [1, 0, 7]
    assert source.tabulate(["b"]) == [1, 1, 6]


@pytest.mark.parametrize("contents", ["a,b", "a,b\n", "a,b\r\n"])
def test_no_records(contents: str, tmp_path: Path) -> None:
    source = open_source(_csv(tmp_path, contents), AB)
    assert (source.count_rows(), source.tabulate(["a", "b"])) == (0, [0, 0, 0, 0, 0])


def test_one_column_counts_its_empty_lines(tmp_path: Path) -> None:
    source = open_source(_csv(tmp_path, 'a\nx\n\n""\ny\n'), Schema({"a": ["x", "y"]}))
    assert (source.count_rows(), source.tabulate(["a"])) == (4, [1, 1, 2])


VALUES = {
    "text": st.one_of(st.none(), st.sampled_from(["x", "y", "1", "1.0", "true", " x", "\u00e9", "e\u0301", '"', "a\nb", "z,"])),
    "integer": st.one_of(st.none(), st.integers(-2, 3), st.sampled_from([2**53 + 1, 2**62])),
    "float": st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.0, 1.5, 1e15, 1e16, 2.0**53])),
    "boolean": st.one_of(st.none(), st.booleans()),
}  # fmt: skip
TYPES = {"text": pa.string(), "integer": pa.int64(), "float": pa.float64(), "boolean": pa.bool_()}
DECLARED = {
    "text": ["x", "y", "\u00e9"],
    "integer": [0, 1, 2**53 + 1],
    "float": [0, 1, 10**16, 2**53],
    "boolean": [True, False],
}
records = st.lists(st.tuples(*VALUES.values()), max_size=30)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=records)
def test_a_csv_agrees_with_the_frame_and_the_oracle(rows: list[Any], tmp_path: Path, counted: Any) -> None:
    columns = dict(zip(VALUES, zip(*rows, strict=True) if rows else [[]] * 4, strict=True))
    table = pa.table({name: pa.array(values, TYPES[name]) for name, values in columns.items()})
    schema = Schema(DECLARED)
    frame = pl.from_arrow(table)
    whole = table.to_pandas(types_mapper=pd.ArrowDtype)
    frame.write_csv(tmp_path / "polars.csv")
    whole.to_csv(tmp_path / "pandas.csv", index=False)
    duckdb.connect().from_arrow(table).write_csv(str(tmp_path / "duckdb.csv"), header=True)
    pq.write_table(table, tmp_path / "records.parquet")
    sources = [
        frame,
        frame.lazy(),
        whole,
        table,
        *(tmp_path / f"{name}.csv" for name in ("polars", "pandas", "duckdb")),
    ]
    opened = [open_source(source, schema) for source in [*sources, tmp_path / "records.parquet"]]
    for name, values in columns.items():
        expected = counted(DECLARED[name], list(values))
        assert [source.tabulate([name]) for source in opened] == [expected] * len(opened)
    crossed = [source.tabulate(["boolean", "integer", "text"]) for source in opened]
    assert crossed == [crossed[0]] * len(opened)
    assert [source.count_rows() for source in opened] == [len(rows)] * len(opened)


def test_both_ways_of_counting_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ["x", "true", "TRUE", None, "1.0", "\u00e9", "e\u0301", ""] * 5
    table = pa.table({"t": rows, "f": pa.array([1.0, -0.0, 0.0, None] * 10), "i": pa.array([1, 2, 2**40, None] * 10)})
    pq.write_table(table, tmp_path / "r.parquet")
    schema = Schema({"t": ["x", True, 1, "\u00e9"], "f": [0, 1], "i": [1, 2**40]})
    grouped = open_source(tmp_path / "r.parquet", schema).tabulate(["t", "f", "i"])
    monkeypatch.setattr(table_files, "_MOST_GROUPS", 1)
    assert open_source(tmp_path / "r.parquet", schema).tabulate(["t", "f", "i"]) == grouped
    assert sum(grouped) == 40


def test_more_distinct_values_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "hostile.parquet"
    duckdb.connect().execute(f"COPY (SELECT 'text ' || range AS a, '' AS b FROM range(300000)) TO '{path}'")
    source = open_source(path, AB)
    assert source.tabulate(["a"]) == [0, 0, 300_000]
    limited = dict(__import__("discreet.curator.source.files", fromlist=["_CONFIG"])._CONFIG, memory_limit="25MB")
    monkeypatch.setattr("discreet.curator.source.files._CONFIG", limited)
    assert open_source(path, AB).tabulate(["a"]) == [0, 0, 300_000]


def test_folders_and_patterns_of_parquet(tmp_path: Path) -> None:
    folder = tmp_path / "a folder [1]" / "x=1"
    folder.mkdir(parents=True)
    for part in range(3):
        pq.write_table(pa.table({"b": [0, 1], "a": ["x", "y"]}), folder / f"part {part}.parquet")
    for path in (folder.parent, f"{tmp_path}/a folder [[]1]/*/*.parquet"):
        assert open_source(path, AB).tabulate(["a", "b"]) == [3, 0, 0, 3, 0]
    with pytest.raises(InvalidInput, match="unknown column of the schema 'x'"):
        open_source(folder.parent, Schema({"x": [1]}))


def test_a_parquet_file_that_was_replaced_is_described_anew(tmp_path: Path) -> None:
    """The description of one file is kept between queries, but only as long as the file is the same."""
    path = tmp_path / "records.parquet"
    pq.write_table(pa.table({"a": ["x", "y"] * 50, "b": [0, 1] * 50}), path)
    source = open_source(path, AB)
    assert (source.count_rows(), source.tabulate(["a", "b"])) == (100, [50, 0, 0, 50, 0])
    pq.write_table(pa.table({"a": ["y", None, "z"] * 1000, "b": [0, 7, 1] * 1000}), path, row_group_size=100)
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 10**9))
    assert (source.count_rows(), source.tabulate(["a", "b"])) == (3000, [0, 0, 1000, 0, 2000])


def test_parquet_files_of_different_types_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1], "b": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": ["canary"], "b": [1]}), tmp_path / "2.parquet")
    with pytest.raises(InvalidInput, match="the same columns, in the same order and of the same types"):
        open_source(tmp_path, AB)


@pytest.mark.parametrize("name", ["it's.csv", "a[1].csv", "star*.csv", "what?.csv", "{x}.csv", "a\\b.csv", "UPPER.CSV"])
def test_awkward_file_names(name: str, tmp_path: Path) -> None:
    _csv(tmp_path, "a,b\ny,1\ny,1\n", "a1.csv")
    _csv(tmp_path, "a,b\ny,1\n", "stars.csv")
    assert open_source(_csv(tmp_path, "a,b\nx,0\n", name), AB).tabulate(["a"]) == [1, 0, 0]


def test_repeated_names_in_a_file_are_refused(tmp_path: Path) -> None:
    pq.write_table(
        pa.table([pa.array(["x"]), pa.array([{"q": 1}]), pa.array(["x"])], names=["a", "s", "a"]),
        tmp_path / "r.parquet",
    )
    for path in (tmp_path / "r.parquet", _csv(tmp_path, "a,b,a\nx,0,y\n")):
        with pytest.raises(InvalidInput, match="column names must be distinct, got 'a' more than once"):
            open_source(path, AB)


@pytest.mark.parametrize(
    ("path", "message"),
    [("missing.csv", "no file"), ("missing.parquet", "no file"), ("*.parquet", "no file"), (".", "no .parquet file")],
)
def test_missing_files(path: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=message):
        open_source(tmp_path / path, AB)


def test_other_kinds_of_source(tmp_path: Path) -> None:
    for source in (tmp_path / "records.xlsx", "https://example.org/x"):
        with pytest.raises(InvalidInput, match=r"must end in \.csv|must name \.parquet"):
            open_source(source, AB)
    for thing in (None, 5, [1, 2], {"a": ["x"]}, pd.Series([1])):
        with pytest.raises(InvalidInput, match="a source must be a data frame"):
            open_source(thing, AB)
    with pytest.raises(InvalidInput, match="schema must be a Schema"):
        open_source(pd.DataFrame({"a": ["x"]}), {"a": ["x"]})  # type: ignore[arg-type]
