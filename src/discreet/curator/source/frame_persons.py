"""The records that count of each person (`persons`), of a data frame in memory."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discreet.curator.source.encode import Groups
from discreet.curator.source.frame_numbers import nulls
from discreet.curator.source.persons import kept, person_of

Integers = NDArray[np.int64]

_LOOKED_AT = (nw.String, nw.Categorical, nw.Enum, nw.Object)


def can_be_unit(dtype: Any) -> bool:
    """Text, whole numbers, floats that may be whole numbers, and Python objects, which are looked at one by one."""
    return dtype in _LOOKED_AT or bool(dtype.is_integer() or dtype.is_float())


def kept_groups(number: Integers, names: Sequence[str], codes: Sequence[Integers], most: int, key: str) -> Groups:
    """The records that count, by their codes.

    Parameters
    ----------
    number, names
        The person of each record: see `numbered`.
    codes : sequence of int arrays
        The code of each record in each column, from -1.
    most : int
        k, the records of a person that count.
    key : str
        See `persons.key_of`.
    """
    cell, places = _cells(codes)
    total = np.bincount(number[number >= 0], minlength=len(names))
    bounded = (number >= 0) & (np.append(total, 0)[number] > most)
    counts = np.bincount(cell[~bounded], minlength=len(places)).tolist()
    pairs, copies = np.unique(number[bounded] * len(places) + cell[bounded], return_counts=True)
    index = {place: position for position, place in enumerate(places)}
    found = zip(pairs.tolist(), copies.tolist(), strict=True)
    for who, own in itertools.groupby(found, lambda pair: pair[0] // len(places)):
        held = {places[pair % len(places)]: number for pair, number in own}
        for place, chosen in kept(names[who], held, most, key).items():
            counts[index[place]] += chosen
    return list(zip(places, counts, strict=True))


def _cells(codes: Sequence[Integers]) -> tuple[Integers, list[tuple[int, ...]]]:
    """The occupied cell of each record, numbered from 0, and the codes of each cell."""
    cell, top = np.zeros(len(codes[0]), dtype=np.int64), 1
    for code in codes:
        width = int(code.max(initial=-1)) + 2
        if top * width >= 2**63:  # fewer numbers do, as there are fewer records
            values, cell = np.unique(cell, return_inverse=True)
            top = len(values)
        cell, top = cell * width + (code + 1), top * width
    _, first, cell = np.unique(cell, return_index=True, return_inverse=True)
    return cell, list(zip(*(code[first].tolist() for code in codes), strict=True))


def numbered(persons: nw.Series[Any]) -> tuple[Integers, list[str]]:
    """The number of each record's person, -1 where it is a person of its own; and the persons' names, which are distinct."""
    if persons.dtype.is_integer() and not nulls(persons).any() and persons.dtype not in (nw.Int128, nw.UInt128):
        values, number = np.unique(persons.to_numpy(), return_inverse=True)
        return number.astype(np.int64), [str(value) for value in values.tolist()]
    known: dict[str, int] = {}
    number = np.empty(len(persons), dtype=np.int64)
    for row, value in enumerate(persons.to_list()):
        name = person_of(value)
        number[row] = -1 if name is None else known.setdefault(name, len(known))
    return number, list(known)
