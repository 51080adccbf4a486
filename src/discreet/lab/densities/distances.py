"""How far a release is from a known distribution: KS between distribution functions, L2 between densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.release import SampleRelease

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_PIECES = 4096


def ks_distance(estimate: Any, truth: Any) -> float:
    """sup_x |F_estimate(x) - F(x)| for a continuous F.

    Parameters
    ----------
    estimate : SampleRelease, array of points, or a density of `discreet.estimate`
        Of points exactly; of a density over its cells' edges and 4,096 points between its bounds.
    truth : object with `.cdf`, or function
        F.

    Examples
    --------
    >>> from discreet.lab import ks_distance
    >>> round(ks_distance([0.1, 0.5, 0.6], lambda x: x), 4)
    0.4
    """
    cdf: Callable[[Floats], ArrayLike] = getattr(truth, "cdf", truth)
    if hasattr(estimate, "edges"):
        x = np.union1d(estimate.edges, np.linspace(estimate.edges[0], estimate.edges[-1], _PIECES + 1))
        return float(np.max(np.abs(np.asarray(estimate.cdf(x)) - np.asarray(cdf(x), float))))
    points = np.sort(np.asarray(estimate.points if hasattr(estimate, "points") else estimate, float))
    if points.ndim != 1 or not len(points):
        raise InvalidInput("ks_distance needs a sample release, an array of points, or a density of discreet.estimate")
    values, k = np.asarray(cdf(points), float), len(points)
    return float(max(np.max(np.arange(1, k + 1) / k - values), np.max(values - np.arange(k) / k)))


def l2_distance(estimate: Any, truth: Any) -> float:
    """(int (f_estimate - f)^2)^(1/2) between the bounds of the estimate.

    Parameters
    ----------
    estimate : density of `discreet.estimate`
        Anything with `.pdf` and `.edges`; a sample release has no density: take `discreet.estimate.density(release)`.
    truth : object with `.pdf`, or function
        f, smooth between the edges: Gauss-Legendre quadrature with 8 points on each of at least 64 pieces.

    Examples
    --------
    >>> from discreet.estimate import Density
    >>> from discreet.lab import l2_distance
    >>> round(l2_distance(Density([0, 0.5, 1], [0.25, 0.75]), lambda x: 2 * x) ** 2, 9)
    0.083333333
    """
    pdf: Callable[[Floats], ArrayLike] = getattr(truth, "pdf", truth)
    if isinstance(estimate, SampleRelease) or not hasattr(estimate, "pdf") or not hasattr(estimate, "edges"):
        raise InvalidInput("l2_distance needs a density on an interval, such as discreet.estimate.density(release)")
    edges = np.asarray(estimate.edges, float)
    edges = np.union1d(edges, np.linspace(edges[0], edges[-1], 65))
    half, middle = 0.5 * np.diff(edges)[:, None], 0.5 * (edges[1:] + edges[:-1])[:, None]
    x = middle + half * _NODES
    gap = np.asarray(estimate.pdf(x)) - np.asarray(pdf(x), float)
    return math.sqrt(float(np.sum(half * _WEIGHTS * gap**2)))
