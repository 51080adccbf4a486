"""The chain of entries: what a head stands for, in both back ends, and a recomputation that shares no code with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest

from discreet.curator.ledger import Ledger
from discreet.curator.ledger.chain import digest
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import ApproxDP, GaussianDP, PureDP

ASK = {"adjacency": "replace-one", "unit": "record", "fixed": None}


def sha(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def test_the_head_covers_the_budget_and_every_charge(place: str) -> None:
    ledger = Ledger.create(place, GaussianDP(1.0))
    expected = sha(ledger.ledger_id, '{"kind": "gdp", "mu": 1.0}', "sum", "mu", str(10**40), "0")
    assert ledger.head == expected
    for i, request_id in enumerate(["a", "b é\0", "\U0001f600" * 1000], start=1):
        entry = ledger.charge(Cost("mu", 0.1), request_id=request_id, specification="x", **ASK)
        charged = ("x", "0.1", "0.0", str(10**38), "0", "replace-one", "record", None, entry.when.isoformat())
        expected = sha(expected, i, request_id, *charged)
        assert (entry.head, entry.ledger_id, ledger.head) == (expected, ledger.ledger_id, expected)
    assert [entry.head for entry in Ledger(place).entries()][-1] == expected


def test_a_release_does_not_move_the_head(place: str) -> None:
    ledger = Ledger.create(place, PureDP(1.0))
    charged = ledger.charge(Cost("epsilon", 0.1), request_id="a", specification="x", **ASK)
    released = ledger.record_release("a", "{}")
    assert released.head == charged.head == ledger.head
    with ledger._store.transaction(write=False) as book:
        row, payload = book.find("a")
    assert (row.seal, payload) == (sha(charged.head, "{}"), "{}")


def test_two_ledgers_of_one_history_have_different_heads(new_place: Callable[[], str]) -> None:
    one, other = (Ledger.create(new_place(), ApproxDP(1.0, 1e-6)) for _ in range(2))
    assert one.ledger_id != other.ledger_id
    assert one.head != other.head


def test_parts_of_a_digest_do_not_run_into_one_another() -> None:
    parts = [
        ("a", "b"),
        ("ab",),
        ("ab", ""),
        ("", "ab"),
        ('a","b',),
        ("a", None, "b"),
        ("a", "null", "b"),
        (1,),
        ("1",),
    ]
    assert len({digest(*each) for each in parts}) == len(parts)


@pytest.mark.parametrize("kind", ["payload", "seal"])
def test_a_payload_that_was_exchanged_is_not_returned(place: str, kind: str) -> None:
    """Read by a process that had the ledger open before, through the guards that were taken away."""
    ledger = Ledger.create(place, PureDP(1.0))
    ledger.charge(Cost("epsilon", 0.1), request_id="a", specification="x", **ASK)
    ledger.record_release("a", "{}")
    with ledger._store.transaction(write=True) as book:
        if book.entry == "entry":
            book.execute("DROP TRIGGER entry_is_only_released")
        else:
            book.execute(f"ALTER TABLE {book.entry} DISABLE TRIGGER guard")
        value = book.text("{...}") if kind == "payload" else "0" * 64
        book.execute(f"UPDATE {book.entry} SET {kind} = ?", (value,))
    for ask in (lambda: ledger.payload("a"), lambda: Ledger(place)):
        with pytest.raises(ValueError, match="damaged"):
            ask()
