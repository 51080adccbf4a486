"""What every `discreet price` command does: ask for the price, print it; nothing is spent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from discreet.cli.amounts import cost_as_data, in_words
from discreet.cli.boundary import confidential
from discreet.cli.files import check_ledger
from discreet.cli.output import emit, facts, heading, warning
from discreet.cli.progress import working
from discreet.cli.request import PriceOptions

if TYPE_CHECKING:
    from discreet.curator import Curator, Price

Facts = list[tuple[str, RenderableType]]


def quote(
    kind: str,
    options: PriceOptions,
    names: list[str],
    ask: Callable[[Curator], Price],
    *,
    what: str,
    accuracy: Callable[[Price], tuple[dict[str, Any], Facts]],
) -> None:
    """Print the price that `ask(curator)` gives; `accuracy` says how accurate the release would be, as data and in words."""
    guarantee = options.guarantee
    check_ledger(options.ledger)
    with confidential(), working("counting the records"):
        from discreet.curator import Curator
        from discreet.schema import Schema

        with Curator(options.data, Schema.from_toml(options.schema), ledger=options.ledger) as curator:
            price = ask(curator)
    as_data, in_facts = accuracy(price)
    data = {
        "command": f"price {kind}",
        "columns": names,
        "guarantee": guarantee.to_dict(),
        "mechanism": price.mechanism,
        "cost": cost_as_data(price.cost),
        "remaining": cost_as_data(price.remaining),
        "admitted": price.admitted,
        "refusal": price.refusal,
        **as_data,
        **({"notes": list(price.notes)} if price.notes else {}),
    }
    emit(data, lambda: _view(price, what, str(guarantee), in_facts), as_json=options.as_json)


def _view(price: Price, what: str, guarantee: str, accuracy: Facts) -> RenderableType:
    room: RenderableType = Text("the budget has room for it", "green")
    if not price.admitted:
        room = warning(price.refusal or "the budget has no room for it")
    pairs: Facts = [
        ("guarantee", guarantee),
        *accuracy,
        ("cost", in_words(cost_as_data(price.cost))),
        ("remaining", in_words(cost_as_data(price.remaining))),
        ("", room),
        *(("note", text) for text in price.notes),
    ]
    return Group(heading(f"Price of {what}", "nothing is spent"), "", facts(pairs))
