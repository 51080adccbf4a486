"""Releases where a person has several records: who is protected, what is charged and refused, and replays on neighbours."""

from __future__ import annotations

import datetime
import decimal
import json
import pickle
import traceback

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet import (
    ApproxDP,
    Bounded,
    Curator,
    GaussianDP,
    Ledger,
    PureDP,
    Schema,
    ZeroConcentratedDP,
    homogeneity,
    independence,
)
from discreet.curator.source import Source
from discreet.errors import InvalidInput, LedgerError, NotAvailable, ReleaseFailed
from discreet.inference import independence_pairs
from discreet.lab.audit import replay
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian

COLUMNS = {"smoking": ["no", "yes"], "region": ["n", "s", 1], "age": Bounded(0, 100, step=1)}
SCHEMA = Schema(COLUMNS, unit="patient", max_records=5)
RNG = np.random.default_rng(3)
N = 71 * 13
RECORDS = pd.DataFrame(
    {
        "patient": RNG.integers(0, 60, N),
        "smoking": RNG.choice(["no", "yes", "?"], N),
        "region": RNG.choice(["n", "s", "1"], N),
        "age": RNG.integers(-5, 110, N),
    }
)
CALLS = {
    "table": (["smoking", "region"], PureDP(0.5)),
    "histogram": ("age", 4, PureDP(0.5)),
}
GUARANTEES = [PureDP(0.7), GaussianDP(0.7), ZeroConcentratedDP(0.2), ApproxDP(1.0, 1e-6)]


# ---- what a release says


@pytest.mark.parametrize("verb", CALLS)
def test_a_release_says_who_is_protected_and_no_number_of_records(verb, tmp_path):
    ledger = Ledger.create(tmp_path / "budget.ledger", PureDP(2))
    with Curator(RECORDS, SCHEMA, ledger=ledger) as curator:
        price = curator.price(verb, *CALLS[verb])
        release = getattr(curator, verb)(*CALLS[verb], request_id="one")
        again = getattr(curator, verb)(*CALLS[verb], request_id="one")
        entry = curator.ledger.entries()[0]
        shown = [repr(curator), str(price), str(price.to_dict()), repr(release), release._repr_html_(), str(entry)]
    assert again == release
    assert len(ledger.entries()) == 1
    assert (release.n, release.adjacency, release.mechanism) == (None, "replace-one", "Laplace")
    assert (release.schema.unit, release.schema.max_records) == ("patient", 5)
    assert release.scale == pytest.approx(2 * 5 / 0.5)
    assert entry.neighbours == ("replace-one", "person: patient", None)
    assert price.accuracy["noise_sd"] == pytest.approx(np.sqrt(2) * 20, rel=1e-9)
    release.save(tmp_path / "release.json")
    assert discreet.load(tmp_path / "release.json") == release
    assert pickle.loads(pickle.dumps(release)) == release
    text = (tmp_path / "release.json").read_text()
    assert json.loads(text)["schema"]["unit"] == "patient"
    shown.append(text)
    for number in (N, f"{N:,}", int(np.minimum(np.bincount(RECORDS["patient"]), 5).sum())):
        assert not any(f" {number} " in each or f"={number}" in each for each in shown)
    assert (
        "one person ('patient') is replaced by any other with all records (of each at most 5 count"
        in (json.loads(text)["guaranteed"])
    )


def test_the_default_mechanisms_and_those_refused():
    with Curator(RECORDS, SCHEMA, budget=GaussianDP(5)) as curator:
        table = curator.table("smoking", GaussianDP(1))
        assert (table.mechanism, table.total_is_public) == ("Gaussian", False)
        assert table.scale == pytest.approx(np.sqrt(2) * 5, rel=1e-9)
        for call in (
            lambda: curator.table("smoking", GaussianDP(1), ProjectedGaussian()),
            lambda: curator.histogram("age", 4, GaussianDP(1), ProjectedGaussian()),
        ):
            with pytest.raises(NotAvailable, match="need"):
                call()
        one = Curator(RECORDS, Schema(COLUMNS, unit="patient", max_records=1), budget=GaussianDP(1))
        with pytest.raises(NotAvailable, match="public total"):
            one.table("smoking", GaussianDP(1), ProjectedGaussian())
        whole = curator.table("smoking", GaussianDP(1), Laplace(integer=True))
        assert whole.mechanism == "DiscreteLaplace"
        assert (whole.counts == np.round(whole.counts)).all()
        assert len(curator.ledger.entries()) == 2


def test_what_it_costs_in_another_currency():
    with Curator(RECORDS, SCHEMA, budget=GaussianDP(5)) as curator:
        one = Curator(RECORDS, Schema(COLUMNS), budget=GaussianDP(5))
        for guarantee, mechanism in ((PureDP(1), Laplace()), (ZeroConcentratedDP(0.1), Gaussian())):
            several = curator.price("table", "smoking", guarantee, mechanism)
            single = one.price("table", "smoking", guarantee, mechanism)
            assert several.cost.amount == pytest.approx(single.cost.amount, rel=1e-9)
            assert several.accuracy["noise_sd"] == pytest.approx(5 * single.accuracy["noise_sd"], rel=1e-9)


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_the_counts_are_those_of_the_records_that_count(adjacency):
    """Within 12 standard deviations of the noise, which fails with probability below 1e-15."""
    schema = Schema(COLUMNS, unit="patient", max_records=5, adjacency=adjacency, max_rows=10**4)
    with Curator(RECORDS, schema, budget=PureDP(500)) as curator:
        table = curator.table(["smoking", "region"], PureDP(500))
    bounded = np.minimum(np.bincount(RECORDS["patient"]), 5).sum()
    assert table.declared_total + table.other == pytest.approx(bounded, abs=12 * 7 * 0.02)


# ---- what is refused, for free


OTHERS = {
    "mean": ("age", PureDP(1)),
    "moments": ("age", PureDP(1)),
    "series": ("age", 3, PureDP(1)),
    "cdf": ("age", GaussianDP(1), 10),
    "sample": ("age", 3, PureDP(1)),
    "select": ("region", PureDP(1)),
}


def test_the_other_verbs_are_refused_before_a_charge(known_verbs):
    assert set(OTHERS) | set(CALLS) == known_verbs[0]
    told = set()
    for records in (RECORDS, RECORDS.iloc[:1]):
        for adjacency in ("replace-one", "add-remove"):
            schema = Schema(COLUMNS, unit="patient", max_records=1, adjacency=adjacency)
            with Curator(records, schema, budget=PureDP(10)) as curator:
                for verb, args in OTHERS.items():
                    for call in (
                        lambda v=verb, a=args: getattr(curator, v)(*a),
                        lambda v=verb, a=args: curator.price(v, *a),
                    ):
                        with pytest.raises(NotAvailable) as refused:
                            call()
                        told.add(str(refused.value))
                assert curator.ledger.entries() == ()
    assert told == {
        f"{verb} is for records of one person each; with unit='patient' there are table, histogram" for verb in OTHERS
    }


def test_no_number_of_records_is_to_be_had():
    for adjacency in ("replace-one", "add-remove"):
        with Curator(
            RECORDS, Schema(COLUMNS, unit="patient", max_records=5, adjacency=adjacency), budget=PureDP(1)
        ) as curator:
            with pytest.raises(NotAvailable, match="n is not public under unit='patient'"):
                _ = curator.n
            with pytest.raises(NotAvailable, match="fixed= column"):
                _ = curator.group_sizes


def test_nothing_is_read_before_the_charge(monkeypatch):
    def refuse(*_):
        raise AssertionError("the records were read")

    for name in ("count_rows", "tabulate", "count_groups", "count_bins"):
        monkeypatch.setattr(Source, name, refuse)
    with Curator(RECORDS, SCHEMA, budget=PureDP(2)) as curator:
        for verb, args in CALLS.items():
            curator.price(verb, *args)
            with pytest.raises(ReleaseFailed):
                getattr(curator, verb)(*args)
        assert curator.ledger.spent == 1.0


BAD_UNITS = {
    "dates": pl.Series([datetime.date(2024, 1, 1)]),
    "timestamps": pl.Series([datetime.datetime(2024, 1, 1)]),
    "decimals": pl.Series([decimal.Decimal("1.5")]),
    "lists": pl.Series([[1]]),
    "booleans": pl.Series([True]),
    "bytes": pl.Series([b"1"]),
}


@pytest.mark.parametrize("case", BAD_UNITS)
def test_a_unit_of_another_type_is_refused_when_the_records_are_opened(case):
    frame = pl.DataFrame({"patient": BAD_UNITS[case], "smoking": ["no"]})
    schema = Schema({"smoking": ["no", "yes"]}, unit="patient", max_records=5)
    for source in (frame, frame.lazy(), frame.to_arrow()):
        with pytest.raises(InvalidInput, match="the unit 'patient' must hold text or whole numbers"):
            Curator(source, schema, budget=PureDP(1))
    with pytest.raises(InvalidInput, match="unknown column, the unit of the schema 'patient'; known: 'smoking'"):
        Curator(frame.select("smoking"), schema, budget=PureDP(1))


def test_a_record_without_a_person_counts_and_so_do_all_of_them():
    """Exact counts through a gate without noise are not needed: 40 scales of noise lie between 0 and the count."""
    frame = pd.DataFrame({"patient": [None] * 2000 + ["p"] * 2000, "smoking": ["no"] * 2000 + ["yes"] * 2000})
    with Curator(frame, Schema({"smoking": ["no", "yes"]}, unit="patient", max_records=5), budget=PureDP(1)) as curator:
        table = curator.table("smoking", PureDP(1))
    assert table.counts[0] == pytest.approx(2000, abs=40 * 10)
    assert table.counts[1] == pytest.approx(5, abs=40 * 10)


# ---- the ledger


SCHEMAS = {
    "records": Schema(COLUMNS),
    "persons": SCHEMA,
    "persons, added": Schema(COLUMNS, unit="patient", max_records=5, adjacency="add-remove"),
    "other persons": Schema(COLUMNS, unit="household", max_records=5),
}


@pytest.mark.parametrize("first", SCHEMAS)
def test_a_ledger_keeps_to_who_is_protected(first, tmp_path):
    path = tmp_path / "budget.ledger"
    Ledger.create(path, PureDP(3))
    frame = RECORDS.assign(household=RECORDS["patient"] // 2)
    with Curator(frame, SCHEMAS[first], ledger=path) as curator:
        curator.table("smoking", PureDP(0.5), request_id="first")
    for name, schema in SCHEMAS.items():
        with Curator(frame, schema, ledger=path) as curator:
            if name == first:
                assert curator.price("table", "smoking", PureDP(0.5)).admitted
                continue
            for call in (
                lambda c: c.table("smoking", PureDP(0.5)),
                lambda c: c.price("table", "smoking", PureDP(0.5)),
                lambda c: c.table("smoking", PureDP(0.5), request_id="first"),
            ):
                with pytest.raises(LedgerError) as refusal:
                    call(curator)
                assert str(N) not in "".join(traceback.format_exception_only(refusal.value))
            assert len(curator.ledger.entries()) == 1


def test_other_numbers_of_records_are_other_requests_of_one_ledger(tmp_path):
    path = tmp_path / "budget.ledger"
    Ledger.create(path, PureDP(3))
    for most in (1, 5, 1000):
        with Curator(RECORDS, Schema(COLUMNS, unit="patient", max_records=most), ledger=path) as curator:
            curator.table("smoking", PureDP(0.5), request_id=f"with {most}")
            if most > 1:
                with pytest.raises(LedgerError):
                    curator.table("smoking", PureDP(0.5), request_id="with 1")
    assert Ledger(path).spent == 1.5


def test_samples_that_protect_records_and_persons_are_not_tested_together():
    tables = []
    for schema in (SCHEMAS["records"], SCHEMA, SCHEMA):
        with Curator(RECORDS, schema, budget=PureDP(10)) as curator:
            tables.append(curator.table("smoking", PureDP(5)))
    with pytest.raises(InvalidInput, match=r"protect different units \(person: patient, record\)"):
        homogeneity(tables[0], tables[1])
    assert not homogeneity(*tables[1:], rng=1).n_is_public


# ---- replays on neighbours


VALUES = st.tuples(
    st.sampled_from(["no", "yes", "?", None]), st.sampled_from(["n", 1, None]), st.sampled_from([0, 99, None, 1e9])
)
OWN = st.lists(VALUES, max_size=12)
REST = st.lists(
    st.tuples(st.sampled_from(["q", "r", "", None, 7]), *VALUES.wrapped_strategy.element_strategies), max_size=8
)


def frame_of(records):
    columns = list(zip(*records, strict=True)) or [()] * 4
    kinds = (object, object, object, float)
    return pd.DataFrame(
        {
            name: pd.Series(values, dtype=kind)
            for name, values, kind in zip(("patient", *COLUMNS), columns, kinds, strict=True)
        }
    )


@settings(max_examples=60, deadline=None)
@given(
    REST, OWN, OWN, st.integers(1, 6), st.sampled_from(["replace-one", "add-remove"]), st.sampled_from(GUARANTEES),
    st.sampled_from([None, Laplace(), Laplace(integer=True)]), st.sampled_from(list(CALLS)), st.booleans(),
)  # fmt: skip
def test_replacing_a_person_is_the_same_public_call(
    rest, old, new, most, adjacency, guarantee, mechanism, verb, complete
):
    """Whatever records she has, and however many; the integers at the gate are no further apart than was paid for."""
    schema = Schema(COLUMNS, unit="patient", max_records=most, adjacency=adjacency, complete=complete, max_rows=10**4)
    if adjacency == "add-remove":
        new = []
    first, second = (frame_of([*rest, *(("p", *record) for record in own)]) for own in (old, new))
    found = replay(verb, first, second, schema, *CALLS[verb][:-1], guarantee, mechanism)
    assert found.refusal is None
    assert found.differences == ()
    assert found.sound(guarantee)
    assert found.calls[0].l1 <= (2 if adjacency == "replace-one" else 1) * most
    assert found.calls[0].l2_squared <= (2 if adjacency == "replace-one" else 1) * most**2


@pytest.mark.parametrize("verb", CALLS)
@pytest.mark.parametrize("guarantee", GUARANTEES[:3], ids=str)
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("most", [1, 5])
def test_what_was_paid_for_is_needed(verb, guarantee, adjacency, most):
    schema = Schema(COLUMNS, unit="patient", max_records=most, adjacency=adjacency, max_rows=10**4)
    old, new = ([("p", place, "n", age)] * 9 for place, age in (("no", 0), ("yes", 99)))
    rest = [("q", "no", "n", 50)] * 3
    found = replay(
        verb,
        frame_of([*rest, *old]),
        frame_of([*rest, *(new if adjacency == "replace-one" else [])]),
        schema,
        *CALLS[verb][:-1],
        guarantee,
    )
    assert found.sound(guarantee)
    assert found.share(guarantee) == pytest.approx(1, rel=1e-6)


def test_more_persons_than_one_are_seen():
    schema = Schema(COLUMNS, unit="patient", max_records=3, adjacency="add-remove", max_rows=10**4)
    rest = [("q", "no", "n", 50)] * 3
    found = replay(
        "table",
        frame_of(rest),
        frame_of([*rest, *[("p", "no", "n", 1), ("r", "no", "n", 1)] * 3]),
        schema,
        ["smoking"],
        PureDP(1),
    )
    assert not found.sound(PureDP(1))
    assert found.epsilon == 2


# ---- what the tests of an analyst do with it


def test_tests_of_persons_estimate_the_total():
    with Curator(
        RECORDS, Schema(COLUMNS, unit="patient", max_records=1, max_rows=10**6), budget=PureDP(100)
    ) as curator:
        table = curator.table(["smoking", "region"], PureDP(20))
    result = independence(table, rng=1)
    assert not result.n_is_public
    assert result.n == pytest.approx(table.declared_total)


def test_a_wide_table_of_persons_is_the_same_from_the_ledger_and_from_every_file(tmp_path):
    """Of more than 100,000 cells, which are packed."""
    rng = np.random.default_rng(20261130)
    frame = pd.DataFrame(
        {"who": rng.integers(0, 4000, 20_000), **{name: rng.integers(0, 400, 20_000) for name in "ab"}}
    )
    schema = Schema({name: range(400) for name in "ab"}, unit="who", max_records=3)
    with Curator(frame, schema, ledger=Ledger.create(tmp_path / "w.ledger", GaussianDP(2))) as curator:
        table = curator.table(["a", "b"], GaussianDP(1), request_id="once")
        assert curator.table(["a", "b"], GaussianDP(1), request_id="once") == table
    assert table.n is None
    assert len(table.drawn) == 160_001
    for suffix in ("json", "parquet", "arrow"):
        table.save(tmp_path / f"w.{suffix}")
        assert discreet.load(tmp_path / f"w.{suffix}") == table


def test_tests_of_all_pairs_say_that_persons_have_several_records():
    rows = range(4000)
    frame = pd.DataFrame({"who": [i // 2 for i in rows], "a": [i % 2 for i in rows], "b": [i // 2 % 2 for i in rows]})
    for most, warned in ((1, False), (2, True)):
        schema = Schema({name: range(2) for name in "ab"}, unit="who", max_records=most)
        with Curator(frame, schema, budget=GaussianDP(1)) as curator:
            shown = repr(independence_pairs(curator.table(["a", "b"], GaussianDP(1))))
        assert ("1 of the tests warns" in shown) == warned
