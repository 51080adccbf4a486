"""Proposals in which several large draws share the way, whichever these are: the m largest are tilted together.

Between one large draw and none lies the statistic that a few rather large ones bring about, and in a table of 100 cells
there are too many sets of cells to give each a proposal. Let |y|_1 >= |y|_2 >= ... be g Laplace draws by their size, in
units of their scales, and T_m the sum of the m largest. The gaps between them are independent (Renyi 1953),

    D_i = |y|_i - |y|_(i+1) ~ exponential with rate i,    T_m = sum_i min(i, m) D_i,

so that the law with density p(y) e^(eta T_m - K_m) has independent gaps of rates i - eta min(i, m), with

    K_m = -sum_i log(1 - eta min(i, m)/i),

and a draw from it is a draw of p, in place and sign, with its gaps stretched by i/(i - eta min(i, m)). Of the draws whose
a_j is at least 0.7 times as long as the longest, proposals are made for m = 2, 4 and 8. eta is where Chernoff's bound of the
event that m equal draws carry Q to t is smallest.

Source: Renyi (1953), On the theory of order statistics; the tilt of their sum is new here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_COUNTS = (2, 4, 8)
_ROOM = 4  # m is at most one in four of the draws that may be large
_LONG = 0.7  # draws that may be large, beside the longest
_REACHES = -np.expm1(-np.linspace(0.02, 4.0, 48))  # eta tried


@dataclass(frozen=True, eq=False)
class Largest:
    """`among` are the draws that may be large; for each m of `counts` eta_m is in `tilts` and K_m in `log_normalisers`."""

    among: Indices
    counts: tuple[int, ...]
    tilts: Floats
    log_normalisers: Floats

    @classmethod
    def towards(cls, excess: float, lengths: Floats, laplace: NDArray[np.bool_]) -> Largest:
        """For P(Q >= E Q + excess), from the length ||a_j|| of each draw and whether its law is Laplace's."""
        among = np.flatnonzero(laplace & (lengths >= _LONG * lengths.max(where=laplace, initial=0.0)))
        counts = tuple(m for m in _COUNTS if m * _ROOM <= among.size)
        if not counts:
            return cls(among, (), np.empty(0), np.empty(0))
        ranks = np.arange(1, among.size + 1)
        square = max(float((lengths[among] ** 2).mean()), 1e-300)
        ordinary = np.cumsum(1.0 / ranks[::-1])[::-1] ** 2  # of the mean sizes, squared
        tilts, constants = [], []
        for m in counts:
            needed = math.sqrt(m * (max(excess, 0.0) / square + float(ordinary[:m].sum())))
            # Without noise it would be the normal part alone that comes to be this far out.
            eta = _REACHES * min(1.0, needed * square / m)
            k = -np.log1p(-np.multiply.outer(eta, np.minimum(ranks, m) / ranks)).sum(-1)
            best = int(np.argmin(k + 0.5 * m * eta**2 / square - eta * needed))
            tilts.append(eta[best])
            constants.append(k[best])
        return cls(among, counts, np.array(tilts), np.array(constants))

    def stretch(self, y: Floats, which: Indices) -> Floats:
        """From draws y of shape (points, draws) to draws under the proposals for the m at the places `which` of `counts`.

        Examples
        --------
        >>> import numpy as np
        >>> from discreet.inference.null.largest import Largest
        >>> largest = Largest(np.arange(3), (1,), np.array([0.5]), np.array([0.0]))
        >>> largest.stretch(np.array([[-1.0, 3.0, 0.5]]), np.array([0])).round(3)
        array([[-1.267,  5.267,  0.6  ]])
        """
        ranks = np.arange(1, self.among.size + 1)
        tilts, counts = self.tilts[:, None], np.array(self.counts)[:, None]
        factors = ranks / (ranks - tilts * np.minimum(ranks, counts))
        some = y[:, self.among]
        sizes = np.abs(some)
        order = np.argsort(-sizes, axis=-1)
        gaps = np.take_along_axis(sizes, order, -1)
        gaps[:, :-1] -= gaps[:, 1:].copy()
        gaps *= factors[which]
        np.put_along_axis(sizes, order, np.cumsum(gaps[:, ::-1], axis=-1)[:, ::-1], -1)
        stretched = y.copy()
        stretched[:, self.among] = np.copysign(sizes, some)
        return stretched

    def exponents(self, y: Floats) -> Floats:
        """eta_m T_m(y) of shape (points, counts)."""
        if not self.counts:
            return np.empty((y.shape[0], 0))
        sums = np.cumsum(np.sort(np.abs(y[:, self.among]), axis=-1)[:, : -max(self.counts) - 1 : -1], axis=-1)
        return np.asarray(sums[:, np.array(self.counts) - 1] * self.tilts)
