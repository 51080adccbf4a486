"""A release as a data frame, in every backend."""

import sys

import narwhals.stable.v2 as nw
import pytest

from discreet.errors import InvalidInput, MissingExtra
from discreet.noise import Gaussian, Laplace
from discreet.release import TableRelease

BACKENDS = ["polars", "pandas", "pyarrow"]


def table(other=1.5, columns=None):
    columns = columns or {"sex": ["f", "m"], "age": [10, 20, 30]}
    return TableRelease.from_counts([[1.5, 2, 3], [4, 5, -6.25]], columns, noise=Laplace(2.0), other=other)


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_row_a_cell_and_other_last(backend):
    release = table()
    native = release.to_frame(backend)
    assert type(native).__module__.split(".")[0] in backend
    frame = nw.from_native(native)
    assert frame.columns == ["sex", "age", "count", "low", "high"]
    assert frame["sex"].to_list()[:6] == ["f", "f", "f", "m", "m", "m"]
    assert frame["age"].to_list()[:6] == ["10", "20", "30"] * 2
    assert frame["sex"].is_null().to_list() == frame["age"].is_null().to_list() == [False] * 6 + [True]
    assert frame["count"].to_list() == [1.5, 2, 3, 4, 5, -6.25, 1.5]
    low, high = release.interval(0.95)
    assert frame["low"].to_list()[:6] == low.ravel().tolist()
    assert frame["high"].to_list()[:6] == high.ravel().tolist()
    assert (frame["low"][6], frame["high"][6]) == release.other_interval(0.95)


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_other_row_where_the_schema_is_complete(backend):
    frame = nw.from_native(table(other=None).to_frame(backend, level=0.5))
    assert len(frame) == 6
    assert not frame["sex"].is_null().any()
    assert frame["high"][0] == pytest.approx(1.5 + table().half_width(0.5))


def test_a_variable_named_like_a_number():
    frame = table(columns={"count": ["f", "m"], "low": ["a", "b", "c"]}).to_frame("polars")
    assert frame.columns == ["count", "low", "noisy_count", "noisy_low", "noisy_high"]


def test_an_unknown_backend():
    with pytest.raises(InvalidInput, match="unknown backend 'polar': one of polars, pandas, pyarrow"):
        table().to_frame("polar")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_backend_that_is_not_installed(backend, monkeypatch):
    monkeypatch.setitem(sys.modules, backend, None)
    with pytest.raises(MissingExtra, match=f"a {backend} frame needs {backend}: pip install"):
        TableRelease.from_counts([1.0, 2.0], {"a": ["x", "y"]}, noise=Gaussian(1.0)).to_frame(backend)
