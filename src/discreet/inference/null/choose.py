"""From what a user types for `null=` to the method that computes it."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.errors import InvalidInput, NotAvailable
from discreet.inference.null.bootstrap import Bootstrap
from discreet.inference.null.closed_form import ClosedForm
from discreet.inference.null.conditional import Conditional
from discreet.inference.null.monte_carlo import MonteCarlo
from discreet.inference.null.problem import NullMethod, NullProblem, Seed, Tail

NAMES = ("auto", "closed-form", "conditional", "monte-carlo", "bootstrap")


@dataclass(frozen=True)
class Auto:
    """The closed form where there is one, else the conditional average."""

    def tail(self, problem: NullProblem, t: float, rng: Seed) -> Tail:
        """P(Q >= t) by `ClosedForm`, or by `Conditional` where that is not available."""
        try:
            return ClosedForm().tail(problem, t, rng)
        except NotAvailable:
            return Conditional().tail(problem, t, rng)


def find_null(null: str | NullMethod) -> NullMethod:
    """The null method of that name, or the object itself."""
    if not isinstance(null, str):
        if not hasattr(null, "tail"):
            raise InvalidInput(f"null must be a name or an object such as Conditional(points=...), not {null!r}")
        return null
    if null == "auto":
        return Auto()
    if null == "closed-form":
        return ClosedForm()
    if null == "conditional":
        return Conditional()
    if null == "monte-carlo":
        return MonteCarlo()
    if null == "bootstrap":
        return Bootstrap()
    raise InvalidInput(f"null must be one of {', '.join(map(repr, NAMES))}, not {null!r}")
