"""Dask data frames: every partition is counted where it is, as the pandas frame it is, and the counts are added up.

The workers send whole numbers, which are added in a tree; no partition leaves its worker. With a distributed scheduler, the
workers need this package.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from hashlib import md5
from typing import Any

import numpy as np

from discreet.curator.source.databases import answered
from discreet.curator.source.encode import Flaws, Groups, distinct_names
from discreet.curator.source.frame_persons import kept_groups, numbered
from discreet.curator.source.frames import FrameReader, open_frame
from discreet.curator.source.moments import Part
from discreet.curator.source.numeric import Grid
from discreet.curator.source.persons import Cut, key_of
from discreet.errors import SourceError
from discreet.schema.columns import Categorical

_FAN_IN = 32
_SPREAD = 1024
_MEETING, _PERSON = "meeting", "person"
_LOST = -(2**62)
_FAILED = (
    "a partition of the Dask frame cannot be read or counted: a worker was lost, a file is damaged, or this package is not "
    "installed there (no detail is shown, because it could show a record)"
)

Counts = Mapping[tuple[int, ...], int]


def open_dask(frame: Any) -> tuple[PartitionReader, list[str]]:
    """The reader of a Dask data frame and the names of its columns."""
    names = distinct_names(frame.columns)
    return PartitionReader(frame), names


class PartitionReader:
    """Counts the records of a Dask frame by codes."""

    __slots__ = ("_frame",)

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def count_rows(self) -> int:
        return int(self._added(list(self._frame.columns[:1]), FrameReader.count_rows, sum))

    def groups(self, columns: Mapping[str, Categorical]) -> Groups:
        return _pairs(self._added(list(columns), partial(_groups, columns=dict(columns)), _add_counts))

    def moments(
        self, columns: Mapping[str, Grid], fixed: tuple[str, Categorical] | None, *, products: bool
    ) -> list[Part]:
        count = partial(FrameReader.moments, columns=dict(columns), fixed=fixed, products=products)
        needed = [*columns, *([] if fixed is None else [fixed[0]])]
        parts: list[Part] = self._added(needed, count, _add_parts)
        return parts

    def bins(self, columns: Mapping[str, tuple[Grid, int]]) -> Groups:
        return _pairs(self._added(list(columns), partial(_bins, columns=dict(columns)), _add_counts))

    def check_unit(self, name: str) -> None:
        open_frame(self._frame[[name]]._meta)[0].check_unit(name)

    def persons(self, unit: str, columns: Mapping[str, Cut], most: int) -> Groups:
        """The records of each person are brought together among the workers: as whole numbers and hexadecimal digits.

        Values of other types might fail to be moved, and a failure of Dask's own would depend on them and show them.
        """
        meta = _moved({}, len(columns))
        frame = self._frame[[unit, *columns]].map_partitions(_coded, unit, dict(columns), meta=meta)
        count = partial(_persons, key=key_of(unit, list(columns)), codes=len(columns), most=most)
        return _pairs(self._added(list(meta.columns), count, _add_counts, frame.shuffle(on=_MEETING)))

    def flaws(self, name: str, grid: Grid) -> Flaws:
        found: Flaws = self._added([name], partial(FrameReader.flaws, name=name, grid=grid), _add_flaws)
        return found

    def strays(self, name: str, column: Categorical, limit: int) -> list[tuple[str, str | None]]:
        count = partial(FrameReader.strays, name=name, column=column, limit=limit)
        found: list[tuple[str, str | None]] = self._added([name], count, partial(_first, limit=limit))
        return found

    def close(self) -> None:
        del self._frame

    def _added(
        self, names: list[Any], count: Callable[..., Any], add: Callable[[list[Any]], Any], frame: Any = None
    ) -> Any:
        """What `count` says of each partition, added by `add`; the functions run where Dask runs."""
        dask: Any = importlib.import_module("dask")  # it is there: the frame is of it
        counted = dask.delayed(partial(_counted, count=count), pure=False)
        added = dask.delayed(partial(_sum, add=add), pure=False)
        partitions = (self._frame if frame is None else frame)[names].to_delayed()
        answers = [counted(partition) for partition in partitions]
        while len(answers) > 1:
            answers = [added(answers[i : i + _FAN_IN]) for i in range(0, len(answers), _FAN_IN)]
        (answer,) = answered(lambda: dask.compute(*answers), _FAILED)
        if answer is None:
            raise SourceError(_FAILED)
        return answer[0]


def _counted(partition: Any, count: Callable[[Any], Any]) -> tuple[Any] | None:
    """None where it fails: Dask would write the error and the values in it to the log of the worker."""
    try:
        return (count(open_frame(partition)[0]),)
    except Exception:  # noqa: BLE001 - see above
        return None


def _sum(answers: list[tuple[Any] | None], add: Callable[[list[Any]], Any]) -> tuple[Any] | None:
    known = [answer[0] for answer in answers if answer is not None]
    return (add(known),) if len(known) == len(answers) else None


def _groups(reader: FrameReader, columns: Mapping[str, Categorical]) -> Counts:
    return _add_counts([_as_counts([group]) for group in reader.groups(columns)])


def _bins(reader: FrameReader, columns: Mapping[str, tuple[Grid, int]]) -> Counts:
    return _add_counts([_as_counts([group]) for group in reader.bins(columns)])


def _moved(columns: Mapping[str, Any], codes: int) -> Any:
    """A frame of the columns that are moved among workers; those not given are empty."""
    pandas: Any = importlib.import_module("pandas")  # Dask's partitions are its frames
    kinds = {_MEETING: "int64", _PERSON: "object", **{f"c{i}": "int64" for i in range(codes)}}
    return pandas.DataFrame({name: pandas.Series(columns.get(name, []), dtype=kind) for name, kind in kinds.items()})


def _coded(partition: Any, unit: str, columns: Mapping[str, Cut]) -> Any:
    """A row a record: where it meets the others of its person, the bytes of the person's name in hexadecimal, its codes.

    Where it fails, one record that no later step can count: see `_counted`.
    """
    try:
        number, names, codes = open_frame(partition)[0].coded_persons(unit, columns)
        digits = np.array([*(name.encode("utf-8", "surrogatepass").hex() for name in names), None], dtype=object)
        places = np.array(
            [*(int(md5(name.encode(), usedforsecurity=False).hexdigest()[:8], 16) for name in digits[:-1]), 0],
            dtype=np.int64,
        )
        spread = np.where(number < 0, np.arange(len(number)) % _SPREAD, places[number])
        own = {f"c{i}": code for i, code in enumerate(codes)}
        return _moved({_MEETING: spread, _PERSON: digits[number], **own}, len(codes))
    except Exception:  # noqa: BLE001 - see above
        lost = {f"c{i}": [_LOST] for i in range(len(columns))}
        return _moved({_MEETING: [0], _PERSON: [None], **lost}, len(columns))


def _persons(reader: FrameReader, key: str, codes: int, most: int) -> Counts:
    """Of a partition that holds all records of its persons."""
    moved = reader.frame
    held = [moved[f"c{i}"].to_numpy().astype(np.int64) for i in range(codes)]
    if any((code == _LOST).any() for code in held):
        raise SourceError(_FAILED)
    number, digits = numbered(moved[_PERSON])
    names = [bytes.fromhex(name).decode("utf-8", "surrogatepass") for name in digits]
    return _add_counts([_as_counts(kept_groups(number, names, held, most, key))])


def _as_counts(groups: Iterable[tuple[Sequence[int], int]]) -> Counts:
    return {tuple(map(int, codes)): int(number) for codes, number in groups}


def _pairs(counts: Counts) -> Groups:
    return list(counts.items())


def _add_counts(several: list[Counts]) -> Counts:
    total: Counter[tuple[int, ...]] = Counter()
    for counts in several:
        total.update(counts)
    return total


def _add_parts(several: list[list[Part]]) -> list[Part]:
    total: dict[int, Part] = {}
    for part in (part for parts in several for part in parts):
        so_far = total.get(part.label)
        total[part.label] = part if so_far is None else _added_part(so_far, part)
    return list(total.values())


def _added_part(one: Part, other: Part) -> Part:
    return Part(
        one.label,
        one.n + other.n,
        [a + b for a, b in zip(one.sums, other.sums, strict=True)],
        [a + b for a, b in zip(one.products, other.products, strict=True)],
    )


def _add_flaws(several: list[Flaws]) -> Flaws:
    return Flaws(*(sum(counts) for counts in zip(*map(astuple, several), strict=True)))


def _first(several: list[list[Any]], limit: int) -> list[Any]:
    return [value for values in several for value in values][:limit]
