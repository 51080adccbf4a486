"""The square root of the cumulative sum: the factorisation behind the release of a distribution function.

The numbers of records below T - 1 inner edges are A x, with x the counts of the first T - 1 of T cells (the last one is
known from the public n) and A the lower triangle of ones. A is the square of the lower triangular Toeplitz matrix C with

    c_0 = 1,   c_k = c_(k-1) (2k - 1)/(2k)          (the coefficients of (1 - z)^(-1/2)),

so noise on C x, which one record moves little, becomes by another C noise on A x that is small everywhere: its standard
deviation grows with log T, where noise on x would sum up to sqrt(T). C is used in integers, c_k times 2^20 and rounded;
the estimate goes back by the exact inverse of these integers, so the rounding leaves no bias.
Source: Fichtenberger, Henzinger and Upadhyay (2023), Constant matters: fine-grained complexity of differentially private
continual observation; the factorisation itself is Bennett's (1977).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.privacy.sensitivity import Sensitivity

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

BITS = 20
UNIT = 2**BITS
MOST_CELLS = 2**13


@dataclass(frozen=True)
class SquareRoot:
    """The factor C for T cells, in integers of 2^-20.

    Parameters
    ----------
    cells : int
        T, from 2 to 8,192.

    Examples
    --------
    >>> from discreet.mechanisms.densities.square_root import UNIT, SquareRoot
    >>> root = SquareRoot(4)
    >>> root.factor / UNIT
    array([1.   , 0.5  , 0.375])
    >>> root.sums([5, 0, 2, 8]) == [5 * UNIT, 5 * UNIT // 2, 5 * 3 * UNIT // 8 + 2 * UNIT]
    True
    >>> round(root.sensitivity.l2 / UNIT, 4), root.weights.round(4)
    (1.2809, array([1.   , 0.5  , 0.375]))
    """

    cells: int

    def __post_init__(self) -> None:
        if isinstance(self.cells, bool) or not isinstance(self.cells, int | np.integer):
            raise InvalidInput(f"points is a whole number from 2 to {MOST_CELLS}, not {self.cells!r}")
        if not 2 <= self.cells <= MOST_CELLS:
            raise InvalidInput(f"a distribution function is released at 2 to {MOST_CELLS} points, not {self.cells}")
        object.__setattr__(self, "cells", int(self.cells))  # a NumPy integer is no plain one to those who count

    @cached_property
    def factor(self) -> Integers:
        """round(2^20 c_k) for k = 0 ... T - 2."""
        k = np.arange(1, self.cells - 1)
        c = np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))])
        return np.asarray(np.rint(UNIT * c), np.int64)

    def sums(self, counts: ArrayLike) -> list[int]:
        """C x of the counts of all T cells (the last one is not used), exactly: at most 2^20 n each."""
        x = np.asarray(counts, np.int64)[:-1]
        return [int(y) for y in np.convolve(self.factor, x)[: self.cells - 1]]

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """How far replacing one record moves C x: in L2^2 exactly, by every pair of cells.

        Proof. A record goes from cell a to a later cell b or back: C x moves by C e_a - C e_b, or by C e_a where b is the
        last cell. Column a is c shifted down by a, so the squared distance is a sum over i = 0 ... T - 2 - a of
        (c_i - c_(i-b+a))^2 with c_negative = 0 (c_i^2 alone for the last cell). A larger a only drops terms, so the
        maximum is attained with a = 0 and is one of T - 1 numbers. L1 likewise.
        """
        c = self.factor
        l1, l2_squared = int(c.sum()), int((c * c).sum())
        for b in range(1, self.cells - 1):
            apart = c.copy()
            apart[b:] -= c[:-b]
            l1 = max(l1, int(np.abs(apart).sum()))
            l2_squared = max(l2_squared, int(apart @ apart))
        return Sensitivity(l1=l1, l2_squared=l2_squared)

    @cached_property
    def weights(self) -> Floats:
        """w_0 ... w_(T-2), the first column of A C^-1: F = A x is estimated by sum_k w_k y_(t-k) / 2^20.

        From C w = 2^20 (1, ..., 1): w_t = (2^20 - sum_(k >= 1) C_k w_(t-k)) / 2^20; the w_k are the c_k but for rounding.
        """
        c = self.factor / UNIT
        w = np.empty(self.cells - 1)
        for t in range(self.cells - 1):
            w[t] = 1.0 - c[1 : t + 1] @ w[:t][::-1]
        w.setflags(write=False)
        return w
