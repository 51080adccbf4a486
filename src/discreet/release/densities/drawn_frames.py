"""Histogram, series and distribution function releases as tidy data frames: one row a number, one column a variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from discreet.release.frames import Backend, to_frame

if TYPE_CHECKING:
    from discreet.release.densities.cdf import CdfRelease
    from discreet.release.densities.histogram import HistogramRelease
    from discreet.release.densities.series import SeriesRelease


def histogram_frame(release: HistogramRelease, backend: Backend = "polars", level: float = 0.95) -> Any:
    """A tidy data frame of a histogram: for each axis the edges of the cell, then `count`, `low`, `high`.

    The edges are called `from` and `to`, with several axes `from_<column>` and `to_<column>`; the cells are row-major.

    Examples
    --------
    >>> from discreet import Bounded, Schema
    >>> from discreet.release import HistogramRelease
    >>> release = HistogramRelease(schema=Schema({"age": Bounded(0, 120, step=1)}), column_names=["age"], bins=[2],
    ...     drawn=[210, 395], exponent=0, mechanism="Gaussian", scale=4.0)
    >>> release.to_frame("polars").rows()
    [(0.0, 60.0, 210.0, 202.16..., 217.83...), (60.0, 120.0, 395.0, 387.16..., 402.83...)]
    """
    places = np.indices(release.bins).reshape(len(release.bins), -1)
    data: dict[str, Sequence[Any]] = {}
    for name, edges, place in zip(release.column_names, release.edges, places, strict=True):
        suffix = "" if len(release.bins) == 1 else f"_{name}"
        data[f"from{suffix}"], data[f"to{suffix}"] = edges[place].tolist(), edges[place + 1].tolist()
    low, high = release.interval(level)
    return _floats({**data, "count": _list(release.counts), "low": _list(low), "high": _list(high)}, backend)


def series_frame(release: SeriesRelease, backend: Backend = "polars", level: float = 0.95) -> Any:
    """A tidy data frame of a series: `term` (1, 2, ...), `coefficient`, `low`, `high`."""
    low, high = release.interval(level)
    data = {"coefficient": _list(release.coefficients), "low": _list(low), "high": _list(high)}
    terms = list(range(1, release.terms + 1))
    return to_frame({"term": terms, **data}, backend, {"term": nw.Int64} | dict.fromkeys(data, nw.Float64))


def cdf_frame(release: CdfRelease, backend: Backend = "polars", level: float = 0.95) -> Any:
    """A tidy data frame of a distribution function: the inner edge `below`, the noisy `count` below it, `low`, `high`."""
    low, high = release.interval(level)
    data = {"below": release.edges[1:-1], "count": release.cumulative, "low": low, "high": high}
    return _floats({name: _list(column) for name, column in data.items()}, backend)


def _list(numbers: Any) -> list[float]:
    return [float(x) for x in np.ravel(numbers)]


def _floats(data: dict[str, Sequence[Any]], backend: Backend) -> Any:
    return to_frame(data, backend, dict.fromkeys(data, nw.Float64))
