"""Estimated densities, quantiles and bands on the terminal and as plain data."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.bar import bars
from discreet.cli.output import facts, heading, printable, warning
from discreet.cli.views.table import Facts, empty_table
from discreet.estimate import BoxDensity, Density, Empirical
from discreet.estimate.density import SeriesDensity
from discreet.release.labels import shortened

if TYPE_CHECKING:
    from discreet.estimate import CdfBand

ROWS = 20
"""Lines of a sketch; a density of more cells is summed up to this many equal ones."""
SMOOTH_CELLS = 256
"""Cells of a curve in a file."""
QUARTILES = (0.25, 0.5, 0.75)
FALLBACK = "no noisy count is above 0, so that this is the uniform density"


def cells(density: Density | Empirical | BoxDensity) -> dict[str, list[float]]:
    """Its cells as columns of a frame: from, to, share of the distribution, density."""
    if isinstance(density, BoxDensity):
        places = np.indices(density.masses.shape).reshape(len(density.names), -1)
        columns: dict[str, list[float]] = {}
        areas = np.ones(density.masses.size)
        for name, edges, place in zip(density.names, density.edges, places, strict=True):
            columns[f"from_{name}"], columns[f"to_{name}"] = edges[place].tolist(), edges[place + 1].tolist()
            areas *= np.diff(edges)[place]
        shares = density.masses.ravel()
        return {**columns, "share": shares.tolist(), "density": (shares / areas).tolist()}
    edges, shares = _steps(density)
    heights = shares / np.diff(edges)
    return {
        "from": edges[:-1].tolist(),
        "to": edges[1:].tolist(),
        "share": shares.tolist(),
        "density": heights.tolist(),
    }


def as_data(density: Density | Empirical | BoxDensity) -> dict[str, Any]:
    """How it was made, its cells, and the quartiles of each column, as plain data."""
    described = density.histogram if isinstance(density, Empirical) else density
    return {
        "description": described.description,
        "fallback": described.fallback,
        "quartiles": {column.name: column.quantile(QUARTILES).tolist() for column in _columns(density)},
        "cells": cells(density),
    }


def at_values(density: Any, values: list[float]) -> list[dict[str, float]]:
    """The density and the share at or below, at each of these values."""
    if not values:
        return []
    rows = zip(values, density.pdf(values).tolist(), density.cdf(values).tolist(), strict=True)
    return [{"x": x, "density": pdf, "share_below": cdf} for x, pdf, cdf in rows]


def view(density: Density | Empirical | BoxDensity, data: dict[str, Any], promise: str, saved: Facts) -> RenderableType:
    """A sketch of one column, or the quartiles of several; then what was asked for at some values."""
    columns = _columns(density)
    parts: list[RenderableType] = [heading(" by ".join(data["columns"]), "estimated density"), ""]
    pairs: Facts = [("estimate", data["description"])]
    if len(columns) == 1:
        parts.append(_sketch(columns[0]))
        listed = ", ".join(f"{x:.6g}" for x in data["quartiles"][columns[0].name])
        pairs.append(("quartiles", listed))
    else:
        parts.append(_quartiles(data["quartiles"]))
    if data["fallback"]:
        pairs.append(("beware", warning(FALLBACK)))
    pairs += [
        (f"at {row['x']:.6g}", f"density {row['density']:.4g}, share below {row['share_below']:.4g}")
        for row in data["at"]
    ]
    return Group(*parts, "", facts([*pairs, ("guarantee", promise), *saved]))


def quantiles(data: dict[str, Any], source: str, promise: str) -> RenderableType:
    """Quantiles, each with its interval where there is one."""
    table = empty_table()
    table.add_column("probability", justify="right", no_wrap=True)
    table.add_column("quantile", justify="right", no_wrap=True)
    banded = data["level"] is not None
    if banded:
        table.add_column(f"{100 * data['level']:g}% interval", justify="right", no_wrap=True, style="dim")
    for row in data["quantiles"]:
        interval = [f"[{row['low']:.6g}, {row['high']:.6g}]"] if banded else []
        table.add_row(f"{row['probability']:g}", f"{row['quantile']:.6g}", *interval)
    pairs: Facts = [("guarantee", promise)]
    if banded:
        of = "the population" if data["population"] else "the records"
        pairs.insert(0, ("intervals", f"about {of}, noise accounted for; all hold at once"))
    return Group(heading(data["column"], f"quantiles estimated from {source}"), "", table, "", facts(pairs))


def band(found: CdfBand, promise: str, saved: Facts) -> RenderableType:
    """Some of the edges, with the estimate and the bounds of the share below."""
    size = len(found.edges)
    shown = np.unique(np.linspace(0, size - 1, min(size, ROWS)).round().astype(int)).tolist()
    table = empty_table()
    table.add_column("below", justify="right", no_wrap=True)
    table.add_column("estimate", justify="right", no_wrap=True)
    table.add_column(f"{100 * found.level:g}% band", justify="right", no_wrap=True, style="dim")
    for i in shown:
        bounds = f"[{found.lower[i]:.3f}, {found.upper[i]:.3f}]"
        table.add_row(f"{found.edges[i]:.6g}", f"{found.estimate[i]:.3f}", bounds)
    if len(shown) < size:
        table.add_row(Text(f"({len(shown)} of {size:,} edges)", "dim"))
    of = "the population" if found.population else "the records"
    pairs: Facts = [
        ("band", f"± {found.half_width:.3g} around the released shares; about {of}, at all edges at once"),
        ("estimate", "isotonic regression of the released shares"),
        ("guarantee", promise),
    ]
    return Group(heading(found.name, "distribution function"), "", table, "", facts([*pairs, *saved]))


def _columns(density: Density | Empirical | BoxDensity) -> list[Density | Empirical]:
    """The density of each column by itself."""
    if isinstance(density, BoxDensity):
        return [density.marginal(name) for name in density.names]
    return [density]


def _steps(density: Density | Empirical) -> tuple[Any, Any]:
    """Edges and shares of the cells on which it is constant, or of many where it is a curve."""
    steps = density.histogram if isinstance(density, Empirical) else density
    if not isinstance(density, SeriesDensity):
        return steps.edges, steps.masses
    edges = np.linspace(steps.edges[0], steps.edges[-1], SMOOTH_CELLS + 1)
    return edges, np.diff(density.cdf(edges))


def _sketch(density: Density | Empirical) -> Table:
    """The share of the distribution in each of a few cells, with a bar."""
    steps = density.histogram if isinstance(density, Empirical) else density
    edges = steps.edges
    if len(edges) > ROWS + 1:
        edges = np.linspace(edges[0], edges[-1], ROWS + 1)
    shares = np.diff(steps.cdf(edges)).tolist()
    table = empty_table()
    table.add_column(Text(printable(shortened(density.name))), no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for (low, high), share, bar in zip(pairwise(edges.tolist()), shares, bars(shares), strict=True):
        table.add_row(f"{low:.6g} to {high:.6g}", f"{share:.3f}", bar)
    return table


def _quartiles(quartiles: dict[str, list[float]]) -> Table:
    table = empty_table()
    table.add_column("", overflow="fold")
    for name in ("lower quartile", "median", "upper quartile"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, numbers in quartiles.items():
        table.add_row(Text(printable(shortened(name))), *(f"{x:.6g}" for x in numbers))
    return table
