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

    Of a person with at most k records no copies and no digests are made: her records in a cell stay one row of that weight.

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
    totalled = f"SELECT u, {shown}, n, sum(n) OVER (PARTITION BY u) > {most} AS more FROM ({counted}) AS b"
    weighed = (
        f"SELECT u, {shown}, more, CASE WHEN more THEN 1 ELSE n END AS weight, "
        f"CASE WHEN more THEN least(n, {MOST_COPIES}) ELSE 1 END AS copies FROM ({totalled}) AS c"
    )
    copies = dialect.copies(f"u, {shown}, more, weight", weighed, "copies")
    digest = dialect.digest(f"'{key}|' || {text} || '|' || CAST(copy AS {{text}}) || '|'", "u")
    digested = (
        f"SELECT u, {shown}, more, weight, CASE WHEN more THEN {digest} ELSE '' END AS digest FROM ({copies}) AS d"
    )
    order = (
        "row_number() OVER (PARTITION BY u ORDER BY digest ASC) AS place"  # said, as a user's setting may be another
    )
    placed = f"SELECT {shown}, more, weight, {order} FROM ({digested}) AS e"
    return f"SELECT {shown}, sum(weight) AS n FROM ({placed}) AS f WHERE place <= {most} OR NOT more GROUP BY {shown}"
