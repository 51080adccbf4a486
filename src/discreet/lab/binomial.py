"""What shares and p-values of a simulation are worth: exact binomial intervals, and the distance from the uniform law."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, kolmogorov

Floats = NDArray[np.float64]


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval for a binomial probability (Clopper and Pearson 1934): its coverage is never below `confidence`.

    Examples
    --------
    >>> [round(end, 4) for end in clopper_pearson(0, 20)], [round(end, 4) for end in clopper_pearson(5, 100)]
    ([0.0, 0.1684], [0.0164, 0.1128])
    """
    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(successes, trials - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, trials - successes, 1.0 - tail)) if successes < trials else 1.0
    return low, high


def binomial_error(successes: int, trials: int) -> float:
    """The standard error of a share; where all trials ended alike, that of one that did not."""
    share = min(max(successes, 1), max(trials - 1, 1)) / trials
    return math.sqrt(share * (1.0 - share) / trials)


def uniform_distance(pvalues: ArrayLike) -> tuple[float, float]:
    """The Kolmogorov-Smirnov distance of p-values from the uniform law, and its p-value.

    The latter by the limit law with Stephens' (1970) correction, D (sqrt n + .12 + .11/sqrt n).

    Examples
    --------
    >>> import numpy as np
    >>> distance, p = uniform_distance((np.arange(100) + 0.5) / 100)
    >>> round(distance, 4), round(p, 4)
    (0.005, 1.0)
    """
    u = np.sort(np.asarray(pvalues, float))
    n = u.size
    ranks = np.arange(1, n + 1) / n
    distance = float(max((ranks - u).max(), (u - ranks + 1.0 / n).max()))
    root = math.sqrt(n)
    return distance, float(kolmogorov(distance * (root + 0.12 + 0.11 / root)))
