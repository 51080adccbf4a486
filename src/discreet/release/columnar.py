"""A release as a columnar file: the drawn integers as one column, the rest of its document beside it in the file's metadata.

Parquet (`.parquet`) and Arrow (`.arrow`) files of one column `drawn`: 64-bit integers, or text where one of them does not
fit. The metadata has one entry, whose key is "discreet release" and whose value is the JSON document of a `.json` file
without `drawn`. So any program that reads Parquet has the numbers, and the law of their noise is in the same file.

On the way in nothing is believed: one column of that name and of one of the two types, no nulls, no other metadata, no more
rows than the largest table has, read a batch at a time. PyArrow does both (`discreet[arrow]`); it is loaded for these files
only.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from discreet.errors import DiscreetError, FormatError, InvalidInput, MissingExtra
from discreet.release.integers import Integers
from discreet.release.packed import MOST_PACKED

COLUMN = "drawn"
KEY = b"discreet release"
SUFFIXES = (".parquet", ".arrow")
_PARQUET, _ARROW = b"PAR1", b"ARROW1"
_WHOLE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,999})", re.ASCII)
_ROWS = 2**16  # in one batch
_TEXT = 2**26  # bytes of numbers as text, all together


def is_columnar(content: bytes) -> bool:
    """Whether these bytes begin as a Parquet or an Arrow file does."""
    return content.startswith((_PARQUET, _ARROW))


def write(document: bytes, drawn: Integers, suffix: str) -> bytes:
    """The bytes of a file with this suffix."""
    pa = _pyarrow("pyarrow")
    narrow = drawn.array.dtype == np.int64
    column = pa.array(drawn.array) if narrow else pa.array([str(y) for y in drawn], pa.string())
    schema = pa.schema([pa.field(COLUMN, column.type, nullable=False)])
    file = io.BytesIO()
    if suffix == ".parquet":
        # Noise has no values in common, so a dictionary of them only costs; the schema of Arrow would be a second one.
        options = {"use_dictionary": False, "compression": "zstd", "store_schema": False, "write_statistics": False}
        with _pyarrow("pyarrow.parquet").ParquetWriter(file, schema, **options) as writer:
            writer.add_key_value_metadata({KEY: document})
            writer.write_table(pa.table([column], schema=schema))
    else:
        schema = schema.with_metadata({KEY: document})
        with _pyarrow("pyarrow.ipc").new_file(file, schema) as writer:
            writer.write_table(pa.table([column], schema=schema), max_chunksize=_ROWS)
    return file.getvalue()


def read(content: bytes) -> tuple[bytes, Integers]:
    """The document and the drawn integers of a columnar file; `FormatError` where it is not one that `write` makes."""
    pa = _pyarrow("pyarrow")
    try:
        document, batches = _parquet(content) if content.startswith(_PARQUET) else _arrow(pa, content)
        return document, _numbers(pa, batches)
    except DiscreetError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError):
        raise FormatError("it is a damaged Parquet or Arrow file") from None


def _parquet(content: bytes) -> tuple[bytes, Iterator[Any]]:
    parquet = _pyarrow("pyarrow.parquet")
    found = parquet.read_metadata(io.BytesIO(content))  # before anything of it is believed, and no page is read
    column = found.schema.column(0) if len(found.schema) == 1 else None
    if column is None or column.path != COLUMN or column.max_definition_level or column.max_repetition_level:
        raise FormatError(f"it must have one column {COLUMN!r} without nulls")
    if (column.physical_type, column.logical_type.type) not in (("INT64", "NONE"), ("BYTE_ARRAY", "STRING")):
        raise FormatError(f"its column {COLUMN!r} must hold 64-bit integers or text")
    _check_rows(found.num_rows)
    document = _only_ours(found.metadata)
    return document, parquet.ParquetFile(io.BytesIO(content)).iter_batches(_ROWS)


def _arrow(pa: Any, content: bytes) -> tuple[bytes, Iterator[Any]]:
    file = _pyarrow("pyarrow.ipc").open_file(pa.BufferReader(content))
    schema = file.schema
    if schema.names != [COLUMN] or schema.field(0).type not in (pa.int64(), pa.string()):
        raise FormatError(f"it must have one column {COLUMN!r} of 64-bit integers or text")
    return _only_ours(schema.metadata), (file.get_batch(i) for i in range(file.num_record_batches))


def _only_ours(metadata: dict[bytes, bytes] | None) -> bytes:
    """The document; another entry, such as a second schema, would be something that no release has."""
    if metadata is None or set(metadata) != {KEY}:
        raise FormatError(f"another program wrote it: its metadata does not have the one entry {KEY.decode()!r}")
    return metadata[KEY]


def _numbers(pa: Any, batches: Iterable[Any]) -> Integers:
    arrays: list[Any] = []
    texts: list[int] = []
    rows, room = 0, _TEXT
    for batch in batches:
        batch.validate(full=True)
        column = batch.column(0)
        rows += len(column)
        _check_rows(rows)
        if column.null_count:
            raise FormatError(f"its column {COLUMN!r} must have no nulls")
        if column.type == pa.int64():
            arrays.append(column.to_numpy())
            continue
        room -= column.nbytes
        if room < 0:
            raise FormatError(f"its numbers take more than {_TEXT} bytes")
        texts += map(_whole, column.to_pylist())
    return Integers(np.concatenate(arrays)) if arrays else Integers(texts)


def _whole(text: str) -> int:
    if not _WHOLE_NUMBER.fullmatch(text):
        raise FormatError(f"its column {COLUMN!r} holds text that is no whole number")
    return int(text)


def _check_rows(rows: int) -> None:
    if not 0 <= rows <= MOST_PACKED:
        raise FormatError(f"it holds {rows} numbers; at most {MOST_PACKED} are read")


def _pyarrow(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra("a Parquet or Arrow file needs PyArrow: pip install 'discreet[arrow]'") from None


def suffix_of(path: str) -> str | None:
    """ ".parquet" or ".arrow" where a path ends so; None for JSON."""
    return next((suffix for suffix in SUFFIXES if path.lower().endswith(suffix)), None)


def check_path(path: str, kind: str) -> None:
    """Refuse a path that a release of this kind could not be saved to, before anything is charged for it."""
    suffix = suffix_of(path)
    if suffix is not None and kind != "table":
        raise InvalidInput(f"a {suffix} file holds a table; save a {kind} release as .json")
    if suffix is not None:
        _pyarrow("pyarrow")
