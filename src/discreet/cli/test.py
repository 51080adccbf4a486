"""`discreet test`: tests on released tables and moments. Needs no records, no ledger and none of the curator's dependencies."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.boundary import usage_error
from discreet.cli.files import check_picture, save_picture
from discreet.cli.hotelling import EPILOG, hotelling
from discreet.cli.many import Adjust, CountColumn, Force, Many, NoiseLaw, Output, PublicN, TableColumn, test_many
from discreet.cli.options import Json, Plot, example
from discreet.cli.output import emit
from discreet.cli.progress import working
from discreet.cli.views.result import result_view
from discreet.errors import FormatError, InvalidInput

if TYPE_CHECKING:
    from discreet.inference import TestResult
    from discreet.release import TableRelease

group = typer.Typer(
    no_args_is_help=True,
    help="Test hypotheses on released tables and means, validly under their noise. Spends nothing.",
    short_help="Test hypotheses on released tables and means.",
)

Release = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="A release file (JSON, Parquet or Arrow).", show_default=False)
]
MaybeRelease = Annotated[
    Path | None, typer.Argument(metavar="RELEASE", help="A release file (JSON, Parquet or Arrow).", show_default=False)
]
Releases = Annotated[
    list[Path],
    typer.Argument(
        metavar="RELEASE...",
        help="One release file a sample, or one two-way release whose rows are the samples.",
        show_default=False,
    ),
]
Statistic = Annotated[
    str,
    typer.Option(
        "--statistic", metavar="chi2|lr|projected|minp", help="Which statistic: see the page Which statistic."
    ),
]
Null = Annotated[
    str,
    typer.Option(
        "--null",
        metavar="METHOD",
        help="How the null is computed: auto, closed-form, conditional, monte-carlo or bootstrap.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="N", min=0, help="Seed of the simulation, to repeat a result exactly.", show_default=False
    ),
]
Rows = Annotated[
    str | None, typer.Option("--rows", metavar="A", help="Of a wider release: this column,", show_default=False)
]
Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="B", help="and this one; the others are summed out.", show_default=False),
]
Theta = Annotated[
    str,
    typer.Option(
        "--theta",
        metavar="P,Q,...",
        help="The probability of each cell, row by row: decimals or fractions such as 1/3.",
        show_default=False,
    ),
]


@group.command(
    "independence",
    epilog=example(
        "discreet test independence t.json --plot t.png",
        "discreet test independence --many t.parquet --noise laplace:4 --adjust holm",
        heading="Examples:",
    ),
)
def independence(
    release: MaybeRelease = None,
    rows: Rows = None,
    columns: Columns = None,
    statistic: Statistic = "chi2",
    null: Null = "auto",
    seed: Seed = None,
    plot: Plot = None,
    many: Many = None,
    table: TableColumn = None,
    count: CountColumn = None,
    noise: NoiseLaw = None,
    n: PublicN = None,
    adjust: Adjust = None,
    output: Output = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Are two columns of a released table independent?"""
    if (release is None) == (many is None):
        raise usage_error("missing argument 'RELEASE'" if release is None else "give a RELEASE or --many, not both")
    if many is not None:
        if plot is not None:
            raise usage_error("--plot is for a single release")
        names = {
            "table": table or "table",
            "row": rows or "row",
            "column": columns or "column",
            "count": count or "count",
        }
        test_many(
            many,
            names=names,
            noise=noise,
            n=n,
            statistic=statistic,
            null=null,
            seed=seed,
            adjust=adjust,
            output=output,
            force=force,
            as_json=as_json,
        )
        return
    if force or any(option is not None for option in (table, count, noise, n, adjust, output)):
        raise usage_error("--table, --count, --noise, --n, --adjust, --output and --force go with --many only")
    if (rows is None) != (columns is None):
        raise usage_error("--rows and --columns go together")
    assert release is not None

    def run(tables: list[TableRelease]) -> TestResult:
        from discreet.inference import independence as test

        return test(tables[0], rows, columns, statistic=statistic, null=null, rng=seed)

    _run("test independence", [release], run, plot, as_json)


@group.command("goodness-of-fit", epilog=example("discreet test goodness-of-fit t.json --theta 0.25,0.25,0.5"))
def goodness_of_fit(
    release: Release,
    theta: Theta,
    statistic: Statistic = "chi2",
    null: Null = "auto",
    seed: Seed = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Do the cells of a released table follow given probabilities?"""
    probabilities = _probabilities(theta)

    def run(tables: list[TableRelease]) -> TestResult:
        import numpy as np

        from discreet.inference import goodness_of_fit as test

        (table,) = tables
        if len(probabilities) != table.counts.size:
            raise InvalidInput(
                f"the table has {table.counts.size} cells ({' x '.join(map(str, table.shape))}), but --theta has "
                f"{len(probabilities)} numbers: give one a cell, row by row"
            )
        return test(table, np.reshape(probabilities, table.shape), statistic=statistic, null=null, rng=seed)

    _run("test goodness-of-fit", [release], run, plot, as_json)


@group.command("homogeneity", epilog=example("discreet test homogeneity north.json south.json"))
def homogeneity(
    releases: Releases,
    statistic: Statistic = "chi2",
    null: Null = "auto",
    seed: Seed = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Do several samples have the same cell probabilities?"""

    def run(tables: list[TableRelease]) -> TestResult:
        from discreet.inference import homogeneity as test

        if len(tables) == 1 and len(tables[0].shape) != 2:
            raise InvalidInput(
                "give at least two releases, one a sample, or one two-way release whose rows are the samples"
            )
        return test(*tables, statistic=statistic, null=null, rng=seed)

    _run("test homogeneity", releases, run, plot, as_json)


group.command("hotelling", epilog=EPILOG)(hotelling)


def _run(
    command: str,
    paths: list[Path],
    run: Callable[[list[TableRelease]], TestResult],
    plot: Path | None,
    as_json: bool,
) -> None:
    """What all tests do: read the releases, test, save the picture, print."""
    check_picture(plot, inputs=paths)
    with working("computing the null distribution"):
        result = run([_read(path) for path in paths])
        effect = result.effect
        if plot is not None:
            save_picture(result, plot)
    data = {
        "command": command,
        "releases": [str(path) for path in paths],
        **result.to_dict(),
        "plot": None if plot is None else str(plot),
    }
    emit(data, lambda: result_view(result, str(effect), plot), as_json=as_json)


def _read(path: Path) -> TableRelease:
    from discreet.release import TableRelease, load

    release = load(path)
    if not isinstance(release, TableRelease):
        raise FormatError(f"{str(path)!r} holds a {type(release).__name__}; this test needs a TableRelease")
    return release


def _probabilities(text: str) -> list[float]:
    try:
        return [float(Fraction(part.strip())) for part in text.split(",")]
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InvalidInput(
            f"--theta must be numbers separated by commas, such as 0.25,0.25,0.5 or 1/4,1/4,1/2, not {text!r}"
        ) from None
