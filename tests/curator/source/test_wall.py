"""No value of a record leaves in an error, a repr, a copy or a pickle: a canary is in the data, every failure is provoked."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import traceback
import warnings
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.curator.source import open_source
from discreet.errors import SourceError
from discreet.schema import Schema

CANARY = "canary7391"
SCHEMA = Schema({"a": ["x", "y"], "b": ["z"]})
CONSTANT = (
    "the records cannot be read: the file or frame is damaged, of another format or encoding, or its records differ"
)

ROWS = "a,b\n" + "x,z\n" * 5
DAMAGED_CSV = {
    "too few fields": (ROWS + f"{CANARY}\n").encode(),
    "too many fields": (ROWS + f"x,z,{CANARY}\n").encode(),
    "open quote": (ROWS + f'"{CANARY},z\n').encode(),
    "text after a quote": (ROWS + f'"x"{CANARY},z\n').encode(),
    "latin-1": (ROWS + f"{CANARY}\xe9,z\n").encode("latin-1"),
    "latin-1 in the second column": (ROWS + f"x,{CANARY}\xe9\n").encode("latin-1"),
    "latin-1 far down": (ROWS * 2000 + f"x,{CANARY}\xe9\n").encode("latin-1"),
    "utf-16": (ROWS + CANARY).encode("utf-16"),
    "very long line": (ROWS + CANARY * 400_000 + ",z\n").encode(),
    "mixed line ends": (ROWS + f"{CANARY},z\r\nx,z\n").encode(),
    "compressed": __import__("gzip").compress(f"a,b\n{CANARY},z\n".encode()),
    "empty": b"",
}


def _is_silent(error: BaseException) -> None:
    assert error.__context__ is None
    assert error.__cause__ is None
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if "discreet/" in frame.f_code.co_filename]
    ours = [frame for frame in frames if "tests" not in frame.f_code.co_filename]
    assert ours
    assert CANARY not in repr(error) + str(error.args) + "".join(repr(frame.f_locals) for frame in ours)


def _fails_silently(make: Any) -> None:
    with pytest.raises(SourceError) as caught:
        make()
    assert str(caught.value).startswith(CONSTANT)
    _is_silent(caught.value)


@pytest.mark.parametrize("damage", DAMAGED_CSV)
def test_a_damaged_csv_is_found_while_it_is_counted(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_bytes(DAMAGED_CSV[damage])
    if damage == "empty":
        with pytest.raises(SourceError, match="must begin with one line that names the columns"):
            open_source(path, SCHEMA)
    else:
        _fails_silently(lambda: open_source(path, SCHEMA).count_rows())
        _fails_silently(lambda: open_source(path, SCHEMA).tabulate(["a", "b"]))


def test_damaged_parquet(tmp_path: Path) -> None:
    path = tmp_path / "records.parquet"
    duckdb.connect().execute(f"COPY (SELECT '{CANARY}' || range AS a, 'z' AS b FROM range(1000)) TO '{path}'")
    whole = path.read_bytes()
    for contents in (b"", b"PAR1", CANARY.encode() * 20, whole[: len(whole) // 2]):
        path.write_bytes(contents)
        _fails_silently(lambda: open_source(path, SCHEMA))
    broken = bytearray(whole)
    broken[20:400] = b"\xff" * 380
    path.write_bytes(bytes(broken))
    _fails_silently(lambda: open_source(path, SCHEMA).tabulate(["a", "b"]))


def test_engines_that_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    connection = duckdb.connect()
    failing = connection.sql(
        f"SELECT CASE WHEN range < 5 THEN 'x' ELSE error('{CANARY}') END AS a, 'z' AS b FROM range(10)"
    )
    _fails_silently(lambda: open_source(failing, SCHEMA).tabulate(["a"]))
    cast = pl.LazyFrame({"a": ["x", CANARY], "b": ["z", "z"]}).with_columns(pl.col("a").cast(pl.Int64))
    _fails_silently(lambda: open_source(cast, Schema({"a": [1], "b": ["z"]})).tabulate(["a"]))
    panicking = pl.LazyFrame({"a": ["x", CANARY], "b": ["z", "z"]}).with_columns(
        pl.col("a").map_batches(lambda s: 1 / 0, return_dtype=pl.String)
    )
    _fails_silently(lambda: open_source(panicking, SCHEMA).tabulate(["a"]))
    _fails_silently(lambda: open_source(pl.scan_parquet(tmp_path / "none.parquet"), SCHEMA))

    class Panic(BaseException):
        pass

    def panic(*_: Any) -> Any:
        raise Panic(CANARY)

    monkeypatch.setattr("discreet.curator.source.frames.FrameReader.groups", panic)
    monkeypatch.setattr("discreet.curator.source.frames.FrameReader.strays", panic)
    source = open_source(pd.DataFrame({"a": [CANARY], "b": ["z"]}), SCHEMA)
    _fails_silently(lambda: source.tabulate(["a"]))
    _fails_silently(source.diagnose)


def test_a_closed_source_fails_silently(engine: Any) -> None:
    source = open_source(engine(pa.table({"a": [CANARY], "b": ["z"]})), SCHEMA)
    source.close()
    _fails_silently(lambda: source.tabulate(["a"]))


def test_a_source_shows_its_schema_and_cannot_be_copied(engine: Any) -> None:
    source = open_source(engine(pa.table({"a": [CANARY, "x"], "b": ["z", CANARY]})), SCHEMA)
    assert repr(source) == f"<Source of records: {SCHEMA!r}>"
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy, lambda s: s.__reduce_ex__(4)):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            attempt(source)
    with pytest.raises(TypeError):
        json.dumps(source)
    with pytest.raises(TypeError):
        vars(source)
    assert not [name for name in dir(source) if not name.startswith("_") and not callable(getattr(source, name))]
    assert CANARY not in repr([*gc.get_referents(source.tabulate(["a", "b"])), source.count_rows()])


def test_nothing_is_printed_or_warned(engine: Any, capfd: Any) -> None:
    records = engine(pa.table({"a": [CANARY, None], "b": ["z", CANARY]}))  # what Ibis warns of here is its own
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = open_source(records, SCHEMA)
        assert source.tabulate(["b", "a"]) == [0, 0, 2]
        source.close()
    assert capfd.readouterr() == ("", "")
