"""Tables published elsewhere: the numbers are kept bit by bit, and what does not fit is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.noise import Gaussian, Laplace, ProjectedGaussian
from discreet.privacy.guarantee import PureDP
from discreet.release import TableRelease

COLUMNS = {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}
VALUES = [[230.5, 271.25], [268, 236.75]]


def test_the_table_of_the_examples():
    table = TableRelease.from_counts(VALUES, COLUMNS, noise=Laplace(4.0), n=1000, guarantee=PureDP(0.5))
    assert table.counts.tolist() == VALUES
    assert (table.drawn, table.exponent) == ((922, 1085, 1072, 947), 2)
    assert table.noise == Laplace(4.0).on((2, 2))
    assert (table.n, table.total_is_public, table.guarantee, table.cost) == (1000, True, PureDP(0.5), None)
    assert table.column_names == ("smoking", "systolic")
    assert table.schema.complete


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e100, 1e100) | st.integers(-(2**62), 2**62), min_size=1, max_size=6),
    st.none() | st.floats(-1e6, 1e6),
)
def test_numbers_are_kept_bit_by_bit(values, other):
    table = TableRelease.from_counts(
        values, {"a": [f"c{i}" for i in range(len(values))]}, noise=Gaussian(1.5), other=other
    )
    assert table.counts.tobytes() == (np.asarray(values, float) + 0.0).tobytes()
    assert table.other == other
    assert table.noise == Gaussian(1.5).on((len(values),), other=other is not None)


def test_large_integers_are_exact():
    table = TableRelease.from_counts(np.array([2**60 + 1, -1]), {"a": ["x", "y"]}, noise=Laplace(1.0))
    assert table.drawn == (2**60 + 1, -1)
    assert table.declared_total == 2.0**60


def test_a_projected_table_is_projected_again():
    rounded = [[230.3, 271.1], [268.3, 231.4]]  # adds up to 1001.1
    table = TableRelease.from_counts(rounded, COLUMNS, noise=ProjectedGaussian(4.0), n=1001)
    assert np.allclose(table.counts, np.array(rounded) - 0.025, atol=1e-12, rtol=0)
    assert table.declared_total == 1001.0
    as_published = TableRelease.from_counts(rounded, COLUMNS, noise=ProjectedGaussian(4.0))
    assert as_published.counts.tolist() == rounded
    with pytest.raises(InvalidInput, match=r"adds up to n = 1100, these numbers to 1001.1; give .* other="):
        TableRelease.from_counts(rounded, COLUMNS, noise=ProjectedGaussian(4.0), n=1100)
    strays = TableRelease.from_counts(rounded, COLUMNS, noise=ProjectedGaussian(4.0), n=1100, other=98.9)
    assert strays.declared_total + strays.other == pytest.approx(1100, abs=1e-9)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0, 3.0, 4.0], r"values of shape \(4,\) do not fit the categories, which need shape \(2, 2\)"),
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "shape"),
        ([[1.0, 2.0], [3.0]], "rectangular"),
        ([[1.0, 2.0], [3.0, math.nan]], "finite, not nan"),
        ([[1.0, 2.0], [3.0, math.inf]], "finite, not inf"),
        ([[1.0, 2.0], [3.0, 1e308]], "too large"),
        ([["1", "2"], ["3", "4"]], "numbers, not of type"),
        ([[True, False], [True, False]], "numbers, not of type bool"),
        ([[1.0, 2.0], [3.0, None]], "numbers, not of type object"),
    ],
)
def test_values_that_are_no_table_of_numbers(values, message):
    with pytest.raises(InvalidInput, match=message):
        TableRelease.from_counts(values, COLUMNS, noise=Laplace(1.0))


@pytest.mark.parametrize("noise", [4.0, "Laplace", Laplace, Laplace(1.0).on((2, 2)), None])
def test_the_noise_is_a_law(noise):
    with pytest.raises(InvalidInput, match="noise= must be the law of one cell"):
        TableRelease.from_counts(VALUES, COLUMNS, noise=noise)


@pytest.mark.parametrize(
    "change", [{"n": 1000.5}, {"n": -1}, {"n": True}, {"other": math.nan}, {"other": "3"}, {"other": True}]
)
def test_other_arguments_are_checked(change):
    with pytest.raises(InvalidInput):
        TableRelease.from_counts(VALUES, COLUMNS, noise=Laplace(1.0), **change)
