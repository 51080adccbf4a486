"""Files of means and moments: they reload bit by bit, and a damaged or hostile file gets a clear error."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import FormatError
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import GaussianDP, PureDP
from discreet.release import MeanRelease, MomentsRelease, load
from discreet.release.moments.covariance_draws import EntryDraws, IdealisedDraws
from discreet.schema import Bounded, Schema

SCHEMA = Schema({"g": ["a", "b"], "x": Bounded(0, 1, step=0.1), "y": Bounded(-5, 5)}, fixed="g")
MATRICES = ((0.1 + 0.2, 0.1, 0.4), (1e-17, -0.0, 0.25), (0.0, 0.0, 0.0))


def means(**change):
    parts = {
        "schema": SCHEMA,
        "column_names": ("y", "x"),
        "drawn": (10**7, 500, 2**70, 400, 0, -9),
        "exponents": (2, 17),
        "mechanism": "Gaussian",
        "scales": (0.1 + 0.2, 1e5),
        "n": 205,
        "guarantee": GaussianDP(0.7),
        "cost": Cost("mu", 0.7),
        "versions": {"discreet": "0.1.0", "opendp": "0.16.0"},
        "group_sizes": (100, 105, 0),
    }
    return MeanRelease(**(parts | change))


ENTRIES = EntryDraws("EntrywiseGaussian", "Gaussian", (1e10, 1 / 3, 2.0), (0, 20, 3), (5, -7, 9, 2**60, 1, 2, 0, 0, -1))
RELEASES = {
    "mean": means(),
    "moments": MomentsRelease(means(), ENTRIES),
    "idealised": MomentsRelease(
        means(mechanism="Laplace", guarantee=PureDP(1), cost=None), IdealisedDraws(1 / 3, 0.125, MATRICES)
    ),
}


@pytest.fixture(params=RELEASES)
def saved(request, tmp_path):
    path = tmp_path / "release.json"
    RELEASES[request.param].save(path)
    return path


@pytest.mark.parametrize("kind", RELEASES)
def test_everything_comes_back(kind, tmp_path):
    release = RELEASES[kind]
    release.save(tmp_path / "r.json")
    again = load(tmp_path / "r.json")
    assert again == release
    assert type(again) is type(release)
    assert again.guarantee == release.guarantee
    assert again.cost == release.cost
    assert again.versions == release.versions
    if kind != "mean":
        assert again.covariances.tobytes() == release.covariances.tobytes()
        assert again.means.tobytes() == release.means.tobytes()


@settings(deadline=None, max_examples=60)
@given(
    drawn=st.lists(st.integers(-(2**300), 2**300), min_size=4, max_size=4),
    exponents=st.tuples(*[st.integers(0, 60)] * 2),
    scales=st.tuples(*[st.floats(1e-12, 1e17)] * 2),
    entries=st.lists(st.integers(-(2**200), 2**200), min_size=6, max_size=6),
    labels=st.lists(st.text('aé\n"\\<\u2028語\U0001f600', min_size=1), min_size=2, max_size=2, unique=True),
    n=st.integers(2, 2**40),
)
def test_round_trip(tmp_path_factory, drawn, exponents, scales, entries, labels, n):
    path = tmp_path_factory.mktemp("release") / "any.json"
    schema = Schema({"g": labels, "x": Bounded(0, 1), "y": Bounded(0, 3, step=1)}, fixed="g", complete=True)
    mean = MeanRelease(
        schema, ("x", "y"), drawn, exponents, "Laplace", scales, 2 * n, group_sizes=(n, n), guarantee=PureDP(0.1)
    )
    draws = EntryDraws("EntrywiseLaplace", "Laplace", (*scales, 0.1), (*exponents, 4), tuple(entries))
    for release in (mean, MomentsRelease(mean, draws)):
        release.save(path)
        assert load(path) == release


def test_the_file_explains_itself(tmp_path):
    texts = {}
    for kind, release in RELEASES.items():
        release.save(tmp_path / "r.json")
        document = json.loads((tmp_path / "r.json").read_text("utf-8"))
        assert document["kind"] == ("mean" if kind == "mean" else "moments")
        texts[kind] = document["guaranteed"] + document["reading"]
    assert all("with the same label of 'g'" in text for text in texts.values())
    assert "All means satisfy GaussianDP(mu=0.7)" in texts["mean"]
    assert "All means and covariances together satisfy" in texts["moments"]
    assert ["1e-70" in text for text in texts.values()] == [True, True, False]
    assert ["idealised" in text for text in texts.values()] == [False, False, True]


def test_a_file_can_be_read_without_this_program(tmp_path):
    """The reading that the file itself describes gives the same numbers."""
    release = RELEASES["moments"]
    release.save(tmp_path / "r.json")
    document = json.loads((tmp_path / "r.json").read_text("utf-8"))
    means, covariance = document["means"], document["covariance"]
    for g, size in enumerate(means["group_sizes"][:2]):
        for i, name in enumerate(means["columns"]):
            bounds = means["schema"]["columns"][name]
            step = bounds.get("step", (bounds["upper"] - bounds["lower"]) / 65536)
            total = int(means["drawn"][2 * g + i]) / 2 ** means["exponents"][i]
            assert release.means[g, i] == pytest.approx(bounds["lower"] + step * total / size, rel=1e-12)
        entry = int(covariance["drawn"][3 * g]) / 2 ** covariance["exponents"][0] * (10 / 65536) ** 2 / size
        assert release.covariances[g, 0, 0] == pytest.approx(entry, rel=1e-6) or g == 0


def test_every_truncation_is_noticed(saved):
    whole = saved.read_bytes().rstrip()
    for length in range(0, len(whole), 23):
        saved.write_bytes(whole[:length])
        with pytest.raises(FormatError, match="not a valid release file"):
            load(saved)


DROP = object()
MEAN_DAMAGE = [
    (["drawn"], DROP, "lacks drawn"),
    (["drawn"], ["1"] * 5, "5 drawn numbers"),
    (["drawn", 0], 7, "no whole number in quotes"),
    (["drawn", 0], "9" * 999, "too large"),
    (["exponents"], [1], "1 grid exponents"),
    (["exponents", 0], 1.0, "a number of exponents must be an integer"),
    (["exponents", 0], -1, "exponent must lie in"),
    (["exponents", 0], True, "must be an integer"),
    (["noise"], [], "noise must be an object"),
    (["noise", "scales"], 3, "noise.scales must be a list"),
    (["noise", "scales", 0], -1, "above 0"),
    (["noise", "scales", 0], "1", "must be a number"),
    (["noise", "scales", 0], 10**400, "finite"),
    (["noise", "mechanism"], "Cauchy", "one of Laplace, Gaussian"),
    (["noise", "extra"], 1, "unknown part 'extra'"),
    (["n"], 205.0, "n must be an integer"),
    (["n"], 204, "add up to n"),
    (["group_sizes"], [205, 0, 0], "the group 'b' of 'g' has 0 records"),
    (["group_sizes"], None, "3 groups"),
    (["group_sizes"], 3, "group_sizes must be a list"),
    (["group_sizes", 0], "100", "a group size must be an integer"),
    (["columns"], ["x", "x"], "named once"),
    (["columns"], ["g", "x"], "categorical"),
    (["columns", 0], 3, "a column must be text"),
    (["schema"], {}, "schema"),
    (["schema", "adjacency"], "add-remove", "not public"),
    (["schema", "columns", "x", "upper"], 0, "bounds"),
    (["schema", "columns", "x", "step"], 0.3, "whole number"),
]


def damaged(path, place, value):
    document = json.loads(path.read_text("utf-8"))
    *outer, last = place
    target = document
    for key in outer:
        target = target[key]
    if value is DROP:
        del target[last]
    else:
        target[last] = value
    path.write_text(json.dumps(document), "utf-8")
    return path


def refused(path, message):
    with pytest.raises(FormatError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(f"{str(path)!r} is not a valid release file: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize("kind", ["mean", "moments"])
@pytest.mark.parametrize(("place", "value", "message"), MEAN_DAMAGE)
def test_damaged_means(tmp_path, kind, place, value, message):
    RELEASES[kind].save(tmp_path / "r.json")
    refused(damaged(tmp_path / "r.json", place if kind == "mean" else ["means", *place], value), message)


@pytest.mark.parametrize(
    ("kind", "place", "value", "message"),
    [
        ("moments", ["covariance"], None, "covariance must be an object"),
        ("moments", ["covariance", "drawn"], DROP, "covariance lacks drawn"),
        ("moments", ["covariance", "drawn"], ["1"] * 8, "8 drawn numbers"),
        ("moments", ["covariance", "drawn", 0], "9" * 700, "too large"),
        ("moments", ["covariance", "drawn", 0], "9" * 200, "too large to compute with"),
        ("moments", ["covariance", "family"], "Cauchy", "unknown law 'Cauchy'"),
        ("moments", ["covariance", "family"], 3, "must be text"),
        ("moments", ["covariance", "mechanism"], "ED", "covariance lacks"),
        ("moments", ["covariance", "scales", 0], 0, "above 0"),
        ("moments", ["covariance", "exponents", 0], None, "must be an integer"),
        (
            "moments",
            ["means", "group_sizes"],
            [204, 1, 0],
            "the group 'b' of 'g' has 1 records; a group needs at least 2",
        ),
        ("moments", ["drawn"], ["1"], "unknown part 'drawn'"),
        ("idealised", ["covariance", "matrices"], [[0.1, 0.2]], "need 3 covariances of 3 numbers"),
        ("idealised", ["covariance", "matrices"], [1, 2, 3], "must hold lists"),
        ("idealised", ["covariance", "matrices", 0, 0], "0.1", "must be a number"),
        ("idealised", ["covariance", "matrices", 0, 0], 1e200, "are finite"),
        ("idealised", ["covariance", "eigenvalue_scale"], 0, "above 0"),
        ("idealised", ["covariance", "exponent"], None, "must be a number"),
        ("idealised", ["guaranteed"], None, "guaranteed must be text"),
        ("idealised", ["cost"], {"currency": "epsilon"}, "cost lacks"),
    ],
)
def test_damaged_covariances(tmp_path, kind, place, value, message):
    RELEASES[kind].save(tmp_path / "r.json")
    refused(damaged(tmp_path / "r.json", place, value), message)


def test_random_damage_never_escapes_as_another_error(saved):
    """Bytes changed at random: the file loads or is refused by `FormatError`; nothing else happens."""
    rng, whole = np.random.default_rng(5), saved.read_bytes()
    start = whole.index(b'"guarantee"')  # behind the texts, which may say anything
    for _ in range(300):
        bytes_ = bytearray(whole)
        for place in rng.integers(start, len(bytes_), rng.integers(1, 4)):
            bytes_[place] = rng.choice(np.frombuffer(b'0129"[]{},:-.eE tn\\\xff', np.uint8))
        saved.write_bytes(bytes(bytes_))
        try:
            release = load(saved)
        except FormatError:
            continue
        numbers = release.values if isinstance(release, MeanRelease) else release.covariances
        assert np.isfinite(numbers).all()
        assert all(math.isfinite(x) for x in release.noise.sd.ravel())
