"""The smoothed histogram: a histogram mixed with so much of the uniform distribution that k draws from it are private."""

from __future__ import annotations

import decimal
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import ClassVar

from discreet.errors import InvalidInput
from discreet.mechanisms.choices.sample import SampleMechanism, checked
from discreet.mechanisms.table import up
from discreet.privacy.cost import exact
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.parameters import parameter, probability, whole

MOST_WORK = 2**26
"""Points times cells: every draw runs through the weights of all cells."""


def smoothed_histogram_delta(cells: int, n: int, size: int, epsilon: float) -> float:
    """The smallest share of the uniform distribution with which `size` draws from a histogram are epsilon-DP.

    delta = m/(m + n (e^(epsilon/k) - 1)) for m cells, n records and k draws, rounded up in its last digit.

    With C_j records in cell j, a draw falls there with probability p_j = (1 - delta) C_j/n + delta/m. When one record is
    replaced, one count falls by one and another rises by one, so a draw's probability changes by a factor of at most
    1 + (1 - delta) m/(n delta), which is reached where the count changes between 0 and 1. The k draws are independent given
    the records, so the condition is k log(1 + (1 - delta) m/(n delta)) <= epsilon, and it is tight: all k draws may fall into
    that cell. Solved for delta it is the formula above. (Wasserman and Zhou 2010, section 4.1, give the condition; their
    delta = m k/(n epsilon) is a bound of the same order that can exceed 1.)

    Examples
    --------
    >>> from discreet.mechanisms import smoothed_histogram_delta
    >>> print(f"{smoothed_histogram_delta(cells=3, n=4, size=2, epsilon=1):.10f}")
    0.5362040427
    """
    m, n, k = whole("cells", cells), whole("n", n), whole("size", size)
    return up(1 / (1 + Fraction(n, m) * _largest_odds(parameter("epsilon", epsilon), k)))


def _largest_odds(epsilon: float, k: int) -> Fraction:
    """A lower bound of e^(epsilon/k) - 1 that agrees with it in at least 40 digits."""
    digits = 60 + max(0, -Decimal(repr(epsilon / k)).adjusted())
    down = Context(prec=digits, rounding=ROUND_FLOOR, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
    power = down.exp(down.divide(Decimal(repr(epsilon)), Decimal(k)))  # correctly rounded, to nearest
    return Fraction(down.next_minus(power)) - 1


@dataclass(frozen=True)
class SmoothedDraws(SampleMechanism):
    """k independent draws: a cell with probability (1 - delta) C_j/n + delta/m, then one of its grid points, equally likely."""

    name: ClassVar[str] = "SmoothedHistogram"
    sampler: ClassVar[str] = "smoothed_histogram"
    bounded_range: ClassVar[bool] = False

    cells: int
    delta: float

    @property
    def parameters(self) -> Mapping[str, int | float]:
        """The number of cells and the share of the uniform distribution."""
        return {"cells": self.cells, "delta": self.delta}

    @property
    def accuracy(self) -> dict[str, float]:
        """The size, and the share of the uniform distribution: the largest KS distance that it causes is below it."""
        return {"size": float(self.size), "uniform_share": self.delta}

    def weights(self, counts: Sequence[int]) -> list[int]:
        """Integers in proportion to the probabilities of the cells, exactly."""
        share = exact(self.delta)
        uniform = share.numerator * self.setting.n
        each = (share.denominator - share.numerator) * self.cells
        return [each * count + uniform for count in counts]


@dataclass(frozen=True)
class SmoothedHistogram:
    """Draws from a histogram of equal cells, mixed with the uniform distribution.

    Guarantee: epsilon-DP for the replacement of one record, by `smoothed_histogram_delta`, where the proof stands. The draws
    are exact: integer weights with delta as the decimal that prints it.

    Parameters
    ----------
    cells : int, optional
        m, the number of equal cells of the declared bounds; at most the column's number of grid steps. None: n^(1/7).
    delta : float, optional
        The share of the uniform distribution; at least the smallest that is private, which None takes.

    Notes
    -----
    `size=None` releases n^(4/7) points, which with n^(1/7) cells is of the best order in KS distance (Wasserman and Zhou
    2010, theorem of section 4.1, one dimension).

    Examples
    --------
    >>> from discreet.mechanisms import SmoothedHistogram
    >>> from discreet.privacy import PureDP
    >>> mechanism = SmoothedHistogram().for_sample(None, steps=100, n=1000, guarantee=PureDP(1))
    >>> mechanism.size, mechanism.cells, round(mechanism.delta, 4)
    (52, 3, 0.1338)
    """

    cells: int | None = None
    delta: float | None = None

    name: ClassVar[str] = SmoothedDraws.name

    def for_sample(
        self, size: int | None, *, steps: int, n: int | None, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> SmoothedDraws:
        """The mechanism for k = `size` points from n records with codes 0 ... `steps`; every refusal is from public numbers."""
        given = checked(self.name, size, steps=steps, n=n, guarantee=guarantee, adjacency=adjacency)
        records, pure = given.setting.n, given.setting.guarantee
        points = _power(records, 4, 7) if given.size is None else given.size
        cells = min(steps, _power(records, 1, 7)) if self.cells is None else self.cells
        if isinstance(cells, bool) or not isinstance(cells, int) or not 1 <= cells <= steps:
            raise InvalidInput(
                f"cells must be a whole number from 1 to {steps}, the column's grid steps, not {cells!r}"
            )
        if cells * points > MOST_WORK:
            raise InvalidInput(f"{points:,} points from {cells:,} cells: their product may be at most {MOST_WORK:,}")
        smallest = smoothed_histogram_delta(cells, records, points, pure.epsilon)
        delta = smallest if self.delta is None else probability("delta", self.delta)
        if smallest >= 1 or delta < smallest:
            given_delta = "no delta below 1" if smallest >= 1 else f"delta = {delta!r}"
            raise InvalidInput(
                f"{given_delta} makes {points} draws from {cells} cells of {records} records {pure}: the smallest that does is "
                f"{smallest!r}; release fewer points, use fewer cells or a larger epsilon"
            )
        return SmoothedDraws(given.setting, points, cells, delta)


def _power(n: int, numerator: int, denominator: int) -> int:
    """n^(numerator/denominator), rounded to the nearest whole number."""
    root = round(math.pow(n, numerator / denominator))
    while (2 * root - 1) ** denominator > 2**denominator * n**numerator:
        root -= 1
    while (2 * root + 1) ** denominator <= 2**denominator * n**numerator:
        root += 1
    return root
