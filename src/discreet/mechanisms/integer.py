"""What a table costs whose noise is drawn on the whole numbers: the discrete laws, charged by their own curves.

On a fine grid the integer laws cannot be told from the continuous ones; on the whole numbers they can, and it is the
discrete law that protects. In epsilon and in rho nothing changes, both are exact on any grid: with p the probability
that noise of scale b is not negative, P(Z >= 0) = p = 1/(1 + e^(-1/b)),

    Laplace    epsilon = l1/b (one count moves by 1: e^(-1/b) <= P(Z = z)/P(Z = z - 1) <= e^(1/b))
    Gaussian   rho = l2^2/(2 s^2) (Canonne, Kamath and Steinke 2020, theorem 14)

In mu both cost more than their continuous namesakes:

- **Laplace.** The likelihood ratio of one count that moves by 1 takes two values, e^(1/b) if the noisy count is at least
  the new one and e^(-1/b) otherwise: the count is as private as randomised response with epsilon = 1/b, which is
  mu = 2 Phi^-1(p). Where a record is replaced two counts move, and the trade-off curve is that of two such responses: a
  polygon with the corners (alpha, beta) = ((1 - p)^2, 1 - p^2) and the mirror image. Points above a convex curve have
  their chord above it, so the corners alone decide: mu = Phi^-1(1 - (1 - p)^2) - Phi^-1(1 - p^2), exactly. A person with
  k records is replaced in k steps of one record, each of them mu-GDP: k mu are charged (group privacy).
- **Gaussian.** It is not (l2/s)-GDP. Rounding a continuous Gaussian of variance s^2 - tau^2 at random (weights
  exp(-(K - Y)^2/(2 tau^2))) gives the integer Gaussian of variance s^2 but for a factor of e^(+-D), where each of the
  counts that move adds 4 e to D, e = 2 sum_j exp(-2 pi^2 tau^2 j^2); the counts that do not move are the same on both
  sides. So the table is mu-GDP with mu = l2/sqrt(s^2 - tau^2), up to the max-divergence D. With tau = 3/2 and two counts
  D is below 10^-18 (below k 10^-18 for persons with up to k records, who can move 2k counts). No claim is made for
  s <= tau. The bound is loose (the excess in mu seems to be 1/(24 s^2), and tau^2/(2 s^2) is charged), so under a
  Gaussian guarantee whole numbers are had for less by rounding a release.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy import special

from discreet.errors import InvalidInput
from discreet.mechanisms.table import TableMechanism, no_cost, up
from discreet.noise import DiscreteGaussian, DiscreteLaplace, calibrate
from discreet.privacy import ApproxDP, Cost, GaussianDP, PureDP, gaussian_curve
from discreet.privacy.cost import Currency
from discreet.privacy.curves import pure_mu
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.sensitivity import table as table_sensitivity

TAU_SQUARED = Fraction(9, 4)
"""The variance given up to random rounding; 16 exp(-2 pi^2 9/4) = 8.2e-19 is the max-divergence that it leaves."""

_SAFETY = 1e-12
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)


def laplace_on_integers(guarantee: Guarantee, adjacency: str = "replace-one", records: int = 1) -> TableMechanism:
    """Discrete Laplace noise of the smallest scale that reaches `guarantee`; of mu, by k steps of one record each."""
    sensitivity = table_sensitivity(adjacency, records=records)
    if isinstance(guarantee, GaussianDP):
        scale = _scale_for(guarantee.mu / records * (1 - _SAFETY), _counts(adjacency))
    else:
        scale = calibrate.laplace(guarantee, float(sensitivity.l1))
    law = DiscreteLaplace(scale)
    return TableMechanism("DiscreteLaplace", "laplace", law, sensitivity, guarantee, False, discrete_laplace_cost, True)


def gaussian_on_integers(guarantee: Guarantee, adjacency: str = "replace-one", records: int = 1) -> TableMechanism:
    """Discrete Gaussian noise of the smallest parameter s that reaches `guarantee`."""
    sensitivity = table_sensitivity(adjacency, records=records)
    square = Fraction(sensitivity.l2_squared)
    if isinstance(guarantee, GaussianDP | ApproxDP):
        scale = _root_up(square / _mu_of(guarantee, records) ** 2 + TAU_SQUARED)
    else:
        scale = calibrate.gaussian(guarantee, l2_squared=square)
    law = DiscreteGaussian(scale)
    return TableMechanism(
        "DiscreteGaussian", "gaussian", law, sensitivity, guarantee, False, discrete_gaussian_cost, True
    )


def discrete_laplace_cost(mechanism: TableMechanism, currency: Currency) -> Cost:
    """The cost of a discrete Laplace table in a currency that is not its guarantee's own."""
    stated = mechanism.guarantee
    epsilon = stated.epsilon if isinstance(stated, PureDP) else up(mechanism.sensitivity.l1 / Fraction(mechanism.scale))
    if currency == "epsilon":
        return Cost("epsilon", epsilon)
    if currency == "approx":
        return Cost("approx", epsilon, 0.0)
    if currency == "rho":
        return Cost("rho", epsilon * math.tanh(epsilon / 2) * (1 + 1e-15))
    if currency == "mu":
        coordinates = int(mechanism.sensitivity.l1**2 / mechanism.sensitivity.l2_squared)
        records = int(mechanism.sensitivity.l1) // coordinates
        mu = discrete_laplace_mu(mechanism.scale, coordinates)
        return Cost("mu", mu if records == 1 else records * mu * (1 + _SAFETY))
    raise no_cost(mechanism, currency, "the currency is unknown")


def discrete_gaussian_cost(mechanism: TableMechanism, currency: Currency) -> Cost:
    """The cost of a discrete Gaussian table in a currency that is not its guarantee's own."""
    square, variance = Fraction(mechanism.sensitivity.l2_squared), Fraction(mechanism.scale) ** 2
    if currency == "rho":
        return Cost("rho", up(square / (2 * variance)))
    if currency == "mu":
        if variance <= TAU_SQUARED:
            raise no_cost(mechanism, currency, "no mu is proved for an integer Gaussian with s of 1.5 or less")
        return Cost("mu", math.nextafter(math.sqrt(up(square / (variance - TAU_SQUARED))), math.inf))
    if currency == "epsilon":
        raise no_cost(mechanism, currency, "Gaussian noise has no finite pure epsilon; use Laplace(integer=True)")
    raise no_cost(mechanism, currency, "state the release's guarantee as ApproxDP(epsilon, delta)")


def _counts(adjacency: str) -> int:
    """2 counts move where a record is replaced, 1 where it is added or removed."""
    return int(table_sensitivity(adjacency).l1)


def discrete_laplace_mu(scale: float, counts: int) -> float:
    """The smallest mu of discrete Laplace noise on `counts` (1 or 2) counts that move by 1; rounded up by 1e-12.

    Examples
    --------
    >>> print(f"{discrete_laplace_mu(1.0, 2):.6f} {discrete_laplace_mu(1.0, 1):.6f} {discrete_laplace_mu(100.0, 2):.9f}")
    1.545112 1.232035 0.015734296
    """
    rate = 1.0 / scale
    if counts == 1:
        return pure_mu(rate) * (1 + _SAFETY)
    above, below = special.expit(rate), special.expit(-rate)  # p and 1 - p
    low, width = (1 - above) * (1 + above), math.tanh(rate / 2)  # 1 - p^2, and the distance to 1 - (1 - p)^2
    if width < 0.05:  # near 3/4, where the quantiles would cancel: the integral of dPhi^-1 between them
        at = special.ndtri(low + width * (1 + _NODES) / 2)
        mu = width / 2 * float(_WEIGHTS @ np.exp(0.5 * at**2)) * math.sqrt(2 * math.pi)
    else:
        mu = float(-special.ndtri_exp(2 * math.log(below)) - special.ndtri_exp(math.log(below) + math.log1p(above)))
    return mu * (1 + _SAFETY)


def _scale_for(mu: float, counts: int) -> float:
    """The smallest scale with `discrete_laplace_mu(scale) <= mu`, to a relative 1e-12 on the safe side."""
    low, high = 0.4 / mu, 1.6 / mu  # mu is at most 1.5735/scale, which large scales nearly reach
    while discrete_laplace_mu(low, counts) <= mu:
        low /= 2.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if discrete_laplace_mu(middle, counts) <= mu else (middle, high)
    return high


def _mu_of(guarantee: GaussianDP | ApproxDP, records: int) -> Fraction:
    """The mu that a guarantee leaves: for (epsilon, delta) the largest, once both have paid for the max-divergence."""
    if isinstance(guarantee, GaussianDP):
        return guarantee.exact
    epsilon = guarantee.epsilon * (1 - 1e-14) - records * 1e-17
    delta = guarantee.delta * (1 - records * 1e-14)
    if not epsilon > 0:
        raise InvalidInput(f"{guarantee} is too strong for noise on the whole numbers: use Gaussian()")
    return Fraction(gaussian_curve.mu_for(epsilon, delta) * (1 - _SAFETY))


def _root_up(square: Fraction) -> float:
    """A float whose square is at least `square`, to the last digit or nearly."""
    root = math.sqrt(min(square, Fraction(10) ** 20))  # more than the law allows is refused by the law
    while Fraction(root) ** 2 < min(square, Fraction(10) ** 20):
        root = math.nextafter(root, math.inf)
    return root
