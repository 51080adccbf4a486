"""`discreet estimate density`, `quantile` and `cdf-band`: the distribution of a column, from a release of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from discreet.cli.boundary import usage_error
from discreet.cli.files import check_picture, save_picture
from discreet.cli.frame_file import Force, Rows, backend, check_frame, save_frame
from discreet.cli.options import Json, Plot, example
from discreet.cli.output import emit
from discreet.cli.progress import working
from discreet.cli.release_file import ReleaseFile, numbers_of, promise, read_release
from discreet.errors import InvalidInput

EXAMPLES = {
    "density": example(
        "discreet estimate density h.json --plot density.png",
        "discreet estimate density h.json --at 3500,4000 -o density.csv",
        heading="Examples:",
    ),
    "quantile": example("discreet estimate quantile f.json --at 0.1,0.5,0.9"),
    "cdf-band": example("discreet estimate cdf-band f.json --level 0.9 --plot band.png"),
}
KINDS = ("histogram", "series", "sample", "cdf")
LEVEL = 0.95

OfColumn = Annotated[
    str | None,
    typer.Option("--column", metavar="NAME", help="For a histogram of several columns: which one.", show_default=False),
]
Values = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="X,...", help="Also the density, and the share below, at these values.", show_default=False
    ),
]
Probabilities = Annotated[str, typer.Option("--at", metavar="P,...", help="Probabilities from 0 to 1.")]
Level = Annotated[float, typer.Option("--level", metavar="X", help="The level of the band.")]
LevelOfCdf = Annotated[
    float | None,
    typer.Option(
        "--level", metavar="X", help="For a cdf release: the level of all intervals at once (0.95).", show_default=False
    ),
]
Population = Annotated[
    bool, typer.Option("--population", help="About the population that the records were drawn from, not the records.")
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="N", min=0, help="Seed of the simulation of noise, to repeat it exactly.", show_default=False
    ),
]
Simulations = Annotated[
    int, typer.Option("--simulations", metavar="B", help="How often the noise is simulated; a high level needs many.")
]


def density(
    release: ReleaseFile,
    column: OfColumn = None,
    at: Values = None,
    plot: Plot = None,
    output: Rows = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """The density of a column, with its quartiles: never negative, and of total 1."""
    from discreet.cli.views import density as density_view

    inputs = [release]
    check_frame(output, force=force, inputs=inputs)
    check_picture(plot, inputs=[*inputs, *([] if output is None else [output])])
    values = [] if at is None else numbers_of("--at", at)
    given = read_release(release, *KINDS)
    found = _density_of(given, column)
    boxes = hasattr(found, "names")
    if boxes and at is not None:
        raise InvalidInput(f"--at is for one column: choose it with --column, one of {', '.join(found.names)}")
    if output is not None:
        from discreet.release.frames import to_frame

        save_frame(to_frame(density_view.cells(found), backend()), output)
    if plot is not None:
        save_picture(found, plot)
    data: dict[str, Any] = {
        "command": "estimate density",
        "release": str(release),
        "columns": list(found.names) if boxes else [found.name],
        **density_view.as_data(found),
        "at": density_view.at_values(found, values),
        "guarantee": None if given.guarantee is None else given.guarantee.to_dict(),
        "plot": None if plot is None else str(plot),
        "output": None if output is None else str(output),
    }
    emit(data, lambda: density_view.view(found, data, promise(given), _saved(plot, output)), as_json=as_json)


def quantile(
    release: ReleaseFile,
    at: Probabilities = "0.05,0.25,0.5,0.75,0.95",
    column: OfColumn = None,
    level: LevelOfCdf = None,
    population: Population = False,
    simulations: Simulations = 9999,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Quantiles of a column; from a cdf release with intervals, all of which hold at once."""
    from discreet.cli.views import density as density_view

    probabilities = numbers_of("--at", at)
    given = read_release(release, *KINDS)
    found = _density_of(given, column)
    if hasattr(found, "names"):
        raise InvalidInput(f"several columns have no order: choose one with --column, of {', '.join(found.names)}")
    values = found.quantile(probabilities).tolist()
    banded = type(given).__name__ == "CdfRelease"
    if not banded and (level is not None or population or seed is not None):
        raise usage_error("--level, --population and --seed are for a cdf release: only that has intervals")
    rows: list[dict[str, Any]] = [{"probability": p, "quantile": x} for p, x in zip(probabilities, values, strict=True)]
    if banded:
        with working("simulating the noise"):
            from discreet.estimate import cdf_band as band_of

            band = band_of(
                given, LEVEL if level is None else level, population=population, simulations=simulations, rng=seed
            )
        for row, low, high in zip(rows, *(end.tolist() for end in band.quantile(probabilities)), strict=True):
            row |= {"low": low, "high": high}
    data = {
        "command": "estimate quantile",
        "release": str(release),
        "column": found.name,
        "quantiles": rows,
        "level": band.level if banded else None,
        "population": population if banded else None,
        "guarantee": None if given.guarantee is None else given.guarantee.to_dict(),
    }
    emit(data, lambda: density_view.quantiles(data, release.name, promise(given)), as_json=as_json)


def cdf_band(
    release: ReleaseFile,
    level: Level = LEVEL,
    population: Population = False,
    simulations: Simulations = 9999,
    seed: Seed = None,
    plot: Plot = None,
    output: Rows = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """A band that holds the whole distribution function at once, with the noise accounted for."""
    from discreet.cli.views import density as density_view

    check_frame(output, force=force, inputs=[release])
    check_picture(plot, inputs=[release, *([] if output is None else [output])])
    given = read_release(release, "cdf")
    with working("simulating the noise"):
        from discreet.estimate import cdf_band as band_of

        band = band_of(given, level, population=population, simulations=simulations, rng=seed)
    numbers = {
        "below": band.edges.tolist(),
        "estimate": band.estimate.tolist(),
        "low": band.lower.tolist(),
        "high": band.upper.tolist(),
    }
    if output is not None:
        from discreet.release.frames import to_frame

        save_frame(to_frame(numbers, backend()), output)
    if plot is not None:
        save_picture(band, plot)
    data = {
        "command": "estimate cdf-band",
        "release": str(release),
        "column": band.name,
        "level": band.level,
        "population": population,
        "half_width": band.half_width,
        **numbers,
        "guarantee": None if given.guarantee is None else given.guarantee.to_dict(),
        "plot": None if plot is None else str(plot),
        "output": None if output is None else str(output),
    }
    emit(data, lambda: density_view.band(band, promise(given), _saved(plot, output)), as_json=as_json)


def _density_of(release: Any, column: str | None) -> Any:
    from discreet.estimate import density as estimate

    found = estimate(release)
    if hasattr(found, "marginal"):
        return found if column is None else found.marginal(column)
    if column is not None and column != found.name:
        raise InvalidInput(f"this is a release of column {found.name!r}, not {column!r}")
    return found


def _saved(*paths: Path | None) -> list[tuple[str, RenderableType]]:
    names = ", ".join(str(path) for path in paths if path is not None)
    return [("saved", names)] if names else []
