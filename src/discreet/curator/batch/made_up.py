"""A rehearsal of a release: the very same code on made-up records, which shows what can be done with the release.

A test that does not fit a release should be found out before the budget is spent. The made-up numbers are spread evenly
over what the schema allows, and are a function of the schema and of the public sizes alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.curator.batch.quote import Line
from discreet.curator.curator import Curator
from discreet.curator.releasing.plan import PublicSize
from discreet.release.integers import Integers
from discreet.schema import Schema

RECORDS_PER_CELL = 1000
"""Where the number of records is not public."""


def rehearse(curator: Curator, line: Line) -> Any:
    """A release of the same kind, shape, noise and public size, of made-up records. Spends nothing; never publish it."""
    return line.plan.make(MadeUpRecords(curator.schema, curator._public_size))


@dataclass(frozen=True)
class MadeUpSums:
    """The sums of n made-up records."""

    n: int
    sums: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MadeUpRecords:
    """What a release may ask of records, answered from what is public."""

    schema: Schema
    public: PublicSize

    def tabulate(self, columns: tuple[str, ...]) -> Integers:
        """Counts in the order of a table's drawn numbers: declared cells, undeclared group, other cells (all empty)."""
        shape = tuple(len(self.schema.categorical(name).categories) for name in columns)
        other = not self.schema.complete
        if self.public.groups is None or self.schema.fixed not in columns:
            declared = _spread(self._n(math.prod(shape)), math.prod(shape))
            return Integers(np.append(declared, np.zeros(int(other), np.int64)))
        axis = columns.index(self.schema.fixed)
        inside = (*shape[:axis], *shape[axis + 1 :])
        of_labels, undeclared = self.public.groups[: shape[axis]], self.public.groups[shape[axis] :]
        groups = [np.reshape(_spread(size, math.prod(inside)), inside) for size in of_labels]
        counts = np.stack(groups, axis=axis).ravel()
        rest = [_spread(size, math.prod(inside)) for size in undeclared]
        return Integers(np.concatenate([counts, *rest, np.zeros(other * (shape[axis] + 1), np.int64)]))

    def sums(self, columns: tuple[str, ...], *, products: bool) -> Sequence[MadeUpSums]:
        """Columns that are uniform on their bounds and uncorrelated."""
        steps = [self.schema.numeric(name).steps for name in columns]
        groups = (self._n(1),) if self.public.groups is None else self.public.groups
        return [_uniform(n, steps, products) for n in groups]

    def count_bins(self, columns: tuple[str, ...], bins: tuple[int, ...]) -> list[int]:
        """The same number in each cell."""
        return list(Integers(_spread(self._n(math.prod(bins)), math.prod(bins))))

    def count_codes(self, column: str) -> list[int]:
        """The same number with each code."""
        codes = self.schema.numeric(column).steps + 1
        return list(Integers(_spread(self._n(codes), codes)))

    def _n(self, cells: int) -> int:
        return RECORDS_PER_CELL * cells if self.public.n is None else self.public.n


def _spread(n: int, cells: int) -> NDArray[np.int64]:
    return np.full(cells, n // cells, np.int64) + (np.arange(cells) < n % cells).astype(np.int64)


def _uniform(n: int, steps: Sequence[int], products: bool) -> MadeUpSums:
    means = [n * j // 2 for j in steps]
    if not products:
        return MadeUpSums(n, tuple(means), ())
    matrix = [
        [n * a * b // 4 + (n * a * a // 12 if i == k else 0) for k, b in enumerate(steps)] for i, a in enumerate(steps)
    ]
    return MadeUpSums(n, tuple(means), tuple(map(tuple, matrix)))
