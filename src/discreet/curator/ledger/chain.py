"""The chain: each entry carries a hash of itself and of the hash before it, so that one number stands for all of them.

The head of an entry is the SHA-256 of a canonical text (JSON in ASCII without blanks) of the previous head and of
everything that was charged. Who knows the head of entry k, from a release, a witness or a note, can tell whether a ledger
that is shown later has the same first k entries. A chain has no secret: it shows that an entry was lost or altered, not
that someone who rewrote all of it did so. What an entry released is sealed separately, because it comes after the charge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from discreet.curator.ledger.accounting import Rule, Units, total
from discreet.curator.ledger.entry import Row, cost_of

if TYPE_CHECKING:
    from discreet.curator.ledger.header import Header


def digest(*parts: str | int | None) -> str:
    """The SHA-256 of parts that cannot run into one another.

    >>> digest("a", "b") == digest("ab", ""), len(digest("a", None, 3))
    (False, 64)
    """
    canonical = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def linked(row: Row, previous: str) -> Row:
    """The row with its place in the chain."""
    return row._replace(previous=previous, head=_head(row, previous))


def seal(head: str, payload: str) -> str:
    """What ties a payload to the entry that paid for it."""
    return digest(head, payload)


def is_sound(row: Row, payload: str | None) -> bool:
    """Whether one entry agrees with itself, and its payload, where there is one, with its seal."""
    sealed = row.seal if payload is None else seal(row.head, payload)
    return row.head == _head(row, row.previous) and row.seal == sealed and (row.state == "RELEASED") == bool(row.seal)


def verify(header: Header, rows: Iterable[Row], seq: int, spent: Units) -> bool:
    """Whether all entries follow one another and add up to what the ledger says is spent.

    Checked of each: its number, its link, that its units are its cost's by the budget's rule, and that its neighbours are
    the first one's; of all: that their number and their exact sum are the stored ones, and within the budget.
    """
    before, count, sums, first = header.genesis, 0, Units(0), None
    for row in rows:
        count, first = count + 1, first or row.neighbours
        linked_here = row.seq == count and row.previous == before and is_sound(row, None)
        if not linked_here or row.neighbours != first or not _is_priced(row, header.rule):
            return False
        before, sums = row.head, total((sums, row.price))
    return count == seq and sums == spent and sums.within(header.rule.total)


def _is_priced(row: Row, rule: Rule) -> bool:
    return rule.units(cost_of(row, rule.currency)) == row.price


def _head(row: Row, previous: str) -> str:
    charged = (row.request_id, row.specification, row.amount, row.delta, str(row.units), str(row.delta_units))
    return digest(previous, row.seq, *charged, row.adjacency, row.unit, row.fixed, row.charged_at)
