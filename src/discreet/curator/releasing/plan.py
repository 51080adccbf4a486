"""A release that has been checked and priced but not made: everything about it is public."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from discreet.curator.ledger import Ledger
from discreet.errors import BudgetExceeded
from discreet.privacy import Cost
from discreet.release import TableRelease
from discreet.schema import Schema

UNIT = "record"
"""The privacy unit: one record belongs to one person."""


@dataclass(frozen=True)
class PublicSize:
    """What is public about the number of records: all that may be read before a charge.

    `n` is None under add-remove. `groups` are the sizes of the fixed column's groups in the order of its labels (that of
    the undeclared ones last, unless the schema is complete); None without a fixed column.
    """

    n: int | None
    groups: tuple[int, ...] | None = None


class Records(Protocol):
    """What a release may ask of the records: exact integers, nothing else."""

    def tabulate(self, columns: tuple[str, ...]) -> list[int]: ...


@dataclass(frozen=True)
class Plan:
    """One release, validated: its cost in the ledger's currency, its expected accuracy, and how to make it.

    `specification` is the canonical text of all that decides the release; the ledger stores it, and a retry with the same
    request id must repeat it.
    """

    verb: str
    specification: str
    schema: Schema
    cost: Cost
    accuracy: dict[str, float]
    mechanism: str
    make: Callable[[Records], TableRelease]


def specification(verb: str, schema: Schema, **parts: Any) -> str:
    """Canonical JSON of a release's public description."""
    return json.dumps(
        {"verb": verb, "schema": schema.to_dict(), **parts}, sort_keys=True, ensure_ascii=True, default=str
    )


@dataclass(frozen=True)
class Price:
    """What a release would cost and how accurate it would be; nothing was spent.

    Attributes
    ----------
    cost : Cost
        In the budget's currency.
    admitted : bool
        Whether the budget has room for it now.
    remaining : Cost
        The largest single cost that the budget admits now.
    accuracy : dict
        "noise_sd" of one cell, "half_width" of its 95 % interval, and the number of "cells" released.
    mechanism : str
        The mechanism that would be used.
    refusal : str or None
        Why the budget has no room.
    """

    cost: Cost
    admitted: bool
    remaining: Cost
    accuracy: dict[str, float]
    mechanism: str
    refusal: str | None

    def __str__(self) -> str:
        room = "the budget has room for it" if self.admitted else str(self.refusal)
        return (
            f"{self.mechanism} for {self.accuracy['cells']:.0f} cells costs {self.cost} (remaining: {self.remaining}; {room}). "
            f"Each cell: noise sd {self.accuracy['noise_sd']:.4g}, 95 % interval +- {self.accuracy['half_width']:.4g}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The price as plain data."""
        return {
            "currency": self.cost.currency,
            "cost": self.cost.amount,
            "delta": self.cost.delta,
            "admitted": self.admitted,
            "remaining": self.remaining.amount,
            "remaining_delta": self.remaining.delta,
            "mechanism": self.mechanism,
            **self.accuracy,
        }


def price(plan: Plan, ledger: Ledger) -> Price:
    """The price of a plan: the ledger's own check of the charge, without the charge."""
    refusal = None
    try:
        ledger.check(plan.cost, adjacency=plan.schema.adjacency, unit=UNIT, fixed=plan.schema.fixed)
    except BudgetExceeded as refused:
        refusal = str(refused)
    left = ledger.remaining
    remaining = Cost(ledger.currency, *left) if isinstance(left, tuple) else Cost(ledger.currency, left)
    return Price(plan.cost, refusal is None, remaining, plan.accuracy, plan.mechanism, refusal)
