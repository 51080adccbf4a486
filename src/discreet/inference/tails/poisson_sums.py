"""Sums over a Poisson index of positive terms: how the noncentral chi-squared law adds up, fast and without loss.

Notation as in `noncentral`: a = df/2, y = x/2, mu = noncentrality/2, p_j the Poisson(mu) probabilities, Q(c, y) the
upper regularised gamma and g(c) = e^-y y^c/Gamma(c + 1), so that Q(c + 1, y) = Q(c, y) + g(c). All arrays are flat and
of one length, a point each; `centre` is the mean m of the Poisson law that bounds the terms of the point.

Where y + mu is moderate (`REACH`), Horner's rule adds all terms from 0 to the last that matters, for all points
together: a polynomial in mu where x is common, a pair of recurrences otherwise. Elsewhere the terms are smooth in j,
and a stride through the window around the largest gives the whole sum.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Counts = NDArray[np.intp]

REACH = 600.0
"""Horner's sums lie between 1 and e^(y + mu), which must be well within the range of a float."""

LOG_NEGLIGIBLE = 36.0
"""The windows leave out less than e^-36 = 2e-16 of the Poisson law on either side."""


def tail_at_one_x(a: float, y: Floats, mu: Floats, centre: Floats) -> Floats:
    """The tail where all points have the same y: with t = mu/top, top the largest mu,

        sum_j p_j Q(a + j) = e^(top - mu) sum_j c_j t^j,   c_j = Poisson(j; top) Q(a + j, y).

    Sixteen powers of t at a time: their inner sums are one matrix product (Paterson & Stockmeyer 1973).
    """
    top, block = float(mu.max()), 16
    blocks = int(_last_term(centre.max())) // block + 1
    j = np.arange(block * blocks, dtype=float)
    coefficients = poisson(j, np.full_like(j, top)) * upper_gamma(a + j, np.full_like(j, y[0]))
    t = mu / top
    powers = np.ones((block, t.size))
    powers[1] = t
    for i in range(2, block):
        np.multiply(powers[i // 2], powers[i - i // 2], out=powers[i])
    inner = coefficients.reshape(blocks, block) @ powers
    next_power = powers[block // 2] ** 2
    total = inner[-1]
    for row in inner[-2::-1]:
        total *= next_power
        total += row
    return np.asarray(np.exp(top - mu) * total)


def tail_by_horner(a: float, y: Floats, mu: Floats, centre: Floats) -> Floats:
    """The tail as Q(a) + sum_i g(a + i) P(N > i), N Poisson(mu), which is the same sum in another order.

    Backwards in i, with R_i = P(N > i)/p_i and S_i = sum_{l >= i} g(a + l) P(N > l) / (g(a + i) p_i):

        R_{i-1} = (mu/i) (1 + R_i),     S_{i-1} = R_{i-1} + y mu/((a + i) i) S_i.

    Below i = 0 the weight of g is 1, down to Q(1/2, y) = erfc(sqrt y) or Q(1, y) = e^-y.
    """
    order, active = _longest_first(_last_term(centre).astype(np.intp))
    y, mu = y[order], mu[order]
    product = y * mu
    r, s = np.zeros_like(y), np.zeros_like(y)
    for i in range(len(active) - 1, 0, -1):
        r_i, s_i = r[: active[i]], s[: active[i]]
        r_i += 1.0
        r_i *= mu[: active[i]]
        r_i *= 1.0 / i
        s_i *= product[: active[i]]
        s_i *= 1.0 / ((a + i) * i)
        s_i += r_i
    s *= np.exp(-mu)
    lowest = 1.0 if a % 1.0 == 0.0 else 0.5
    for step in range(int(a - lowest)):
        s *= y
        s *= 1.0 / (a - step)
        s += 1.0
    decay, root = np.exp(-y), np.sqrt(y)
    tail = decay * (1.0 + y * s) if lowest == 1.0 else special.erfc(root) + (2.0 / np.sqrt(np.pi)) * root * decay * s
    return _restored(tail, order)


def density_by_horner(a: float, y: Floats, mu: Floats, centre: Floats) -> Floats:
    """1/2 p_0 g(a - 1) (1 + y mu/(a 1) (1 + y mu/((a + 1) 2) (1 + ...)))."""
    order, active = _longest_first(_last_term(centre).astype(np.intp))
    product = (y * mu)[order]
    s = np.ones_like(y)
    for i in range(len(active) - 1, 0, -1):
        s_i = s[: active[i]]
        s_i *= product[: active[i]]
        s_i *= 1.0 / ((a + i - 1.0) * i)
        s_i += 1.0
    return 0.5 * np.exp(-mu) * poisson(np.full_like(y, a - 1.0), y) * _restored(s, order)


def tail_by_stride(a: float, y: Floats, mu: Floats, centre: Floats) -> Floats:
    """sum_j p_j Q(a + j, y), from every step-th term."""
    return _by_stride(lambda j, at: poisson(j, mu[at]) * upper_gamma(a + j, y[at]), a, centre)


def density_by_stride(a: float, y: Floats, mu: Floats, centre: Floats) -> Floats:
    """1/2 sum_j p_j g(a + j - 1), from every step-th term."""
    return 0.5 * _by_stride(lambda j, at: poisson(j, mu[at]) * poisson(a + j - 1.0, y[at]), a, centre)


def _by_stride(term: Callable[[Floats, Counts], Floats], a: float, centre: Floats) -> Floats:
    """The sum over j of term(j, points), as step times the sum over every step-th j of the window.

    By Poisson's summation formula the two differ by about 2 exp(-2 pi^2 s^2/step^2), relative, where s is the width
    by which the terms grow in the imaginary direction, |term(j + i tau)| ~ exp(tau^2/(2 s^2)): for both laws
    1/s^2 = 1/m + 1/(a + m), one part from each gamma function. At step = s/1.4 this is 3e-17. A window that begins
    at 0, where the terms need not have faded out, is added term by term.
    """
    first = np.maximum(np.floor(centre - np.sqrt(2.0 * LOG_NEGLIGIBLE * centre)), 0.0)
    width = np.sqrt(centre) * np.sqrt((a + centre) / (a + 2.0 * centre))
    step = np.where(first > 0.0, np.maximum(np.floor(width / 1.4), 1.0), 1.0)
    order, active = _longest_first(np.ceil((_last_term(centre) - first) / step).astype(np.intp) + 1)
    total = np.zeros_like(centre)
    for i, m in enumerate(active[1:]):
        at = order[:m]
        total[at] += term(first[at] + i * step[at], at)
    return step * total


def _last_term(centre: Floats) -> Floats:
    """The end of the window: P(N >= m + t) <= exp(-t^2/(2m + 2t/3)) for N Poisson(m) (Bernstein), e^-36 at this t."""
    third = LOG_NEGLIGIBLE / 3.0
    return np.ceil(centre + third + np.sqrt(third**2 + 2.0 * LOG_NEGLIGIBLE * centre))


def _longest_first(terms: Counts) -> tuple[Counts, list[int]]:
    """An order of the points by falling number of terms, and for i = 0, 1, ... how many have at least i terms."""
    order = np.argsort(-terms)
    rising = terms[order[::-1]]
    return order, (terms.size - np.searchsorted(rising, np.arange(rising[-1] + 1))).tolist()


def _restored(values: Floats, order: Counts) -> Floats:
    """Values that were computed in the given order, back in the order of the points."""
    result = np.empty_like(values)
    result[order] = values
    return result


def poisson(j: Floats, mu: Floats) -> Floats:
    """e^-mu mu^j/Gamma(j + 1) for real j > -1, without the cancellation between large logarithms (Loader 2000).

    For j >= 16 it is exp(-D - d)/sqrt(2 pi j) with d the remainder of Stirling's formula and, v = (j - mu)/(j + mu),

        D = j log(j/mu) + mu - j = 2 j (artanh v - v) + v (j - mu).
    """
    large = np.maximum(j, 16.0)
    safe = np.maximum(mu, 1e-300)
    v = (large - safe) / (large + safe)
    v2 = v * v
    cubic = v * v2 * np.polyval(1.0 / np.arange(23, 2, -2), v2)
    beyond = np.abs(v) > 0.12
    if beyond.any():
        cubic[beyond] = 0.5 * np.log(large[beyond] / safe[beyond]) - v[beyond]
    deviance = 2.0 * large * cubic + v * (large - safe)
    inverse = 1.0 / large
    remainder = inverse * np.polyval([1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12], inverse * inverse)
    log_mass = -deviance - remainder - 0.5 * np.log(2.0 * np.pi * large)
    small = j < 16.0
    if small.any():
        log_mass[small] = special.xlogy(j[small], mu[small]) - mu[small] - special.gammaln(j[small] + 1.0)
    return np.asarray(np.exp(log_mass))


def upper_gamma(c: Floats, y: Floats) -> Floats:
    """Q(c, y): scipy's, but for the two regions where it loses digits (its logarithms cancel; its series is cut short).

    - c > 200 and y > 1.35 c:  g(c - 1) (1 + (c - 1)/y (1 + (c - 2)/y (1 + ...))), all terms positive;
    - 1e5 < c < 1e12 and y < c - 4.4 sqrt c, where 1 - Q < 1e-5: the first two terms of Temme's (1979) expansion,
      erfc(eta sqrt(c/2))/2 + e^(-c eta^2/2)/sqrt(2 pi c) (1/v - 1/eta), v = y/c - 1, eta = -sqrt(2 (v - log(1 + v))).
    """
    values = np.asarray(special.gammaincc(c, y))
    far = (c > 200.0) & (y > 1.35 * c)
    if far.any():
        b, z = c[far], y[far]
        series = np.ones_like(z)
        for k in range(130, 0, -1):  # 1.35^-130 < 1e-16
            series = 1.0 + series * (b - k) / z
        values[far] = poisson(b - 1.0, z) * series
    near_one = (c > 1e5) & (c < 1e12) & (y < c - 4.4 * np.sqrt(c))
    if near_one.any():
        b = c[near_one]
        v = y[near_one] / b - 1.0
        eta = -np.sqrt(2.0 * (v - np.log1p(v)))
        correction = np.exp(-0.5 * b * eta**2) / np.sqrt(2.0 * np.pi * b) * (1.0 / v - 1.0 / eta)
        values[near_one] = 0.5 * special.erfc(eta * np.sqrt(0.5 * b)) + correction
    return values
