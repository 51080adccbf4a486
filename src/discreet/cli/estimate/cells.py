"""`discreet estimate james-stein` and `simplex`: a noisy table moved to where it is likelier to be."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from discreet.cli.frame_file import Force, Rows, backend, check_frame, save_frame
from discreet.cli.options import Json, example
from discreet.cli.output import emit, facts, heading, printable
from discreet.cli.release_file import ReleaseFile, cells_of, promise, read_release

if TYPE_CHECKING:
    from discreet.estimate import Estimate

EXAMPLES = {
    "james-stein": example(
        "discreet estimate james-stein t.json --toward average",
        "discreet estimate james-stein t.json --positive-part -o better.csv",
        heading="Examples:",
    ),
    "simplex": example("discreet estimate simplex t.json -o table.csv"),
}


class Target(StrEnum):
    """What `--toward` may be."""

    ZERO = "zero"
    AVERAGE = "average"


class Basis(StrEnum):
    """What `--basis` may be."""

    HELMERT = "helmert"


Toward = Annotated[
    Target, typer.Option("--toward", metavar="TARGET", help="zero, or average: that of the cells (or coordinates).")
]
BasisName = Annotated[
    Basis | None,
    typer.Option(
        "--basis",
        metavar="NAME",
        help="helmert: shrink coordinates of the contrasts of a projected table; without it, the contrasts themselves.",
        show_default=False,
    ),
]
PositivePart = Annotated[bool, typer.Option("--positive-part", help="Never shrink beyond the target.")]


def james_stein(
    release: ReleaseFile,
    toward: Toward = Target.ZERO,
    basis: BasisName = None,
    positive_part: PositivePart = False,
    output: Rows = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Shrink a release with Gaussian noise, so that its expected squared error falls whatever the truth is."""
    check_frame(output, force=force, inputs=[release])
    from discreet.estimate import james_stein as shrink

    given = read_release(release, "table", "histogram", "series")
    estimate = shrink(given, toward.value, None if basis is None else "helmert", positive_part)
    more = {"factor": estimate.factor, "noise_sd": estimate.sd, "dimension": estimate.dimension}
    _show("james-stein", release, given, estimate, more, output, as_json=as_json)


def simplex(release: ReleaseFile, output: Rows = None, force: Force = False, as_json: Json = False) -> None:
    """The nearest possible table: no cell below 0, and the total that is public (else the noisy one)."""
    check_frame(output, force=force, inputs=[release])
    from discreet.estimate import simplex as nearest

    given = read_release(release, "table", "histogram")
    _show("simplex", release, given, nearest(given), {}, output, as_json=as_json)


def _show(
    command: str,
    path: Path,
    release: Any,
    estimate: Estimate,
    more: dict[str, Any],
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    if output is not None:
        _save(release, estimate, output)
    data = {
        "command": f"estimate {command}",
        "release": str(path),
        "description": estimate.description,
        **more,
        "released": release.values.tolist(),
        "estimate": estimate.values.tolist(),
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
        "output": None if output is None else str(output),
    }
    emit(data, lambda: _view(path, release, estimate, output), as_json=as_json)


def _save(release: Any, estimate: Estimate, output: Path) -> None:
    from discreet.release.frames import to_frame

    names, cells = cells_of(release)
    columns: dict[str, list[Any]] = {name: [cell[i] for cell in cells] for i, name in enumerate(names)}
    numbers = {"released": release.values.ravel().tolist(), "estimate": estimate.values.ravel().tolist()}
    while set(columns) & set(numbers):
        numbers = {f"noisy_{name}": column for name, column in numbers.items()}
    save_frame(to_frame({**columns, **numbers}, backend()), output)


def _view(path: Path, release: Any, estimate: Estimate, output: Path | None) -> RenderableType:
    from discreet.cli.views.table import LONGEST_LIST, empty_table
    from discreet.release.labels import shortened
    from discreet.release.text import number

    names, cells = cells_of(release)
    shown = len(cells) if len(cells) <= LONGEST_LIST else LONGEST_LIST - 4
    table = empty_table()
    for name in names:
        table.add_column(Text(printable(shortened(name))), overflow="fold")
    table.add_column("released", justify="right", no_wrap=True, style="dim")
    table.add_column("estimate", justify="right", no_wrap=True)
    released, moved = release.values.ravel().tolist(), estimate.values.ravel().tolist()
    for cell, before, after in zip(cells[:shown], released, moved, strict=False):
        labels = [Text(printable(shortened(label))) for label in cell]
        table.add_row(*labels, number(before, estimate.sd), number(after, estimate.sd))
    if shown < len(cells):
        table.add_row(Text(f"… {len(cells) - shown:,} more", "dim"))
    pairs: list[tuple[str, RenderableType]] = [("estimate", estimate.description), ("guarantee", promise(release))]
    if output is not None:
        pairs.append(("saved", str(output)))
    return Group(heading(" by ".join(names), f"estimated from {path.name}"), "", table, "", facts(pairs))
