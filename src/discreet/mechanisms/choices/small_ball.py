"""The probability that k uniform points look uniform: P(KS(F, F_k) <= r), exact for every k and r.

For a continuous distribution F the law of KS(F, F_k) does not depend on F. Marsaglia, Tsang and Wang (2003): with
k r = h - t, h a whole number, 0 <= t < 1, it is k!/k^k times an entry of the k-th power of a (2h - 1)-matrix whose entries
are positive, so that even tiny probabilities keep their digits. Where both-sided excursions are impossible (r >= 1/2) or
rarer than 10^-15 of the rest, it is 1 - 2 P(KS+ > r) by Smirnov's formula.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import InvalidInput
from discreet.privacy.parameters import real, whole

Floats = NDArray[np.float64]

MOST = 100_000
"""Beyond this many points the matrix is too large."""


def small_ball(size: int, radius: float) -> float:
    """P(KS(F, F_k) <= radius) for the empirical distribution F_k of k points from a continuous F.

    Parameters
    ----------
    size : int
        k, from 1 to 100,000.
    radius : float
        Any number; 0 at or below 1/(2k), 1 from 1 on.

    Examples
    --------
    >>> from discreet.lab import small_ball
    >>> print(f"{small_ball(25, 0.1):.6f} {small_ball(400, 0.02):.7f}")
    0.057318 0.0037043
    """
    k, r = whole("size", size), real("radius", radius)
    if k > MOST:
        raise InvalidInput(f"size must be at most {MOST:,}, not {k:,}")
    return math.exp(log_small_ball(k, r))


def log_small_ball(k: int, r: float) -> float:
    """Its logarithm, which does not underflow."""
    if r <= 0.5 / k:
        return -math.inf
    if r >= 1:
        return 0.0
    if k * r <= 1:  # every point within its own interval of length 2r - 1/k
        return math.lgamma(k + 1) + k * math.log(2 * r - 1 / k)
    if r >= 0.5 or k * r * r > 18:
        return math.log1p(-2 * float(special.smirnov(k, r)))
    return _matrix_power(k, r)


def _matrix_power(k: int, r: float) -> float:
    h = math.floor(k * r) + 1
    t, m = h - k * r, 2 * h - 1
    i, j = np.indices((m, m))
    matrix = np.where(i - j + 1 >= 0, np.exp(-special.gammaln(np.maximum(i - j + 1, 0) + 1)), 0.0)
    powers = t ** np.arange(1, m + 1)
    factorials = np.exp(-special.gammaln(np.arange(2, m + 2)))
    matrix[:, 0] = (1 - powers) * factorials
    matrix[-1, :] = ((1 - powers) * factorials)[::-1]
    matrix[-1, 0] = (1 - 2 * t**m + max(0.0, 2 * t - 1) ** m) * factorials[-1]
    power, exponent = _power(matrix, k)
    entry = float(power[h - 1, h - 1])
    return math.log(entry) + exponent * math.log(2) + math.lgamma(k + 1) - k * math.log(k)


def _power(matrix: Floats, k: int) -> tuple[Floats, int]:
    """matrix^k as a matrix with largest entry 1 or less, times a power of two."""
    result, exponent = np.eye(len(matrix)), 0
    for bit in bin(k)[2:]:
        result, exponent = result @ result, 2 * exponent
        if bit == "1":
            result = result @ matrix
        _, binary = math.frexp(float(result.max()))
        result, exponent = np.ldexp(result, -binary), exponent + binary
    return result, exponent


def expected_ks(size: int, rate: float) -> float:
    """E KS under the exponential mechanism exp(-rate KS) if the records are spread evenly: by KS tilted by its small ball.

    With R(v) = P(KS <= v) for k uniform points, E v = int v e^(-rate v) dR(v) / int e^(-rate v) dR(v); 400 slices.

    Examples
    --------
    >>> from discreet.mechanisms.choices.small_ball import expected_ks
    >>> round(expected_ks(144, 864.0), 3)
    0.025
    """
    top = min(1.0, 4.0 * (math.pi**2 / (4 * size * rate)) ** (1 / 3) + 2 / size + 8 / rate)
    edges = np.linspace(0.5 / size, top, 201)
    log_balls = np.array([log_small_ball(size, float(v)) for v in edges])
    middles = 0.5 * (edges[1:] + edges[:-1])
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = log_balls[1:] + np.log(-np.expm1(log_balls[:-1] - log_balls[1:])) - rate * middles
    weights = np.exp(logs - np.max(logs[np.isfinite(logs)]))
    weights[~np.isfinite(weights)] = 0.0
    return float(weights @ middles / weights.sum())
