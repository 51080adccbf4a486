"""Release files: one document, written exactly and all at once, believed only after every part has been checked.

The file starts with what it is (`format`, `version`, `kind`); the rest belongs to the kind of release. Each kind has a
file of its own that says how it becomes a document and back, and registers both here.

The document is JSON. Of a table it may also be the metadata of a Parquet or Arrow file, whose column holds the drawn numbers.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from discreet.errors import DiscreetError, FormatError, InvalidInput, MissingExtra
from discreet.release import columnar
from discreet.release.integers import Integers
from discreet.release.packed import packed

Document = dict[str, Any]

FORMAT = "discreet release"
VERSION = 1
LARGEST_FILE = 2**27
"""Bytes. The largest table, of 10^7 cells, takes 107 MB where its numbers cannot be compressed at all, and 55 MB as a rule."""


class Kind(NamedTuple):
    """One kind of release: its name in the file, its type, and the two directions."""

    name: str
    subject: type
    write: Callable[[Any], Document]
    read: Callable[[Document], Any]


_KINDS: list[Kind] = []

_DOCUMENTS = (
    "tables.table_document",
    "moments.means_document",
    "moments.moments_document",
    "densities.histogram_document",
    "densities.series_document",
    "densities.cdf_document",
    "choices.sample_document",
)
"""The files that register a kind of release each."""


def register(kind: Kind) -> None:
    """Make a kind of release known to `save` and `load`."""
    _KINDS.append(kind)


def _kinds() -> list[Kind]:
    for name in _DOCUMENTS:
        import_module(f"discreet.release.{name}")
    return _KINDS


def save(release: object, path: str | os.PathLike[str]) -> None:
    """Write a release to a file that `load` reads back equal, bit by bit.

    JSON, but for a table whose path ends in .parquet or .arrow (see
    `discreet.release.columnar`). The file appears under its name only when it is complete; a file that was there is then
    replaced.

    Raises
    ------
    InvalidInput
        If the file cannot be written there, or the release is larger than `load` accepts.
    MissingExtra
        For a Parquet or Arrow file, where PyArrow is not installed.
    """
    suffix = columnar.suffix_of(os.fspath(path))
    content = _bytes(release) if suffix is None else _columns(release, suffix)
    if len(content) > LARGEST_FILE:
        raise InvalidInput(f"the release needs {len(content)} bytes; a release file has at most {LARGEST_FILE}")
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise InvalidInput(f"cannot write the release to {os.fspath(path)!r}: {problem.strerror}") from problem
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load(path: str | os.PathLike[str]) -> Any:
    """Read a release from a file that `release.save(path)` wrote.

    Parameters
    ----------
    path : path to a file

    Returns
    -------
    TableRelease
        Or another kind of release, as the file says; equal to the one that was saved.

    Raises
    ------
    FormatError
        If the file is truncated, damaged, of another program or version, or its parts contradict each other; the
        message names the file and what is wrong with it.
    InvalidInput
        If there is no such file or it cannot be read.
    MissingExtra
        If it is a Parquet or Arrow file, and PyArrow is not installed.

    Examples
    --------
    >>> import tempfile, discreet.release
    >>> from discreet.noise import Laplace
    >>> table = discreet.release.TableRelease.from_counts([12.5, 31.0], {"sex": ["f", "m"]}, noise=Laplace(2.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.save(f"{folder}/table.json")
    ...     discreet.release.load(f"{folder}/table.json") == table
    True
    """
    name = os.fspath(path)
    content = _content(name)
    try:
        return _release(content)
    except MissingExtra:
        raise
    except DiscreetError as problem:
        raise FormatError(f"{name!r} is not a valid release file: {problem}") from problem


def dumps(release: object) -> str:
    """The text that `save` writes."""
    return _bytes(release).decode()


def loads(text: str) -> Any:
    """The release that `dumps` made this text of; `FormatError` as in `load`."""
    try:
        return _release(text.encode())
    except DiscreetError as problem:
        raise FormatError(f"not a valid release: {problem}") from problem


def _bytes(release: object) -> bytes:
    document = _document(release)
    return _encode({key: packed(part) if isinstance(part, Integers) else part for key, part in document.items()})


def _columns(release: object, suffix: str) -> bytes:
    document = _document(release)
    drawn = document.pop(columnar.COLUMN, None)
    if not isinstance(drawn, Integers):
        raise InvalidInput(f"a {suffix} file holds a table; save a {document['kind']} release as .json")
    return columnar.write(_encode(document), drawn, suffix)


def _document(release: object) -> Document:
    kind = next(kind for kind in _kinds() if isinstance(release, kind.subject))
    return {"format": FORMAT, "version": VERSION, "kind": kind.name, **kind.write(release)}


def _release(content: bytes) -> Any:
    if columnar.is_columnar(content):
        text, drawn = columnar.read(content)
        document = _decode(text)
        if columnar.COLUMN in document:
            raise FormatError(f"it has {columnar.COLUMN!r} twice, in its metadata and as its column")
        document[columnar.COLUMN] = drawn
    else:
        document = _decode(content)
    kind = _kind(document)
    return kind.read({key: value for key, value in document.items() if key not in ("format", "version", "kind")})


def _content(name: str) -> bytes:
    # A device or a pipe could go on for ever, so only regular files are opened.
    if not os.path.isfile(name):
        raise InvalidInput(f"there is no release file {name!r}")
    try:
        with open(name, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as problem:
        raise InvalidInput(f"cannot read the release file {name!r}: {problem.strerror}") from problem
    if len(content) > LARGEST_FILE:
        raise FormatError(f"{name!r} is not a valid release file: it is larger than {LARGEST_FILE} bytes")
    return content


def _encode(document: Document) -> bytes:
    """One line for each part, so that a person can read the file; floats by `repr`, which is exact."""

    def lines(ascii_only: bool) -> str:
        parts = (
            f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=ascii_only, allow_nan=False)}" for k, v in document.items()
        )
        return "{\n  " + ",\n  ".join(parts) + "\n}\n"

    try:
        return lines(ascii_only=False).encode()
    except UnicodeEncodeError:  # a category with a lone surrogate, which has no UTF-8 form
        return lines(ascii_only=True).encode()


def _decode(content: bytes) -> Document:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError("it is not UTF-8 text") from None
    if not text.strip():
        raise FormatError("it is empty")
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as problem:
        raise FormatError(f"it is not complete JSON ({problem.msg}, line {problem.lineno})") from None
    except (RecursionError, ValueError) as problem:  # nested beyond reason; an integer of thousands of digits
        if isinstance(problem, FormatError):
            raise
        raise FormatError("it is no JSON that a release would contain") from None
    if not isinstance(document, dict):
        raise FormatError("it holds no JSON object")
    return document


def _object(pairs: list[tuple[str, Any]]) -> Document:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise FormatError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} appears twice")
    return found


def _constant(name: str) -> None:
    raise FormatError(f"{name} is not a number")


def _kind(document: Document) -> Kind:
    if document.get("format") != FORMAT:
        raise FormatError(f'it does not say "format": "{FORMAT}", so another program wrote it')
    if type(document.get("version")) is not int or document["version"] != VERSION:
        raise FormatError(f"its format version is {document.get('version')!r}; this program reads version {VERSION}")
    for kind in _kinds():
        if kind.name == document.get("kind"):
            return kind
    known = ", ".join(sorted(kind.name for kind in _kinds()))
    raise FormatError(f"unknown kind of release {document.get('kind')!r}; known: {known}")
