"""Choosing one of a public list by integer scores of a table's counts: the exponential mechanism with a checked sensitivity."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.choices.exponential_weights import ExponentialWeights
from discreet.mechanisms.choices.pure import pure_cost
from discreet.privacy import Cost, PureDP
from discreet.privacy.cost import Currency

Integers = NDArray[np.int64]

LARGEST_ENTRY = 2**20
"""Of a score matrix: with 2^40 records scores stay below 2^60."""

MOST_WORK = 2**31
MOST_TABLES = 20_000
MOST_NEIGHBOURS = 2_000_000


class Score(Protocol):
    """The scores of all candidates from the counts of all cells (the other cell last), and how far one record moves them."""

    @property
    def candidates(self) -> int: ...
    @property
    def sensitivity(self) -> int:
        """The most by which one record moves a candidate's score."""
        ...

    @property
    def spread(self) -> int:
        """The most by which it moves the difference of two candidates' scores."""
        ...

    def of(self, counts: Sequence[int]) -> list[int]: ...


@dataclass(frozen=True)
class CountScore:
    """Every declared cell is a candidate, and its count the score."""

    candidates: int
    adjacency: str

    @property
    def sensitivity(self) -> int:
        """1."""
        return 1

    @property
    def spread(self) -> int:
        """2 where one count falls by one and another rises; 1 where a record is added or removed."""
        return 2 if self.adjacency == "replace-one" and self.candidates > 1 else 1

    def of(self, counts: Sequence[int]) -> list[int]:
        """The counts of the declared cells."""
        return list(counts[: self.candidates])


@dataclass(frozen=True, eq=False)
class LinearScore:
    """W counts, W a public matrix of integers with one row a candidate and one column a cell.

    A record that moves from cell a to cell b moves the score of c by W_cb - W_ca, so the sensitivity is the largest range of a
    row, and the spread the largest range of a difference of two rows. A record added to cell a moves the scores by W_ca: the
    largest entry, and the largest range of a column.
    """

    matrix: Integers
    adjacency: str

    @property
    def candidates(self) -> int:
        """The number of rows."""
        return len(self.matrix)

    @cached_property
    def sensitivity(self) -> int:
        """Exact."""
        moved = np.ptp(self.matrix, axis=1) if self.adjacency == "replace-one" else np.abs(self.matrix).max(1)
        return int(moved.max())

    @cached_property
    def spread(self) -> int:
        """Exact, unless it took more than 2^31 operations: then twice the sensitivity, which is never too small."""
        if self.adjacency != "replace-one":
            return int(np.ptp(self.matrix, axis=0).max())
        # The range over rows of the difference of two columns has the same maximum: whichever are fewer are paired.
        rows = self.matrix if len(self.matrix) <= self.matrix.shape[1] else self.matrix.T
        if len(rows) * self.matrix.size > MOST_WORK:
            return 2 * self.sensitivity
        return max(int(np.ptp(rows - row, axis=1).max()) for row in rows)

    def of(self, counts: Sequence[int]) -> list[int]:
        """W counts."""
        return [int(score) for score in self.matrix @ np.array(counts, np.int64)]


@dataclass(frozen=True, eq=False)
class TabulatedScore:
    """A score that was asked for every possible table beforehand, so that nothing about it has to be believed."""

    scores: dict[tuple[int, ...], tuple[int, ...]]
    candidates: int
    sensitivity: int
    spread: int

    def of(self, counts: Sequence[int]) -> list[int]:
        """The score of this table."""
        return list(self.scores[tuple(counts)])


def linear_score(matrix: Any, candidates: int, cells: int, other: bool, adjacency: str) -> LinearScore:
    """A checked `LinearScore`; the other cell, where there is one and the matrix has no column for it, scores 0."""
    found = np.asarray(matrix)
    if found.dtype.kind not in "iu" or found.ndim != 2:
        raise InvalidInput(
            "score must be a matrix of whole numbers: one row a candidate, one column a cell of the table"
        )
    if found.shape == (candidates, cells) and other:
        found = np.hstack([found, np.zeros((candidates, 1), found.dtype)])
    if found.shape != (candidates, cells + other):
        wanted = f"{candidates} x {cells}" + (f" (or {cells + 1}, with the other cell)" if other else "")
        raise InvalidInput(f"score must have one row a candidate and one column a cell, {wanted}, not {found.shape}")
    if found.size == 0 or max(abs(int(found.max())), abs(int(found.min()))) > LARGEST_ENTRY:
        raise InvalidInput("the numbers of a score must lie within 2^20 of zero, at least one candidate and cell given")
    return LinearScore(found.astype(np.int64), adjacency)


def tabulated_score(
    score: Callable[[tuple[int, ...]], Sequence[int]], candidates: int, cells: int, n: int | None
) -> TabulatedScore:
    """A function of the counts as a score: asked for all tables of n records where these are few."""
    if n is None:
        raise NotAvailable(
            "the sensitivity of a function is found by trying all tables of n records, and n is not public"
        )
    tables = math.comb(n + cells - 1, cells - 1)
    if tables > MOST_TABLES or tables * cells**2 > MOST_NEIGHBOURS:
        raise NotAvailable(
            f"the sensitivity of a function is found by trying all tables: {n} records in {cells} cells have too many (at most "
            f"{MOST_TABLES:,} are tried). A declared sensitivity is not believed; give the score as a matrix of whole numbers"
        )
    scores = {counts: _whole(score(counts), candidates) for counts in _tables(n, cells)}
    sensitivity = spread = 0
    for counts, before in scores.items():
        for a in range(cells):
            for b in range(cells):
                if a != b and counts[a] > 0:
                    moved = list(counts)
                    moved[a], moved[b] = moved[a] - 1, moved[b] + 1
                    changes = [y - x for x, y in zip(before, scores[tuple(moved)], strict=True)]
                    sensitivity = max(sensitivity, *map(abs, changes))
                    spread = max(spread, max(changes) - min(changes))
    return TabulatedScore(scores, candidates, sensitivity, spread)


def _whole(scores: object, candidates: int) -> tuple[int, ...]:
    found = np.asarray(scores)
    if found.shape != (candidates,) or found.dtype.kind not in "iu":
        raise InvalidInput(
            f"the function must return {candidates} whole numbers, one a candidate, for every table of counts"
        )
    return tuple(int(value) for value in found)


def _tables(n: int, cells: int) -> Iterator[tuple[int, ...]]:
    if cells == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in _tables(n - first, cells - 1):
            yield (first, *rest)


@dataclass(frozen=True)
class Selection:
    """P(candidate) proportional to w(best score - its score), w decreasing by e^(-epsilon/spread) a unit.

    Guarantee: epsilon-DP, by the proof in `discreet.mechanisms.choices.exponential_weights`, with the exact spread (at most
    twice the sensitivity; equal to it where all scores move the same way).
    """

    name: ClassVar[str] = "Selection"

    guarantee: PureDP
    score: Score

    @cached_property
    def weights(self) -> ExponentialWeights:
        """The weights of the shortfalls; a score that no record moves has no spread, and any is right for it."""
        return ExponentialWeights(self.guarantee, max(1, self.score.spread), self.score.candidates)

    def weigh(self, counts: Sequence[int]) -> list[int]:
        """The integer weight of each candidate."""
        scores = self.score.of(counts)
        best = max(scores)
        return [self.weights.weight(best - score) for score in scores]

    @property
    def accuracy(self) -> dict[str, float]:
        """The candidates, and by how much the score of the chosen one falls short of the best with probability 5 % at most."""
        shortfall = math.log(self.score.candidates / 0.05) / float(self.weights.rate)
        return {"candidates": float(self.score.candidates), "shortfall": shortfall}

    def cost(self, currency: Currency) -> Cost:
        """The cost in a budget's currency: that of a mechanism of pure epsilon with a bounded range."""
        return pure_cost(self, currency, bounded_range=True)
