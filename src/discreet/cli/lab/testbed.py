"""`discreet lab testbed`: what a statistic would do under privacy if the margins were public. Not a release."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from discreet.cli.lab.design import Seed
from discreet.cli.options import Json, example
from discreet.cli.output import emit, facts, heading, probability, warning
from discreet.cli.progress import working
from discreet.errors import FormatError, InvalidInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.lab.testbed import TestbedStudy

EXAMPLE = example("discreet lab testbed table.csv --statistic diff --epsilon 0.2 --perturb output")

NOT_A_RELEASE = "a laboratory, not a release: margins and the p without noise are unprotected"


class Perturbed(StrEnum):
    """What `--perturb` may be."""

    INPUT = "input"
    OUTPUT = "output"


TableFile = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE.csv",
        help="Counts: a header of column labels, then a line a row; the first column may hold the row labels.",
        show_default=False,
    ),
]
Statistic = Annotated[str, typer.Option("--statistic", metavar="NAME", help="chi2, lr, ll or diff.")]
EpsilonMN = Annotated[
    float,
    typer.Option("--epsilon", metavar="X", help="Of differential privacy with public margins.", show_default=False),
]
Perturb = Annotated[
    Perturbed, typer.Option("--perturb", metavar="NAME", help="Noise on the input (cells) or the output.")
]
Permutations = Annotated[int, typer.Option("--permutations", metavar="M", help="Tables of permuted records.")]
Repeats = Annotated[int, typer.Option("--repeats", metavar="K", help="Draws of the noise.")]


def run_testbed(
    table: TableFile,
    epsilon: EpsilonMN,
    statistic: Statistic = "chi2",
    perturb: Perturb = Perturbed.INPUT,
    permutations: Permutations = 10_000,
    repeats: Repeats = 100,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Put a statistic on the permutation testbed: private p-values of one table whose margins are taken as public."""
    with working("permuting records"):
        from discreet.lab.testbed import run

        counts = read_counts(table)
        study = run(counts, statistic, epsilon, perturb.value, permutations, repeats, rng=seed)
    low, high = study.quantiles()
    power, power_low, power_high = study.power()
    data = {
        "command": "lab testbed",
        "table": str(table),
        "shape": list(counts.shape),
        "n": int(counts.sum()),
        "statistic": study.statistic,
        "perturb": study.perturb,
        "epsilon": study.epsilon,
        "sensitivity": study.sensitivity,
        "permutations": permutations,
        "repeats": repeats,
        "seed": seed,
        "mean_pvalue": study.mean,
        "mean_pvalue_error": study.mean_error,
        "pvalue_low": low,
        "pvalue_high": high,
        "rejected": {"level": 0.05, "share": power, "low": power_low, "high": power_high},
        "without_noise": study.without_noise,
        "note": NOT_A_RELEASE,
    }
    emit(data, lambda: _view(study, int(counts.sum()), counts.shape), as_json=as_json)


def _view(study: TestbedStudy, n: int, shape: tuple[int, ...]) -> RenderableType:
    low, high = study.quantiles()
    power, power_low, power_high = study.power()
    rows: list[tuple[str, RenderableType]] = [
        ("epsilon", f"{study.epsilon:g}, margins public"),
        ("sensitivity", f"{study.sensitivity:.4g} of the {'cells' if study.perturb == 'input' else 'statistic'}"),
        ("mean p-value", f"{probability(study.mean)}, standard error {study.mean_error:.2g}"),
        ("80 % of them", f"from {probability(low)} to {probability(high)}"),
        (
            "p <= 0.05 in",
            f"{power:.0%} of {len(study.pvalues)} draws (95 % interval {power_low:.1%} to {power_high:.1%})",
        ),
        ("without noise", f"p = {probability(study.without_noise)}"),
    ]
    return Group(
        heading(f"Testbed: {study.statistic}, {study.perturb} perturbed", f"{' x '.join(map(str, shape))}, n = {n:,}"),
        "",
        facts(rows),
        "",
        Text("  ").append_text(warning(NOT_A_RELEASE)),
    )


def read_counts(path: Path) -> NDArray[np.int64]:
    """A table of whole counts from a CSV file with a header."""
    import csv

    import numpy as np

    if not path.is_file():
        raise InvalidInput(f"there is no file {str(path)!r}")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise FormatError(f"{str(path)!r} cannot be read as CSV") from None
    if len(lines) < 3 or len({len(line) for line in lines}) != 1:
        raise FormatError(f"{str(path)!r} must hold a header and two or more rows of the same length")
    rows = [[cell.strip() for cell in line] for line in lines[1:]]
    if not all(_is_count(row[0]) for row in rows):
        rows = [row[1:] for row in rows]
    for number, row in enumerate(rows, start=2):
        for cell in row:
            if not _is_count(cell):
                raise FormatError(
                    f"line {number} of {str(path)!r} holds {cell!r}, which is no whole number of at least 0"
                )
    if all(_is_count(cell.strip()) for cell in lines[0][-len(rows[0]) :]):
        raise FormatError(f"the first line of {str(path)!r} must be a header of labels, not counts")
    return np.array([[int(cell) for cell in row] for row in rows], np.int64)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 15
