"""Amounts of privacy in words, as data, and as a bar: epsilon, mu, rho, or the pair epsilon and delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from discreet.privacy.cost import Cost

Amount = float | tuple[float, float]

BAR = 30


def as_data(currency: str, amount: Amount) -> dict[str, float]:
    """By name: {"epsilon": 0.5}, or {"epsilon": 0.5, "delta": 1e-06}."""
    if isinstance(amount, tuple):
        return {"epsilon": amount[0], "delta": amount[1]}
    return {currency: amount}


def cost_as_data(cost: Cost) -> dict[str, float]:
    """The same of a cost."""
    return as_data(cost.currency, (cost.amount, cost.delta) if cost.currency == "approx" else cost.amount)


def in_words(amounts: dict[str, float]) -> str:
    """
    >>> in_words({"epsilon": 0.5, "delta": 1e-6})
    'epsilon = 0.5, delta = 1e-06'
    """
    return ", ".join(f"{name} = {number:.6g}" for name, number in amounts.items())


def share_spent(name: str, spent: float, left: float) -> float:
    """The part of a budget that is spent, in what adds up: squares of mu, else the numbers themselves."""
    power = 2 if name == "mu" else 1
    total = spent**power + left**power
    return spent**power / total if total > 0 else 1.0


def bars(spent: dict[str, float], left: dict[str, float]) -> Text:
    """A bar for each number of the budget: what is spent of it, then what is left."""
    lines = []
    for name, amount in spent.items():
        share = share_spent(name, amount, left[name])
        filled = BAR if left[name] <= 0 else min(BAR - 1, round(BAR * share))
        line = Text.assemble(
            ("━" * filled, "cyan"), ("─" * (BAR - filled), "bright_black"), (f"  {share:.0%} spent", "dim")
        )
        lines.append(line.append(f" of {name}", "dim") if len(spent) > 1 else line)
    return Text("\n").join(lines)
