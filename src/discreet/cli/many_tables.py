"""Many tables from one CSV or Parquet file in long form (a row a cell), sorted into arrays of one shape each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discreet.errors import FormatError, InvalidInput, MissingExtra

Floats = NDArray[np.float64]
Counts = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class LongFile:
    """The columns of the file: identity of the table, its row and column, the noisy count, and n where it is a column."""

    table: list[Any]
    row: list[Any]
    column: list[Any]
    count: Floats
    n: Floats | None


@dataclass(frozen=True, eq=False)
class SameShape:
    """Tables of one shape: their places in the file's order of tables, their cells (m, r, c), and n (m,) if given."""

    places: Counts
    cells: Floats
    n: Floats | None


def read_long(path: Path, names: dict[str, str], n: str | None) -> LongFile:
    """The file's columns. `names` maps table, row, column and count to the columns' names; `n` names one more, or is None."""
    wanted = list(names.values()) + ([n] if n is not None else [])
    frame = _read(path)
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise InvalidInput(
            f"{str(path)!r} has no column {missing[0]!r}; its columns are {', '.join(map(repr, frame.columns))}"
        )
    for name in (names["count"], *([n] if n is not None else [])):
        if not frame.schema[name].is_numeric():
            raise InvalidInput(f"column {name!r} of {str(path)!r} must hold numbers, not {frame.schema[name]}")
    table, row, column = (frame[names[key]].to_list() for key in ("table", "row", "column"))
    count = frame[names["count"]].cast(nw.Float64()).to_numpy().astype(float)
    sizes = None if n is None else frame[n].cast(nw.Float64()).to_numpy().astype(float)
    return LongFile(table, row, column, count, sizes)


def _read(path: Path) -> nw.DataFrame[Any]:
    if not path.is_file():
        raise InvalidInput(f"there is no file {str(path)!r}")
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise InvalidInput(f"a file of many tables ends in .csv or .parquet, not {path.name!r}")
    backend: Literal["polars", "pyarrow"] = "polars" if find_spec("polars") is not None else "pyarrow"
    if find_spec(backend) is None:
        raise MissingExtra("reading many tables needs PyArrow or Polars: pip install 'discreet[arrow]'")
    read = nw.read_csv if kind == ".csv" else nw.read_parquet
    try:
        return read(str(path), backend=backend)
    except Exception:  # noqa: BLE001  engines raise errors of their own; all mean that this is no such file
        raise FormatError(f"{str(path)!r} cannot be read as {kind[1:].upper()}") from None


def identities(values: list[Any]) -> tuple[list[Any], Counts]:
    """The distinct values in the order of their first appearance, and the number of each value among them."""
    numbers: dict[Any, int] = {}
    codes = np.fromiter((numbers.setdefault(v, len(numbers)) for v in values), np.intp, len(values))
    return list(numbers), codes


def same_shapes(data: LongFile) -> tuple[list[Any], Iterator[SameShape], Counts]:
    """The identities of the tables; the complete ones by shape; and the places of those that lack a cell.

    A table's categories are those of its own rows: it is complete if it has one count for each pair of them.
    """
    tables, table = identities(data.table)
    _, row = identities(data.row)
    _, column = identities(data.column)
    rows, row_rank = _rank_within(table, row, len(tables))
    columns, column_rank = _rank_within(table, column, len(tables))
    cells = np.bincount(table, minlength=len(tables))
    _refuse_duplicates(data, table, row, column)
    complete = cells == rows * columns
    sizes = None if data.n is None else _one_each(data.n, table, len(tables))
    place_in_cells = row_rank * columns[table] + column_rank

    def groups() -> Iterator[SameShape]:
        shapes = np.stack([rows, columns], 1)
        for r, c in np.unique(shapes[complete], axis=0):
            places = np.flatnonzero(complete & (rows == r) & (columns == c))
            rank = np.full(len(tables), -1)
            rank[places] = np.arange(places.size)
            mine = rank[table] >= 0
            array = np.empty(places.size * r * c)
            array[rank[table[mine]] * (r * c) + place_in_cells[mine]] = data.count[mine]
            yield SameShape(places, array.reshape(places.size, r, c), None if sizes is None else sizes[places])

    return tables, groups(), np.flatnonzero(~complete)


def _rank_within(table: Counts, category: Counts, tables: int) -> tuple[Counts, Counts]:
    """How many categories each table has, and the rank of each line's category among those of its table."""
    width = int(category.max(initial=0)) + 1
    pairs, line = np.unique(table * width + category, return_inverse=True)
    owner = pairs // width
    counts = np.bincount(owner, minlength=tables)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return counts, (np.arange(pairs.size) - first[owner])[line]


def _refuse_duplicates(data: LongFile, table: Counts, row: Counts, column: Counts) -> None:
    order = np.lexsort([column, row, table])
    same = np.ones(max(0, order.size - 1), bool)
    for codes in (table, row, column):
        same &= np.diff(codes[order]) == 0
    if same.any():
        line = order[int(np.argmax(same)) + 1]
        raise InvalidInput(
            f"table {data.table[line]!r} has two counts for row {data.row[line]!r} and column {data.column[line]!r}"
        )


def _one_each(n: Floats, table: Counts, tables: int) -> Floats:
    """The n of each table, which must be the same on all of its lines."""
    sizes = np.full(tables, np.nan)
    sizes[table] = n
    if not np.array_equal(sizes[table], n, equal_nan=True):
        raise InvalidInput("n must be the same number on all lines of a table")
    return sizes
