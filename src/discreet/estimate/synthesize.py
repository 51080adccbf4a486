"""Synthetic records from a release: as many as wanted, at no cost, with the columns, categories and grid of the schema.

They have the law that the release estimates, and nothing else of the records: what a table or histogram does not tabulate
together is not in it. Conclusions about the records belong to the release itself, whose noise a synthetic record hides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.estimate.density import cdf_masses, cell_masses, series_masses
from discreet.estimate.simplex import simplex
from discreet.release import CdfRelease, HistogramRelease, SampleRelease, SeriesRelease, TableRelease
from discreet.release.frames import Backend, to_frame
from discreet.release.grid import first_codes, values_of
from discreet.release.validation import whole_number
from discreet.schema import Bounded

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_GRID_POINTS = 2**20
"""Grid points that a series is evaluated on one by one; on a finer grid it is on this many equal cells."""


def synthesize(
    release: TableRelease | HistogramRelease | SeriesRelease | SampleRelease | CdfRelease,
    size: int | None = None,
    rng: np.random.Generator | int | None = None,
    *,
    backend: Backend = "polars",
) -> Any:
    """Synthetic records as a data frame.

    Parameters
    ----------
    release : a release of counts or of a distribution
        *Table*: rows with probability proportional to `simplex(table)` (uniform where that is all 0). *Histogram*: a cell
        with the probability that `density(release)` gives it, then a grid point of that cell, each alike. *Distribution
        function*: the same. *Series*: a grid point with probability proportional to the positive part of the series.
        *Sample*: its points, with replacement.
    size : int, optional
        The number of records; None: the public n.
    rng : Generator or seed
    backend : "polars", "pandas" or "pyarrow"

    Returns
    -------
    polars.DataFrame, pandas.DataFrame or pyarrow.Table
        A column for each of the release's: declared categories as they were declared, numbers on the column's grid (whole
        numbers where lower bound and step are whole).

    Examples
    --------
    >>> from discreet.estimate import synthesize
    >>> from discreet.noise import Laplace
    >>> from discreet.release import TableRelease
    >>> table = TableRelease.from_counts([[52.5, 31.0], [-3.0, 20.0]], {"sex": ["f", "m"], "smokes": [True, False]},
    ...     noise=Laplace(4.0), n=100)
    >>> synthesize(table, 3, rng=1).rows()
    [('f', True), ('m', False), ('f', True)]
    """
    size = _size(release, size)
    generator = np.random.default_rng(rng)
    if isinstance(release, TableRelease):
        columns, types = _rows_of_table(release, size, generator)
        return to_frame(columns, backend, types)
    if isinstance(release, HistogramRelease):
        masses, _ = cell_masses(release.counts)
        bounded = [release.schema.numeric(name) for name in release.column_names]
        places = np.unravel_index(_draw(masses, size, generator), release.bins)
        numbers = {
            name: values_of(column, _codes(column, m, place, generator))
            for name, column, m, place in zip(release.column_names, bounded, release.bins, places, strict=True)
        }
        return _numbers_frame(numbers, backend)
    if isinstance(release, CdfRelease):
        cells = _draw(cdf_masses(release), size, generator)
        codes = _codes(release.column, release.cells, cells, generator)
        return _numbers_frame({release.column_name: values_of(release.column, codes)}, backend)
    if isinstance(release, SeriesRelease):
        codes = _codes_of_series(release, size, generator)
        return _numbers_frame({release.column_name: values_of(release.column, codes)}, backend)
    if isinstance(release, SampleRelease):
        column = release.schema.numeric(release.column_name)
        codes = generator.choice(np.asarray(release.codes, np.int64), size)
        return _numbers_frame({release.column_name: values_of(column, codes)}, backend)
    raise InvalidInput(
        "synthetic records are made from a table, histogram, series, sample or cdf release, not a "
        f"{type(release).__name__}"
    )


def _size(release: Any, size: int | None) -> int:
    if size is None:
        size = getattr(release, "n", None)
        if size is None:
            raise InvalidInput("n is not public here: say how many records, synthesize(release, size=1000)")
    size = whole_number("size", size)
    if size < 0:
        raise InvalidInput(f"size, the number of records, must be 0 or more, not {size}")
    return size


def _draw(masses: Floats, size: int, rng: np.random.Generator) -> Integers:
    """Cells in flat order, each with its probability."""
    cumulative = np.cumsum(masses.ravel())
    found = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return np.asarray(np.minimum(found, masses.size - 1), np.int64)


def _codes(column: Bounded, cells: int, chosen: Any, rng: np.random.Generator) -> Integers:
    """For each chosen cell one of its grid points, each alike."""
    first = first_codes(column, cells)
    return np.asarray(rng.integers(first[chosen], first[np.asarray(chosen) + 1]), np.int64)


def _codes_of_series(release: SeriesRelease, size: int, rng: np.random.Generator) -> Integers:
    steps = release.column.steps
    if steps + 1 <= MOST_GRID_POINTS:  # one interval around each grid point, the two at the ends half as long
        inner = (np.arange(steps) + 0.5) / steps
        masses, _ = series_masses(release, np.concatenate([[0.0], inner, [1.0]]))
        return _draw(masses, size, rng)
    masses, _ = series_masses(release, np.linspace(0.0, 1.0, MOST_GRID_POINTS + 1))
    return _codes(release.column, MOST_GRID_POINTS, _draw(masses, size, rng), rng)


def _rows_of_table(
    release: TableRelease, size: int, rng: np.random.Generator
) -> tuple[Mapping[str, list[Any]], dict[str, Any]]:
    masses, _ = cell_masses(simplex(release).values)
    places = np.unravel_index(_draw(masses, size, rng), release.shape)
    columns, types = {}, {}
    for name, place in zip(release.column_names, places, strict=True):
        column = release.schema.categorical(name)
        kinds = {type(category) for category in column.categories}
        plain = kinds in ({bool}, {int}) and max(abs(int(c)) for c in column.categories) < 2**63
        declared = column.categories if plain else column.labels
        columns[name] = [declared[i] for i in place.tolist()]
        types[name] = (nw.Boolean if kinds == {bool} else nw.Int64) if plain else nw.String
    return columns, types


def _numbers_frame(numbers: dict[str, NDArray[Any]], backend: Backend) -> Any:
    types = {name: nw.Int64 if values.dtype.kind == "i" else nw.Float64 for name, values in numbers.items()}
    return to_frame({name: values.tolist() for name, values in numbers.items()}, backend, types)
