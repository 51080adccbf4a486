"""Data frames that a command writes: CSV or Parquet by the name of the file, with whichever frame library is installed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.files import check_output
from discreet.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from discreet.release.frames import Backend

KINDS = (".csv", ".parquet")

Rows = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Also save the numbers (.csv or .parquet).", show_default=False
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output if it exists.")]


def check_frame(path: Path | None, *, force: bool, inputs: Iterable[str | Path]) -> None:
    """That a frame can be written under this name, and overwrites nothing unasked; before anything is computed."""
    if path is None:
        return
    if path.suffix.lower() not in KINDS:
        raise InvalidInput(f"a file of rows is named .csv or .parquet, not {str(path)!r}")
    check_output(path, force=force, inputs=inputs)
    backend()


def backend() -> Backend:
    """The frame library to write with."""
    known: tuple[Backend, ...] = ("polars", "pyarrow", "pandas")
    for name in known:
        if find_spec(name) is not None:
            return name
    raise MissingExtra("writing rows needs PyArrow, Polars or pandas: pip install 'discreet[arrow]'")


def save_frame(frame: Any, path: Path) -> None:
    """Write a frame to a CSV or Parquet file, all at once."""
    import narwhals.stable.v2 as nw

    eager = nw.from_native(frame, eager_only=True)
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        if path.suffix.lower() == ".csv":
            eager.write_csv(part)
        else:
            eager.write_parquet(part)
        os.replace(part, path)
    except OSError as problem:
        raise InvalidInput(f"cannot write to {str(path)!r}: {problem.strerror}") from None
    except ImportError:
        raise MissingExtra("writing Parquet needs PyArrow or Polars: pip install 'discreet[arrow]'") from None
    finally:
        part.unlink(missing_ok=True)
