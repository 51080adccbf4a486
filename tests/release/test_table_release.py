"""A table release: exact numbers from drawn integers, margins with their law, intervals that cover."""

import math
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian
from discreet.privacy.guarantee import PureDP
from discreet.release import TableRelease
from discreet.schema import Schema

CZECH = Schema({"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}, complete=True)


def table(shape, *, complete=True, mechanism="Laplace", scale=4.0, drawn=None, exponent=20, n=1000, seed=0):
    schema = Schema({f"v{i}": [f"c{j}" for j in range(k)] for i, k in enumerate(shape)}, complete=complete)
    entries = math.prod(shape) + (not complete)
    if drawn is None:
        drawn = [int(y) for y in np.random.default_rng(seed).integers(-(2**30), 2**30, entries)]
    return TableRelease(schema, tuple(schema.columns), drawn, exponent, mechanism, scale, n=n)


def projected_by_fractions(drawn, exponent, n):
    """The oracle: y - mean(y) + n/M, M all entries, in rational numbers."""
    y = [Fraction(x, 2**exponent) for x in drawn]
    return [x - sum(y) / len(y) + Fraction(n, len(y)) for x in y]


def test_counts_are_the_integers_over_the_grid():
    release = table((2, 2), drawn=[1, -3, 2**40 + 1, 0], exponent=2)
    assert release.counts.tolist() == [[0.25, -0.75], [(2**40 + 1) / 4, 0.0]]
    assert release.values is release.counts
    assert release.shape == (2, 2)
    assert release.labels == (("c0", "c1"), ("c0", "c1"))
    assert release.column_names == ("v0", "v1")
    assert release.adjacency == "replace-one"
    assert release.other is None
    assert release.other_interval() is None


def test_the_last_entry_is_the_other_cell():
    release = table((2,), complete=False, drawn=[8, 12, 6], exponent=1)
    assert release.counts.tolist() == [4.0, 6.0]
    assert release.other == 3.0
    assert release.declared_total == 10.0
    assert not release.total_is_public


def test_the_total_is_public_only_without_strays_and_with_n():
    assert table((3,)).total_is_public
    assert not table((3,), n=None).total_is_public
    assert not table((3,), complete=False).total_is_public


@settings(deadline=None)
@given(
    drawn=st.lists(st.integers(-(2**70), 2**70), min_size=2, max_size=13),
    exponent=st.integers(0, 60),
    n=st.integers(0, 2**41),
    complete=st.booleans(),
)
def test_projection_is_exact_and_rounded_once(drawn, exponent, n, complete):
    cells = len(drawn) - (not complete)
    release = table((cells,), complete=complete, mechanism="ProjectedGaussian", drawn=drawn, exponent=exponent, n=n)
    wanted = projected_by_fractions(drawn, exponent, n)
    assert sum(wanted) == n
    assert release.counts.tolist() == [float(x) for x in wanted[:cells]]
    assert release.other == (None if complete else float(wanted[-1]))
    assert release.declared_total == (float(n) if complete else float(sum(wanted[:cells])))


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), complete=st.booleans(), kept=st.permutations([0, 1, 2]), many=st.integers(1, 3))
def test_a_margin_of_a_projected_table_is_the_margin_of_its_cells(seed, complete, kept, many):
    shape, axes = (2, 3, 4), kept[:many]
    release = table(shape, complete=complete, mechanism="ProjectedGaussian", seed=seed)
    margin = release.margin([f"v{a}" for a in axes])
    cells = np.array(projected_by_fractions(release.drawn, 20, 1000)[:24], object).reshape(shape)
    gone = [a for a in range(3) if a not in axes]
    wanted = cells.transpose(*axes, *gone).sum(axis=tuple(range(many, 3)))
    assert margin.counts.tolist() == np.asarray(wanted, float).tolist()
    assert margin.column_names == tuple(f"v{a}" for a in axes)
    assert margin.other == release.other
    assert margin.n == release.n


@pytest.mark.parametrize("mechanism", ["Laplace", "Gaussian", "ProjectedGaussian"])
@pytest.mark.parametrize("complete", [True, False])
def test_the_noise_is_the_joint_law_of_all_draws(mechanism, complete):
    release = table((2, 3), complete=complete, mechanism=mechanism)
    law = {"Laplace": Laplace, "Gaussian": Gaussian, "ProjectedGaussian": ProjectedGaussian}[mechanism](4.0)
    assert release.noise == law.on((2, 3), other=not complete)
    assert release.noise.total == 6 + (not complete)
    assert release.noise.centred == (mechanism == "ProjectedGaussian")
    for names, axes in ((["v1"], (1,)), (["v1", "v0"], (1, 0)), ("v0", (0,))):
        assert release.margin(names).noise == release.noise.margin(axes)


def test_margins_of_margins_and_their_meaning():
    release = table((2, 3, 4), complete=False)
    pair = release.margin(["v2", "v0"])
    single = pair.margin("v0")
    assert single == release.margin("v0")
    assert single.summed_over == ("v1", "v2")
    assert (single.draws_per_cell, single.total_draws) == (12, 25)
    assert single.noise == JointNoise(Laplace(4.0), (2,), 12, 25)
    assert release.margin(["v0", "v1", "v2"]) == release
    assert release.margin(["v2", "v1", "v0"]).counts.tolist() == release.counts.transpose().tolist()
    with pytest.raises(InvalidInput, match="'v1' was summed over in this margin"):
        pair.margin("v1")
    with pytest.raises(InvalidInput, match=r"unknown column 'systolik'.* did you mean 'systolic'"):
        TableRelease(CZECH, ("smoking", "systolic"), (1, 2, 3, 4), 0, "Laplace", 1.0).margin("systolik")
    with pytest.raises(InvalidInput):
        release.margin([])
    with pytest.raises(InvalidInput):
        release.margin(["v0", "v0"])


def test_margins_sum_integers_of_any_size():
    huge = 2**200 + 1
    assert table((2, 2), drawn=[huge, 1, -huge, 5], exponent=0).margin("v1").drawn == (0, 6)


@pytest.mark.parametrize("mechanism", ["Laplace", "Gaussian", "ProjectedGaussian"])
def test_intervals_cover_the_true_counts(mechanism):
    """2,000 tables a mechanism: the share covered stays within 4.9 binomial standard deviations (1e-6 for each)."""
    rng, repeats, level, k = np.random.default_rng(20240517), 2000, 0.9, 20
    true = np.array([50, 0, 7, 120, 3, 20])
    draw = rng.laplace if mechanism == "Laplace" else rng.normal
    noise = draw(0.0, 4.0 * 2**k, (repeats, 7))
    hits = np.zeros(3)
    for line in noise:
        drawn = [int(y) for y in np.rint(np.append(true, 11) * 2**k + line)]
        release = table((2, 3), complete=False, mechanism=mechanism, drawn=drawn, n=int(true.sum()) + 11)
        for i, (low, high, truth) in enumerate(
            (
                (*(bound[0, 1] for bound in release.interval(level)), true[1]),
                (*(bound[1] for bound in release.margin("v0").interval(level)), true[3:].sum()),
                (*release.other_interval(level), 11),
            )
        ):
            hits[i] += low <= truth <= high
    assert np.abs(hits / repeats - level).max() < 4.9 * math.sqrt(level * (1 - level) / repeats)


def test_interval_by_the_laplace_quantile():
    low, high = table((2, 2), scale=4.0).interval(0.95)
    assert np.allclose((high - low) / 2, 4.0 * math.log(20), rtol=1e-12)
    assert table((2, 2), scale=4.0).half_width(0.95) == pytest.approx(4.0 * math.log(20), rel=1e-12)
    assert table((2, 2), scale=4.0).sd == pytest.approx(4.0 * math.sqrt(2))


@pytest.mark.parametrize("level", [0, 1, -0.5, 1.5, 95, math.nan, True, "0.95", None])
def test_a_level_lies_between_0_and_1(level):
    with pytest.raises(InvalidInput, match="level"):
        table((2, 2)).interval(level)


def test_what_the_neighbours_do_not_allow():
    labels = {"a": ["x", "y"]}
    with pytest.raises(InvalidInput, match="n is not public under adjacency='add-remove'"):
        TableRelease(Schema(labels, adjacency="add-remove"), ("a",), (1, 2, 3), 0, "Laplace", 1.0, n=6)
    assert TableRelease(Schema(labels, adjacency="add-remove"), ("a",), (1, 2, 3), 0, "Laplace", 1.0).n is None
    with pytest.raises(InvalidInput, match="needs group_sizes"):
        TableRelease(Schema(labels, fixed="a"), ("a",), (1, 2, 3), 0, "Laplace", 1.0, n=6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drawn": (1, 2, 3)}, "3 drawn numbers for a table of 2 x 2 cells"),
        ({"drawn": (1, 2, 3, 4, 5)}, "5 drawn numbers"),
        ({"drawn": (1, 2, 3, 4.0)}, "must be an integer, not 4.0"),
        ({"drawn": (1, 2, 3, True)}, "must be an integer, not True"),
        ({"drawn": (1, 2, 3, 2**1200)}, "too large"),
        ({"exponent": -1}, "exponent"),
        ({"exponent": 5000}, "exponent"),
        ({"exponent": 1.0}, "exponent must be an integer"),
        ({"mechanism": "Cauchy"}, "one of Laplace, Gaussian, ProjectedGaussian"),
        ({"scale": -1.0}, "above 0"),
        ({"scale": math.nan}, "finite"),
        ({"n": -1}, "number of records"),
        ({"n": 2.5}, "n must be an integer"),
        ({"n": True}, "n must be an integer"),
        ({"column_names": ("smoking",)}, "4 drawn numbers for a table of 2 cells"),
        ({"column_names": ("smoking", "smoking")}, "different columns"),
        ({"column_names": ()}, "different columns"),
        ({"column_names": ("smoking", "sistolic")}, "sistolic"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change, message):
    parts = {
        "schema": CZECH,
        "column_names": ("smoking", "systolic"),
        "drawn": (1, 2, 3, 4),
        "exponent": 3,
        "mechanism": "Laplace",
        "scale": 4.0,
    }
    TableRelease(**parts)
    with pytest.raises(InvalidInput, match=message):
        TableRelease(**(parts | change))


def test_a_release_does_not_change():
    release = table((2, 2))
    with pytest.raises(FrozenInstanceError):
        release.n = 7
    with pytest.raises(ValueError, match="read-only"):
        release.counts[0, 0] = 1.0
    with pytest.raises(TypeError):
        release.versions["discreet"] = "0"
    assert hash(release) == hash(table((2, 2)))
    assert release != table((2, 2), seed=1)
    assert release.noise.total == 4
    assert pickle.loads(pickle.dumps(release)) == release


def test_numpy_integers_are_taken_as_integers():
    release = table((2,), drawn=np.array([3, 5]), exponent=np.int64(1))
    assert release.drawn == (3, 5)
    assert {type(y) for y in release.drawn} == {int}


def test_repr_is_a_table():
    release = TableRelease(
        CZECH, ("smoking", "systolic"), (922, 1085, 1072, 947), 2, "Laplace", 4.0, guarantee=PureDP(0.5), n=1000
    )
    assert repr(release).splitlines() == [
        "smoking x systolic: noisy counts, each ± 12.0 (95% interval)",
        f"Laplace noise, sd 5.66; n = 1000; {release.guarantee}",
        "",
        "smoking \\ systolic  lt140  ge140",
        "no                  230.5  271.2",
        "yes                 268.0  236.8",
    ]
    assert "summed over systolic" in repr(release.margin("smoking"))
    large = repr(table((30, 40), complete=False))
    assert "1190 more of 30 x 40 cells" in large
    assert "other (strays): " in large
    assert len(large.splitlines()) < 20


def test_repr_keeps_hostile_labels_on_one_line():
    schema = Schema({"a": ["x\n\x1b[31m\ny" * 20, "b"]}, complete=True)
    lines = repr(TableRelease(schema, ("a",), (1, 2), 0, "Gaussian", 1.0)).splitlines()
    assert len(lines) == 6
    assert max(map(len, lines)) < 100
    assert not any("\x1b" in line for line in lines)
