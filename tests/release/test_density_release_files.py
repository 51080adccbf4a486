"""Histogram, series and distribution function releases as values: files, frames, text, HTML, intervals, refusals."""

import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from discreet import Bounded, GaussianDP, PureDP, Schema, load
from discreet.errors import FormatError, InvalidInput
from discreet.privacy import Cost
from discreet.release import CdfRelease, HistogramRelease, SeriesRelease
from discreet.release.grid import edges, first_codes, values_of
from discreet.release.io import dumps, loads

SCHEMA = Schema({"age": Bounded(0, 120, step=1)})
TWO = Schema({"age": Bounded(0, 120, step=1), "height (m)": Bounded(1, 2.5)})
COMMON = {"exponent": 3, "n": 100, "guarantee": PureDP(1), "cost": Cost("epsilon", 1.0)}
HISTOGRAM = HistogramRelease(
    schema=SCHEMA, column_names=["age"], bins=[4], drawn=[90, -3, 561, 180], mechanism="Laplace", scale=2.0, **COMMON
)
PROJECTED = replace(HISTOGRAM, mechanism="ProjectedGaussian", guarantee=GaussianDP(0.5))
BOXES = HistogramRelease(
    schema=TWO, column_names=TWO.columns, bins=(2, 3), drawn=range(6), mechanism="Gaussian", scale=2.0, **COMMON
)
SERIES = SeriesRelease(
    schema=SCHEMA, column_name="age", drawn=[2**27, -(2**29), 5], mechanism="Laplace", scale=2.0**23, **COMMON
)
CDF = CdfRelease(
    schema=SCHEMA, column_name="age", drawn=[2**26, 2**28, 2**28], mechanism="Gaussian", scale=2.0**22, **COMMON
)
ALL = [HISTOGRAM, PROJECTED, BOXES, SERIES, CDF]
NAMES = ["histogram", "projected", "boxes", "series", "cdf"]


@pytest.mark.parametrize("release", ALL, ids=NAMES)
def test_a_file_gives_the_release_back(release, tmp_path):
    release.save(tmp_path / "release.json")
    back = load(tmp_path / "release.json")
    assert back == release
    assert np.array_equal(back.values, release.values)
    assert pickle.loads(pickle.dumps(release)) == release
    with pytest.raises(ValueError, match="read-only"):
        release.values[0] = 1


@pytest.mark.parametrize("release", ALL, ids=NAMES)
def test_a_damaged_file_is_refused(release):
    document = json.loads(dumps(release))
    for key in document:
        with pytest.raises(FormatError):
            loads(json.dumps({k: v for k, v in document.items() if k != key}))
        if key not in ("guarantee", "cost"):  # which may be null
            with pytest.raises(FormatError):
                loads(json.dumps(document | {key: None}) if key != "n" else json.dumps(document | {"n": 1.5}))
    for key, wrong in (
        ("drawn", []),
        ("drawn", ["1"] * 7),
        ("points", 7),
        ("terms", 7),
        ("exponent", -1),
        ("n", -1),
        ("surplus", 1),
    ):
        with pytest.raises(FormatError):
            loads(json.dumps(document | {key: wrong}))
    with pytest.raises(FormatError):
        loads(json.dumps(document | {"noise": {"mechanism": "Cauchy", "scale": 1.0}}))


def test_a_histogram_is_read_off_its_integers():
    assert HISTOGRAM.counts.tolist() == [11.25, -0.375, 70.125, 22.5]
    assert PROJECTED.counts == pytest.approx(HISTOGRAM.counts + (100 - 103.5) / 4)
    assert PROJECTED.counts.sum() == 100
    assert [axis.tolist() for axis in BOXES.edges] == [[0, 60, 120], [1, 1.5, 2, 2.5]]
    assert BOXES.counts.shape == BOXES.noise.shape == (2, 3)


def test_a_series_is_read_off_its_integers():
    assert SERIES.coefficients == pytest.approx([0.16, -0.64, 5 / (8 * 100 * 2**20)], rel=1e-15)
    x = np.array([0.0, 30.0, 120.0])
    waves = np.cos(np.pi * np.outer(x / 120, [1, 2, 3])) @ SERIES.coefficients
    assert SERIES.raw(x) == pytest.approx(1 + math.sqrt(2) * waves)
    assert SERIES.sd == pytest.approx(math.sqrt(2) * 8 / 100)


def test_a_distribution_function_is_read_off_its_integers():
    c = np.array([[1, 0, 0], [0.5, 1, 0], [0.375, 0.5, 1]])
    cells = np.linalg.solve(c, np.array([8.0, 32, 32]))
    assert CDF.cumulative == pytest.approx(np.cumsum(cells), rel=1e-6)
    w = np.tril(np.ones((3, 3))) @ np.linalg.inv(c)
    assert CDF.noise.covariance == pytest.approx(16 * w @ w.T, rel=1e-6)


def test_intervals_are_those_of_the_declared_law():
    half = stats.laplace(scale=2).ppf(0.95)
    assert HISTOGRAM.interval(0.9)[1] - HISTOGRAM.counts == pytest.approx(np.full(4, half))
    half = stats.laplace(scale=2.0**23 / (100 * 2**20)).ppf(0.95)
    assert SERIES.coefficients - SERIES.interval(0.9)[0] == pytest.approx(np.full(3, half), abs=1e-6)
    assert (SERIES.half_width(0.9) - half) * 2**21 == pytest.approx(1, rel=1e-6)  # the rounding of the basis
    half = stats.norm(scale=CDF.noise.cell_sds).ppf(0.95)
    assert CDF.interval(0.9)[1] - CDF.cumulative == pytest.approx(half)


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("release", ALL, ids=NAMES)
def test_frames_have_a_row_for_each_number(release, backend):
    frame = release.to_frame(backend, level=0.9)
    columns = list(frame.column_names if backend == "pyarrow" else frame.columns)
    lengths = {"histogram": 4, "projected": 4, "boxes": 6, "series": 3, "cdf": 3}
    assert len(frame) == lengths[NAMES[ALL.index(release)]]
    assert columns[-2:] == ["low", "high"]
    value = np.asarray(frame["coefficient" if release is SERIES else "count"]).astype(float)
    assert np.array_equal(value, release.values.ravel())


@pytest.mark.parametrize("release", ALL, ids=NAMES)
def test_text_and_html_say_what_it_is(release):
    for text in (repr(release), release._repr_html_()):
        assert "age" in text
        assert "n = 100" in text
        assert str(release.guarantee) in text
        assert "noise, sd" in text
    hostile = Schema({"<b>x": Bounded(0, 120, step=1), "height (m)": Bounded(1, 2.5)})
    names = {"column_names": tuple(hostile.columns)[: len(release.bins)]} if hasattr(release, "bins") else {}
    changed = replace(release, schema=hostile, **(names or {"column_name": "<b>x"}))
    assert "<b>x" not in changed._repr_html_()
    assert "<b>x" in repr(changed)


def test_long_releases_are_cut():
    many = replace(HISTOGRAM, bins=(60,), drawn=range(60))
    assert "... 50 more cells" in repr(many)
    assert "... 20 more" in many._repr_html_()
    assert "... 50 more coefficients" in repr(replace(SERIES, drawn=range(60)))
    assert "(10 of 60 edges)" in repr(replace(CDF, drawn=range(60)))


@pytest.mark.parametrize(
    ("release", "changes", "words"),
    [
        (HISTOGRAM, {"bins": (5,)}, "4 drawn numbers"),
        (HISTOGRAM, {"bins": (0,), "drawn": ()}, "0 cells"),
        (HISTOGRAM, {"bins": (121,), "drawn": range(121)}, "from 1 to 120"),
        (HISTOGRAM, {"column_names": ("age", "age")}, "different columns"),
        (HISTOGRAM, {"mechanism": "Cauchy"}, "of a histogram: one of"),
        (HISTOGRAM, {"scale": -1.0}, "above 0"),
        (HISTOGRAM, {"exponent": 1075}, "exponent"),
        (HISTOGRAM, {"drawn": (2**1100, 0, 0, 0)}, "too large"),
        (SERIES, {"n": None}, "at least 1"),
        (SERIES, {"n": 0}, "at least 1"),
        (SERIES, {"drawn": ()}, "terms"),
        (SERIES, {"mechanism": "ProjectedGaussian"}, "of a series: one of"),
        (CDF, {"n": None}, "at least 1"),
        (CDF, {"drawn": ()}, "2 to 8192"),
        (CDF, {"drawn": range(120)}, "grid steps"),
        (CDF, {"mechanism": "Laplace"}, "one of Gaussian"),
        (CDF, {"schema": Schema({"age": Bounded(0, 120, step=1)}, adjacency="add-remove")}, "not public"),
    ],
)
def test_parts_that_do_not_fit_are_refused(release, changes, words):
    with pytest.raises(InvalidInput) as refusal:
        replace(release, **changes)
    assert words in str(refusal.value)


@pytest.mark.parametrize(("steps", "cells"), [(10, 3), (120, 120), (7, 1), (50, 7), (2**16, 1000)])
def test_the_codes_of_a_cell_are_those_that_fall_into_it(steps, cells):
    codes = np.arange(steps + 1)
    first = first_codes(Bounded(0, steps, step=1), cells)
    expected = [np.flatnonzero(np.minimum(cells - 1, codes * cells // steps) == i)[0] for i in range(cells)]
    assert first.tolist() == [*expected, steps + 1]


def test_grid_values_and_edges_are_rounded_once():
    assert values_of(Bounded(0, 1, step=0.1), range(11)).tolist() == [round(0.1 * j, 1) for j in range(11)]
    assert values_of(Bounded(-3, 7, step=2), range(6)).tolist() == [-3, -1, 1, 3, 5, 7]
    assert values_of(Bounded(-3, 7, step=2), range(6)).dtype == np.int64
    assert values_of(Bounded(0, 1e-300), [0, 2**15, 2**16]).tolist() == [0.0, 5e-301, 1e-300]
    assert edges(Bounded(0.1, 0.7, step=0.1), 6).tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
