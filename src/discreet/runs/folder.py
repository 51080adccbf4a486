"""The folder of a run: each file appears whole or not at all, and one process at a time works in it."""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from discreet.errors import DiscreetError, FormatError, InvalidInput

PROGRESS = "progress.jsonl"
RELEASES, TESTS, RESULTS, REPORT = "releases", "tests", "results.csv", "report.html"


def write_text(path: Path, text: str) -> None:
    """Write a file so that it has its old or its new content, whatever happens in between."""
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise InvalidInput(f"cannot write {str(path)!r}: {problem.strerror}") from None


class Progress:
    """What a run has done, one JSON object a line, each on the disk before the next step.

    The first line says whose run it is: another plan, ledger or source in the same folder is refused.
    """

    def __init__(self, file: IO[bytes], lines: list[dict[str, Any]]) -> None:
        self._file, self._lines = file, lines

    def note(self, **what: Any) -> None:
        """Append a line."""
        self._lines.append(what)
        self._file.write(json.dumps(what, ensure_ascii=True).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def last(self, request_id: str) -> str | None:
        """The last that was noted of a release: "started", "released" or "failed"; None where nothing was."""
        return next((line["step"] for line in reversed(self._lines) if line.get("request_id") == request_id), None)

    def starts(self, request_id: str) -> int:
        """How many times a release was begun."""
        return sum(line.get("request_id") == request_id and line["step"] == "started" for line in self._lines)


@contextmanager
def opened(folder: Path, header: Mapping[str, Any]) -> Iterator[Progress]:
    """The progress of the run in this folder, which is made if need be and belongs to this process in the meantime.

    Raises
    ------
    InvalidInput
        The folder cannot be made or written, is something else's, or another run's.
    """
    _make(folder)
    try:
        file = (folder / PROGRESS).open("a+b")
    except OSError as problem:
        raise InvalidInput(f"cannot write to the folder {str(folder)!r}: {problem.strerror}") from None
    with file:
        _lock(file, folder)
        _remove_parts(folder)
        progress = Progress(file, _lines(file, folder))
        if not progress._lines:
            progress.note(**header)
        elif progress._lines[0] != dict(header):
            raise _another(folder, progress._lines[0], header)
        yield progress


def noted(folder: Path) -> Progress | None:
    """The progress so far, for reading only; None where there is none."""
    if not (folder / PROGRESS).is_file():
        return None
    try:
        with (folder / PROGRESS).open("rb") as file:
            return Progress(file, _lines(file, folder, cut=False))
    except OSError as problem:
        raise InvalidInput(f"cannot read {str(folder / PROGRESS)!r}: {problem.strerror}") from None


def _make(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"the output {str(folder)!r} is a file: give a folder")
    if folder.is_dir() and not (folder / PROGRESS).exists() and any(folder.iterdir()):
        raise InvalidInput(f"the folder {str(folder)!r} holds other files: give the output a folder of its own")
    try:
        for place in (folder, folder / RELEASES, folder / TESTS):
            place.mkdir(parents=place is folder, exist_ok=True)
    except OSError as problem:
        raise InvalidInput(f"cannot make the folder {str(folder)!r}: {problem.strerror}") from None


def _lock(file: IO[bytes], folder: Path) -> None:
    """Held until the file is closed, also by the end of the process, however it ends."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DiscreetError(f"another process is running a plan in {str(folder)!r}: wait for it") from None


def _lines(file: IO[bytes], folder: Path, *, cut: bool = True) -> list[dict[str, Any]]:
    """What is noted; a last line that a crash has cut short says nothing and is taken away."""
    file.seek(0)
    content = file.read()
    whole = content[: content.rfind(b"\n") + 1]
    if cut and len(whole) < len(content):
        file.truncate(len(whole))
    try:
        lines = [json.loads(line) for line in whole.splitlines()]
        if not all(isinstance(line, dict) and "step" in line for line in lines):
            raise ValueError
    except ValueError:
        raise FormatError(
            f"{str(folder / PROGRESS)!r} is not the progress of a run: give the output another folder"
        ) from None
    return lines


def _another(folder: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> InvalidInput:
    different = [key for key in here if there.get(key) != here[key]]
    return InvalidInput(
        f"the folder {str(folder)!r} holds the run of another study (different: {', '.join(different)}): give the output "
        "another folder, and the plan another name if its records are others"
    )


def _remove_parts(folder: Path) -> None:
    """Files that a crash has left half written."""
    for place in (folder, folder / RELEASES, folder / TESTS):
        for part in place.glob(".*.part"):
            part.unlink(missing_ok=True)
