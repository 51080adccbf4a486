"""Exact sums of codes: what they are, and how the parts that an engine adds up become one answer a group.

Every engine adds whole numbers in a type that holds the sum. DuckDB has one of 128 bits. Elsewhere a code is first written in
digits of at most 2**15 in size: code - J//2 where J <= 2**16, else high 2**16 + low. A product of two digits is then at most
2**30, so doubles hold the sums of 2**23 of them exactly (in any order, on any number of threads) and 64-bit integers those of
2**33; the sums of the codes themselves follow in Python's integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.curator.source.numeric import Grid

MOST_ROWS = 2**33
_BASE = 2**16


@dataclass(frozen=True, repr=False)
class Moments:
    """The exact sums of one group of n records; confidential.

    Attributes
    ----------
    n : int
    sums : tuple of int
        s_i, the sum of the codes of column i.
    products : tuple of tuple of int
        Q_ij, the sum of the products of the codes of columns i and j; symmetric; empty where not asked for.
    """

    n: int
    sums: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]

    def __repr__(self) -> str:
        return f"<Moments of {len(self.sums)} columns: confidential>"


@dataclass(frozen=True)
class Part:
    """The sums of some records of one label (its position or `STRAY`); products are those of `pairs`."""

    label: int
    n: int
    sums: Sequence[int]
    products: Sequence[int]


def pairs(columns: int) -> list[tuple[int, int]]:
    """The order of products: i <= j, row by row.

    Examples
    --------
    >>> pairs(2)
    [(0, 0), (0, 1), (1, 1)]
    """
    return [(i, j) for i in range(columns) for j in range(i, columns)]


def gather(parts: Iterable[Part], columns: int, *, products: bool, labels: int | None, complete: bool) -> list[Moments]:
    """One `Moments` a label in order, then (unless `complete`: a stray counts as the first) of the strays.

    `labels` None: one group of all records.
    """
    groups = 1 if labels is None else labels + (not complete)
    stray = 0 if labels is None or complete else labels
    n = [0] * groups
    sums = [[0] * columns for _ in range(groups)]
    squares = [[[0] * columns for _ in range(columns)] for _ in range(groups)]
    for part in parts:
        group = part.label if part.label >= 0 else stray
        n[group] += part.n
        for i, value in enumerate(part.sums):
            sums[group][i] += value
        for (i, j), value in zip(pairs(columns), part.products, strict=False):
            squares[group][i][j] += value
            squares[group][j][i] += value if i != j else 0
    return [
        Moments(n[group], tuple(sums[group]), tuple(map(tuple, squares[group])) if products else ())
        for group in range(groups)
    ]


@dataclass(frozen=True)
class Digits:
    """How the codes of some columns are written in digits: code i = offset i + the sum of weight times digit.

    Examples
    --------
    >>> from discreet.schema import Bounded
    >>> digits = Digits.of([Grid.of(Bounded(0, 10, step=1)), Grid.of(Bounded(0, 1, step=1e-6))])
    >>> digits.split([7, 200_000])
    [2, 3, 3392]
    >>> digits.recombined(0, 1, [2, 3, 3392], [4, 6, 6784, 9, 10176, 11505664])
    Part(label=0, n=1, sums=[7, 200000], products=[49, 1400000, 40000000000])
    """

    offsets: tuple[int, ...]
    weights: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, grids: Iterable[Grid]) -> Digits:
        small = [(grid.centre, grid.steps <= _BASE) for grid in grids]
        return cls(
            tuple(centre if one else 0 for centre, one in small),
            tuple((1,) if one else (_BASE, 1) for _, one in small),
        )

    @classmethod
    def whole(cls, grids: Iterable[Grid]) -> Digits:
        """One digit a code, its distance from the centre, however many steps there are."""
        offsets = tuple(grid.centre for grid in grids)
        return cls(offsets, ((1,),) * len(offsets))

    def split(self, codes: Sequence[Any]) -> list[Any]:
        """The digits of arrays, expressions or integers of codes, all columns' in a row."""
        found = []
        for code, offset, weights in zip(codes, self.offsets, self.weights, strict=True):
            if len(weights) == 1:
                found.append(code - offset)
            else:
                high = (code + _BASE // 2) // _BASE
                found += [high, code - high * _BASE]
        return found

    def recombined(self, label: int, n: int, sums: Sequence[int], products: Sequence[int]) -> Part:
        """The sums of n records' codes from those of their digits."""
        owners = [i for i, weights in enumerate(self.weights) for _ in weights]
        flat = [weight for weights in self.weights for weight in weights]
        raw = [0] * len(self.offsets)
        for owner, weight, value in zip(owners, flat, sums, strict=True):
            raw[owner] += weight * value
        whole = [value + n * offset for value, offset in zip(raw, self.offsets, strict=True)]
        if not products:
            return Part(label, n, whole, [])
        squares = dict.fromkeys(pairs(len(raw)), 0)
        for (a, b), value in zip(pairs(len(flat)), products, strict=True):
            within = owners[a] == owners[b] and a != b
            squares[owners[a], owners[b]] += flat[a] * flat[b] * value * (2 if within else 1)
        o = self.offsets
        centred = [(value, i, j) for (i, j), value in squares.items()]
        return Part(label, n, whole, [q + o[j] * raw[i] + o[i] * raw[j] + n * o[i] * o[j] for q, i, j in centred])


def add_up(codes: Sequence[NDArray[np.int64]], grids: Iterable[Grid], label: int, *, products: bool) -> Part:
    """The exact sums of the codes of at most 2**23 records in memory: a matrix product of doubles that are whole numbers."""
    digits = Digits.of(grids)
    block = np.stack(digits.split(codes)).astype(np.float64)
    sums = [int(total) for total in block.sum(axis=1)]
    matrix = block @ block.T if products else None
    squares = [] if matrix is None else [int(matrix[pair]) for pair in pairs(len(block))]
    return digits.recombined(label, block.shape[1], sums, squares)
