"""`discreet lab reproduce`: the figures of the papers, simulated anew."""

from __future__ import annotations

import csv
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.boundary import usage_error
from discreet.cli.counted import counted
from discreet.cli.files import check_output, check_picture, save_picture
from discreet.cli.lab.design import Seed, StoreFolder, Workers
from discreet.cli.options import Json, Plot, example
from discreet.cli.output import console, emit, heading, note
from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.lab.reproduce import About, Study

EXAMPLE = example(
    "discreet lab reproduce list",
    "discreet lab reproduce qq-independence --plot qq.png",
    "discreet lab reproduce all --folder figures --workers -1",
)

LIST, ALL = "list", "all"
MOST_ROWS = 60  # of a study printed as text

Name = Annotated[str, typer.Argument(metavar="NAME", help="A figure, or list, or all.", show_default=False)]
Full = Annotated[bool, typer.Option("--full", help="At the papers' sizes: minutes to hours, not seconds.")]
Csv = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Also write the numbers as CSV.", show_default=False)
]
Folder = Annotated[
    Path | None,
    typer.Option("--folder", metavar="DIR", help="With all: where pictures and numbers go.", show_default=False),
]
Tables = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", help="Tables that do not come with the package (see list).", show_default=False
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the CSV file.")]


def reproduce(
    name: Name,
    full: Full = False,
    seed: Seed = 1,
    plot: Plot = None,
    csv_file: Csv = None,
    folder: Folder = None,
    data: Tables = None,
    store: StoreFolder = None,
    workers: Workers = 1,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Simulate a figure of the papers anew: its numbers, its picture, its settings. Spends nothing.

    Reduced to less than a minute each, unless --full. The same seed gives the same figure whatever the number of workers; with
    --store an interrupted one goes on where it stopped.
    """
    if workers == 0:
        raise InvalidInput("--workers is a number of processes, or -1 for one for each core, not 0")
    if name == LIST:
        _list(as_json)
        return
    if (name == ALL) != (folder is not None):
        raise usage_error("--folder goes with all, and all needs it" if name != ALL else "all needs --folder DIR")
    settings: dict[str, Any] = {"full": full, "seed": seed, "data": data, "store": store, "n_jobs": workers}
    if folder is not None:
        if plot is not None or csv_file is not None:
            raise usage_error("all writes its pictures and numbers to --folder; leave out --plot and --csv")
        _all(folder, settings, as_json)
        return
    check_picture(plot)
    if csv_file is not None:
        check_output(csv_file, force=force, inputs=[] if plot is None else [plot])
    study, seconds = _made(name, settings)
    if plot is not None:
        save_picture(study, plot)
    if csv_file is not None:
        _write(study, csv_file)
    saved = [str(path) for path in (plot, csv_file) if path is not None]
    found = {**_data(study, full, seed, seconds), "rows": study.rows(), "saved": saved}
    emit(found, lambda: _view(study, saved), as_json=as_json)


def _made(name: str, settings: dict[str, Any]) -> tuple[Study, float]:
    begun = time.monotonic()
    with counted(f"simulating {name}") as progress:
        from discreet.lab import reproduce as figures

        study = figures.run(name, progress=progress, **settings)
    return study, time.monotonic() - begun


def _all(folder: Path, settings: dict[str, Any], as_json: bool) -> None:
    """Every figure whose tables are at hand, one after the other; pictures and numbers are written as they are done."""
    from discreet.lab import reproduce as figures

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InvalidInput(f"cannot make the folder {str(folder)!r}: {problem.strerror}") from None
    made, skipped = [], []
    for name in figures.FIGURES:
        needed = figures.about(name).needs_data
        if needed is not None and (settings["data"] is None or not (settings["data"] / f"{needed}.csv").is_file()):
            skipped.append({"name": name, "needs": f"{needed}.csv"})
            continue
        study, seconds = _made(name, settings)
        files = [folder / f"{name}.png", folder / f"{name}.csv"]
        check_picture(files[0])
        save_picture(study, files[0])
        _write(study, files[1])
        made.append({**_data(study, settings["full"], settings["seed"], seconds), "saved": [str(f) for f in files]})
        if not as_json:
            note(f"{name}: {seconds:.0f} s")
    found = {"command": "lab reproduce", "figures": made, "skipped": skipped}

    def view() -> RenderableType:
        lines: list[RenderableType] = [heading(f"{len(made)} figures", f"in {folder}")]
        lines += [Text(f"  {one['name']}: not made, needs {one['needs']} in --data DIR", "dim") for one in skipped]
        return Group(*lines)

    emit(found, view, as_json=as_json)


def _data(study: Study, full: bool, seed: int, seconds: float) -> dict[str, Any]:
    return {
        "command": "lab reproduce",
        "name": study.name,
        "title": study.title,
        "settings": study.settings,
        "full": full,
        "seed": seed,
        "seconds": round(seconds, 1),
    }


def _write(study: Study, path: Path) -> None:
    """The numbers, complete or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(study.frame)
            writer.writerows(zip(*study.frame.values(), strict=True))
        os.replace(temporary, path)
    except OSError as problem:
        raise InvalidInput(f"cannot write {str(path)!r}: {problem.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


def _list(as_json: bool) -> None:
    from discreet.lab import reproduce as figures

    found = [figures.about(name) for name in figures.FIGURES]
    data = {
        "command": "lab reproduce list",
        "figures": [
            {
                "name": one.name,
                "title": one.title,
                "source": one.source,
                "seconds": one.seconds,
                "full_seconds": one.full_seconds,
                "needs": None if one.needs_data is None else f"{one.needs_data}.csv",
            }
            for one in found
        ],
    }
    emit(data, lambda: _catalogue(found), as_json=as_json)


def _catalogue(found: list[About]) -> RenderableType:
    table = Table(box=None, padding=(0, 1, 0, 1), pad_edge=False, header_style="dim")
    table.add_column("name", no_wrap=True)
    table.add_column("what it shows", overflow="fold")
    table.add_column("reduced", justify="right", no_wrap=True)
    table.add_column("--full", justify="right", no_wrap=True)
    for one in found:
        words = Text(one.title).append(f"\n{one.source}", "dim")
        if one.needs_data is not None:
            words.append(f"\nreads {one.needs_data}.csv from --data DIR", "dim")
        table.add_row(one.name, words, _duration(one.seconds), _duration(one.full_seconds))
    return Group(heading("Figures", "times on one core, about"), "", table)


def _duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 90 else f"{round(seconds / 60)} min"


def _view(study: Study, saved: list[str]) -> RenderableType:
    parts: list[RenderableType] = [heading(study.title)]
    parts += [Text(f"  {line}", "dim") for line in study.settings.split("\n")]
    table = str(study).removeprefix(f"{study.title}\n{study.settings}\n").split("\n")
    if len(table) <= MOST_ROWS and max(map(len, table)) + 2 <= console().width:
        parts += ["", *(Text(f"  {line}", "dim" if line is table[0] else "") for line in table)]
    else:
        parts += ["", Text(f"  {len(table) - 1:,} rows of {', '.join(study.frame)}; --csv FILE writes them", "dim")]
    parts += [Text(f"  saved {file}", "dim") for file in saved]
    return Group(*parts)
