"""The root of the command line: which command groups there are."""

from __future__ import annotations

from typing import Annotated

import typer

import discreet
from discreet.cli import check, ledger, price, release, run, test
from discreet.cli.boundary import CommandGroup
from discreet.cli.estimate.group import group as estimate
from discreet.cli.lab.group import group as lab
from discreet.cli.options import example
from discreet.cli.privacy.group import group as privacy

EXAMPLE = example(
    "discreet ledger create czech.ledger --epsilon 2",
    "discreet check czech.csv --schema czech.toml",
    "discreet release table czech.csv --schema czech.toml --by smoking,systolic \\",
    "    --epsilon 0.5 --ledger czech.ledger -o t.json",
    "discreet test independence t.json --plot t.png",
    heading="From records to a p-value:",
)

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXAMPLE,
)
app.add_typer(ledger.group, name="ledger")
app.command("check", epilog=check.EXAMPLE)(check.check)
app.command("run", epilog=run.EXAMPLE)(run.run)
app.add_typer(price.group, name="price")
app.add_typer(privacy, name="privacy")
app.add_typer(release.group, name="release")
app.add_typer(test.group, name="test")
app.add_typer(estimate, name="estimate")
app.add_typer(lab, name="lab")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"discreet {discreet.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Release what a confidential table says under differential privacy, and draw valid conclusions from the release."""
