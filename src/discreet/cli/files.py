"""Files that a command will write, checked before anything is spent or computed, so that no result has nowhere to go."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from discreet.errors import InvalidInput, LedgerError

PICTURES = (".png", ".pdf", ".svg")
DOTS_PER_INCH = 160


def check_output(path: Path, *, force: bool, inputs: Iterable[str | Path] = ()) -> None:
    """That a result can be written to `path`, and that this overwrites nothing unasked, and no input ever."""
    _check_place(path, inputs)
    if path.exists() and not force:
        raise InvalidInput(f"{str(path)!r} exists: choose another name, or overwrite it with --force")


def check_picture(path: Path | None, *, inputs: Iterable[str | Path] = ()) -> None:
    """That a picture can be saved under this name."""
    if path is None:
        return
    if path.suffix.lower() not in PICTURES:
        raise InvalidInput(f"a picture's name ends in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}, not {str(path)!r}")
    _check_place(path, inputs)


def ledger_place(given: str) -> Path | str:
    """A ledger's file, or the address of a database, which is no path."""
    return given if given.startswith(("postgresql://", "postgres://")) else Path(given)


def check_ledger(path: Path | str) -> None:
    """That there is a ledger to open, with the command that makes one."""
    if isinstance(path, Path) and not path.exists():
        raise LedgerError(
            f"there is no ledger {str(path)!r}: make it once with 'discreet ledger create', e.g. with --epsilon 2"
        )


def check_new_ledger(path: Path | str) -> None:
    """That a new ledger overwrites nothing."""
    if isinstance(path, Path) and path.exists():
        raise LedgerError(f"{str(path)!r} exists: see it with 'discreet ledger show', or choose another name")


def _check_place(path: Path, inputs: Iterable[str | Path]) -> None:
    if "\0" in str(path):
        raise InvalidInput("a file's name has no NUL character")
    if path.is_dir():
        raise InvalidInput(f"{str(path)!r} is a folder: give the name of a file in it")
    if any(_same(path, Path(given)) for given in inputs):
        raise InvalidInput(f"{str(path)!r} is another file of this command: choose another name for what it writes")
    folder = path.parent
    if not folder.is_dir():
        raise InvalidInput(f"there is no folder {str(folder)!r} to write {path.name!r} to: make it first")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise InvalidInput(f"cannot write to the folder {str(folder)!r}: {problem.strerror}") from None


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def save_picture(drawn: Any, path: Path) -> None:
    """Draw a release or a result and save the picture."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a font without some character; the picture then shows a box
        figure = drawn.plot()
        try:
            figure.savefig(path, dpi=DOTS_PER_INCH)
        except OSError as problem:
            raise InvalidInput(f"cannot write the picture to {str(path)!r}: {problem.strerror}") from None


def rehearse_picture(made_up: Any) -> None:
    """Draw a release of the right shape with made-up numbers: whatever prevents the picture shows before the charge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made_up.plot()
