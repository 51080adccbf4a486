"""From what a user types for `null=` to the method that computes it."""

from __future__ import annotations

from discreet.errors import InvalidInput, NotAvailable
from discreet.inference.conditional import Conditional
from discreet.inference.monte_carlo import MonteCarlo
from discreet.inference.null import NullMethod


def find_null(null: str | NullMethod) -> NullMethod:
    """The null method of that name, or the object itself."""
    if not isinstance(null, str):
        if not hasattr(null, "tail"):
            raise InvalidInput(f"null must be a name or an object such as Conditional(points=...), not {null!r}")
        return null
    if null in ("auto", "conditional"):
        return Conditional()
    if null == "monte-carlo":
        return MonteCarlo()
    if null in ("closed-form", "bootstrap"):
        raise NotAvailable(f"null={null!r} is not available yet; choose 'conditional' or 'monte-carlo'")
    raise InvalidInput(f"null must be 'auto', 'conditional' or 'monte-carlo', not {null!r}")
