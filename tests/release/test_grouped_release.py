"""Tables by a fixed column: every number against the same computed group by group in fractions."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet import GaussianDP, Schema, load
from discreet.errors import FormatError, InvalidInput
from discreet.release import TableRelease
from discreet.release.tables.strays import stray_cells
from discreet.release.text import statement

COLUMNS = {"smoking": ["no", "yes"], "sex": ["f", "m", "x"], "age": [1, 2]}


def release(mechanism="ProjectedGaussian", *, complete=False, exponent=3, seed=1, names=("smoking", "sex", "age")):
    """3 groups of 4 cells; with strays one more group, and an other cell in each."""
    schema = Schema({name: COLUMNS[name] for name in names}, fixed="sex", complete=complete)
    rng = np.random.default_rng(seed)
    groups, in_a_group = 3 + (not complete), 4 + (not complete)
    drawn = rng.integers(-50, 400, groups * in_a_group)
    sizes = tuple(int(x) for x in rng.integers(10, 200, groups))
    return TableRelease(
        schema,
        names,
        tuple(drawn.tolist()),
        exponent,
        mechanism,
        2.0,
        n=sum(sizes),
        group_sizes=sizes,
    )


def by_hand(table):
    """Counts by (smoking, sex, age), sex 3 standing for undeclared, and others by sex: in fractions."""
    k, m = len(table.group_sizes), 4
    cells, others, at = {}, {}, 0
    for smoking in range(2):
        for sex in range(3):
            for age in range(2):
                cells[smoking, sex, age], at = Fraction(table.drawn[at]), at + 1
    if table.has_other:
        for smoking in range(2):
            for age in range(2):
                cells[smoking, 3, age], at = Fraction(table.drawn[at]), at + 1
        for sex in range(k):
            others[sex], at = Fraction(table.drawn[at]), at + 1
    step = 2**table.exponent
    for sex in range(k):
        keys = [key for key in cells if key[1] == sex]
        excess = table.group_sizes[sex] * step - sum(cells[key] for key in keys) - others.get(sex, 0)
        share = excess / (m + table.has_other) if table.projected else 0
        for key in keys:
            cells[key] = (cells[key] + share) / step
        if others:
            others[sex] = (others[sex] + share) / step
    return cells, others


@pytest.mark.parametrize("mechanism", ["ProjectedGaussian", "Laplace", "Gaussian"])
@pytest.mark.parametrize("complete", [True, False])
def test_every_group_is_projected_on_its_own_size(mechanism, complete):
    table = release(mechanism, complete=complete)
    cells, others = by_hand(table)
    for i, j, k in np.ndindex(table.shape):
        assert table.counts[i, j, k] == float(cells[i, j, k])
    if complete:
        assert table.other is None
        assert table.undeclared_group is None
        assert table.other_interval() is None
        assert table.total_is_public
    else:
        assert table.other.tolist() == [float(others[g]) for g in range(4)]
        assert table.undeclared_group.tolist() == [[float(cells[i, 3, k]) for k in range(2)] for i in range(2)]
        assert not table.total_is_public
    if table.projected:
        sums = table.counts.sum((0, 2))
        sums = sums if complete else np.append(sums, table.undeclared_group.sum()) + table.other
        np.testing.assert_allclose(sums, table.group_sizes, rtol=1e-14)
    assert table.group_axis == 1
    assert table.noise.group_axis == 1
    assert table.noise.total == (4 if complete else 5)


@pytest.mark.parametrize("mechanism", ["ProjectedGaussian", "Laplace"])
@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize(
    "kept", [("sex",), ("age",), ("smoking", "sex"), ("sex", "smoking"), ("age", "smoking"), ("age", "sex", "smoking")]
)
def test_margins_are_the_sums_and_know_their_noise(mechanism, complete, kept):
    table = release(mechanism, complete=complete)
    cells, others = by_hand(table)
    margin = table.margin(kept)
    axes = [table.column_names.index(name) for name in kept]
    for index in np.ndindex(margin.shape):
        chosen = [v for key, v in cells.items() if tuple(key[a] for a in axes) == index and key[1] < 3]
        assert margin.counts[index] == pytest.approx(float(sum(chosen)), rel=1e-14, abs=1e-12)
    assert margin.noise == table.noise.margin(tuple(axes))
    assert margin.n == table.n
    if complete:
        assert margin.other is None
    elif "sex" in kept:
        assert margin.other.tolist() == table.other.tolist()
        rest = [a for a in axes if a != 1]
        for index in np.ndindex(margin.undeclared_group.shape):
            chosen = [v for key, v in cells.items() if key[1] == 3 and tuple(key[a] for a in rest) == index]
            assert margin.undeclared_group[index] == pytest.approx(float(sum(chosen)), rel=1e-14, abs=1e-12)
    else:
        expected = sum(others[g] for g in range(3)) + table.group_sizes[3]
        assert margin.other == pytest.approx(float(expected), rel=1e-14)
        if margin.projected:
            assert margin.declared_total + margin.other == pytest.approx(table.n, rel=1e-14)
        # the interval of a sum of three independent numbers
        low, high = margin.other_interval()
        one = np.diff(table.other_interval(), axis=0)[0][0]
        if margin.projected:
            assert high - low == pytest.approx(one * np.sqrt(3), rel=1e-9)
    again = margin.margin(kept[::-1])
    assert again.margin(kept) == margin


def test_the_same_margin_in_two_steps():
    table = release()
    assert table.margin(["sex", "age"]).margin("age") == table.margin("age")
    assert table.margin(["smoking", "age"]).margin("age").counts == pytest.approx(table.margin("age").counts)


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("kept", [("smoking", "sex", "age"), ("sex",), ("age", "smoking")])
def test_files(tmp_path, complete, kept):
    table = release(complete=complete).margin(kept)
    table.save(tmp_path / "t.json")
    assert load(tmp_path / "t.json") == table
    document = json.loads((tmp_path / "t.json").read_text())
    assert document["group_sizes"] == list(table.group_sizes)
    assert "with the same label of 'sex'" in statement(replace(table, guarantee=GaussianDP(1)))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda d: d.update(group_sizes=[1, 2, 3]), "4 groups of 'sex'"),
        (lambda d: d.update(group_sizes=[1, 2, 3, 4]), "add up to n"),
        (lambda d: d.update(group_sizes=None), "group_sizes must be a list"),
        (lambda d: d.update(group_sizes=["1", 2, 3, 4]), "a group size must be an integer"),
        (lambda d: d.update(group_sizes=[True, 2, 3, 4]), "a group size must be an integer"),
        (lambda d: d["group_sizes"].__setitem__(slice(None), [-1, d["n"] + 1, 0, 0]), "0 or more"),
        (lambda d: d.pop("group_sizes"), "needs group_sizes"),
        (lambda d: d.update(n=None), "add up to n"),
        (lambda d: d["schema"].pop("fixed"), "belong to a schema with a fixed column"),
        (lambda d: d.update(drawn=d["drawn"][:-1]), "drawn numbers"),
    ],
)
def test_damaged_files_are_refused(tmp_path, damage, words):
    path = tmp_path / "t.json"
    release().save(path)
    document = json.loads(path.read_text())
    damage(document)
    path.write_text(json.dumps(document))
    with pytest.raises(FormatError, match=words):
        load(path)


def test_a_table_without_the_fixed_column_is_an_ordinary_one():
    schema = Schema({"smoking": ["no", "yes"], "sex": ["f", "m"]}, fixed="sex")
    table = TableRelease(schema, ("smoking",), (10, 20, 3), 0, "ProjectedGaussian", 2.0, n=33)
    assert (table.group_axis, table.draws_per_cell, table.total_draws, table.summed_over) == (None, 1, 3, ())
    assert table.other == 3.0
    assert table.noise.group_axis is None
    with pytest.raises(InvalidInput, match="unknown column 'sex'"):
        table.margin("sex")


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_frames_tell_strays_from_declared_cells(backend):
    table = release().margin(["sex", "smoking"])
    frame = table.to_frame(backend)
    rows = {
        "polars": lambda: frame.rows(named=True),
        "pandas": lambda: frame.to_dict("records"),
        "pyarrow": lambda: frame.to_pylist(),
    }
    listed = rows[backend]()
    assert len(listed) == 6 + 2 + 4
    assert [row["stray"] for row in listed] == [False] * 6 + [True] * 6
    assert [row["count"] for row in listed[:6]] == table.counts.ravel().tolist()
    assert [row["count"] for row in listed[6:8]] == table.undeclared_group.tolist()
    assert [row["count"] for row in listed[8:]] == table.other.tolist()
    labels = [(row["sex"], row["smoking"]) for row in listed[6:]]
    missing = [tuple(None if x != x else x for x in pair) for pair in labels]  # pandas has NaN for null
    assert missing == [(None, "no"), (None, "yes"), ("f", None), ("m", None), ("x", None), (None, None)]
    assert [cell.value for cell in stray_cells(table)] == [row["count"] for row in listed[6:]]


def test_texts_and_pictures():
    table = release().margin(["sex", "smoking"])
    text, html = repr(table), table._repr_html_()
    for part in ("other (strays) of f", "undeclared sex, yes", "by sex of public size"):
        assert part in text
        assert part in html
    assert table.plot() is not None
    assert table.margin("smoking").plot() is not None
    wide = Schema({"a": [0, 1], "g": list(range(60))}, fixed="g")
    many = TableRelease(wide, ("a", "g"), (0,) * (61 * 3), 0, "Laplace", 1.0, n=0, group_sizes=(0,) * 61)
    assert "more strays" in repr(many)
    assert "more strays" in many._repr_html_()
