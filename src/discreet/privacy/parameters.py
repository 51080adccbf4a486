"""The checks of the numbers that a guarantee is made of, and of those that its methods take."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.privacy.cost import exact

Floats = NDArray[np.float64]

#: Beyond this, epsilon, mu and rho protect nothing: e^500 is a likelihood ratio of 10^217.
LARGEST = 500.0


def real(name: str, value: object) -> float:
    """`value` as a finite float; a clear `InvalidInput` otherwise (booleans and text are refused)."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, Decimal)):
        raise InvalidInput(f"{name} must be a number, not {value!r}")
    try:
        number = float(value)
    except (OverflowError, ValueError):
        number = math.inf
    if not math.isfinite(number):
        raise InvalidInput(f"{name} must be finite, not {value!r}")
    return number


def parameter(name: str, value: object) -> float:
    """epsilon, mu or rho as a float in (0, 500]."""
    number = real(name, value)
    if number <= 0:
        raise InvalidInput(f"{name} must be above 0, not {value!r}")
    if number > LARGEST:
        raise InvalidInput(f"{name} must be at most {LARGEST:g} (beyond it nothing is protected), not {value!r}")
    return number


def probability(name: str, value: object) -> float:
    """delta as a float strictly between 0 and 1."""
    number = real(name, value)
    if not 0 < number < 1:
        raise InvalidInput(f"{name} must be above 0 and below 1, not {value!r}")
    return number


def whole(name: str, value: object) -> int:
    """`value` as an integer of at least 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InvalidInput(f"{name} must be a whole number of at least 1, not {value!r}")
    return int(value)


def numbers_in(name: str, values: ArrayLike, low: float, high: float) -> Floats:
    """`values` as an array of floats, all in [low, high]."""
    array = np.asarray(values)
    if array.dtype.kind not in "iuf" and not (array.dtype.kind == "O" and all(isinstance(v, Real) for v in array.flat)):
        raise InvalidInput(f"{name} must be a number or an array of numbers, not {values!r}")
    array = array.astype(float)
    if not np.all((array >= low) & (array <= high)):
        raise InvalidInput(f"{name} must lie between {low:g} and {high:g}")
    return array


def round_up(number: Fraction) -> float:
    """The smallest float whose printed decimal is at least `number`: sums of decimals stay what one expects.

    >>> round_up(exact(0.1) + exact(0.2))
    0.3
    """
    rounded = float(number)
    while exact(rounded) < number:
        rounded = math.nextafter(rounded, math.inf)
    while exact(below := math.nextafter(rounded, -math.inf)) >= number:
        rounded = below
    return rounded
