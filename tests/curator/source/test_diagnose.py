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
    assert repr(diagnosis).splitlines()[1:] == ["smoking: 0 strays"]


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
