"""Released means: exact numbers in the columns' own units, from the drawn integers alone."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.errors import InvalidInput
from discreet.privacy.guarantee import GaussianDP, PureDP
from discreet.release import MeanRelease
from discreet.schema import Bounded, Schema

COLUMNS = {"height": Bounded(100, 220, step=0.1), "weight": Bounded(-20, 200)}
FIXED = {"sex": ["f", "m"]}


def means(**change):
    parts = {
        "schema": Schema(COLUMNS | FIXED, fixed="sex"),
        "column_names": ("weight", "height"),
        "drawn": (2**24, 70_000, 2**25, 68_000, 12, -5),
        "exponents": (3, 0),
        "mechanism": "Laplace",
        "scales": (2.0**17, 2400.0),
        "n": 201,
        "guarantee": PureDP(1),
        "group_sizes": (100, 96, 5),
    }
    return MeanRelease(**(parts | change))


def ungrouped(**change):
    parts = {"schema": Schema(COLUMNS), "drawn": (2**24, 70_000), "n": 100, "group_sizes": None}
    return means(**(parts | change))


def test_means_are_the_drawn_sums_in_the_columns_units():
    release = means()
    assert release.labels == ("f", "m")
    assert release.shape == (2, 2)
    width = Fraction(220, 2**16)
    expected = [
        [-20 + width * Fraction(2**24, 8 * 100), 100 + Fraction(1, 10) * Fraction(70_000, 100)],
        [-20 + width * Fraction(2**25, 8 * 96), 100 + Fraction(1, 10) * Fraction(68_000, 96)],
    ]
    assert release.values.tolist() == [[float(x) for x in row] for row in expected]
    assert release.undeclared.tolist() == [float(-20 + width * Fraction(12, 40)), float(100 - Fraction(1, 10))]
    assert ungrouped().values.shape == (2,)
    assert ungrouped().undeclared is None


@settings(deadline=None, max_examples=100)
@given(
    lower=st.decimals(-1000, 1000, places=2),
    steps=st.integers(1, 10**6),
    step=st.sampled_from([0.1, 0.25, 1, 3]),
    drawn=st.integers(-(2**70), 2**70),
    exponent=st.integers(0, 60),
    n=st.integers(1, 10**9),
)
def test_every_mean_is_rounded_once(lower, steps, step, drawn, exponent, n):
    upper = float(Fraction(lower) + steps * Fraction(str(step)))
    column = Bounded(float(lower), upper, step=step)
    release = MeanRelease(Schema({"x": column}), ("x",), (drawn,), (exponent,), "Gaussian", (5.0,), n)
    exact = Fraction(lower) + Fraction(str(step)) * Fraction(drawn) / (Fraction(2) ** exponent * n)
    assert release.values[0] == float(exact)


def test_the_law_of_the_noise_is_in_the_columns_units():
    release = means()
    scale = np.array([[2.0**17 * 220 / 2**16 / n, 2400 * 0.1 / n] for n in (100, 96)])
    np.testing.assert_allclose(release.noise.scale, scale, rtol=1e-14)
    low, high = release.interval(0.9)
    np.testing.assert_allclose(high - release.values, stats.laplace(scale=scale).ppf(0.95), rtol=1e-12)
    np.testing.assert_allclose(release.values - low, release.half_width(0.9), rtol=1e-12)
    normal = means(mechanism="Gaussian", guarantee=GaussianDP(1))
    np.testing.assert_allclose(normal.sd, scale, rtol=1e-14)


def test_an_empty_group_of_undeclared_labels_has_no_mean():
    assert means(n=196, group_sizes=(100, 96, 0)).undeclared is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"column_names": ("height",)}, "no others"),
        ({"column_names": ("height", "height")}, "named once"),
        ({"column_names": ()}, "at least one numeric column"),
        ({"column_names": ("height", "sex")}, "categorical; this needs a numeric column"),
        ({"column_names": ("height", "waist")}, "unknown column 'waist'"),
        ({"drawn": (1, 2, 3)}, "3 drawn numbers"),
        ({"drawn": (1, 2, 3, 4, 5, 6.5)}, "must be an integer"),
        ({"drawn": (1, 2, 3, 4, 5, 2**1100)}, "too large"),
        ({"exponents": (3,)}, "1 grid exponents and 2 scales"),
        ({"exponents": (3, -1)}, "exponent must lie in"),
        ({"scales": (1.0, 0.0)}, "above 0"),
        ({"scales": (1.0,)}, "2 grid exponents and 1 scales"),
        ({"mechanism": "ProjectedGaussian"}, "one of Laplace, Gaussian"),
        ({"n": 200}, "add up to n"),
        ({"n": 201.5}, "n must be an integer"),
        ({"group_sizes": None}, "3 groups of 'sex'"),
        ({"group_sizes": (100, 101)}, "3 groups of 'sex'"),
        ({"group_sizes": (196, 0, 5)}, "the group 'm' of 'sex' has 0 records; a group needs at least 1"),
        ({"group_sizes": (206, -5, 0)}, "0 or more"),
        ({"schema": Schema(COLUMNS), "drawn": (1, 2)}, "fixed column; this one has none"),
        ({"schema": Schema(COLUMNS, adjacency="add-remove"), "drawn": (1, 2), "group_sizes": None}, "not public"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, message):
    with pytest.raises(InvalidInput, match=message) as refused:
        means(**change)
    assert "\n" not in str(refused.value)


def test_no_records_have_no_mean():
    with pytest.raises(InvalidInput, match="0 records; a group needs at least 1"):
        ungrouped(n=0)


def test_a_mean_beyond_the_range_of_floats_is_refused():
    with pytest.raises(InvalidInput, match="too large for a floating-point number"):
        MeanRelease(Schema({"x": Bounded(0, 1e100)}), ("x",), (2**900,), (0,), "Laplace", (1.0,), 1)
    for column in (Bounded(0, 1e101), Bounded(-1e101, 0), Bounded(0, 1e-98)):
        with pytest.raises(InvalidInput, match="change the unit"):
            MeanRelease(Schema({"x": column}), ("x",), (1,), (0,), "Laplace", (1.0,), 1)


def test_a_release_is_a_value():
    release = means()
    assert release == means()
    assert hash(release) == hash(means())
    assert release != means(n=202, group_sizes=(100, 97, 5))
    assert pickle.loads(pickle.dumps(release)) == release
    assert copy.deepcopy(release) == release
    with pytest.raises(ValueError, match="read-only"):
        release.values[0, 0] = 1.0


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_a_frame_has_a_row_for_each_mean(backend):
    pytest.importorskip(backend)
    release = means()
    frame = release.to_frame(backend, level=0.9)
    rows = (
        frame.to_pylist()
        if backend == "pyarrow"
        else frame.to_dict("records")
        if backend == "pandas"
        else frame.to_dicts()
    )
    low, high = release.interval(0.9)
    assert [row["group"] for row in rows] == ["f", "f", "m", "m"]
    assert [row["column"] for row in rows] == ["weight", "height"] * 2
    assert [row["n"] for row in rows] == [100, 100, 96, 96]
    assert [(row["mean"], row["low"], row["high"], row["noise_sd"]) for row in rows] == list(
        zip(release.values.ravel(), low.ravel(), high.ravel(), release.sd.ravel(), strict=True)
    )
    assert "group" not in [*ungrouped().to_frame("polars").columns]


def test_the_text_says_what_it_is():
    text = repr(means())
    assert text.splitlines()[0] == "weight, height by sex: noisy means, each with its 95% interval"
    assert text.splitlines()[1] == "Laplace noise; n = 201: f 100, m 96; PureDP(epsilon=1.0)"
    assert "weight  50.4 ± 13.2  126.7 ± 13.7" in text
    many = Schema({f"c{i}": Bounded(0, 1) for i in range(40)})
    long = MeanRelease(many, tuple(many), (1,) * 40, (0,) * 40, "Laplace", (1.0,) * 40, 9)
    assert "... 30 more columns" in repr(long)
    assert "c0, c1, c2, 37 more: noisy means" in repr(long)
