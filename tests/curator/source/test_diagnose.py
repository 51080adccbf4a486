"""The confidential diagnosis: how many strays, which values, and the likely cause of each."""

from __future__ import annotations

import dataclasses
import decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from discreet.curator.source import open_source
from discreet.schema import Bounded, Schema

TEXTS = ["yes", "no", " yes", "No", "nno", "y\u0435s", None, "", "zzz", "zzz", "caf\u00e9", "\uff59es"]
SCHEMA = Schema({"smoking": ["no", "yes"], "age": Bounded(0, 1)})


def test_every_engine_gives_the_same_strays(engine: Any) -> None:
    table = pa.table({"smoking": TEXTS, "age": [0.5] * len(TEXTS)})
    diagnosis = open_source(engine(table), SCHEMA).diagnose()
    (column,) = diagnosis.columns
    assert (column.name, column.count, diagnosis.clean) == ("smoking", 10, False)
    found = {stray.value: (stray.count, stray.hint.split(":")[0]) for stray in column.values}
    assert found == {
        "zzz": (2, "undeclared"),
        " yes": (1, "blanks"),
        "": (1, "blanks"),
        "No": (1, "case"),
        "nno": (1, "spelling"),
        "y\u0435s": (1, "spelling"),
        "\uff59es": (1, "unicode form"),
        "caf\u00e9": (1, "undeclared"),
        None: (1, "null"),
    }
    shown = repr(diagnosis)
    assert shown.startswith("CONFIDENTIAL: exact counts and raw values")
    assert "smoking: 10 strays\n  2 x 'zzz'" in shown


def test_no_strays(engine: Any) -> None:
    diagnosis = open_source(engine(pa.table({"smoking": ["no", "yes"], "age": [0.5, 1]})), SCHEMA).diagnose()
    assert diagnosis.clean
    assert repr(diagnosis).splitlines()[1:] == ["smoking: 0 strays", "age: all numbers within the bounds"]


def test_flaws_of_numeric_columns(engine: Any, request: Any) -> None:
    nan, inf = float("nan"), float("inf")
    table = pa.table(
        {
            "f": [0.5, nan, None, inf, -inf, 2.0, -1e-300, 1.0],
            "i": pa.array([0, 1, 2, 2**62, -1, None, 1, 1], pa.int64()),
            "t": ["0.5", "x", "", None, "nan", "-1", "1e400", "TRUE"],
            "b": [True, False, None, True, True, True, True, True],
            "d": pa.array([decimal.Decimal(x) for x in ("0.5", "7", "-7", "1", "0", "1", "1", "1")]),
            "l": [[1], None, [], [1], [1], [1], [1], [1]],
        }
    )
    refused = "t" if "ibis postgres" in request.node.name else ""  # numbers that are text
    names = "fitbdl".replace(refused, "")
    diagnosis = open_source(engine(table), Schema(dict.fromkeys(names, Bounded(0, 1)))).diagnose()
    found = {flaws.name: (flaws.missing, flaws.below, flaws.above, flaws.not_numbers) for flaws in diagnosis.numbers}
    expected = {
        "f": (2, 2, 2, 0),
        "i": (1, 1, 2, 0),
        "t": (1, 1, 1, 3),
        "b": (1, 0, 0, 0),
        "d": (0, 1, 1, 0),
        "l": (1, 0, 0, 7),
    }
    assert found == {name: expected[name] for name in names}
    assert not diagnosis.clean
    shown = repr(diagnosis).splitlines()
    assert shown[0].startswith("CONFIDENTIAL")
    assert refused or "t: 1 null or NaN, 1 below the bounds, 1 above the bounds, 3 not a number" in shown
    assert "b: 1 null or NaN" in shown


def test_a_column_whose_grid_is_refused_is_not_diagnosed() -> None:
    schema = Schema({"a": Bounded(0, 1, step=1e-12), "b": Bounded(0, 1.7e308), "c": Bounded(0, 1)})
    diagnosis = open_source(pa.table({"a": [0.5], "b": [1], "c": [0.5]}), schema).diagnose()
    assert [flaws.name for flaws in diagnosis.numbers] == ["c"]


def test_types_and_numbers(engine: Any) -> None:
    table = pa.table(
        {
            "d": [decimal.Decimal("1"), decimal.Decimal("2")],
            "t": ["01", "1.00"],
            "f": [1.5, float("nan")],
            "b": [True, False],
        }
    )
    columns = (
        open_source(engine(table), Schema({"d": [1, 2], "t": [1, 2], "f": [1, 2], "b": [1, 0]})).diagnose().columns
    )
    hints = {column.name: [stray.hint.split(":")[0] for stray in column.values] for column in columns}
    assert hints["d"] == ["type", "type"]
    assert hints["t"] == ["type", "type"]
    assert "undeclared" in hints["f"]
    assert hints["b"] == ["undeclared", "undeclared"]
    assert columns[3].count == 2


def test_at_most_ten_values_and_no_long_ones() -> None:
    values = [f"w{i % 50}" for i in range(1000)] + ["q" * 1000] * 100
    (column,) = open_source(pd.DataFrame({"a": values}), Schema({"a": ["x"]})).diagnose().columns
    assert column.count == 1100
    assert len(column.values) == 10
    assert column.values[0].value == "q" * 57 + "..."
    with pytest.raises(dataclasses.FrozenInstanceError):
        column.count = 0  # type: ignore[misc]
