"""Noisy counts as an array of floats, from whatever holds numbers: arrays of any type, nested lists, data frames.

Two things are refused that NumPy would pass in silence: masked entries (it forgets the mask) and text (it reads "12" as a
number, and so does not notice a column of labels among the counts).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput

Floats = NDArray[np.float64]

EXPECTED = "a table must be a release, an array of numbers, or a frame of them"


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts of shape (r, c) or (c,), and the labels of each axis where the table brought any."""

    values: Floats
    labels: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]


def read_cells(table: Any) -> Cells:
    """The cells of a bare table.

    A pandas frame brings the labels of its rows and columns (`pandas.crosstab`). In a frame without an index (Polars,
    PyArrow), a first column that is not numeric is taken for the labels of the rows.
    """
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        values = to_floats(table)
        axes = ("row", "column") if values.ndim == 2 else ("cell",) * values.ndim
        return Cells(values, tuple(tuple(map(str, range(k))) for k in values.shape), axes)
    columns = list(frame.iter_columns())
    rows, name = nw.maybe_get_index(frame), None
    if rows is not None:
        labels, name = list(map(str, rows)), getattr(rows, "name", None)
    elif columns and not columns[0].dtype.is_numeric():
        name = columns[0].name
        labels = list(map(str, columns.pop(0).to_list()))
    else:
        labels = list(map(str, range(len(frame))))
    values = to_floats([column.to_list() for column in columns])
    if values.size == 0:
        raise InvalidInput("a table must have at least one row and one column; this frame has none")
    across = getattr(getattr(table, "columns", None), "name", None)  # as pandas.crosstab calls them
    names = ("row" if name is None else str(name), "column" if across is None else str(across))
    return Cells(values.T.copy(), (tuple(labels), tuple(str(column.name) for column in columns)), names)


def to_floats(numbers: Any) -> Floats:
    """Numbers of any real type (integers, floats, booleans, `Decimal`, `Fraction`) as an array of floats; a copy."""
    if isinstance(numbers, np.ma.MaskedArray):
        numbers = np.ma.filled(numbers.astype(float), np.nan)
    try:
        array = np.asarray(numbers)
        if array.dtype.kind not in "iufbO" or (
            array.dtype.kind == "O" and any(isinstance(x, str | bytes | complex) for x in array.ravel())
        ):
            raise InvalidInput(f"{EXPECTED}, not of {_kind(array)}")
        return np.array(array, dtype=float)
    except InvalidInput:
        raise
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(EXPECTED) from None


def _kind(array: NDArray[Any]) -> str:
    return {"U": "text", "S": "bytes", "c": "complex numbers", "M": "dates", "m": "durations", "O": "text"}.get(
        array.dtype.kind, str(array.dtype)
    )
