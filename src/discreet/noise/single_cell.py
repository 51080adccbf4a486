"""The law of one cell's noise, a weighted sum of independent draws: closed form where there is one, else inversion.

- Gaussian draws: normal with the summed variance.
- m Laplace draws with equal weights: |X| is a mixture of gamma laws, all terms positive:
      P(X > x) = 1/2 sum_{k<m} C(m-1+k, k) 2^-(m-1+k) Q(m - k, x/b),  x >= 0     (Q: upper regularised gamma)
- otherwise, and where m is too large for that sum: P(X > x) = 1/(2 pi i) int exp(K(s) - s x)/s ds on the vertical line
  through the saddle of the integrand (K the log moment generating function), which has no cancellation in the tail.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.noise.draw_law import DrawLaw

Floats = NDArray[np.float64]
Coefficients = tuple[tuple[float, int], ...]

_SUMMED_OUT = 2000  # draws for which the mixture is summed term by term; the inversion's cost does not depend on them


def cell_sf(law: DrawLaw, coefficients: Coefficients, x: Floats) -> Floats:
    """P(sum of the draws, each times its coefficient, > x), for `coefficients` as pairs (coefficient, multiplicity)."""
    if np.isinf(law.mgf_radius):
        sd = np.sqrt(law.variance * sum(k * a * a for a, k in coefficients))
        return np.asarray(special.ndtr(-x / sd))
    upper = np.abs(x)
    if len(coefficients) == 1 and coefficients[0][1] <= _SUMMED_OUT:
        ((a, m),) = coefficients
        tail = law.sf(upper / abs(a)) if m == 1 else _sum_of_laplace_sf(upper / (abs(a) * law.scale), m)
    else:
        tail = np.array([_inverted_sf(law, coefficients, v) for v in upper.ravel()]).reshape(upper.shape)
    return np.where(x >= 0, tail, 1.0 - tail)


def _sum_of_laplace_sf(x: Floats, m: int) -> Floats:
    """P(sum of m unit Laplace draws > x) for x >= 0."""
    k = np.arange(m)
    log_weight = special.gammaln(m + k) - special.gammaln(m) - special.gammaln(k + 1) - (m + k) * np.log(2.0)
    return np.asarray(special.gammaincc(m - k, x[..., None]) @ np.exp(log_weight))


def _inverted_sf(law: DrawLaw, coefficients: Coefficients, x: float) -> float:
    """P(X > x) for x >= 0 by the trapezoid rule along the saddle's vertical line, y = k sinh(u)."""
    if x == 0:
        return 0.5
    reach = law.mgf_radius / max(abs(a) for a, _ in coefficients)
    h = reach * 1e-5

    def log_integrand(s: NDArray[np.complex128]) -> NDArray[np.complex128]:
        return sum((m * law.log_mgf(a * s) for a, m in coefficients), start=-s * x) - np.log(s)

    low, high = reach * 1e-9, reach * (1 - 1e-9)
    for _ in range(60):  # the real log-integrand is convex on (0, reach): bisect its slope
        c = 0.5 * (low + high)
        step = min(h, 0.25 * c, 0.25 * (reach - c))
        rises = log_integrand(np.array(c + step + 0j)).real > log_integrand(np.array(c - step + 0j)).real
        low, high = (low, c) if rises else (c, high)
    k = min(c, reach - c)
    u = (np.arange(400) + 0.5) * (26.0 / 400)
    y = k * np.sinh(u)
    start = log_integrand(np.array(c + 0j)).real
    values = np.exp(log_integrand(c + 1j * y) - start).real * np.cosh(u) * k
    return float(np.exp(start) * values.sum() * (26.0 / 400) / np.pi)


def cell_ppf(law: DrawLaw, coefficients: Coefficients, u: float, sd: float) -> float:
    """The quantile at 0 < u < 1 of the law whose survival function is `cell_sf`; `sd` is its standard deviation."""
    if len(coefficients) == 1 and coefficients[0][1] == 1:
        return abs(coefficients[0][0]) * float(law.ppf(u))
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
