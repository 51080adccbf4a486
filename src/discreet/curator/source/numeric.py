"""From a value to a code: the one total function by which a numeric column becomes whole numbers, in every engine alike.

A value is first a double, or missing; then the double becomes a code. Both steps are defined so that no engine has a choice.

*A double, or missing.* A number is its nearest double: floats of any width, integers of any size and decimals, ties to even
as IEEE 754 has it; beyond the doubles lie the infinities. Text that is a number counts as that number, so that a CSV file
and the frame it was written from agree: an ASCII decimal or "inf", "infinity" in any case, a sign, an exponent and blanks
around it allowed; no digit separators. True is 1 and false is 0, as booleans and as the text of either in any case. All
else is missing: null, NaN, other text, dates, times, lists, complex numbers.

*The code.* In IEEE double operations, each rounded, in this order:

    d = floor((x - lower) * scale + shift),    code = h + min(max(d, -h), J - h),    or the missing code,

with h = floor(J/2), `lower` and `scale` the doubles nearest to the bound and to 1/step, and `shift` that nearest to
1/2 - h + 2**-49 max(1, M/step), where M is the larger of |lower| and |upper|. The rounding errors of x, of the constants and
of the operations add up to at most (10 M/step + 2) 2**-53 steps, which is less than shift's excess over 1/2 - h. So a tie *as
it is printed* goes up (0.35 on steps of 0.1 has code 4, though the double 0.35 lies below the tie), a grid point has its own
code, and every other number goes to the nearest code, save that a number within 2**-48 max(1, M/step) steps below a tie may
go up as the tie does. All this needs M/step <= 2**45 (`Bounded.grid_refusal`).

No engine may fuse the multiplication with the addition; none does, for each operation is a pass of its own over a column.
"""

from __future__ import annotations

import decimal
import math
import numbers
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.schema.columns import Bounded

NOT_A_NUMBER = math.nan
BLANKS = " \t\n\v\f\r"

_NUMBER = re.compile(r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf(inity)?)", re.ASCII | re.IGNORECASE)
_TRUTHS = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class Grid:
    """The constants of one column's codes; every one is public.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.schema import Bounded
    >>> grid = Grid.of(Bounded(0, 1, step=0.1))
    >>> grid.codes(np.array([0.3, 0.35, 0.349, -5, np.inf, np.nan])).tolist()
    [3, 4, 3, 0, 10, 5]
    """

    lower: float
    upper: float
    scale: float
    shift: float
    centre: int
    steps: int
    missing: int

    @classmethod
    def of(cls, column: Bounded) -> Grid:
        step = column.exact_step
        lower, upper = column.exact_bounds
        most = max(abs(lower), abs(upper)) / step
        centre = column.steps // 2
        shift = Fraction(1, 2) - centre + max(Fraction(1), most) / 2**49
        return cls(
            lower=float(lower),
            upper=float(upper),
            scale=float(1 / step),
            shift=float(shift),
            centre=centre,
            steps=column.steps,
            missing=column.missing_code,
        )

    def codes(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """The codes of doubles; NaN stands for missing."""
        with np.errstate(all="ignore"):  # beyond the doubles lie the infinities
            codes = values - self.lower
            codes *= self.scale
            codes += self.shift
        np.floor(codes, out=codes)
        np.clip(codes, -self.centre, self.steps - self.centre, out=codes)
        codes[np.isnan(codes)] = self.missing - self.centre
        return codes.astype(np.int64) + self.centre


def number(value: Any) -> float:
    """The double of one Python value of any type; NaN where it is missing or no number.

    Examples
    --------
    >>> from decimal import Decimal
    >>> [number(value) for value in (1, 2.5, True, Decimal("0.1"), " 1e3 ", "TRUE", "-inf", 10**400)]
    [1.0, 2.5, 1.0, 0.1, 1000.0, 1.0, -inf, inf]
    >>> [number(value) for value in (None, "1_000", "one", [1], 1j, "")]
    [nan, nan, nan, nan, nan, nan]
    """
    if type(value) is float:
        return value
    try:
        if isinstance(value, str):
            return _from_text(str.__str__(value))
        if isinstance(value, bool | np.bool_):
            return float(bool(value))
        if isinstance(value, np.timedelta64):  # NumPy has it among the integers
            return NOT_A_NUMBER
        if isinstance(value, int | np.integer):
            return _from_integer(int(value))
        if isinstance(value, float | np.floating | decimal.Decimal | numbers.Rational):
            return float(value)
    except Exception:  # noqa: BLE001 - a value that breaks its own type (a signalling NaN) is no number
        return NOT_A_NUMBER
    return NOT_A_NUMBER


def _from_integer(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _from_text(text: str) -> float:
    stripped = text.strip(BLANKS)
    if _NUMBER.fullmatch(stripped):
        return float(stripped)
    return _TRUTHS.get(text.lower(), NOT_A_NUMBER) if text.isascii() else NOT_A_NUMBER
