"""`discreet test independence --many FILE`: one p-value for each table of a file, adjusted for there being many."""

from __future__ import annotations

import csv
import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table

from discreet.cli.boundary import usage_error
from discreet.cli.files import check_output
from discreet.cli.output import emit, facts, heading, printable, probability, warning
from discreet.cli.progress import working
from discreet.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.inference.observed import CellNoise

SHOWN = 10
LAWS = {
    "laplace": "Laplace",
    "gaussian": "Gaussian",
    "projected-gaussian": "ProjectedGaussian",
    "discrete-laplace": "DiscreteLaplace",
    "discrete-gaussian": "DiscreteGaussian",
}

Many = Annotated[
    Path | None,
    typer.Option(
        "--many",
        metavar="FILE",
        help="Instead of a release: a CSV or Parquet file of many noisy tables, a line a cell, with the columns table, row, "
        "column and count.",
        show_default=False,
    ),
]
TableColumn = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="With --many: the column that says which table.", show_default=False),
]
CountColumn = Annotated[
    str | None,
    typer.Option("--count", metavar="NAME", help="With --many: the column of noisy counts.", show_default=False),
]
NoiseLaw = Annotated[
    str | None,
    typer.Option(
        "--noise",
        metavar="LAW:SCALE",
        help=f"With --many: the noise in every cell, such as laplace:4; one of {', '.join(LAWS)}.",
        show_default=False,
    ),
]
PublicN = Annotated[
    str | None,
    typer.Option(
        "--n",
        metavar="N|NAME",
        help="With --many: the public number of records in every table, or the column that has it; else it is estimated.",
        show_default=False,
    ),
]
Adjust = Annotated[
    str | None,
    typer.Option(
        "--adjust",
        metavar="METHOD",
        help="With --many: adjust the p-values by benjamini-hochberg, benjamini-yekutieli or holm.",
        show_default=False,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="With --many: save all p-values (CSV).", show_default=False),
]
Force = Annotated[bool, typer.Option("--force", help="With --many: overwrite the file of p-values.")]


def noise_of(text: str) -> CellNoise:
    """The law that `LAW:SCALE` names.

    >>> noise_of("laplace:4")
    Laplace(scale=4.0)
    """
    import discreet.noise

    name, _, scale = text.partition(":")
    known = {key: law for key, law in LAWS.items() if hasattr(discreet.noise, law)}
    if name.strip().lower() not in known or not scale:
        raise InvalidInput(
            f"--noise is a law and its scale, such as laplace:4, with one of {', '.join(known)}; not {text!r}"
        )
    try:
        size = float(scale)
    except ValueError:
        raise InvalidInput(f"the scale in --noise must be a number, as in laplace:4, not {scale!r}") from None
    law: CellNoise = getattr(discreet.noise, known[name.strip().lower()])(size)
    return law


def test_many(
    path: Path,
    *,
    names: dict[str, str],
    noise: str | None,
    n: str | None,
    statistic: str,
    null: str,
    seed: int | None,
    adjust: str | None,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Read the tables, test each, adjust, save and print."""
    import numpy as np

    from discreet.cli.many_tables import read_long, same_shapes
    from discreet.inference import adjust_pvalues, independence_many

    if noise is None:
        raise usage_error("--many needs --noise, the law of the noise in the cells, such as --noise laplace:4")
    law = noise_of(noise)
    if output is not None:
        check_output(output, force=force, inputs=[path])
    public, n_column = _number_or_name(n)
    if adjust is not None:
        adjust_pvalues([], adjust)  # an unknown method is refused before the work
    with working("testing the tables"):
        identities, groups, incomplete = same_shapes(read_long(path, names, n_column))
        pvalues = np.full(len(identities), np.nan)
        rng = np.random.default_rng(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the tables without a p-value are named below, as the file names them
            for group in groups:
                if min(group.cells.shape[1:]) < 2:
                    continue
                size = public if group.n is None else group.n
                pvalues[group.places] = independence_many(group.cells, law, size, statistic, null, rng)
        adjusted = None if adjust is None else adjust_pvalues(pvalues, adjust)
    beware = _without(identities, pvalues, len(incomplete))
    if output is not None:
        _save(output, identities, pvalues, adjusted)
    results = [
        {"table": _plain(identity), "pvalue": float(p)} | ({} if adjusted is None else {"adjusted": float(adjusted[i])})
        for i, (identity, p) in enumerate(zip(identities, pvalues, strict=True))
    ]
    data = {
        "command": "test independence",
        "many": str(path),
        "noise": noise,
        "n": public if n_column is None else n_column,
        "statistic_name": statistic,
        "null": null,
        "adjust": adjust,
        "tables": len(identities),
        "results": results,
        "warnings": beware,
        "output": None if output is None else str(output),
    }
    emit(data, lambda: _view(data, results, output), as_json=as_json)


test_many.__test__ = False  # type: ignore[attr-defined]  # not a test, whatever pytest makes of the name


def _number_or_name(n: str | None) -> tuple[float | None, str | None]:
    if n is None:
        return None, None
    try:
        number = float(n.replace(",", ""))
    except ValueError:
        return None, n
    if not (math.isfinite(number) and number > 0):
        raise InvalidInput(f"--n must be a positive number of records, or the name of a column, not {n!r}")
    return number, None


def _plain(identity: Any) -> Any:
    return identity if isinstance(identity, str | int | float | bool | None) else str(identity)


def _without(identities: list[Any], pvalues: Any, incomplete: int) -> list[str]:
    """One warning that names the tables without a p-value."""
    lost = [str(identity) for identity, p in zip(identities, pvalues, strict=True) if math.isnan(p)]
    if not lost:
        return []
    named = ", ".join(lost[:SHOWN]) + (", ..." if len(lost) > SHOWN else "")
    why = "a row or column total is not above 0, a count is missing or not finite, or there is only one row or column"
    return [f"{len(lost):,} of {len(identities):,} tables have no p-value ({incomplete:,} lack a cell): {named}; {why}"]


def _save(path: Path, identities: list[Any], pvalues: Any, adjusted: Any | None) -> None:
    columns = [pvalues] if adjusted is None else [pvalues, adjusted]
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["table", "pvalue", "adjusted"][: 1 + len(columns)])
            for identity, *numbers in zip(identities, *columns, strict=True):
                writer.writerow([identity, *("" if math.isnan(p) else repr(float(p)) for p in numbers)])
    except OSError as problem:
        raise InvalidInput(f"cannot write to {str(path)!r}: {problem.strerror}") from None


def _view(data: dict[str, Any], results: list[dict[str, Any]], output: Path | None) -> RenderableType:
    made = [result for result in results if not math.isnan(result["pvalue"])]
    key = "pvalue" if data["adjust"] is None else "adjusted"
    kind = "p-values" if data["adjust"] is None else f"{data['adjust']} adjusted p-values"
    below = sum(result[key] <= 0.05 for result in made)
    n = "estimated in each table" if data["n"] is None else data["n"]
    pairs: list[tuple[str, Any]] = [
        ("noise", data["noise"]),
        ("n", n if isinstance(n, str) else f"{n:,.10g}"),
        ("tested", f"{len(made):,} of {data['tables']:,} tables"),
        ("at most .05", f"{below:,} {kind}"),
    ]
    pairs += [("beware", warning(text)) for text in data["warnings"]]
    if output is not None:
        pairs.append(("saved", str(output)))
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", border_style="bright_black", show_edge=False)
    table.add_column("smallest" if len(made) > SHOWN else "table", overflow="fold")
    table.add_column("p-value", justify="right", no_wrap=True)
    if data["adjust"] is not None:
        table.add_column("adjusted", justify="right", no_wrap=True)
    for result in sorted(made, key=lambda result: result["pvalue"])[:SHOWN]:
        numbers = [probability(result[name]) for name in ("pvalue", "adjusted") if name in result]
        table.add_row(printable(result["table"]), *numbers)
    return Group(heading("Independence", Path(data["many"]).name), "", facts(pairs), "", table)
