"""No value of a record leaves by any other door than the gate: canaries in every cell, every failure provoked.

Every cell of the records is a secret that occurs nowhere else. Each verb is called on each engine and made to fail in each
way that could be thought of; then everything that a caller, a log file or a neighbour on the machine might see is searched:
messages and arguments of the exception and of those behind it, local variables in the frames of its traceback, what was
printed, warned or logged, temporary files, the ledger's bytes, saved releases. The bar is 0 canaries.
"""

from __future__ import annotations

import copy
import gc
import io
import json
import logging
import pickle
import re
import sys
import tempfile
import traceback
import warnings
from types import FunctionType, ModuleType
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet import Curator, GaussianDP, Ledger, PureDP, ZeroConcentratedDP
from discreet.curator import gate
from discreet.curator.source import Source
from discreet.errors import BudgetExceeded, DiscreetError, InvalidInput, LedgerError, NoCost, ReleaseFailed, SourceError
from discreet.mechanisms import Gaussian

ROWS = 40
TEXTS = [[f"canary{1000 * column + row}" for row in range(ROWS)] for column in range(2)]
NUMBERS = [[73914000.0 + 1000 * column + row + 0.125 for row in range(ROWS)] for column in range(2)]
CANARY = re.compile(r"canary|7391[45]\d{3}\.1|7\.391[45]\d*e\+?0?7")  # no drawn integer looks like this
RECORDS = pa.table({"smoking": TEXTS[0], "region": TEXTS[1], "age": NUMBERS[0], "share": NUMBERS[1]})
BUDGET = GaussianDP(100)


class Overheard:
    """Everything that was said while a test ran, searched at its end."""

    def __init__(self, capfd: Any, caplog: Any, caught: list[warnings.WarningMessage], scratch: Any) -> None:
        self._capfd, self._caplog, self._caught, self._scratch = capfd, caplog, caught, scratch
        self.texts: list[str] = []

    def error(self, error: BaseException | None) -> None:
        """A failure, with all that hangs on it."""
        seen = set()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            self.texts += [repr(error), str(error), repr(error.args), repr(getattr(error, "__notes__", ""))]
            for frame, _ in traceback.walk_tb(error.__traceback__):
                if "tests" not in frame.f_code.co_filename:
                    self.texts += [f"{name} = {value!r}" for name, value in frame.f_locals.items()]
            error = error.__cause__ or error.__context__

    def search(self) -> list[str]:
        """The texts that hold a canary, shortened."""
        out, err = self._capfd.readouterr()
        texts = [*self.texts, out, err, self._caplog.text, *(str(each.message) for each in self._caught)]
        texts += [file.read_bytes().decode("latin-1") for file in self._scratch.rglob("*") if file.is_file()]
        return [text[max(0, found.start() - 80) : found.end() + 20] for text in texts if (found := CANARY.search(text))]


@pytest.fixture
def overheard(capfd, caplog, tmp_path, monkeypatch):
    caplog.set_level(logging.DEBUG)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.chdir(scratch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        heard = Overheard(capfd, caplog, caught, scratch)
        yield heard
        assert heard.search() == []


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "records"
    path.mkdir()
    return path


def test_the_search_finds_a_canary_wherever_it_is(capfd, caplog, tmp_path):
    """The test of the tests: one canary in each place, and each is found."""
    caplog.set_level(logging.DEBUG)

    def leak(value):
        try:
            int(value)
        except ValueError:
            raise KeyError("nothing") from None

    for place in range(7):
        (tmp_path / str(place)).mkdir()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            heard = Overheard(capfd, caplog, caught, tmp_path / str(place))
            if place == 0:
                print("canary1")
            elif place == 1:
                print("canary1", file=sys.stderr)
            elif place == 2:
                warnings.warn("canary1", stacklevel=1)
            elif place == 3:
                logging.getLogger("x").debug("canary1")
            elif place == 4:
                (tmp_path / "4" / "spill").write_text("canary1")
            elif place == 5:
                heard.error(ValueError("73914001.125"))
            else:
                with pytest.raises(KeyError) as failed:
                    leak("canary1")  # only in the context, which `from None` hides but keeps
                heard.error(failed.value)
            assert heard.search()
        caplog.clear()


def test_every_verb_is_here(known_verbs):
    assert known_verbs[0] == known_verbs[1]


def test_a_release_its_price_and_its_texts(sample_verb, some_engine, engines, public_schema, overheard, folder):
    """Success, too: what a release is made of, prints, plots, saves, and leaves in the ledger."""
    ledger = Ledger.create("budget.ledger", BUDGET)
    with Curator(engines[some_engine](RECORDS, folder), public_schema, ledger=ledger) as curator:
        overheard.texts += [
            str(curator.price(sample_verb.name, *sample_verb.args)),
            repr(curator),
            repr(curator.ledger),
        ]
        release = getattr(curator, sample_verb.name)(*sample_verb.args, request_id="one")
        again = getattr(curator, sample_verb.name)(*sample_verb.args, request_id="one")
    assert again == release
    release.save("release.json")
    overheard.texts += [repr(release), repr(vars(release)), repr(pickle.dumps(release)), repr(ledger.entries())]
    if hasattr(release, "_repr_html_"):
        overheard.texts.append(release._repr_html_())
    if hasattr(release, "to_frame"):
        overheard.texts.append(str(release.to_frame("polars").rows()))
    for reached in _reachable(release):
        assert not isinstance(reached, Source | Curator | pa.Table | pl.DataFrame | pl.LazyFrame | pd.DataFrame)
        if isinstance(reached, str | bytes | int | float):
            overheard.texts.append(repr(reached))


def _reachable(root: object) -> list[object]:
    """All objects that can be reached from one, but for code."""
    found, waiting = {id(root): root}, [root]
    while waiting:
        for each in gc.get_referents(waiting.pop()):
            if not isinstance(each, type | ModuleType | FunctionType) and id(each) not in found:
                found[id(each)] = each
                waiting.append(each)
    return list(found.values())


LEAKY = [
    ValueError,
    OSError,
    MemoryError,
    RecursionError,
    KeyboardInterrupt,
    SystemExit,
    GeneratorExit,
    ZeroDivisionError,
]


class Panic(BaseException):
    """As engines written in Rust raise it."""


class Unprintable(Exception):
    """Its text is a trap of its own."""

    def __str__(self) -> str:
        raise ValueError("canary9")

    __repr__ = __str__


@pytest.mark.parametrize("failure", [*LEAKY, Panic, Unprintable, InvalidInput, SourceError], ids=lambda f: f.__name__)
def test_whatever_an_engine_raises_while_it_reads(sample_verb, failure, public_schema, overheard, monkeypatch):
    records = RECORDS.to_pandas()
    curator = Curator(records, public_schema, budget=BUDGET)
    assert curator.n == ROWS

    def fail(self, *_, **__):
        secret = records.iloc[0].to_dict()
        warnings.warn(f"could not convert {secret}", stacklevel=1)
        try:
            raise KeyError(str(secret))
        except KeyError as cause:
            raise failure(f"could not convert {secret}") from cause

    monkeypatch.setattr(Source, sample_verb.reads, fail)
    expected = KeyboardInterrupt if failure is KeyboardInterrupt else ReleaseFailed
    with pytest.raises(expected) as caught:
        getattr(curator, sample_verb.name)(*sample_verb.args, request_id="one")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    overheard.error(caught.value)
    assert len(curator.ledger.entries()) == 1  # the charge stays
    assert not curator.ledger.entries()[0].released
    with pytest.raises(LedgerError) as retried:
        getattr(curator, sample_verb.name)(*sample_verb.args, request_id="one")
    overheard.error(retried.value)


def test_an_engine_that_fails_on_a_value(sample_verb, public_schema, overheard):
    """A lazy query of the user's own that breaks on some record, in the engine's own words."""
    columns = ", ".join(f"{name}" for name in RECORDS.column_names if name not in sample_verb.columns)
    broken = ", ".join(
        f"CASE WHEN age > 73914020 THEN error('canary' || age) ELSE {name} END AS {name}"
        for name in sample_verb.columns
    )
    connection = duckdb.connect()
    connection.register("records", RECORDS)
    sources: list[Any] = [
        connection.sql(f"SELECT {', '.join(filter(None, (columns, broken)))} FROM records"),
        pl.from_arrow(RECORDS)
        .lazy()
        .with_columns(
            pl.col(name).map_batches(lambda s: 1 / 0 if len(s) else s, return_dtype=pl.self_dtype())
            for name in sample_verb.columns
        ),
        pl.from_arrow(RECORDS)
        .lazy()
        .with_columns((pl.col("smoking").cast(pl.Int64) + pl.col(name)).alias(name) for name in sample_verb.columns),
    ]
    for source in sources:
        with pytest.raises((ReleaseFailed, SourceError)) as caught:
            with Curator(source, public_schema, budget=BUDGET) as curator:
                getattr(curator, sample_verb.name)(*sample_verb.args)
        overheard.error(caught.value)


DAMAGES = {
    "ragged": lambda rows: [*rows[:5], "canary5001", *rows[5:]],
    "wide": lambda rows: [*rows[:5], "no,n,1,canary5001,2,3", *rows[5:]],
    "quoted": lambda rows: [*rows, '"canary5001,n,1,1'],
    "latin": lambda rows: [*rows, "canary5001\xe9,n,1,1"],
    "nul": lambda rows: [*rows, "\0canary5001,n,1"],
    "numbers": lambda rows: [*rows, "no,n,canary5001,73914001.125e"],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files(sample_verb, damage, public_schema, overheard, folder):
    rows = ["smoking,region,age,share", *(",".join(map(str, row)) for row in zip(*TEXTS, *NUMBERS, strict=True))]
    path = folder / "records.csv"
    path.write_bytes("\n".join(DAMAGES[damage](rows)).encode("latin-1"))
    try:
        with Curator(path, public_schema, budget=BUDGET) as curator:
            overheard.texts.append(repr(getattr(curator, sample_verb.name)(*sample_verb.args)))
    except DiscreetError as error:
        overheard.error(error)
    else:
        assert damage in ("nul", "numbers")  # odd values, in a file that is whole


def test_a_damaged_parquet_file(sample_verb, public_schema, overheard, engines, folder):
    path = engines["parquet"](RECORDS, folder)
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], whole[:100] + b"\xff" * 300 + whole[400:], b"canary1" * 30, b""):
        path.write_bytes(content)
        try:
            with Curator(path, public_schema, budget=BUDGET) as curator:
                getattr(curator, sample_verb.name)(*sample_verb.args)
        except DiscreetError as error:
            overheard.error(error)
        else:
            assert len(content) == len(whole)  # the damage lies in a column that the verb does not read


def test_a_gate_that_fails(sample_verb, public_schema, overheard, monkeypatch):
    curator = Curator(RECORDS, public_schema, budget=BUDGET)

    def leaky(part):
        raise OverflowError(f"canary {part}")

    monkeypatch.setattr(gate, "_measurement", lambda *_: leaky)
    monkeypatch.setattr(gate.secrets, "randbelow", leaky)
    with pytest.raises(ReleaseFailed) as caught:
        getattr(curator, sample_verb.name)(*sample_verb.args)
    overheard.error(caught.value)


def test_a_ledger_that_fails_after_the_charge(sample_verb, public_schema, overheard, monkeypatch):
    curator = Curator(RECORDS, public_schema, ledger=Ledger.create("budget.ledger", BUDGET))

    def full(self, request_id, payload):
        raise OSError(28, f"canary: no space left for {payload}")

    monkeypatch.setattr(Ledger, "record_release", full)
    with pytest.raises(ReleaseFailed) as caught:
        getattr(curator, sample_verb.name)(*sample_verb.args)
    assert caught.value.__context__ is None
    overheard.error(caught.value)


def test_records_that_change_between_the_count_and_the_release(sample_verb, public_schema, overheard):
    frame = RECORDS.to_pandas()
    curator = Curator(frame, public_schema, budget=BUDGET)
    assert curator.n == ROWS
    frame.drop(index=frame.index[3:9], inplace=True)
    try:
        overheard.texts.append(repr(getattr(curator, sample_verb.name)(*sample_verb.args)))
    except ReleaseFailed as error:
        overheard.error(error)


def test_what_is_refused_before_the_charge(sample_verb, public_schema, overheard):
    name, rest = sample_verb.name, sample_verb.args[1:]
    small = Curator(RECORDS, public_schema, budget=PureDP(1e-3) if name != "cdf" else GaussianDP(1e-3))
    attempts = [
        (BudgetExceeded, small, name, sample_verb.args),
        (DiscreetError, small, name, ("canopy", *rest)),
        (DiscreetError, small, name, (None, *rest)),
        (DiscreetError, small, name, ()),
        (DiscreetError, small, name, (*sample_verb.args, *range(9))),
        (DiscreetError, small, "publish", sample_verb.args),
    ]
    for kind, curator, verb, args in attempts:
        with pytest.raises(kind) as caught:
            curator._release(None, verb, *args)
        overheard.error(caught.value)
    pure = Curator(RECORDS, public_schema, budget=PureDP(1))
    with pytest.raises(NoCost) as caught:
        pure.table("region", ZeroConcentratedDP(0.1), Gaussian())
    overheard.error(caught.value)
    assert small.ledger.entries() == ()


def test_an_interrupt_says_nothing(sample_verb, public_schema, overheard, monkeypatch):
    curator = Curator(RECORDS, public_schema, budget=BUDGET)

    def interrupt(self, *_, **__):
        raise KeyboardInterrupt("canary1")

    monkeypatch.setattr(Source, sample_verb.reads, interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        getattr(curator, sample_verb.name)(*sample_verb.args)
    assert caught.value.args == ()
    assert caught.value.__context__ is None
    overheard.error(caught.value)


def test_handles_show_their_schema_and_cannot_be_copied(some_engine, engines, public_schema, overheard, folder):
    curator = Curator(engines[some_engine](RECORDS, folder), public_schema, budget=BUDGET)
    source = curator._Curator__records
    for handle, kind in ((curator, TypeError), (source, TypeError), (curator.ledger, DiscreetError)):
        for attempt in (pickle.dumps, copy.copy, copy.deepcopy, lambda h: h.__reduce_ex__(4)):
            with pytest.raises(kind) as caught:
                attempt(handle)
            overheard.error(caught.value)
        with pytest.raises(TypeError):
            json.dumps(handle)
        overheard.texts += [repr(handle), str(handle), f"{handle}"]
        for name in dir(handle):
            if not name.startswith("_") and name not in ("n", "group_sizes"):
                overheard.texts.append(repr(getattr(handle, name)))
    overheard.texts.append(repr(vars(curator)))
    with pytest.raises(TypeError):
        vars(source)
    curator.close()


def test_the_diagnostic_alone_shows_values_and_says_so(public_schema, overheard):
    """`check` is for the curator's own eyes: the one public function that may show a record."""
    with Curator(RECORDS, public_schema, budget=BUDGET) as curator:
        shown = curator.check()
    assert CANARY.search(str(shown))
    assert "confidential" in str(shown).lower()


def test_a_progress_display_is_silent(public_schema, overheard, monkeypatch):
    """Engines may draw progress bars on a terminal; on one they would show row counts."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    big = pa.table(
        {"smoking": ["no"] * 400_000, "region": ["n"] * 400_000, "age": np.zeros(400_000), "share": np.zeros(400_000)}
    )
    with Curator(duckdb.connect().from_arrow(big), public_schema, budget=BUDGET) as curator:
        curator.table("smoking", PureDP(1))
    assert screen.getvalue() == ""
