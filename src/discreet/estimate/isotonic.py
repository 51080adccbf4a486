"""Isotonic regression: the nondecreasing sequence nearest to a given one, by pooling adjacent violators.

Source: Ayer, Brunk, Ewing, Reid and Silverman (1955). It moves no two sequences further apart than they were, also in the
largest absolute difference, so a band around the given numbers is one around the fitted numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput

Floats = NDArray[np.float64]


def isotonic(values: ArrayLike) -> Floats:
    """The nondecreasing sequence with the smallest sum of squared distances to `values`.

    Parameters
    ----------
    values : array (k,) of finite numbers

    Examples
    --------
    >>> from discreet.estimate import isotonic
    >>> isotonic([1.0, 3.0, 2.0, 4.0, 0.0])
    array([1.  , 2.25, 2.25, 2.25, 2.25])
    """
    given = np.asarray(values, float)
    if given.ndim != 1 or not len(given) or not np.isfinite(given).all():
        raise InvalidInput("isotonic regression needs a sequence of finite numbers")
    means: list[float] = []
    sizes: list[int] = []
    for value in given.tolist():
        mean, size = value, 1
        while means and means[-1] >= mean:
            before, count = means.pop(), sizes.pop()
            mean, size = mean + (before - mean) * (count / (size + count)), size + count
        means.append(mean)
        sizes.append(size)
    return np.maximum.accumulate(np.repeat(means, sizes))
