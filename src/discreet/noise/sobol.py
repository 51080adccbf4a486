"""Scrambled Sobol points: uniform points that fill the cube evenly, in independent randomised replicates.

Point number i of an unscrambled sequence has in dimension d the binary digits C_d i, where i is the vector of the bits
of its Gray code and the columns of the matrix C_d over GF(2) are the direction numbers. Each replicate multiplies
every C_d by its own random lower triangular matrix L with unit diagonal and adds a random vector e (Matousek 1998):

    digits of u_i,d = L_d C_d i + e_d   (mod 2).

A scrambled point is uniform on its own, any 2^m points keep the evenness of the sequence, and the mean of a function
over a replicate is unbiased: the scatter of the replicates' means is an honest standard error.

The direction numbers are the set new-joe-kuo-6 of S. Joe and F. Y. Kuo (2008, SIAM J. Sci. Comput. 30, 2635-2654),
copyright (c) 2008 Frances Y. Kuo and Stephen Joe; the terms are in SOBOL_NOTICE.md beside this file. scipy.stats.qmc
has them too, but it takes 0.7 s to import and scrambles one replicate at a time.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

MAX_DIMENSION = 1024
"""Dimensions for which direction numbers are bundled."""

MAX_LOG2_POINTS = 32
DIGITS = 52  # the mantissa of a float: (integer + 1/2) 2^-52 is exact, and lies strictly between 0 and 1
EXPONENT_OF_ONE = np.uint64(0x3FF0_0000_0000_0000)  # these bits before a mantissa make a float in [1, 2)


def uniform_points(
    log2_points: int, dimension: int, replicates: int, rng: np.random.Generator | int | None = None
) -> Floats:
    """Uniform points for averaging over `dimension` independent draws: scrambled Sobol where there are direction numbers.

    Above `MAX_DIMENSION` they are plain pseudo-random numbers of the same shape. In so many dimensions even points
    have little to offer, and a mean over a replicate stays unbiased with an honest standard error either way.

    Parameters and shape as for `scrambled_sobol`.

    Examples
    --------
    >>> from discreet.noise.sobol import uniform_points
    >>> uniform_points(3, 5000, replicates=2, rng=1).shape
    (2, 8, 5000)
    """
    if dimension <= MAX_DIMENSION:
        return scrambled_sobol(log2_points, dimension, replicates, rng)
    _check(log2_points, dimension, replicates)
    mantissas = np.random.default_rng(rng).integers(
        0, 1 << DIGITS, (replicates, 1 << log2_points, dimension), dtype=np.uint64
    )
    return _to_floats(mantissas | EXPONENT_OF_ONE)


def scrambled_sobol(
    log2_points: int, dimension: int, replicates: int, rng: np.random.Generator | int | None = None
) -> Floats:
    """Independent scramblings of the first 2^log2_points Sobol points, strictly inside the unit cube.

    Parameters
    ----------
    log2_points : int
        m, from 0 to 32: a replicate has 2^m points, and each of its coordinates has one point in every
        [k 2^-m, (k + 1) 2^-m).
    dimension : int
        Coordinates of a point, from 1 to `MAX_DIMENSION`.
    replicates : int
        Independent scramblings, at least 1.
    rng : Generator, int or None
        Simulation randomness; never the randomness that protects records.

    Returns
    -------
    ndarray of shape (replicates, 2^m, dimension)
        Values (k + 1/2) 2^-52, each uniform over k = 0 ... 2^52 - 1.

    Examples
    --------
    >>> from discreet.noise.sobol import scrambled_sobol
    >>> points = scrambled_sobol(2, 3, replicates=2, rng=1)
    >>> (4 * points[0]).astype(int)
    array([[1, 3, 1],
           [3, 0, 3],
           [2, 2, 0],
           [0, 1, 2]])
    """
    _check(log2_points, dimension, replicates)
    if dimension > MAX_DIMENSION:
        raise InvalidInput(f"Sobol points have at most {MAX_DIMENSION} dimensions, not {dimension}; use uniform_points")
    rng = np.random.default_rng(rng)
    directions = _directions(dimension, log2_points)
    columns = _random_columns((log2_points, replicates, dimension), rng)
    scrambled = np.zeros((log2_points, replicates, dimension), np.uint64)
    for digit in range(log2_points):  # L C: column `digit` of L goes where C has that digit
        bit = (directions >> np.uint64(DIGITS - 1 - digit)) & np.uint64(1)
        scrambled[digit:] ^= bit[digit:, None, :] * columns[digit]
    shift = rng.integers(0, 1 << DIGITS, (replicates, dimension), dtype=np.uint64)
    return _to_floats(_walk(scrambled, shift | EXPONENT_OF_ONE))


def _check(log2_points: int, dimension: int, replicates: int) -> None:
    for name, value, low, high in (
        ("log2_points", log2_points, 0, MAX_LOG2_POINTS),
        ("dimension", dimension, 1, None),
        ("replicates", replicates, 1, None),
    ):
        if isinstance(value, bool) or int(value) != value or value < low or (high is not None and value > high):
            limits = f"at least {low}" if high is None else f"from {low} to {high}"
            raise InvalidInput(f"{name} must be a whole number, {limits}, not {value!r}")


def _random_columns(shape: tuple[int, int, int], rng: np.random.Generator) -> Words:
    """Columns 0, 1, ... of random lower triangular matrices with unit diagonal; digit 0 is the leading bit of 52."""
    one = np.uint64(1) << (np.uint64(DIGITS - 1) - np.arange(shape[0], dtype=np.uint64))
    below = rng.integers(0, 1 << DIGITS, shape, dtype=np.uint64) & (one - np.uint64(1))[:, None, None]
    return np.asarray(below | one[:, None, None])


def _walk(columns: Words, start: Words) -> Words:
    """The points in Gray-code order, (replicates, 2^m, d): each doubling walks back over the points with one more column."""
    replicates, dimension = start.shape
    points = np.empty((replicates, 1 << len(columns), dimension), np.uint64)
    points[:, 0] = start
    for k, column in enumerate(columns):
        half = 1 << k
        np.bitwise_xor(points[:, half - 1 :: -1], column[:, None], out=points[:, half : 2 * half])
    return points


def _to_floats(words: Words) -> Floats:
    """From floats in [1, 2), as their bits, to the midpoints (k + 1/2) 2^-52 in (0, 1), exactly and in place."""
    values = words.view(np.float64)
    values -= 1.0 - 2.0**-53
    return values


@lru_cache(maxsize=8)
def _directions(dimension: int, columns: int) -> Words:
    """The direction numbers as fractions of 52 digits, of shape (columns, dimension), by the recurrence of Sobol:

    m_k = 2 a_1 m_{k-1} + 4 a_2 m_{k-2} + ... + 2^s a_s m_{k-s} + m_{k-s}   (without carry; k counts from 0),

    with a_1 ... a_s the lower coefficients of the dimension's polynomial of degree s. Fraction k is m_k/2^(k + 1).
    """
    polynomials, initial = _table()
    polynomial = polynomials[:dimension]
    degree = np.frexp(polynomial)[1] - 1
    m = np.zeros((max(columns, initial.shape[1]), dimension), np.uint64)
    m[: initial.shape[1]] = initial[:dimension].T
    m[:, 0] = 1  # the first dimension, van der Corput's sequence, has no polynomial
    for s in np.unique(degree[degree > 0]).tolist():
        of = np.flatnonzero(degree == s)
        coefficient = polynomial[of].astype(np.uint64) >> np.arange(s, dtype=np.uint64)[::-1, None] & np.uint64(1)
        weight = coefficient << np.arange(1, s + 1, dtype=np.uint64)[:, None]
        for k in range(s, columns):
            newest_first = m[k - s : k, of][::-1]
            m[k, of] = np.bitwise_xor.reduce(weight * newest_first, axis=0) ^ newest_first[-1]
    fractions: Words = np.left_shift(
        m[:columns], (np.uint64(DIGITS - 1) - np.arange(columns, dtype=np.uint64))[:, None]
    )
    fractions.flags.writeable = False
    return fractions


@cache
def _table() -> tuple[NDArray[np.int64], Words]:
    """Primitive polynomials (all coefficients as bits) and initial direction numbers, read once, when first needed."""
    with (files("discreet.noise") / "sobol_directions.npy").open("rb") as file:
        table = np.load(file, allow_pickle=False)
    return table[:, 0].astype(np.int64), table[:, 1:].astype(np.uint64)
