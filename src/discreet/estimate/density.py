"""From a release to a density: clip what noise made negative, renormalise, and say what was done.

- **Histogram**: negative counts become 0, the rest is divided by its sum. Where no count is above 0 the density is uniform
  (Wasserman and Zhou 2010, section 4.2, leave that case open; it is not rare: at n = 100, epsilon = 0.01 and two cells it
  happens to one release in seven).
- **Series**: max(f, 0) of the released series f, divided by its integral (section 6).
- **Distribution function**: isotonic regression of the noisy cumulative counts, clipped to 0 ... n; the last one is n.
- **Sample**: the empirical distribution of the released points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.estimate.empirical import Empirical
from discreet.estimate.isotonic import isotonic
from discreet.estimate.piecewise import BoxDensity, Density
from discreet.release import CdfRelease, HistogramRelease, SampleRelease, SeriesRelease
from discreet.release.grid import edges as equal_edges

Floats = NDArray[np.float64]

FINE_CELLS = 4096
"""Cells that the positive part of a series is integrated on, exactly but in cells in which the series changes its sign."""


@dataclass(frozen=True, eq=False, repr=False)
class SeriesDensity(Density):
    """The positive part of a released series: `.pdf` is exact, `.cdf` and `.quantile` are linear between 4,097 points."""

    release: SeriesRelease | None = None
    integral: float = 1.0

    def pdf(self, x: ArrayLike) -> Floats:
        """max(f(x), 0) / integral, in the column's units."""
        assert self.release is not None
        x = np.asarray(x, float)
        inside = (x >= self.edges[0]) & (x <= self.edges[-1])
        width = self.edges[-1] - self.edges[0]
        return np.where(inside, np.maximum(self.release.raw(x), 0.0) / (self.integral * width), 0.0)


def density(
    release: HistogramRelease | SeriesRelease | SampleRelease | CdfRelease,
) -> Density | BoxDensity | Empirical:
    """The density that a release estimates; post-processing, so it costs nothing and has the release's guarantee.

    Parameters
    ----------
    release : HistogramRelease, SeriesRelease, SampleRelease or CdfRelease

    Returns
    -------
    Density
        With `.pdf`, `.cdf`, `.quantile`, `.sample(size, rng)` and `.plot()`; for a histogram of several columns a
        `BoxDensity` (no quantiles), for a sample an `Empirical`.

    Examples
    --------
    >>> from discreet import Bounded, Schema
    >>> from discreet.estimate import density
    >>> from discreet.release import HistogramRelease
    >>> release = HistogramRelease(schema=Schema({"age": Bounded(0, 120, step=1)}), column_names=["age"], bins=[4],
    ...     drawn=[210, 390, 300, -2], exponent=0, mechanism="Laplace", scale=4.0, n=900)
    >>> estimate = density(release)
    >>> estimate.masses.round(4), round(float(estimate.quantile(0.5)), 2)
    (array([0.2333, 0.4333, 0.3333, 0.    ]), 48.46)
    """
    if isinstance(release, HistogramRelease):
        return _of_histogram(release)
    if isinstance(release, SeriesRelease):
        return _of_series(release)
    if isinstance(release, CdfRelease):
        return _of_cdf(release)
    if isinstance(release, SampleRelease):
        column = release.schema.numeric(release.column_name)
        return Empirical(release.points, float(column.lower), float(column.upper), release.column_name)
    raise InvalidInput(
        f"a density is estimated from a histogram, series, sample or cdf release, not {type(release).__name__}"
    )


def cell_masses(counts: Floats) -> tuple[Floats, bool]:
    """Noisy counts, clipped at 0 and divided by their sum; uniform, and True, where none is above 0."""
    clipped = np.maximum(counts, 0.0)
    total = float(clipped.sum())
    if total > 0:
        return clipped / total, False
    return np.full(counts.shape, 1.0 / counts.size), True


def series_masses(release: SeriesRelease, at: Floats) -> tuple[Floats, float]:
    """The integral of max(f, 0) over each cell between the points `at` of [0, 1], as shares, and their sum.

    int f = x + sum_j beta_j sqrt(2) sin(pi j x)/(pi j) exactly; a cell whose integral is negative has mass 0.
    """
    j = np.arange(1, release.terms + 1)
    waves = np.sin(math.pi * np.multiply.outer(at, j)) / (math.pi * j)
    integrals = np.maximum(np.diff(at + math.sqrt(2.0) * waves @ release.coefficients), 0.0)
    total = float(integrals.sum())
    return integrals / total, total


def _of_histogram(release: HistogramRelease) -> Density | BoxDensity:
    masses, fallback = cell_masses(release.counts)
    how = "uniform, as no noisy count is above 0" if fallback else "noisy counts, clipped at 0 and renormalised"
    if len(release.bins) == 1:
        return Density(release.edges[0], masses, release.column_names[0], how, fallback)
    return BoxDensity(release.edges, masses, release.column_names, how, fallback)


def _of_series(release: SeriesRelease) -> SeriesDensity:
    masses, integral = series_masses(release, np.linspace(0.0, 1.0, FINE_CELLS + 1))
    how = f"positive part of a series of {release.terms} cosines, renormalised"
    at = equal_edges(release.column, FINE_CELLS)
    return SeriesDensity(at, masses, release.column_name, how, release=release, integral=integral)


def cdf_masses(release: CdfRelease) -> Floats:
    """The share of each of the T cells after isotonic regression."""
    n = float(release.n or 1)
    below = np.clip(isotonic(release.cumulative), 0.0, n) / n
    return np.diff(np.concatenate([[0.0], below, [1.0]]))


def _of_cdf(release: CdfRelease) -> Density:
    how = f"isotonic regression of a distribution function at {release.cells - 1} edges"
    return Density(release.edges, cdf_masses(release), release.column_name, how)
