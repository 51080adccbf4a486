"""What does not match the schema: strays and what likely made them, numbers out of bounds. For the curator's eyes only."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from difflib import get_close_matches

from discreet.curator.source.encode import Reader, cells
from discreet.curator.source.numeric import Grid
from discreet.schema import Categorical, Column

_LIMIT = 1_000_000
_SHOWN = 10
_WIDTH = 60
_TEXT_TYPES = {"str", "VARCHAR"}


@dataclass(frozen=True)
class Stray:
    """One stray value: its text (None for null), its type in the data, how often it was seen, and the likely cause."""

    value: str | None
    type: str
    count: int
    hint: str


@dataclass(frozen=True)
class ColumnStrays:
    """The strays of one column: how many records, and the most frequent values among the first million of them."""

    name: str
    count: int
    values: tuple[Stray, ...]


@dataclass(frozen=True)
class ColumnFlaws:
    """What of a numeric column is not a number within its bounds: how many records.

    Attributes
    ----------
    missing : int
        Null or NaN; they count as the declared `missing=` value.
    below, above : int
        Numbers outside of the bounds, infinities too; they count as the bound.
    not_numbers : int
        Values of another type, and text that is no number; they count as missing ones do.
    """

    name: str
    missing: int
    below: int
    above: int
    not_numbers: int

    @property
    def count(self) -> int:
        """How many records in all."""
        return self.missing + self.below + self.above + self.not_numbers

    def __str__(self) -> str:
        kinds = {
            "null or NaN": self.missing,
            "below the bounds": self.below,
            "above the bounds": self.above,
            "not a number": self.not_numbers,
        }
        found = ", ".join(f"{number} {kind}" for kind, number in kinds.items() if number)
        return f"{self.name}: {found or 'all numbers within the bounds'}"


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """The strays of every categorical column and the flaws of every numeric one. Confidential: exact counts, raw values."""

    columns: tuple[ColumnStrays, ...]
    numbers: tuple[ColumnFlaws, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether there are no strays at all, and every number is there and within its bounds."""
        return not any(column.count for column in self.columns) and not any(column.count for column in self.numbers)

    def __repr__(self) -> str:
        lines = ["CONFIDENTIAL: exact counts and raw values of the records; not protected, not for release"]
        for column in self.columns:
            lines.append(f"{column.name}: {column.count} stray" + ("" if column.count == 1 else "s"))
            lines += [
                f"  {stray.count} x {'null' if stray.value is None else repr(stray.value)} ({stray.type}): {stray.hint}"
                for stray in column.values
            ]
        return "\n".join([*lines, *map(str, self.numbers)])


def diagnose(reader: Reader, columns: Mapping[str, Column]) -> Diagnosis:
    """Count and explain the strays of each categorical column, and count the flaws of each numeric one."""
    strays, flaws = [], []
    for name, column in columns.items():
        if isinstance(column, Categorical):
            strays.append(_diagnose_column(reader, name, column))
        elif column.grid_refusal is None:
            flaws.append(ColumnFlaws(name, *astuple(reader.flaws(name, Grid.of(column)))))
    return Diagnosis(tuple(strays), tuple(flaws))


def _diagnose_column(reader: Reader, name: str, column: Categorical) -> ColumnStrays:
    number = int(cells(reader.groups({name: column}), [column], complete=False)[-1])
    if not number:
        return ColumnStrays(name, 0, ())
    seen = Counter(reader.strays(name, column, _LIMIT))
    most = sorted(seen.items(), key=lambda item: (-item[1], item[0][0], item[0][1] or ""))[:_SHOWN]
    values = tuple(Stray(_shortened(text), kind, count, hint(text, kind, column)) for (kind, text), count in most)
    return ColumnStrays(name, number, values)


def _shortened(text: str | None) -> str | None:
    return text if text is None or len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."


def hint(text: str | None, kind: str, column: Categorical) -> str:
    """The likely cause of a stray.

    Examples
    --------
    >>> from discreet.schema.columns import Categorical
    >>> smoking = Categorical(["no", "yes"])
    >>> for text in (" yes", "Yes", "yess", "perhaps", None):
    ...     print(hint(text, "str", smoking))
    blanks: 'yes' without them
    case: 'yes' is declared
    spelling: near to 'yes'
    undeclared: add it to the schema, or leave it a stray
    null: a missing value is always a stray
    """
    if text is None or (text == "nan" and kind not in _TEXT_TYPES):
        return "null: a missing value is always a stray"
    if not text.strip():
        return "blanks: empty text is always a stray"
    declared = {spelling: column.labels[code] for spelling, code in column.spellings.texts.items()}
    if text in declared:
        return f"type: {declared[text]!r} is declared, but a value of type {kind} cannot be it"
    if (found := declared.get(text.strip())) is not None:
        return f"blanks: {found!r} without them"
    if (found := _matching(text, declared, str.casefold)) is not None:
        return f"case: {found!r} is declared"
    if (found := _matching(text, declared, _compatible)) is not None:
        return f"unicode form: {found!r} is declared in another form"
    if (found := _as_number(text, declared)) is not None:
        return f"type: {found!r} is declared; this number is written or typed otherwise"
    nearest = get_close_matches(_compatible(text)[:200], [_compatible(label) for label in column.labels], n=1)
    if nearest:
        return f"spelling: near to {next(x for x in column.labels if _compatible(x) == nearest[0])!r}"
    return "undeclared: add it to the schema, or leave it a stray"


def _matching(text: str, declared: dict[str, str], form: Callable[[str], str]) -> str | None:
    wanted = form(text.strip())
    return next((label for spelling, label in declared.items() if form(spelling) == wanted), None)


def _compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()


def _as_number(text: str, declared: dict[str, str]) -> str | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return declared.get(str(int(number))) if number.is_integer() else None
