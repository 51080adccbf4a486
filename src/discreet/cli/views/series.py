"""A noisy cosine series on the terminal: its coefficients, with the interval of each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from discreet.cli.views import histogram as histogram_view
from discreet.cli.views.table import LEVEL, LONGEST_LIST, Facts, empty_table

if TYPE_CHECKING:
    from discreet.curator import Price
    from discreet.release import SeriesRelease
    from discreet.schema import Schema

noise = histogram_view.noise


def title(release: SeriesRelease) -> tuple[str, str]:
    """The column, and how its coefficients are to be read."""
    return release.column_name, f"noisy coefficients of a cosine series with {LEVEL:.0%} intervals"


def numbers(release: SeriesRelease) -> RenderableType:
    """The coefficients in order."""
    low, high = (bound.tolist() for bound in release.interval(LEVEL))
    decimals = min(6, max(0, 1 - math.floor(math.log10(release.sd))))
    shown = release.terms if release.terms <= LONGEST_LIST else LONGEST_LIST - 4
    table = empty_table()
    table.add_column("term", justify="right", no_wrap=True)
    table.add_column("coefficient", justify="right", no_wrap=True)
    table.add_column(f"{LEVEL:.0%} interval", justify="right", no_wrap=True, style="dim")
    for j, value in enumerate(release.coefficients.tolist()[:shown]):
        interval = f"[{low[j]:z.{decimals}f}, {high[j]:z.{decimals}f}]"
        table.add_row(f"{j + 1}", f"{value:z.{decimals}f}", interval)
    if shown < release.terms:
        table.add_row("", Text(f"… {release.terms - shown} more", "dim"), "")
    return table


def made_up(schema: Schema, name: str, terms: int) -> SeriesRelease:
    """A series of as many terms with made-up coefficients."""
    from discreet.mechanisms.densities.cosine import CosineBasis
    from discreet.release import SeriesRelease
    from discreet.schema import Schema

    column = schema.numeric(name)
    drawn = (1,) * CosineBasis(column.steps, terms).terms
    part = Schema({name: column})
    return SeriesRelease(schema=part, column_name=name, drawn=drawn, exponent=0, mechanism="Laplace", scale=1.0, n=1)


def as_data(release: SeriesRelease) -> dict[str, Any]:
    """The noisy coefficients and what they are, as plain data."""
    low, high = release.interval(LEVEL)
    return {
        "column": release.column_name,
        "coefficients": release.coefficients.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "level": LEVEL,
        **histogram_view.drawn_data(release),
        "noise_sd": release.sd,
    }


def accuracy(price: Price) -> tuple[dict[str, Any], Facts]:
    """How accurate the coefficients would be."""
    terms, sd, error = (price.accuracy[name] for name in ("terms", "noise_sd", "noise_squared_error"))
    pairs: Facts = [
        ("noise", f"{price.mechanism}, sd {sd:.4g} in each of {terms:,.0f} coefficients"),
        ("accuracy", f"the noise adds {error:.4g} to the integrated squared error of the density on [0, 1]"),
    ]
    return {"terms": int(terms), "noise_sd": sd, "noise_squared_error": error}, pairs
