"""A release that a command reads: which kinds it can use, and what is said of the one it was given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.errors import FormatError, InvalidInput

if TYPE_CHECKING:
    from discreet.release import HistogramRelease, SeriesRelease, TableRelease

ReleaseFile = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="A saved release (JSON, Parquet or Arrow).", show_default=False)
]

KINDS = {
    "TableRelease": "table",
    "HistogramRelease": "histogram",
    "SeriesRelease": "series",
    "SampleRelease": "sample",
    "CdfRelease": "cdf",
    "MeanRelease": "mean",
    "MomentsRelease": "moments",
    "SelectionRelease": "select",
}
"""The type of each release, and the command `discreet release ...` that makes it."""


def read_release(path: Path, *kinds: str) -> Any:
    """The release of that file, if it is of one of these kinds."""
    from discreet.release import load

    release = load(path)
    kind = KINDS.get(type(release).__name__, type(release).__name__)
    if kind not in kinds:
        wanted = f"{', '.join(kinds[:-1])} or {kinds[-1]}" if len(kinds) > 1 else kinds[0]
        raise FormatError(f"{str(path)!r} holds a release of kind {kind}; this command needs {wanted}")
    return release


def promise(release: Any) -> str:
    """What post-processing keeps."""
    return f"{release.guarantee}, as the release; nothing is spent" if release.guarantee else "none is recorded"


def cells_of(release: TableRelease | HistogramRelease | SeriesRelease) -> tuple[list[str], list[tuple[str, ...]]]:
    """The names of the axes, and the labels of each cell in row-major order."""
    from itertools import product

    from discreet.release import HistogramRelease, SeriesRelease
    from discreet.release.densities.drawn_text import cell_names

    if isinstance(release, SeriesRelease):
        return ["term"], [(str(j + 1),) for j in range(release.terms)]
    labels = cell_names(release) if isinstance(release, HistogramRelease) else release.labels
    return list(release.column_names), list(product(*labels))


def numbers_of(option: str, text: str) -> list[float]:
    """Numbers separated by commas.

    >>> numbers_of("--at", "0.25, 0.5")
    [0.25, 0.5]
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"{option} must be numbers separated by commas, such as 0.25,0.5, not {text!r}") from None
    if not all(abs(x) < float("inf") for x in numbers):
        raise InvalidInput(f"{option} must be finite numbers, not {text!r}")
    return numbers
