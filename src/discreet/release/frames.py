"""Numbers as a data frame of the reader's choice; a release as a tidy one: one row a cell, one column a variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, cast

import narwhals.stable.v2 as nw

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
    if backend not in INSTALL:
        raise InvalidInput(f"unknown backend {backend!r}: one of {', '.join(INSTALL)}")
    try:
        import_module(backend)
    except ImportError:
        raise MissingExtra(f"a {backend} frame needs {backend}: {INSTALL[backend]}") from None
    return nw.from_dict(dict(data), schema=types, backend=cast(Backend, backend)).to_native()


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
    numbers = [array.ravel().tolist() for array in (release.counts, *release.interval(level))]
    axes: list[list[str | None]] = [list(labels) for labels in zip(*product(*release.labels), strict=True)]
    declared = len(numbers[0])
    for cell in stray_cells(release, level):
        for column, value in zip(numbers, (cell.value, cell.low, cell.high), strict=True):
            column.append(value)
        for axis, label in zip(axes, cell.labels, strict=True):
            axis.append(label)
    columns: dict[str, Sequence[Any]] = dict(zip(("count", "low", "high"), numbers, strict=True))
    types: dict[str, Any] = dict.fromkeys(columns, nw.Float64)
    if release.group_axis is not None:
        columns["stray"] = [i >= declared for i in range(len(numbers[0]))]
        types["stray"] = nw.Boolean
    while set(columns) & set(release.column_names):
        columns = {f"noisy_{name}": column for name, column in columns.items()}
        types = {f"noisy_{name}": kind for name, kind in types.items()}
    labels = dict(zip(release.column_names, axes, strict=True))
    return to_frame({**labels, **columns}, backend, dict.fromkeys(labels, nw.String) | types)
