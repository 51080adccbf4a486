"""The one check of a number that parametrises noise."""

from __future__ import annotations

import math
from numbers import Real

from discreet.errors import InvalidInput


def positive(name: str, value: object) -> float:
    """`value` as a float, if it is a finite number above zero; a clear `InvalidInput` otherwise (booleans are refused)."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInput(f"{name} must be a number, not {value!r}")
    number = float(value)
    if not (math.isfinite(number) and number > 0):
        raise InvalidInput(f"{name} must be finite and above 0, not {value!r}")
    return number
