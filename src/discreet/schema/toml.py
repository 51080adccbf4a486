"""A schema as a TOML file: read by `tomllib`, written so that reading gives the same values of the same types."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.errors import InvalidInput

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def read(path: str | Path) -> dict[str, Any]:
    """The contents of the TOML file; `InvalidInput` where it is missing or not TOML."""
    try:
        return tomllib.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InvalidInput(f"cannot read the schema file {str(path)!r}: {error.strerror}") from None
    except ValueError as error:  # of tomllib and of the decoder; a schema is public, so its text may be shown
        raise InvalidInput(f"the schema file {str(path)!r} is not TOML: {error}") from None


def write(path: str | Path, declared: Mapping[str, Any]) -> None:
    """Write what `read` reads: plain entries first, then the table [columns]."""
    try:
        Path(path).write_bytes(document(declared).encode("utf-8"))
    except OSError as error:
        raise InvalidInput(f"cannot write the schema file {str(path)!r}: {error.strerror}") from None


def document(declared: Mapping[str, Any]) -> str:
    """The TOML text.

    Examples
    --------
    >>> print(document({"complete": True, "columns": {"smoking": ["no", "yes"], "age": {"lower": 0, "upper": 120}}}))
    complete = true
    <BLANKLINE>
    [columns]
    smoking = ["no", "yes"]
    age = { lower = 0, upper = 120 }
    <BLANKLINE>
    """
    lines = [_entry(key, value) for key, value in declared.items() if key != "columns"]
    lines += ["", "[columns]", *(_entry(name, column) for name, column in declared["columns"].items()), ""]
    return "\n".join(lines)


def _entry(key: str, value: Any) -> str:
    return f"{key if _BARE_KEY.fullmatch(key) else _quoted(key)} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_entry(key, inner) for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)


def _quoted(text: str) -> str:
    characters = (_SHORT_ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 0x20 or ord(c) == 0x7F else c) for c in text)
    return '"' + "".join(characters) + '"'
