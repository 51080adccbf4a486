"""Paths to CSV and Parquet: scanned by DuckDB, never loaded whole, every CSV value read as the text it is.

A CSV file is UTF-8 with one header line; the separator (comma, semicolon, tab or bar) is the one by which the header names
the schema's columns. Nothing is guessed from the records: no types, no dialect. A record with too few or too many fields is
an error, found while the records are counted.

An address (s3://bucket/folder/, https://host/file.parquet, ...) is read by DuckDB's own extension for it, which must have been
installed, with the secrets that DuckDB keeps: nothing is installed, and a message shows no address, for it may hold a key.
"""

from __future__ import annotations

import csv
import glob
import gzip
import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb

from discreet.curator.source.databases import answered
from discreet.curator.source.encode import distinct_names
from discreet.curator.source.table_files import DISTRUST, FileReader
from discreet.curator.source.table_lookup import quoted
from discreet.errors import InvalidInput, SourceError

_SEPARATORS = ",;\t|"
_CSV_BUFFER = 6 * 2**20  # bytes a thread; as fast as DuckDB's default of 32 MB
_CSV_LINE = 2 * 2**20  # bytes of the longest record that is read
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "temp_directory": "",  # no record is written to a temporary file
    "memory_limit": f"{min(800, max(400, 64 * (os.cpu_count() or 1)))}MB",  # every thread has its own buffers
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_EXTENSIONS = dict.fromkeys(("s3", "s3a", "s3n", "gs", "gcs", "r2", "http", "https", "hf"), "httpfs")
_EXTENSIONS |= dict.fromkeys(("az", "azure", "abfss"), "azure")
_NOT_REACHED = (
    "the Parquet files of the address cannot be read: there are none, access was refused, the connection was lost, or a file "
    "is damaged (no detail is shown, because it could show a key or a record)"
)


def open_file(path: str | Path, wanted: Sequence[str]) -> tuple[FileReader, list[str]]:
    """The reader of a file (or of a folder or pattern of Parquet files) and the names of its columns."""
    scheme = str(path).partition("://")[0].lower() if "://" in str(path) else ""
    if scheme in _EXTENSIONS:
        address, connection = quoted(_pattern(str(path))), _connect()
        _load(connection, _EXTENSIONS[scheme])
        return answered(lambda: _open_parquet(connection, address), _NOT_REACHED)
    files, suffix = _files(str(path))
    if suffix == "parquet":
        connection = _connect()
        if len(files) == 1:  # its description is read once, not by every query; those of many would fill the memory
            connection.execute("SET parquet_metadata_cache = true")
        return _open_parquet(connection, _literals(files))
    names, separator = _csv_header(files[0], wanted)
    columns = ", ".join(f"'c{position}': 'VARCHAR'" for position in range(len(distinct_names(names))))
    scan = (
        f"read_csv({_literals(files)}, auto_detect = false, header = true, delim = {quoted(separator)}, "
        f"quote = '\"', escape = '\"', strict_mode = true, null_padding = false, ignore_errors = false, "
        f"buffer_size = {_CSV_BUFFER}, max_line_size = {_CSV_LINE}, "
        f"compression = '{'gzip' if suffix == 'csv.gz' else 'none'}', columns = {{{columns}}})"
    )
    checked = [name for name in wanted if name in names]
    return FileReader(_connect(), scan, names, checked), names


def _open_parquet(connection: Any, literals: str) -> tuple[FileReader, list[str]]:
    names = _parquet_names(connection, literals)
    scan = f"read_parquet([{literals}], hive_partitioning = false, union_by_name = false)"
    return FileReader(connection, scan, distinct_names(names), ()), names


def _pattern(address: str) -> str:
    """A folder stands for all of its Parquet files."""
    if address.endswith("/"):
        return f"{address}**/*.parquet"
    if ".parquet" not in address.lower():
        raise InvalidInput("an address must name .parquet files, a pattern of them, or a folder that ends in /")
    return address


def _load(connection: Any, extension: str) -> None:
    missing = (
        f"such an address needs DuckDB's extension {extension!r}, which is not installed here: run once, in Python, "
        f"duckdb.sql('INSTALL {extension}')"
    )
    answered(lambda: connection.load_extension(extension), missing)


def _connect() -> Any:
    connection = duckdb.connect(config=_CONFIG)
    connection.execute("SET enable_progress_bar = false")
    connection.execute(DISTRUST)
    return connection


def _files(path: str) -> tuple[list[str], str]:
    given = Path(path)
    if given.is_dir():
        found = sorted(str(file) for file in given.rglob("*.parquet"))
        if not found:
            raise SourceError(f"no .parquet file in the folder {path!r}")
        return found, "parquet"
    suffix = next((s for s in ("csv", "csv.gz", "parquet") if path.lower().endswith("." + s)), None)
    if suffix is None:
        raise InvalidInput(
            f"a file must end in .csv, .csv.gz or .parquet (or be a folder of .parquet files), got {path!r}"
        )
    if given.is_file():
        return [path], suffix
    found = sorted(glob.glob(path, recursive=True)) if suffix == "parquet" else []
    if not found:
        raise SourceError(f"no file {path!r}")
    return found, suffix


def _literals(files: Iterable[str]) -> str:
    """The paths as literals; DuckDB would read `*`, `?` and `[` in them as a pattern."""
    return ", ".join(quoted("".join(f"[{c}]" if c in "*?[" else c for c in file)) for file in files)


def _csv_header(path: str, wanted: Sequence[str]) -> tuple[list[str], str]:
    opened = gzip.open if path.lower().endswith(".gz") else open
    headers = {}
    for separator in _SEPARATORS:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            headers[separator] = next(csv.reader(file, delimiter=separator), [])
    separator = max(_SEPARATORS, key=lambda s: (len(set(wanted) & set(headers[s])), -_SEPARATORS.index(s)))
    if not headers[separator]:
        raise SourceError("a CSV file must begin with one line that names the columns")
    return headers[separator], separator


def _parquet_names(connection: Any, literals: str) -> list[str]:
    """The names of the columns as the files have them: a scan would rename repeated ones.

    All files must have the same columns of the same types: a scan would cast them to the first file's, and fail on a value.
    """
    rows = connection.execute(
        f"SELECT file_name, name, num_children, type, converted_type, logical_type FROM parquet_schema([{literals}])"
    ).fetchall()
    schemas = [[row[1:] for row in group] for _, group in itertools.groupby(rows, key=lambda row: row[0])]
    if any(schema[1:] != schemas[0][1:] for schema in schemas):
        raise InvalidInput(
            "all Parquet files of one source must have the same columns, in the same order and of the same types"
        )
    elements = iter(schemas[0])

    def skip(children: int) -> None:
        for _ in range(children):
            skip(next(elements)[1] or 0)

    names = []
    for _ in range(next(elements)[1] or 0):
        name, children, *_ = next(elements)
        names.append(str(name))
        skip(children or 0)
    return names
