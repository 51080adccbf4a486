"""Pictures of what a release estimates: a density, a band for a distribution function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.display import painter
from discreet.errors import InvalidInput
from discreet.estimate import BoxDensity, CdfBand, Density, Empirical
from discreet.estimate.density import SeriesDensity
from discreet.release.labels import shortened
from discreet.view.theme import FAINT, PALETTE, RULE, SMALL, TEXT, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_STEPS, COARSE_STEPS = 120, 40
"""A density of more cells than the first is drawn through its mean on the second: finer steps are noise, and ink."""
MOST_TICKS = 400
"""More released points than this are not marked one by one."""


@painter("plot", Density)
def density_plot(density: Density) -> Figure:
    """Draw a density of one column: steps where it is constant on cells, a curve for a series."""
    name = shortened(density.name, 32)
    coarse = len(density.masses) > MOST_STEPS and not isinstance(density, SeriesDensity)
    explained = _explained(density) + (f"\ndrawn on {COARSE_STEPS} equal cells" if coarse else "")
    figure, axes = new_figure(f"{name}: estimated density", explained)
    if isinstance(density, SeriesDensity):
        x = np.linspace(density.edges[0], density.edges[-1], 801)
        axes.plot(x, density.pdf(x), color=PALETTE[0], linewidth=1.6)
        axes.fill_between(x, density.pdf(x), color=PALETTE[0], alpha=0.16, linewidth=0)
    else:
        edges = density.edges
        if coarse:
            edges = np.linspace(edges[0], edges[-1], COARSE_STEPS + 1)
        heights = np.diff(density.cdf(edges)) / np.diff(edges)
        axes.stairs(heights, edges, fill=True, color=PALETTE[0], alpha=0.16)
        axes.stairs(heights, edges, color=PALETTE[0], linewidth=1.6, baseline=None)
    axes.set_xlim(density.edges[0], density.edges[-1])
    axes.set_ylim(bottom=0)
    _frame(axes, name, "density")
    return figure


@painter("plot", Empirical)
def empirical_plot(sample: Empirical) -> Figure:
    """Draw the histogram of released points, and the points as ticks below it where they are not too many."""
    figure = density_plot(sample.histogram)
    if len(sample.points) <= MOST_TICKS:
        axes = figure.axes[0]
        axes.plot(
            sample.points,
            np.zeros(len(sample.points)),
            linestyle="none",
            marker="|",
            markersize=9,
            color=PALETTE[0],
            clip_on=False,
        )
    return figure


@painter("plot", BoxDensity)
def box_density_plot(density: BoxDensity) -> Figure:
    """Draw a density of two columns as shades."""
    if len(density.names) != 2:
        raise InvalidInput(f"a picture shows two columns, not {len(density.names)}; plot .marginal(column)")
    names = [shortened(name, 32) for name in density.names]
    figure, axes = new_figure(f"{names[0]} and {names[1]}: estimated density", _explained(density))
    areas = np.multiply.outer(np.diff(density.edges[0]), np.diff(density.edges[1]))
    shades = axes.pcolormesh(density.edges[0], density.edges[1], (density.masses / areas).T, cmap="Blues", vmin=0)
    scale = figure.colorbar(shades, ax=axes, aspect=40, pad=0.02)
    scale.outline.set_visible(False)
    scale.ax.tick_params(length=0, labelsize=SMALL, labelcolor=FAINT)
    axes.set_xlabel(names[0], fontsize=TEXT, color=FAINT, parse_math=False)
    axes.set_ylabel(names[1], fontsize=TEXT, color=FAINT, parse_math=False)
    return figure


@painter("plot", CdfBand)
def band_plot(band: CdfBand) -> Figure:
    """Draw a band for a distribution function, with the isotonic estimate in it."""
    name = shortened(band.name, 32)
    of = "of the population" if band.population else "of the records"
    figure, axes = new_figure(
        f"{name}: distribution function",
        f"line: isotonic estimate\nband: {100 * band.level:g}% for the whole function {of}, noise accounted for",
    )
    axes.fill_between(band.edges, band.lower, band.upper, color=PALETTE[0], alpha=0.22, linewidth=0)
    axes.plot(band.edges, band.estimate, color=PALETTE[0], linewidth=1.5)
    axes.set_xlim(band.edges[0], band.edges[-1])
    axes.set_ylim(-0.02, 1.02)
    _frame(axes, name, "share below")
    return figure


def _explained(density: Density | BoxDensity) -> str:
    return density.description or "density"


def _frame(axes: Axes, across: str, up: str) -> None:
    axes.set_xlabel(across, fontsize=TEXT, color=FAINT, parse_math=False)
    axes.set_ylabel(up, fontsize=TEXT, color=FAINT, parse_math=False)
    axes.grid(axis="y", color=RULE, linewidth=0.8)
    axes.set_axisbelow(True)
