"""A noisy table moved to the nearest one that could be a table: no cell negative, and the total as it should be."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.estimate.estimate import Estimate
from discreet.release import HistogramRelease, TableRelease

Floats = NDArray[np.float64]


def nearest_on_simplex(values: ArrayLike, total: float) -> Floats:
    """The nonnegative numbers with sum `total` that are nearest to `values` in squared distance.

    They are max(v_i - t, 0) with the one t that gives the sum; with the values in decreasing order
    t = (v_1 + ... + v_k - total)/k for the last k for which v_k > t (Held, Wolfe and Crowder 1974).

    Parameters
    ----------
    values : array
    total : float
        0 or more.

    Examples
    --------
    >>> from discreet.estimate.simplex import nearest_on_simplex
    >>> nearest_on_simplex([5.0, 3.0, -2.0], 10.0)
    array([6., 4., 0.])
    """
    given = np.asarray(values, float)
    if not given.size or not np.isfinite(given).all() or not 0 <= total < np.inf:
        raise InvalidInput("the nearest table needs finite numbers and a finite total of 0 or more")
    falling = np.sort(given.ravel())[::-1]
    surplus = (np.cumsum(falling) - total) / np.arange(1, falling.size + 1)
    kept = max(1, int(np.count_nonzero(falling > surplus)))
    moved = np.maximum(given - surplus[kept - 1], 0.0)
    # Rounding leaves a relative 1e-16 of the total over.
    return np.asarray(moved * (total / moved.sum()) if moved.sum() > 0 else moved)


def simplex(release: TableRelease | HistogramRelease) -> Estimate:
    """The nearest possible table: cells of 0 or more that add up to the total.

    The total is n where that is public and no record lies outside of the declared cells, else the sum of the noisy cells
    (0 if that is negative). A table by a fixed column is moved group by group where the sizes are public and complete.

    Returns
    -------
    Estimate
        Its `values` in the shape of the table. They are biased: clipped cells pull the others down.

    Examples
    --------
    >>> from discreet.estimate import simplex
    >>> from discreet.noise import Laplace
    >>> from discreet.release import TableRelease
    >>> table = TableRelease.from_counts([52.5, 31.0, -3.0], {"size": ["s", "m", "l"]}, noise=Laplace(4.0), n=80)
    >>> simplex(table).values
    array([50.75, 29.25,  0.  ])
    """
    counts = release.counts
    if isinstance(release, TableRelease) and release.group_axis is not None and release.total_is_public:
        assert release.group_sizes is not None
        groups = np.moveaxis(counts, release.group_axis, 0)
        moved = np.array([nearest_on_simplex(c, float(n)) for c, n in zip(groups, release.group_sizes, strict=True)])
        values, dimension = np.moveaxis(moved, 0, release.group_axis), counts.size - len(groups)
    else:
        values, dimension = nearest_on_simplex(counts, total_of(release)), counts.size - 1
    return Estimate(values, "the nearest table without a negative cell", 1.0, release.sd, dimension)


def total_of(release: TableRelease | HistogramRelease) -> float:
    """The total of the declared cells: the public n where it is that, else the noisy sum, or 0."""
    public = release.total_is_public if isinstance(release, TableRelease) else release.n is not None
    if public and release.n is not None:
        return float(release.n)
    return max(0.0, float(release.counts.sum()))
