"""The durable budget: a charge is committed before a record is read, and refused where it would exceed the budget.

What one release does: everything public is validated; `charge` (durable when it returns); the records are read; the
result is stored with `record_release`. A failure in between stays charged; there is no refund. A repeated `request_id`
with the same request gives the stored result again and costs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from discreet.curator.ledger.accounting import Amount, Rule, Units, exceeded, total
from discreet.curator.ledger.book import Book, OutcomeUnknown, Overtaken, Store
from discreet.curator.ledger.chain import is_sound, linked, seal, verify
from discreet.curator.ledger.entry import Entry, Neighbours, Request, Row, entry_of, text
from discreet.curator.ledger.header import Header
from discreet.curator.ledger.place import create_store, open_store, path_of
from discreet.curator.ledger.sqlite import MemoryStore, corrupt
from discreet.curator.ledger.witness import Mark, Witness, agree
from discreet.errors import BudgetExceeded, LedgerError
from discreet.privacy.cost import Cost, Currency
from discreet.privacy.questions import Guarantee

UNKNOWN = (
    "the connection to the ledger was lost during a commit, and it is not known whether it took place; nothing was "
    "released; see ledger.entries() for whether the request was charged"
)


class Ledger:
    """A budget in a file or in PostgreSQL, shared safely by processes and threads.

    `Ledger(path)` opens one, `Ledger.create` makes a new one.

    Parameters
    ----------
    path : str or path
        The file that `Ledger.create` wrote (beside it, SQLite keeps its journal while a charge is written); or the address
        of a database, "postgresql://user@host/database", which may come from the environment or a password file as usual.
    witness : str or path, optional
        Where the witness lies now, if not where it was created.

    Raises
    ------
    LedgerError
        The file is missing, not a regular one, on a network file system, older than its witness, busy for 30 seconds, or
        cannot be written; the database cannot be reached, or does not keep what it commits.
    FormatError
        The file is empty, damaged, of another program or of another version; the entries do not follow one another.

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

    def __init__(self, path: str | os.PathLike[str], *, witness: str | os.PathLike[str] | None = None) -> None:
        given = None if witness is None else path_of(witness, "a witness's path")
        store = open_store(path)
        store.check_integrity()
        self._bind(store, given)
        self._verify()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        budget: Guarantee,
        *,
        accounting: str = "sum",
        witness: str | os.PathLike[str] | None = None,
    ) -> Ledger:
        """Write a new ledger and open it.

        Parameters
        ----------
        path : str or path
            A file that does not exist yet; or "postgresql://..." of a database that has no ledger yet.
        budget : PureDP, GaussianDP, ZeroConcentratedDP or ApproxDP
            What all charges together may reach.
        accounting : "sum" or "gdp"
            "gdp" for ApproxDP only: charges are in mu, up to the largest mu with delta_mu(epsilon) <= delta.
        witness : str or path, optional
            A second new file, best on another volume, that every charge is also written to: without it a ledger that was
            replaced by an older copy of itself cannot be told from one that was not.
        """
        place = None if witness is None else os.path.realpath(path_of(witness, "a witness's path"))
        header = Header.new(budget, accounting, place)
        if place is None:
            create_store(path, header)
        else:
            beginning = Witness.create(Path(place), header.ledger_id, Mark(0, header.genesis))
            try:
                create_store(path, header)
            except BaseException:
                beginning.path.unlink(missing_ok=True)
                raise
        return cls(path)

    @classmethod
    def start_witness(cls, path: str | os.PathLike[str], witness: str | os.PathLike[str]) -> Ledger:
        """Write a new witness for a ledger that has none, or whose witness is lost, and open both.

        What the ledger says now is believed: compare it with what was released. Where the new file does not lie where the
        ledger's witness was created, name it with `witness=` at each opening.
        """
        place = path_of(witness, "a witness's path")
        self = cls.__new__(cls)
        store = open_store(path)
        store.check_integrity()
        self._bind(store, None, believe=True)
        self._verify()
        Witness.create(place, self.ledger_id, self._seen)
        return cls(path, witness=place)

    @classmethod
    def in_memory(cls, budget: Guarantee, *, accounting: str = "sum") -> Ledger:
        """The same without a file: forgotten with this object, and not shared with another process."""
        self = cls.__new__(cls)
        self._bind(MemoryStore(Header.new(budget, accounting)), None)
        return self

    def _bind(self, store: Store, witness: Path | None, *, believe: bool = False) -> None:
        self._store = store
        with store.transaction(write=False) as book:
            row = book.header()
        try:
            if row is None:
                raise ValueError("there is not one budget")
            self._header = Header.from_row(row)
        except (ValueError, TypeError, KeyError):
            raise corrupt(store.name) from None
        self._seen = Mark(0, self._header.genesis)
        place = witness if witness is not None or self._header.witness is None else Path(self._header.witness)
        self._witness = None if place is None or believe else Witness(place, self.ledger_id)

    @property
    def path(self) -> Path | None:
        """The file, resolved; None in memory and in PostgreSQL."""
        return self._store.path

    @property
    def place(self) -> str:
        """Where it is, for a reader: the file's path, or "in memory" or "in PostgreSQL"; never with a password."""
        return self._store.name if self.path is None else str(self.path)

    @property
    def ledger_id(self) -> str:
        """Its name, by which a release says what it was paid from."""
        return self._header.ledger_id

    @property
    def head(self) -> str:
        """The SHA-256 of the budget and all charges; it changes with each charge, and stands for the history before it."""
        with self._transaction(write=False) as book:
            return _head(book, book.balance().seq, self._store.name)

    @property
    def witness(self) -> Path | None:
        """The witness's file, if there is one."""
        return None if self._witness is None else self._witness.path

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
        with self._transaction(write=False) as book:
            return self._rule.display_spent(book.balance().spent)

    @property
    def remaining(self) -> Amount:
        """The largest charge that is still admitted (for mu sqrt(total^2 - spent^2)); a pair in "approx"."""
        with self._transaction(write=False) as book:
            return self._rule.display_left(book.balance().spent)

    def describe_remaining(self) -> str:
        """What remains, in words.

        >>> from discreet import GaussianDP, Ledger
        >>> Ledger.in_memory(GaussianDP(1)).describe_remaining()
        'mu = 1'
        """
        left = self.remaining
        return str(Cost(self.currency, *left) if isinstance(left, tuple) else Cost(self.currency, left))

    def entries(self) -> tuple[Entry, ...]:
        """All charges, in order, each verified: its link, its units, and that they add up to what is spent."""
        with self._transaction(write=False) as book:
            rows = self._verified(book)
        return tuple(self._entry(row) for row in rows)

    def check(
        self, cost: Cost, *, adjacency: str | None = None, unit: str | None = None, fixed: str | None = None
    ) -> None:
        """Raise what `charge` would raise for a new request, and charge nothing.

        The neighbours are compared where `adjacency` and `unit` are given.
        """
        units = self._rule.units(cost)
        neighbours = None if adjacency is None or unit is None else Neighbours(adjacency, unit, fixed)
        with self._transaction(write=False) as book:
            self._require_neighbours(book, neighbours)
            spent = book.balance().spent
            if not total((spent, units)).within(self._rule.total):
                raise BudgetExceeded(exceeded(cost, self._rule.display_left(spent)))

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
            the ledger is busy. Nothing was charged. Or the ledger failed, or its witness, in the middle of the charge,
            which may then be spent; `entries` tells.
        """
        request = Request(request_id, specification, cost, Neighbours(adjacency, unit, fixed))
        units = self._rule.units(cost)
        try:
            row, payload = self._charge(request, units)
        except Overtaken:  # by the same request, which is there now
            row, payload = self._charge(request, units)
        return self._entry(row, payload)

    def _charge(self, request: Request, units: Units) -> tuple[Row, str | None]:
        row: Row | None = None
        try:
            with self._transaction(write=True) as book:
                earlier = self._find(book, request.request_id)
                if earlier is not None:
                    request.require_same(self._entry(*earlier))
                    return earlier
                seq = book.take(units)  # first of all: it waits for other charges, so what is read below is the last
                self._require_neighbours(book, request.neighbours)
                if seq is None:
                    raise BudgetExceeded(exceeded(request.cost, self._rule.display_left(book.balance().spent)))
                row = linked(request.to_row(seq, units), _head(book, seq - 1, self._store.name))
                book.append(row)
        except OutcomeUnknown:
            if row is None or not self._took_place(row):
                raise LedgerError(
                    "the connection to the ledger was lost before the commit; nothing was charged; try again"
                ) from None
        mark = Mark(row.seq, row.head)
        self._seen = max(self._seen, mark)
        if self._witness is not None:
            self._witness.append(mark)
        return row, None

    def record_release(self, request_id: str, payload: str) -> Entry:
        """Store what was published for a charge, once; its entry becomes RELEASED."""
        text("request_id", request_id)
        text("payload", payload)
        try:
            with self._transaction(write=True) as book:
                found = self._find(book, request_id)
                if found is None:
                    raise LedgerError(f"there is no charge {request_id!r} in the ledger: charge before the release")
                row = found[0]
                if row.state == "RELEASED":
                    raise LedgerError(f"the request {request_id!r} was released before, and an entry is never changed")
                book.release(row.seq, payload, seal(row.head, payload))
        except OutcomeUnknown:
            if not self._took_place(row._replace(state="RELEASED", seal=seal(row.head, payload))):
                raise LedgerError(
                    "the connection to the ledger was lost before the commit; the release was not recorded"
                ) from None
        return self._released(request_id)

    def payload(self, request_id: str) -> str:
        """What was published for a request."""
        return str(self._released(request_id).payload)

    def close(self) -> None:
        """Nothing is open between two calls, and a ledger may be used after this; a budget in memory lives on, too."""

    def _released(self, request_id: str) -> Entry:
        text("request_id", request_id)
        with self._transaction(write=False) as book:
            found = self._find(book, request_id)
        if found is None or found[0].state != "RELEASED":
            raise LedgerError(f"nothing was released for the request {request_id!r}")
        return self._entry(*found)

    @property
    def _rule(self) -> Rule:
        return self._header.rule

    def _entry(self, row: Row, payload: str | None = None) -> Entry:
        return entry_of(row, self.ledger_id, self.currency, payload)

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[Book]:
        """A transaction on the ledger that was opened: another one in its place, or an older copy of it, is refused.

        What the witness says is read before, so that it is never newer than what the transaction sees.
        """
        seen, remembered = self._seen, None if self._witness is None else self._witness.last()
        with self._store.transaction(write=write) as book:
            header = book.header()
            if header is None or header != self._header.to_row():
                raise LedgerError(f"another ledger lies now at {self._store.name}: open it again with Ledger(path)")
            agree(seen, book.head(seen.seq), self._store.name, "this process")
            if remembered is not None:
                agree(remembered, book.head(remembered.seq), self._store.name, "the witness")
            yield book

    def _verify(self) -> None:
        """Everything once, at the opening: the chain, the sums, the sealed payloads, the witness."""
        marks = [] if self._witness is None else self._witness.marks()
        with self._transaction(write=False) as book:
            rows = self._verified(book)
            if not all(is_sound(row, payload or "") for row, payload in book.released()):
                raise corrupt(self._store.name)
        heads = [self._header.genesis, *(row.head for row in rows)]
        for mark in marks:
            agree(mark, heads[mark.seq] if mark.seq < len(heads) else None, self._store.name, "the witness")
        self._seen = Mark(len(rows), heads[-1])
        if self._witness is not None and max(marks) < self._seen:  # a crash came between a commit and its line
            self._witness.append(self._seen)

    def _verified(self, book: Book) -> list[Row]:
        try:
            seq, spent = book.balance()
            rows = list(book.rows())
            sound = verify(self._header, rows, seq, spent)
            for row in rows:
                self._entry(row)
        except (ValueError, TypeError):
            raise corrupt(self._store.name) from None
        if not sound:
            raise corrupt(self._store.name)
        return rows

    def _find(self, book: Book, request_id: str) -> tuple[Row, str | None] | None:
        found = book.find(request_id)
        if found is not None and not is_sound(*found):
            raise corrupt(self._store.name)
        return found

    def _took_place(self, row: Row) -> bool:
        """Whether a commit whose answer was lost took place: decided when no other transaction can be under way."""
        try:
            with self._transaction(write=True) as book:
                book.lock()
                found = book.find(row.request_id)
        except LedgerError:
            raise LedgerError(UNKNOWN) from None
        return found is not None and found[0] == row

    def _require_neighbours(self, book: Book, neighbours: Neighbours | None) -> None:
        """Refuse other neighbours than the first charge's."""
        first = book.neighbours()
        if first is not None and neighbours is not None and first != neighbours:
            raise LedgerError(
                f"this ledger is about {first}, and the request about {neighbours}: their guarantees do not "
                "add up; use another ledger; nothing was charged"
            )

    def __repr__(self) -> str:
        where = self._store.name
        return f"<Ledger {where}: {self.budget!r}, accounting={self.accounting!r}>"

    def __reduce__(self) -> tuple[object, ...]:
        """A copy of a ledger is the same file; a budget in memory has no copy, for that would double it."""
        if self.path is None:
            raise LedgerError(
                f"a budget {self._store.name} cannot be copied or sent to another process: open it there, or use "
                "Ledger.create with a file"
            )
        return _reopen, (str(self.path), None if self.witness is None else str(self.witness))


def _reopen(path: str, witness: str | None) -> Ledger:
    return Ledger(path, witness=witness)


def _head(book: Book, seq: int, name: str) -> str:
    head = book.head(seq)
    if head is None:
        raise corrupt(name)
    return head
