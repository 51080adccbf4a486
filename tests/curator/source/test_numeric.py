"""The code of a value: against exact rational arithmetic, at ties, at the bounds, and for text in every spelling."""

from __future__ import annotations

import decimal
import itertools
import math
import re
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.curator.source.numeric import Grid, number
from discreet.curator.source.table_numbers import centred_sql, clamped_sql, number_sql
from discreet.errors import InvalidInput
from discreet.schema import Bounded, Schema

NAN, INF = math.nan, math.inf


def code(column: Bounded, *values: float) -> list[int]:
    return Grid.of(column).codes(np.array(values, dtype=float)).tolist()


def printed(value: float) -> Fraction:
    return Fraction(decimal.Decimal(repr(value)))


def nearest(column: Bounded, value: float) -> set[int]:
    """The codes that the definition admits, in exact arithmetic on the number as it prints."""
    lower, upper = column.exact_bounds
    x = min(max(printed(value), lower), upper)
    place = (x - lower) / column.exact_step
    best = math.floor(place + Fraction(1, 2))
    excess = max(Fraction(1), max(abs(lower), abs(upper)) / column.exact_step) / 2**48
    below_a_tie = best + Fraction(1, 2) - place
    return {best, best + 1} if 0 < below_a_tie <= excess and best < column.steps else {best}


def test_decimal_grid_points_and_ties() -> None:
    tenths = Bounded(0, 1, step=0.1)
    assert code(tenths, *(j / 10 for j in range(11))) == list(range(11))
    assert code(tenths, 0.1 + 0.2, 0.3, 0.7, 1 - 0.9) == [3, 3, 7, 1]
    assert code(tenths, *(float(f"0.{j}5") for j in range(10))) == list(
        range(1, 11)
    )  # 0.35 and 0.15 are below as doubles
    assert code(tenths, 0.0499999, 0.3499999, 0.9499999) == [0, 3, 9]
    assert code(Bounded(0, 100, step=0.01), 1.005, 1.015, 2.675, 1.004999) == [101, 102, 268, 100]
    assert code(Bounded(-5, 5, step=1), -0.5, -1.5, 0.5, -4.5, -4.50001, 4.5) == [5, 4, 6, 1, 0, 10]
    assert code(Bounded(0, 3, step=1), 0.5, 1.5, 2.5, 0.49999999) == [1, 2, 3, 0]


def test_bounds_infinities_and_what_is_missing() -> None:
    column = Bounded(-1, 2, step=0.5, missing=1.5)
    assert code(column, INF, -INF, 1e308, -1e308, 2, -1, NAN) == [6, 0, 6, 0, 6, 0, 5]
    assert code(column, -0.0, 0.0, 5e-324, -5e-324) == [2, 2, 2, 2]
    assert code(Bounded(0, 1), NAN) == [2**15]
    largest = Bounded(-(2.0**960), 2.0**960)
    assert code(largest, -1.7e308, 0, 1.7e308, 2.0**959) == [0, 2**15, 2**16, 2**15 + 2**14]
    assert code(Bounded(0, 1e-280), 1e-280, 5e-281, 1e-300, 5e-324) == [2**16, 2**15, 0, 0]


@settings(max_examples=600, deadline=None)
@given(
    st.decimals(-1000, 1000, places=2),
    st.sampled_from(["0.01", "0.05", "0.1", "0.125", "0.3", "1", "2.5", "7", "1000"]),
    st.integers(1, 5000),
    st.data(),
)
def test_codes_are_the_nearest_in_exact_arithmetic(lower: Any, step: str, steps: int, data: Any) -> None:
    exact = decimal.Decimal(step)
    column = Bounded(float(lower), float(lower + steps * exact), step=float(exact))
    j = data.draw(st.integers(-2, steps + 2))
    tie = lower + (j + decimal.Decimal("0.5")) * exact
    near = [float(tie), math.nextafter(float(tie), INF), math.nextafter(float(tie), -INF), float(lower + j * exact)]
    values = [*near, data.draw(st.floats(allow_nan=False, allow_infinity=False))]
    values += data.draw(st.lists(st.floats(float(column.lower), float(column.upper)), max_size=5))
    for value, found in zip(values, code(column, *values), strict=True):
        assert found in nearest(column, value)
    assert code(column, float(tie)) == [min(max(j + 1, 0), steps)]  # as it is printed
    assert code(column, float(lower + j * exact)) == [min(max(j, 0), steps)]


@settings(max_examples=300, deadline=None)
@given(st.floats(-1e12, 1e12), st.floats(1e-6, 1e12), st.data())
def test_codes_stay_in_range_and_rise(lower: float, width: float, data: Any) -> None:
    if lower + width <= lower:
        return
    column = Bounded(lower, lower + width)
    if column.grid_refusal:
        return
    values = sorted(data.draw(st.lists(st.floats(allow_nan=False), min_size=2, max_size=8)))
    values += sorted(data.draw(st.lists(st.floats(lower, lower + width), min_size=2, max_size=8)))
    codes = code(column, *sorted(values))
    assert codes == sorted(codes)
    assert 0 <= codes[0] <= codes[-1] <= column.steps
    assert code(column, lower, lower + width) == [0, column.steps]


def test_the_grids_that_doubles_cannot_hold_are_refused() -> None:
    schema = Schema(
        {
            "a": Bounded(0, 2**32, step=1),
            "b": Bounded(10**12, 10**12 + 1, step=0.001),
            "c": Bounded(0, 1e-300, step=1e-300),
            "d": Bounded(0, 1.7e308),
            "e": Bounded(0, 2**31, step=1),
            "f": ["x"],
        }
    )
    with pytest.raises(InvalidInput, match=r"column 'a': 4294967296 steps .* more than 2\*\*31; declare a larger step"):
        schema.numeric("a")
    with pytest.raises(InvalidInput, match=r"column 'b': .* more than 2\*\*45 steps from zero"):
        schema.numeric("b")
    for name in "cd":
        with pytest.raises(InvalidInput, match=f"column '{name}': its step is out of range"):
            schema.numeric(name)
    assert schema.numeric("e").steps == 2**31
    assert code(schema.numeric("e"), 2.0**31, 2**30 - 0.5, 1, 0.5, 0.25) == [2**31, 2**30, 1, 1, 0]
    with pytest.raises(InvalidInput, match="column 'f' is categorical; this needs a numeric column"):
        schema.numeric("f")
    with pytest.raises(InvalidInput, match=r"unknown column 'aa'.*did you mean 'a'"):
        schema.numeric("aa")


class Broken(str):
    __slots__ = ()

    def strip(self, *_: Any) -> str:
        raise ZeroDivisionError

    lower = isascii = strip  # type: ignore[assignment]


class Uneasy:
    def __float__(self) -> float:
        raise ZeroDivisionError

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1.0), (2**53 + 1, 2.0**53), (2**53 + 3, 2.0**53 + 4), (10**400, INF), (-(10**400), -INF), (True, 1.0),
        (np.False_, 0.0),
        (np.int8(-3), -3.0), (np.uint64(2**64 - 1), 2.0**64), (np.float32(0.1), 0.10000000149011612), (np.float16(0.5), 0.5),
        (decimal.Decimal("0.1"), 0.1), (decimal.Decimal("1e999999"), INF), (decimal.Decimal("-Infinity"), -INF),
        (Fraction(1, 3), 1 / 3), (Broken("2"), 2.0), ("1e400", INF), ("+.5E1", 5.0), ("\t5.\r\n", 5.0),
        ("iNf", INF), ("-infinity", -INF),
        ("0." + "1" * 5000, 0.1111111111111111), ("9" * 400, INF), ("FALSE", 0.0), ("True", 1.0),
    ],
)  # fmt: skip
def test_numbers(value: Any, expected: float) -> None:
    assert number(value) == expected
    assert type(number(value)) is float


@pytest.mark.parametrize(
    "value",
    [
        None, NAN, "", " ", "1_000", "0x10", "1,5", "\u0661", "\uff11", "1 2", "1e", "e1", ".",
        "+-1", "nan", " true", "tru\u00e9", "1\x00",
        "1\x1f", "\u00a01", "inf inity", b"1", 1j, [1], (1,), {1: 1}, object(), Uneasy(), Ellipsis, decimal.Decimal("sNaN"),
        decimal.Decimal("NaN"), np.datetime64("2024-01-01"), np.timedelta64(1), np.array(1.0), np.array([1.0, 2.0]),
        range(3),
    ],
    ids=lambda value: re.sub(r" at 0x\w+", "", ascii(value)),
)  # fmt: skip
def test_no_numbers(value: Any) -> None:
    assert math.isnan(number(value))


def test_duckdb_reads_the_same_text_as_numbers() -> None:
    """All texts of up to four signs, and the spellings of infinity with one sign exchanged."""
    alphabet = "17.eE+-_ \tx"
    texts = ["".join(signs) for length in range(5) for signs in itertools.product(alphabet, repeat=length)]
    for word in ("inf", "Infinity", "nan", "true", "FALSE", "1e-400", "0.1"):
        texts += [
            word[:i] + sign + word[j:]
            for i in range(len(word) + 1)
            for j in (i, i + 1)
            for sign in "ie \n\x0b\x1c_+-\u00a0\u0130"
        ]
    column = Bounded(-20, 20, step=0.001)
    grid, text = Grid.of(column), f"({number_sql('t.a', 'VARCHAR')})"
    inner = f"SELECT i, {centred_sql(text, grid)} AS d FROM t"
    table = pa.table({"i": range(len(texts)), "a": texts})
    rows = (
        duckdb.connect()
        .from_arrow(table)
        .query("t", f"SELECT {clamped_sql('d', grid)} FROM ({inner}) ORDER BY i")
        .fetchall()
    )
    expected = code(column, *map(number, texts))
    wrong = [
        text for text, (found,), wanted in zip(texts, rows, expected, strict=True) if found + grid.centre != wanted
    ]
    assert wrong == []
    assert len(set(expected)) > 40
