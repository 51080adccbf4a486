"""Release files: they reload bit by bit, and a damaged, foreign or hostile file gets a clear error."""

import json
import math
import os
import stat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import FormatError, InvalidInput
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import PureDP
from discreet.release import TableRelease, load
from discreet.release import io as release_io
from discreet.schema import Schema

MECHANISMS = ["Laplace", "Gaussian", "ProjectedGaussian"]


def czech(**change):
    parts = {
        "schema": Schema({"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}),
        "column_names": ("systolic", "smoking"),
        "drawn": (922, -1085, 2**80, 0, 7),
        "exponent": 20,
        "mechanism": "ProjectedGaussian",
        "scale": 0.1 + 0.2,
        "guarantee": PureDP(0.5),
        "cost": Cost("epsilon", 0.5),
        "n": 1841,
        "versions": {"discreet": "0.1.0", "opendp": "0.16.0"},
    }
    return TableRelease(**(parts | change))


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "table.json"
    czech().save(path)
    return path


def reloaded(release, path):
    release.save(path)
    return load(path)


@settings(deadline=None, max_examples=60)
@given(
    drawn=st.lists(st.integers(-(2**900), 2**900), min_size=4, max_size=4),
    exponent=st.integers(0, 1074),
    mechanism=st.sampled_from(MECHANISMS),
    scale=st.floats(5e-324, 1e300, allow_nan=False),
    n=st.none() | st.integers(0, 2**63 - 1),
    labels=st.lists(st.text('aé\n"\\<\u2028語\U0001f600', min_size=1), min_size=3, max_size=3, unique=True),
)
def test_round_trip(tmp_path_factory, drawn, exponent, mechanism, scale, n, labels):
    path = tmp_path_factory.mktemp("release") / "any.json"
    release = TableRelease(Schema({"a": labels}), ("a",), drawn, exponent, mechanism, scale, n=n)
    again = reloaded(release, path)
    assert again == release
    assert again.counts.tobytes() == release.counts.tobytes()
    assert again.scale.hex() == release.scale.hex()


@pytest.mark.parametrize("guarantee", [PureDP(0.1), None])
def test_everything_that_a_release_says_comes_back(tmp_path, guarantee):
    release = czech(guarantee=guarantee)
    again = reloaded(release, tmp_path / "t.json")
    assert again == release
    for name in (
        "schema",
        "column_names",
        "drawn",
        "guarantee",
        "cost",
        "n",
        "adjacency",
        "versions",
        "noise",
        "other",
    ):
        assert getattr(again, name) == getattr(release, name)
    margin = release.margin("smoking")
    assert reloaded(margin, tmp_path / "m.json") == margin
    assert load(tmp_path / "m.json").noise == release.noise.margin((1,))


def test_the_file_explains_itself(saved):
    document = json.loads(saved.read_text("utf-8"))
    assert document["format"] == "discreet release"
    assert (document["version"], document["kind"]) == (1, "table")
    assert "one record is replaced" in document["guaranteed"]
    assert "max-divergence below 1e-70 per cell" in document["guaranteed"]
    assert "drawn / 2^exponent" in document["reading"]
    assert document["drawn"][2] == str(2**80)
    laplace = czech(mechanism="Laplace", guarantee=None)
    laplace.save(saved)
    assert "1e-70" not in saved.read_text("utf-8")
    assert "No privacy guarantee" in saved.read_text("utf-8")


def test_saving_replaces_all_at_once(tmp_path, monkeypatch):
    path = tmp_path / "t.json"
    czech().save(path)
    assert os.listdir(tmp_path) == ["t.json"]
    before = path.read_bytes()

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(release_io.os, "fsync", broken)
    with pytest.raises(InvalidInput, match=r"cannot write the release to .*No space left"):
        czech(n=7).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["t.json"]


def test_others_may_read_a_release_as_the_umask_says(tmp_path):
    old = os.umask(0o022)
    try:
        czech().save(tmp_path / "t.json")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "t.json").stat().st_mode) == 0o644


@pytest.mark.parametrize("name", ["missing/t.json", "."])
def test_where_no_file_can_be_written(tmp_path, name):
    with pytest.raises(InvalidInput, match="cannot write the release"):
        czech().save(tmp_path / name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_where_no_file_can_be_read(tmp_path, name):
    with pytest.raises(InvalidInput, match="no release file"):
        load(tmp_path / name)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="no release file"):
        load(tmp_path / "pipe")


def test_every_truncation_is_noticed(saved):
    whole = saved.read_bytes().rstrip()
    for length in range(0, len(whole), 7):
        saved.write_bytes(whole[:length])
        with pytest.raises(FormatError, match="not a valid release file"):
            load(saved)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"PAR1" + bytes(100), "damaged Parquet or Arrow file"),
        (b"smoking,systolic\nno,lt140\n", "not complete JSON"),
        (b"[1, 2, 3]", "no JSON object"),
        (b"null", "no JSON object"),
        (b"{}", "another program wrote it"),
        (b'{"format": "discreet release"}', "format version is None; this program reads version 1"),
        (b'{"format": "discreet release", "version": 2}', "format version is 2"),
        (b'{"format": "discreet release", "version": true}', "format version is True"),
        (b'{"format": "discreet release", "version": 1}', "unknown kind of release None; known: cdf, .*, table"),
        (b'{"format": "discreet release", "version": 1, "kind": "table"}', "the file lacks columns, cost, drawn"),
        (b'{"a": 1, "a": 2}', "'a' appears twice"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "-Infinity is not a number"),
        (b"[" * 200_000, "no JSON that a release would contain"),
        (b'{"a": ' * 100_000, "no JSON that a release would contain"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "no JSON that a release would contain"),
    ],
)
def test_other_files(tmp_path, content, message):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message) as caught:
        load(path)
    assert "other.json" in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_file_beyond_all_bounds_is_not_read(tmp_path):
    path = tmp_path / "huge.json"
    with open(path, "wb") as file:
        file.truncate(2**36)  # sparse: it takes no room
    with pytest.raises(FormatError, match="larger than"):
        load(path)


DROP = object()


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["drawn"], DROP, "lacks drawn"),
        (["drawn"], ["1", "2", "3", "4"], "4 drawn numbers for a table of 2 x 2 cells and the other cell"),
        (["drawn"], ["1"] * 6, "6 drawn numbers"),
        (["drawn"], "12345", "drawn must be a list"),
        (["drawn", 0], 12, "drawn holds 12, which is no whole number in quotes"),
        (["drawn", 0], "1.5", "no whole number"),
        (["drawn", 0], "1e3", "no whole number"),
        (["drawn", 0], " 1", "no whole number"),
        (["drawn", 0], "1_000", "no whole number"),
        (["drawn", 0], "١", "no whole number"),
        (["drawn", 0], "NaN", "no whole number"),
        (["drawn", 0], "9" * 5000, "no whole number"),
        (["drawn", 0], "9" * 999, "too large"),
        (["drawn", 0], None, "no whole number"),
        (["drawn", 0], ["1"], "no whole number"),
        (["exponent"], -1, "exponent must lie in"),
        (["exponent"], 10**9, "exponent must lie in"),
        (["exponent"], 20.0, "exponent must be an integer"),
        (["exponent"], "20", "exponent must be an integer"),
        (["exponent"], True, "exponent must be an integer"),
        (["noise"], [], "noise must be an object"),
        (["noise", "scale"], -4.0, "above 0"),
        (["noise", "scale"], 0, "above 0"),
        (["noise", "scale"], True, "noise.scale must be a number"),
        (["noise", "scale"], "4", "noise.scale must be a number"),
        (["noise", "scale"], 10**400, "finite"),
        (["noise", "mechanism"], "Cauchy", "unknown mechanism 'Cauchy'"),
        (["noise", "mechanism"], ["Laplace"], "noise.mechanism must be text"),
        (["noise", "shape"], [2], "noise has the unknown part 'shape'"),
        (["n"], -1, "number of records"),
        (["n"], 1841.0, "n must be an integer"),
        (["n"], False, "n must be an integer"),
        (["n"], 2**70, "number of records"),
        (["columns"], ["smoking", "smoking"], "different columns"),
        (["columns"], ["smoking", "age"], "age"),
        (["columns"], [], "different columns"),
        (["columns"], ["smoking", 3], "a column must be text"),
        (["columns"], None, "columns must be a list"),
        (["schema"], [], "schema must be an object"),
        (["schema"], {}, "schema"),
        (["schema", "columns"], None, "schema"),
        (["guarantee"], {"kind": "magic"}, "guarantee"),
        (["guarantee"], [1], "guarantee must be an object"),
        (["guarantee"], {}, "guarantee"),
        (["cost"], {"currency": "euro", "amount": 1, "delta": 0}, "cost.currency is unknown: 'euro'"),
        (["cost"], {"currency": "epsilon"}, "cost lacks amount, delta"),
        (["cost", "amount"], -1, "cost must not be negative"),
        (["cost", "delta"], 2, "cost must not be negative"),
        (["cost", "amount"], None, "cost.amount must be a number"),
        (["versions"], ["0.1"], "versions must be an object"),
        (["versions", "opendp"], 16, "versions.opendp must be text"),
        (["guaranteed"], None, "guaranteed must be text"),
        (["counts"], [1, 2], "unknown part 'counts'"),
    ],
)
def test_damaged_parts(saved, place, value, message):
    document = json.loads(saved.read_text("utf-8"))
    *outer, last = place
    target = document
    for key in outer:
        target = target[key]
    if value is DROP:
        del target[last]
    else:
        target[last] = value
    saved.write_text(json.dumps(document), "utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        load(saved)
    assert str(caught.value).startswith(f"{str(saved)!r} is not a valid release file: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


def test_infinity_by_overflow_is_refused(saved):
    text = saved.read_text("utf-8").replace(f"{0.1 + 0.2!r}", "1e999")
    saved.write_text(text, "utf-8")
    with pytest.raises(FormatError, match=r"noise.scale must be a finite number"):
        load(saved)


def test_random_damage_never_escapes_as_another_error(saved):
    """Bytes changed at random: the file loads or is refused by `FormatError`; nothing else happens."""
    rng, whole = np.random.default_rng(5), saved.read_bytes()
    for _ in range(400):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(damaged), rng.integers(1, 4)):
            damaged[place] = rng.choice(np.frombuffer(b'0129"[]{},:-.eE tn\\\xff', np.uint8))
        saved.write_bytes(bytes(damaged))
        try:
            release = load(saved)
        except FormatError:
            continue
        assert np.isfinite(release.counts).all()
        assert math.isfinite(release.sd)
