"""The state of a ledger beside what a quote's releases have taken of it: for the reader of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from discreet.curator.batch.quote import Quote
from discreet.curator.ledger import Entry, Ledger, rule_for
from discreet.curator.ledger.accounting import Units, total
from discreet.privacy.cost import Cost
from discreet.privacy.questions import Guarantee


@dataclass(frozen=True)
class Account:
    """Attributes
    ----------
    budget : Guarantee
        What all releases of the ledger may reach together.
    spent, remaining : Cost
        By all of them, not only the quote's.
    own_share, other_share : float
        The part of the budget that the quote's releases have taken, and the part that others have: of what adds up, which
        for mu are the squares; of epsilon and delta the larger part.
    entries : mapping from name to Entry
        The charge of each release of the quote.
    """

    budget: Guarantee
    spent: Cost
    remaining: Cost
    own_share: float
    other_share: float
    entries: Mapping[str, Entry]


def account(ledger: Ledger, quote: Quote) -> Account:
    """Read from the ledger's verified entries; every line of the quote must be charged."""
    rule = rule_for(ledger.budget, ledger.accounting)
    entries = {entry.request_id: entry for entry in ledger.entries()}
    own = {line.name: entries[line.request_id] for line in quote.lines}
    spent = total(rule.units(entry.cost) for entry in entries.values())
    mine = total(rule.units(entry.cost) for entry in own.values())
    others = Units(spent.main - mine.main, spent.delta - mine.delta)

    def share(units: Units) -> float:
        parts = [(units.main, rule.total.main), (units.delta, rule.total.delta)]
        return max(part / whole for part, whole in parts if whole)

    def cost(amount: float | tuple[float, float]) -> Cost:
        return Cost(rule.currency, *amount) if isinstance(amount, tuple) else Cost(rule.currency, amount)

    return Account(
        budget=ledger.budget,
        spent=cost(rule.display_spent(spent)),
        remaining=cost(rule.display_left(spent)),
        own_share=share(mine),
        other_share=share(others),
        entries=own,
    )
