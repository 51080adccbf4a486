"""Releases under add-remove and under a fixed column: a replay on neighbouring records, the ledger, and what is refused.

As in `test_neighbours`: for neighbours, everything public that a release does must be the same, and the exact integers at
the gate may differ by no more than the declared sensitivity, which must be reached.
"""

import math
import traceback

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Curator, GaussianDP, Ledger, PureDP, Schema, homogeneity
from discreet.curator import gate
from discreet.curator.releasing import count_noise
from discreet.errors import InvalidInput, LedgerError, NotAvailable, ReleaseFailed
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian

VALUES = st.sampled_from(["a", "b", "c", "A", "", None, float("nan"), 1, True, 1.0, "1"])
LABELS = st.sampled_from(["g", "h", "G", None, 7])
RECORDS = st.lists(st.tuples(VALUES, LABELS), min_size=1, max_size=6)
COLUMNS = {"x": ["a", "b", 1], "g": ["g", "h"]}


def label(value):
    return value if value in ("g", "h") else None


def observed_by_the_gate(records, schema, guarantee, columns, mechanism=None):
    frame = pd.DataFrame({name: pd.Series([r[i] for r in records], dtype=object) for i, name in enumerate("xg")})
    seen = []
    original = gate.draw_noise

    def spy(exact, **public):
        seen.append((list(exact), public))
        return original(exact, **public)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count_noise.gate, "draw_noise", spy)
        with Curator(frame, schema, budget=guarantee) as curator:
            table = curator.table(columns, guarantee, mechanism)
            entries = [(e.cost, e.specification, e.neighbours, e.released) for e in curator.ledger.entries()]
            price = curator.price("table", columns, guarantee, mechanism)
    ((exact, public),) = seen
    public |= {"cells": len(exact), "shape": table.shape, "n": table.n, "sizes": table.group_sizes}
    return exact, (public, entries, table.scale, table.exponent, str(price.accuracy))


def distance(first, second):
    moved = np.array(first) - np.array(second)
    return int(np.abs(moved).sum()), int((moved**2).sum())


GUARANTEES = st.sampled_from([PureDP(1), GaussianDP(1)])


@settings(max_examples=80, deadline=None)
@given(RECORDS, st.integers(0, 5), st.booleans(), GUARANTEES)
def test_one_record_less_is_the_same_public_call(records, where, complete, guarantee):
    schema = Schema(COLUMNS, adjacency="add-remove", complete=complete, max_rows=1000)
    fewer = records[: where % len(records)] + records[where % len(records) + 1 :]
    first, public = observed_by_the_gate(records, schema, guarantee, ["x", "g"])
    second, other_public = observed_by_the_gate(fewer, schema, guarantee, ["x", "g"])
    assert public == other_public
    assert public[0]["n"] is None
    assert distance(first, second) == (1, 1)


def test_the_cap_shows_no_number_of_records():
    """Records beyond max_rows are no error, because an error would tell; one count more than the cap counts as the cap."""
    schema = Schema(COLUMNS, adjacency="add-remove", max_rows=3)
    seen = [observed_by_the_gate([("a", "g")] * n, schema, PureDP(1), ["x", "g"]) for n in (2, 3, 4, 5)]
    assert [public for _, public in seen] == [seen[0][1]] * 4
    assert [exact[0] for exact, _ in seen] == [2, 3, 3, 3]


@settings(max_examples=80, deadline=None)
@given(RECORDS, VALUES, st.integers(0, 5), st.booleans(), GUARANTEES, st.sampled_from([("x", "g"), ("g", "x"), ("x",)]))
def test_replacing_one_record_by_one_of_the_same_group(records, new, where, complete, guarantee, columns):
    schema = Schema(COLUMNS, fixed="g", complete=complete)
    place = where % len(records)
    neighbour = list(records)
    neighbour[place] = (new, records[place][1])
    first, public = observed_by_the_gate(records, schema, guarantee, columns)
    second, other_public = observed_by_the_gate(neighbour, schema, guarantee, columns)
    assert public == other_public
    l1, l2_squared = distance(first, second)
    assert l1 <= 2
    assert l2_squared <= 2
    assert sum(first) == len(records) == public[0]["n"]
    if "g" in columns:
        groups = [None, "g", "h"] if not complete else ["g", "h"]
        assert sum(public[0]["sizes"]) == len(records)
        assert len(public[0]["sizes"]) == len(groups)
        assert len(first) == (3 * 4 if not complete else 2 * 3)


def test_the_declared_sensitivity_is_reached():
    schema = Schema(COLUMNS, fixed="g")
    pair = [observed_by_the_gate([(value, "h")], schema, PureDP(1), ["x", "g"])[0] for value in ("a", None)]
    assert distance(*pair) == (2, 2)
    # a record that moves to another group is no neighbour: other sizes are public
    moved = [observed_by_the_gate([("a", group)], schema, PureDP(1), ["x", "g"])[1] for group in ("g", "h")]
    assert moved[0] != moved[1]


FRAME = {
    "smoking": ["no"] * 30 + ["yes"] * 20 + ["no"] * 10 + ["?"] * 5 + ["yes"] * 3 + [None] * 2,
    "sex": ["f"] * 30 + ["f"] * 20 + ["m"] * 10 + ["m"] * 5 + ["x"] * 3 + [None] * 2,
}
SCHEMA = Schema({"smoking": ["no", "yes"], "sex": ["f", "m"]}, fixed="sex")
EXACT = {("smoking", "sex"): [30, 10, 20, 0, 0, 3, 0, 5, 2], ("sex", "smoking"): [30, 20, 10, 0, 0, 3, 0, 5, 2]}


@pytest.mark.parametrize("columns", EXACT, ids=str)
@pytest.mark.parametrize("engine", ["pandas", "polars", "lazy", "pyarrow", "duckdb", "csv", "parquet"])
def test_every_engine_counts_the_same_groups(engine, columns, tmp_path):
    from discreet.curator.source import open_source

    frame = pd.DataFrame(FRAME)
    if engine == "csv":
        frame.to_csv(tmp_path / "r.csv", index=False)
    if engine == "parquet":
        frame.to_parquet(tmp_path / "r.parquet")
    source = {
        "pandas": lambda: frame,
        "polars": lambda: pl.DataFrame(FRAME),
        "lazy": lambda: pl.LazyFrame(FRAME),
        "pyarrow": lambda: pa.table(FRAME),
        "duckdb": lambda: duckdb.connect().from_df(frame),
        "csv": lambda: tmp_path / "r.csv",
        "parquet": lambda: tmp_path / "r.parquet",
    }[engine]()
    opened = open_source(source, SCHEMA)
    assert opened.tabulate(columns) == EXACT[columns]
    assert opened.count_groups() == [50, 15, 5]
    complete = Schema(SCHEMA.columns, fixed="sex", complete=True)
    opened = open_source(source, complete)
    assert opened.count_groups() == [55, 15]
    assert opened.tabulate(["sex", "smoking"]) == [32, 23, 15, 0]
    opened.close()


def test_a_release_by_group_spends_its_guarantee_once():
    """Parallel composition: with a budget of mu, one release by group at mu is admitted and no second one."""
    for mechanism, guarantee in [
        (None, GaussianDP(1)),
        (Laplace(), GaussianDP(1)),
        (Gaussian(), GaussianDP(1)),
        (None, PureDP(1)),
    ]:
        with Curator(pd.DataFrame(FRAME), SCHEMA, budget=guarantee) as curator:
            assert curator.group_sizes == (50, 15, 5)
            assert curator.n == 70
            table = curator.table(["sex", "smoking"], guarantee, mechanism)
            assert table.cost.amount == 1.0
            assert curator.ledger.remaining == 0.0
            ordinary = Curator(pd.DataFrame(FRAME), Schema(SCHEMA.columns), budget=guarantee)
            assert ordinary.table(["sex", "smoking"], guarantee, mechanism).scale == table.scale
            assert table.shape == (2, 2)
            assert table.other.shape == (3,)
            assert table.undeclared_group.shape == (2,)
            if table.projected:
                assert table.counts.sum(1) + table.other[:2] == pytest.approx([50, 15], abs=1e-9)


def test_add_remove_shows_no_number_of_records_anywhere(tmp_path):
    schema = Schema(SCHEMA.columns, adjacency="add-remove")
    n, guarantee = 71 * 1013, GaussianDP(0.5)
    frame = pd.DataFrame({name: [*values, "no"][:71] * 1013 for name, values in FRAME.items()})
    with Curator(frame, schema, budget=guarantee) as curator:
        for ask in (lambda: curator.n, lambda: curator.group_sizes):
            with pytest.raises(NotAvailable) as refusal:
                ask()
            assert str(n) not in str(refusal.value)
        price = curator.price("table", ["sex", "smoking"], guarantee)
        table = curator.table(["sex", "smoking"], guarantee)
        table.save(tmp_path / "t.json")
        shown = [repr(curator), str(price), str(price.to_dict()), repr(table), table._repr_html_()]
        shown += [(tmp_path / "t.json").read_text(), repr(curator.ledger.entries()), str(curator.ledger)]
    assert not any(str(n) in text or f"{n:,}" in text for text in shown)
    assert (table.mechanism, table.n, table.total_is_public) == ("Gaussian", None, False)
    assert table.scale == pytest.approx(2, rel=1e-9)
    assert table.adjacency == "add-remove"


def test_nothing_is_read_before_the_charge_under_add_remove(monkeypatch):
    from discreet.curator.source import Source

    def refuse(*_):
        raise AssertionError("the records were read")

    for name in ("count_rows", "tabulate", "count_groups"):
        monkeypatch.setattr(Source, name, refuse)
    schema = Schema(SCHEMA.columns, adjacency="add-remove")
    with Curator(pd.DataFrame(FRAME), schema, budget=PureDP(1)) as curator:
        curator.price("table", "smoking", PureDP(0.5))
        with pytest.raises(ReleaseFailed):
            curator.table("smoking", PureDP(0.5))
        assert curator.ledger.spent == 0.5


@pytest.mark.parametrize(
    ("schema", "call", "error", "words"),
    [
        (SCHEMA, lambda c: c.table("sex", PureDP(0.5)), InvalidInput, "tabulate another column by it"),
        (SCHEMA, lambda c: c.table(["sex"], PureDP(0.5)), InvalidInput, "curator.group_sizes"),
        (
            Schema(SCHEMA.columns, adjacency="add-remove"),
            lambda c: c.table("sex", GaussianDP(0.5), ProjectedGaussian()),
            NotAvailable,
            "public total",
        ),
        (
            Schema(SCHEMA.columns, adjacency="add-remove"),
            lambda c: c.table("sex", PureDP(20.0)),
            InvalidInput,
            "max_rows in the schema",
        ),
        (
            Schema(SCHEMA.columns, adjacency="add-remove", fixed="sex"),
            lambda c: c.table("smoking", PureDP(0.5)),
            NotAvailable,
            "no number of records is public",
        ),
        (Schema(SCHEMA.columns), lambda c: c.group_sizes, NotAvailable, "fixed= column"),
    ],
)
def test_refusals_are_free_and_say_why(schema, call, error, words):
    with Curator(pd.DataFrame(FRAME), schema, budget=PureDP(100)) as curator:
        with pytest.raises(error, match=words):
            call(curator)
        assert curator.ledger.entries() == ()


def test_a_lower_max_rows_admits_less_noise():
    schema = Schema(SCHEMA.columns, adjacency="add-remove", max_rows=10**6)
    with Curator(pd.DataFrame(FRAME), schema, budget=PureDP(100)) as curator:
        assert curator.table("sex", PureDP(20.0)).scale == pytest.approx(0.05)


@pytest.mark.parametrize("complete", [True, False])
def test_a_table_without_the_fixed_column_is_an_ordinary_one(complete):
    schema = Schema(SCHEMA.columns, fixed="sex", complete=complete)
    with Curator(pd.DataFrame(FRAME), schema, budget=GaussianDP(1)) as curator:
        table = curator.table("smoking", GaussianDP(1))
    assert (table.n, table.group_sizes, table.total_is_public) == (70, None, complete)
    assert table.mechanism == "ProjectedGaussian"
    assert table.declared_total + (table.other or 0.0) == pytest.approx(70)
    assert table.scale == pytest.approx(math.sqrt(2), rel=1e-9)


SCHEMAS = {
    "replace-one": Schema(SCHEMA.columns),
    "fixed": SCHEMA,
    "fixed otherwise": Schema(SCHEMA.columns, fixed="smoking"),
    "add-remove": Schema(SCHEMA.columns, adjacency="add-remove"),
}


@pytest.mark.parametrize("first", SCHEMAS)
def test_a_ledger_keeps_to_the_neighbours_of_its_first_release(first, tmp_path):
    path, columns = tmp_path / "budget.ledger", ["sex", "smoking"]
    Ledger.create(path, GaussianDP(3))
    frame = pd.DataFrame(FRAME)
    with Curator(frame, SCHEMAS[first], ledger=path) as curator:
        curator.table(columns, GaussianDP(1), request_id="first")
    for name, schema in SCHEMAS.items():
        with Curator(frame, schema, ledger=path) as curator:
            if name == first:
                assert curator.price("table", columns, GaussianDP(1)).admitted
                continue
            for call in (
                lambda c: c.table(columns, GaussianDP(1)),
                lambda c: c.price("table", columns, GaussianDP(1)),
                lambda c: c.table(columns, GaussianDP(1), request_id="first"),
            ):
                with pytest.raises(LedgerError) as refusal:
                    call(curator)
                assert "70" not in "".join(traceback.format_exception_only(refusal.value))
            assert len(curator.ledger.entries()) == 1


def test_samples_of_different_neighbours_are_not_tested_together():
    frame = pd.DataFrame(FRAME)
    tables = {}
    for name, schema in SCHEMAS.items():
        with Curator(frame, schema, budget=PureDP(10)) as curator:
            tables[name] = curator.table("smoking" if name != "fixed otherwise" else "sex", PureDP(2))
    with pytest.raises(InvalidInput, match="different adjacencies"):
        homogeneity(tables["replace-one"], tables["add-remove"])
    assert homogeneity(tables["replace-one"], tables["fixed"], rng=1).df == 1
    with Curator(frame, SCHEMAS["add-remove"], budget=PureDP(10)) as curator:
        second = curator.table("smoking", PureDP(2))
    result = homogeneity(tables["add-remove"], second, rng=1)
    assert not result.n_is_public
    assert result.n == pytest.approx(tables["add-remove"].declared_total + second.declared_total)
