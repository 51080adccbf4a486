"""A noisy distribution function on the terminal: the share of the records below some of its edges, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from discreet.cli.views import histogram as histogram_view
from discreet.cli.views.table import LEVEL, Facts, empty_table
from discreet.release.densities.drawn_text import noise_in_words

if TYPE_CHECKING:
    from discreet.curator import Price
    from discreet.release import CdfRelease
    from discreet.schema import Schema

SHOWN = 16  # edges


def title(release: CdfRelease) -> tuple[str, str]:
    """The column, and how its numbers are to be read."""
    return release.column_name, f"noisy share of the records below, with {LEVEL:.0%} intervals"


def noise(release: CdfRelease) -> Facts:
    """The law of the noise, the number of records, and what the intervals mean."""
    size = "" if release.n is None else f"; n = {release.n:,}"
    meant = "one edge at a time; 'discreet estimate cdf-band' makes a band that holds for all at once"
    return [("noise", f"{noise_in_words(release)} records{size}"), ("intervals", meant)]


def numbers(release: CdfRelease) -> RenderableType:
    """The share below some of the edges, spread evenly."""
    n, size = float(release.n or 1), len(release.drawn)
    low, high = (bound / n for bound in release.interval(LEVEL))
    shown = np.unique(np.linspace(0, size - 1, min(size, SHOWN)).round().astype(int)).tolist()
    table = empty_table()
    table.add_column("below", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column(f"{LEVEL:.0%} interval", justify="right", no_wrap=True, style="dim")
    for i in shown:
        edge, share = f"{release.edges[i + 1]:.6g}", f"{release.cumulative[i] / n:z.3f}"
        table.add_row(edge, share, f"[{low[i]:z.3f}, {high[i]:z.3f}]")
    if len(shown) < size:
        table.add_row(Text(f"({len(shown)} of {size:,} edges)", "dim"))
    return table


def made_up(schema: Schema, name: str, points: int | None) -> CdfRelease:
    """A distribution function at as many points with made-up numbers."""
    from discreet.mechanisms.densities.square_root import MOST_CELLS
    from discreet.release import CdfRelease
    from discreet.schema import Schema

    column = schema.numeric(name)
    cells = min(column.steps, MOST_CELLS, MOST_CELLS if points is None else max(2, points))
    part, drawn = Schema({name: column}), (1,) * (cells - 1)
    return CdfRelease(schema=part, column_name=name, drawn=drawn, exponent=0, mechanism="Gaussian", scale=1.0, n=1)


def as_data(release: CdfRelease) -> dict[str, Any]:
    """The noisy counts below each inner edge and what they are, as plain data."""
    low, high = release.interval(LEVEL)
    return {
        "column": release.column_name,
        "edges": release.edges.tolist(),
        "cumulative": release.cumulative.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "level": LEVEL,
        **histogram_view.drawn_data(release),
        "noise_sds": release.noise.cell_sds.tolist(),
    }


def accuracy(price: Price) -> tuple[dict[str, Any], Facts]:
    """How accurate the shares would be."""
    cells, sd, share = (price.accuracy[name] for name in ("cells", "largest_noise_sd", "share_sd"))
    pairs: Facts = [
        ("noise", f"{price.mechanism}, sd at most {sd:.4g} records"),
        ("accuracy", f"at each of {cells - 1:,.0f} edges the share below ± {1.96 * share:.2g} ({LEVEL:.0%} interval)"),
    ]
    return {"cells": int(cells), "largest_noise_sd": sd, "share_sd": share}, pairs
