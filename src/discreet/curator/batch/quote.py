"""What several releases cost together, by the ledger's own rule and in its exact units, before any of them is charged."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from discreet.curator.curator import Curator
from discreet.curator.ledger import Entry, rule_for
from discreet.curator.ledger.accounting import Amount, Rule, Units, total
from discreet.curator.releasing.plan import Plan, Price, price
from discreet.errors import DiscreetError, LedgerError
from discreet.privacy.cost import Cost, Currency

State = Literal["new", "charged", "released"]


@dataclass(frozen=True)
class Call:
    """One release that is asked for: its name, the verb, and the arguments of that verb by name."""

    name: str
    verb: str
    arguments: Mapping[str, Any]
    request_id: str


@dataclass(frozen=True)
class Line:
    """One release of a quote.

    Attributes
    ----------
    name, request_id : str
    price : Price
        By itself, as of now.
    state : "new", "charged" or "released"
        Whether it has to be paid for; or was charged, by a process that has not released it; or was released before.
    remaining : Cost or None
        The largest single cost that the budget still admits once this release and those before it are paid; None from the
        first release on for which there is no room.
    plan : Plan
    """

    name: str
    request_id: str
    price: Price
    state: State
    remaining: Cost | None
    plan: Plan


@dataclass(frozen=True)
class Quote:
    """Several releases, priced together.

    Attributes
    ----------
    lines : tuple of Line
    cost : Cost
        Of all of them, whether paid for or not.
    to_pay : Cost or None
        Of those that are new; None where there are none.
    remaining : Cost
        The largest single cost that the budget admits now.
    refusal : str or None
        Why the budget has no room for all of them.
    """

    lines: tuple[Line, ...]
    cost: Cost
    to_pay: Cost | None
    remaining: Cost
    refusal: str | None


def quote(curator: Curator, calls: Sequence[Call]) -> Quote:
    """Check and price every call, and add the costs up as the ledger would; charges nothing, reads only what is public.

    Raises
    ------
    InvalidInput, NotAvailable, NoCost, LedgerError
        As the release itself would before its charge, with its name in front; and `LedgerError` where its request id belongs
        to another release.
    """
    ledger = curator.ledger
    rule = rule_for(ledger.budget, ledger.accounting)
    entries = {entry.request_id: entry for entry in ledger.entries()}
    spent = now = total(rule.units(entry.cost) for entry in entries.values())
    lines, short = [], None
    for call in calls:
        try:
            plan = curator._plan(call.verb, **call.arguments)
            alone = price(plan, ledger)
            state = _state(plan, entries.get(call.request_id), call.name)
        except DiscreetError as problem:
            raise type(problem)(f"release {call.name!r}: {problem}") from None
        if state == "new":
            spent = total((spent, rule.units(plan.cost)))
        if short is None and not spent.within(rule.total):
            short = call.name
        left = None if short is not None else _cost(rule.currency, rule.display_left(spent))
        lines.append(Line(call.name, call.request_id, alone, state, left, plan))
    remaining = _cost(rule.currency, rule.display_left(now))
    to_pay = _sum(rule, [line for line in lines if line.state == "new"])
    refusal = None
    if short is not None:
        refusal = (
            f"the releases that are not made yet cost {to_pay} together, and the ledger has {remaining} left: there is no "
            f"room from {short!r} on; nothing was charged"
        )
    return Quote(tuple(lines), _sum(rule, lines) or Cost(rule.currency, 0.0), to_pay, remaining, refusal)


def make(curator: Curator, line: Line) -> Any:
    """Make the release of a line, paid for as its state says: see `carry_out` and `take_up` for the errors.

    Whoever calls it for a line that is "charged" knows that its process died, and did not fail, before the release.
    """
    return curator._make(line.plan, line.request_id, charged=line.state == "charged")


def _state(plan: Plan, entry: Entry | None, name: str) -> State:
    if entry is None:
        return "new"
    if entry.specification != plan.specification:
        changed = _changed(json.loads(entry.specification), json.loads(plan.specification))
        raise LedgerError(
            f"this name was used before for another release (different: {', '.join(changed)}), and what is published stays "
            f"published: give the new one another name, e.g. {name + '-2'!r}, or restore the old one"
        )
    if entry.cost != plan.cost:
        raise LedgerError(f"it was charged {entry.cost} before and would cost {plan.cost} now: give it another name")
    return "released" if entry.released else "charged"


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The parts in which two specifications differ."""
    keys = dict.fromkeys([*before, *after])
    return [key for key in keys if before.get(key) != after.get(key)]


def _sum(rule: Rule, lines: Sequence[Line]) -> Cost | None:
    if not lines:
        return None
    units: Units = total(rule.units(line.plan.cost) for line in lines)
    return _cost(rule.currency, rule.display_spent(units))


def _cost(currency: Currency, amount: Amount) -> Cost:
    return Cost(currency, *amount) if isinstance(amount, tuple) else Cost(currency, amount)
