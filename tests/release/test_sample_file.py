"""Sample and selection releases by themselves: validation, files, frames, words."""

import copy
import json
import pickle

import numpy as np
import pytest

from discreet import Bounded, PureDP, Schema, load
from discreet.errors import FormatError, InvalidInput
from discreet.privacy import Cost
from discreet.release import SampleRelease, SelectionRelease
from discreet.release.io import dumps, loads

SCHEMA = Schema({"age": Bounded(0.5, 120.5, step=0.1)})


def sample(**change):
    parts = {
        "schema": SCHEMA,
        "column_name": "age",
        "codes": (1200, 0, 3, 3),
        "mechanism": "SmoothedHistogram",
        "parameters": {"cells": 4, "delta": 0.1 + 0.2},
        "guarantee": PureDP(0.5),
        "cost": Cost("epsilon", 0.5),
        "n": 1841,
    }
    return SampleRelease(**(parts | change))


def selected(**change):
    parts = {
        "schema": Schema({"party": ["red", "gr\u00fcn"]}),
        "column_names": ["party"],
        "candidates": ["red", "gr\u00fcn"],
        "chosen": 1,
        "spread": 2,
        "guarantee": PureDP(0.5),
        "n": 90,
    }
    return SelectionRelease(**(parts | change))


def test_points_are_decimals_of_the_grid_in_order():
    assert sample().codes == (0, 3, 3, 1200)
    assert sample().points.tolist() == [0.5, 0.8, 0.8, 120.5]
    assert sample().cdf([0.4, 0.8, 121]).tolist() == [0, 0.75, 1]
    with pytest.raises(ValueError, match="read-only"):
        sample().points[0] = 1


@pytest.mark.parametrize("release", [sample(), sample(guarantee=None, cost=None), selected()], ids=str)
def test_round_trips(release, tmp_path):
    release.save(tmp_path / "release.json")
    assert load(tmp_path / "release.json") == release == loads(dumps(release))
    assert pickle.loads(pickle.dumps(release)) == copy.deepcopy(release) == release
    assert json.loads((tmp_path / "release.json").read_text("utf-8"))["guaranteed"].endswith(".")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codes": ()}, "from 1 to 1,000,000 points"),
        ({"codes": (1201,)}, r"lie in 0 \.\.\. 1200"),
        ({"codes": (-1,)}, r"lie in 0 \.\.\. 1200"),
        ({"codes": (0.5,)}, "a code must be an integer"),
        ({"n": None}, "n must be public"),
        ({"n": 0}, "at least 1"),
        ({"mechanism": "Laplace"}, "unknown mechanism 'Laplace'"),
        ({"parameters": {"cells": 4}}, r"has the parameters \['cells', 'delta'\]"),
        ({"parameters": {"cells": 4, "delta": float("nan")}}, "delta must be a number above 0"),
        ({"column_name": "sex"}, "unknown column"),
    ],
)
def test_parts_that_do_not_fit(change, message):
    with pytest.raises(InvalidInput, match=message):
        sample(**change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chosen": 2}, "a place among 2 candidates"),
        ({"chosen": True}, "must be an integer"),
        ({"candidates": ["a", "a"]}, "all different"),
        ({"spread": 0}, "at least 1"),
        ({"column_names": ["x"]}, "unknown column"),
    ],
)
def test_selections_that_do_not_fit(change, message):
    with pytest.raises(InvalidInput, match=message):
        selected(**change)


@pytest.mark.parametrize("release", [sample(), selected()], ids=["sample", "selection"])
def test_damaged_files(release):
    document = json.loads(dumps(release))
    allowed = {"guarantee": None, "cost": None, "guaranteed": "x", "reading": "x", "versions": {}}
    for part in document:
        for wrong in (None, True, "x", [1.5], {}, -1):
            if wrong == allowed.get(part, ...) or ((part, wrong) == ("n", None) and "codes" not in document):
                continue
            with pytest.raises(FormatError):
                loads(json.dumps(document | {part: wrong}))
        with pytest.raises(FormatError):
            loads(json.dumps({key: value for key, value in document.items() if key != part}))
    with pytest.raises(FormatError, match="unknown part"):
        loads(json.dumps(document | {"more": 1}))


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_frames(backend):
    frame = sample().to_frame(backend)
    assert np.asarray(frame["age"]).tolist() == [0.5, 0.8, 0.8, 120.5]
    assert np.asarray(selected().to_frame(backend)["chosen"]).tolist() == [False, True]


def test_whole_numbers_stay_whole_in_a_frame():
    release = sample(schema=Schema({"age": Bounded(0, 120, step=1)}), codes=[7], parameters={"cells": 1, "delta": 0.5})
    assert release.to_frame("polars")["age"].to_list() == [7]
    assert str(release.to_frame("polars")["age"].dtype) == "Int64"


def test_words():
    assert repr(sample()).splitlines() == [
        "sample of age: 4 points",
        "drawn from a histogram of 4 cells, mixed with 0.3 of the uniform distribution; n = 1841; PureDP(epsilon=0.5)",
        "",
        "0.5  0.8  0.8  120.5",
    ]
    assert "  50 %  60.5" in repr(sample(codes=range(1201)))
    assert repr(selected()) == "selected: gr\u00fcn\none of 2 candidates by party; n = 90; PureDP(epsilon=0.5)"
