"""`discreet lab audit`: does a table mechanism keep its promise, as far as its outputs tell?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from discreet.cli.files import check_picture, save_picture
from discreet.cli.options import Delta, Epsilon, Json, Mechanism, Mu, Plot, Rho, example, guarantee_of, mechanism_of
from discreet.cli.output import emit, facts, heading, warning
from discreet.cli.progress import working
from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.lab.audit import TableAudit

FOUND = 1  # the exit status where a promise is broken

EXAMPLE = example(
    "discreet lab audit --epsilon 1 --draws 6000", "discreet lab audit --mu 0.5 --distance 1,3 --plot audit.png"
)

Whole = Annotated[bool, typer.Option("--integer", help="Noise on the whole numbers.")]
Cells = Annotated[int, typer.Option("--cells", metavar="P", help="The number of cells of the made-up table.")]
Draws = Annotated[int, typer.Option("--draws", metavar="N", help="Releases for each distance and for the noise.")]
Distance = Annotated[
    str, typer.Option("--distance", metavar="K,...", help="How many records the two tables are apart.")
]
Alpha = Annotated[float, typer.Option("--alpha", metavar="X", help="The probability of accusing a sound mechanism.")]
Neighbours = Annotated[str, typer.Option("--adjacency", metavar="NAME", help="replace-one or add-remove.")]


def audit(
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    rho: Rho = None,
    mechanism: Mechanism = None,
    integer: Whole = False,
    cells: Cells = 4,
    draws: Draws = 3000,
    distance: Distance = "1",
    alpha: Alpha = 1e-6,
    adjacency: Neighbours = "replace-one",
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Audit a mechanism for tables on made-up counts: a lower bound on its privacy loss, and a check of its noise.

    The exit status is 1 where the promise is broken. That nothing was found is no proof.
    """
    guarantee = guarantee_of(epsilon, delta, mu, rho)
    distances = _whole_numbers(distance)
    check_picture(plot)
    with working("drawing releases"):
        from discreet.lab.audit import audit_table
        from discreet.mechanisms import default_for_table

        chosen = mechanism_of(mechanism) or default_for_table(guarantee, adjacency)
        if integer:
            chosen = _on_integers(chosen)
        found = audit_table(
            guarantee, chosen, cells=cells, distances=distances, alpha=alpha, max_n=draws, adjacency=adjacency
        )
        if plot is not None:
            save_picture(max(found.certificates, key=lambda each: (each.violated, each.lower_bound)), plot)
    noise = found.noise
    data = {
        "command": "lab audit",
        "mechanism": found.mechanism.name,
        "scale": found.mechanism.scale,
        "guarantee": guarantee.to_dict(),
        "adjacency": adjacency,
        "cells": cells,
        "alpha": alpha,
        "sound": found.sound,
        "certificates": [each.to_dict() for each in found.certificates],
        "noise": None if noise is None else {"n": noise.n, "faults": list(noise.faults)},
        "plot": None if plot is None else str(plot),
    }
    emit(data, lambda: _view(found, data), as_json=as_json)
    if not found.sound:
        raise typer.Exit(FOUND)


def _view(found: TableAudit, data: dict[str, Any]) -> RenderableType:
    rows: list[tuple[str, RenderableType]] = [
        (f"{each.distance} record{'s' * (each.distance > 1)} apart", str(each)) for each in found.certificates
    ]
    if found.noise is not None:
        rows.append(("noise", "; ".join(found.noise.faults) or f"as claimed, in {found.noise.n:,} runs"))
    if data["plot"] is not None:
        rows.append(("saved", data["plot"]))
    title = heading(f"Audit of {data['mechanism']}", f"{data['cells']} cells, scale {data['scale']:.4g}")
    verdict = Text("nothing was found; this is no proof", "dim") if found.sound else warning("the promise is broken")
    return Group(title, "", facts(rows), "", Text("  ").append_text(verdict))


def _whole_numbers(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.strip().isascii() and part.strip().isdigit() for part in parts):
        raise InvalidInput(f"--distance must be whole numbers separated by commas, such as 1,3, not {text!r}")
    return tuple(int(part) for part in parts)


def _on_integers(chosen: Any) -> Any:
    from discreet.mechanisms import Gaussian, Laplace

    if not isinstance(chosen, Gaussian | Laplace):
        raise InvalidInput("--integer goes with --mechanism laplace or gaussian")
    return type(chosen)(integer=True)
