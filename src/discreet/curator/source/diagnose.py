"""What the strays are and what likely made them: for the curator's own eyes, never for a release."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from discreet.curator.source.encode import Reader, cells
from discreet.schema.columns import Categorical

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


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """The strays of every categorical column. Confidential: these are exact counts and raw values."""

    columns: tuple[ColumnStrays, ...]

    @property
    def clean(self) -> bool:
        """Whether there are no strays at all."""
        return not any(column.count for column in self.columns)

    def __repr__(self) -> str:
        lines = ["CONFIDENTIAL: exact counts and raw values of the records; not protected, not for release"]
        for column in self.columns:
            lines.append(f"{column.name}: {column.count} stray" + ("" if column.count == 1 else "s"))
            lines += [
                f"  {stray.count} x {'null' if stray.value is None else repr(stray.value)} ({stray.type}): {stray.hint}"
                for stray in column.values
            ]
        return "\n".join(lines)


def diagnose(reader: Reader, columns: Sequence[tuple[str, Categorical]]) -> Diagnosis:
    """Count and explain the strays of each column."""
    return Diagnosis(tuple(_diagnose_column(reader, name, column) for name, column in columns))


def _diagnose_column(reader: Reader, name: str, column: Categorical) -> ColumnStrays:
    number = cells(reader.groups({name: column}), [column], complete=False)[-1]
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
