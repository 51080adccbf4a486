"""Samples and selections through the curator: budgets, refusals before the charge, nothing but the gate draws."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from discreet import Bounded, Curator, GaussianDP, Ledger, PureDP, Schema, ZeroConcentratedDP, load
from discreet.curator import gate
from discreet.errors import BudgetExceeded, InvalidInput, NotAvailable
from discreet.mechanisms import Exponential, MeanDistance, SeriesDistance, SmoothedHistogram

RNG = np.random.default_rng(5)
RECORDS = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, 300),
        "grade": RNG.integers(0, 11, 300),
        "party": RNG.choice(["red", "green", "blue"], 300, p=[0.1, 0.8, 0.1]),
    }
)
SCHEMA = Schema({"age": Bounded(0, 100), "grade": Bounded(0, 10, step=1), "party": ["red", "green", "blue"]})
MECHANISMS = [
    ("age", None, None, "KolmogorovExponential"),
    ("age", 12, Exponential(), "KolmogorovExponential"),
    ("grade", None, Exponential(MeanDistance()), "MeanExponential"),
    ("grade", 3, Exponential(SeriesDistance(2)), "SeriesExponential"),
    ("grade", 40, SmoothedHistogram(5), "SmoothedHistogram"),
]


@pytest.mark.parametrize(("column", "size", "mechanism", "name"), MECHANISMS)
def test_a_sample_from_the_curator(column, size, mechanism, name, tmp_path):
    with Curator(RECORDS, SCHEMA, budget=PureDP(1)) as curator:
        price = curator.price("sample", column, size, PureDP(0.5), mechanism)
        release = curator.sample(column, size, PureDP(0.5), mechanism)
        assert curator.ledger.remaining == 0.5
        assert price.cost == release.cost
    assert (release.mechanism, release.n, release.column_name) == (name, 300, column)
    assert release.size == price.accuracy["size"]
    assert (np.diff(release.points) >= 0).all()
    assert 0 <= release.points[0] <= release.points[-1] <= release.column.upper
    assert set(release.schema.columns) == {column}
    release.save(tmp_path / "sample.json")
    assert load(tmp_path / "sample.json") == release


@pytest.mark.parametrize("budget", [PureDP(0.5), GaussianDP(1), ZeroConcentratedDP(1)])
def test_other_budgets_are_charged_in_their_own_currency(budget):
    with Curator(RECORDS, SCHEMA, budget=budget) as curator:
        curator.sample("age", 5, PureDP(0.5))
        charged = curator.ledger.entries()[0].cost
    expected = {"epsilon": 0.5, "mu": 0.6238926, "rho": 0.5**2 / 8}[charged.currency]
    assert charged.amount == pytest.approx(expected, rel=1e-6)


def test_a_sample_is_near_the_records():
    """The KS distance exceeds .35 with probability below e^-20: its weight is e^(-5 300 (.35 - .05)/2) of that at .05."""
    with Curator(RECORDS, SCHEMA, budget=PureDP(5)) as curator:
        release = curator.sample("grade", 30, PureDP(5))
    below = np.array([(RECORDS["grade"] <= g).mean() for g in range(11)])
    assert np.max(np.abs(release.cdf(np.arange(11)) - below)) < 0.35


def test_every_engine_gives_the_same_law(monkeypatch, tmp_path):
    """The gate is asked for the same choices whatever holds the records, and for nothing else."""
    RECORDS.to_csv(tmp_path / "records.csv", index=False)
    sources = [RECORDS, pl.from_pandas(RECORDS), tmp_path / "records.csv", duckdb.from_df(RECORDS)]
    for column, size, mechanism, _ in MECHANISMS[1:]:
        asked = []
        for source in sources:
            weights = []

            def choose(offered, weights=weights):
                weights.append(tuple(offered))
                return max(i for i, weight in enumerate(offered) if weight)  # the last one: a draw is kept

            monkeypatch.setattr(gate, "choose", choose)
            with Curator(source, SCHEMA, budget=PureDP(1)) as curator:
                codes = curator.sample(column, size, PureDP(1), mechanism).codes
            asked.append((weights, codes))
        assert asked[0][0]
        assert all(other == asked[0] for other in asked[1:])


def test_nulls_and_strays_count_where_the_schema_says():
    records = pd.DataFrame({"x": [None, float("nan"), -5.0, 99.0, float("inf")] * 40})
    schema = Schema({"x": Bounded(0, 10, step=1, missing=3)})
    with Curator(records, schema, budget=PureDP(50)) as curator:
        release = curator.sample("x", 5, PureDP(50))
    assert release.points.tolist() == [0, 3, 3, 10, 10]  # anything else has probability below e^-900


def test_a_repeated_request_returns_the_same_sample_and_spends_nothing(tmp_path):
    Ledger.create(tmp_path / "ledger", PureDP(1))
    with Curator(RECORDS, SCHEMA, ledger=tmp_path / "ledger") as curator:
        first = curator.sample("age", 9, PureDP(1), request_id="a")
        assert curator.sample("age", 9, PureDP(1), request_id="a") == first
        with pytest.raises(Exception, match="request"):
            curator.sample("age", 10, PureDP(1), request_id="a")
        with pytest.raises(BudgetExceeded):
            curator.sample("age", 9, PureDP(1))


REFUSED = [
    (("nothing", 5, PureDP(1)), InvalidInput, "unknown column 'nothing'"),
    (("party", 5, PureDP(1)), InvalidInput, "categorical; this needs a numeric column"),
    (("age", 0, PureDP(1)), InvalidInput, "size, the number of points"),
    (("age", 5, GaussianDP(1)), NotAvailable, "promises pure epsilon"),
    (("age", 5, PureDP(1), "ks"), InvalidInput, "mechanism must be a specification"),
    (("age", 500, PureDP(1), SmoothedHistogram(0)), InvalidInput, "cells must be a whole number"),
    (("grade", 5, PureDP(1), SmoothedHistogram(11)), InvalidInput, "from 1 to 10, the column's grid steps"),
    (("age", 5, PureDP(1), Exponential(SeriesDistance(2))), NotAvailable, "more than 10\\^15"),
]


@pytest.mark.parametrize(("arguments", "kind", "message"), REFUSED)
def test_refusals_cost_nothing(arguments, kind, message):
    with Curator(RECORDS, SCHEMA, budget=PureDP(1)) as curator:
        with pytest.raises(kind, match=message):
            curator.sample(*arguments)
        assert curator.ledger.remaining == 1


@pytest.mark.parametrize("mechanism", [None, Exponential(MeanDistance()), SmoothedHistogram()])
def test_add_remove_is_refused_with_the_reason(mechanism):
    schema = Schema({"age": Bounded(0, 100)}, adjacency="add-remove")
    with Curator(RECORDS, schema, budget=PureDP(1)) as curator:
        with pytest.raises(NotAvailable, match="one record more would change every frequency at once"):
            curator.sample("age", 5, PureDP(1), mechanism)
        assert curator.ledger.remaining == 1


def test_the_most_frequent_category(tmp_path):
    """Green leads by more than 100 records of 300: another is chosen with probability below 2 e^-100."""
    with Curator(RECORDS, SCHEMA, budget=PureDP(2)) as curator:
        release = curator.select("party", PureDP(2))
    assert release.candidate == "green"
    assert (release.candidates, release.spread, release.n) == (("red", "green", "blue"), 2, 300)
    release.save(tmp_path / "selection.json")
    assert load(tmp_path / "selection.json") == release


def test_scores_by_matrix_and_by_function():
    schema = Schema({"party": ["red", "green", "blue"]}, complete=True)
    with Curator(RECORDS, schema, budget=PureDP(10)) as curator:
        matrix = [[1, 0, 0], [0, 0, 1], [-1, 1, -1]]
        assert curator.select("party", PureDP(5), ["red", "blue", "most"], matrix).candidate == "most"
    few = RECORDS.head(20)
    with Curator(few, schema, budget=PureDP(500)) as curator:
        release = curator.select("party", PureDP(500), ["square", "other"], lambda c: [c[1] ** 2, 2 * c[0]])
    assert (release.candidate, release.spread) == ("square", 39 + 2)


def test_adding_a_record_needs_half_the_noise():
    schema = Schema({"party": ["red", "green", "blue"]}, adjacency="add-remove")
    with Curator(RECORDS, schema, budget=PureDP(1)) as curator:
        release = curator.select("party", PureDP(1))
    assert (release.spread, release.n) == (1, None)


SELECT_REFUSED = [
    (("age", PureDP(1)), {}, InvalidInput, "numeric"),
    (("party", GaussianDP(1)), {}, NotAvailable, "promises pure epsilon"),
    (("party", PureDP(1), ["a", "b"]), {}, InvalidInput, "candidates need a score"),
    (("party", PureDP(1), None, [[1, 0, 0]]), {}, InvalidInput, "a score needs candidates"),
    (("party", PureDP(1), ["a", "a"], [[1, 0, 0]] * 2), {}, InvalidInput, "different names"),
    (("party", PureDP(1), [1, 2], [[1, 0, 0]] * 2), {}, InvalidInput, "names in text"),
    (("party", PureDP(1), ["a"], [[3, 0, 0]]), {"sensitivity": 2}, InvalidInput, "sensitivity 2 is exceeded.*by 3"),
    (("party", PureDP(1), ["a"], [[float("inf"), 0, 0]]), {}, InvalidInput, "whole numbers"),
    (("party", PureDP(1), ["a"], lambda c: [0]), {"sensitivity": 1}, NotAvailable, "sensitivity is not believed"),
]


@pytest.mark.parametrize(("arguments", "named", "kind", "message"), SELECT_REFUSED)
def test_refused_selections_cost_nothing(arguments, named, kind, message):
    with Curator(RECORDS, SCHEMA, budget=PureDP(1)) as curator:
        with pytest.raises(kind, match=message):
            curator.select(*arguments, **named)
        assert curator.ledger.remaining == 1


def test_a_selection_by_a_fixed_column_counts_every_record_once(monkeypatch):
    schema = Schema({"sex": ["f", "m"], "smoking": ["no", "yes"]}, fixed="sex")
    records = pd.DataFrame({"sex": ["f", "m", "x", "m"], "smoking": ["no", "yes", "no", "?"]})
    seen = []
    monkeypatch.setattr(gate, "choose", lambda weights: seen.append(weights) or 0)
    with Curator(records, schema, budget=PureDP(1)) as curator:
        score = [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1]]  # f and no; strays of both kinds
        curator.select(["sex", "smoking"], PureDP(1), ["first", "strays"], score)
    assert seen[0][0] / seen[0][1] == pytest.approx(np.exp(-1 / 2))  # 1 against 2, at a spread of 2
