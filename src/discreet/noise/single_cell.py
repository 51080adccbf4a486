"""The law of one cell's noise, a weighted sum of independent draws: closed form where there is one, else inversion.

- Gaussian draws: normal with the summed variance.
- m Laplace draws with equal weights: |X| is a mixture of gamma laws, all terms positive:
      P(X > x) = 1/2 sum_{k<m} C(m-1+k, k) 2^-(m-1+k) Q(m - k, x/b),  x >= 0     (Q: upper regularised gamma)
- otherwise, and where m is too large for that sum: P(X > x) = 1/(2 pi i) int exp(K(s) - s x)/s ds on the vertical line
  through the saddle of the integrand (K the log moment generating function), which has no cancellation in the tail.
- draws on the integers: in steps of the lattice, P(Y >= k) = 1/(2 pi i) int exp(K(s) - s k)/(1 - e^-s) ds on one period,
  |Im s| <= pi, of that line.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import NotAvailable
from discreet.noise.draw_law import DrawLaw

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Coefficients = tuple[tuple[float, int | float], ...]

_MOST_NODES = 1 << 22
_SUMMED_OUT = 2000  # draws for which the mixture is summed term by term; the inversion's cost does not depend on them


def cell_sf(law: DrawLaw, coefficients: Coefficients, x: Floats) -> Floats:
    """P(sum of the draws, each times its coefficient, > x), for `coefficients` as pairs (coefficient, multiplicity)."""
    if law.on_integers:
        steps, step = _lattice(coefficients)
        return _integer_sf(law, steps, x / step + 1e-9)
    if np.isinf(law.mgf_radius):
        sd = np.sqrt(law.variance * sum(k * a * a for a, k in coefficients))
        return np.asarray(special.ndtr(-x / sd))
    upper = np.abs(x)
    if len(coefficients) == 1 and coefficients[0][1] <= _SUMMED_OUT:
        ((a, m),) = coefficients
        tail = law.sf(upper / abs(a)) if m == 1 else _sum_of_laplace_sf(upper / (abs(a) * law.scale), int(m))
    else:
        tail = np.array([_inverted_sf(law, coefficients, v) for v in upper.ravel()]).reshape(upper.shape)
    return np.where(x >= 0, tail, 1.0 - tail)


def cell_cdf(law: DrawLaw, coefficients: Coefficients, x: Floats) -> Floats:
    """P(X <= x) = P(X >= -x), as the law is symmetric: the lower tail keeps its relative accuracy."""
    if not law.on_integers:
        return cell_sf(law, coefficients, -x)
    _, step = _lattice(coefficients)
    return cell_sf(law, coefficients, step * (np.ceil(-x / step - 1e-9) - 0.5))


def _sum_of_laplace_sf(x: Floats, m: int) -> Floats:
    """P(sum of m unit Laplace draws > x) for x >= 0."""
    k = np.arange(m)
    log_weight = special.gammaln(m + k) - special.gammaln(m) - special.gammaln(k + 1) - (m + k) * np.log(2.0)
    return np.asarray(special.gammaincc(m - k, x[..., None]) @ np.exp(log_weight))


def _inverted_sf(law: DrawLaw, coefficients: Coefficients, x: float) -> float:
    """P(X > x) for x >= 0 by the trapezoid rule along the saddle's vertical line, y = k sinh(u)."""
    if x == 0:
        return 0.5

    def log_integrand(s: Complexes) -> Complexes:
        return sum((m * law.log_mgf(a * s) for a, m in coefficients), start=-s * x) - np.log(s)

    reach = law.mgf_radius / max(abs(a) for a, _ in coefficients)
    c = _saddle(log_integrand, reach)
    k = min(c, reach - c)
    u = (np.arange(400) + 0.5) * (26.0 / 400)
    start = log_integrand(np.array(c + 0j)).real
    values = np.exp(log_integrand(c + 1j * k * np.sinh(u)) - start).real * np.cosh(u) * k
    return float(np.exp(start) * values.sum() * (26.0 / 400) / np.pi)


def _saddle(log_integrand: Callable[[Complexes], Complexes], reach: float) -> float:
    """Where the real log-integrand, convex on (0, reach), is smallest, by bisection of its slope."""
    h, low, high = reach * 1e-5, reach * 1e-9, reach * (1 - 1e-9)
    for _ in range(60):
        c = 0.5 * (low + high)
        step = min(h, 0.25 * c, 0.25 * (reach - c))
        rises = log_integrand(np.array(c + step + 0j)).real > log_integrand(np.array(c - step + 0j)).real
        low, high = (low, c) if rises else (c, high)
    return c


def _lattice(coefficients: Coefficients) -> tuple[tuple[tuple[int, int], ...], float]:
    """The cell's law in whole steps: pairs (whole coefficient, multiplicity) without a common divisor, and the step.

    The coefficients are whole multiples of 1/M, M the number of all draws.
    """
    total = sum(k for _, k in coefficients)
    whole = [(round(a * total), int(k)) for a, k in coefficients]
    divisor = math.gcd(*(a for a, _ in whole))
    return tuple((a // divisor, k) for a, k in whole), divisor / total


def _integer_sf(law: DrawLaw, steps: tuple[tuple[int, int], ...], y: Floats) -> Floats:
    """P(Y > y) for the whole number Y = sum of the draws, each times its whole coefficient; Y is symmetric about 0."""
    if steps == ((1, 1),):
        return law.sf(y)
    above = np.floor(y) + 1.0
    mirrored = np.where(above > 0, above, 1.0 - above)
    tail = np.array([_inverted_integer_sf(law, steps, k) for k in mirrored.ravel()]).reshape(mirrored.shape)
    return np.where(above > 0, tail, 1.0 - tail)


def _inverted_integer_sf(law: DrawLaw, steps: tuple[tuple[int, int], ...], k: float) -> float:
    """P(Y >= k) for k >= 1 by the trapezoid rule on the period.

    With N nodes it gives the sum over j of P(Y >= k + j N) e^(c j N): j = -1 is below e^(-c N), and the ratio of j = 1 to
    j = 0 about e^(-(end - c) N), if the moment generating function has an end.
    """

    def log_integrand(s: Complexes) -> Complexes:
        return sum((m * law.log_mgf(a * s) for a, m in steps), start=-s * k) - np.log(-np.expm1(-s))

    end = reach = law.mgf_radius / max(abs(a) for a, _ in steps)
    if np.isinf(reach):  # beyond, the integrand rises on the real axis
        reach = 1.0 / math.sqrt(law.variance * sum(a * a * m for a, m in steps))
        while log_integrand(np.array(2.0 * reach + 0j)).real < log_integrand(np.array(reach + 0j)).real:
            reach *= 2.0
        reach *= 2.0
    c = _saddle(log_integrand, reach)
    start = float(log_integrand(np.array(c + 0j)).real)
    nodes = 2 * math.ceil(max((40.0 + max(0.0, -start)) / c, 60.0 / (end - c)) / 2.0) + 2
    if nodes > _MOST_NODES:
        raise NotAvailable(f"noise on the integers of scale {law.scale!r} is too wide for sums; use the continuous law")
    y = np.arange(nodes // 2 + 1) * (2.0 * np.pi / nodes)
    values = np.exp(log_integrand(np.asarray(c + 1j * y, complex)) - start).real
    values[[0, -1]] *= 0.5
    return float(math.exp(start) * 2.0 * values.sum() / nodes)


def cell_ppf(law: DrawLaw, coefficients: Coefficients, u: float, sd: float) -> float:
    """The quantile at 0 < u < 1 of the law whose survival function is `cell_sf`; `sd` is its standard deviation."""
    if len(coefficients) == 1 and coefficients[0][1] == 1:
        return abs(coefficients[0][0]) * float(law.ppf(u))
    if law.on_integers:
        steps, step = _lattice(coefficients)
        return step * _integer_ppf(law, steps, u, sd / step)
    if np.isinf(law.mgf_radius):
        return sd * float(special.ndtri(u))
    tail = min(u, 1.0 - u)
    low, high = 0.0, sd
    while float(cell_sf(law, coefficients, np.array(high))) > tail:
        high *= 2.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if float(cell_sf(law, coefficients, np.array(middle))) > tail else (low, middle)
    return (1.0 if u >= 0.5 else -1.0) * high


def _integer_ppf(law: DrawLaw, steps: tuple[tuple[int, int], ...], u: float, sd: float) -> float:
    """The smallest whole number y with P(Y <= y) >= u.

    From u = 1/2 on it is the smallest k >= 0 with P(Y > k) <= 1 - u; below, minus the smallest one with P(Y > k) < u.
    """

    def reached(k: int) -> bool:
        tail = float(_integer_sf(law, steps, np.array(float(k))))
        return tail <= 1.0 - u if u >= 0.5 else tail < u

    low, high = -1, math.ceil(sd) + 1
    while not reached(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(high if u >= 0.5 else -high)
