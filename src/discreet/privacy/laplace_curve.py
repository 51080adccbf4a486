"""The exact trade-off of Laplace noise: one shifted coordinate, and the two that a replaced record shifts in a table.

Replacing a record moves a table by e_i - e_j, so two Laplace coordinates of scale b are shifted by 1 each. With a = 1/b
the likelihood-ratio tests have, for s in [0, a] (log-likelihood ratio 2(a - s)),

    alpha(s) = e^-(2a-s) (1 + s)/4,      beta(s) = e^-s (3 + s)/4;

before it a segment of slope -e^2a from (0, 1), after it one of slope -1 to the mirror image, then the mirror image.
In the other language, delta(epsilon) = 1 - (1 + s/2) e^-s at s = a - epsilon/2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import InvalidInput
from discreet.privacy.parameters import real

Floats = NDArray[np.float64]

_LOG_4 = math.log(4)
_nodes, _weights = np.polynomial.legendre.leggauss(12)
_NODES, _WEIGHTS = 0.5 * (_nodes + 1), 0.5 * _weights

#: Numbers that carry a privacy claim are rounded to the safe side by this share; their numerical error is far below it.
SAFETY = 1e-12


def shift_tradeoff(alpha: Floats, shift: float) -> Floats:
    """The type II error of the best test of Laplace(1) against its shift, at type I error alpha."""
    with np.errstate(divide="ignore"):
        log_alpha = np.log(alpha)
    first = -np.expm1(np.minimum(shift + log_alpha, 0.0))
    middle = 0.25 * np.exp(-shift - np.maximum(log_alpha, -shift - math.log(2)))
    last = np.exp(-shift) * (1 - alpha)
    return np.where(alpha <= 0.5 * math.exp(-shift), first, np.where(alpha <= 0.5, middle, last))


def shift_mu(shift: float) -> float:
    """The smallest mu with T >= G_mu for one Laplace coordinate: -2 Phi^-1(e^(-shift/2)/2); binding at the fixed point."""
    if shift < 2:
        return 2 * math.sqrt(2) * float(special.erfinv(-math.expm1(-0.5 * shift)))
    return -2 * float(special.ndtri_exp(-0.5 * shift - math.log(2)))


def shift_for(mu: float) -> float:
    """The largest shift, in units of the scale, of one Laplace coordinate that is mu-GDP: -2 log(2 Phi(-mu/2)).

    Every shift vector of that L1 length is then mu-GDP: a single coordinate is the worst case (for two coordinates
    checked by quadrature over their splits, for more by induction).

    >>> print(f"{shift_for(1.0):.10f}")
    0.9655291621
    """
    if mu < 1:
        return -2 * math.log1p(-math.erf(mu / (2 * math.sqrt(2))))
    return -2 * (math.log(2) + float(special.log_ndtr(-0.5 * mu)))


def table_tradeoff(alpha: Floats, a: float) -> Floats:
    """The type II error of the best test of a Laplace table against its neighbour, at type I error alpha; a = 1/b."""
    with np.errstate(divide="ignore"):
        log_alpha = np.log(alpha)
    steep = -np.expm1(np.minimum(2 * a + log_alpha, 0.0))
    s = np.clip(special.wrightomega(np.maximum(_LOG_4 + log_alpha + 2 * a, 0.0) + 1) - 1, 0, a)
    curved = 0.25 * np.exp(-s) * (3 + s)
    straight = 0.5 * math.exp(-a) * (2 + a) - alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = -special.lambertw(-4 * math.exp(-3) * np.minimum(alpha, 0.75), -1).real - 3
    t = np.clip(inverse, 0, a)
    mirrored = 0.25 * np.exp(t - 2 * a) * (1 + t)
    flat = math.exp(-2 * a) * (1 - alpha)
    kink, mirror = 0.25 * math.exp(-a) * (1 + a), 0.25 * math.exp(-a) * (3 + a)
    return np.select(
        [log_alpha <= -2 * a - _LOG_4, alpha <= kink, alpha <= mirror, alpha <= 0.75],
        [steep, curved, straight, mirrored],
        flat,
    )


def table_delta(epsilon: Floats, a: float) -> Floats:
    """The smallest delta such that a Laplace table of scale 1/a is (epsilon, delta)-DP: 1 - (1 + s/2) e^-s."""
    s = np.maximum(a - 0.5 * epsilon, 0.0)
    return -np.expm1(-s) - 0.5 * s * np.exp(-s)


def _gdp_level(s: Floats, a: float) -> Floats:
    """-Phi^-1(alpha(s)) - Phi^-1(beta(s)): the mu whose Gaussian curve passes through the point s of the table's curve."""
    log_alpha = s - 2 * a + np.log1p(s) - _LOG_4
    if a > 0.25:
        return -special.ndtri_exp(log_alpha) - special.ndtri_exp(-s + np.log(3 + s) - _LOG_4)
    # Both quantiles are near -+0.67 and would cancel: solve Phi(z + mu) - Phi(z) = 1 - alpha - beta for their difference.
    z = special.ndtri(np.exp(log_alpha))
    gap = -0.25 * (2 * s + np.expm1(-s) * (3 + s) + np.expm1(s - 2 * a) * (1 + s))

    def density(x: Floats) -> Floats:
        return np.exp(-0.5 * x**2) / math.sqrt(2 * math.pi)

    mu = gap / density(z)
    for _ in range(5):
        reached = mu * (density(z[:, None] + mu[:, None] * _NODES) @ _WEIGHTS)
        mu = mu - (reached - gap) / density(z + mu)
    return mu


def _binding(a: float) -> tuple[float, float]:
    """The largest GDP level along the curve and the s where it is reached, by a grid that closes in on the maximum."""
    low, high = 0.0, 1.0
    for _ in range(7):
        grid = np.linspace(low, high, 33)
        levels = _gdp_level(grid * a, a)
        best = int(levels.argmax())
        low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, 32)])
    return float(levels[best]), float(grid[best]) * a


def laplace_table_mu(a: float) -> float:
    """The smallest mu such that Laplace noise of scale b = 1/a makes a table mu-GDP (one record replaced).

    mu(a) = max over s in [0, a] of -Phi^-1(alpha(s)) - Phi^-1(beta(s)). The maximum lies inside, neither at the fixed
    point nor at the kink s = a, whose levels are too small and would be a false claim. Rounded up by a relative 1e-12.

    Parameters
    ----------
    a : float
        1/b > 0, b in records: the rate of the noise, for the pair of tables that differ by e_i - e_j.

    Returns
    -------
    float
        mu; about 1.5734 a for small a.

    Examples
    --------
    >>> from discreet.privacy.tradeoff import laplace_table_mu
    >>> print(f"{laplace_table_mu(0.5):.10f}")
    0.7075515359
    """
    rate = real("a, the rate of the noise,", a)
    if rate <= 0:
        raise InvalidInput(f"a, the rate of the noise, must be above 0, not {a!r}")
    return _binding(rate)[0] * (1 + SAFETY)


def table_rate_for(mu: float) -> float:
    """The largest rate a = 1/b with `laplace_table_mu(a) <= mu` (to a relative 1e-11, on the safe side)."""
    target = mu * (1 - 2 * SAFETY)
    a = shift_for(mu) if mu > 1 else mu / 1.5734325403
    for _ in range(40):
        level, s = _binding(a)
        # The derivative of the maximum is that at fixed s: d mu/d a = 2 alpha/phi(Phi^-1(alpha)).
        log_alpha = s - 2 * a + math.log1p(s) - _LOG_4
        z = float(special.ndtri_exp(log_alpha))
        slope = 2 * math.exp(log_alpha + 0.5 * z**2) * math.sqrt(2 * math.pi)
        step = (target - level) / slope
        a = max(a + step, 0.5 * a)
        if abs(step) <= 1e-14 * a:
            break
    while laplace_table_mu(a) > mu:
        a *= 1 - 0.5 * SAFETY
    return a
