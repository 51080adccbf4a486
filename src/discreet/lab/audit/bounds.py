"""What counts of right guesses prove about a claim: exact binomial bounds, and the level that they refute.

Under a claim with the trade-off curve f (type II error beta >= f(alpha)):

    guessing game    a fair coin picks the data set; a guess is right with probability at most 1 - a*, a* = f(a*)
    extreme event    an event with probability alpha on one data set has at most 1 - f(alpha) on the other
    abstaining game  (pure DP) guesses within an event only: right with probability at most e^eps/(1 + e^eps)

The limits are Clopper and Pearson's (1934): exact for every n.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from discreet.errors import InvalidInput
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.guarantee import Guarantee

_LARGEST = 100.0  # beyond this nothing is protected, and no finite number of outputs tells levels apart


def lower_limit(successes: int, trials: int, alpha: float) -> float:
    """The largest p that `successes` of `trials` refute at level alpha, one-sided: P(X >= successes | p) = alpha.

    Examples
    --------
    >>> print(f"{lower_limit(9, 10, 0.05):.6f} {lower_limit(0, 10, 0.05)}")
    0.605837 0.0
    """
    return float(special.betaincinv(successes, trials - successes + 1, alpha)) if successes else 0.0


def upper_limit(successes: int, trials: int, alpha: float) -> float:
    """The same from above: P(X <= successes | p) = alpha."""
    return 1.0 - lower_limit(trials - successes, trials, alpha)


def level(guarantee: Guarantee) -> float:
    """The claim's parameter: epsilon, mu or rho."""
    for kind, name in ((PureDP, "epsilon"), (GaussianDP, "mu"), (ZeroConcentratedDP, "rho"), (ApproxDP, "epsilon")):
        if isinstance(guarantee, kind):
            return float(getattr(guarantee, name))
    raise InvalidInput(f"a claim is PureDP, GaussianDP, ZeroConcentratedDP or ApproxDP, not {guarantee!r}")


def refuted_by_guesses(claim: Guarantee, right: int, trials: int, alpha: float) -> float:
    """The largest level (of the claim's kind) that so many right guesses of all refute; 0 where they refute none."""
    p = lower_limit(right, trials, alpha)
    if p <= 0.5:
        return 0.0
    if isinstance(claim, PureDP):
        return _logit(p)
    if isinstance(claim, GaussianDP):
        return 2.0 * float(special.ndtri(p))
    if isinstance(claim, ApproxDP):
        odds = (p - float(claim.delta)) / (1.0 - p)
        return math.log(odds) if odds > 1 else 0.0
    rho = 2.0 * float(special.ndtri(p)) ** 2
    return _largest(lambda rho: 1.0 - ZeroConcentratedDP(rho).tradeoff().fixed_point < p, rho)


def refuted_by_event(claim: Guarantee, hits: tuple[int, int], trials: tuple[int, int], alpha: float) -> float:
    """The largest level that an event refutes: seen `hits[1]` times on one data set, though `hits[0]` on the other."""
    high = upper_limit(hits[0], trials[0], alpha / 2)
    low = lower_limit(hits[1], trials[1], alpha / 2)
    if low <= high:
        return 0.0
    if isinstance(claim, PureDP):
        return math.log(low / high)
    if isinstance(claim, GaussianDP):
        return float(special.ndtri(low) - special.ndtri(high))
    if isinstance(claim, ApproxDP):
        return math.log((low - claim.delta) / high) if low - claim.delta > high else 0.0
    rho = 0.5 * float(special.ndtri(low) - special.ndtri(high)) ** 2
    return _largest(lambda rho: 1.0 - float(ZeroConcentratedDP(rho).tradeoff()(np.array([high]))[0]) < low, rho)


def refuted_by_bold_guesses(claim: Guarantee, right: int, guesses: int, alpha: float) -> float:
    """The largest epsilon that the abstaining game refutes: `right` of the `guesses` that were made (pure DP only).

    Given the outputs, each right guess has a probability of at most e^eps/(1 + e^eps), whatever was looked at before; so
    their number is dominated by a binomial, with the number of guesses fixed by the outputs.
    """
    if not isinstance(claim, PureDP) or guesses == 0:
        return 0.0
    p = lower_limit(right, guesses, alpha)
    return _logit(p) if p > 0.5 else 0.0


def per_record(claim: Guarantee, found: float, distance: int) -> float:
    """The level for one record that a level at `distance` records refutes: eps/k, mu/k, rho/k^2."""
    if isinstance(claim, ApproxDP) and distance > 1:
        raise InvalidInput("group amplification needs a claim of PureDP, GaussianDP or ZeroConcentratedDP")
    return found / (distance**2 if isinstance(claim, ZeroConcentratedDP) else distance)


def _logit(p: float) -> float:
    return math.log(p / (1.0 - p)) if p < 1 else math.inf


def _largest(refuted: Callable[[float], bool], high: float) -> float:
    """The largest rho that is refuted, to 0.1 %, by bisection below mu^2/2 of the mu that is: mu-GDP implies this rho."""
    low, high = high / 64.0, min(high, _LARGEST)
    if not refuted(low):
        return 0.0
    for _ in range(12):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low
