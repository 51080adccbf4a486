"""Guarantees and curves as one writes them on the command line: `pure:0.5`, `approx:1,1e-6`, `laplace-table:4`, `gdp:0.3x5`."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING

from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.privacy import Guarantee, TradeOff

PARTS_HELP = (
    "Each is pure:EPSILON, gdp:MU, zcdp:RHO, approx:EPSILON,DELTA, laplace-table:SCALE or laplace:SHIFT; "
    "x5 behind it means five of them."
)

_FORM = re.compile(r"(?P<kind>[a-z-]+):(?P<numbers>[^x]+)(x(?P<times>\d{1,6}))?")


def parts_of(texts: list[str]) -> list[Guarantee | TradeOff]:
    """What the texts name, each as often as it says.

    >>> parts_of(["gdp:0.3x2", "pure:0.5"])
    [GaussianDP(mu=0.3), GaussianDP(mu=0.3), PureDP(epsilon=0.5)]
    """
    return [part for text in texts for part in _several(text)]


def guarantee_of_text(text: str) -> Guarantee:
    """One guarantee."""
    from discreet.privacy import Guarantee

    found = _several(text)
    if len(found) != 1 or not isinstance(found[0], Guarantee):
        raise InvalidInput(f"give one guarantee, such as pure:0.5 or approx:1,1e-6, not {text!r}")
    return found[0]


def _several(text: str) -> list[Guarantee | TradeOff]:
    form = _FORM.fullmatch(text.strip())
    kinds = _kinds()
    if form is None:
        raise InvalidInput(f"a part is written KIND:NUMBER, such as pure:0.5 or gdp:0.3x5, not {text!r}")
    if form["kind"] not in kinds:
        near = get_close_matches(form["kind"], kinds, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InvalidInput(f"the kind of a part is one of {', '.join(kinds)}, not {form['kind']!r}{hint}")
    make, count = kinds[form["kind"]]
    numbers = [number(part) for part in form["numbers"].split(",")]
    if len(numbers) != count:
        raise InvalidInput(
            f"{form['kind']} takes {count} number{'s' if count > 1 else ''}; {text!r} has {len(numbers)}"
        )
    times = int(form["times"] or 1)
    if times < 1:
        raise InvalidInput(f"{text!r} repeats a part 0 times")
    return [make(*numbers)] * times


def _kinds() -> dict[str, tuple[Callable[..., Guarantee | TradeOff], int]]:
    from discreet.privacy import ApproxDP, GaussianDP, PureDP, TradeOff, ZeroConcentratedDP

    return {
        "pure": (PureDP, 1),
        "gdp": (GaussianDP, 1),
        "zcdp": (ZeroConcentratedDP, 1),
        "approx": (ApproxDP, 2),
        "laplace-table": (TradeOff.laplace_table, 1),
        "laplace": (TradeOff.laplace, 1),
    }


def number(text: str) -> float:
    """A number, or an error that quotes what was given."""
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(f"{text.strip()!r} is not a number") from None


def rounded_up(amount: float) -> str:
    """Six digits, rounded up, so that what is printed is implied, too.

    >>> rounded_up(1.23203538), rounded_up(0.5), rounded_up(1e-6)
    ('1.23204', '0.5', '1e-06')
    """
    if amount in (0.0, float("inf")):
        return f"{amount:g}"
    up = Context(prec=6, rounding=ROUND_CEILING).plus(Decimal(repr(amount)))
    return f"{float(up):.6g}"
