"""`discreet privacy tradeoff`: trade-off curves as a table of type II errors, and as a picture."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.boundary import usage_error
from discreet.cli.files import check_picture, save_picture
from discreet.cli.options import Json, Plot, example
from discreet.cli.output import emit, heading
from discreet.cli.privacy.parts import number, parts_of, rounded_up
from discreet.cli.progress import working
from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.privacy import TradeOff

EXAMPLE = example(
    "discreet privacy tradeoff --mu 1 --epsilon 0.5 --laplace-table 4 \\",
    "    --at .01,.05 --plot curves.png",
)


def tradeoff(
    epsilon: Annotated[list[float] | None, typer.Option("--epsilon", metavar="X", help="Pure DP.")] = None,
    mu: Annotated[list[float] | None, typer.Option("--mu", metavar="X", help="Gaussian DP.")] = None,
    rho: Annotated[list[float] | None, typer.Option("--rho", metavar="X", help="Zero-concentrated DP.")] = None,
    approx: Annotated[list[str] | None, typer.Option("--approx", metavar="E,D", help="Approximate DP.")] = None,
    laplace_table: Annotated[
        list[float] | None,
        typer.Option("--laplace-table", metavar="B", help="A table with Laplace noise of scale B."),
    ] = None,
    laplace: Annotated[
        list[float] | None,
        typer.Option("--laplace", metavar="S", help="One number with Laplace noise; its sensitivity is S scales."),
    ] = None,
    at: Annotated[str, typer.Option("--at", metavar="A,B", help="Type I errors, separated by commas.")] = ".01,.05,.1",
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Trade-off curves: the smallest type II error of a test about one record. Each option can be repeated."""
    named = [
        *_curves("pure", epsilon),
        *_curves("gdp", mu),
        *_curves("zcdp", rho),
        *_curves("approx", approx),
        *_curves("laplace-table", laplace_table),
        *_curves("laplace", laplace),
    ]
    if not named:
        raise usage_error("give at least one curve: --epsilon, --mu, --rho, --approx, --laplace-table or --laplace")
    check_picture(plot)
    alpha = [number(text) for text in at.split(",")]
    with working("computing the curves"):
        rows: list[dict[str, Any]] = [
            {
                "curve": name,
                "mu": curve.mu,
                "fixed_point": curve.fixed_point,
                "type_two": [curve(a) for a in alpha],
            }
            for name, curve in named
        ]
        if plot is not None:
            first, *others = (curve for _, curve in named)
            labels = [name for name, _ in named]
            save_picture(SimpleNamespace(plot=lambda: first.plot(*others, labels=labels)), plot)
    data = {
        "command": "privacy tradeoff",
        "alpha": alpha,
        "curves": rows,
        "plot": None if plot is None else str(plot),
    }
    emit(data, lambda: _curve_table(rows, alpha, plot), as_json=as_json)


def _curves(kind: str, values: list[float] | list[str] | None) -> list[tuple[str, TradeOff]]:
    """The curves of one option, each with its name."""
    from discreet.privacy import Guarantee

    texts = [f"{kind}:{value}" if isinstance(value, str) else f"{kind}:{value!r}" for value in values or ()]
    curves = [part.tradeoff() if isinstance(part, Guarantee) else part for part in parts_of(texts)]
    if len(curves) != len(texts):
        raise InvalidInput("a curve is drawn once; leave out the x and the number behind it")
    names = [
        text if isinstance(value, str) else f"{kind}:{value:g}" for text, value in zip(texts, values or (), strict=True)
    ]
    return list(zip(names, curves, strict=True))


def _curve_table(rows: list[dict[str, Any]], alpha: list[float], plot: Path | None) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("curve", overflow="fold")
    for name in ("mu", "fixed point", *(f"at {a:g}" for a in alpha)):
        table.add_column(name, justify="right")
    for row in rows:
        mu = rounded_up(row["mu"]) if row["mu"] < float("inf") else "none"
        table.add_row(row["curve"], mu, f"{row['fixed_point']:.4f}", *(f"{beta:.4f}" for beta in row["type_two"]))
    saved = [Text(f"saved  {plot}")] if plot is not None else []
    return Group(heading("Smallest type II errors", "of a test about one record, by its type I error"), table, *saved)
