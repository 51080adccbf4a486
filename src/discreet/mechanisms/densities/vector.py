"""Additive noise on a vector of integers whose exact sensitivity is known: the mechanism behind series and CDF releases.

The vector is a sum over records of a public integer vector each, so replacing a record moves it by the difference of two
of these; the largest such difference, in L1 for Laplace and in L2 for Gaussian noise, is a whole number (its square, for
L2) that the callers compute exactly from the integers themselves.
"""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.errors import NotAvailable
from discreet.mechanisms.gaussian import gaussian_cost
from discreet.mechanisms.table import TableMechanism, no_cost, up
from discreet.noise import Gaussian, Laplace, calibrate
from discreet.privacy import Cost, PureDP
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.laplace_curve import SAFETY
from discreet.privacy.sensitivity import Sensitivity


def additive(guarantee: Guarantee, sensitivity: Sensitivity) -> TableMechanism:
    """The noise for a vector of integers: Laplace under pure DP, Gaussian under every other guarantee.

    Guarantee: as stated, when one record is replaced. Laplace: epsilon = l1/b in exact arithmetic. Gaussian:
    mu = l2/sigma and rho = mu^2/2, with sigma enlarged for the grid as in `discreet.mechanisms.Gaussian`.

    Parameters
    ----------
    guarantee : Guarantee
    sensitivity : Sensitivity
        Of the vector, in its own integer units.

    Examples
    --------
    >>> from discreet.mechanisms.densities.vector import additive
    >>> from discreet.privacy import GaussianDP, PureDP
    >>> from discreet.privacy.sensitivity import Sensitivity
    >>> additive(PureDP(0.5), Sensitivity(l1=30, l2_squared=400)).scale
    60.0
    >>> round(additive(GaussianDP(0.5), Sensitivity(l1=30, l2_squared=400)).scale, 6)
    40.0
    """
    if isinstance(guarantee, PureDP):
        scale = calibrate.laplace(guarantee, float(sensitivity.l1))
        return TableMechanism("Laplace", "laplace", Laplace(scale), sensitivity, guarantee, False, _laplace_cost)
    sd = calibrate.gaussian(guarantee, l2_squared=sensitivity.l2_squared)
    return TableMechanism("Gaussian", "gaussian", Gaussian(sd), sensitivity, guarantee, False, _gaussian_cost)


def _laplace_cost(mechanism: TableMechanism, currency: Currency) -> Cost:
    """The cost of a Laplace vector elsewhere than in pure epsilon: what every epsilon-DP mechanism is at least worth.

    mu = 2 Phi^-1(e^eps/(1 + e^eps)) and rho = eps tanh(eps/2). The exact mu of several shifted coordinates would be
    smaller, but its curve on the grid is known here for the two coordinates of a table only.
    """
    epsilon = up(Fraction(mechanism.sensitivity.l1) / Fraction(mechanism.scale))
    if isinstance(mechanism.guarantee, PureDP):
        epsilon = mechanism.guarantee.epsilon
    if currency == "approx":
        return Cost("approx", epsilon, 0.0)
    if currency == "rho":
        return Cost("rho", epsilon * math.tanh(epsilon / 2) * (1 + 1e-15))
    if currency == "mu":
        return Cost("mu", PureDP(epsilon).to_gaussian().mu * (1 + SAFETY))
    raise no_cost(mechanism, currency, "the currency is unknown")


def _gaussian_cost(mechanism: TableMechanism, currency: Currency) -> Cost:
    """mu and rho as for a table; none in pure epsilon."""
    if currency == "epsilon":
        raise no_cost(mechanism, currency, "Gaussian noise has no finite pure epsilon; state the guarantee as PureDP")
    return gaussian_cost(mechanism, currency)


def replace_one_only(adjacency: str, what: str, instead: str) -> None:
    """Refuse `what` under another adjacency than "replace-one", with the reason."""
    if adjacency != "replace-one":
        raise NotAvailable(
            f"{what} needs the public number of records, which adjacency {adjacency!r} does not give; {instead}"
        )
