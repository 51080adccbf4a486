"""How far one record can move a statistic, and in which directions: exact numbers, with their proofs.

Who is a neighbour decides both. A table falls apart into *groups* of cells: one group, the whole table, or, where the
schema fixes a column, one for each public label of it. One record moves

    replaced by any other                     e_i - e_j      the sum of the table stays
    replaced by one with the same label       e_gi - e_gj    within one group g; the sum of every group stays
    added or removed                          +-e_i          no sum stays
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy.cost import exact
from discreet.privacy.parameters import real

Floats = NDArray[np.float64]

_DENSE = 4096  # entries of a statistic whose projector is still written out (128 MB)

_ADD_REMOVE_FIXES_NOTHING = (
    'fixed= needs public group sizes, and under adjacency "add-remove" no number of records is public; '
    'use "replace-one", or leave out fixed='
)


@dataclass(frozen=True)
class Sensitivity:
    """The largest distance between the statistics of two neighbouring sets of records.

    Parameters
    ----------
    l1 : int or Fraction
        In the L1 norm: what Laplace noise is scaled to.
    l2_squared : int or Fraction
        The square of that in the L2 norm, an exact number where the L2 sensitivity itself is irrational.

    Examples
    --------
    >>> from discreet.privacy.sensitivity import table
    >>> table("replace-one")
    Sensitivity(l1=2, l2_squared=2)
    """

    l1: int | Fraction
    l2_squared: int | Fraction

    @property
    def l2(self) -> float:
        """The L2 sensitivity, what Gaussian noise is scaled to."""
        return math.sqrt(self.l2_squared)


@dataclass(frozen=True)
class SensitivitySpace:
    """The span of all differences between the statistics of neighbours: noise outside of it protects nothing.

    The statistic is a vector of `groups` blocks of `cells` entries. Where `fixed_totals` is true the differences are
    e_gi - e_gj, so the space is that of the vectors whose blocks each sum to zero; else they are e_i, and it is everything.

        projector  I_k (x) (I_c - 11'/c)  of dimension k (c - 1),     else  I  of dimension k c.

    Parameters
    ----------
    groups : int
        k, the number of groups whose total is public each (1 for a table whose total alone is).
    cells : int
        c, the number of entries in each group, the other cell included.
    fixed_totals : bool
        Whether the sum of each group is the same for all neighbours.

    Examples
    --------
    >>> from discreet.privacy.sensitivity import SensitivitySpace
    >>> space = SensitivitySpace(groups=2, cells=3)
    >>> space.dimension, space.project([1, 0, 0, 0, 0, 6])
    (4, array([ 0.66666667, -0.33333333, -0.33333333, -2.        , -2.        ,
            4.        ]))
    """

    groups: int
    cells: int
    fixed_totals: bool = True

    def __post_init__(self) -> None:
        for name in ("groups", "cells"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidInput(f"{name} must be a whole number of at least 1, not {value!r}")

    @property
    def size(self) -> int:
        """The number of entries of the statistic, k c."""
        return self.groups * self.cells

    @property
    def dimension(self) -> int:
        """The dimension of the space: k (c - 1) where the totals are fixed, else k c."""
        return self.groups * (self.cells - self.fixed_totals)

    def project(self, vectors: ArrayLike) -> Floats:
        """The orthogonal projection of vectors of shape (..., k c), without the matrix: each block minus its mean."""
        given = np.asarray(vectors, float)
        if not given.ndim or given.shape[-1] != self.size:
            raise InvalidInput(f"a vector has {self.size} entries, not the shape {given.shape}")
        if not self.fixed_totals:
            return given.copy()
        blocks = given.reshape(*given.shape[:-1], self.groups, self.cells)
        return np.asarray(blocks - blocks.mean(-1, keepdims=True)).reshape(given.shape)

    def contains(self, vector: ArrayLike, *, tolerance: float = 1e-9) -> bool:
        """Whether a vector lies in the space: its distance from it is at most `tolerance` times its length."""
        given = np.asarray(vector, float)
        outside = float(np.linalg.norm(given - self.project(given)))
        return outside <= tolerance * float(np.linalg.norm(given))

    def projector(self) -> Floats:
        """The orthogonal projector as a matrix of shape (k c, k c); refused above 4,096 entries, where nothing needs it."""
        return self.project(np.eye(self._written_out()))

    def span(self) -> Floats:
        """An orthonormal basis as columns, shape (k c, dimension): Helmert's contrasts in each block, else the unit vectors.

        Column j of a block is (1, ..., 1, -j, 0, ..., 0) / sqrt(j (j + 1)), with j ones.
        """
        size = self._written_out()
        if not self.fixed_totals:
            return np.eye(size)
        helmert = np.zeros((self.cells, self.cells - 1))
        for j in range(1, self.cells):
            helmert[:j, j - 1] = 1.0
            helmert[j, j - 1] = -j
            helmert[:, j - 1] /= math.sqrt(j * (j + 1))
        return np.asarray(np.kron(np.eye(self.groups), helmert))

    def _written_out(self) -> int:
        if self.size > _DENSE:
            raise InvalidInput(f"a matrix for {self.size:,} entries is not written out; use .project")
        return self.size


def table(adjacency: str = "replace-one", *, fixed: str | None = None, records: int = 1) -> Sensitivity:
    """The sensitivity of a table of counts, whatever its number of cells, its other cells included.

    Each record falls into exactly one cell (a stray into the other cell, or into the first where the schema is complete),
    by a function of that record alone.

    *Replace-one.* Records of cells i and j, one in place of the other, move the table by e_j - e_i: nothing if i = j, else
    -1 in one cell and +1 in another. L1 = 1 + 1 = 2 and L2^2 = 1 + 1 = 2, attained as soon as the table has two cells.

    *The same with a fixed column.* Both records have the same label there, so where the column is tabulated both cells
    belong to one group, and no other group moves. L1 = 2 and L2^2 = 2 for the table of all groups together, not for each:
    a release by group spends its guarantee once (parallel composition). Where the column is not tabulated the table
    is the sum over groups, and moves by e_j - e_i as above.

    *Add-remove.* One record more moves the table by e_i: L1 = 1 and L2^2 = 1.

    *Persons with at most k records each.* A person's records that count make a vector x of whole numbers, none negative,
    with |x|_1 <= k. A person more moves the table by x: L1 <= k, and |x|_2 <= |x|_1 <= k. A person replaced moves it by
    y - x: L1 <= 2k, and |y - x|_2^2 = |x|_2^2 + |y|_2^2 - 2 x.y <= 2 k^2, as x.y >= 0. Both are attained by k records in one
    cell against k in another. How many records a person has is not public, so no sum stays.

    Parameters
    ----------
    adjacency : "replace-one" or "add-remove"
        Which sets of records are neighbours; of persons, where these have several.
    fixed : str, optional
        The column whose label a replaced record keeps. Under "add-remove" `NotAvailable`: no group size is public there.
    records : int
        k, the number of records of one person that count (`max_records` of a schema with a unit).

    Examples
    --------
    >>> table("replace-one", fixed="sex")
    Sensitivity(l1=2, l2_squared=2)
    >>> table("replace-one", records=5)
    Sensitivity(l1=10, l2_squared=50)
    >>> table("add-remove")
    Sensitivity(l1=1, l2_squared=1)
    """
    tables = 2 if _totals_are_fixed(adjacency, fixed is not None) else 1  # a person in place of another, or one alone
    return Sensitivity(l1=tables * records, l2_squared=tables * records**2)


def table_space(
    cells: int, adjacency: str = "replace-one", *, groups: int | None = None, other: bool = False
) -> SensitivitySpace:
    """The sensitivity space of a table of counts.

    *Replace-one:* all e_i - e_j of c (+ 1) cells span the vectors that sum to zero. *Fixed groups:* all e_gi - e_gj, i and j
    in one group, span those whose k groups each sum to zero: dimension k c with an other cell in each group, k (c - 1)
    without. *Add-remove:* the e_i span everything.

    Parameters
    ----------
    cells : int
        The number of declared cells, in each group where there are groups.
    adjacency : "replace-one" or "add-remove"
    groups : int, optional
        k, the number of public groups under `fixed`: the declared labels and, unless the schema is complete, one more
        for all undeclared labels together.
    other : bool
        Whether there is an other cell (in each group), as there is unless the schema is complete.

    Examples
    --------
    >>> table_space(4), table_space(4, groups=3, other=True).dimension, table_space(4, "add-remove").dimension
    (SensitivitySpace(groups=1, cells=4, fixed_totals=True), 12, 4)
    """
    fixed = _totals_are_fixed(adjacency, groups is not None)
    if isinstance(cells, bool) or not isinstance(cells, int) or cells < 1:
        raise InvalidInput(f"cells must be a whole number of at least 1, not {cells!r}")
    return SensitivitySpace(1 if groups is None else groups, cells + bool(other), fixed)


def mean(widths: Sequence[float], n: int, adjacency: str = "replace-one") -> Sensitivity:
    """The sensitivity of the mean of n vectors, entry j of which lies in an interval of length `widths[j]`.

    Proof. Replacing one vector x by y moves the mean by (y - x)/n, whose entry j is at most widths[j]/n in size. So L1 is
    at most sum(widths)/n and L2^2 at most sum(widths^2)/n^2, both attained by a vector that goes from all lower to all
    upper bounds. Every entry can move alone, so the sensitivity space is everything: `SensitivitySpace(1, d, False)`.

    Parameters
    ----------
    widths : sequence of float
        upper - lower of each column, above 0; read as the decimals that print them.
    n : int
        The number of records, public and at least 1.
    adjacency : "replace-one"
        Under "add-remove" `NotAvailable`: a mean divides by n, which is not public there.

    Examples
    --------
    >>> mean([1, 0.5], n=10)
    Sensitivity(l1=Fraction(3, 20), l2_squared=Fraction(1, 80))
    """
    if not _totals_are_fixed(adjacency, False):
        raise NotAvailable(
            'a mean divides by n, which is not public under adjacency "add-remove"; use "replace-one", or release a table'
        )
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InvalidInput(f"n must be a whole number of at least 1, not {n!r}")
    if not len(widths) or not all(0 < real("a width", width) < math.inf for width in widths):
        raise InvalidInput(f"widths must be one or more finite numbers above 0, not {list(widths)!r}")
    lengths = [exact(float(width)) for width in widths]
    return Sensitivity(l1=sum(lengths, Fraction(0)) / n, l2_squared=sum((w**2 for w in lengths), Fraction(0)) / n**2)


def _totals_are_fixed(adjacency: str, grouped: bool) -> bool:
    if adjacency not in ("replace-one", "add-remove"):
        raise InvalidInput(f'adjacency must be "replace-one" or "add-remove", not {adjacency!r}')
    if adjacency == "add-remove" and grouped:
        raise NotAvailable(_ADD_REMOVE_FIXES_NOTHING)
    return adjacency == "replace-one"
