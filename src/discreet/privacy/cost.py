"""What a release takes from a budget: an amount in the budget's own currency, kept exact.

A budget adds up one kind of number: epsilon (pure), mu squared (Gaussian), rho (zero-concentrated), or epsilon and delta
side by side (approximate). A mechanism states its cost in each currency that has a valid one; nothing is converted
afterwards. Numbers are read as the decimal that prints them (`Decimal(repr(x))`), so ten costs of 0.1 are exactly 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

Currency = Literal["epsilon", "mu", "rho", "approx"]


def exact(number: float) -> Fraction:
    """The decimal number that `repr` prints, as a fraction: `exact(0.1) == Fraction(1, 10)`."""
    return Fraction(Decimal(repr(float(number))))


@dataclass(frozen=True)
class Cost:
    """A cost in one currency.

    Parameters
    ----------
    currency : "epsilon", "mu", "rho" or "approx"
        What adds up: epsilon; mu (its squares add up); rho; or the pair (epsilon, delta).
    amount : float
        epsilon, mu or rho; 0 or more.
    delta : float
        Only in the currency "approx".

    Examples
    --------
    >>> from discreet.privacy.cost import Cost
    >>> str(Cost("epsilon", 0.5))
    'epsilon = 0.5'
    """

    currency: Currency
    amount: float
    delta: float = 0.0

    def __str__(self) -> str:
        if self.currency == "approx":
            return f"epsilon = {self.amount:.6g}, delta = {self.delta:.6g}"
        return f"{self.currency} = {self.amount:.6g}"
