"""The durable budget: a charge is committed before a record is read, and refused where it would exceed the budget.

What one release does: everything public is validated; `charge` (durable when it returns); the records are read; the
result is stored with `record_release`. A failure in between stays charged; there is no refund. A repeated `request_id`
with the same request gives the stored result again and costs nothing.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from discreet.curator.accounting import Amount, Rule, Units, exceeded, rule_for, total
from discreet.curator.entry import COLUMNS, Entry, Neighbours, Request, from_row, text
from discreet.curator.ledger_file import FileStore, Header, MemoryStore, Store, corrupt, create_file, read_header
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.privacy.cost import Cost, Currency
from discreet.privacy.questions import Guarantee


class Ledger:
    """A budget in a file, shared safely by processes and threads. `Ledger(path)` opens, `Ledger.create` makes a new one.

    Parameters
    ----------
    path : str or path
        The file that `Ledger.create` wrote. Beside it, SQLite keeps its journal while a charge is written.

    Raises
    ------
    LedgerError
        The file is missing, not a regular one, busy for 30 seconds, or cannot be written.
    FormatError
        The file is empty, damaged, of another program or of another version.

    Examples
    --------
    >>> from discreet import Ledger, PureDP
    >>> from discreet.privacy import Cost
    >>> ledger = Ledger.in_memory(PureDP(1.0))
    >>> request = dict(request_id="first", specification="a table", adjacency="replace-one", unit="record", fixed=None)
    >>> ledger.charge(Cost("epsilon", 0.3), **request).state
    'CHARGED'
    >>> ledger.spent, ledger.remaining
    (0.3, 0.7)
    >>> ledger.record_release("first", '{"counts": [21, 34]}').released
    True
    >>> ledger.charge(Cost("epsilon", 0.3), **request).payload  # the same request again costs nothing
    '{"counts": [21, 34]}'
    >>> ledger.spent
    0.3
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        store = FileStore(_path(path))
        store.check_integrity()
        self._bind(store)
        self.entries()  # decoded, and their sum compared with the total, once

    @classmethod
    def create(cls, path: str | os.PathLike[str], budget: Guarantee, *, accounting: str = "sum") -> Ledger:
        """Write a new ledger and open it.

        Parameters
        ----------
        path : str or path
            A file that does not exist yet.
        budget : PureDP, GaussianDP, ZeroConcentratedDP or ApproxDP
            What all charges together may reach.
        accounting : "sum" or "gdp"
            "gdp" for ApproxDP only: charges are in mu, up to the largest mu with delta_mu(epsilon) <= delta.
        """
        create_file(_path(path), Header(budget, accounting, rule_for(budget, accounting)))
        return cls(path)

    @classmethod
    def in_memory(cls, budget: Guarantee, *, accounting: str = "sum") -> Ledger:
        """The same without a file: forgotten with this object, and not shared with another process."""
        self = cls.__new__(cls)
        self._bind(MemoryStore(Header(budget, accounting, rule_for(budget, accounting))))
        return self

    def _bind(self, store: Store) -> None:
        self._store = store
        with store.transaction(write=False) as connection:
            self._header = read_header(connection, store.path)

    @property
    def path(self) -> Path | None:
        """The file, resolved; None in memory."""
        return self._store.path

    @property
    def budget(self) -> Guarantee:
        """The guarantee that all releases together may reach."""
        return self._header.budget

    @property
    def accounting(self) -> str:
        """By which rule it adds up: "sum" or "gdp"."""
        return self._header.accounting

    @property
    def currency(self) -> Currency:
        """In what a charge is stated: "epsilon", "mu", "rho" or "approx"."""
        return self._header.rule.currency

    @property
    def spent(self) -> Amount:
        """What the entries add up to, in the budget's own parameter (for mu the root of the sum of squares).

        Never below the exact sum. A pair (epsilon, delta) in the currency "approx".
        """
        with self._transaction(write=False) as connection:
            return self._rule.display_spent(_spent(connection))

    @property
    def remaining(self) -> Amount:
        """The largest charge that is still admitted (for mu sqrt(total^2 - spent^2)); a pair in "approx"."""
        with self._transaction(write=False) as connection:
            return self._rule.display_left(_spent(connection))

    def describe_remaining(self) -> str:
        """What remains, in words.

        >>> from discreet import GaussianDP, Ledger
        >>> Ledger.in_memory(GaussianDP(1)).describe_remaining()
        'mu = 1'
        """
        left = self.remaining
        return str(Cost(self.currency, *left) if isinstance(left, tuple) else Cost(self.currency, left))

    def entries(self) -> tuple[Entry, ...]:
        """All charges, in order."""
        with self._transaction(write=False) as connection:
            rows = connection.execute(f"SELECT {COLUMNS} FROM entry ORDER BY seq").fetchall()
        try:
            pairs = [from_row(row, self.currency) for row in rows]
            sound = all(self._rule.units(entry.cost) == units for entry, units in pairs)
        except (ValueError, TypeError):
            raise corrupt(self.path) from None
        in_order = [entry.seq for entry, _ in pairs] == list(range(1, len(pairs) + 1))
        if not (sound and in_order and total(units for _, units in pairs).within(self._rule.total)):
            raise corrupt(self.path)
        return tuple(entry for entry, _ in pairs)

    def check(
        self, cost: Cost, *, adjacency: str | None = None, unit: str | None = None, fixed: str | None = None
    ) -> None:
        """Raise what `charge` would raise for a new request, and charge nothing.

        The neighbours are compared where `adjacency` and `unit` are given.
        """
        units = self._rule.units(cost)
        neighbours = None if adjacency is None or unit is None else Neighbours(adjacency, unit, fixed)
        with self._transaction(write=False) as connection:
            self._admit(connection, cost, units, neighbours)

    def charge(
        self, cost: Cost, *, request_id: str, specification: str, adjacency: str, unit: str, fixed: str | None
    ) -> Entry:
        """Take `cost` from the budget; when this returns, the charge is on the disk.

        Parameters
        ----------
        cost : Cost
            In the ledger's currency.
        request_id : str
            Names this request for ever: a new one for each release, of up to 1,000 characters.
        specification : str
            What is released, as text; it makes two requests the same.
        adjacency, unit : str
            The neighbours that the guarantee is about. The first charge sets them.
        fixed : str or None
            The column whose labels are fixed, which is part of the neighbours.

        Returns
        -------
        Entry
            Where the same request was released before, that entry with its `payload`, and nothing was charged. Otherwise
            a new entry, whose `payload` is None.

        Raises
        ------
        BudgetExceeded
            With requested, remaining and difference.
        NoCost
            The cost is in another currency.
        LedgerError
            The neighbours are not the ledger's; the `request_id` is another request's, or was spent without a release;
            the ledger is busy. Nothing was charged.
        """
        request = Request(request_id, specification, cost, Neighbours(adjacency, unit, fixed))
        units = self._rule.units(cost)
        with self._transaction(write=True) as connection:
            earlier = self._find(connection, request_id)
            if earlier is not None:
                request.require_same(earlier)
                return earlier
            self._admit(connection, cost, units, request.neighbours)
            (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM entry").fetchone()
            row = request.to_row(last + 1, units)
            connection.execute(f"INSERT INTO entry ({COLUMNS}) VALUES ({', '.join('?' * len(row))})", row)
        return from_row(row, self.currency)[0]

    def record_release(self, request_id: str, payload: str) -> Entry:
        """Store what was published for a charge, once; its entry becomes RELEASED."""
        text("request_id", request_id)
        text("payload", payload)
        with self._transaction(write=True) as connection:
            entry = self._find(connection, request_id)
            if entry is None:
                raise LedgerError(f"there is no charge {request_id!r} in the ledger: charge before the release")
            if entry.released:
                raise LedgerError(f"the request {request_id!r} was released before, and an entry is never changed")
            statement = "UPDATE entry SET state = 'RELEASED', payload = ? WHERE request_id = ?"
            connection.execute(statement, (payload, request_id))
        return self._released(request_id)

    def payload(self, request_id: str) -> str:
        """What was published for a request."""
        return str(self._released(request_id).payload)

    def close(self) -> None:
        """Nothing is open between two calls, and a ledger may be used after this; a budget in memory lives on, too."""

    def _released(self, request_id: str) -> Entry:
        text("request_id", request_id)
        with self._transaction(write=False) as connection:
            entry = self._find(connection, request_id)
        if entry is None or not entry.released:
            raise LedgerError(f"nothing was released for the request {request_id!r}")
        return entry

    @property
    def _rule(self) -> Rule:
        return self._header.rule

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """A transaction on the ledger that was opened: another one in its place is refused."""
        with self._store.transaction(write=write) as connection:
            row = connection.execute("SELECT ledger_id FROM budget").fetchone()
            if row != (self._header.ledger_id,):
                raise LedgerError(f"another ledger lies now at {str(self.path)!r}: open it again with Ledger(path)")
            yield connection

    def _find(self, connection: sqlite3.Connection, request_id: str) -> Entry | None:
        statement = f"SELECT {COLUMNS}, payload FROM entry WHERE request_id = ?"
        row = connection.execute(statement, (request_id,)).fetchone()
        return None if row is None else from_row(row[:-1], self.currency, row[-1])[0]

    def _admit(self, connection: sqlite3.Connection, cost: Cost, units: Units, neighbours: Neighbours | None) -> None:
        """Refuse other neighbours than the first charge's, and what exceeds the budget."""
        first = connection.execute("SELECT adjacency, unit, fixed FROM entry WHERE seq = 1").fetchone()
        if first is not None and neighbours is not None and Neighbours(*first) != neighbours:
            raise LedgerError(
                f"this ledger is about {Neighbours(*first)}, and the request about {neighbours}: their guarantees do not "
                "add up; use another ledger; nothing was charged"
            )
        spent = _spent(connection)
        if not total((spent, units)).within(self._rule.total):
            raise BudgetExceeded(exceeded(cost, self._rule.display_left(spent)))

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else repr(str(self.path))
        return f"<Ledger {where}: {self.budget!r}, accounting={self.accounting!r}>"

    def __reduce__(self) -> tuple[type[Ledger], tuple[str]]:
        """A copy of a ledger is the same file; a budget in memory has no copy, for that would double it."""
        if self.path is None:
            raise LedgerError("a budget in memory cannot be copied or sent to another process: use Ledger.create")
        return Ledger, (str(self.path),)


def _spent(connection: sqlite3.Connection) -> Units:
    """The one truth about what is spent: the sum of the entries, in Python's integers."""
    rows = connection.execute("SELECT units, delta_units FROM entry")
    return total(Units(int(main), int(delta)) for main, delta in rows)


def _path(path: object) -> Path:
    """The path as given; bytes, numbers and NUL are refused."""
    given = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(given, str) or "\0" in given:
        raise InvalidInput(f"a ledger's path must be text or a path, without NUL, not {path!r}")
    return Path(given)
