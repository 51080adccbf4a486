"""The two kinds of column a schema declares: `Categorical` (categories) and `Bounded` (numbers within bounds, on a grid)."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.errors import InvalidInput
from discreet.schema.canonical import Category, Spellings, label, spellings

_DEFAULT_STEPS = 2**16
_MOST_STEPS = 2**31
_FARTHEST = 2**45
_STEP_RANGE = Fraction(1, 2**960), Fraction(2**960)


@dataclass(frozen=True, eq=False)
class Categorical:
    """A column whose values are declared categories; every other value is a stray.

    Parameters
    ----------
    categories : sequence of str, int or bool
        At least one, each non-empty, no two with one canonical form (see `discreet.schema.canonical`), in the axis' order.

    Examples
    --------
    >>> from discreet import Categorical
    >>> Categorical([True, False]).labels
    ('true', 'false')
    >>> Categorical([1, "1"])
    Traceback (most recent call last):
        ...
    discreet.errors.InvalidInput: categories 1 and '1' have one canonical form: a value '1' would count as both; ...
    """

    categories: tuple[Category, ...]
    labels: tuple[str, ...] = field(init=False, repr=False)
    spellings: Spellings = field(init=False, repr=False)

    def __init__(self, categories: Sequence[Category]) -> None:
        if isinstance(categories, str | bytes) or not isinstance(categories, Iterable):
            raise InvalidInput(f"categories must be a list such as ['no', 'yes'], got {categories!r}")
        if isinstance(categories, set | frozenset | Mapping):
            raise InvalidInput("categories must be a list or tuple, because their order is the order of the axis")
        declared = tuple(_category(category) for category in categories)
        if not declared:
            raise InvalidInput("categories must not be empty: declare at least one")
        seen: set[tuple[type, Category]] = set()
        for category in declared:
            if (type(category), category) in seen:
                raise InvalidInput(f"category {category!r} is declared twice; declare each category once")
            seen.add((type(category), category))
        object.__setattr__(self, "categories", declared)
        object.__setattr__(self, "labels", tuple(label(category) for category in declared))
        object.__setattr__(self, "spellings", spellings(declared))

    def __len__(self) -> int:
        return len(self.categories)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categorical) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __reduce__(self) -> tuple[Any, ...]:
        return Categorical, (list(self.categories),)

    @property
    def _identity(self) -> tuple[tuple[str, Category], ...]:
        return tuple((type(category).__name__, category) for category in self.categories)

    def __repr__(self) -> str:
        return f"Categorical({list(self.categories)!r})"


@dataclass(frozen=True)
class Bounded:
    """A numeric column: clamped to [lower, upper] and coded j = 0 ... J by its nearest grid point lower + j step.

    Parameters
    ----------
    lower, upper : float
        Finite, lower < upper.
    step : float, optional
        (upper - lower)/step must be a whole number J in decimal arithmetic (numbers are read as they print, so
        `Bounded(0, 1, 0.1)` has J = 10). None: the public default J = 2**16.
    missing : float, optional
        The value within the bounds that stands for a null or NaN. None: the grid point floor(J/2).

    Examples
    --------
    >>> from discreet import Bounded
    >>> Bounded(0, 1, step=0.1).steps, Bounded(0, 120, step=1, missing=18).missing_code
    (10, 18)
    """

    lower: float
    upper: float
    step: float | None = None
    missing: float | None = None

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "step", "missing"):
            value = getattr(self, name)
            if value is not None or name in ("lower", "upper"):
                object.__setattr__(self, name, _number(name, value))
        lower, upper = _rational(self.lower), _rational(self.upper)
        if lower >= upper:
            raise InvalidInput(f"bounds: lower = {self.lower!r} must be below upper = {self.upper!r}")
        if self.step is not None:
            if self.step <= 0:
                raise InvalidInput(f"step = {self.step!r} must be positive")
            if ((upper - lower) / _rational(self.step)).denominator != 1:
                raise InvalidInput(
                    f"(upper - lower)/step must be a whole number, "
                    f"got ({self.upper!r} - {self.lower!r})/{self.step!r} = {float((upper - lower) / _rational(self.step)):.6g}"
                )
        if self.missing is not None and not lower <= _rational(self.missing) <= upper:
            raise InvalidInput(f"missing = {self.missing!r} must lie within [{self.lower!r}, {self.upper!r}]")

    @property
    def steps(self) -> int:
        """J, the number of steps from lower to upper."""
        width = _rational(self.upper) - _rational(self.lower)
        return _DEFAULT_STEPS if self.step is None else int(width / _rational(self.step))

    @property
    def exact_bounds(self) -> tuple[Fraction, Fraction]:
        """lower and upper as exact fractions, read as they print."""
        return _rational(self.lower), _rational(self.upper)

    @property
    def exact_step(self) -> Fraction:
        """(upper - lower)/J as an exact fraction."""
        return (_rational(self.upper) - _rational(self.lower)) / self.steps

    @property
    def grid_refusal(self) -> str | None:
        """Why exact sums over this grid are refused; None where they are not.

        J^2 must fit 64 bits, so that the sums of 2**40 products fit 128; and a double must tell the points between
        two grid points apart, at both bounds.
        """
        smallest, largest = _STEP_RANGE
        if self.steps > _MOST_STEPS:
            return f"{self.steps} steps from lower to upper are more than 2**31; declare a larger step"
        if max(map(abs, self.exact_bounds)) > _FARTHEST * self.exact_step:
            return (
                f"the bounds {self.lower!r} and {self.upper!r} lie more than 2**45 steps from zero, where numbers are too "
                f"coarse for the grid; declare a larger step or shift the column"
            )
        if not smallest <= self.exact_step <= largest:
            return "its step is out of range: it must lie between 2**-960 and 2**960"
        return None

    @property
    def missing_code(self) -> int:
        """The code of a null or NaN: that of `missing` (nearest, ties up), else floor(J/2)."""
        if self.missing is None:
            return self.steps // 2
        return math.floor((_rational(self.missing) - _rational(self.lower)) / self.exact_step + Fraction(1, 2))


def _category(value: object) -> Category:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        return plain
    if isinstance(plain, int):
        if abs(plain) >= 10**40:
            raise InvalidInput("an integer category must have at most 40 digits; declare longer ones as text")
        return int(plain)
    if not isinstance(plain, str):
        raise InvalidInput(f"a category must be text, an integer or a boolean, got {value!r} ({type(value).__name__})")
    text = str.__str__(plain)
    if not text:
        raise InvalidInput("a category must not be empty text: empty text counts as missing")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidInput(f"category {text!r} is not valid Unicode text")
    return text


def _number(name: str, value: object) -> float:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool) or not isinstance(plain, int | float) or not abs(plain) <= sys.float_info.max:
        raise InvalidInput(f"{name} must be a finite number, got {value!r}")
    return int(plain) if isinstance(plain, int) else float(plain)


def _rational(number: float) -> Fraction:
    return Fraction(Decimal(repr(number)))
