"""SQL for the records that count (`persons`): what engines share, and the two things that they write differently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from discreet.curator.source.persons import MOST_COPIES


@dataclass(frozen=True)
class PersonDialect:
    """What engines write differently.

    Attributes
    ----------
    digest : callable
        From an SQL text and the bytes of a person to the md5 of both, in hexadecimal digits.
    copies : callable
        From the names to be carried, a subquery, and the number of copies, to a query of as many rows, numbered `copy`.
    """

    digest: Callable[[str, str], str]
    copies: Callable[[str, str, str], str]


def kept_sql(coded: str, codes: int, most: int, key: str, dialect: PersonDialect) -> str:
    """A row an occupied cell, and the number of records in it that count.

    Parameters
    ----------
    coded : str
        A query whose columns are u, the bytes of the person, never null, and the codes g0, g1, ...
    codes : int
        How many codes there are.
    most : int
        k, the records of a person that count.
    key : str
        See `persons.key_of`.
    """
    names = [f"g{i}" for i in range(codes)]
    shown = ", ".join(names)
    text = " || ',' || ".join(f"CAST({name} AS {{text}})" for name in names)
    counted = f"SELECT u, {shown}, count(*) AS n FROM ({coded}) AS a GROUP BY u, {shown}"
    copies = dialect.copies(f"u, {shown}", counted, f"least(n, {MOST_COPIES})")
    digest = dialect.digest(f"'{key}|' || {text} || '|' || CAST(copy AS {{text}}) || '|'", "u")
    placed = f"SELECT {shown}, row_number() OVER (PARTITION BY u ORDER BY digest) AS place"
    return (
        f"SELECT {shown}, count(*) AS n FROM ({placed} FROM (SELECT u, {shown}, {digest} AS digest FROM ({copies}) AS c) AS d) "
        f"AS e WHERE place <= {most} GROUP BY {shown}"
    )
