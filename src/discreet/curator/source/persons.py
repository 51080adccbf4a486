"""Which records of a person count: at most k, in a pseudo-random order that her own records alone decide.

*Persons.* The unit's value tells them apart: text as it is, a whole number as its decimal digits, so that 7, 7.0 and "7" are
one person, a UUID as its text. A record without a value (null, NaN) is a person of its own. Values of the unit that are none
of these, such as 0.5, 2^128 or True among Python objects, are one person all together, which can only bound more.

*Order.* A record is seen as the codes that are being counted. Equal records of a person are numbered 1, 2, ... (the first
65,536 take part), and each has the digest

    md5( key | c_1,c_2,... | number | person ),     key = md5 of the names of the columns concerned,

as hexadecimal text, which is compared from the left. The k smallest count. So the choice is as good as a simple random
sample of the person's records, it depends on no other person, no order of rows and no engine, and replacing a person moves
the counts by at most what the old and the new person's k records make: L1 <= 2k, L2^2 <= 2 k^2, whatever the digest is. It is
no secret, and no part of the guarantee.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Mapping, Sequence
from hashlib import md5
from typing import Any
from uuid import UUID

import numpy as np

from discreet.curator.source.frame_numbers import is_null
from discreet.curator.source.numeric import Grid
from discreet.errors import InvalidInput
from discreet.schema.columns import Categorical

MOST_COPIES = 2**16
Cut = Categorical | tuple[Grid, int]
"""How a column becomes codes: by its categories, or by bins of its grid."""


def key_of(unit: str, columns: Sequence[str]) -> str:
    """The public key of a count: 32 hexadecimal digits."""
    return md5(json.dumps([unit, *columns]).encode(), usedforsecurity=False).hexdigest()


def person_of(value: Any) -> str | None:
    """The person that a Python value stands for; None: a person of its own.

    Examples
    --------
    >>> [person_of(value) for value in ("p7", 7, 7.0, None, float("nan"), 0.5, True)]
    ['p7', '7', '7', None, None, '', '']
    """
    if isinstance(value, str):
        return str.__str__(value)
    if is_null(value):
        return None
    if isinstance(value, bool | np.bool_):
        return ""
    if isinstance(value, int | np.integer):
        return str(int(value)) if abs(int(value)) < 2**128 else ""  # of thousands of digits there is no text
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2.0**63 else ""
    return ""


def kept(person: str, counts: Mapping[tuple[int, ...], int], most: int, key: str) -> dict[tuple[int, ...], int]:
    """Of one person's records, counted by their codes, the `most` that count: the definition itself.

    Examples
    --------
    >>> kept("p7", {(0, 1): 4, (1, 1): 2}, 3, key_of("patient", ["smoking", "systolic"]))
    {(0, 1): 2, (1, 1): 1}
    >>> kept("p7", {(0, 1): 2}, 3, key_of("patient", ["smoking", "systolic"]))
    {(0, 1): 2}
    """
    if sum(counts.values()) <= most:
        return dict(counts)
    name = person.encode("utf-8", "surrogatepass")
    digests = (
        (md5(f"{key}|{','.join(map(str, codes))}|{copy}|".encode() + name, usedforsecurity=False).digest(), codes)
        for codes, number in counts.items()
        for copy in range(1, min(number, MOST_COPIES) + 1)
    )
    chosen: dict[tuple[int, ...], int] = dict.fromkeys(counts, 0)
    for _, codes in heapq.nsmallest(most, digests):
        chosen[codes] += 1
    return {codes: number for codes, number in chosen.items() if number}


def no_persons(unit: str, kind: object) -> InvalidInput:
    """The refusal of a unit whose type cannot tell persons apart."""
    return InvalidInput(f"the unit {unit!r} must hold text or whole numbers, which tell persons apart; it holds {kind}")
