"""What the tables themselves forbid, whoever writes to them: history is not rewritten, in either back end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from discreet.curator.ledger import Ledger
from discreet.curator.ledger.book import Overtaken
from discreet.errors import LedgerError
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import ApproxDP, PureDP

ASK = {"specification": "a table", "adjacency": "replace-one", "unit": "record", "fixed": None}


@pytest.fixture
def ledger(place: str) -> Ledger:
    """Of 5, with three charges of 0.1, the first released."""
    ledger = Ledger.create(place, PureDP(5.0))
    for request_id in "abc":
        ledger.charge(Cost("epsilon", 0.1), request_id=request_id, **ASK)
    ledger.record_release("a", '{"counts": [1, 2]}')
    return ledger


SEAL = "0" * 64


def write(ledger: Ledger, *statements: str, fail: type[BaseException] | None = None) -> None:
    """Statements in one transaction, with the names of the tables and some stored numbers filled in."""
    with ledger._store.transaction(write=True) as book:
        numbers = {"none": 0, "one": 1, "much": 9 * 10**46, "over": ledger._rule.total.main + 1}
        numbers["over_delta"] = ledger._rule.total.delta + 1
        quoted = {name: f"'{book.number(number)}'" for name, number in numbers.items()}
        for statement in statements:
            book.execute(statement.format(budget=book.budget, entry=book.entry, **quoted))
        if fail is not None:
            raise fail


FORBIDDEN = [
    "DELETE FROM {entry}",
    "DELETE FROM {entry} WHERE seq = 3",
    "DELETE FROM {budget}",
    "UPDATE {budget} SET total = {one}",
    "UPDATE {budget} SET total = {much}",
    "UPDATE {budget} SET spent = {none}",
    "UPDATE {budget} SET seq = seq + 1",
    "UPDATE {budget} SET spent = {much}",
    "UPDATE {budget} SET seq = seq + 1, spent = {one}",
    "UPDATE {budget} SET seq = seq + 2, spent = total",
    "UPDATE {budget} SET seq = seq + 1, spent = total, total = {much}",
    "UPDATE {budget} SET seq = seq + 1, spent = total, ledger_id = 'x'",
    "UPDATE {budget} SET seq = seq + 1, spent = total, witness = 'x'",
    "INSERT INTO {budget} SELECT * FROM {budget}",
    "UPDATE {entry} SET units = {one}",
    "UPDATE {entry} SET amount = '0.0' WHERE seq = 2",
    "UPDATE {entry} SET state = 'CHARGED', payload = NULL, seal = NULL WHERE seq = 1",
    "UPDATE {entry} SET payload = 'other' WHERE seq = 1",
    "UPDATE {entry} SET state = 'RELEASED' WHERE seq = 2",
    "UPDATE {entry} SET state = 'RELEASED', payload = 'x' WHERE seq = 2",
    f"UPDATE {{entry}} SET state = 'RELEASED', payload = 'x', seal = '{SEAL}', units = {{one}} WHERE seq = 2",
    f"UPDATE {{entry}} SET state = 'RELEASED', payload = 'x', seal = '{SEAL}', fixed = 'group' WHERE seq = 2",
    f"UPDATE {{entry}} SET state = 'RELEASED', payload = 'x', seal = '{SEAL}', head = '{SEAL}' WHERE seq = 2",
    f"UPDATE {{entry}} SET state = 'RELEASED', payload = 'x', seal = '{SEAL}', specification = 'y' WHERE seq = 2",
    "UPDATE {entry} SET seq = 9 WHERE seq = 3",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_history_is_not_rewritten(ledger: Ledger, statement: str) -> None:
    before = ledger.entries()
    with pytest.raises(LedgerError):
        write(ledger, statement)
    assert ledger.entries() == before


def insertion(**changed: str) -> str:
    """A new entry after the third, wrong in what is `changed`."""
    values = {
        "seq": "4",
        "request_id": "'d'",
        "specification": "specification",
        "amount": "amount",
        "delta": "delta",
        "units": "units",
        "delta_units": "delta_units",
        "adjacency": "adjacency",
        "unit": "unit",
        "fixed": "fixed",
        "charged_at": "charged_at",
        "previous": "head",
        "head": f"'{'1' * 64}'",
        "state": "'CHARGED'",
        "payload": "NULL",
        "seal": "NULL",
    }
    values |= changed
    return (
        f"INSERT INTO {{entry}} ({', '.join(values)}) SELECT {', '.join(values.values())} FROM {{entry}} WHERE seq = 3"
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"seq": "2"},
        {"seq": "3"},
        {"seq": "5"},
        {"request_id": "request_id"},
        {"previous": "previous"},
        {"previous": f"'{SEAL}'"},
        {"head": "head"},
        {"state": "'RELEASED'", "payload": "'x'", "seal": f"'{SEAL}'"},
        {"payload": "'x'"},
        {"units": "delta_units"},
    ],
    ids=lambda changed: " ".join(changed),
)
def test_an_entry_is_only_appended_and_only_after_its_budget_was_taken(ledger: Ledger, changed: dict) -> None:
    take = "UPDATE {budget} SET seq = seq + 1, spent = total"
    with pytest.raises(LedgerError):
        write(ledger, insertion())  # nothing was taken
    with pytest.raises((LedgerError, Overtaken)):
        write(ledger, take, insertion(**changed))
    with pytest.raises(ZeroDivisionError):  # nothing else was wrong with it
        write(ledger, take, insertion(), fail=ZeroDivisionError)
    assert len(ledger.entries()) == 3


@pytest.mark.parametrize("amount", ["main", "delta"])
def test_the_tables_refuse_a_sum_above_the_total(new_place: Callable[[], str], amount: str) -> None:
    ledger = Ledger.create(new_place(), ApproxDP(1.0, 1e-3))
    changed = "spent = {over}" if amount == "main" else "spent_delta = {over_delta}"
    with pytest.raises(LedgerError):
        write(ledger, f"UPDATE {{budget}} SET seq = seq + 1, {changed}")
    assert ledger.spent == (0.0, 0.0)
