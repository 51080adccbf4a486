"""Parquet and Arrow files of tables: equal after a round trip, readable by others, and not believed when they are not ours."""

import io
import json
import os

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from discreet.errors import FormatError, InvalidInput
from discreet.noise import Gaussian, ProjectedGaussian
from discreet.release import HistogramRelease, TableRelease, columnar, load
from discreet.release import io as release_io
from discreet.release.integers import Integers
from discreet.schema import Bounded, Schema

COLUMNS = {"smoking": ["no", "yes"], "age": ["<40", "40+", "?"]}
TABLE = TableRelease.from_counts(
    np.arange(6).reshape(2, 3) * 10.25, COLUMNS, noise=ProjectedGaussian(2.0), n=154, other=0.25
)
LARGE = TableRelease(TABLE.schema, TABLE.column_names, [2**70, -1, 0, 5, -(2**80), 1, 2], 20, "Laplace", 2.0)
WIDE = TableRelease(
    Schema({"a": list(range(600)), "b": list(range(500))}, complete=True),
    ("a", "b"),
    Integers(np.random.default_rng(1).integers(-(2**50), 2**50, 300_000)),
    20,
    "Laplace",
    2.0,
)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".PARQUET"])
@pytest.mark.parametrize("release", [TABLE, LARGE, WIDE, TABLE.margin("age")], ids=["table", "large", "wide", "margin"])
def test_a_round_trip_keeps_everything(tmp_path, suffix, release):
    release.save(tmp_path / f"t{suffix}")
    found = load(tmp_path / f"t{suffix}")
    assert found == release
    assert np.array_equal(found.counts, release.counts)
    assert [path.name for path in tmp_path.iterdir()] == [f"t{suffix}"]
    found.save(tmp_path / "again.json")  # and the kind of file is not remembered
    assert load(tmp_path / "again.json") == release


def test_a_file_is_known_by_its_content_not_by_its_name(tmp_path):
    TABLE.save(tmp_path / "t.parquet")
    os.rename(tmp_path / "t.parquet", tmp_path / "t.json")
    assert load(tmp_path / "t.json") == TABLE


def test_others_read_the_numbers_and_the_law(tmp_path):
    path = tmp_path / "t.parquet"
    TABLE.save(path)
    assert pl.read_parquet(path)["drawn"].to_list() == [*TABLE.drawn]
    assert duckdb.sql(f"SELECT sum(drawn)::BIGINT FROM '{path}'").fetchall() == [(TABLE.drawn.total(),)]
    stated = json.loads(pq.read_metadata(path).metadata[b"discreet release"])
    assert stated["noise"] == {"mechanism": "ProjectedGaussian", "scale": 2.0}
    assert stated["exponent"] == TABLE.exponent
    assert "drawn" not in stated
    TABLE.save(tmp_path / "t.arrow")
    assert pl.read_ipc(tmp_path / "t.arrow")["drawn"].to_list() == [*TABLE.drawn]


def document(**changes):
    whole = json.loads(release_io.dumps(TABLE))
    del whole["drawn"]
    return json.dumps(whole | changes).encode()


def parquet(table, metadata, **options):
    file = io.BytesIO()
    options = {"store_schema": False} | options
    with pq.ParquetWriter(file, table.schema, **options) as writer:
        writer.add_key_value_metadata(metadata)
        writer.write_table(table)
    return file.getvalue()


def arrow(table, metadata):
    file = io.BytesIO()
    table = table.replace_schema_metadata(metadata)
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def column(values, kind=pa.int64(), name="drawn", nullable=False):  # noqa: B008  a type of PyArrow is a constant
    return pa.table([pa.array(values, kind)], schema=pa.schema([pa.field(name, kind, nullable=nullable)]))


SEVEN = [*TABLE.drawn]
OURS = {b"discreet release": document()}
FOREIGN = {
    "another name": (column(SEVEN, name="count"), OURS),
    "floats": (column([float(y) for y in SEVEN], pa.float64()), OURS),
    "32 bits": (column(SEVEN, pa.int32()), OURS),
    "unsigned": (column([abs(y) for y in SEVEN], pa.uint64()), OURS),
    "a null": (column([*SEVEN[:-1], None], nullable=True), OURS),
    "nullable": (column(SEVEN, nullable=True), OURS),
    "decimals": (column(SEVEN, pa.decimal128(20, 0)), OURS),
    "dates": (column(SEVEN, pa.timestamp("us")), OURS),
    "bytes": (column([str(y).encode() for y in SEVEN], pa.binary()), OURS),
    "a list": (column([[y] for y in SEVEN], pa.list_(pa.int64())), OURS),
    "text that is no number": (column(["1e3", *map(str, SEVEN[1:])], pa.string()), OURS),
    "a number with a plus": (column(["+1", *map(str, SEVEN[1:])], pa.string()), OURS),
    "two columns": (column(SEVEN).append_column("more", pa.array(SEVEN)), OURS),
    "no column": (pa.table({}), OURS),
    "too few": (column(SEVEN[:-1]), OURS),
    "too many": (column([*SEVEN, 1]), OURS),
    "none": (column([]), OURS),
    "no metadata": (column(SEVEN), {}),
    "more metadata": (column(SEVEN), OURS | {b"pandas": b"{}"}),
    "no JSON": (column(SEVEN), {b"discreet release": b"\x00"}),
    "an array": (column(SEVEN), {b"discreet release": b"[]"}),
    "drawn twice": (column(SEVEN), {b"discreet release": document(drawn=["1"] * 7)}),
    "another version": (column(SEVEN), {b"discreet release": document(version=2)}),
    "another format": (column(SEVEN), {b"discreet release": document(format="other")}),
    "another kind": (column(SEVEN), {b"discreet release": document(kind="mean")}),
    "an unknown part": (column(SEVEN), {b"discreet release": document(more=1)}),
}


@pytest.mark.parametrize("write", [parquet, arrow])
@pytest.mark.parametrize("case", FOREIGN)
def test_what_is_not_ours_is_refused(tmp_path, write, case):
    if (write, case) == (arrow, "nullable"):
        pytest.skip("an Arrow file without nulls is the same, whatever its schema allows")
    path = tmp_path / "t"
    path.write_bytes(write(*FOREIGN[case]))
    with pytest.raises(FormatError, match="is not a valid release file"):
        load(path)


def test_a_schema_of_arrow_inside_a_parquet_file_is_refused(tmp_path):
    """It could ask PyArrow for a type of its own (an extension), which no release has."""
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet(column(SEVEN), OURS, store_schema=True))
    with pytest.raises(FormatError, match="another program wrote it"):
        load(path)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_damaged_file_is_refused_whatever_is_missing(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    TABLE.save(path)
    whole = path.read_bytes()
    for length in range(0, len(whole), 31):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            load(path)
    rng = np.random.default_rng(2)
    for _ in range(150):
        damaged = bytearray(whole)
        for place in rng.integers(8, len(whole), 3):
            damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            found = load(path)
        except FormatError:
            continue
        assert isinstance(found, TableRelease)  # a bit of a number, or one that decides nothing


def test_more_numbers_than_a_table_has_are_not_read(tmp_path, monkeypatch):
    """A run-length encoding makes millions of rows of a few bytes: they are counted before any is read."""
    monkeypatch.setattr(columnar, "MOST_PACKED", 1000)
    for name, write in (("p", parquet), ("a", arrow)):
        (tmp_path / name).write_bytes(write(column([5] * 1001), OURS))
        with pytest.raises(FormatError, match="1001 numbers; at most 1000"):
            load(tmp_path / name)
    monkeypatch.setattr(columnar, "_TEXT", 1000)
    (tmp_path / "t").write_bytes(parquet(column(["5" * 999] * 7, pa.string()), OURS))
    with pytest.raises(FormatError, match="more than 1000 bytes"):
        load(tmp_path / "t")


def test_other_releases_are_saved_as_json(tmp_path):
    histogram = HistogramRelease(
        schema=Schema({"x": Bounded(0, 10, step=1)}, complete=True),
        column_names=("x",),
        bins=(5,),
        drawn=(1, 2, 3, 4, 5),
        exponent=0,
        mechanism="Gaussian",
        scale=Gaussian(1.0).scale,
        n=15,
    )
    with pytest.raises(InvalidInput, match="save a histogram release as"):
        histogram.save(tmp_path / "h.parquet")
    assert not [*tmp_path.iterdir()]
    with pytest.raises(InvalidInput, match="save a mean release as"):
        columnar.check_path("m.arrow", "mean")
