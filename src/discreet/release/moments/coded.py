"""From the integers that left the gate to numbers in the columns' own units: exact fractions, rounded once.

A numeric column holds codes j = 0 ... J, and the value of a code is lower + step j, with lower and step read as the
decimals that the schema prints. With the drawn integer y = 2^k (sum of codes) + noise, and n the public number of records:

    mean = lower + step (y / 2^k) / n

For a covariance y is about C = (n Q - s s')/(n - 1) with the sums of codes s and of their products Q, so that C/n is the
covariance of the codes with divisor n - 1. On the cube [-1, 1]^d, where code j is 2 j/J - 1:

    mean = 2 (y / 2^k)/(J n) - 1          covariance of columns a and b = 4 (y / 2^k)/(J_a J_b n)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.schema import Bounded, Schema

Floats = NDArray[np.float64]


LARGEST = 10**100
"""Within this range of bounds and steps every released mean and covariance is a float, whatever noise was drawn."""


def numeric_columns(schema: Schema, names: Sequence[str]) -> tuple[Bounded, ...]:
    """The declared bounds of these columns; `InvalidInput` where one is not declared or not numeric, or named twice."""
    if not names:
        raise InvalidInput("means need at least one numeric column")
    columns = tuple(schema.numeric(name) for name in names)
    if len(set(names)) < len(names):
        raise InvalidInput(f"each column may be named once, not {list(names)}")
    for name, column in zip(names, columns, strict=True):
        if max(map(abs, column.exact_bounds)) > LARGEST or column.exact_step * LARGEST < 1:
            raise InvalidInput(
                f"column {name!r}: means need bounds of at most 1e100 and steps of at least 1e-100; change the unit"
            )
    return columns


def exact_mean(column: Bounded, drawn: int, exponent: int, n: int) -> Fraction:
    """lower + step (drawn / 2^exponent) / n."""
    return column.exact_bounds[0] + column.exact_step * Fraction(drawn, n << exponent)


def cube_mean(column: Bounded, drawn: int, exponent: int, n: int) -> Fraction:
    """The mean on [-1, 1]: 2 (drawn / 2^exponent) / (J n) - 1."""
    return Fraction(2 * drawn, column.steps * (n << exponent)) - 1


def cube_covariance(first: Bounded, second: Bounded, drawn: int, exponent: int, n: int) -> Fraction:
    """The covariance on [-1, 1]^2: 4 (drawn / 2^exponent) / (J_a J_b n)."""
    return Fraction(4 * drawn, first.steps * second.steps * (n << exponent))


def as_floats(numbers: Sequence[Fraction]) -> Floats:
    """The nearest floats; `InvalidInput` where a number is beyond their range."""
    try:
        return np.array([float(number) for number in numbers])
    except OverflowError:
        raise InvalidInput("a released number is too large for a floating-point number") from None


def half_widths(columns: Sequence[Bounded]) -> Floats:
    """(upper - lower)/2 of each column: what one unit on [-1, 1] is."""
    return as_floats([column.exact_step * column.steps / 2 for column in columns])


def centres(columns: Sequence[Bounded]) -> Floats:
    """(upper + lower)/2 of each column: what 0 on [-1, 1] is."""
    return as_floats([sum(column.exact_bounds, Fraction(0)) / 2 for column in columns])
