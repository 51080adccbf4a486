"""The two rows of an integer matrix that are farthest apart, exactly: branch and bound over pairs of blocks of rows.

Rows that follow one another are assumed to be alike (for speed only). For two blocks A and B of consecutive rows, no pair
of rows is farther apart than

    sum_j d_j^p,    d_j = max(max_A r_j - min_B r_j, max_B r_j - min_A r_j),

and for single rows this is the distance itself. Pairs of blocks whose bound does not exceed a distance already found are
dropped, the others are halved. All numbers are integers, so the result is the exact maximum.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

_FIRST_BLOCKS = 64
_CHUNK = 2**22  # entries of differences held at a time


def farthest_pair(rows: NDArray[np.int32], power: Literal[1, 2]) -> int:
    """max over a, b of sum_j |rows[a, j] - rows[b, j]|^power.

    Parameters
    ----------
    rows : int32 array (points, m)
        The differences' sum must stay below 2^63.
    power : 1 or 2
        The L1 distance, or the squared L2 distance.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.mechanisms.densities.farthest import farthest_pair
    >>> farthest_pair(np.array([[0, 3], [1, -1], [2, 2]], np.int32), power=1)
    5
    """
    lows, highs = [rows], [rows]
    while len(lows[-1]) > _FIRST_BLOCKS:
        lows.append(_halved(lows[-1], np.minimum))
        highs.append(_halved(highs[-1], np.maximum))
    blocks = len(lows[-1])
    left, right = np.triu_indices(blocks)
    found = 0
    for level in range(len(lows) - 1, -1, -1):
        low, high, size = lows[level], highs[level], 1 << level
        bound = _bounds(low, high, left, right, power)
        keep = bound > found
        left, right, bound = left[keep], right[keep], bound[keep]
        if level == 0:
            return max(found, int(bound.max(initial=0)))
        if len(bound):
            best = int(np.argmax(bound))
            found = max(found, _climbed(rows, int(left[best]) * size, int(right[best]) * size, size, power))
            keep = bound > found
            left, right = _halves(left[keep], right[keep], len(lows[level - 1]))
    raise AssertionError("the last level returns")


def _halved(rows: NDArray[np.int32], pick: np.ufunc) -> NDArray[np.int32]:
    even = rows[: len(rows) // 2 * 2]
    pairs = pick(even[::2], even[1::2])
    return np.concatenate([pairs, rows[len(even) :]])


def _bounds(
    low: NDArray[np.int32], high: NDArray[np.int32], left: NDArray[np.intp], right: NDArray[np.intp], power: int
) -> Integers:
    """The bound of each pair of blocks."""
    out = np.empty(len(left), np.int64)
    step = max(1, _CHUNK // low.shape[1])
    for start in range(0, len(left), step):
        a, b = left[start : start + step], right[start : start + step]
        apart = np.maximum(high[a] - low[b], high[b] - low[a]).astype(np.int64)
        out[start : start + step] = (apart**power).sum(-1)
    return out


def _halves(left: NDArray[np.intp], right: NDArray[np.intp], blocks: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of halves of each pair of blocks, each unordered pair once."""
    first = np.concatenate([2 * left, 2 * left, 2 * left + 1, 2 * left + 1])
    second = np.concatenate([2 * right, 2 * right + 1, 2 * right, 2 * right + 1])
    keep = (first <= second) & (second < blocks) & (first < blocks)
    return first[keep], second[keep]


def _climbed(rows: NDArray[np.int32], a: int, b: int, step: int, power: int) -> int:
    """The distance at a local maximum near the pair (a, b): an early lower bound, which spares most of the search."""
    last = len(rows) - 1
    a, b = min(a, last), min(b, last)
    best = -1
    while step:
        near_a = np.unique(np.clip([a - step, a, a + step], 0, last))
        near_b = np.unique(np.clip([b - step, b, b + step], 0, last))
        apart = np.abs(rows[near_a][:, None].astype(np.int64) - rows[near_b][None])
        distances = (apart**power).sum(-1)
        i, j = np.unravel_index(int(distances.argmax()), distances.shape)
        if int(distances[i, j]) > best:
            best, a, b = int(distances[i, j]), int(near_a[i]), int(near_b[j])
        else:
            step //= 2
    return best
