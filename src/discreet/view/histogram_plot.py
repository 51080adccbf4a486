"""Pictures of histogram, series and distribution function releases: the noisy numbers, and how far noise may move them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.display import painter
from discreet.errors import InvalidInput
from discreet.release import CdfRelease, HistogramRelease, SeriesRelease
from discreet.release.densities.drawn_text import facts
from discreet.release.labels import shortened
from discreet.release.text import number
from discreet.view.theme import FAINT, INK, PALETTE, RULE, SMALL, TEXT, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_WHISKERS = 40
"""More cells than this are drawn with a band instead of whiskers."""


@painter("plot", HistogramRelease)
def histogram_plot(release: HistogramRelease, *, level: float = 0.95) -> Figure:
    """Draw a histogram of one or two columns.

    One column: a bar a cell with the interval of its count under the noise, as a whisker or, for more than 40 cells, a band.
    Two: shades of the noisy counts.

    Raises
    ------
    InvalidInput
        For a histogram of three or more columns.
    MissingExtra
        If matplotlib is not installed.
    """
    names = [shortened(name, 32) for name in release.column_names]
    if len(names) > 2:
        raise InvalidInput(
            f"a picture shows one or two columns, this histogram has {', '.join(release.column_names)}; "
            "plot a marginal of its density, e.g. density(release).marginal(name).plot()"
        )
    if len(names) == 2:
        return _shades(release, names, level)
    shape = "whiskers" if release.size <= MOST_WHISKERS else "band"
    figure, axes = new_figure(
        f"{names[0]}: noisy histogram",
        "  ·  ".join(facts(release)) + f"\n{shape}: {100 * level:g}% interval of each count under the noise",
    )
    edges, counts = release.edges[0], release.counts
    low, high = release.interval(level)
    if release.size <= MOST_WHISKERS:
        axes.bar(edges[:-1], counts, np.diff(edges), align="edge", color=PALETTE[0], edgecolor="white", linewidth=0.8)
        centres = 0.5 * (edges[:-1] + edges[1:])
        axes.errorbar(
            centres, counts, yerr=release.half_width(level), fmt="none", ecolor=INK, elinewidth=1.1, capsize=2.5
        )
    else:
        axes.stairs(counts, edges, color=PALETTE[0], linewidth=1.2)
        axes.stairs(high, edges, baseline=low, fill=True, color=PALETTE[0], alpha=0.22, linewidth=0)
    axes.set_xlim(edges[0], edges[-1])
    _frame(axes, names[0], "records")
    axes.axhline(0, color=INK, linewidth=0.8)
    return figure


def _shades(release: HistogramRelease, names: list[str], level: float) -> Figure:
    half = number(release.half_width(level), release.sd)
    figure, axes = new_figure(
        f"{names[0]} by {names[1]}: noisy histogram",
        "  ·  ".join(facts(release)) + f"\neach ± {half}: {100 * level:g}% interval of each count under the noise",
    )
    low, high = min(0.0, float(release.counts.min())), float(release.counts.max())
    shades = axes.pcolormesh(release.edges[0], release.edges[1], release.counts.T, cmap="Blues", vmin=low, vmax=high)
    scale = figure.colorbar(shades, ax=axes, aspect=40, pad=0.02)
    scale.outline.set_visible(False)
    scale.ax.tick_params(length=0, labelsize=SMALL, labelcolor=FAINT)
    _frame(axes, names[0], names[1], grid=False)
    return figure


@painter("plot", SeriesRelease)
def series_plot(release: SeriesRelease, *, level: float = 0.95) -> Figure:
    """Draw the noisy coefficients, each with its interval under the noise."""
    name = shortened(release.column_name, 32)
    figure, axes = new_figure(
        f"{name}: noisy cosine coefficients",
        "  ·  ".join(facts(release)) + f"\nwhiskers: {100 * level:g}% interval of each coefficient under the noise",
    )
    terms = np.arange(1, release.terms + 1)
    axes.bar(terms, release.coefficients, 0.62, color=PALETTE[0])
    axes.errorbar(
        terms,
        release.coefficients,
        yerr=release.half_width(level),
        fmt="none",
        ecolor=INK,
        elinewidth=1.1,
        capsize=2.5,
    )
    if release.terms <= 20:
        axes.set_xticks(terms)
    _frame(axes, "term", "coefficient")
    axes.axhline(0, color=INK, linewidth=0.8)
    return figure


@painter("plot", CdfRelease)
def cdf_plot(release: CdfRelease, *, level: float = 0.95) -> Figure:
    """Draw the noisy distribution function as released, with the interval of each number under the noise."""
    name = shortened(release.column_name, 32)
    law, *rest = facts(release)
    figure, axes = new_figure(
        f"{name}: noisy distribution function",
        "  ·  ".join([f"{law} records", *rest])
        + f"\nband: {100 * level:g}% interval at each edge by itself (cdf_band holds for all at once)",
    )
    n = float(release.n or 1)
    inner = release.edges[1:-1]
    low, high = release.interval(level)
    axes.fill_between(inner, low / n, high / n, color=PALETTE[0], alpha=0.22, linewidth=0)
    axes.plot(release.edges, np.concatenate([[0.0], release.cumulative / n, [1.0]]), color=PALETTE[0], linewidth=1.3)
    axes.set_xlim(release.edges[0], release.edges[-1])
    _frame(axes, name, "share of the records below")
    return figure


def _frame(axes: Axes, across: str, up: str, *, grid: bool = True) -> None:
    """Names of the axes, and quiet lines behind the numbers."""
    axes.set_xlabel(across, fontsize=TEXT, color=FAINT, parse_math=False)
    axes.set_ylabel(up, fontsize=TEXT, color=FAINT, parse_math=False)
    if grid:
        axes.grid(axis="y", color=RULE, linewidth=0.8)
        axes.set_axisbelow(True)
