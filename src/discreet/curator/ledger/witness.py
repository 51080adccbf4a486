"""The witness: a second file, on another volume, that remembers how far the ledger was, so that an older copy is refused.

Nothing inside a ledger can tell that it was restored from yesterday's backup. A witness is a text file to which every
charge appends one line, number and head, after the commit and before the charge returns. A ledger that lacks a charge
which its witness has seen, or has another one in its place, is refused. A crash between the commit and the line leaves the
ledger ahead, never behind: that is accepted and the line is written at the next opening.

The lines of several processes may come in another order than their charges. A crash may leave a line unfinished; what
there is of it must still agree, for its charge had been committed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from discreet.curator.ledger.filesystem import sync_directory
from discreet.errors import FormatError, LedgerError

_TITLE = "discreet witness 1 "
_TAIL = 4096


class Mark(NamedTuple):
    """That a ledger had `seq` charges, and what its head was (the beginning of it, in an unfinished line)."""

    seq: int
    head: str


class Witness:
    """An append-only file beside a ledger: opened for each line, and never kept open."""

    def __init__(self, path: Path, ledger_id: str) -> None:
        self.path = Path(os.path.realpath(path))
        self._ledger_id = ledger_id

    @classmethod
    def create(cls, path: Path, ledger_id: str, mark: Mark) -> Witness:
        """A new file, which refuses to replace one that is there; `mark` is where the ledger stands."""
        witness = cls(path, ledger_id)
        try:
            os.close(os.open(witness.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            raise LedgerError(f"{str(path)!r} exists: choose another name for the witness") from None
        except OSError as error:
            raise LedgerError(f"the witness {str(path)!r} cannot be created: {error.strerror}") from None
        try:
            witness._append(f"{_TITLE}{ledger_id}\n{_line(mark)}")
            sync_directory(witness.path.parent)
        except BaseException:
            witness.path.unlink(missing_ok=True)
            raise
        return witness

    def append(self, mark: Mark) -> None:
        """One more line, on the disk when this returns."""
        self._append(_line(mark))

    def last(self) -> Mark:
        """The highest mark of the end of the file: what a charge compares itself with."""
        return max(self._marks(_TAIL))

    def marks(self) -> list[Mark]:
        """What all its lines say."""
        return self._marks(None)

    def _marks(self, tail: int | None) -> list[Mark]:
        """What the lines say; of the whole file, or of its last `tail` bytes after the first line break there."""
        try:
            with self.path.open("rb") as file:
                title = file.readline(200)
                size = file.seek(0, os.SEEK_END)
                begin = len(title) if tail is None else max(len(title), size - tail)
                file.seek(begin)
                content = file.read()
        except OSError as error:
            raise LedgerError(
                f"the witness {str(self.path)!r} cannot be read: {error.strerror}; nothing was charged; if it has moved, "
                "name its place with Ledger(path, witness=...)"
            ) from None
        if title != f"{_TITLE}{self._ledger_id}\n".encode():
            raise FormatError(f"{str(self.path)!r} is not the witness of this ledger")
        lines = content.split(b"\n")
        if begin > len(title):
            lines = lines[1:]
        try:
            marks = [_mark(line.decode("ascii")) for line in lines if line]
        except ValueError:
            marks = []
        if not marks:
            raise FormatError(f"the witness {str(self.path)!r} is damaged")
        return marks

    def _append(self, text: str) -> None:
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            try:
                content = text.encode("ascii")
                if os.write(descriptor, content) != len(content):
                    raise OSError(0, "a line was written in part")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise LedgerError(
                f"the witness {str(self.path)!r} cannot be written: {error.strerror}; what was charged stays charged, and "
                "nothing was released"
            ) from None


def agree(mark: Mark, head: str | None, ledger: str, memory: str) -> None:
    """Refuse a ledger whose head at `mark.seq` is not the one that is remembered."""
    if head is None:
        raise LedgerError(
            f"the ledger {ledger} is older than {memory} remembers: charge {mark.seq} is missing (was a backup restored?); "
            "nothing was charged"
        )
    if not head.startswith(mark.head):
        raise LedgerError(
            f"the ledger {ledger} has another charge {mark.seq} than {memory} remembers; nothing was charged"
        )


def _line(mark: Mark) -> str:
    """Begins with a line break, too: after an unfinished line it starts anew."""
    return f"\n{mark.seq:016d} {mark.head}\n"


def _mark(line: str) -> Mark:
    """An unfinished line gives a smaller number, or a shorter head, both of which the ledger must still agree with."""
    seq, _, head = line.partition(" ")
    if not seq.isdigit() or len(seq) > 16 or len(head) > 64 or (head and len(seq) < 16):
        raise ValueError(line)
    return Mark(int(seq), head)
