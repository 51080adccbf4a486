"""How near a private sample can come: the accuracy theory of the exponential mechanism under the KS distance.

Source: Wasserman and Zhou (2010), sections 3 and 5; the constants here are re-derived and hold for every n and k.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.errors import InvalidInput
from discreet.mechanisms.choices.kolmogorov import MOST_POINTS
from discreet.mechanisms.choices.small_ball import log_small_ball, small_ball
from discreet.privacy.parameters import parameter, real, whole


def ks_bound(n: int, epsilon: float, size: int, radius: float, *, density_bound: float = 1.0) -> float:
    """An upper bound of P(KS(F, F_Z) > radius), F the distribution that n records were drawn from and F_Z the sample's.

    C^k exp(-3 epsilon n r/16) / R(k, r/2) + P(KS(F, F_n) > r/16), with R(k, r) = P(KS(F, F_k) <= r), `small_ball`.

    Where KS(F, F_n) <= r/16, a sample farther than r from F scores at least 15 r/16, and one within r/2 at most 9 r/16. The
    likelihood of the first under the mechanism is at most exp(-(epsilon n/2)(6 r/16)) of that of the second; the second have
    a volume of at least R(k, r/2)/C^k, as F's density is at most C.

    Parameters
    ----------
    n : int
        The number of records, at most 100,000.
    epsilon : float
    size : int
        k, the number of points released.
    radius : float
        r, above 0.
    density_bound : float
        C, at least 1: a bound on the density of the column rescaled to [0, 1]. 1 is the uniform distribution.

    Returns
    -------
    float
        At most 1. It is far from sharp: only its order in n is.

    Examples
    --------
    >>> from discreet.lab import ks_bound
    >>> round(ks_bound(5000, 1.0, 100, 0.4), 5)
    0.00379
    """
    k, r, c = whole("size", size), real("radius", radius), real("density_bound", density_bound)
    if r <= 0 or c < 1:
        raise InvalidInput("radius must be above 0, and density_bound (of a density on [0, 1]) at least 1")
    first = log_volume_term(whole("n", n), parameter("epsilon", epsilon), k, r, c)
    return min(1.0, math.exp(min(first, 0.0)) + 1.0 - small_ball(n, r / 16))


def log_volume_term(n: int, epsilon: float, k: int, r: float, c: float) -> float:
    """The logarithm of the first term of `ks_bound`: infinite where no k points come within r/2."""
    return k * math.log(c) - 3 * epsilon * n * r / 16 - log_small_ball(k, r / 2)


def points_to_release(n: int, epsilon: float, *, density_bound: float, level: float = 0.05) -> int:
    """How many points to release: the k for which the first term of `ks_bound` reaches `level` at the smallest radius.

    Fewer points cannot follow the distribution, more are drawn to the uniform one: R(k, r) and C^k. At C = 1 there is nothing
    to be drawn away from, and as many as possible (n, at most 1000) are best. The choice uses public numbers and a guess of C.
    The minimum is sought on a grid of sizes, which is within a few per cent of it.

    Examples
    --------
    >>> from discreet.lab import points_to_release
    >>> points_to_release(1000, 1.0, density_bound=1.0), points_to_release(1000, 1.0, density_bound=3.5)
    (1000, 10)
    """
    n, eps, c = whole("n", n), parameter("epsilon", epsilon), real("density_bound", density_bound)
    if c < 1 or not 0 < level < 1:
        raise InvalidInput("density_bound (of a density on [0, 1]) must be at least 1, and level between 0 and 1")

    if c == 1:
        return min(n, MOST_POINTS)

    def best(sizes: list[int]) -> int:
        found, least = sizes[0], math.inf
        for k in sizes:
            lowest = (k * math.log(c) - math.log(level)) * 16 / (3 * eps * n)  # were the small ball certain
            if lowest < least and (radius := _radius(n, eps, k, c, math.log(level), lowest)) < least:
                found, least = k, radius
        return found

    coarse = sorted({round(k) for k in np.geomspace(1, min(n, MOST_POINTS), 16).tolist()})
    place = coarse.index(best(coarse))
    low, high = coarse[max(place - 1, 0)], coarse[min(place + 1, len(coarse) - 1)]
    return best(sorted({coarse[place], *(round(k) for k in np.geomspace(low, high, 9).tolist())}))


def _radius(n: int, epsilon: float, k: int, c: float, log_level: float, low: float) -> float:
    """The smallest r from `low` on at which the first term, which falls with r, is at most the level."""
    high = max(2.0, low)
    if log_volume_term(n, epsilon, k, high, c) > log_level:  # beyond r = 2 the small ball is certain
        return low
    while high - low > 1e-3 * high:
        middle = 0.5 * (low + high)
        if log_volume_term(n, epsilon, k, middle, c) > log_level:
            low = middle
        else:
            high = middle
    return high


def point_mass_bound(n: int, epsilon: float, size: int, points: int) -> float:
    """A bound on what any epsilon-DP sample can tell about constant records: min(1, k e^(n epsilon)/G).

    For every epsilon-DP mechanism that releases k of G grid points there is a point s such that, with all n records equal
    to s, KS(F_s, F_Z) < 1/2 has at most this probability. So on a fine grid, n and epsilon fixed, a point mass is never found:
    the distance stays 1/2 or more (Wasserman and Zhou 2010, section 3, where the grid is a continuum).

    Proof. KS(F_s, F_Z) < 1/2 needs a released point that equals s. Under any one set of records the G probabilities that s is
    among the points add up to at most k, so some s has at most k/G; and changing all n records raises it by e^(n epsilon) at
    most.

    Examples
    --------
    >>> from discreet.lab import point_mass_bound
    >>> print(f"{point_mass_bound(n=20, epsilon=0.1, size=5, points=65537):.6f}")
    0.000564
    """
    n, k, grid = whole("n", n), whole("size", size), whole("points", points)
    return math.exp(min(0.0, math.log(k) + n * parameter("epsilon", epsilon) - math.log(grid)))
