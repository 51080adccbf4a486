"""Gaussian differential privacy in the language of (epsilon, delta), without cancellation at any size.

    delta_mu(epsilon) = Phi(-x) - e^epsilon Phi(-y),    x = epsilon/mu - mu/2,  y = x + mu

(Balle and Wang 2018; Dong, Roth and Su 2022). Because e^epsilon phi(y) = phi(x) it is

    phi(x) (R(x) - R(y)) = phi(x) int_x^y (1 - t R(t)) dt,      R = Phi(-.)/phi  (Mills' ratio),

and the integral, whose integrand is positive, is used wherever the difference would lose digits.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_nodes, _weights = np.polynomial.legendre.leggauss(24)
_NODES, _WEIGHTS = 0.5 * (_nodes + 1), 0.5 * _weights
# (-1)^k (2k+1)!!: the coefficients of t^-2k in t^2 (1 - t R(t)), Mills' asymptotic series.
_TAIL = np.cumprod([1.0] + [-(2.0 * k + 1) for k in range(1, 11)])


def log_normal_density(x: Floats) -> Floats:
    """log phi(x)."""
    return -0.5 * x**2 - _HALF_LOG_TWO_PI


def _mills(t: Floats) -> Floats:
    """R(t) = Phi(-t)/phi(t), for t >= 0 or slightly below."""
    return math.sqrt(0.5 * math.pi) * np.asarray(special.erfcx(t / math.sqrt(2)))


def _mills_fall(t: Floats) -> Floats:
    """-R'(t) = 1 - t R(t), about 1/t^2 for large t."""
    far = np.maximum(t, 20.0)
    return np.where(
        t > 20, np.polynomial.polynomial.polyval(far**-2, _TAIL) / far**2, 1 - t * _mills(np.minimum(t, 20.0))
    )


def log_delta(mu: ArrayLike, epsilon: ArrayLike) -> Floats:
    """log delta_mu(epsilon) for mu > 0 and epsilon >= 0 (arrays broadcast); minus infinity only below exp(-1e300)."""
    mu, epsilon = np.broadcast_arrays(np.asarray(mu, float), np.asarray(epsilon, float))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        x = epsilon / mu - 0.5 * mu
        narrow = mu < np.maximum(1.0, x)
        at = np.where(narrow, np.minimum(x, 1e150), 0.0)[..., None] + np.where(narrow, mu, 1.0)[..., None] * _NODES
        integral = np.where(narrow, mu, 1.0) * (_mills_fall(at) @ _WEIGHTS)
        positive = np.maximum(x, 0.0)
        wide = np.where(
            x < 0,
            np.log(special.ndtr(-x) - np.exp(log_normal_density(x)) * _mills(np.maximum(x + mu, 0.0))),
            log_normal_density(positive) + np.log(_mills(positive) - _mills(positive + mu)),
        )
        return np.where(narrow, log_normal_density(x) + np.log(integral), wide)


def delta(mu: ArrayLike, epsilon: ArrayLike) -> Floats:
    """delta_mu(epsilon): the smallest delta such that mu-GDP implies (epsilon, delta)-DP.

    Examples
    --------
    >>> from discreet.privacy.gaussian_curve import delta
    >>> print(f"{delta(1.0, 1.0):.10f}")
    0.1269367375
    """
    return np.exp(log_delta(mu, epsilon))


def epsilon(mu: float, delta: Floats) -> Floats:
    """The smallest epsilon >= 0 with delta_mu(epsilon) <= delta, for 0 <= delta < 1; infinite at delta = 0."""
    wanted = np.log(delta, out=np.full_like(delta, -np.inf), where=delta > 0)
    # Phi(-x) is above delta_mu(epsilon), so where it equals delta, epsilon is large enough.
    quantile = special.ndtri(np.where(delta > 0, delta, 0.5))
    high = np.maximum(0.5 * mu**2 - mu * quantile, 0.0)
    low = np.zeros_like(high)
    for _ in range(70):
        middle = 0.5 * (low + high)
        enough = log_delta(mu, middle) <= wanted
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    free = log_delta(mu, np.zeros_like(high)) <= wanted
    return np.where(delta > 0, np.where(free, 0.0, high), np.inf)


def mu_for(epsilon: float, delta: float) -> float:
    """The largest mu with delta_mu(epsilon) <= delta: the exact calibration of Balle and Wang (2018), as a GDP level.

    Examples
    --------
    >>> from discreet.privacy.gaussian_curve import mu_for
    >>> print(f"{mu_for(4.37717810, 1e-5):.7f}")
    1.0000000
    """
    wanted, z = math.log(delta), float(special.ndtri(delta))
    root = math.hypot(z, math.sqrt(2 * epsilon))
    low = 2 * epsilon / (root - z) if z < 0 else z + root  # here Phi(-x) = delta, above delta_mu(epsilon)
    high = 2 * low
    while log_delta(high, epsilon) <= wanted:
        low, high = high, 2 * high
    while high > low * (1 + 4e-16):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if log_delta(middle, epsilon) <= wanted else (low, middle)
    return low
