"""Integer weights of the exponential mechanism: w(e) proportional to exp(-beta e), rounded, and private nonetheless.

The exponential mechanism (McSherry and Talwar 2007) releases outcome z with probability w(e_z) m_z / sum, where e_z is by how
much the score of z falls short and m_z is public. An exponential is no rational number, so the weights are rounded to 40
digits, and the privacy is that of the rounded ones.

**Proof.** Let one record move the shortfalls by amounts d_z, all of them within an interval of length R (the `spread`; twice
the sensitivity always suffices, and a constant added to all of them cancels). With w(e) = c e^(-beta e) (1 + t), |t| <= T:

    log P(z | x)/P(z | x')  <=  beta (max d - d_z) + 2 log((1 + T)/(1 - T))  <=  beta R + 5 T,      likewise from below,

which is at most epsilon for beta = (epsilon - 10^-37)/R and T = 10^-38. The difference of the two bounds is epsilon again, so
the log-likelihood ratio even stays within an interval of length epsilon + 10^-37.

**Cut-off.** No weight may be 0, but none need be tiny: shortfalls beyond a public number count as that number. As
min(e, cut-off) moves by no more than e does (and max(score, best - cut-off) by no more than the scores do), the proof stands.
At the cut-off all outcomes together weigh at most 2^-64 of the best one.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from functools import cached_property

from discreet.errors import InvalidInput
from discreet.privacy import PureDP

DIGITS = 40
"""The relative precision of a weight, in decimal digits: T is below 10^-38."""

SLACK = Decimal("1e-37")
"""What the rounding of the weights may add to epsilon; the rate is lowered by as much."""

SMALLEST_EPSILON = 1e-12


def _context(digits: int, rounding: str) -> Context:
    return Context(prec=digits, rounding=rounding, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


_DOWN, _UP = _context(60, ROUND_FLOOR), _context(60, ROUND_CEILING)
_NEAR = _context(60, ROUND_HALF_EVEN)  # Python documents exp() as correctly rounded
_WIDE = _context(200, ROUND_HALF_EVEN)


@dataclass(frozen=True)
class ExponentialWeights:
    """The weights for one guarantee.

    Parameters
    ----------
    guarantee : PureDP
    spread : int
        R >= 1: the length of an interval that holds the changes of all scores when one record changes.
    outcomes : int
        The number of outcomes, or their total weight m; at least 1.

    Examples
    --------
    >>> from discreet.mechanisms.choices.exponential_weights import ExponentialWeights
    >>> from discreet.privacy import PureDP
    >>> weights = ExponentialWeights(PureDP(1), spread=2, outcomes=10)
    >>> weights.cutoff, weights.weight(4) / weights.weight(0)
    (94, 0.1353352832366127)
    """

    guarantee: PureDP
    spread: int
    outcomes: int

    def __post_init__(self) -> None:
        if self.guarantee.epsilon < SMALLEST_EPSILON:
            raise InvalidInput(
                f"the exponential mechanism needs epsilon of at least {SMALLEST_EPSILON:g}, not {self.guarantee.epsilon!r}"
            )

    @cached_property
    def rate(self) -> Decimal:
        """beta = (epsilon - 10^-37)/R, rounded down."""
        epsilon = Decimal(repr(float(self.guarantee.epsilon)))
        return _DOWN.divide(_DOWN.subtract(epsilon, SLACK), Decimal(self.spread))

    @cached_property
    def cutoff(self) -> int:
        """Shortfalls beyond it count as it: (log(outcomes) + 64 log 2)/beta, rounded up."""
        exponent = _UP.add(_UP.next_plus(Decimal(self.outcomes << 64).ln(_UP)), Decimal(0))
        return math.ceil(_UP.divide(exponent, self.rate))

    @cached_property
    def _shift(self) -> int:
        """The power of ten that makes the smallest weight an integer of 40 digits or more."""
        return math.ceil(float(self.rate) * self.cutoff / math.log(10) * (1 + 1e-12)) + DIGITS + 1

    def weight(self, shortfall: int) -> int:
        """w(e), an integer of at least 10^40; constant from the cut-off on."""
        return self._at(shortfall) if shortfall < self.cutoff else self._least

    @cached_property
    def _least(self) -> int:
        return self._at(self.cutoff)

    def _at(self, shortfall: int) -> int:
        exponent = _WIDE.multiply(self.rate, Decimal(shortfall))
        return int(_WIDE.scaleb(_NEAR.exp(_WIDE.minus(exponent)), self._shift))
