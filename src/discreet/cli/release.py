"""`discreet release`: publish under a guarantee. The one command group that spends.

Before the charge everything that could prevent the result from reaching its file is checked: names, folders, the
picture. After it, should the file fail all the same, the ledger still holds the release under its request id.
"""

from __future__ import annotations

import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType

from discreet.cli.amounts import as_data, cost_as_data, in_words
from discreet.cli.boundary import confidential
from discreet.cli.files import check_ledger, check_output, check_picture, rehearse_picture, save_picture
from discreet.cli.options import (
    By,
    Data,
    Delta,
    Epsilon,
    Json,
    LedgerFile,
    Mechanism,
    Mu,
    Plot,
    Rho,
    SchemaFile,
    column_names,
    example,
    guarantee_of,
    mechanism_of,
)
from discreet.cli.output import emit, facts, heading, printable
from discreet.cli.progress import working
from discreet.errors import DiscreetError, InvalidInput

if TYPE_CHECKING:
    from discreet.release import TableRelease

group = typer.Typer(
    no_args_is_help=True,
    help="Publish under a guarantee. Spends its cost, or refuses and spends nothing.",
    short_help="Publish under a guarantee; spends budget.",
)

Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="Where the release is saved (JSON).", show_default=False)
]
RequestId = Annotated[
    str | None,
    typer.Option(
        "--request-id",
        metavar="ID",
        help="A name for this request: the same command with the same name gets the same release and spends nothing more.",
        show_default=False,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the output if it exists.")]


@group.command(
    "table",
    epilog=example(
        "discreet release table czech.csv --schema czech.toml --by smoking,systolic \\",
        "    --epsilon 0.5 --ledger czech.ledger -o t.json",
    ),
)
def table(
    data: Data,
    schema: SchemaFile,
    by: By,
    ledger: LedgerFile,
    output: Output,
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    rho: Rho = None,
    mechanism: Mechanism = None,
    request_id: RequestId = None,
    plot: Plot = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Release a table of counts with noise, and save it with all that its analysis needs."""
    guarantee, names, noise = guarantee_of(epsilon, delta, mu, rho), column_names(by), mechanism_of(mechanism)
    inputs = (data, schema, ledger)
    check_ledger(ledger)
    check_output(output, force=force, inputs=inputs)
    check_picture(plot, inputs=(*inputs, output))
    identity = request_id if request_id is not None else secrets.token_hex(8)
    with confidential(), working("reading the records"):
        from discreet.curator import Curator
        from discreet.schema import Schema

        declared = Schema.from_toml(schema)
        if plot is not None:
            rehearse_picture(declared, names)
        with Curator(data, declared, ledger=ledger) as curator:
            earlier = any(entry.request_id == identity for entry in curator.ledger.entries())
            release = curator.table(names, guarantee, noise, request_id=identity)
    _save(release, output, plot, identity)
    assert release.cost is not None
    outcome = {
        "command": "release table",
        "output": str(output),
        "plot": None if plot is None else str(plot),
        "request_id": identity,
        "charged": not earlier,
        "cost": cost_as_data(release.cost),
        "remaining": as_data(curator.ledger.currency, curator.ledger.remaining),
    }
    from discreet.cli.table_view import table_data

    emit({**outcome, **table_data(release)}, lambda: _view(release, outcome), as_json=as_json)


def _save(release: TableRelease, output: Path, plot: Path | None, identity: str) -> None:
    try:
        release.save(output)
        if plot is not None:
            save_picture(release, plot)
    except DiscreetError as problem:
        raise InvalidInput(
            f"{problem}; the release is charged and kept in the ledger: repeat the command with "
            f"--request-id {shlex.quote(identity)} to get it again at no cost"
        ) from None


def _neighbours(release: TableRelease) -> str:
    if release.adjacency == "add-remove":
        return "one record added or removed"
    fixed = release.schema.fixed
    return "one record replaced" + ("" if fixed is None else f" by one of the same {printable(fixed)}")


def _view(release: TableRelease, outcome: dict[str, Any]) -> RenderableType:
    from discreet.cli.table_view import LEVEL, table_view
    from discreet.release.text import law_in_words

    size = "" if release.n is None else f"; n = {release.n:,}"
    cost = in_words(outcome["cost"])
    pairs: list[tuple[str, RenderableType]] = [
        ("noise", law_in_words(release) + size),
        ("guarantee", f"{release.guarantee}, {_neighbours(release)}"),
        ("cost", cost if outcome["charged"] else f"nothing more: this request was released before for {cost}"),
        ("remaining", in_words(outcome["remaining"])),
        ("saved", outcome["output"] if outcome["plot"] is None else f"{outcome['output']}, {outcome['plot']}"),
    ]
    title = heading(" by ".join(release.column_names), f"noisy counts with {LEVEL:.0%} intervals")
    return Group(title, "", table_view(release), "", facts(pairs))
