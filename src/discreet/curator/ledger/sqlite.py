"""The ledger in a SQLite file: how it is created and opened, and the one way to run a transaction on it.

Fail-closed choices, each for a measured way to lose a charge: the rollback journal (`DELETE`) and `synchronous=EXTRA`,
not a write-ahead log, whose removal forgets committed charges; both set and read back. `BEGIN IMMEDIATE`, because a
check outside of the write lock overspends. Creating is separate from opening, because SQLite makes an empty file of a
missing one. A connection lives for one transaction, so no thread or forked child ever inherits one, and the file is found
missing or replaced at the next charge. Nothing here calls `open` on the live file: closing it would drop the locks that
SQLite holds in this process (POSIX advisory locks belong to the process, not to the descriptor).
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from discreet.curator.ledger.accounting import Units, total
from discreet.curator.ledger.book import Book
from discreet.curator.ledger.filesystem import check_file, check_place, sync_directory
from discreet.curator.ledger.header import Header
from discreet.curator.ledger.migrate import upgrade
from discreet.curator.ledger.sqlite_schema import APPLICATION_ID, CREATE, DIGITS, FORMAT, GUARD
from discreet.errors import FormatError, LedgerError

WAIT = 30.0
"""Seconds to wait for other processes and threads before "busy"."""

# One transaction at a time in a process, and none while it forks: a child would inherit SQLite's table of the locks
# that another thread's transaction holds, believe them its own, and read unlocked.
_ONE_AT_A_TIME = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_ONE_AT_A_TIME.acquire, after_in_parent=_ONE_AT_A_TIME.release, after_in_child=_ONE_AT_A_TIME.release
    )


class SqliteBook(Book):
    """A transaction on a file."""

    budget, entry = "budget", "entry"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)

    def number(self, units: int) -> str:
        return f"{units:0{DIGITS}d}"

    def text(self, value: str) -> str:
        return value

    def read(self, stored: str) -> str:
        return stored

    def take(self, units: Units) -> int | None:
        seq, spent = self.balance()
        after = total((spent, units))
        row = self.execute("SELECT total, total_delta FROM budget").fetchone()
        if not after.within(Units(*map(int, row))):
            return None
        stored = (self.number(after.main), self.number(after.delta), seq)
        done = self.execute("UPDATE budget SET seq = seq + 1, spent = ?, spent_delta = ? WHERE seq = ?", stored)
        return seq + 1 if done.rowcount == 1 else None

    def lock(self) -> None:
        """BEGIN IMMEDIATE did it."""


class FileStore:
    """A ledger in a file."""

    def __init__(self, path: Path) -> None:
        # Resolved, so that a symbolic link and its target share one journal, whose name SQLite derives from the path.
        self.path: Path = Path(os.path.realpath(path))

    @property
    def name(self) -> str:
        return repr(str(self.path))

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[SqliteBook]:
        check_file(self.path)
        with _one_at_a_time(self.name), _translated(self.name), closing(_connect(self.path)) as connection:
            if _format(connection, self.name) != FORMAT:
                raise LedgerError(f"the ledger {self.name} has an older format now: open it again with Ledger(path)")
            _make_durable(connection, self.name)
            with _atomic(connection, write):
                yield SqliteBook(connection)

    def check_integrity(self) -> None:
        """The place, the format (an older one is brought up to date), and SQLite's check of every page and index."""
        check_file(self.path)
        check_place(self.path)
        with _one_at_a_time(self.name), _translated(self.name), closing(_connect(self.path)) as connection:
            if _format(connection, self.name) != FORMAT:
                _make_durable(connection, self.name)
                with _atomic(connection, write=True):
                    if _format(connection, self.name) != FORMAT:  # another process may have been faster
                        upgrade(connection, SqliteBook(connection), self.name)
        with self.transaction(write=False) as book:
            if book.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
                raise corrupt(self.name)


class MemoryStore:
    """A ledger that lives as long as this process: for a curator with `budget=`, and for tests."""

    path = None
    name = "in memory"

    def __init__(self, header: Header) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._process = os.getpid()
        weakref.finalize(self, self._connection.close)
        _write_new(self._connection, header)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[SqliteBook]:
        # A forked child has a copy of the budget; if it could spend that, the budget would be spent twice.
        if os.getpid() != self._process:
            raise LedgerError("a budget in memory belongs to the process that made it: use Ledger.create for several")
        with _one_at_a_time(self.name), _translated(self.name), _atomic(self._connection, write):
            yield SqliteBook(self._connection)

    def check_integrity(self) -> None:
        """Nothing but this process has touched it."""


def create_file(path: Path, header: Header) -> None:
    """Writes a new ledger; refuses where anything is, and leaves nothing behind where it fails."""
    path = Path(os.path.realpath(path))
    check_place(path)
    journal = path.with_name(path.name + "-journal")
    if journal.exists():
        raise LedgerError(
            f"{str(journal)!r} belongs to a lost ledger and would be played into the new one: move it away"
        )
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
    except FileExistsError:
        raise LedgerError(f"{str(path)!r} exists: open it with Ledger(path), or choose another name") from None
    except OSError as error:
        raise LedgerError(f"the ledger {str(path)!r} cannot be created: {error.strerror}") from None
    name = repr(str(path))
    try:
        with _one_at_a_time(name), _translated(name), closing(_connect(path)) as connection:
            _make_durable(connection, name)
            _write_new(connection, header)
        sync_directory(path.parent)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def corrupt(name: str) -> FormatError:
    return FormatError(f"{name} is not a ledger, or it is damaged; nothing was charged")


def _write_new(connection: sqlite3.Connection, header: Header) -> None:
    """Everything in one transaction: an interrupted creation leaves an empty file, never half a ledger."""
    connection.executescript(
        f"BEGIN IMMEDIATE; {CREATE} {GUARD}"
    )  # it would commit a transaction that was open already
    SqliteBook(connection).write_header(header.to_row())
    connection.execute("COMMIT")


def _connect(path: Path) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < (3, 37):
        raise LedgerError(f"the ledger needs SQLite 3.37 or newer; this Python has {sqlite3.sqlite_version}")
    return sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=WAIT, isolation_level=None)


def _format(connection: sqlite3.Connection, name: str) -> int:
    """Before anything is set: a database of another program is left as it is."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise FormatError(f"{name} is a database of another program, not a ledger")
    if version not in range(1, FORMAT + 1):
        raise FormatError(
            f"the ledger {name} has format {version}, and this version of Discreet reads formats 1 to {FORMAT}: "
            "use the version that wrote it"
        )
    return int(version)


def _make_durable(connection: sqlite3.Connection, name: str) -> None:
    """A commit returns when the charge is on the disk: set, and read back, for SQLite ignores what it does not know."""
    wanted = {"journal_mode": "delete", "synchronous": 3, "fullfsync": 1, "trusted_schema": 0}
    for pragma, value in wanted.items():
        connection.execute(f"PRAGMA {pragma} = {value}").fetchall()
        row = connection.execute(f"PRAGMA {pragma}").fetchone()
        if row != (value,):
            raise LedgerError(f"the ledger {name} cannot be made durable here: {pragma} stays {row and row[0]}")


@contextmanager
def _atomic(connection: sqlite3.Connection, write: bool) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:  # an exception inside, or a COMMIT that was refused
            connection.execute("ROLLBACK")


@contextmanager
def _one_at_a_time(name: str) -> Iterator[None]:
    if not _ONE_AT_A_TIME.acquire(timeout=WAIT):
        raise _busy(name)
    try:
        yield
    finally:
        _ONE_AT_A_TIME.release()


@contextmanager
def _translated(name: str) -> Iterator[None]:
    """SQLite's errors as this package's own, with the path."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the low byte is the primary code
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise _busy(name) from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise corrupt(name) from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            raise LedgerError(f"the ledger {name} cannot be written: {error}; nothing was charged") from error
        raise LedgerError(
            f"the ledger {name} failed: {error}; see ledger.entries() for whether a charge was recorded"
        ) from error


def _busy(name: str) -> LedgerError:
    return LedgerError(f"the ledger {name} is busy: others held it for {WAIT:g} s; nothing was charged; try again")
