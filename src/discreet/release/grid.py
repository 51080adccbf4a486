"""The public grid of a numeric column: edges of equal cells, the codes in each, and the value of a code."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.privacy.cost import exact
from discreet.schema import Bounded

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def edges(column: Bounded, cells: int) -> Floats:
    """lower + i (upper - lower)/cells for i = 0 ... cells, each rounded once (read-only).

    Examples
    --------
    >>> from discreet import Bounded
    >>> from discreet.release.grid import edges
    >>> edges(Bounded(0, 1, step=0.1), 4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    lower, upper = exact(column.lower), exact(column.upper)
    found = _on_line(lower, (upper - lower) / cells, np.arange(cells + 1)).astype(float)
    found.setflags(write=False)
    return found


def first_codes(column: Bounded, cells: int) -> Integers:
    """The first code of each cell, and J + 1 at the end: cell i holds the codes j with min(cells - 1, j cells // J) = i.

    Examples
    --------
    >>> from discreet import Bounded
    >>> from discreet.release.grid import first_codes
    >>> first_codes(Bounded(0, 1, step=0.1), 4)
    array([ 0,  3,  5,  8, 11])
    """
    steps = column.steps
    return np.array([*(-(-i * steps // cells) for i in range(cells)), steps + 1], np.int64)


def values_of(column: Bounded, codes: ArrayLike) -> NDArray[np.float64 | np.int64]:
    """lower + j step for codes j, each rounded once; integers where lower and step are whole numbers.

    Examples
    --------
    >>> from discreet import Bounded
    >>> from discreet.release.grid import values_of
    >>> values_of(Bounded(0, 1, step=0.1), [0, 3, 10]), values_of(Bounded(18, 99, step=1), [2])
    (array([0. , 0.3, 1. ]), array([20]))
    """
    return _on_line(exact(column.lower), column.exact_step, np.asarray(codes, np.int64))


def _on_line(start: Fraction, step: Fraction, places: Integers) -> NDArray[np.float64 | np.int64]:
    """start + j step for whole numbers j, each rounded once; integers where both are whole."""
    denominator = math.lcm(start.denominator, step.denominator)
    first, stride = int(start * denominator), int(step * denominator)
    farthest = int(np.abs(places).max(initial=0))
    if max(abs(first), abs(first) + abs(stride) * farthest, denominator) < 2**53:
        numerators = first + stride * places  # exact floats as the denominator is, so the quotient is rounded once
        return numerators if denominator == 1 else numerators / denominator
    points = [float(start + step * j) for j in places.ravel().tolist()]
    return np.array(points, float).reshape(places.shape)
