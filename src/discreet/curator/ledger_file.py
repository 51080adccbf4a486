"""The ledger's SQLite file: its format, how it is created and opened, and the one way to run a transaction on it.

Fail-closed choices, each for a measured way to lose a charge: the rollback journal (`DELETE`) and `synchronous=EXTRA`,
not a write-ahead log, whose removal forgets committed charges; both set and read back. `BEGIN IMMEDIATE`, because a
check outside of the write lock overspends. Creating is separate from opening, because SQLite makes an empty file of a
missing one. A connection lives for one transaction, so no thread or forked child ever inherits one, and the file is found
missing or replaced at the next charge. Nothing here calls `open` on the live file: closing it would drop the locks that
SQLite holds in this process (POSIX advisory locks belong to the process, not to the descriptor).
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import threading
import uuid
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, get_args

from discreet.curator.accounting import Rule, Units, rule_for
from discreet.curator.ledger_schema import APPLICATION_ID, CREATE, FORMAT
from discreet.errors import FormatError, LedgerError
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import guarantee_from_dict
from discreet.privacy.questions import Guarantee

WAIT = 30.0
"""Seconds to wait for other processes and threads before "busy"."""


@dataclass(frozen=True)
class Header:
    """What a ledger is created with and never changes."""

    budget: Guarantee
    accounting: str
    rule: Rule
    ledger_id: str = field(default_factory=lambda: uuid.uuid4().hex)


class Store(Protocol):
    """Where a ledger lives."""

    @property
    def path(self) -> Path | None: ...

    def transaction(self, *, write: bool) -> AbstractContextManager[sqlite3.Connection]:
        """All or nothing; with `write`, alone. Any exception inside rolls everything back."""


# One transaction at a time in a process, and none while it forks: a child would inherit SQLite's table of the locks
# that another thread's transaction holds, believe them its own, and read unlocked.
_ONE_AT_A_TIME = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_ONE_AT_A_TIME.acquire, after_in_parent=_ONE_AT_A_TIME.release, after_in_child=_ONE_AT_A_TIME.release
    )


class FileStore:
    """A ledger in a file."""

    def __init__(self, path: Path) -> None:
        # Resolved, so that a symbolic link and its target share one journal, whose name SQLite derives from the path.
        self.path: Path = Path(os.path.realpath(path))

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        self._check_file()
        with _one_at_a_time(self.path), _translated(self.path), closing(_connect(self.path)) as connection:
            _check_format(connection, self.path)
            _make_durable(connection, self.path)
            with _atomic(connection, write):
                yield connection

    def check_integrity(self) -> None:
        """SQLite's own check of every page, index and constraint."""
        with self.transaction(write=False) as connection:
            if connection.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
                raise corrupt(self.path)

    def _check_file(self) -> None:
        try:
            status = os.stat(self.path)
        except OSError as error:
            hint = "create it once with Ledger.create" if isinstance(error, FileNotFoundError) else error.strerror
            raise LedgerError(f"there is no ledger at {str(self.path)!r}: {hint}") from None
        if not stat.S_ISREG(status.st_mode):
            raise LedgerError(f"{str(self.path)!r} is not a regular file, so it is no ledger")
        if status.st_nlink > 1:
            raise LedgerError(f"{str(self.path)!r} has a second name (a hard link), so it cannot be locked: remove one")
        if status.st_size == 0:
            raise FormatError(f"{str(self.path)!r} is empty: it is no ledger, or its creation was interrupted")


class MemoryStore:
    """A ledger that lives as long as this process: for a curator with `budget=`, and for tests."""

    path = None

    def __init__(self, header: Header) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._process = os.getpid()
        weakref.finalize(self, self._connection.close)
        _write_new(self._connection, header)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        # A forked child has a copy of the budget; if it could spend that, the budget would be spent twice.
        if os.getpid() != self._process:
            raise LedgerError("a budget in memory belongs to the process that made it: use Ledger.create for several")
        with _one_at_a_time(None), _translated(None), _atomic(self._connection, write):
            yield self._connection


def create_file(path: Path, header: Header) -> None:
    """Writes a new ledger; refuses where anything is, and leaves nothing behind where it fails."""
    path = Path(os.path.realpath(path))
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
    try:
        with _one_at_a_time(path), _translated(path), closing(_connect(path)) as connection:
            _make_durable(connection, path)
            _write_new(connection, header)
        _sync_directory(path.parent)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def read_header(connection: sqlite3.Connection, path: Path | None) -> Header:
    """The budget of an open ledger, validated."""
    columns = "guarantee, accounting, currency, total, total_delta, ledger_id"
    rows = connection.execute(f"SELECT {columns} FROM budget").fetchall()
    try:
        ((guarantee, accounting, currency, total, total_delta, ledger_id),) = rows
        budget = guarantee_from_dict(json.loads(guarantee))
        rule = Rule(currency, Units(int(total), int(total_delta)))
        # Under "gdp" the total comes of floating-point calculus, so the stored one stays in force on every machine.
        if currency not in get_args(Currency) or (accounting == "sum" and rule != rule_for(budget, accounting)):
            raise ValueError("the total is not the budget's")
    except (ValueError, TypeError, KeyError):
        raise corrupt(path) from None
    return Header(budget, accounting, rule, ledger_id)


def _write_new(connection: sqlite3.Connection, header: Header) -> None:
    """Everything in one transaction: an interrupted creation leaves an empty file, never half a ledger."""
    total = header.rule.total
    budget = json.dumps(header.budget.to_dict())
    row = (header.ledger_id, budget, header.accounting, header.rule.currency, str(total.main), str(total.delta))
    connection.executescript(f"BEGIN IMMEDIATE; {CREATE}")  # it would commit a transaction that was already open
    connection.execute("INSERT INTO budget VALUES (1, ?, ?, ?, ?, ?, ?)", row)
    connection.execute("COMMIT")


def _connect(path: Path) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < (3, 37):
        raise LedgerError(f"the ledger needs SQLite 3.37 or newer; this Python has {sqlite3.sqlite_version}")
    return sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=WAIT, isolation_level=None)


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Before anything is set: a database of another program is left as it is."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise FormatError(f"{str(path)!r} is a database of another program, not a ledger")
    if version != FORMAT:
        raise FormatError(
            f"the ledger {str(path)!r} has format {version}, and this version of Discreet reads format {FORMAT}: "
            "use the version that wrote it"
        )


def _make_durable(connection: sqlite3.Connection, path: Path) -> None:
    """A commit returns when the charge is on the disk: set, and read back, for SQLite ignores what it does not know."""
    wanted = {"journal_mode": "delete", "synchronous": 3, "fullfsync": 1, "trusted_schema": 0}
    for pragma, value in wanted.items():
        connection.execute(f"PRAGMA {pragma} = {value}").fetchall()
        row = connection.execute(f"PRAGMA {pragma}").fetchone()
        if row != (value,):
            raise LedgerError(f"the ledger {str(path)!r} cannot be made durable here: {pragma} stays {row and row[0]}")


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
def _one_at_a_time(path: Path | None) -> Iterator[None]:
    if not _ONE_AT_A_TIME.acquire(timeout=WAIT):
        raise _busy(path)
    try:
        yield
    finally:
        _ONE_AT_A_TIME.release()


@contextmanager
def _translated(path: Path | None) -> Iterator[None]:
    """SQLite's errors as this package's own, with the path."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the low byte is the primary code
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise _busy(path) from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise corrupt(path) from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            raise LedgerError(f"the ledger {_name(path)} cannot be written: {error}; nothing was charged") from error
        raise LedgerError(
            f"the ledger {_name(path)} failed: {error}; see ledger.entries() for whether a charge was recorded"
        ) from error


def _busy(path: Path | None) -> LedgerError:
    return LedgerError(
        f"the ledger {_name(path)} is busy: others held it for {WAIT:g} s; nothing was charged; try again"
    )


def corrupt(path: Path | None) -> FormatError:
    return FormatError(f"{_name(path)} is not a ledger, or it is damaged; nothing was charged")


def _name(path: Path | None) -> str:
    return "in memory" if path is None else repr(str(path))


def _sync_directory(directory: Path) -> None:
    """The file's name is on the disk, too (where directories can be opened: not on Windows)."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
