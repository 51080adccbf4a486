"""What zero-concentrated differential privacy means for a test: the tightest conversion over all Renyi orders.

rho-zCDP says D_alpha(P||Q) <= rho alpha for every order alpha > 1, in both directions. A test with type I error x and
type II error y turns P and Q into coin flips, of which the same must hold, and a pair of coin flips that satisfies it is
itself rho-zCDP. So the conversions below are exact, not bounds: the largest power of a test is that of the best such
coin. With a = 1 - y, b = x, u = a/b, v = (1 - a)/(1 - b) the constraint of order alpha is

    b phi(u) + (1 - b) phi(v) <= e^(alpha (alpha-1) rho) - 1,     phi(u) = u^alpha - 1 - alpha (u - 1) >= 0,

computed in log space. delta(epsilon) is the largest a - e^epsilon b; for one order its solution has v = u e^-t and

    u = e^epsilon alpha/(alpha-1) (1 - e^-((alpha-1) t))/(1 - e^-(alpha t)),

one unknown t. (Canonne, Kamath and Steinke 2020, Proposition 12, is the limit t -> infinity, a slightly larger delta.)
Every order gives a valid statement, so a search over orders that stops early errs on the safe side.
The two directions are mirror images; where they meet, the coins are those of randomised response.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]


def pure_to_rho(epsilon: float) -> float:
    """The smallest rho such that epsilon-DP implies rho-zCDP: epsilon tanh(epsilon/2), that of randomised response."""
    return epsilon * math.tanh(0.5 * epsilon)


def rho_to_pure(rho: float) -> float:
    """The epsilon with epsilon tanh(epsilon/2) = rho."""
    low, high = math.sqrt(2 * rho), rho + 2 * math.sqrt(rho) + 1e-300
    low = min(low, high)
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return low
        low, high = (middle, high) if pure_to_rho(middle) <= rho else (low, middle)


def _log_expm1(x: Floats) -> Floats:
    """log(e^x - 1) for x > 0."""
    return np.where(x > 1, x + np.log(-np.expm1(-np.maximum(x, 1.0))), np.log(np.expm1(np.minimum(x, 1.0))))


def _log_phi(w: Floats, c: Floats) -> Floats:
    """log of u^alpha - 1 - alpha (u - 1) at w = log u, c = alpha - 1 > 0."""
    alpha = 1 + c
    # sum over k >= 2 of (alpha^k - alpha) w^k/k!, alpha^k - alpha = c alpha (1 + ... + alpha^(k-2)), where the direct
    # forms would cancel.
    small = np.clip(w, -0.25 / alpha, 0.25 / alpha)
    term, geometric = 0.5 * small**2, np.ones_like(alpha)
    series = term.copy()
    for k in range(3, 13):
        term, geometric = term * (small / k), 1 + alpha * geometric
        series += term * geometric
    up, down = np.maximum(w, 1e-300), np.minimum(w, -1e-300)
    above = np.log(-np.expm1(-c * up) - c * np.exp(-c * up) * -np.expm1(-up)) + alpha * up
    below = np.log(c * -np.expm1(down) + np.exp(down) * np.expm1(c * down))
    return np.where(np.abs(w * alpha) < 0.25, np.log(series * c * alpha), np.where(w > 0, above, below))


def _log_excess(log_b: Floats, w_u: Floats, w_v: Floats, c: Floats, rho: float) -> Floats:
    """log of the left side of the constraint minus log of its right side: at most 0 where the coins are rho-zCDP."""
    phi_u, phi_v = _log_phi(np.stack([w_u, w_v]), c)
    left: Floats = np.logaddexp(log_b + phi_u, np.log(-np.expm1(log_b)) + phi_v)
    return left - _log_expm1(c * (1 + c) * rho)


def _best_order(value: Callable[[Floats], Floats], reach: Floats) -> Floats:
    """The smallest `value` over c = alpha - 1 in [1e-13, reach], for an array of problems, by grids that close in on it.

    `value` takes c of shape (..., k) and returns that shape; `reach` has shape (...).
    """
    low, high, points = np.full(reach.shape, math.log(1e-13)), np.log(reach), 40
    best = np.full(reach.shape, np.inf)
    for _ in range(8):
        grid = np.linspace(low, high, points, axis=-1)
        found = value(np.exp(grid))
        at = found.argmin(-1)[..., None]
        best = np.minimum(best, found.min(-1))
        low = np.take_along_axis(grid, np.maximum(at - 1, 0), -1)[..., 0]
        high = np.take_along_axis(grid, np.minimum(at + 1, points - 1), -1)[..., 0]
        points = 16
    return best


def log_delta(rho: float, epsilon: Floats) -> Floats:
    """log of the smallest delta such that rho-zCDP implies (epsilon, delta)-DP, for epsilon >= 0.

    Above the truth by a relative 1e-7 at most (far in the tail, where v is 1 to 16 digits), below it only by rounding.
    """
    epsilon = np.asarray(epsilon, float)
    eps = epsilon[..., None]

    def coins(t: Floats, c: Floats) -> tuple[Floats, Floats]:
        """log(a - e^epsilon b) of the tangent coins at t, and by how much they exceed rho (minus infinity: no coins)."""
        gain = np.log1p(c) - np.log(c) + np.log(-np.expm1(-c * t)) - np.log(-np.expm1(-(1 + c) * t))
        log_u, log_v = eps + gain, np.minimum(eps + gain - t, -1e-300)
        log_b = np.minimum(np.log(-np.expm1(log_v)) - log_u - np.log(-np.expm1(-t)), -1e-300)
        excess = _log_excess(log_b, log_u, log_v, c, rho)
        size = log_b + eps + np.log(np.expm1(np.maximum(gain, 1e-300)))
        return size, np.where(eps + gain < t, excess, -np.inf)

    def value(c: Floats) -> Floats:
        end = np.log(eps + np.log1p(1 / c) + 740)
        low, high = np.full(c.shape, math.log(1e-12)), np.broadcast_to(end, c.shape)
        for _ in range(54):
            middle = 0.5 * (low + high)
            allowed = coins(np.exp(middle), c)[1] <= 0
            low, high = np.where(allowed, middle, low), np.where(allowed, high, middle)
        # Where every t is allowed, the event has probability 1 under P and e^(-alpha rho) under Q.
        certain = np.log(-np.expm1(np.minimum(eps - (1 + c) * rho, -1e-300)))
        solved = np.where(high >= end, certain, coins(np.exp(high), c)[0])
        # In the far tail v rounds to 1; there the limit t -> infinity is as good and has no rounding.
        limit = c * ((1 + c) * rho - eps) - np.log(c) - (1 + c) * np.log1p(1 / c)
        return np.fmin(solved, limit)

    with np.errstate(all="ignore"):
        found = np.minimum(_best_order(value, 10 * (1 + (1 + epsilon) / rho)), 0.0)
        # The two directions meet in a kink, the coins of randomised response at `pure`, of slope -+ sinh(pure)/pure.
        pure = rho_to_pure(rho)
        at_kink = epsilon <= pure + math.log(-math.expm1(-2 * pure) / (2 * pure))
        kink = np.log(-np.expm1(np.minimum(epsilon - pure, -1e-300))) - math.log1p(math.exp(-pure))
        return np.where(at_kink, kink, found)


def epsilon(rho: float, delta: float) -> float:
    """The smallest epsilon >= 0 such that rho-zCDP implies (epsilon, delta)-DP, 0 < delta < 1; rounded up by 1e-10."""
    wanted = math.log(delta)

    def over(epsilon: float) -> float:
        return float(log_delta(rho, np.array(epsilon))) - wanted

    if over(0.0) <= 0:
        return 0.0
    low, high = 0.0, rho + 2 * math.sqrt(-rho * wanted)  # Bun and Steinke (2016): elementary, never too small
    at, slope = over(high), (over(1.001 * high) - over(high)) / (0.001 * high)
    # log delta is concave, so the secant through two points right of the root stays right of it: the safe side.
    while high - low > 1e-10 * high:
        step = at / slope
        middle = high - step if 0 < step < high - low else 0.5 * (low + high)
        if (at_middle := over(middle)) > 0:
            low, slope = middle, math.inf
            continue
        moved = high - middle
        slope, at, high = (at - at_middle) / moved if moved else slope, at_middle, middle
        if moved <= 1e-10 * high:
            break
    return high


def tradeoff(rho: float, x: Floats) -> Floats:
    """The smallest type II error of a test of type I error x that rho-zCDP allows."""
    x = np.asarray(x, float)
    meeting = special.expit(-rho_to_pure(rho))
    left = x <= meeting
    # D(P||Q) binds left of the fixed point and D(Q||P) right of it, where the roles of the two errors are exchanged.
    safe = np.clip(x, 1e-300, 1 - 1e-16)[..., None]

    def value(c: Floats) -> Floats:
        low, high = np.full(c.shape, -710.0), np.broadcast_to(np.log1p(-safe), c.shape).copy()
        for _ in range(56):
            log_y = 0.5 * (low + high)
            miss = np.log1p(-np.exp(log_y))
            log_b = np.where(left[..., None], np.log(safe), log_y)
            w_u = np.where(left[..., None], miss - np.log(safe), np.log1p(-safe) - log_y)
            w_v = np.where(left[..., None], log_y - np.log1p(-safe), np.log(safe) - miss)
            allowed = _log_excess(log_b, w_u, w_v, c, rho) <= 0
            low, high = np.where(allowed, low, log_y), np.where(allowed, log_y, high)
        return -low

    with np.errstate(all="ignore"):
        found = np.exp(-_best_order(value, 10 * (1 + (1 - np.log(safe[..., 0])) / rho)))
    # The curve crosses the diagonal there; for large rho so steeply that one rounding of x decides between 0 and 1.
    found = np.where(left, np.maximum(found, meeting), np.minimum(found, meeting))
    return np.where(x <= 0, 1.0, np.where(x >= 1, 0.0, np.minimum(found, 1 - x)))
