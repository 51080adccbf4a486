"""The numeric columns of data frames: as doubles in memory, or as expressions of a lazy frame.

In memory, columns of machine numbers are converted whole by their own library; text, decimals, integers beyond 64 bits and
Python objects go value by value through `numeric.number`, the definition itself. A lazy frame gives the same codes by
expressions; where a column is not of machine numbers, Polars calls `number` batch by batch, and other engines are collected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discreet.curator.source.numeric import NOT_A_NUMBER, Grid, number

Doubles = NDArray[np.float64]


def is_machine_number(dtype: Any) -> bool:
    """Floats, integers of at most 64 bits, and booleans."""
    return bool(dtype == nw.Boolean or dtype.is_float() or (dtype.is_integer() and not _is_wide(dtype)))


def is_never_a_number(dtype: Any) -> bool:
    """Types of which no value is a number: dates, times, lists, records, bytes."""
    return bool(dtype.is_temporal() or dtype.is_nested() or dtype == nw.Binary)


def _is_wide(dtype: Any) -> bool:
    return dtype in (nw.Int128, nw.UInt128)


def doubles(series: nw.Series[Any]) -> Doubles:
    """The column as doubles, NaN where it is missing."""
    native, dtype = series.to_native(), series.dtype
    if series.implementation.is_pandas_like():
        return _pandas_doubles(native)
    if series.implementation.is_pyarrow() and dtype == nw.Categorical:
        array = native.unify_dictionaries().combine_chunks()
        return _by_category(array.dictionary.to_pylist(), array.indices.fill_null(-1).to_numpy())
    if is_never_a_number(dtype):
        return np.full(len(series), NOT_A_NUMBER)
    if not is_machine_number(dtype):
        return _by_value(series.to_list())
    if series.implementation.is_pyarrow():
        return _arrow_doubles(native)
    return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _arrow_doubles(array: Any) -> Doubles:
    import pyarrow as pa

    return np.array(array.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _pandas_doubles(native: Any) -> Doubles:
    dtype = native.dtype
    if hasattr(dtype, "categories"):
        return _by_category(dtype.categories.tolist(), np.asarray(native.cat.codes))
    kind = getattr(dtype, "kind", "O")
    if kind in "fiub" and not hasattr(dtype, "pyarrow_dtype"):
        if isinstance(dtype, np.dtype):
            return np.array(native.to_numpy(), dtype=np.float64)
        return np.array(native.to_numpy(dtype=np.float64, na_value=NOT_A_NUMBER), dtype=np.float64)
    return _by_value(native.tolist())


def _by_value(values: Iterable[Any]) -> Doubles:
    return np.array([number(value) for value in values], dtype=np.float64)


def _by_category(categories: list[Any], positions: Any) -> Doubles:
    """A null has the position -1, which is the missing value at the end of the table."""
    table = _by_value([*categories, None])
    return np.asarray(table[positions])


def machine_numbers(frame: nw.LazyFrame[Any], names: Iterable[str]) -> nw.LazyFrame[Any] | None:
    """The lazy frame, its columns `names` of machine numbers or never numbers; None where its engine cannot do that."""
    dtypes = frame.collect_schema()
    if any(dtype in (nw.Object, nw.Unknown) for dtype in dtypes.values()):
        return None
    hard = [name for name in names if not (is_machine_number(dtypes[name]) or is_never_a_number(dtypes[name]))]
    if not hard:
        return frame
    if not frame.implementation.is_polars():
        return None
    import polars as pl

    def batch(series: Any) -> Any:
        return pl.Series(_by_value(series.to_list()))

    columns = [pl.col(name).map_batches(batch, return_dtype=pl.Float64, is_elementwise=True) for name in hard]
    known: nw.LazyFrame[Any] = nw.from_native(frame.to_native().with_columns(columns))
    return known


def code_expressions(frame: nw.LazyFrame[Any], columns: Mapping[str, Grid]) -> list[nw.Expr]:
    """The codes of lazy columns as Int64."""
    dtypes = frame.collect_schema()
    return [_code_expression(nw.col(name), dtypes[name], grid) for name, grid in columns.items()]


def _code_expression(value: nw.Expr, dtype: Any, grid: Grid) -> nw.Expr:
    if is_never_a_number(dtype):
        # A bare literal would be one row, not as many as there are records.
        return nw.when(value.is_null()).then(nw.lit(grid.missing)).otherwise(nw.lit(grid.missing)).cast(nw.Int64)
    value = value.cast(nw.Float64)
    centred = ((value - grid.lower) * grid.scale + grid.shift).floor()
    within = centred.clip(-float(grid.centre), float(grid.steps - grid.centre))
    missing = value.is_null() | value.is_nan()
    chosen = nw.when(missing).then(nw.lit(float(grid.missing - grid.centre))).otherwise(within)
    return chosen.cast(nw.Int64) + grid.centre


def nulls(series: nw.Series[Any]) -> NDArray[np.bool_]:
    """Where the column is null, or a missing value of its library."""
    if series.dtype in (nw.Object, nw.Unknown):
        return np.array([is_null(value) for value in series.to_list()], dtype=bool)
    return np.array(series.is_null().to_numpy(), dtype=bool)


def is_null(value: Any) -> bool:
    """Whether one value is null: None, NaN, or a missing value of pandas."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def collected(frame: Any) -> nw.DataFrame[Any]:
    """A frame in memory."""
    if isinstance(frame, nw.DataFrame):
        return frame
    if frame.implementation.is_polars():  # in batches, not the whole column at once
        return nw.from_native(frame.to_native().collect(engine="streaming"), eager_only=True)
    return frame.collect()  # type: ignore[no-any-return]
