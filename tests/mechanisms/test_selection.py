"""Selections: the sensitivity of a score is the exact one, and no neighbour costs more than epsilon."""

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.choices import selection
from discreet.mechanisms.choices.selection import CountScore, LinearScore, Selection, linear_score, tabulated_score
from discreet.privacy import PureDP


def tables(n, cells):
    return [t for t in product(range(n + 1), repeat=cells) if sum(t) == n]


def neighbours(counts, adjacency):
    cells = range(len(counts))
    if adjacency == "add-remove":
        for a in cells:
            yield tuple(c + (i == a) for i, c in enumerate(counts))
        return
    for a, b in product(cells, repeat=2):
        if a != b and counts[a]:
            yield tuple(c - (i == a) + (i == b) for i, c in enumerate(counts))


def searched(score, adjacency, n=3, cells=3):
    """Sensitivity, spread, and the largest ratio of probabilities at epsilon = 1, by trying all neighbours."""
    mechanism = Selection(PureDP(1), score)
    sensitivity = spread = 0
    ratio = Fraction(0)
    for counts in tables(n, cells):
        first = mechanism.weigh(counts)
        for other in neighbours(counts, adjacency):
            changes = [y - x for x, y in zip(score.of(counts), score.of(other), strict=True)]
            sensitivity = max(sensitivity, *map(abs, changes))
            spread = max(spread, max(changes) - min(changes))
            second = mechanism.weigh(other)
            for p, q in zip(first, second, strict=True):
                pair = Fraction(p, sum(first)) / Fraction(q, sum(second))
                ratio = max(ratio, pair, 1 / pair)
    return sensitivity, spread, ratio


MATRICES = [
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[2, -1, 0], [0, 3, 1]],
    [[0, 1, 2], [0, 1, 2], [1, 2, 3]],  # all scores move together: nothing to protect but the differences
    [[5, 5, 5]],
]


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("matrix", MATRICES)
def test_the_sensitivity_of_a_matrix_is_the_one_that_is_found_by_search(matrix, adjacency):
    score = linear_score(matrix, len(matrix), 3, False, adjacency)
    sensitivity, spread, ratio = searched(score, adjacency)
    assert (score.sensitivity, score.spread) == (sensitivity, spread)
    with mpmath.workdps(50):
        assert mpmath.mpf(ratio.numerator) / ratio.denominator <= mpmath.e


@pytest.mark.parametrize(("adjacency", "spread"), [("replace-one", 2), ("add-remove", 1)])
def test_counts_as_scores(adjacency, spread):
    score = CountScore(3, adjacency)
    sensitivity, found, ratio = searched(score, adjacency, n=4)
    assert (score.sensitivity, score.spread) == (sensitivity, found) == (1, spread)
    assert 1.5 < ratio < 2.7182818285
    with_other = CountScore(2, adjacency)  # a third cell that is no candidate
    assert searched(with_other, adjacency)[1] == with_other.spread


def test_a_spread_that_is_too_small_would_be_found():
    score = linear_score(MATRICES[1], 2, 3, False, "replace-one")
    wrong = LinearScore(score.matrix, "replace-one")
    object.__setattr__(wrong, "spread", score.spread // 2)  # the cached number
    assert searched(wrong, "replace-one")[2] > 3


def test_a_large_matrix_is_bounded_by_twice_the_sensitivity(monkeypatch):
    rng = np.random.default_rng(0)
    score = linear_score(rng.integers(-9, 10, (30, 50)), 30, 50, False, "replace-one")
    exact = score.spread
    by_columns = max(int(np.ptp(score.matrix.T - column, axis=1).max()) for column in score.matrix.T)
    assert exact == by_columns <= 2 * score.sensitivity
    monkeypatch.setattr(selection, "MOST_WORK", 1)
    assert linear_score(score.matrix, 30, 50, False, "replace-one").spread == 2 * score.sensitivity


def test_a_function_is_tried_on_every_table():
    score = tabulated_score(lambda counts: [counts[0] ** 2, 3 * counts[1]], 2, 2, 5)
    sensitivity, spread, ratio = searched(score, "replace-one", n=5, cells=2)
    assert (score.sensitivity, score.spread) == (sensitivity, spread) == (9, 12)
    assert ratio < 2.7182818285


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (lambda counts: [1.5, 2.0], InvalidInput, "2 whole numbers, one a candidate"),
        (lambda counts: [float("nan"), 0], InvalidInput, "2 whole numbers"),
        (lambda counts: [1, 2, 3], InvalidInput, "2 whole numbers"),
    ],
)
def test_scores_that_are_no_whole_numbers(function, kind, message):
    with pytest.raises(kind, match=message):
        tabulated_score(function, 2, 2, 5)


def test_functions_of_too_many_tables_are_refused_with_the_reason():
    with pytest.raises(NotAvailable, match="declared sensitivity is not believed"):
        tabulated_score(lambda counts: [0], 1, 12, 1000)
    with pytest.raises(NotAvailable, match="n is not public"):
        tabulated_score(lambda counts: [0], 1, 2, None)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0.5, 1, 0]], "matrix of whole numbers"),
        ([[float("inf"), 1, 0]], "matrix of whole numbers"),
        ([1, 2, 3], "matrix of whole numbers"),
        ([[1, 2]], r"one row a candidate and one column a cell, 1 x 3 \(or 4, with the other cell\)"),
        ([[1, 2, 3], [4, 5, 6]], "one row a candidate"),
        ([[2**20 + 1, 0, 0]], r"within 2\^20 of zero"),
    ],
)
def test_bad_matrices(matrix, message):
    with pytest.raises(InvalidInput, match=message):
        linear_score(matrix, 1, 3, True, "replace-one")


def test_the_other_cell_scores_nothing_unless_it_has_a_column():
    assert linear_score([[1, 2, 3]], 1, 3, True, "replace-one").of([1, 1, 1, 9]) == [6]
    assert linear_score([[1, 2, 3, -1]], 1, 3, True, "replace-one").of([1, 1, 1, 9]) == [-3]


def test_the_stated_shortfall_is_exceeded_with_probability_five_percent_at_most():
    mechanism = Selection(PureDP(0.5), CountScore(10, "replace-one"))
    shortfall = mechanism.accuracy["shortfall"]
    for gap in (round(shortfall), round(shortfall) + 1):
        weights = mechanism.weigh([1000] + [1000 - gap] * 9)
        chance = 1 - weights[0] / sum(weights)
        if gap > shortfall:
            assert chance <= 0.05
    assert chance > 0.03
