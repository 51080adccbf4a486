"""Canonical forms: which values of a record count as which category.

A category is declared once, as text, an integer or a boolean, but the same answer reaches different engines in different
types: pandas turns 1 into 1.0 where a null is near, a CSV file holds only text, an ISO date may be a date or a timestamp at
midnight. Each category therefore has one canonical form and a *finite* set of spellings in each raw type; a value that is
none of them is a stray. The sets are the whole rule: every engine looks values up in them, so all engines agree.

| category      | text                                   | integer (or integral float) | boolean | date, midnight |
|---------------|----------------------------------------|-----------------------------|---------|----------------|
| text          | as declared, and its NFC and NFD forms | text "12" is 12             | "true"  | "2024-01-31"   |
| integer 12    | "12", "12.0"                           | 12                          |         |                |
| boolean True  | "true" in any case                     |                             | True    |                |
"""

from __future__ import annotations

import datetime
import itertools
import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from discreet.errors import InvalidInput

Category = str | int | bool
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True)
class Spellings:
    """For each raw type, the values that count as a declared category, with that category's position.

    A float has no entry of its own: it counts as its integer where it is integral, and is a stray elsewhere.
    A timestamp counts as its date where it is midnight and has no time zone, and is a stray elsewhere.

    Examples
    --------
    >>> from discreet.schema.canonical import spellings
    >>> sorted(spellings([0, 1]).texts.items())
    [('-0.0', 0), ('0', 0), ('0.0', 0), ('1', 1), ('1.0', 1)]
    """

    texts: Mapping[str, int]
    integers: Mapping[int, int]
    booleans: Mapping[bool, int]
    dates: Mapping[datetime.date, int]

    @property
    def floats(self) -> dict[float, int]:
        """The floats that are exactly one of the integers (2**53 + 1 is none)."""
        found = {}
        for integer, code in self.integers.items():
            try:
                number = float(integer)
            except OverflowError:
                continue
            if number == integer:
                found[number] = code
        return found


def label(category: Category) -> str:
    """The canonical form of a category: decimal digits, "true" or "false", or text in NFC.

    Examples
    --------
    >>> label(True), label(-3), label("e\\u0301") == "\\u00e9"
    ('true', '-3', True)
    """
    if isinstance(category, bool):
        return "true" if category else "false"
    return unicodedata.normalize("NFC", category) if isinstance(category, str) else str(category)


def spellings(categories: Sequence[Category]) -> Spellings:
    """The spellings of all categories; `InvalidInput` where one value would count as two of them."""
    texts: dict[str, int] = {}
    integers: dict[int, int] = {}
    booleans: dict[bool, int] = {}
    dates: dict[datetime.date, int] = {}

    def add(table: dict[_Key, int], key: _Key, code: int) -> None:
        other = table.setdefault(key, code)
        if other != code:
            raise InvalidInput(
                f"categories {categories[other]!r} and {categories[code]!r} have one canonical form: "
                f"a value {key!r} would count as both; declare one of them"
            )

    for code, category in enumerate(categories):
        for text in _texts(category):
            add(texts, text, code)
        if isinstance(category, bool):
            add(booleans, category, code)
        elif isinstance(category, int):
            add(integers, category, code)
        else:
            if (integer := _integer(category)) is not None:
                add(integers, integer, code)
            if category in ("true", "false"):
                add(booleans, category == "true", code)
            if (day := _date(category)) is not None:
                add(dates, day, code)
    return Spellings(texts, integers, booleans, dates)


def _texts(category: Category) -> set[str]:
    if isinstance(category, bool):
        return {"".join(letters) for letters in itertools.product(*((c, c.upper()) for c in label(category)))}
    if isinstance(category, str):
        return {category, unicodedata.normalize("NFC", category), unicodedata.normalize("NFD", category)}
    found = {str(category), f"{category}.0"}
    if category == 0:
        found.add("-0.0")
    if abs(category) >= 10**15:  # from here on engines write an integral float with an exponent
        try:
            if float(category) == category:
                found |= {repr(float(category)), repr(float(category)).replace("e+", "e")}
        except OverflowError:
            pass  # no engine holds it as a float
    return found


def _integer(text: str) -> int | None:
    """The integer whose decimal form `text` is; None for "01", "+1", "-0" and all else."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 40):
        return None
    return int(text) if str(int(text)) == text else None


def _date(text: str) -> datetime.date | None:
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None
