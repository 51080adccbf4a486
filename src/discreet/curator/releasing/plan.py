"""A release that has been checked and priced but not made: everything about it is public."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from discreet.curator.ledger import Ledger
from discreet.errors import BudgetExceeded
from discreet.privacy import Cost
from discreet.schema import Schema


@dataclass(frozen=True)
class PublicSize:
    """What is public about the number of records: all that may be read before a charge.

    `n` is None under add-remove, and where persons have several records. `groups` are the sizes of the fixed column's groups
    in the order of its labels (that of the undeclared ones last, unless the schema is complete); None without one.
    """

    n: int | None
    groups: tuple[int, ...] | None = None


class Sums(Protocol):
    """The exact sums of one group of n records over columns that are coded 0 ... J: s_i, and Q_ij (symmetric)."""

    @property
    def n(self) -> int: ...
    @property
    def sums(self) -> tuple[int, ...]: ...
    @property
    def products(self) -> tuple[tuple[int, ...], ...]: ...


class Records(Protocol):
    """What a release may ask of the records: exact integers, nothing else."""

    def tabulate(self, columns: tuple[str, ...]) -> Sequence[int]: ...

    def sums(self, columns: tuple[str, ...], *, products: bool) -> Sequence[Sums]:
        """One entry a group of the fixed column (labels in order; then, unless complete, the undeclared), else one."""
        ...

    def count_bins(self, columns: tuple[str, ...], bins: tuple[int, ...]) -> list[int]:
        """Row-major counts: code j of J + 1 grid points falls into bin min(m - 1, j m // J)."""
        ...

    def count_codes(self, column: str) -> list[int]:
        """The number of records with each code 0 ... J of a numeric column."""
        ...


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
    make: Callable[[Records], Any]
    notes: tuple[str, ...] = ()


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
        What each family states of its expected accuracy. For a table: "noise_sd" of one cell, "half_width" of its 95 %
        interval, and the number of "cells" released.
    mechanism : str
        The mechanism that would be used.
    notes : tuple of str
        What public quantities say about the choice, e.g. that another mechanism would be more accurate.
    refusal : str or None
        Why the budget has no room.
    """

    cost: Cost
    admitted: bool
    remaining: Cost
    accuracy: dict[str, float]
    mechanism: str
    refusal: str | None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        room = "the budget has room for it" if self.admitted else str(self.refusal)
        stated = ", ".join(f"{_in_words(name)} {value:.4g}" for name, value in self.accuracy.items())
        first = (
            f"{self.mechanism} costs {self.cost} (remaining: {self.remaining}; {room}). Expected accuracy: {stated}."
        )
        return " ".join([first, *self.notes])

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
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def _in_words(name: str) -> str:
    """The name of an accuracy: "noise_sd of body_mass" becomes "noise sd of body_mass"; a column's name stays as it is."""
    what, of, column = name.partition(" of ")
    return what.replace("half_width", "half width (95 %)").replace("_", " ") + of + column


def price(plan: Plan, ledger: Ledger) -> Price:
    """The price of a plan: the ledger's own check of the charge, without the charge."""
    refusal = None
    try:
        ledger.check(plan.cost, adjacency=plan.schema.adjacency, unit=plan.schema.protected, fixed=plan.schema.fixed)
    except BudgetExceeded as refused:
        refusal = str(refused)
    left = ledger.remaining
    remaining = Cost(ledger.currency, *left) if isinstance(left, tuple) else Cost(ledger.currency, left)
    return Price(plan.cost, refusal is None, remaining, plan.accuracy, plan.mechanism, refusal, plan.notes)
