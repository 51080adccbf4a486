"""Whatever holds numbers can be a table; what does not is refused in one clear line."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.errors import InvalidInput, NotApplicable
from discreet.inference import goodness_of_fit, homogeneity, independence
from discreet.inference.cells import read_cells
from discreet.noise import Gaussian, Laplace

COUNTS = [[30, 40], [50, 35]]
NOISE = Gaussian(2.0)
REFERENCE = independence(np.array(COUNTS, float), noise=NOISE, rng=1).pvalue


@pytest.mark.parametrize(
    "table",
    [
        COUNTS,
        tuple(map(tuple, COUNTS)),
        *(np.array(COUNTS, dtype) for dtype in ("i1", "u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8", "g", "O")),
        np.array(COUNTS, order="F"),
        np.array(COUNTS, ">i4"),
        [[Decimal(30), Decimal("40")], [Decimal(50), Decimal(35)]],
        [[Fraction(30), 40.0], [np.float32(50), np.int8(35)]],
        np.ma.array(COUNTS),
        pd.DataFrame(COUNTS),
        pd.DataFrame(COUNTS, index=["a", "b"], columns=["x", "y"]),
        pd.DataFrame(COUNTS, dtype="Int64"),
        pd.DataFrame(COUNTS, dtype="float32[pyarrow]"),
        pl.DataFrame({"x": [30, 50], "y": [40.0, 35.0]}),
        pl.DataFrame({"group": ["a", "b"], "x": [30, 50], "y": [40, 35]}),
        pa.table({"x": [30, 50], "y": [40, 35]}),
        pa.table({"group": ["a", "b"], "x": [30, 50], "y": [40, 35]}),
    ],
    ids=lambda table: f"{type(table).__module__.split('.')[0]} {getattr(table, 'dtype', '')}",
)
def test_any_table_of_numbers(table):
    assert independence(table, noise=NOISE, rng=1).pvalue == pytest.approx(REFERENCE, rel=1e-6)


def test_a_frame_brings_its_labels():
    people = pd.DataFrame({"smoking": ["no", "yes", "no"], "pressure": ["low", "low", "high"]})
    crossed = pd.crosstab(people.smoking, people.pressure)
    cells = read_cells(crossed)
    assert cells.labels == (("no", "yes"), ("high", "low"))
    assert cells.names == ("smoking", "pressure")
    result = independence(100 * crossed + 7.5, noise=NOISE)
    assert result.test == "Independence of smoking and pressure"
    labelled = read_cells(pl.DataFrame({"group": ["a", "b"], "x": [30, 50], "y": [40, 35]}))
    assert labelled.labels == (("a", "b"), ("x", "y"))
    assert labelled.names == ("group", "column")
    with pytest.raises(NotApplicable, match="noisy total of g 'b' is -15"):
        independence(pl.DataFrame({"g": ["a", "b"], "x": [300, -50], "y": [40, 35]}), noise=NOISE)


def test_a_series_is_a_table_with_one_axis():
    for series in (pd.Series([52, 39, 61]), pl.Series([52, 39, 61]), [52, 39, 61]):
        assert goodness_of_fit(series, [1 / 3] * 3, noise=NOISE, n=152).n == 152


def test_the_callers_table_is_not_touched():
    table = np.array(COUNTS, float)
    independence(table, noise=NOISE)
    assert (table == COUNTS).all()
    table.flags.writeable = False
    independence(table, noise=NOISE)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([["30", "40"], ["50", "35"]], "not of text"),
        ("a table", "not of text"),
        (np.array([[b"3", b"4"], [b"5", b"6"]]), "not of bytes"),
        ([[30, "40"], [50, 35]], "not of text"),
        (np.array([[1j, 2], [3, 4]]), "not of complex numbers"),
        (np.array([["2020-01-01"] * 2] * 2, "M8[D]"), "not of dates"),
        ([[30, 40], [50]], "array of numbers"),
        ([[10**400, 40], [50, 35]], "array of numbers"),
        ({"x": [1, 2]}, "array of numbers"),
        (object(), "array of numbers"),
        ([], "finite numbers; this one has shape"),
        (np.empty((0, 2)), "finite numbers; this one has shape"),
        (np.empty((2, 0)), "finite numbers; this one has shape"),
        (7, "one or two axes"),
        (np.ones((2, 2, 2)), "one or two axes"),
        ([[30, None], [50, 35]], "finite"),
        ([[30, np.nan], [50, 35]], "finite"),
        ([[30, np.inf], [50, 35]], "finite"),
        (np.ma.array(COUNTS, mask=[[0, 1], [0, 0]]), "finite"),
        (pd.DataFrame(), "at least one row"),
        (pl.DataFrame({"x": [1, None], "y": [3, 4]}), "finite"),
        (pd.DataFrame([[1, pd.NA], [3, 4]], dtype="Int64"), "finite|numbers"),
        (pd.DataFrame({"group": ["a", "b"], "x": [30, 50], "y": [40, 35]}), "not of text"),
        ([[30, 40]], "two rows and two columns"),
        ([[30], [40]], "two rows and two columns"),
        ([30, 40], "two rows and two columns"),
    ],
)
def test_what_is_no_table(table, words):
    with pytest.raises(InvalidInput, match=words) as refused:
        independence(table, noise=NOISE)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "table", [[[0, 0], [0, 0]], [[0, 0], [30, 40]], [[0, 30], [0, 40]], [[-5, 5], [30, 40]], [[-90, 20], [30, 40]]]
)
def test_margins_that_are_not_above_zero(table):
    with pytest.raises(NotApplicable, match="not above 0"):
        independence(table, noise=NOISE)


@pytest.mark.parametrize("noise", ["laplace", 4.0, Laplace, None, {"scale": 4}, [Laplace(4)]])
def test_what_is_no_law_of_noise(noise):
    with pytest.raises(InvalidInput, match=r"noise=.*Laplace\(4\)"):
        independence(COUNTS, noise=noise)


@pytest.mark.parametrize("n", [0, -1, np.nan, np.inf, "155", True, [155]])
def test_what_is_no_number_of_records(n):
    with pytest.raises(InvalidInput, match="n must be a positive number"):
        independence(COUNTS, noise=NOISE, n=n)


def test_an_n_smaller_than_plausible():
    for test in (
        lambda n: independence([[300.0, 400.0], [500.0, 350.0]], noise=NOISE, n=n),
        lambda n: goodness_of_fit([700.0, 850.0], [0.5, 0.5], noise=NOISE, n=n),
        lambda n: homogeneity([300.0, 400.0], [500.0, 350.0], noise=NOISE, n=(700, n - 700)),
    ):
        with pytest.raises(InvalidInput, match="too small: the noisy cells sum to"):
            test(900)
        assert test(1540).n == 1540


def test_one_cell_has_nothing_to_test():
    with pytest.raises(InvalidInput):
        goodness_of_fit([30.0], [1.0], noise=NOISE)
