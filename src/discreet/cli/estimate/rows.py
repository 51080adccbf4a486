"""`discreet estimate synthesize`: made-up records with the law that a release estimates, as a CSV or Parquet file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from discreet.cli.frame_file import Force, backend, check_frame, save_frame
from discreet.cli.options import Json, example
from discreet.cli.output import emit, facts, heading, printable
from discreet.cli.progress import working
from discreet.cli.release_file import ReleaseFile, promise, read_release
from discreet.errors import InvalidInput

EXAMPLES = {"synthesize": example("discreet estimate synthesize t.json -o rows.csv --size 1000")}

MOST_ROWS = 10**7
SHOWN = 5
BEWARE = (
    "they have the law that the release estimates and tell nothing else about the records; tests and intervals belong to the "
    "release itself, whose noise these records hide"
)

Output = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="Where the records go (.csv or .parquet).", show_default=False),
]
Size = Annotated[
    int | None,
    typer.Option(
        "--size",
        metavar="N",
        min=0,
        max=MOST_ROWS,
        help="How many records; without it, the public n of the release.",
        show_default=False,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", min=0, help="Seed, to get the same records again.", show_default=False),
]


def synthesize(
    release: ReleaseFile,
    output: Output,
    size: Size = None,
    seed: Seed = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write synthetic records: as many as wanted, in the columns, categories and grids of the schema."""
    check_frame(output, force=force, inputs=[release])
    with working("drawing records"):
        from discreet.estimate import synthesize as draw

        given = read_release(release, "table", "histogram", "series", "sample", "cdf")
        if size is None and given.n is None:
            raise InvalidInput("n is not public in this release: say how many records with --size")
        import narwhals.stable.v2 as nw

        frame = nw.from_native(draw(given, size, seed, backend=backend()), eager_only=True)
        save_frame(frame.to_native(), output)
    data = {
        "command": "estimate synthesize",
        "release": str(release),
        "output": str(output),
        "rows": len(frame),
        "columns": list(frame.columns),
        "seed": seed,
        "guarantee": None if given.guarantee is None else given.guarantee.to_dict(),
    }
    emit(data, lambda: _view(data, frame.head(SHOWN).rows(), given), as_json=as_json)


def _view(data: dict[str, Any], rows: list[tuple[Any, ...]], release: Any) -> RenderableType:
    from discreet.cli.views.table import empty_table

    table = empty_table()
    for name in data["columns"]:
        table.add_column(Text(printable(name)), overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(f"{x:.12g}" if isinstance(x, float) else x)) for x in row))
    if len(rows) < data["rows"]:
        table.add_row(Text("…", "dim"))
    pairs: list[tuple[str, RenderableType]] = [
        ("records", BEWARE),
        ("guarantee", promise(release)),
        ("saved", data["output"]),
    ]
    return Group(heading(f"{data['rows']:,} synthetic records", f"from {data['release']}"), "", table, "", facts(pairs))
