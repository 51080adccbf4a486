"""A guarantee divided between two releases of the same records, such that both together keep it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from discreet.errors import InvalidInput
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP, gaussian_curve
from discreet.privacy.cost import exact
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.laplace_curve import SAFETY
from discreet.privacy.parameters import real


def checked_share(share: object) -> float:
    """The part of the guarantee that the means get, strictly between 0 and 1."""
    number = real("share", share)
    if not 0 < number < 1:
        raise InvalidInput(f"share, the means' part of the guarantee, must lie between 0 and 1, not {share!r}")
    return number


def split(guarantee: Guarantee, share: float, family: Literal["laplace", "gaussian"]) -> tuple[Guarantee, Guarantee]:
    """Two guarantees, `share` of it and the rest, that compose to at most the given one.

    epsilon and rho add up, and so do squares of mu. (epsilon, delta) is first read as what the family's noise makes of
    it: pure epsilon for Laplace noise, which leaves delta unused; for Gaussian noise the largest mu that implies it.

    Examples
    --------
    >>> from discreet.privacy import GaussianDP, PureDP
    >>> split(PureDP(1), 0.5, "laplace")
    (PureDP(epsilon=0.5), PureDP(epsilon=0.5))
    >>> split(GaussianDP(1), 0.36, "gaussian")
    (GaussianDP(mu=0.6), GaussianDP(mu=0.8))
    """
    part = exact(share)
    if isinstance(guarantee, ApproxDP):
        if family == "laplace":
            return split(PureDP(guarantee.epsilon), share, family)
        mu = gaussian_curve.mu_for(float(guarantee.epsilon), float(guarantee.delta)) * (1 - SAFETY)
        return split(GaussianDP(mu), share, family)
    if isinstance(guarantee, PureDP):
        first = _down(part * guarantee.exact)
        return PureDP(first), PureDP(_down(guarantee.exact - exact(first)))
    if isinstance(guarantee, ZeroConcentratedDP):
        first = _down(part * guarantee.exact)
        return ZeroConcentratedDP(first), ZeroConcentratedDP(_down(guarantee.exact - exact(first)))
    if isinstance(guarantee, GaussianDP):
        first = _root_down(part * guarantee.exact**2)
        return GaussianDP(first), GaussianDP(_root_down(guarantee.exact**2 - exact(first) ** 2))
    raise InvalidInput(f"a guarantee is needed, such as PureDP(0.5), not {guarantee!r}")


def _down(number: Fraction) -> float:
    """The largest float whose printed decimal is at most `number`."""
    candidate = math.nextafter(float(number), math.inf)
    while exact(candidate) > number:
        candidate = math.nextafter(candidate, -math.inf)
    return candidate


def _root_down(square: Fraction) -> float:
    """The largest float whose printed decimal has a square of at most `square`."""
    candidate = math.nextafter(math.sqrt(square), math.inf)
    while exact(candidate) ** 2 > square:
        candidate = math.nextafter(candidate, -math.inf)
    return candidate
