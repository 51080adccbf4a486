"""Numbers as a data frame of the reader's choice; a release as a tidy one: one row a cell, one column a variable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast

import narwhals.stable.v2 as nw
import numpy as np

from discreet.errors import InvalidInput, MissingExtra
from discreet.release.tables.strays import stray_cells

if TYPE_CHECKING:
    from discreet.release.tables.table import TableRelease

Backend = Literal["polars", "pandas", "pyarrow"]

INSTALL = {"polars": "pip install polars", "pandas": "pip install pandas", "pyarrow": "pip install 'discreet[arrow]'"}


def to_frame(data: Mapping[str, Sequence[Any]], backend: str, types: Mapping[str, Any] | None = None) -> Any:
    """Columns of equal length as a native frame of `backend` ("polars", "pandas" or "pyarrow").

    `types` gives the Narwhals type of each column; without it they are inferred.
    """
    _check_backend(backend)
    return nw.from_dict(dict(data), schema=types, backend=cast(Backend, backend)).to_native()


def _check_backend(backend: str) -> None:
    if backend not in INSTALL:
        raise InvalidInput(f"unknown backend {backend!r}: one of {', '.join(INSTALL)}")
    try:
        import_module(backend)
    except ImportError:
        raise MissingExtra(f"a {backend} frame needs {backend}: {INSTALL[backend]}") from None


def table_frame(release: TableRelease, backend: Backend = "polars", level: float = 0.95) -> Any:
    """A tidy data frame of a table.

    Parameters
    ----------
    release : TableRelease
    backend : "polars", "pandas" or "pyarrow"
        Which kind of data frame.
    level : float
        The level of the interval of each count; see `TableRelease.interval`.

    Returns
    -------
    polars.DataFrame, pandas.DataFrame or pyarrow.Table
        A column for each variable with the category labels as text, then `count`, `low`, `high`; the cells row-major,
        then the `other` cell, whose labels are null. Where a variable has one of these three names, the three are
        called `noisy_count`, `noisy_low`, `noisy_high`. A table by a fixed column has one more, `stray`: true for the
        cells of the undeclared group (its label is null) and for the other cell of each group (all other labels are).

    Examples
    --------
    >>> from discreet.noise import Gaussian
    >>> from discreet.release import TableRelease
    >>> table = TableRelease.from_counts([12.5, 31.0], {"sex": ["f", "m"]}, noise=Gaussian(2.0), other=1.5)
    >>> table.to_frame("polars").rows()[1:]
    [('m', 31.0, 27.08..., 34.91...), (None, 1.5, -2.41..., 5.41...)]
    """
    _check_backend(backend)
    strays = list(stray_cells(release, level))
    beside = np.array([(cell.value, cell.low, cell.high) for cell in strays]).reshape(len(strays), 3)
    declared = (release.counts, *release.interval(level))
    numbers = [np.append(array.ravel(), more) for array, more in zip(declared, beside.T, strict=True)]
    columns: dict[str, Any] = dict(zip(("count", "low", "high"), numbers, strict=True))
    types: dict[str, Any] = dict.fromkeys(columns, nw.Float64)
    if release.group_axis is not None:
        columns["stray"] = np.arange(len(numbers[0])) >= release.counts.size
        types["stray"] = nw.Boolean
    while set(columns) & set(release.column_names):
        columns = {f"noisy_{name}": column for name, column in columns.items()}
        types = {f"noisy_{name}": kind for name, kind in types.items()}
    labels = {
        name: _labels_of(release, axis, [cell.labels[axis] for cell in strays], backend)
        for axis, name in enumerate(release.column_names)
    }
    native = {name: nw.new_series(name, column, types[name], backend=backend) for name, column in columns.items()}
    return nw.from_dict(labels | native, backend=backend).to_native()


def _labels_of(release: TableRelease, axis: int, beside: list[str | None], backend: str) -> nw.Series[Any]:
    """The column of an axis, taken from its few labels by the code of each cell, so that ten million are a second's work."""
    known = release.labels[axis]
    code = {label: i for i, label in enumerate((*known, None))}
    inner = math.prod(release.shape[axis + 1 :])
    once = np.repeat(np.arange(len(known)), inner)
    codes = np.append(np.tile(once, release.counts.size // once.size), [code[label] for label in beside]).astype(
        np.int64
    )
    few = nw.new_series(release.column_names[axis], [*known, None], nw.String, backend=cast(Backend, backend))
    taken = few[codes]
    if taken.implementation.is_pandas_like():  # rows are numbered from 0, not by the labels' places
        return nw.from_native(taken.to_native().reset_index(drop=True), series_only=True)
    return taken
