"""The durable budget and all that it rests on: rules of addition, a chain of entries, two back ends, a witness."""

from discreet.curator.ledger.accounting import rule_for
from discreet.curator.ledger.entry import Entry, Neighbours
from discreet.curator.ledger.ledger import Ledger

__all__ = ["Entry", "Ledger", "Neighbours", "rule_for"]
