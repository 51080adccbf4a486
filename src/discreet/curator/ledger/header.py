"""What a ledger is created with and never changes, and the first link of its chain."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import NamedTuple, get_args

from discreet.curator.ledger.accounting import Rule, Units, rule_for
from discreet.curator.ledger.chain import digest
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import guarantee_from_dict
from discreet.privacy.questions import Guarantee

HEADER = "ledger_id, guarantee, accounting, currency, total, total_delta, genesis, witness"
"""The columns of a header in a store, in the order of `HeaderRow`."""


class HeaderRow(NamedTuple):
    """A header as stored; the totals are whole numbers of units."""

    ledger_id: str
    guarantee: str
    accounting: str
    currency: str
    total: int
    total_delta: int
    genesis: str
    witness: str | None


@dataclass(frozen=True)
class Header:
    """A budget, its rule, and the name by which two ledgers are told apart.

    `genesis` is what the first entry is chained to: it covers the budget, so that an entry belongs to one ledger only.
    `witness` is where the witness lay when the ledger was created, or None where it has none.
    """

    budget: Guarantee
    accounting: str
    rule: Rule
    ledger_id: str
    genesis: str
    witness: str | None = None

    @classmethod
    def new(cls, budget: Guarantee, accounting: str, witness: str | None = None) -> Header:
        """A new budget under a new name."""
        return cls.named(uuid.uuid4().hex, budget, accounting, rule_for(budget, accounting), witness)

    @classmethod
    def named(cls, ledger_id: str, budget: Guarantee, accounting: str, rule: Rule, witness: str | None) -> Header:
        """A budget under a name that it has already."""
        genesis = _genesis(ledger_id, json.dumps(budget.to_dict()), accounting, rule)
        return cls(budget, accounting, rule, ledger_id, genesis, witness)

    def to_row(self) -> HeaderRow:
        total, guarantee = self.rule.total, json.dumps(self.budget.to_dict())
        names = (self.ledger_id, guarantee, self.accounting, self.rule.currency)
        return HeaderRow(*names, total.main, total.delta, self.genesis, self.witness)

    @classmethod
    def from_row(cls, row: HeaderRow) -> Header:
        """The header that was stored.

        Raises
        ------
        ValueError, TypeError, KeyError
            It contradicts itself.
        """
        budget = guarantee_from_dict(json.loads(row.guarantee))
        rule = Rule(row.currency, Units(row.total, row.total_delta))  # type: ignore[arg-type]  # checked below
        # Under "gdp" the total comes of floating-point calculus, so the stored one stays in force on every machine.
        if row.currency not in get_args(Currency) or (row.accounting == "sum" and rule != rule_for(budget, "sum")):
            raise ValueError("the total is not the budget's")
        if row.genesis != _genesis(row.ledger_id, row.guarantee, row.accounting, rule):
            raise ValueError("the chain does not begin at this budget")
        return cls(budget, row.accounting, rule, row.ledger_id, row.genesis, row.witness)


def _genesis(ledger_id: str, guarantee: str, accounting: str, rule: Rule) -> str:
    return digest(ledger_id, guarantee, accounting, rule.currency, *map(str, rule.total))
