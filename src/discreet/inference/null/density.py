"""The null density of a statistic for pictures: the chi-squared one, or a smoothed one from draws.

Draws are smoothed by a normal kernel on the scale of the square root. There chi-squared laws are close to normal, and even
with one degree of freedom the density ends at 0 with a finite height, where the kernel is reflected. With more degrees of
freedom that density is 0 at 0, and the reflected kernel is subtracted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.inference.null.problem import NullCurve

Floats = NDArray[np.float64]

_BINS = 160


def chi_squared_curve(df: int, statistic: float) -> NullCurve:
    """The chi-squared density from 0 to beyond the statistic: its mean in each of 160 bins."""
    edges = np.linspace(0.0, 1.25 * max(statistic, 2.5 * df), _BINS + 1)
    return NullCurve((edges[1:] + edges[:-1]) / 2, -np.diff(special.chdtrc(df, edges)) / np.diff(edges))


def smooth_curve(draws: Floats, statistic: float, df: int = 1) -> NullCurve:
    """The density of `draws` (bandwidth of Silverman 1986, p. 47) from 0 to beyond the statistic.

    `df` says how the density ends at 0: for 1 as chi-squared with one degree of freedom, for more as with that many.

    Examples
    --------
    >>> curve = smooth_curve(np.random.default_rng(1).chisquare(4, 4000), 8.0)
    >>> bool(abs(np.interp(2.0, curve.x, curve.density) - 0.5 * np.exp(-1.0)) < 0.02)
    True
    """
    root = np.sqrt(draws)
    quartiles = np.quantile(root, [0.25, 0.75])
    width = 0.9 * max(1e-9, min(float(root.std()), float(np.diff(quartiles)[0]) / 1.34)) * root.size**-0.2
    edges = np.linspace(0.0, 1.25 * max(statistic, 2.5 * float(draws.mean())), _BINS + 1)
    # The mass of the kernel in each bin, its mirror image at 0 included.
    ends = np.sqrt(edges)[:, None]
    sign = 1.0 if df == 1 else -1.0
    below = (special.ndtr((ends - root) / width) + sign * special.ndtr((ends + root) / width)).mean(-1)
    mass = 1.0 if df == 1 else max(1e-9, float((1.0 - 2.0 * special.ndtr(-root / width)).mean()))
    return NullCurve((edges[1:] + edges[:-1]) / 2, np.diff(below) / np.diff(edges) / mass)
