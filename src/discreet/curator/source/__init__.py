"""The records: any data frame or file, opened as a `Source` that answers only with exact integers.

A source counts; it never shows a record. Every failure while reading becomes one constant message, because the text of an
engine's own error often holds a value. Numbers that leave this room are confidential until noise has been added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from discreet.curator.source.diagnose import Diagnosis, diagnose
from discreet.curator.source.encode import Reader, cells, cells_by_group
from discreet.curator.source.files import open_file
from discreet.curator.source.frames import open_frame
from discreet.curator.source.tables import open_relation
from discreet.errors import DiscreetError, InvalidInput, SourceError
from discreet.schema import Categorical, Schema, unknown_name

__all__ = ["Diagnosis", "Source", "open_source"]

_Answer = TypeVar("_Answer")
_UNREADABLE = (
    "the records cannot be read: the file or frame is damaged, of another format or encoding, "
    "or its records differ in the number of fields (no detail is shown, because it could show a record)"
)


def open_source(source: Any, schema: Schema) -> Source:
    """Open records for counting; reads the names and types of the columns and no record.

    Parameters
    ----------
    source : data frame, DuckDB relation, or path
        A pandas, Polars (eager or lazy) or PyArrow table, or another frame that Narwhals knows; a DuckDB relation; a path to
        a .csv, .csv.gz or .parquet file, or a folder or pattern of .parquet files.
    schema : Schema
        Every column of it must be in the source; other columns are never read.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from discreet import Schema
    >>> schema = Schema({"smoking": ["no", "yes"], "age": [1, 2]})
    >>> records = pa.table({"smoking": ["no", "yes", None, "no"], "age": [1.0, 2.0, 2.0, 1.0]})
    >>> open_source(records, schema).tabulate(["smoking", "age"])      # four cells, then the records with a stray
    [2, 0, 0, 1, 1]
    """
    if not isinstance(schema, Schema):
        raise InvalidInput(f"schema must be a Schema, got {type(schema).__name__}")
    opening = _opening(source, list(schema.columns))
    del source  # an error's traceback keeps the local variables of this frame
    reader, names = _sealed(opening)
    for name in schema.columns:
        if name not in names:
            raise unknown_name("column of the schema", name, map(str, names))
    return Source(reader, schema)


def _opening(source: Any, wanted: list[str]) -> Callable[[], tuple[Reader, list[str]]]:
    if isinstance(source, str | Path):
        return lambda: open_file(source, wanted)
    if type(source).__name__ == "DuckDBPyRelation":
        return lambda: open_relation(source)
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

    def tabulate(self, columns: Sequence[str]) -> list[int]:
        """Exact counts of the declared cells, row-major over `columns`; then of the records with a stray in any of them.

        Where the schema is complete there is no further cell, and a stray counts as the first category. Where it is not,
        and `columns` include its fixed column, every group has an other cell of its own: see `encode.cells_by_group`.
        """
        if isinstance(columns, str) or not columns or len(set(columns)) != len(columns):
            raise InvalidInput(f"columns must be a list of distinct names, got {columns!r}")
        chosen = {name: self._schema.categorical(name) for name in columns}
        complete, fixed = self._schema.complete, self._schema.fixed
        if fixed in columns and not complete:
            position = list(chosen).index(str(fixed))
            return _sealed(lambda: cells_by_group(self._reader.groups(chosen), list(chosen.values()), position))
        return _sealed(lambda: cells(self._reader.groups(chosen), list(chosen.values()), complete=complete))

    def count_groups(self) -> list[int]:
        """The number of records with each label of the fixed column; then, unless complete, with none of them."""
        assert self._schema.fixed is not None
        column = self._schema.categorical(self._schema.fixed)
        chosen, complete = {self._schema.fixed: column}, self._schema.complete
        return _sealed(lambda: cells(self._reader.groups(chosen), [column], complete=complete))

    def diagnose(self) -> Diagnosis:
        """The strays of every categorical column and their likely cause. Confidential."""
        columns = [(name, column) for name, column in self._schema.columns.items() if isinstance(column, Categorical)]
        return _sealed(lambda: diagnose(self._reader, columns))

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
