"""`discreet price`: what a release would cost and how accurate it would be, before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from discreet.cli.amounts import cost_as_data, in_words
from discreet.cli.boundary import confidential
from discreet.cli.files import check_ledger
from discreet.cli.options import (
    By,
    Data,
    Delta,
    Epsilon,
    Json,
    LedgerFile,
    Mechanism,
    Mu,
    Rho,
    SchemaFile,
    column_names,
    example,
    guarantee_of,
    mechanism_of,
)
from discreet.cli.output import emit, facts, heading, warning
from discreet.cli.progress import working

if TYPE_CHECKING:
    from discreet.curator import Price

group = typer.Typer(
    no_args_is_help=True,
    help="What a release would cost, and how accurate it would be. Spends nothing.",
    short_help="What a release would cost, and its accuracy.",
)


@group.command(
    "table",
    epilog=example(
        "discreet price table czech.csv --schema czech.toml --by smoking,systolic \\",
        "    --epsilon 0.5 --ledger czech.ledger",
    ),
)
def table(
    data: Data,
    schema: SchemaFile,
    by: By,
    ledger: LedgerFile,
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    rho: Rho = None,
    mechanism: Mechanism = None,
    as_json: Json = False,
) -> None:
    """The price of a table of counts. Reads nothing but the number of records, which is public."""
    guarantee, names, noise = guarantee_of(epsilon, delta, mu, rho), column_names(by), mechanism_of(mechanism)
    check_ledger(ledger)
    with confidential(), working("counting the records"):
        from discreet.curator import Curator
        from discreet.schema import Schema

        with Curator(data, Schema.from_toml(schema), ledger=ledger) as curator:
            price = curator.price("table", names, guarantee, noise)
    emit(
        _data(price, names, guarantee.to_dict()),
        lambda: _view(price, " by ".join(names), str(guarantee)),
        as_json=as_json,
    )


def _data(price: Price, names: list[str], guarantee: dict[str, Any]) -> dict[str, Any]:
    return {
        "command": "price table",
        "columns": names,
        "guarantee": guarantee,
        "mechanism": price.mechanism,
        "cost": cost_as_data(price.cost),
        "remaining": cost_as_data(price.remaining),
        "admitted": price.admitted,
        "refusal": price.refusal,
        "cells": int(price.accuracy["cells"]),
        "noise_sd": price.accuracy["noise_sd"],
        "half_width": price.accuracy["half_width"],
        "level": 0.95,
    }


def _view(price: Price, what: str, guarantee: str) -> RenderableType:
    remaining = in_words(cost_as_data(price.remaining))
    room: RenderableType = Text("the budget has room for it", "green")
    if not price.admitted:
        room = warning(price.refusal or "the budget has no room for it")
    noise = f"{price.mechanism}, sd {price.accuracy['noise_sd']:.4g} in each of {price.accuracy['cells']:.0f} cells"
    pairs: list[tuple[str, RenderableType]] = [
        ("guarantee", guarantee),
        ("noise", noise),
        ("accuracy", f"each count ± {price.accuracy['half_width']:.4g} (95% interval)"),
        ("cost", in_words(cost_as_data(price.cost))),
        ("remaining", remaining),
        ("", room),
    ]
    return Group(heading(f"Price of {what}", "nothing is spent"), "", facts(pairs))
