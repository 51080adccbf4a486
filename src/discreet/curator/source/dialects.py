"""The SQL of PostgreSQL and of Spark for the codes of a record: what the two write differently, and the expressions of a value.

Both are asked for expressions that have one meaning: bytes are compared instead of text (no collation, no escape in a
literal), whole numbers as 64-bit integers, and doubles are multiplied only where the product is within bounds, because
PostgreSQL raises an error (whose text shows the value) where a product overflows or underflows.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.curator.source.numeric import BLANKS, Grid
from discreet.curator.source.person_sql import PersonDialect
from discreet.schema.canonical import Spellings

_LARGEST = 2**63


@dataclass(frozen=True)
class Dialect:
    """What PostgreSQL and Spark write differently.

    Attributes
    ----------
    name : str
        As it stands in messages.
    double, timestamp, text : str
        The types of a double, of a time without zone, and of text.
    divided : str
        The operator that divides whole numbers.
    utf8 : callable
        From an SQL text to its bytes in UTF-8.
    hexadecimal : callable
        From hexadecimal digits to a literal of bytes.
    wide_sum : callable
        The sum of 64-bit integers in a type that does not overflow.
    number : callable
        From an SQL value and its kind ("text" or "decimal") to its double; None where the engine offers no exact way.
    persons : PersonDialect
        What the query for the records of a person needs.
    """

    name: str
    double: str
    timestamp: str
    text: str
    divided: str
    utf8: Callable[[str], str]
    hexadecimal: Callable[[str], str]
    wide_sum: Callable[[str], str]
    number: Callable[[str, str], str | None]
    persons: PersonDialect

    def literal(self, number: float) -> str:
        """A double, exactly."""
        return f"CAST('{float(number)!r}' AS {self.double})"

    def double_of(self, value: str, kind: str) -> str | None:
        """The double of a value of this kind, NULL or NaN where it is missing; None: the engine has no exact way."""
        if kind in ("integer", "float"):
            return f"CAST({value} AS {self.double})"
        if kind == "boolean":
            return f"CAST({_truth(value)} AS {self.double})"
        if kind in ("text", "decimal"):
            return self.number(value, kind)
        return f"CAST(NULL AS {self.double})"

    def code_of(self, value: str, grid: Grid) -> str:
        """The code, counted from the grid's centre, of a double: the operations of `numeric`, where they decide.

        Outside of the bounds the code is the bound's, because every operation is monotone; so it is below a quarter of a
        step above the lower bound, where a product could underflow: 1/4 and shift's excess, at most 1/16, add up to less
        than 1/2.
        """
        low, high, missing = (f"CAST({end - grid.centre} AS BIGINT)" for end in (0, grid.steps, grid.missing))
        above = f"({value} - {self.literal(grid.lower)})"
        code = f"floor({above} * {self.literal(grid.scale)} + {self.literal(grid.shift)})"
        return (
            f"CASE WHEN {value} IS NULL OR {value} = {self.literal(float('nan'))} THEN {missing} "
            f"WHEN {value} >= {self.literal(grid.upper)} THEN {high} WHEN {value} <= {self.literal(grid.lower)} THEN {low} "
            f"WHEN {above} < {self.literal(0.25 / grid.scale)} THEN {low} "
            f"ELSE LEAST(GREATEST(CAST({code} AS BIGINT), {low}), {high}) END"
        )

    def person(self, value: str, kind: str) -> str | None:
        """The bytes of the person that a value stands for, NULL where it is none; None: no kind of a unit."""
        if kind in ("text", "integer", "uuid"):
            return self.utf8(f"CAST({value} AS {self.text})")
        if kind == "float":
            text = self.utf8(f"CAST(CAST({value} AS BIGINT) AS {self.text})")
            missing = f"{value} IS NULL OR {value} = {self.literal(float('nan'))}"
            far = (
                f"abs({value}) >= {self.literal(2.0**63)}"  # a branch before it: Spark's floor is a BIGINT, or an error
            )
            stray = self.utf8(chr(39) * 2)
            return (
                f"CASE WHEN {missing} THEN NULL WHEN {far} THEN {stray} "
                f"WHEN {value} = floor({value}) THEN {text} ELSE {stray} END"
            )
        return None

    def spelt(self, value: str, kind: str) -> str:
        """The value in the form in which spellings of this kind are compared."""
        if kind == "text":
            return self.utf8(f"CAST({value} AS {self.text})")
        if kind == "boolean":
            return f"CAST({_truth(value)} AS BIGINT)"
        return (
            f"CAST({value} AS {'BIGINT' if kind == 'integer' else self.double})"
            if kind in ("integer", "float")
            else value
        )

    def spellings(self, kind: str, spellings: Spellings) -> dict[str, int]:
        """The literals that are categories, with their codes; none where no value of the kind is a category."""
        if kind == "text":
            return {
                self.hexadecimal(text.encode().hex()): code for text, code in spellings.texts.items() if _is_utf8(text)
            }
        if kind == "integer":
            held = {key: code for key, code in spellings.integers.items() if -_LARGEST <= key < _LARGEST}
            return _cast(held, "BIGINT")
        if kind == "boolean":
            return _cast({int(truth): code for truth, code in spellings.booleans.items()}, "BIGINT")
        if kind == "float":
            return {self.literal(key): code for key, code in spellings.floats.items()}
        if kind == "date":
            return _cast({_day(day): code for day, code in spellings.dates.items()}, "DATE")
        if kind == "timestamp":
            return _cast({f"{_day(day)} 00:00:00": code for day, code in spellings.dates.items()}, self.timestamp)
        return {}


def _truth(value: str) -> str:
    return f"CASE WHEN {value} THEN 1 WHEN NOT {value} THEN 0 END"


def _cast(codes: Mapping[Any, int], sql_type: str) -> dict[str, int]:
    return {f"CAST('{key}' AS {sql_type})": code for key, code in codes.items()}


def _day(day: datetime.date) -> str:
    return day.isoformat()


def _is_utf8(text: str) -> bool:
    """No engine's text holds half of a surrogate pair."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _postgres_number(value: str, kind: str) -> str | None:
    """A decimal outside of the doubles would be an error; text can be, and there is no way to try."""
    if kind == "text":
        return None
    largest, smallest = "1.7976931348623157e308", "5e-324"
    return (
        f"CASE WHEN {value} = 'NaN' THEN NULL WHEN {value} > {largest} THEN CAST('inf' AS double precision) "
        f"WHEN {value} < -{largest} THEN CAST('-inf' AS double precision) "
        f"WHEN abs({value}) < {smallest} THEN 0 ELSE CAST({value} AS double precision) END"
    )


def _spark_number(value: str, kind: str) -> str:
    """Text is first matched, because Java reads more than numbers: "1d", "0x1p3"."""
    if kind == "decimal":
        return f"CAST(CAST({value} AS STRING) AS DOUBLE)"
    blanks = f"[{BLANKS}]*"
    number = f"\\A{blanks}([+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]+)?){blanks}\\z"
    found = f"regexp_extract({value}, {_spark_text(number)}, 1)"
    special = {
        f"\\A{blanks}[+]?(?i:inf|infinity){blanks}\\z": "inf",
        f"\\A{blanks}-(?i:inf|infinity){blanks}\\z": "-inf",
        "\\A(?i:true)\\z": "1",
        "\\A(?i:false)\\z": "0",
    }
    others = " ".join(
        f"WHEN {value} RLIKE {_spark_text(pattern)} THEN CAST('{double}' AS DOUBLE)"
        for pattern, double in special.items()
    )
    return f"CASE WHEN {found} <> '' THEN CAST({found} AS DOUBLE) {others} END"


def _spark_text(text: str) -> str:
    """Without an escape: how Spark reads those in a literal is a setting."""
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


POSTGRES = Dialect(
    name="PostgreSQL",
    double="double precision",
    timestamp="timestamp",
    text="text",
    divided="/",
    utf8=lambda text: f"convert_to({text}, 'UTF8')",
    hexadecimal=lambda digits: f"decode('{digits}', 'hex')",
    wide_sum=lambda value: f"sum({value})",  # its sum of bigint is numeric
    number=_postgres_number,
    persons=PersonDialect(
        digest=lambda text, person: f"md5(convert_to({text.format(text='text')}, 'UTF8') || {person}) COLLATE \"C\"",
        copies=lambda names, rows, number: (
            f"SELECT {names}, copy FROM ({rows}) AS b CROSS JOIN LATERAL generate_series(1, {number}) AS s(copy)"
        ),
    ),
)
SPARK = Dialect(
    name="Spark",
    double="DOUBLE",
    timestamp="TIMESTAMP_NTZ",
    text="STRING",
    divided="div",
    utf8=lambda text: f"CAST({text} AS BINARY)",
    hexadecimal=lambda digits: f"X'{digits}'",
    wide_sum=lambda value: f"sum(CAST({value} AS DECIMAL(19, 0)))",
    number=_spark_number,
    persons=PersonDialect(
        digest=lambda text, person: f"md5(concat(CAST({text.format(text='STRING')} AS BINARY), {person}))",
        copies=lambda names, rows, number: (
            f"SELECT {names}, explode(sequence(CAST(1 AS BIGINT), {number})) AS copy FROM ({rows}) AS b"
        ),
    ),
)
