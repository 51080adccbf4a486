"""Histogram, series and distribution function releases and densities as HTML for notebooks."""

from __future__ import annotations

from itertools import islice, product

import numpy as np

from discreet.display import painter
from discreet.release import CdfRelease, HistogramRelease, SeriesRelease
from discreet.release.densities.drawn_text import cell_names, facts, statement
from discreet.release.labels import shortened
from discreet.release.text import number
from discreet.view.html import MOST_LINES, table


@painter("html", HistogramRelease)
def histogram_html(release: HistogramRelease, *, level: float = 0.95) -> str:
    """A histogram: one line a cell, with its interval."""
    half, sd = release.half_width(level), release.sd
    lines = [
        [*cell, number(count, sd), f"{number(count - half, sd)} to {number(count + half, sd)}"]
        for cell, count in zip(
            islice(product(*cell_names(release)), MOST_LINES), release.counts.ravel()[:MOST_LINES].tolist(), strict=True
        )
    ]
    names = [shortened(name) for name in release.column_names]
    head = [*names, "count", f"{100 * level:g}% interval"]
    title, note = f"histogram of {' x '.join(names)}: noisy counts", " · ".join(facts(release))
    lines += _rest(release.size)
    return table(title, note, head, lines, left=len(names), hover=statement(release))


@painter("html", SeriesRelease)
def series_html(release: SeriesRelease, *, level: float = 0.95) -> str:
    """A series: one line a coefficient, with its interval."""
    low, high = (bound.tolist() for bound in release.interval(level))
    lines = [
        [str(j + 1), f"{x:z.4f}", f"{low[j]:z.4f} to {high[j]:z.4f}"]
        for j, x in enumerate(release.coefficients[:MOST_LINES].tolist())
    ]
    title = f"cosine series of {shortened(release.column_name)}: noisy coefficients"
    head = ["term", "coefficient", f"{100 * level:g}% interval"]
    lines += _rest(release.terms)
    return table(title, " · ".join(facts(release)), head, lines, left=1, hover=statement(release))


@painter("html", CdfRelease)
def cdf_html(release: CdfRelease, *, level: float = 0.95) -> str:
    """A distribution function: some of its edges, with the interval of the share below each by itself."""
    n, size = float(release.n or 1), len(release.drawn)
    low, high = release.interval(level)
    shown = np.unique(np.linspace(0, size - 1, min(size, MOST_LINES)).round().astype(int)).tolist()
    lines = [
        [
            f"{release.edges[i + 1]:.6g}",
            f"{release.cumulative[i] / n:z.4f}",
            f"{low[i] / n:z.4f} to {high[i] / n:z.4f}",
        ]
        for i in shown
    ]
    if len(shown) < size:
        lines.append([f"({len(shown)} of {size} edges)"])
    law, *rest = facts(release)
    title = f"distribution function of {shortened(release.column_name)}: noisy share of the records below"
    head = ["below", "share", f"{100 * level:g}% interval"]
    return table(title, " · ".join([f"{law} records", *rest]), head, lines, left=1, hover=statement(release))


def _rest(size: int) -> list[list[str]]:
    return [[f"... {size - MOST_LINES} more"]] if size > MOST_LINES else []
