"""The cosine basis in integers, on the grid of a column: psi_j(x) = sqrt(2) cos(pi j x), times 2^20 and rounded.

With x = g/J the angle pi j g/J depends on j g mod 2J alone, so every entry of the basis is looked up in one table

    c_k = round(2^20 sqrt(2) cos(pi k/J)),   k = 0 ... J,      c_(2J-k) = c_k,      c_(J-k) = -c_k,

and the very integers that are summed over the records are the ones whose sensitivity is computed. One step of the table
is 2^-20, so a coefficient is moved by at most 2^-21 by the rounding. Source of the scheme: Wasserman and Zhou (2010),
section 6 (orthogonal series with perturbed coefficients).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.mechanisms.densities.farthest import farthest_pair
from discreet.privacy.sensitivity import Sensitivity

Integers = NDArray[np.int64]

BITS = 20
UNIT = 2**BITS
"""psi_j = 1 is this integer."""

MOST_TERMS = 100
MOST_ENTRIES = 2**23
"""Entries of the basis matrix that is written out to find the sensitivity (32 MB)."""


@dataclass(frozen=True)
class CosineBasis:
    """The first `terms` cosines on the codes 0 ... `steps` of a column, as integers.

    Parameters
    ----------
    steps : int
        J, the number of grid steps of the column.
    terms : int
        m, from 1 to 100 and at most J.

    Examples
    --------
    >>> from discreet.mechanisms.densities.cosine import UNIT, CosineBasis
    >>> basis = CosineBasis(steps=120, terms=3)
    >>> round(basis.sensitivity.l1 / UNIT, 4), round(basis.sensitivity.l2 / UNIT, 4)
    (6.1024, 4.0)
    """

    steps: int
    terms: int

    def __post_init__(self) -> None:
        if isinstance(self.terms, bool) or not isinstance(self.terms, int | np.integer) or self.terms < 1:
            raise InvalidInput(
                f"terms is the number of cosines, a whole number from 1 to {MOST_TERMS}, not {self.terms!r}"
            )
        if self.terms > min(MOST_TERMS, self.steps):
            raise InvalidInput(
                f"terms = {self.terms}: at most {min(MOST_TERMS, self.steps)} cosines are released from a column of "
                f"{self.steps} grid steps"
            )
        if self.terms * (self.steps + 1) > MOST_ENTRIES:
            raise InvalidInput(
                f"{self.terms} cosines on {self.steps + 1:,} grid points are more than {MOST_ENTRIES:,} numbers; declare a "
                "coarser step for the column, or ask for fewer terms"
            )

    @cached_property
    def table(self) -> Integers:
        """c_0 ... c_J."""
        k = np.arange(self.steps // 2 + 1)
        first = np.rint(UNIT * math.sqrt(2.0) * np.cos(math.pi * k / self.steps)).astype(np.int64)
        table = np.empty(self.steps + 1, np.int64)
        table[self.steps - k] = -first
        table[k] = first
        return table

    def rows(self, codes: ArrayLike) -> Integers:
        """The basis at some codes, of shape (codes, terms); the column of term j is j - 1."""
        turns = np.multiply.outer(np.asarray(codes, np.int64), np.arange(1, self.terms + 1)) % (2 * self.steps)
        return np.asarray(self.table[np.minimum(turns, 2 * self.steps - turns)])

    def sums(self, counts: ArrayLike) -> list[int]:
        """T_j = sum over the codes of count times basis, exactly: all partial sums stay below 2^62 for up to 2^40 records."""
        counts = np.asarray(counts, np.int64)
        codes = np.arange(self.steps + 1)
        sums = []
        for j in range(1, self.terms + 1):
            turns = j * codes % (2 * self.steps)
            sums.append(int(counts @ self.table[np.minimum(turns, 2 * self.steps - turns)]))
        return sums

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """How far replacing one record moves the sums: the largest L1 and squared L2 distance of two rows, exactly.

        Proof. The sums change by the row of the new record's code minus that of the old one's; any two codes can be these
        two. `farthest_pair` finds the maximum over all pairs of codes, over the integers that are summed.
        """
        rows = self.rows(np.arange(self.steps + 1)).astype(np.int32)
        return Sensitivity(l1=farthest_pair(rows, power=1), l2_squared=farthest_pair(rows, power=2))
