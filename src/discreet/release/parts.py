"""The parts that every release document shares: how each is written, and every check on the way back in.

Nothing in a file is believed: exact types (JSON's true would pass for the integer 1), no unknown keys, whole numbers as
text, because other languages read JSON numbers as floats. Every failure is a `FormatError` that names the part.
"""

from __future__ import annotations

import math
import re
from typing import Any

from discreet.errors import DiscreetError, FormatError
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import Guarantee, guarantee_from_dict
from discreet.release.integers import Integers
from discreet.release.io import Document
from discreet.release.packed import unpacked
from discreet.schema import Schema

WHOLE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,999})", re.ASCII)


def cost_document(cost: Cost | None) -> Document | None:
    """A cost as plain data."""
    return None if cost is None else {"currency": cost.currency, "amount": cost.amount, "delta": cost.delta}


_WANTED = {dict: "an object", list: "a list", str: "text", int: "an integer"}


def typed(name: str, value: object, wanted: type) -> Any:
    """`value` if it is exactly of the type `wanted`."""
    # Exact types: JSON's true would pass for the integer 1.
    if type(value) is not wanted:
        raise FormatError(f"{name} must be {_WANTED[wanted]}, not {short(value)}")
    return value


def short(value: object) -> str:
    """A value in at most 40 characters, for a message."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def keys(name: str, found: Document, wanted: tuple[str, ...]) -> None:
    """Refuse an object that lacks a part or has one too many."""
    missing, unknown = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    if missing:
        raise FormatError(f"{name} lacks {', '.join(missing)}")
    if unknown:
        raise FormatError(f"{name} has the unknown part {short(unknown[0])}")


def number(name: str, value: object) -> float:
    """A finite number as a float."""
    if type(value) is not int and type(value) is not float:
        raise FormatError(f"{name} must be a number, not {short(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise FormatError(f"{name} must be a finite number, not {short(value)}")
    return number


def schema_part(value: object) -> Schema:
    """The schema that a document holds."""
    try:
        return Schema.from_dict(typed("schema", value, dict))
    except DiscreetError as problem:
        raise FormatError(f"schema: {problem}") from problem
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as problem:
        raise FormatError("schema is damaged") from problem


def guarantee_part(value: object) -> Guarantee | None:
    """The guarantee that a document states, or None."""
    if value is None:
        return None
    try:
        return guarantee_from_dict(typed("guarantee", value, dict))
    except DiscreetError as problem:
        raise FormatError(f"guarantee: {problem}") from problem
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as problem:
        raise FormatError("guarantee is damaged") from problem


def cost_part(value: object) -> Cost | None:
    """The cost that a document states, or None."""
    if value is None:
        return None
    cost = typed("cost", value, dict)
    keys("cost", cost, ("currency", "amount", "delta"))
    if cost["currency"] not in ("epsilon", "mu", "rho", "approx"):
        raise FormatError(f"cost.currency is unknown: {short(cost['currency'])}")
    amount, delta = number("cost.amount", cost["amount"]), number("cost.delta", cost["delta"])
    if amount < 0 or not 0 <= delta < 1:
        raise FormatError("cost must not be negative, and its delta lies below 1")
    return Cost(cost["currency"], amount, delta)


def versions_part(value: object) -> dict[str, str]:
    """The programs that made the release."""
    return {key: typed(f"versions.{key}", text, str) for key, text in typed("versions", value, dict).items()}


def whole_numbers(value: object) -> tuple[int, ...]:
    """Integers that were written as text, one by one."""
    texts = typed("drawn", value, list)
    for text in texts:
        if type(text) is not str or not WHOLE_NUMBER.fullmatch(text):
            raise FormatError(f"drawn holds {short(text)}, which is no whole number in quotes")
    return tuple(map(int, texts))


def integers(value: object) -> Integers:
    """Integers that were written as text, as a packed block, or as the column of a columnar file."""
    if isinstance(value, Integers):
        return value
    return unpacked("drawn", value) if type(value) is dict else Integers(whole_numbers(value))
