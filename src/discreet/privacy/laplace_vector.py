"""The trade-off of a vector with independent Laplace noise in every coordinate: a level of Gaussian DP that holds.

Let coordinate i be shifted by a_i scales. Its own curve is f_i(x) = F(F^-1(1 - x) - a_i), F the Laplace law, and the
vector's is their product f_1 (x) ... (x) f_d. Two bounds of it from below, each with a short proof:

*The whole shift in one coordinate*, the best that is known where only a = a_1 + ... + a_d is. Move the coordinates one
after the other: P = P_0, P_1, ..., P_d = Q, where P_i differs from P_(i-1) in coordinate i alone, so that T(P_(i-1), P_i)
= f_i. A test with type I error x under P_0 has power at most 1 - f_1(x) under P_1; taken as a test of P_1 against P_2 its
type II error is at least f_2(1 - f_1(x)) = F(F^-1(1 - x) - a_1 - a_2), and so on: the curve of one coordinate shifted by a.

*Every coordinate by itself.* If f_i >= G_(mu_i) then the product is at least G_mu, mu^2 = mu_1^2 + ... + mu_d^2, for
products of curves keep their order (Dong, Roth and Su 2022). Two coordinates shifted by at most a each are a table with a
replaced record, whose exact mu is below sqrt(2) times that of one. This is the better bound: by about sqrt(d) where d
coordinates share a shift.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from discreet.privacy.laplace_curve import SAFETY, laplace_table_mu, shift_for, shift_mu


def laplace_vector_mu(shifts: Sequence[float]) -> float:
    """A mu such that independent Laplace noise makes a vector mu-GDP whose entry i moves by at most `shifts[i]` scales.

    The root of the sum of squares over pairs of similar shifts; exact for one coordinate and for two equal ones, else an
    upper bound, rounded up. The exact mu is about .9 of it for many small equal shifts.

    Parameters
    ----------
    shifts : sequence of float
        Each above 0, in scales of its own coordinate.

    Examples
    --------
    >>> print(f"{laplace_vector_mu([1.0]):.6f} {laplace_vector_mu([0.5] * 2):.6f} {laplace_vector_mu([0.1] * 10):.6f}")
    1.030064 0.707552 0.343477
    """
    if len(shifts) == 1:
        return shift_mu(shifts[0]) * (1 + SAFETY)
    falling = sorted((_coarse(shift) for shift in shifts), reverse=True)
    pairs = Counter(zip(falling[::2], falling[1::2], strict=False))
    squares = [count * _pair_squared(*pair) for pair, count in pairs.items()]
    if len(falling) % 2:
        squares.append(shift_mu(falling[-1]) ** 2)
    return math.sqrt(math.fsum(squares)) * (1 + 2 * SAFETY)


def laplace_vector_shift(mu: float, d: int) -> float:
    """A shift, in scales, by which each of d Laplace coordinates may move at once within mu-GDP; at most 1e-8 too small.

    >>> shift = laplace_vector_shift(1.0, 10)
    >>> print(f"{shift:.6f} {laplace_vector_mu([shift] * 10):.6f}")
    0.304348 1.000000
    """
    if d == 1:
        return shift_for(mu) * (1 - 4 * SAFETY)
    low, high = 0.99 * shift_for(mu) / d, 2 * shift_for(mu) / math.sqrt(d)
    while laplace_vector_mu([low] * d) > mu:
        low *= 0.5
    while high - low > 1e-10 * low:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if laplace_vector_mu([middle] * d) <= mu else (low, middle)
    return low


def _pair_squared(larger: float, smaller: float) -> float:
    """mu^2 of two coordinates: as a table whose shifts are both the larger one, or each by itself."""
    return min(laplace_table_mu(larger) ** 2, shift_mu(larger) ** 2 + shift_mu(smaller) ** 2)


def _coarse(shift: float) -> float:
    """A shift rounded up to 30 bits, so that the equal ones of a vector are recognised as equal."""
    mantissa, exponent = math.frexp(shift)
    return math.ldexp(math.ceil(math.ldexp(mantissa, 30)), exponent - 30)
