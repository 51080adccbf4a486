"""`discreet lab cost`: what each mechanism for tables costs in accuracy."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.files import check_picture, save_picture
from discreet.cli.options import Json, Plot, example
from discreet.cli.output import emit, heading
from discreet.cli.progress import working
from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.lab import CostStudy

Mus = Annotated[
    str, typer.Option("--mu", metavar="X,Y,...", help="Privacy levels (mu-GDP); A:B:K is K levels from A to B.")
]
Cells = Annotated[int, typer.Option("--cells", metavar="P", help="The number of cells of the table.")]
Records = Annotated[int, typer.Option("--records", metavar="N", help="The number of records.")]
Theta = Annotated[
    str,
    typer.Option(
        "--theta", metavar="P,Q,...", help="Cell probabilities: uniform, linear (as 1, 2, ...), or one number a cell."
    ),
]
AtExpected = Annotated[
    bool, typer.Option("--conditional", help="At the expected table, not averaged over multinomial tables.")
]
Draws = Annotated[int, typer.Option("--draws", metavar="M", help="Multinomial tables to average over.")]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", min=0, help="Seed, to repeat a result exactly.", show_default=False),
]

EXAMPLE = example("discreet lab cost --cells 10 --records 1000 --mu 0.03:10:60 --plot cost.png")

_NAMED = ("uniform", "linear")


def cost(
    cells: Cells = 10,
    records: Records = 1000,
    mu: Mus = "0.1,0.25,0.5,1,2,4",
    theta: Theta = "uniform",
    conditional: AtExpected = False,
    draws: Draws = 2000,
    seed: Seed = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """What each mechanism for tables costs: its expected squared error under mu-GDP."""
    levels = _levels(mu)
    check_picture(plot)
    with working("computing expected losses"):
        from discreet.lab import cost as study_of

        given = theta if theta in _NAMED else _numbers("--theta", theta)
        study = study_of(levels, cells, records, given, conditional=conditional, draws=draws, rng=seed)
        if plot is not None:
            save_picture(study, plot)
    data = {
        "command": "lab cost",
        "cells": cells,
        "records": records,
        "theta": given,
        "conditional": conditional,
        "draws": None if conditional else draws,
        "losses": [{key: value for key, value in asdict(row).items() if key not in "pn"} for row in study.rows],
        "plot": None if plot is None else str(plot),
    }
    emit(data, lambda: _view(study, cells, records, str(plot) if plot else None), as_json=as_json)


def _view(study: CostStudy, cells: int, records: int, plot: str | None) -> RenderableType:
    from discreet.lab.cost import MECHANISMS

    how = "at the expected table" if study.conditional else "averaged over multinomial tables"
    levels = list(dict.fromkeys(row.mu for row in study.rows))
    table = Table(box=None, padding=(0, 1, 0, 1), pad_edge=False, header_style="dim")
    table.add_column("\nmu", justify="right", no_wrap=True)
    for name in MECHANISMS:
        first, dash, second = name.rpartition("-")
        table.add_column(f"{first}{dash}\n{second}", justify="right", overflow="fold")
    for mu in levels:
        losses = (study.loss(name, mu=mu) for name in MECHANISMS)
        table.add_row(f"{mu:.3g}", *("-" if loss != loss else _short(loss) for loss in losses))
    parts: list[RenderableType] = [
        heading("Expected squared error of a table", f"{cells} cells, {records:,} records"),
        Text(f"  {study.cell_probabilities}, {how}", "dim"),
        "",
        table,
    ]
    if plot is not None:
        parts += ["", Text(f"  saved {plot}", "dim")]
    return Group(*parts)


def _short(loss: float) -> str:
    return f"{loss:.4g}" if 1e-3 <= loss < 9999.5 else f"{loss:.2e}"


def _levels(text: str) -> list[float]:
    """Numbers separated by commas, or A:B:K for K of them in geometric progression."""
    if text.count(":") == 2:
        low, high, steps = _numbers("--mu", text.replace(":", ","))
        if not (0 < low < high and 2 <= steps <= 10_000 and steps == int(steps)):
            raise InvalidInput(f"--mu A:B:K needs 0 < A < B and a whole K from 2 to 10000, not {text!r}")
        ratio = (high / low) ** (1 / (steps - 1))
        return [low * ratio**i for i in range(int(steps) - 1)] + [high]
    return _numbers("--mu", text)


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(Fraction(part.strip())) for part in text.split(",")]
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InvalidInput(f"{option} must be numbers separated by commas, such as 0.1,0.5,1, not {text!r}") from None
