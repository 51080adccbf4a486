"""The options of releases of distributions and selections, and how their texts become values."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.boundary import usage_error

if TYPE_CHECKING:
    from discreet.mechanisms import SampleSpecification


class SampleMechanismName(StrEnum):
    """What `--mechanism` of a sample may be."""

    KS = "ks"
    MEAN = "mean"
    SERIES = "series"
    SMOOTHED = "smoothed"


Column = Annotated[str, typer.Option("--column", metavar="NAME", help="The numeric column.", show_default=False)]
Axes = Annotated[
    str,
    typer.Option(
        "--column",
        "--columns",
        metavar="A[,B]",
        help="The numeric column; with several, separated by commas, their boxes are counted.",
        show_default=False,
    ),
]
Bins = Annotated[
    str,
    typer.Option(
        "--bins",
        metavar="M[,K]",
        help="The number of equal cells of the declared bounds, or one for each column; chosen without the records.",
        show_default=False,
    ),
]
Terms = Annotated[
    int,
    typer.Option("--terms", metavar="M", help="The number of cosines; chosen without the records.", show_default=False),
]
Points = Annotated[
    int | None,
    typer.Option(
        "--points",
        metavar="T",
        help="The number of equal cells of the declared bounds; without it 1024, or the grid steps if fewer.",
        show_default=False,
    ),
]
Size = Annotated[
    int | None,
    typer.Option(
        "--size",
        metavar="K",
        help="How many points; without it, a number that suits n and epsilon.",
        show_default=False,
    ),
]
SampleMechanism = Annotated[
    SampleMechanismName,
    typer.Option(
        "--mechanism",
        metavar="NAME",
        help="What the sample is near to the records in: ks (distribution functions), mean (one point), series (with "
        "--terms); or smoothed, draws from a histogram mixed with the uniform distribution.",
    ),
]
SeriesTerms = Annotated[
    int | None,
    typer.Option("--terms", metavar="M", help="With --mechanism series: the number of cosines.", show_default=False),
]
SmoothedCells = Annotated[
    int | None,
    typer.Option(
        "--cells",
        metavar="M",
        help="With --mechanism smoothed: the number of equal cells; without it n^(1/7).",
        show_default=False,
    ),
]
UniformShare = Annotated[
    float | None,
    typer.Option(
        "--uniform-share",
        metavar="X",
        help="With --mechanism smoothed: the share of the uniform distribution; without it the smallest that is private.",
        show_default=False,
    ),
]
Score = Annotated[
    Path | None,
    typer.Option(
        "--score",
        metavar="FILE",
        help="Candidates other than the cells of the table, and what a record in each cell adds to their scores (CSV).",
        show_default=False,
    ),
]


def bins_of(text: str) -> int | list[int]:
    """Whole numbers separated by commas; one alone is for every column.

    >>> bins_of("20"), bins_of("10, 5")
    (20, [10, 5])
    """
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise usage_error(
            f"--bins must be whole numbers separated by commas, such as 20 or 10,5, not {text!r}"
        ) from None
    return numbers[0] if len(numbers) == 1 else numbers


def sample_mechanism_of(
    name: SampleMechanismName, terms: int | None, cells: int | None, share: float | None
) -> SampleSpecification:
    """The specification of that name, with its own options."""
    from discreet.mechanisms import Exponential, MeanDistance, SeriesDistance, SmoothedHistogram

    if name is not SampleMechanismName.SERIES and terms is not None:
        raise usage_error("--terms goes with --mechanism series")
    if name is not SampleMechanismName.SMOOTHED and (cells is not None or share is not None):
        raise usage_error("--cells and --uniform-share go with --mechanism smoothed")
    if name is SampleMechanismName.SMOOTHED:
        return SmoothedHistogram(cells, share)
    if name is SampleMechanismName.MEAN:
        return Exponential(MeanDistance())
    if name is SampleMechanismName.SERIES:
        if terms is None:
            raise usage_error("--mechanism series needs --terms, the number of cosines")
        return Exponential(SeriesDistance(terms))
    return Exponential()
