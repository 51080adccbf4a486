"""The ledger in a PostgreSQL database, for several machines: one conditional UPDATE decides, one transaction charges.

`UPDATE ... SET spent = spent + c WHERE spent + c <= total RETURNING seq` takes the row's lock, so two charges never see the
same balance (to sum first and insert afterwards overspends even under REPEATABLE READ). A commit waits for the disk:
`synchronous_commit` is set on for each transaction and read back, and a server with `fsync` off is refused. Where the
connection is lost while a commit is under way, the request is looked up when nothing else can be writing.

A connection belongs to one thread of one process: a forked child makes its own. The address may hold a password, so no
text of the driver's and no cause is ever passed on, only the SQLSTATE.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from discreet.curator.ledger.accounting import Units
from discreet.curator.ledger.book import Book, OutcomeUnknown, Overtaken
from discreet.curator.ledger.header import Header
from discreet.curator.ledger.postgres_schema import BUDGET, CREATE, ENTRY, FORMAT, GUARD
from discreet.errors import DiscreetError, FormatError, LedgerError, MissingExtra

if TYPE_CHECKING:
    import psycopg

WAIT = 30.0
"""Seconds to wait for other charges before "busy", and for a connection."""

NAME = "in PostgreSQL"

Result = TypeVar("Result")


class PostgresBook(Book):
    """A transaction in a database."""

    budget, entry = BUDGET, ENTRY

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        return _run(self._connection, statement.replace("?", "%s"), values)

    def number(self, units: int) -> int:
        return units

    def text(self, value: str) -> str:
        return json.dumps(value)

    def read(self, stored: str) -> str:
        value = json.loads(stored)
        if not isinstance(value, str):
            raise ValueError("not a text")
        return value

    def take(self, units: Units) -> int | None:
        statement = (
            f"UPDATE {BUDGET} SET seq = seq + 1, spent = spent + ?, spent_delta = spent_delta + ? "
            "WHERE spent + ? <= total AND spent_delta + ? <= total_delta RETURNING seq"
        )
        row = self.execute(statement, (*units, *units)).fetchone()
        return None if row is None else int(row[0])

    def lock(self) -> None:
        self.execute(f"SELECT seq FROM {BUDGET} FOR UPDATE").fetchall()


class PostgresStore:
    """A ledger in a database."""

    path = None
    name = NAME

    def __init__(self, address: str) -> None:
        self._connect = _connector(address)
        self._mine = threading.local()

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[PostgresBook]:
        connection = self._begin(write)
        try:
            yield PostgresBook(connection)
        except BaseException:
            self._roll_back(connection)
            raise
        if write:
            self._commit(connection)
        else:
            self._roll_back(connection)

    def check_integrity(self) -> None:
        """That the tables are a ledger's and of this version; the server checks its own pages."""
        with self.transaction(write=False) as book:
            rows = book.execute(f"SELECT format FROM {BUDGET}").fetchall()
        if rows != [(FORMAT,)]:
            raise FormatError(f"the ledger {NAME} has not format {FORMAT}: use the version of Discreet that wrote it")

    def _begin(self, write: bool) -> psycopg.Connection[Any]:
        """Begin on this thread's connection; on a new one, where that was lost since its last transaction."""
        mine: tuple[int, psycopg.Connection[Any]] | None = getattr(self._mine, "connection", None)
        if mine is not None and mine[0] == os.getpid() and not mine[1].closed:
            try:
                _begin(mine[1], write)
                return mine[1]
            except LedgerError:  # nothing was asked yet, so to ask again is safe
                _close(mine[1])
        connection = self._connect()
        self._mine.connection = (os.getpid(), connection)
        _begin(connection, write)
        return connection

    def _commit(self, connection: psycopg.Connection[Any]) -> None:
        try:
            answer = _run(connection, "COMMIT").statusmessage
        except DiscreetError:
            answer = None
        if answer == "COMMIT":
            return
        _close(connection)
        if answer is None:
            raise OutcomeUnknown(f"the connection to the ledger {NAME} was lost during a commit")
        raise LedgerError(f"the ledger {NAME} refused a commit; nothing was charged")

    def _roll_back(self, connection: psycopg.Connection[Any]) -> None:
        try:
            _run(connection, "ROLLBACK")
        except DiscreetError:  # the server rolls back what it has lost the connection to
            _close(connection)


def create_tables(address: str, header: Header) -> None:
    """Writes a new ledger; refuses where there is one, and leaves nothing behind where it fails."""
    connection = _connector(address)()
    try:
        _begin(connection, write=True)
        _run(connection, CREATE + GUARD)
        PostgresBook(connection).write_header(header.to_row())
        _run(connection, "COMMIT")
    finally:
        _close(connection)


class _Durable(NamedTuple):
    synchronous_commit: str
    fsync: str
    is_standby: bool


def _begin(connection: psycopg.Connection[Any], write: bool) -> None:
    """A transaction whose commit waits for the disk: set, read back, and refused where the server only pretends."""
    isolation = "READ COMMITTED READ WRITE" if write else "REPEATABLE READ READ ONLY"
    keep = "current_setting('synchronous_commit') IN ('on', 'remote_apply')"
    _run(
        connection,
        f"BEGIN ISOLATION LEVEL {isolation}; SET LOCAL lock_timeout = {WAIT * 1000:.0f}; "
        f"SELECT set_config('synchronous_commit', 'on', true) WHERE NOT {keep}",
    )
    asked = "SELECT current_setting('synchronous_commit'), current_setting('fsync'), pg_is_in_recovery()"
    found = _Durable(*_run(connection, asked).fetchone())
    problem = ""
    if found.synchronous_commit not in ("on", "remote_apply"):
        problem = f"synchronous_commit stays {found.synchronous_commit}"
    elif found.fsync != "on":
        problem = "the server runs with fsync = off"
    elif found.is_standby:
        problem = "the server is a standby, which may lag behind"
    if problem:
        _close(connection)
        raise LedgerError(f"the ledger {NAME} cannot be made durable: {problem}; nothing was charged")


def _connector(address: str) -> Callable[[], psycopg.Connection[Any]]:
    """What connects to an address; kept in a closure, so that no listing of attributes shows it."""
    try:
        import psycopg
    except ImportError:
        raise MissingExtra("a ledger in PostgreSQL needs psycopg: pip install 'discreet[postgres]'") from None

    limits: dict[str, Any] = {"connect_timeout": int(WAIT), "keepalives_idle": 10, "tcp_user_timeout": int(WAIT * 1000)}

    def connect() -> psycopg.Connection[Any]:
        def attempt() -> psycopg.Connection[Any]:
            given = psycopg.conninfo.conninfo_to_dict(address)
            missing = {name: limit for name, limit in limits.items() if name not in given}
            fixed: dict[str, Any] = {"autocommit": True, "prepare_threshold": None, "client_encoding": "utf8"}
            return psycopg.connect(address, **fixed, **missing)

        return _guarded(attempt)

    return connect


def _run(connection: psycopg.Connection[Any], statement: str, values: Sequence[Any] = ()) -> Any:
    return _guarded(lambda: connection.execute(statement, list(values) or None))


def _guarded(action: Callable[[], Result]) -> Result:
    """The driver's errors as this package's own. Raised after the handler, so that no cause or context hangs on them."""
    import psycopg

    try:
        return action()
    except psycopg.Error as error:
        state = error.sqlstate
    raise _explained(state)


def _explained(state: str | None) -> Exception:
    """Each SQLSTATE in words; before a commit was asked for, whatever went wrong is rolled back."""
    if state == "23P01":  # exclusion_violation: of a request that is there already
        return Overtaken()
    if state in ("55P03", "57014", "40001", "40P01"):  # a lock not available, a cancelled or conflicting transaction
        return LedgerError(f"the ledger {NAME} is busy: others held it for {WAIT:g} s; nothing was charged; try again")
    if state in ("42P07", "42723", "23505"):  # duplicate_table, duplicate_function; both being made at this moment
        return _exists()
    if state == "42P01":  # undefined_table
        return LedgerError("there is no ledger in this PostgreSQL database: create it once with Ledger.create")
    if state in ("42501", "25006"):  # insufficient_privilege, read_only_sql_transaction
        return LedgerError(f"the ledger {NAME} cannot be written by this role; nothing was charged")
    if state is None or state.startswith(("08", "28", "3D", "57")):
        code = "" if state is None else f" (SQLSTATE {state})"
        return LedgerError(
            f"the ledger {NAME} cannot be reached{code}: check the address, the role and the server; nothing was charged"
        )
    return LedgerError(f"the ledger {NAME} failed (SQLSTATE {state}); nothing was charged")


def _exists() -> LedgerError:
    return LedgerError("this PostgreSQL database has a ledger already: open it, or choose another schema (search_path)")


def _close(connection: psycopg.Connection[Any]) -> None:
    connection.close()
