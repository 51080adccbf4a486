"""One charge of a ledger: what is stored of it, and what makes two requests the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from discreet.curator.ledger.accounting import Units
from discreet.errors import InvalidInput, LedgerError
from discreet.privacy.cost import Cost, Currency, exact

LONGEST_ID = 1000


class Neighbours(NamedTuple):
    """What every guarantee of one ledger is about: set by the first charge, and never mixed."""

    adjacency: str
    unit: str
    fixed: str | None

    def __str__(self) -> str:
        fixed = f", fixed={self.fixed!r}" if self.fixed is not None else ""
        return f"adjacency={self.adjacency!r}, unit={self.unit!r}{fixed}"


@dataclass(frozen=True)
class Entry:
    """One charge.

    Attributes
    ----------
    seq : int
        Counts from 1, in the order in which the charges were committed.
    request_id, specification : str
        The name of the request, and what it releases.
    cost : Cost
        As charged, in the ledger's currency.
    neighbours : Neighbours
        adjacency, unit and fixed.
    state : "CHARGED" or "RELEASED"
        Spent, and nothing released (yet); or released.
    when : datetime
        The time of the charge, in UTC, for the reader only: nothing is decided by a clock.
    ledger_id : str
        The ledger that it belongs to.
    head : str
        The SHA-256 of this charge and all before it: with `ledger_id` and `seq` it says which ledger, and which state of
        it, a release was paid from.
    payload : str or None
        What was released, in the entries that `charge` and `record_release` return; None in those of `entries()`, where
        `Ledger.payload` reads it.
    """

    seq: int
    request_id: str
    specification: str
    cost: Cost
    neighbours: Neighbours
    state: Literal["CHARGED", "RELEASED"]
    when: datetime
    ledger_id: str
    head: str
    payload: str | None = field(default=None, repr=False)

    @property
    def released(self) -> bool:
        return self.state == "RELEASED"


class Row(NamedTuple):
    """An entry as stored, without its payload, which may be large and is read on demand.

    `amount` and `delta` are the cost as printed, `units` and `delta_units` its exact units; `previous` and `head` are its
    place in the chain, `seal` is set with the payload.
    """

    seq: int
    request_id: str
    specification: str
    amount: str
    delta: str
    units: int
    delta_units: int
    adjacency: str
    unit: str
    fixed: str | None
    charged_at: str
    previous: str
    head: str
    state: Literal["CHARGED", "RELEASED"]
    seal: str | None

    @property
    def price(self) -> Units:
        return Units(self.units, self.delta_units)

    @property
    def neighbours(self) -> Neighbours:
        return Neighbours(self.adjacency, self.unit, self.fixed)


COLUMNS = ", ".join(Row._fields)
"""The columns of an entry in a store."""


@dataclass(frozen=True)
class Request:
    """What is asked of a ledger, validated: the text of an id and a specification, a cost, the neighbours."""

    request_id: str
    specification: str
    cost: Cost
    neighbours: Neighbours

    def __post_init__(self) -> None:
        text("request_id", self.request_id)
        text("specification", self.specification)
        text("adjacency", self.neighbours.adjacency)
        text("unit", self.neighbours.unit)
        if self.neighbours.fixed is not None:
            text("fixed", self.neighbours.fixed)
        if len(self.request_id) > LONGEST_ID:
            raise InvalidInput(f"a request_id has at most {LONGEST_ID} characters, not {len(self.request_id)}")

    def to_row(self, seq: int, units: Units) -> Row:
        """A new charge, which is not in the chain yet."""
        amounts = (repr(float(self.cost.amount)), repr(float(self.cost.delta)), units.main, units.delta)
        now = datetime.now(UTC).isoformat()
        return Row(seq, self.request_id, self.specification, *amounts, *self.neighbours, now, "", "", "CHARGED", None)

    def require_same(self, earlier: Entry) -> None:
        """A repeated id is a retry only of the very same request, and only where that was released."""
        given = (exact(self.cost.amount), exact(self.cost.delta), self.specification, self.neighbours)
        stored = (exact(earlier.cost.amount), exact(earlier.cost.delta), earlier.specification, earlier.neighbours)
        if given != stored:
            raise LedgerError(
                f"the request_id {earlier.request_id!r} belongs to another request: use a new one; nothing was charged"
            )
        if not earlier.released:
            raise LedgerError(
                f"the request {earlier.request_id!r} was spent, not released (it failed, or is still running): "
                "use a new request_id; nothing was charged"
            )


def cost_of(row: Row, currency: Currency) -> Cost:
    """What a stored entry cost."""
    return Cost(currency, float(row.amount), float(row.delta))


def entry_of(row: Row, ledger_id: str, currency: Currency, payload: str | None = None) -> Entry:
    """An entry as its readers see it."""
    when = datetime.fromisoformat(row.charged_at)
    names, cost = (row.seq, row.request_id, row.specification), cost_of(row, currency)
    return Entry(*names, cost, row.neighbours, row.state, when, ledger_id, row.head, payload)


def text(name: str, value: object) -> None:
    """Refuses what is not text, is empty, or cannot be stored."""
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"{name} must be text and not empty, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{name} must be valid Unicode: it has half of a surrogate pair") from None
