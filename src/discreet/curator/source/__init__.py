"""The records: any data frame or file, opened as a `Source` that answers only with exact integers.

A source counts; it never shows a record. Every failure while reading becomes one constant message, because the text of an
engine's own error often holds a value. Numbers that leave this room are confidential until noise has been added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import narwhals.stable.v2 as nw

from discreet.curator.source.diagnose import Diagnosis, diagnose
from discreet.curator.source.encode import Groups, Reader, cells, cells_by_group, row_major
from discreet.curator.source.files import open_file
from discreet.curator.source.frames import open_frame
from discreet.curator.source.ibis_tables import open_ibis
from discreet.curator.source.moments import Moments, gather
from discreet.curator.source.numeric import Grid
from discreet.curator.source.partitions import open_dask
from discreet.curator.source.persons import Cut
from discreet.curator.source.spark import open_spark
from discreet.curator.source.tables import open_relation
from discreet.errors import DiscreetError, InvalidInput, SourceError
from discreet.release.integers import Integers
from discreet.schema import Bounded, Schema, unknown_name

__all__ = ["Diagnosis", "Moments", "Source", "open_source"]

_Answer = TypeVar("_Answer")
_MOST_CELLS = 2**24
_UNREADABLE = (
    "the records cannot be read: the file or frame is damaged, of another format or encoding, "
    "or its records differ in the number of fields (no detail is shown, because it could show a record)"
)


def open_source(source: Any, schema: Schema) -> Source:
    """Open records for counting; reads the names and types of the columns and no record.

    Parameters
    ----------
    source : data frame, DuckDB relation, Ibis table, or path
        A pandas, Polars (eager or lazy), PyArrow, Dask or PySpark frame, or another that Narwhals knows; a DuckDB relation;
        an Ibis table on DuckDB, Polars, PostgreSQL or PySpark; a path to a .csv, .csv.gz or .parquet file, a folder or
        pattern of .parquet files, or an address of Parquet files that DuckDB reads (s3://, gs://, https://, ...).
    schema : Schema
        Every column of it must be in the source; other columns are never read.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from discreet import Schema
    >>> schema = Schema({"smoking": ["no", "yes"], "age": [1, 2]})
    >>> records = pa.table({"smoking": ["no", "yes", None, "no"], "age": [1.0, 2.0, 2.0, 1.0]})
    >>> open_source(records, schema).tabulate(["smoking", "age"])      # four cells, then the records with a stray
    (2, 0, 0, 1, 1)
    """
    if not isinstance(schema, Schema):
        raise InvalidInput(f"schema must be a Schema, got {type(schema).__name__}")
    opening = _opening(source, schema)
    del source  # an error's traceback keeps the local variables of this frame
    reader, names = _sealed(opening)
    for name in schema.columns:
        if name not in names:
            raise unknown_name("column of the schema", name, map(str, names))
    if schema.unit is not None:
        if schema.unit not in names:
            raise unknown_name("column, the unit of the schema", schema.unit, map(str, names))
        _sealed(lambda: reader.check_unit(str(schema.unit)))
    return Source(reader, schema)


def _opening(source: Any, schema: Schema) -> Callable[[], tuple[Reader, list[str]]]:
    if isinstance(source, str | Path):
        return lambda: open_file(source, [*schema.columns, *([] if schema.unit is None else [schema.unit])])
    native = nw.to_native(source, pass_through=True)
    library, kind = type(native).__module__.partition(".")[0], type(native).__name__
    numeric = [name for name, column in schema.columns.items() if isinstance(column, Bounded)]
    if kind == "DuckDBPyRelation":
        return lambda: open_relation(native)
    if library == "ibis":
        return lambda: open_ibis(native, numeric)
    if library == "pyspark" and hasattr(native, "sparkSession"):
        return lambda: open_spark(native, numeric)
    if library == "dask" and hasattr(native, "to_delayed") and hasattr(native, "columns"):
        return lambda: open_dask(native)
    return lambda: open_frame(source)


class Source:
    """Opened records; made by `open_source`. It shows its schema and counts, and cannot be copied or pickled."""

    __slots__ = ("_reader", "_schema")

    def __init__(self, reader: Reader, schema: Schema) -> None:
        self._reader = reader
        self._schema = schema

    def count_rows(self) -> int:
        """The number of records; `SourceError` where the file is damaged."""
        return _sealed(self._reader.count_rows)

    def tabulate(self, columns: Sequence[str]) -> Integers:
        """Exact counts of the declared cells, row-major over `columns`; then of the records with a stray in any of them.

        Where the schema has a unit, at most `max_records` records of a person count: see `discreet.curator.source.persons`.
        Where the schema is complete there is no further cell, and a stray counts as the first category. Where it is not,
        and `columns` include its fixed column, every group has an other cell of its own: see `encode.cells_by_group`.
        """
        if isinstance(columns, str) or not columns or len(set(columns)) != len(columns):
            raise InvalidInput(f"columns must be a list of distinct names, got {columns!r}")
        chosen = {name: self._schema.categorical(name) for name in columns}
        complete, fixed = self._schema.complete, self._schema.fixed
        if fixed in columns and not complete:
            position = list(chosen).index(str(fixed))
            return _sealed(
                lambda: Integers(cells_by_group(self._reader.groups(chosen), list(chosen.values()), position))
            )
        count = self._reader.groups if self._schema.unit is None else self._of_persons
        return _sealed(lambda: Integers(cells(count(chosen), list(chosen.values()), complete=complete)))

    def _of_persons(self, columns: Mapping[str, Cut]) -> Groups:
        """The records that count, where the schema bounds how many of a person do."""
        return self._reader.persons(str(self._schema.unit), columns, self._schema.most_records)

    def count_groups(self) -> list[int]:
        """The number of records with each label of the fixed column; then, unless complete, with none of them."""
        assert self._schema.fixed is not None
        column = self._schema.categorical(self._schema.fixed)
        chosen, complete = {self._schema.fixed: column}, self._schema.complete
        return _sealed(lambda: cells(self._reader.groups(chosen), [column], complete=complete).tolist())

    def sums(self, columns: Sequence[str], *, products: bool) -> list[Moments]:
        """The exact sums of the codes of numeric columns and, where asked for, of their products.

        One entry a group of the fixed column: its labels in order; then, unless the schema is complete, the records of an
        undeclared label (which under a complete schema count as the first). One entry where the schema has no fixed column.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from discreet import Bounded, Schema
        >>> schema = Schema({"x": Bounded(0, 1, step=0.1), "y": Bounded(0, 10, step=1)})
        >>> (all_records,) = open_source(pa.table({"x": [0.3, None], "y": [2, 11]}), schema).sums(["x", "y"], products=True)
        >>> all_records.n, all_records.sums, all_records.products
        (2, (8, 12), ((34, 56), (56, 104)))
        """
        chosen = {name: Grid.of(column) for name, column in self._numeric(columns).items()}
        complete, name = self._schema.complete, self._schema.fixed
        fixed = None if name is None else (name, self._schema.categorical(name))
        labels = None if fixed is None else len(fixed[1])
        return _sealed(
            lambda: gather(
                self._reader.moments(chosen, fixed, products=products),
                len(chosen),
                products=products,
                labels=labels,
                complete=complete,
            )
        )

    def count_bins(self, columns: Sequence[str], bins: Sequence[int]) -> list[int]:
        """Exact counts of the cells of a histogram, row-major: code j of J + 1 falls into bin min(m - 1, j m // J)."""
        chosen = self._numeric(columns)
        sizes = list(bins) if isinstance(bins, list | tuple) else []
        if len(sizes) != len(chosen) or any(type(size) is not int or size < 1 for size in sizes):
            raise InvalidInput(f"bins must be one whole number from 1 for each of {len(chosen)} columns, got {bins!r}")
        if math.prod(sizes) > _MOST_CELLS:
            raise InvalidInput(f"a histogram of {math.prod(sizes)} cells is too large: at most 2**24 are counted")
        cut = {name: (Grid.of(chosen[name]), size) for name, size in zip(chosen, sizes, strict=True)}
        count = self._reader.bins if self._schema.unit is None else self._of_persons
        return _sealed(lambda: row_major(count(cut), sizes))

    def count_codes(self, column: str) -> list[int]:
        """The number of records with each code 0 ... J of a numeric column."""
        return self.count_bins([column], [self._schema.numeric(column).steps + 1])  # then bin j is code j

    def _numeric(self, columns: Sequence[str]) -> dict[str, Bounded]:
        if isinstance(columns, str) or not columns or len(set(columns)) != len(columns):
            raise InvalidInput(f"columns must be a list of distinct names, got {columns!r}")
        return {name: self._schema.numeric(name) for name in columns}

    def diagnose(self) -> Diagnosis:
        """The strays of every categorical column and their likely cause; the flaws of every numeric one. Confidential."""
        return _sealed(lambda: diagnose(self._reader, self._schema.columns))

    def close(self) -> None:
        """Let go of the records."""
        _sealed(self._reader.close)

    def __repr__(self) -> str:
        return f"<Source of records: {self._schema!r}>"

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError("a Source holds confidential records: it cannot be copied or pickled")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = __getstate__ = _refuse


def _sealed(read: Callable[[], _Answer]) -> _Answer:
    """The one boundary: what an engine raises, and with it the values in its text and frames, goes no further.

    The constant error is raised outside the handler, so that it has no context; `BaseException`, because a panic in an
    engine's Rust code is one.
    """
    failure: DiscreetError
    try:
        return read()
    except DiscreetError as error:  # its text is ours, but the frames below hold the records
        failure = error.with_traceback(None)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - see above
        failure = SourceError(_UNREADABLE)
    raise failure
