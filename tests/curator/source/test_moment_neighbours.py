"""How far one replaced record moves the exact sums: never more than the declared sensitivities, and as far as they allow."""

from __future__ import annotations

import datetime
import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from discreet.curator.source import Moments, open_source
from discreet.curator.source.moments import gather
from discreet.curator.source.numeric import Grid
from discreet.schema import Bounded, Schema

COLUMNS = {"a": Bounded(0, 1, step=1), "b": Bounded(-1, 1, step=0.4), "c": Bounded(0, 3), "d": Bounded(0, 7, step=1)}
STEPS = [column.steps for column in COLUMNS.values()]
SCHEMA = Schema({**COLUMNS, "g": ["x", "y"]}, fixed="g")
RAW = [
    None,
    float("nan"),
    float("inf"),
    -float("inf"),
    0,
    1,
    -1,
    3,
    7,
    0.5,
    "2",
    "text",
    2**70,
    datetime.date(2024, 1, 1),
    True,
    1e308,
]


def centred(moments: Moments) -> list[list[int]]:
    """round((n Q_ij - s_i s_j)/(n - 1)), ties up."""
    n, s, q = moments.n, moments.sums, moments.products
    scaled = [[Fraction(n * q[i][j] - s[i] * s[j], max(n - 1, 1)) for j in range(len(s))] for i in range(len(s))]
    return [[int((entry + Fraction(1, 2)) // 1) for entry in row] for row in scaled]


def asked(rows: list[list[Any]]) -> list[Moments]:
    frame = pd.DataFrame({name: pd.Series([row[i] for row in rows], dtype=object) for i, name in enumerate(SCHEMA)})
    return open_source(frame, SCHEMA).sums(list(COLUMNS), products=True)


def test_one_replaced_record_of_any_values() -> None:
    """Raw values of every kind, within a group of public size: through the whole road, from value to centred product."""
    rng = np.random.default_rng(3)

    def record(label: str) -> list[Any]:
        return [*(RAW[i] for i in rng.integers(0, len(RAW), len(COLUMNS))), label]

    largest = np.zeros((len(STEPS), len(STEPS)))
    for _ in range(150):
        labels = list(rng.choice(["x", "y", "z"], size=rng.integers(2, 8)))
        rows = [record(label) for label in labels]
        if rng.random() < 0.5:  # all others alike: the mean of the others at a corner moves the products farthest
            rows = [[*rows[0][:-1], label] for label in labels]
        which = int(rng.integers(len(rows)))
        neighbour = [*rows[:which], record(labels[which]), *rows[which + 1 :]]
        before, after = asked(rows), asked(neighbour)
        assert [part.n for part in before] == [part.n for part in after]
        touched = {"x": 0, "y": 1, "z": 2}[labels[which]]
        for group, (old, new) in enumerate(zip(before, after, strict=True)):
            if group != touched:
                assert (old.sums, old.products) == (new.sums, new.products)
            assert all(abs(x - y) <= J for x, y, J in zip(old.sums, new.sums, STEPS, strict=True))
            moved = np.abs(np.array(centred(old)) - np.array(centred(new)))
            assert (moved <= np.outer(STEPS, STEPS)).all()
            largest = np.maximum(largest, moved / np.outer(STEPS, STEPS))
    assert largest.min() > 0.9  # the bound is nearly reached in every entry: the search goes where it hurts


@pytest.mark.parametrize(("steps", "n"), [((1, 1), 5), ((2, 3), 3), ((1, 4), 3), ((3, 3), 2)])
def test_all_neighbours_of_small_universes(steps: tuple[int, int], n: int) -> None:
    """Every table of n records and every neighbour; the largest move is J_i J_j itself, rounding included."""
    points = list(itertools.product(*(range(J + 1) for J in steps)))
    sums: dict[tuple[int, ...], list[list[int]]] = {}
    for chosen in itertools.combinations_with_replacement(range(len(points)), n):
        codes = np.array([points[i] for i in chosen])
        sums[chosen] = centred(
            Moments(n, tuple(codes.sum(axis=0).tolist()), tuple(map(tuple, (codes.T @ codes).tolist())))
        )
    largest = np.zeros((2, 2), dtype=int)
    for chosen, entries in sums.items():
        for position, point in itertools.product(range(n), range(len(points))):
            other = tuple(sorted((*chosen[:position], *chosen[position + 1 :], point)))
            largest = np.maximum(largest, np.abs(np.array(entries) - np.array(sums[other])))
    assert largest.tolist() == np.outer(steps, steps).tolist()


def test_a_climb_to_the_largest_move() -> None:
    """Many records and steps: codes climb to corners, and the diagonal reaches J^2, never more."""
    rng = np.random.default_rng(11)
    grids = [Grid.of(column) for column in COLUMNS.values()]
    bound = np.outer(STEPS, STEPS)

    def moved(others: np.ndarray[Any, Any], x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        found = []
        for record in (x, y):
            codes = np.vstack([others, record]).astype(object)
            q = codes.T.dot(codes)
            found.append(centred(Moments(len(codes), tuple(codes.sum(axis=0)), tuple(map(tuple, q)))))
        return np.abs(np.array(found[0]) - np.array(found[1]))

    for _ in range(40):
        n = int(rng.integers(1, 30))
        others = np.array([[rng.integers(0, grid.steps + 1) for grid in grids] for _ in range(n)])
        x, y = others[0].copy(), others[0].copy()
        best = moved(others, x, y)
        for _ in range(200):
            trial = [others.copy(), x.copy(), y.copy()]
            which, column = rng.integers(3), rng.integers(len(grids))
            corner = int(rng.choice([0, grids[column].steps]))
            if which == 0:
                trial[0][:, column] = corner
            else:
                trial[which][column] = corner
            found = moved(*trial)
            assert (found <= bound).all()
            if np.trace(found / bound) >= np.trace(best / bound):
                (others, x, y), best = trial, found
        assert (np.diag(best) == np.diag(bound)).all()


def test_gather_puts_strays_last_or_into_the_first_group() -> None:
    from discreet.curator.source.moments import Part

    parts = [Part(1, 2, [5], [13]), Part(-1, 1, [7], [49]), Part(1, 1, [1], [1])]
    found = gather(parts, 1, products=True, labels=2, complete=False)
    assert [(part.n, part.sums) for part in found] == [(0, (0,)), (3, (6,)), (1, (7,))]
    found = gather(parts, 1, products=True, labels=2, complete=True)
    assert [(part.n, part.products) for part in found] == [(1, ((49,),)), (3, ((14,),))]
