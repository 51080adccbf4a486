"""How far one person moves the counts: never more than the declared sensitivities, as far as they allow, and nobody else.

Exhaustive where the universe is small: all multisets of records that a person can have, against all others.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.curator.source import open_source
from discreet.privacy import sensitivity
from discreet.schema import Bounded, Schema

SOURCES = {
    "pandas": lambda frame: frame,
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "duckdb": lambda frame: duckdb.connect().from_df(frame),
}
COLUMNS: dict[str, Any] = {"x": ["a", "b"], "z": Bounded(0, 2, step=1, missing=0)}
CELLS = [("a", 0.0), ("b", 1.0), (None, 2.0)]  # three cells of a table of x, the stray's too, and of a histogram of z
OTHERS: dict[str, list[tuple[Any, Any, Any]]] = {
    "alone": [],
    "among others": [("q", "a", 0.0)] * 2 + [("q", "b", 1.0)] * 4 + [("r", None, 2.0)] + [(None, "b", 1.0)] * 3,
}


def frame_of(records: list[tuple[Any, Any, Any]]) -> pd.DataFrame:
    columns = list(zip(*records, strict=True)) or [(), (), ()]
    return pd.DataFrame(
        {
            name: pd.Series(values, dtype=kind)
            for name, kind, values in zip(("who", "x", "z"), (object, object, float), columns, strict=True)
        }
    ).astype({"who": "string", "x": "string"})


def counted(source: Any, most: int, complete: bool = False) -> tuple[tuple[int, ...], tuple[int, ...]]:
    opened = open_source(source, Schema(COLUMNS, unit="who", max_records=most, complete=complete))
    return tuple(opened.tabulate(["x"])), tuple(opened.count_bins(["z"], [3]))


def distances(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, int]:
    moved = np.subtract(first, second)
    return int(np.abs(moved).sum()), int((moved**2).sum())


@pytest.mark.parametrize("others", OTHERS)
@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
@pytest.mark.parametrize("most", [1, 2])
def test_all_persons_against_all_others(most: int, engine: str, others: str) -> None:
    """Every multiset of up to 2k + 1 records over three cells, in place of every other; one source for each."""
    answers = {}
    for size in range(2 * most + 2):
        for own in itertools.combinations_with_replacement(range(3), size):
            records = [*OTHERS[others], *(("p", *CELLS[i]) for i in own)]
            answers[own] = counted(SOURCES[engine](frame_of(records)), most)
    without = answers[()]
    for verb in range(2):
        replaced = [
            distances(first[verb], second[verb]) for first, second in itertools.combinations(answers.values(), 2)
        ]
        removed = [distances(answer[verb], without[verb]) for answer in answers.values()]
        for found, adjacency in ((replaced, "replace-one"), (removed, "add-remove")):
            declared = sensitivity.table(adjacency, records=most)
            assert max(l1 for l1, _ in found) == declared.l1
            assert max(squared for _, squared in found) == declared.l2_squared
        for own, answer in answers.items():
            own_kept = np.subtract(answer[verb], without[verb])  # the rest is that of the others, unchanged
            assert own_kept.sum() == min(len(own), most)
            assert (own_kept >= 0).all()
            assert (own_kept <= [Counter(own)[i] for i in range(3)]).all()


NAMES = st.sampled_from(["q", "r", "7", "", None])
RECORDS = st.tuples(NAMES, st.sampled_from(["a", "b", "c", None]), st.sampled_from([0.0, 1.0, 2.0, 9.0, -1.0, None]))
OWN = st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from([0.0, 1.0, 2.0, None])), max_size=40)


@settings(max_examples=25, deadline=None)
@given(st.lists(RECORDS, max_size=30), OWN, OWN, st.integers(1, 9), st.booleans(), st.randoms(use_true_random=False))
def test_one_person_among_many(others: Any, old: Any, new: Any, most: int, complete: bool, random: Any) -> None:
    answers = []
    for own in (old, new, []):
        records = [*others, *(("p", *record) for record in own)]
        random.shuffle(records)
        found = {name: counted(build(frame_of(records)), most, complete) for name, build in SOURCES.items()}
        assert len(set(found.values())) == 1
        answers.append(found["pandas"])
    for verb in range(2):
        replaced, removed = (distances(answers[0][verb], answers[i][verb]) for i in (1, 2))
        assert replaced[0] <= 2 * most
        assert replaced[1] <= 2 * most**2
        assert removed[0] == min(len(old), most)
        assert (np.subtract(answers[0][verb], answers[2][verb]) >= 0).all()


def test_a_record_without_a_person_is_one_of_its_own() -> None:
    """No number of them is bounded, and each moves the counts by itself alone."""
    for build in SOURCES.values():
        for n in (0, 1, 50):
            table, histogram = counted(build(frame_of([(None, "a", 0.0)] * n + [("p", "b", 1.0)] * 9)), 2)
            assert table == (n, 2, 0)
            assert histogram == (n, 2, 0)
