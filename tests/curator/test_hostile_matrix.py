"""Hostile input, every verb, every engine: the same exact integers at the gate, or the same error that knows no record.

The same values are given in every engine that can hold them; what reaches the gate is written down by a watcher, and must
be the same bit by bit. Where a call is refused or fails, it must be so everywhere, with the same class and text.
"""

from __future__ import annotations

import datetime
import math
import random
from bisect import bisect_right
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet import ApproxDP, Curator, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.curator.source import open_source
from discreet.curator.watching import watched
from discreet.errors import DiscreetError, InvalidInput
from discreet.schema import Schema

BUDGET = GaussianDP(100)
DAY = datetime.datetime(2024, 3, 31, 2, 30)  # does not exist in much of Europe: clocks go forward
EXTREMES = [
    0.0,
    -0.0,
    5e-324,
    1e308,
    -1e308,
    math.nan,
    math.inf,
    -math.inf,
    2.0**53,
    2.0**53 + 2,
    2.0**63,
    0.5,
    99.5,
    None,
]
TEXTS = [
    "no",
    "yes",
    "n",
    "s",
    "",
    " no",
    "NO",
    "no\0",
    "1",
    "1.0",
    "True",
    "cafe\u0301",
    "caf\xe9",
    "\u202eon",
    "x" * 10**4,
    None,
]

COLUMNS: dict[str, pa.Array] = {
    "floats": pa.array(EXTREMES, pa.float64()),
    "small floats": pa.array([0.0, -0.0, 0.1, math.nan, math.inf, None, 16777217.0], pa.float32()),
    "large integers": pa.array([2**63 - 1, -(2**63), 2**53 + 1, 2**53 - 1, 0, 1, 100, None], pa.int64()),
    "whole integers": pa.array([2**63 - 1, -(2**63), 2**53 + 1, 0, 1, 100], pa.int64()),
    "unsigned integers": pa.array([2**63, 2**64 - 1, 0, 1, 50, None], pa.uint64()),
    "bytes": pa.array([127, -128, 0, 1, None], pa.int8()),
    "unsigned bytes": pa.array([255, 0, 1, None], pa.uint8()),
    "booleans": pa.array([True, False, None]),
    "texts": pa.array(TEXTS),
    "factors": pa.array(["no", "n", "unused?", None]).dictionary_encode(),
    "decimals": pa.array([Decimal("0.50"), Decimal("99.99"), Decimal("-1"), None], pa.decimal128(10, 2)),
    "dates": pa.array([datetime.date(2024, 2, 29), datetime.date(1970, 1, 1), None]),
    "naive times": pa.array([DAY, datetime.datetime(1970, 1, 1), None], pa.timestamp("us")),
    "zoned times": pa.array([DAY, datetime.datetime(1970, 1, 1), None], pa.timestamp("us", tz="Europe/Paris")),
    "all null": pa.array([None, None, None], pa.float64()),
    "constant": pa.array([7.0] * 5),
    "one record": pa.array([0.5]),
    "two records": pa.array([0.0, 100.0]),
    "no record": pa.array([], pa.float64()),
    "no text": pa.array([], pa.string()),
}
CANNOT = {
    "texts": ("csv",),  # an empty field is a null, and NUL ends a field
    "no record": ("pandas of objects",),  # a column of Python objects without one has no type
}

Outcome = tuple[str, Any]


class Recorder:
    """Writes down the exact integers; answers with a constant, and to a choice by the weights, from a fixed seed."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self._random = random.Random(1)  # equal weights, equal answers: so that engines can be compared

    def draw_noise(self, exact, exponent, public):
        self.calls.append((public["family"], public["scale"], public["cap"], list(exact)))
        return [public["cap"] * 2**exponent // 2] * len(exact)

    def choose(self, weights):
        self.calls.append(list(weights))
        return bisect_right([*accumulate(weights)], self._random.randrange(sum(weights)))


def outcome(source: Any, schema: Schema, verb: Any) -> Outcome:
    """The integers that reach the gate, or the class and text of the error."""
    recorder = Recorder()
    try:
        with Curator(source, schema, budget=BUDGET) as curator:
            plan = curator._plan(verb.name, *verb.args)
        records = open_source(source, schema)
    except DiscreetError as refused:
        return type(refused).__name__, str(refused)
    try:
        with watched(recorder):
            plan.make(records)
    except Exception as failed:  # noqa: BLE001  in a release the boundary makes a constant of it
        return "failed", type(failed).__name__
    return "released", recorder.calls


@pytest.mark.parametrize("kind", COLUMNS)
def test_the_same_integers_on_every_engine(kind, all_verbs, engines, public_schema, tmp_path):
    """All columns of the schema hold the hostile values, so a verb meets them whatever it reads."""
    table = pa.table(dict.fromkeys(public_schema.columns, COLUMNS[kind]))
    found: dict[str, dict[str, Outcome]] = {}
    for name, build in engines.items():
        if name in CANNOT.get(kind, ()):
            continue
        folder = tmp_path / name
        folder.mkdir()
        source = build(table, folder)
        found[name] = {verb.name: outcome(source, public_schema, verb) for verb in all_verbs}
    assert len(found) >= 8
    first = found["pyarrow"]
    assert {name: each for name, each in found.items() if each != first} == {}
    assert {outcome for outcome, _ in first.values()} <= {"released", "InvalidInput", "NotAvailable"}


def shapes() -> dict[str, Any]:
    """Frames with odd shapes; all hold the same 6 records."""
    plain = {"smoking": ["no", "yes", "no", "?", "yes", "no"], "region": ["n", "s", "n", "s", "1", "n"]}
    numbers = {"age": [0.0, 10, 50, 100, 101, 7], "share": [0.0, 1, 0.5, 0.25, 0.75, 2]}
    frame = pd.DataFrame(plain | numbers)
    order = [3, 1, 5, 0, 2, 4]
    connection = duckdb.connect()
    return {
        "plain": frame,
        "shuffled": frame.iloc[order],
        "duplicate index": frame.set_axis([1] * 6),
        "index of nulls": frame.set_axis([None] * 6),
        "multi-index": frame.set_axis(pd.MultiIndex.from_product([[1, 2, 3], ["a", "b"]])),
        "index of times": frame.set_axis(pd.date_range("2024-03-31", periods=6, tz="Europe/Paris")),
        "other columns": frame.assign(secret=[object()] * 6, other=pd.Series([1, "2", None] * 2, dtype=object)),
        "columns in another order": frame[["share", "region", "age", "smoking"]],
        "a view": pd.concat([frame, frame])[:6],
        "factors with unused levels": frame.assign(smoking=pd.Categorical(frame["smoking"], ["?", "z", "no", "yes"])),
        "ordered factors": frame.assign(smoking=pd.Categorical(frame["smoking"], ["?", "no", "yes"], ordered=True)),
        "a subclass": type("Frame", (pd.DataFrame,), {})(frame),
        "polars": pl.from_pandas(frame),
        "polars in chunks": pl.concat([pl.from_pandas(frame[:2]), pl.from_pandas(frame[2:])], rechunk=False),
        "polars lazy": pl.from_pandas(frame).lazy().sort("age", descending=True),
        "polars factors": pl.from_pandas(frame).with_columns(pl.col("smoking").cast(pl.Categorical)),
        "polars enum": pl.from_pandas(frame).with_columns(pl.col("smoking").cast(pl.Enum(["no", "yes", "?", "z"]))),
        "arrow in chunks": pa.concat_tables([pa.Table.from_pandas(frame[:1]), pa.Table.from_pandas(frame[1:])]),
        "duckdb": connection.from_df(frame).order("age"),
    }


def test_the_shape_of_a_frame_changes_nothing(sample_verb, public_schema):
    found = {name: outcome(source, public_schema, sample_verb) for name, source in shapes().items()}
    assert found["plain"][0] == "released"
    assert {name: each for name, each in found.items() if each != found["plain"]} == {}


@pytest.mark.parametrize(
    "make",
    [lambda t: pd.concat([t.to_pandas(), t.to_pandas()[["age"]]], axis=1), lambda t: t.append_column("age", t["age"])],
)
def test_duplicate_names_are_refused(make, sample_verb, public_schema):
    table = pa.table({"smoking": ["no"], "region": ["n"], "age": [1.0], "share": [1.0]})
    kind, text = outcome(make(table), public_schema, sample_verb)
    assert kind in ("InvalidInput", "SourceError")
    assert text == "column names must be distinct, got 'age' more than once"


@pytest.mark.parametrize(
    "source", [None, 5, "nothing.csv", [1, 2], {}, iter([1]), pd.Series([1]), np.zeros((2, 2))], ids=range(8)
)
def test_what_is_no_source(source, public_schema):
    with pytest.raises(DiscreetError):
        Curator(source, public_schema, budget=BUDGET)


# ---- public arguments ------------------------------------------------------------------------------------------------

NUMBERS = [
    0,
    -1,
    -0.0,
    0.0,
    5e-324,
    1e308,
    math.nan,
    math.inf,
    -math.inf,
    "1",
    True,
    None,
    [],
    1j,
    10**400,
    2**63,
    np.bool_(True),
    np.nan,
    np.datetime64("2024-01-01"),
    "nan",
    b"1",
]


@pytest.mark.parametrize("value", NUMBERS, ids=range(len(NUMBERS)))
def test_guarantees_refuse_what_promises_nothing(value):
    """And admit nothing that is not a number above 0: epsilon = 0 must not switch privacy off, and True is not 1."""
    for make in (PureDP, GaussianDP, ZeroConcentratedDP, lambda x: ApproxDP(x, 1e-6), lambda x: ApproxDP(1, x)):
        try:
            made = make(value)
        except InvalidInput as refused:
            assert "\n" not in str(refused)
        else:
            assert value == 5e-324  # a number above 0, if a small one
            assert 0 < min(v for k, v in made.to_dict().items() if k != "kind") <= 1


@pytest.mark.parametrize("value", [Decimal("0.5"), Fraction(1, 2), np.float64(0.5), np.float32(0.5), 0.5])
def test_guarantees_take_numbers_of_every_kind(value):
    assert PureDP(value) == PureDP(0.5)


ARGUMENTS = [
    None,
    0,
    -1,
    1.5,
    "3",
    True,
    [],
    [1, "age"],
    {},
    b"age",
    math.nan,
    10**30,
    object,
    np.int64(2),
    "age",
    ["age", "age"],
    ("share", None),
]


def test_verbs_refuse_hostile_arguments_before_the_charge(sample_verb, public_schema):
    """Each argument in turn is replaced; what is not refused as invalid must be a release, and nothing else may happen."""
    table = pa.table({"smoking": ["no"] * 9, "region": ["n"] * 9, "age": [1.0] * 9, "share": [1.0] * 9})
    with Curator(table, public_schema, budget=GaussianDP(500)) as curator:
        for place in range(len(sample_verb.args)):
            for value in ARGUMENTS:
                args = [*sample_verb.args]
                args[place] = value
                before = len(curator.ledger.entries())
                try:
                    getattr(curator, sample_verb.name)(*args)
                except DiscreetError as refused:
                    assert "after its charge" not in str(refused), (place, value)
                    assert "\n" not in str(refused)
                    assert len(curator.ledger.entries()) == before
                else:
                    assert len(curator.ledger.entries()) == before + 1


@pytest.mark.parametrize(
    "identity", ["", "a'b\"; DROP TABLE entry", "\0", "x" * 10**6, "\u202e", "\ud800", 5, True, b"a", []], ids=range(10)
)
def test_hostile_request_names(identity, public_schema):
    table = pa.table({"smoking": ["no"] * 9, "region": ["n"] * 9, "age": [1.0] * 9, "share": [1.0] * 9})
    with Curator(table, public_schema, budget=PureDP(10)) as curator:
        try:
            first = curator.table("smoking", PureDP(1), request_id=identity)
        except DiscreetError:
            assert curator.ledger.entries() == ()
        else:
            assert curator.table("smoking", PureDP(1), request_id=identity) == first
            assert len(curator.ledger.entries()) == 1


def test_a_frame_that_changes_after_it_was_opened(sample_verb, public_schema):
    """Charged, and then the constant failure or a release, and never another error."""
    frame = pd.DataFrame({"smoking": ["no"] * 9, "region": ["n"] * 9, "age": [1.0] * 9, "share": [1.0] * 9})
    with Curator(frame, public_schema, budget=BUDGET) as curator:
        assert curator.n == 9
        frame.loc[3, "smoking"] = "yes"
        for name in sample_verb.columns:
            del frame[name]
        try:
            getattr(curator, sample_verb.name)(*sample_verb.args)
        except DiscreetError as failed:
            assert "after its charge" in str(failed)
        assert len(curator.ledger.entries()) == 1
