"""A noisy histogram on the terminal: one line a cell with its interval and a bar, a grid where there are two columns."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.bar import bars
from discreet.cli.output import printable
from discreet.cli.views import table as table_view
from discreet.cli.views.table import LEVEL, LONGEST_LIST, TALLEST_GRID, Facts, empty_table, fits
from discreet.release.densities.drawn_text import cell_names, noise_in_words
from discreet.release.labels import shortened
from discreet.release.text import number

if TYPE_CHECKING:
    from discreet.release import CdfRelease, HistogramRelease, SeriesRelease
    from discreet.schema import Schema

accuracy = table_view.accuracy  # that of each count


def title(release: HistogramRelease) -> tuple[str, str]:
    """The columns, and how their counts are to be read."""
    return " by ".join(release.column_names), f"noisy counts of equal cells with {LEVEL:.0%} intervals"


def noise(release: HistogramRelease | SeriesRelease | CdfRelease) -> Facts:
    """The law of the noise, and the number of records."""
    return [("noise", noise_in_words(release) + ("" if release.n is None else f"; n = {release.n:,}"))]


def numbers(release: HistogramRelease) -> RenderableType:
    """The counts, as wide as the terminal allows."""
    if len(release.bins) == 2 and release.bins[0] <= TALLEST_GRID:
        grid = _grid(release)
        if fits(grid):
            return grid
    for drawn in (True, False):
        lines = _list(release, drawn=drawn)
        if fits(lines):
            return lines
    return _list(release, drawn=False, joined=True)


def made_up(schema: Schema, names: list[str], bins: int | list[int]) -> HistogramRelease:
    """A histogram of the same cells with made-up counts."""
    from discreet.release import HistogramRelease
    from discreet.release.densities.histogram import check_bins
    from discreet.schema import Schema

    part = Schema({name: schema.numeric(name) for name in names})
    cells = tuple(bins) if isinstance(bins, list) else (bins,) * len(names)
    check_bins(part, tuple(names), cells)
    drawn = (1,) * math.prod(cells)
    return HistogramRelease(
        schema=part, column_names=tuple(names), bins=cells, drawn=drawn, exponent=0, mechanism="Laplace", scale=1.0
    )


def as_data(release: HistogramRelease) -> dict[str, Any]:
    """The noisy counts and what they are, as plain data; the arrays are nested in the order of the columns."""
    low, high = release.interval(LEVEL)
    return {
        "columns": list(release.column_names),
        "bins": list(release.bins),
        "edges": [edges.tolist() for edges in release.edges],
        "counts": release.counts.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "level": LEVEL,
        **drawn_data(release),
        "noise_sd": release.sd,
    }


def drawn_data(release: HistogramRelease | SeriesRelease | CdfRelease) -> dict[str, Any]:
    """What releases with noise on a vector have in common, as plain data."""
    return {
        "n": release.n,
        "adjacency": release.adjacency,
        "mechanism": release.mechanism,
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
    }


def _grid(release: HistogramRelease) -> Table:
    rows, columns = cell_names(release)
    first, second = release.column_names
    table = empty_table()
    table.add_column(Text.assemble(_label(first), (" \\ ", "dim"), _label(second)), no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for name, counts in zip(rows, release.counts.tolist(), strict=True):
        table.add_row(name, *(number(x, release.sd) for x in counts))
    table.caption = f"each ± {number(release.half_width(LEVEL), release.sd)}"
    table.caption_justify = "left"
    return table


def _list(release: HistogramRelease, *, drawn: bool, joined: bool = False) -> Table:
    shown = release.size if release.size <= LONGEST_LIST else LONGEST_LIST - 4
    low, high = (bound.ravel()[:shown].tolist() for bound in release.interval(LEVEL))
    counts = release.counts.ravel()[:shown].tolist()
    table = empty_table()
    names = [_label(name) for name in release.column_names]
    for name in [Text(" · ", "dim").join(names)] if joined else names:
        table.add_column(name, no_wrap=not joined, overflow="fold")
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column(f"{LEVEL:.0%} interval", justify="right", no_wrap=True, style="dim")
    if drawn:
        table.add_column("", no_wrap=True)
    cells = zip(range(shown), product(*cell_names(release)), bars(counts), strict=False)
    for i, cell, bar in cells:
        interval = f"[{number(low[i], release.sd)}, {number(high[i], release.sd)}]"
        first = [" · ".join(cell)] if joined else list(cell)
        table.add_row(*first, number(counts[i], release.sd), interval, *([bar] if drawn else []))
    if shown < release.size:
        table.add_row(Text(f"… {release.size - shown:,} more cells", "dim"))
    return table


def _label(text: str) -> Text:
    return Text(printable(shortened(text)))
