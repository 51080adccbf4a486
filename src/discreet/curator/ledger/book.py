"""What one open transaction can do with a ledger: the same statements for both back ends, which differ in four details.

They differ in the names of the tables, in how a whole number of units and a text are written, and in how a budget is
taken from. Everything else, and above all what is checked, exists once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from discreet.curator.ledger.accounting import Units
from discreet.curator.ledger.entry import COLUMNS, Neighbours, Row
from discreet.curator.ledger.header import HEADER, HeaderRow
from discreet.errors import LedgerError


class Balance(NamedTuple):
    """The number of charges and their sum."""

    seq: int
    spent: Units


class Overtaken(Exception):
    """Another process charged the same request between the look and the charge: look again. Never leaves the ledger."""


class OutcomeUnknown(LedgerError):
    """The connection was lost while the commit was under way: it has to be looked up whether it took place."""


_TEXTS = [Row._fields.index(name) for name in ("request_id", "specification", "adjacency", "unit", "fixed")]
_HELD = 2**22  # characters of payloads that are read at once
_NUMBERS = [Row._fields.index(name) for name in ("units", "delta_units")]


class Book(ABC):
    """A ledger inside a transaction."""

    budget: str
    entry: str

    @abstractmethod
    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """The cursor of one statement; `?` stands for a value."""

    @abstractmethod
    def number(self, units: int) -> Any:
        """A whole number of units as it is stored."""

    @abstractmethod
    def text(self, value: str) -> str:
        """A text as it is stored."""

    @abstractmethod
    def read(self, stored: str) -> str:
        """The text that was stored."""

    @abstractmethod
    def take(self, units: Units) -> int | None:
        """Count one more charge and add its units, where the budget has room for them: its number, else None."""

    @abstractmethod
    def lock(self) -> None:
        """Wait until no other transaction writes."""

    def header(self) -> HeaderRow | None:
        """The one row of the budget, or None where there is not exactly one."""
        rows = self.execute(f"SELECT {HEADER} FROM {self.budget}").fetchall()
        if len(rows) != 1:
            return None
        ledger_id, guarantee, accounting, currency, total, total_delta, genesis, witness = rows[0]
        place = None if witness is None else self.read(witness)
        return HeaderRow(ledger_id, guarantee, accounting, currency, int(total), int(total_delta), genesis, place)

    def write_header(self, row: HeaderRow) -> None:
        stored = [*row[:4], self.number(row.total), self.number(row.total_delta), row.genesis]
        place = None if row.witness is None else self.text(row.witness)
        columns = f"id, {HEADER}, seq, spent, spent_delta"
        nothing = (0, self.number(0), self.number(0))
        self.execute(f"INSERT INTO {self.budget} ({columns}) VALUES ({_marks(12)})", (1, *stored, place, *nothing))

    def balance(self) -> Balance:
        seq, main, delta = self.execute(f"SELECT seq, spent, spent_delta FROM {self.budget}").fetchone()
        return Balance(int(seq), Units(int(main), int(delta)))

    def head(self, seq: int) -> str | None:
        """The head after `seq` charges, or None where there are fewer."""
        if seq == 0:
            statement, values = f"SELECT genesis FROM {self.budget}", ()
        else:
            statement, values = f"SELECT head FROM {self.entry} WHERE seq = ?", (seq,)  # type: ignore[assignment]
        row = self.execute(statement, values).fetchone()
        return None if row is None else str(row[0])

    def neighbours(self) -> Neighbours | None:
        """Those of the first charge."""
        row = self.execute(f"SELECT adjacency, unit, fixed FROM {self.entry} WHERE seq = 1").fetchone()
        return None if row is None else Neighbours(*(None if text is None else self.read(text) for text in row))  # type: ignore[arg-type]

    def find(self, request_id: str) -> tuple[Row, str | None] | None:
        """The entry of a request, with its payload."""
        statement = f"SELECT {COLUMNS}, payload FROM {self.entry} WHERE request_id = ?"
        found = self.execute(statement, (self.text(request_id),)).fetchone()
        return None if found is None else (self._row(found[:-1]), self._payload(found[-1]))

    def rows(self) -> Iterator[Row]:
        """All entries in order, without their payloads."""
        for found in self.execute(f"SELECT {COLUMNS} FROM {self.entry} ORDER BY seq").fetchall():
            yield self._row(found)

    def released(self) -> Iterator[tuple[Row, str | None]]:
        """The entries that were released, a few payloads in memory at a time: one by one where they are large."""
        released = f"FROM {self.entry} WHERE payload IS NOT NULL"
        lengths = self.execute(f"SELECT seq, length(payload) {released} ORDER BY seq").fetchall()
        while lengths:
            taken, held = 0, 0
            while taken < len(lengths) and (taken == 0 or held + int(lengths[taken][1]) <= _HELD):
                held += int(lengths[taken][1])
                taken += 1
            span = (lengths[0][0], lengths[taken - 1][0])
            statement = f"SELECT {COLUMNS}, payload {released} AND seq BETWEEN ? AND ? ORDER BY seq"
            for values in self.execute(statement, span).fetchall():
                yield self._row(values[:-1]), self._payload(values[-1])
            lengths = lengths[taken:]

    def append(self, row: Row) -> None:
        """Write a new entry.

        Raises
        ------
        Overtaken
            There is one of the same request.
        """
        values: list[Any] = list(row)
        for i in _TEXTS:
            values[i] = None if values[i] is None else self.text(values[i])
        for i in _NUMBERS:
            values[i] = self.number(values[i])
        self.execute(f"INSERT INTO {self.entry} ({COLUMNS}) VALUES ({_marks(len(values))})", values)

    def release(self, seq: int, payload: str, seal: str) -> None:
        statement = f"UPDATE {self.entry} SET state = 'RELEASED', payload = ?, seal = ? WHERE seq = ?"
        self.execute(statement, (self.text(payload), seal, seq))

    def _row(self, found: Sequence[Any]) -> Row:
        values = list(found)
        for i in _TEXTS:
            values[i] = None if values[i] is None else self.read(values[i])
        for i in _NUMBERS:
            values[i] = int(values[i])
        return Row(*values)

    def _payload(self, stored: str | None) -> str | None:
        return None if stored is None else self.read(stored)


class Store(Protocol):
    """Where a ledger lives."""

    @property
    def path(self) -> Path | None:
        """The file, where there is one."""

    @property
    def name(self) -> str:
        """The place in an error's text: never with a password."""

    def transaction(self, *, write: bool) -> AbstractContextManager[Book]:
        """All or nothing; what is read belongs together. Any exception inside rolls everything back.

        Raises
        ------
        LedgerError
            The ledger is busy, or cannot be read or written.
        OutcomeUnknown
            At the end of a transaction that writes.
        """

    def check_integrity(self) -> None:
        """The store's own check of itself."""


def _marks(count: int) -> str:
    return ", ".join("?" * count)
