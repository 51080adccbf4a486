"""`discreet ledger`: make a budget, and see what became of it."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.amounts import as_data, bars, cost_as_data, in_words
from discreet.cli.boundary import confidential
from discreet.cli.files import check_ledger, check_new_ledger, ledger_place
from discreet.cli.options import Delta, Epsilon, Json, Mu, Rho, example, guarantee_of
from discreet.cli.output import emit, facts, heading, printable

if TYPE_CHECKING:
    from discreet.curator.ledger import Entry, Ledger

group = typer.Typer(no_args_is_help=True, help="Make a privacy budget; show what is spent and what remains.")


class Rule(StrEnum):
    """What `--accounting` may be."""

    SUM = "sum"
    GDP = "gdp"


NewLedger = Annotated[
    Path,
    typer.Argument(
        metavar="PATH",
        parser=ledger_place,
        help="The file to make, or postgresql://... (a password belongs into PGPASSWORD or a password file, not here).",
        show_default=False,
    ),
]
OldLedger = Annotated[
    Path,
    typer.Argument(
        metavar="PATH", parser=ledger_place, help="The ledger's file, or postgresql://...", show_default=False
    ),
]
NewWitness = Annotated[
    Path | None,
    typer.Option(
        "--witness",
        metavar="FILE",
        help="A second new file, best on another volume: with it, an older copy of the ledger is refused.",
        show_default=False,
    ),
]
OldWitness = Annotated[
    Path | None,
    typer.Option("--witness", metavar="FILE", help="Where the witness lies now, if it moved.", show_default=False),
]
WitnessFile = Annotated[Path, typer.Argument(metavar="FILE", help="The witness to make.", show_default=False)]
Accounting = Annotated[
    Rule,
    typer.Option("--accounting", metavar="RULE", help="How an (epsilon, delta) budget adds up: sum, or gdp (in mu)."),
]


@group.command(
    "create",
    epilog=example(
        "discreet ledger create czech.ledger --epsilon 2",
        "discreet ledger create my.ledger --epsilon 1 --delta 1e-6 --accounting gdp",
        "discreet ledger create my.ledger --mu 1 --witness /mnt/other/my.witness",
        heading="Examples:",
    ),
)
def create(
    path: NewLedger,
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    rho: Rho = None,
    accounting: Accounting = Rule.SUM,
    witness: NewWitness = None,
    as_json: Json = False,
) -> None:
    """Make a budget: a file, or tables in PostgreSQL, that later releases are charged to."""
    budget = guarantee_of(epsilon, delta, mu, rho)
    check_new_ledger(path)
    with confidential():
        from discreet.curator import Ledger

        ledger = Ledger.create(path, budget, accounting=accounting.value, witness=witness)
        data = describe(ledger, path)
    emit({"command": "ledger create", **data}, lambda: _budget(data, "new ledger"), as_json=as_json)


@group.command("show", epilog=example("discreet ledger show czech.ledger"))
def show(path: OldLedger, witness: OldWitness = None, as_json: Json = False) -> None:
    """Verify a ledger, and show the budget, what is spent, what remains, and every charge."""
    check_ledger(path)
    with confidential():
        from discreet.curator import Ledger

        ledger = Ledger(path, witness=witness)
        data = describe(ledger, path)
    emit({"command": "ledger show", **data}, lambda: _account(data), as_json=as_json)


@group.command("witness", epilog=example("discreet ledger witness czech.ledger /mnt/other/czech.witness"))
def witness(path: OldLedger, file: WitnessFile, as_json: Json = False) -> None:
    """Start a witness for a ledger that has none, or has lost it: what the ledger says now is believed."""
    check_ledger(path)
    with confidential():
        from discreet.curator import Ledger

        ledger = Ledger.start_witness(path, file)
        data = describe(ledger, path)
    emit({"command": "ledger witness", **data}, lambda: _budget(data, "new witness"), as_json=as_json)


def describe(ledger: Ledger, path: Path) -> dict[str, Any]:
    """A ledger as plain data. All of it is public: a ledger holds no record and no true count; an address is not shown."""
    entries = ledger.entries()
    return {
        "path": str(path) if ledger.path is not None else ledger.place,
        "ledger_id": ledger.ledger_id,
        "head": ledger.head,
        "witness": None if ledger.witness is None else str(ledger.witness),
        "budget": ledger.budget.to_dict(),
        "budget_text": str(ledger.budget),
        "accounting": ledger.accounting,
        "currency": ledger.currency,
        "spent": as_data(ledger.currency, ledger.spent),
        "remaining": as_data(ledger.currency, ledger.remaining),
        "neighbours": entries[0].neighbours._asdict() if entries else None,
        "entries": [_entry(entry) for entry in entries],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "number": entry.seq,
        "when": entry.when.isoformat(timespec="seconds"),
        "what": _what(entry.specification),
        "cost": cost_as_data(entry.cost),
        "released": entry.released,
        "request_id": entry.request_id,
        "head": entry.head,
    }


def _what(specification: str) -> str:
    """E.g. "table of smoking, systolic"; the specification is Discreet's own text, but a ledger may be another version's."""
    try:
        parts = json.loads(specification)
        return f"{parts['verb']} of {', '.join(parts['columns'])}"
    except (ValueError, TypeError, KeyError):
        return "a release"


def _budget(data: dict[str, Any], aside: str = "") -> RenderableType:
    rule = ", accounting by GDP" if data["accounting"] == "gdp" else ""
    pairs: list[tuple[str, RenderableType]] = [
        ("budget", data["budget_text"] + rule),
        ("spent", in_words(data["spent"])),
        ("remaining", in_words(data["remaining"])),
        ("head", f"{data['head'][:16]}... after {len(data['entries'])}"),
    ]
    if data["witness"] is not None:
        pairs.append(("witness", printable(data["witness"])))
    if data["entries"]:
        pairs.append(("", bars(data["spent"], data["remaining"])))
    return Group(heading(data["path"], aside), "", facts(pairs))


def _account(data: dict[str, Any]) -> RenderableType:
    if not data["entries"]:
        return Group(_budget(data), "", Text("  nothing was charged yet", "dim"))
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", border_style="bright_black", show_edge=False)
    table.add_column("#", justify="right", style="dim")
    table.add_column("when (UTC)", no_wrap=True)
    table.add_column("what", overflow="fold", min_width=16)
    table.add_column("cost", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for entry in data["entries"]:
        state = Text("released") if entry["released"] else Text("not released", "yellow")
        when = entry["when"][:16].replace("T", " ")
        table.add_row(
            str(entry["number"]),
            when,
            Text(printable(entry["what"])),
            in_words(entry["cost"]).replace(", ", "\n"),
            state,
        )
    return Group(_budget(data), "", table)
