"""The records that count of each person (`persons`), of a data frame in memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discreet.curator.source.encode import Groups
from discreet.curator.source.frame_numbers import nulls
from discreet.curator.source.persons import kept, person_of

Integers = NDArray[np.int64]

_TEXT = (nw.String, nw.Categorical, nw.Enum)
_BY_VALUE = (nw.Object, nw.Unknown)


def can_be_unit(dtype: Any) -> bool:
    """Text, whole numbers, floats that may be whole numbers, and Python objects, which are looked at one by one."""
    return dtype in (*_TEXT, *_BY_VALUE) or bool(dtype.is_integer() or dtype.is_float())


def kept_groups(
    persons: nw.Series[Any], codes: Sequence[Integers], sizes: Sequence[int], most: int, key: str
) -> Groups:
    """The records that count, by their codes.

    Parameters
    ----------
    persons : Series
        The column of the unit.
    codes : sequence of int arrays
        The code of each record in each column, from -1.
    sizes : sequence of int
        Above the largest code of each column.
    most : int
        k, the records of a person that count.
    key : str
        See `persons.key_of`.
    """
    number, names = _numbered(persons)
    widths = [size + 1 for size in sizes]
    cells = np.zeros(len(number), dtype=np.int64)
    for code, width in zip(codes, widths, strict=True):
        cells = cells * width + (code + 1)
    total = np.bincount(number[number >= 0], minlength=len(names))
    bounded = (number >= 0) & (np.append(total, 0)[number] > most)
    counted: Counter[int] = Counter()
    found, counts = np.unique(cells[~bounded], return_counts=True)
    counted.update(dict(zip(found.tolist(), counts.tolist(), strict=True)))
    space = math.prod(widths)
    pairs, counts = np.unique(number[bounded] * space + cells[bounded], return_counts=True)
    who, where = np.divmod(pairs, space)
    starts = np.flatnonzero(np.append(True, who[1:] != who[:-1])) if len(who) else np.zeros(0, np.int64)
    for start, stop in zip(starts, np.append(starts[1:], len(who)), strict=True):
        own = dict(zip(_places(where[start:stop], widths), counts[start:stop].tolist(), strict=True))
        for place, copies in kept(names[who[start]], own, most, key).items():
            counted[_cell(place, widths)] += copies
    places = _places(np.array(list(counted), dtype=np.int64), widths)
    return list(zip(places, counted.values(), strict=True))


def _numbered(persons: nw.Series[Any]) -> tuple[Integers, list[str]]:
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


def _places(cells: Integers, widths: Sequence[int]) -> list[tuple[int, ...]]:
    """The codes of cells."""
    columns = [(axis - 1).tolist() for axis in np.unravel_index(cells, widths)]
    return list(zip(*columns, strict=True))


def _cell(place: tuple[int, ...], widths: Sequence[int]) -> int:
    cell = 0
    for code, width in zip(place, widths, strict=True):
        cell = cell * width + code + 1
    return cell
