"""Data frames (pandas, Polars eager and lazy, PyArrow, and what else Narwhals knows): counted by codes in their engine.

Each column becomes a key that the engine can look up exactly: text as text, integers as integers (beyond 64 bits as decimal
text), floats as doubles, dates and timestamps as their integers since 1970. A value outside the finite set of spellings
becomes one sentinel, so there are never more groups than the schema allows, and no null or NaN takes part in the grouping.
A column of Python objects (pandas `object`, categories of mixed types) goes value by value through `coder`: there True, 1
and 1.0 are equal, and a grouping by equality would depend on the order of the rows.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discreet.curator.source.encode import STRAY, Counted, Flaws, Groups, coder, distinct_names
from discreet.curator.source.frame_moments import (
    block_bins,
    block_flaws,
    block_moments,
    blocks,
    lazy_bins,
    lazy_moments,
)
from discreet.curator.source.frame_numbers import collected, doubles, is_null, machine_numbers
from discreet.curator.source.frame_persons import can_be_unit, kept_groups, numbered
from discreet.curator.source.moments import Part
from discreet.curator.source.numeric import Grid
from discreet.curator.source.persons import Cut, key_of, no_persons
from discreet.errors import InvalidInput
from discreet.schema.canonical import Spellings
from discreet.schema.columns import Categorical

Codes = NDArray[np.int64]

_PER_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_EPOCH = datetime.date(1970, 1, 1)


@dataclass(frozen=True)
class Key:
    """A column as a key: an expression, the codes of its values, and the value that stands for all strays."""

    expression: nw.Expr
    codes: Mapping[Any, int]
    sentinel: str | float

    def code(self, value: Any) -> int:
        return self.codes.get(value, STRAY)

    def grouped(self, alias: str) -> nw.Expr:
        known = self.expression.is_in(list(self.codes))
        return nw.when(known).then(self.expression).otherwise(nw.lit(self.sentinel)).alias(alias)


def open_frame(frame: Any) -> tuple[FrameReader, list[str]]:
    """The reader of a data frame and the names of its columns."""
    distinct_names(_native_names(frame))
    known = nw.from_native(frame, pass_through=True)
    if not isinstance(known, nw.DataFrame | nw.LazyFrame):
        raise InvalidInput(
            f"a source must be a data frame, a DuckDB relation or a path to a .csv or .parquet file, "
            f"got {type(frame).__name__}"
        )
    if known.implementation.is_pandas_like():  # rows are matched by position from here on, never by a label
        known = nw.from_native(frame.reset_index(drop=True))
    return FrameReader(known), known.collect_schema().names()


def _native_names(frame: Any) -> list[Any]:
    """Of eager frames, which may repeat a name; of a lazy frame the engine has made sure."""
    if hasattr(frame, "collect_schema"):
        return []
    names = getattr(frame, "column_names", None)
    return list(getattr(frame, "columns", ()) if names is None or callable(names) else names)


class FrameReader:
    """Counts the records of a Narwhals frame by codes."""

    __slots__ = ("_frame",)

    def __init__(self, frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> None:
        self._frame = frame

    @property
    def frame(self) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
        """The records themselves."""
        return self._frame

    def count_rows(self) -> int:
        if isinstance(self._frame, nw.DataFrame):
            return len(self._frame)
        return int(collected(self._frame.select(nw.len().alias("n")))["n"][0])

    def groups(self, columns: Mapping[str, Categorical]) -> Groups:
        frame, keys = _keys(self._frame.select(*columns), columns)
        used = {f"k{i}": key for i, key in enumerate(keys) if key is not None}
        if not used:
            return [([STRAY] * len(keys), self.count_rows())]
        expressions = [key.grouped(alias) for alias, key in used.items()]
        counted = collected(frame.select(*expressions).group_by(*used).agg(nw.len().alias("n")))
        codes = np.full((len(counted), len(keys)), STRAY, np.int64)
        for i, key in enumerate(keys):
            if key is not None:
                codes[:, i] = [key.code(value) for value in counted[f"k{i}"].to_list()]
        return Counted(codes, np.array(counted["n"].to_list(), np.int64))

    def moments(
        self, columns: Mapping[str, Grid], fixed: tuple[str, Categorical] | None, *, products: bool
    ) -> list[Part]:
        labels = {} if fixed is None else dict([fixed])
        frame = self._readable(columns, labels)
        if isinstance(frame, nw.LazyFrame):
            (key,) = _keys(frame, labels)[1] if labels else (None,)
            label = nw.lit(STRAY) if key is None else key.grouped("label")
            found = lazy_moments(frame, columns, label, products=products)
            return [replace(part, label=STRAY if key is None else key.code(value)) for value, part in found]
        return [
            part
            for block in blocks(frame)
            for part in block_moments(block, columns, _positions(block, labels), products=products)
        ]

    def bins(self, columns: Mapping[str, tuple[Grid, int]]) -> Groups:
        frame = self._readable(columns)
        if isinstance(frame, nw.LazyFrame):
            return lazy_bins(frame, columns)
        return [group for block in blocks(frame) for group in block_bins(block, columns)]

    def check_unit(self, name: str) -> None:
        dtype = self._frame.collect_schema()[name]
        if not can_be_unit(dtype):
            raise no_persons(name, dtype)

    def persons(self, unit: str, columns: Mapping[str, Cut], most: int) -> Groups:
        number, names, codes = self.coded_persons(unit, columns)
        return kept_groups(number, names, codes, most, key_of(unit, list(columns)))

    def coded_persons(self, unit: str, columns: Mapping[str, Cut]) -> tuple[Codes, list[str], list[Codes]]:
        """The number of each record's person (-1: one of its own), the persons' names, and each column's codes."""
        frame = collected(self._frame.select(unit, *columns))
        codes = []
        for name, cut in columns.items():
            if isinstance(cut, Categorical):
                codes.append(_positions(frame, {name: cut}))
            else:
                grid, size = cut
                codes.append(np.minimum(grid.codes(doubles(frame[name])) * size // grid.steps, size - 1))
        return *numbered(frame[unit]), codes

    def flaws(self, name: str, grid: Grid) -> Flaws:
        found = [block_flaws(block[name], grid) for block in blocks(collected(self._frame.select(name)))]
        return (
            Flaws(*(sum(counts) for counts in zip(*map(astuple, found), strict=True))) if found else Flaws(0, 0, 0, 0)
        )

    def _readable(self, numeric: Iterable[str], labels: Iterable[str] = ()) -> Any:
        """The columns; collected where the engine cannot encode one of them lazily."""
        frame = self._frame.select(*numeric, *labels)
        if isinstance(frame, nw.DataFrame):
            return frame
        known = machine_numbers(frame, numeric)
        return collected(frame) if known is None else known

    def strays(self, name: str, column: Categorical, limit: int) -> list[tuple[str, str | None]]:
        frame, (key,) = _keys(self._frame.select(name), {name: column})
        if key is not None:
            frame = frame.filter(key.grouped(name) == nw.lit(key.sentinel))
        values = collected(frame.select(name).head(limit))[name].to_list()
        return [(type(value).__name__, None if is_null(value) else str(value)) for value in values]

    def close(self) -> None:
        del self._frame


def _positions(frame: Any, fixed: Mapping[str, Categorical]) -> NDArray[np.int64]:
    """The position of each record's label; all strays without a fixed column."""
    key = None
    if fixed:
        frame, (key,) = _keys(frame, fixed)
    if key is None:
        return np.full(len(frame), STRAY, dtype=np.int64)
    return np.array([key.code(value) for value in frame.select(key.grouped("k"))["k"].to_list()], dtype=np.int64)


def _keys(frame: Any, columns: Mapping[str, Categorical]) -> tuple[Any, list[Key | None]]:
    """The frame (with codes beside the columns of Python objects) and one key a column; None: all are strays."""
    dtypes = frame.collect_schema()
    if isinstance(frame, nw.LazyFrame) and any(_is_opaque(dtypes[name]) for name in columns):
        frame = collected(frame)
    keys: list[Key | None] = []
    for name, column in columns.items():
        codes = _codes_by_value(frame[name], column.spellings) if isinstance(frame, nw.DataFrame) else None
        if codes is None:
            keys.append(_key(nw.col(name), dtypes[name], column.spellings))
        else:
            alias = next(alias for n in itertools.count() if (alias := f"codes {n}") not in frame.columns)
            series = nw.new_series(alias, codes, nw.Int64, backend=frame.implementation)
            frame = frame.with_columns(series)
            keys.append(Key(nw.col(alias), {code: code for code in range(len(column))}, STRAY))
    return frame, keys


def _key(column: nw.Expr, dtype: Any, spellings: Spellings) -> Key | None:
    """The key of a column of this type; None where no value of the type can be a category (Decimal, list, ...)."""
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _if_any(column.cast(nw.String), spellings.texts, "")
    if dtype == nw.Boolean:
        return _if_any(column.cast(nw.Int8).fill_null(2), {int(b): c for b, c in spellings.booleans.items()}, 2)
    if dtype in (nw.UInt64, nw.Int128, nw.UInt128):
        return _if_any(column.cast(nw.String), {str(k): c for k, c in spellings.integers.items()}, "")
    if dtype.is_integer():
        return _integer_key(column.cast(nw.Int64), spellings.integers)
    if dtype.is_float():  # adding zero makes 0.0 of -0.0
        return _if_any(column.cast(nw.Float64) + 0.0, spellings.floats, 0.5)
    days = {(day - _EPOCH).days: code for day, code in spellings.dates.items()}
    if dtype == nw.Date:
        return _integer_key(column.cast(nw.Int32), days)
    if dtype == nw.Datetime and dtype.time_zone is None:
        ticks = _PER_DAY[dtype.time_unit]
        return _integer_key(column.cast(nw.Int64), {day * ticks: code for day, code in days.items()})
    return None


def _integer_key(column: nw.Expr, codes: Mapping[int, int]) -> Key | None:
    held = {k: code for k, code in codes.items() if -(2**63) <= k < 2**63}
    return _if_any(column, held, next(k for k in itertools.count() if k not in held))


def _if_any(column: nw.Expr, codes: Mapping[Any, int], sentinel: str | float) -> Key | None:
    return Key(column, codes, sentinel) if codes else None


def _is_opaque(dtype: Any) -> bool:
    return dtype in (nw.Object, nw.Unknown)


def _codes_by_value(series: nw.Series[Any], spellings: Spellings) -> NDArray[np.int64] | None:
    """The codes of a column of Python objects or of a dictionary of any type; None for the types that `_key` handles."""
    code = coder(spellings)
    native = series.to_native()
    if series.implementation.is_pandas_like():
        if hasattr(native.dtype, "categories"):
            return _codes_by_category(code, native.dtype.categories.tolist(), np.asarray(native.cat.codes))
        if isinstance(native.dtype, np.dtype) and native.dtype.kind == "O":
            return np.array([code(value) for value in native.tolist()], dtype=np.int64)
    elif series.implementation.is_pyarrow() and series.dtype == nw.Categorical:
        array = native.unify_dictionaries().combine_chunks()
        return _codes_by_category(code, array.dictionary.to_pylist(), array.indices.fill_null(-1).to_numpy())
    if _is_opaque(series.dtype):
        return np.array([code(value) for value in series.to_list()], dtype=np.int64)
    return None


def _codes_by_category(code: Callable[[Any], int], categories: list[Any], positions: Any) -> NDArray[np.int64]:
    """A null has the position -1, which is the stray at the end of the table."""
    table = np.array([*map(code, categories), STRAY], dtype=np.int64)
    return np.asarray(table[positions])
