"""The mechanism ED: noisy eigenvalues and exactly sampled eigenvectors of the covariance; idealised."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.moments.covariance import CovarianceMechanism
from discreet.mechanisms.moments.entrywise import EntrywiseLaplace
from discreet.mechanisms.moments.means import checked_steps, laplace_mean
from discreet.mechanisms.moments.moments import MomentsMechanism, checked_size
from discreet.mechanisms.moments.noisy_vector import laplace_mu, laplace_rho
from discreet.mechanisms.moments.share import checked_share, split
from discreet.privacy import Cost, PureDP
from discreet.privacy.cost import Currency
from discreet.privacy.curves import pure_mu
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.laplace_curve import SAFETY, shift_mu
from discreet.privacy.moment_sensitivity import eigenvalue_constant_squared
from discreet.privacy.renyi import pure_to_rho


@dataclass(frozen=True)
class ED:
    """Laplace noise on the means; for the covariance, noisy eigenvalues and eigenvectors with the Bingham law. Idealised.

    After Amin, Dick, Kulesza, Munoz and Vassilvitskii (2019) and Dunsche, Kutta and Dette (2022), with constants derived
    anew for the centred covariance S of n records in [-1, 1]^d under the replacement of one (theirs are for sum xx').
    With c_d = max over j of 4 sqrt(j (4 d - 3 j)) and epsilon_c the covariance's part of epsilon:

        d = 1    max(0, S + Lap(4/(n epsilon_c)))
        d >= 2   eigenvalues: Lap(c_d/(n epsilon_0)), epsilon_0 = epsilon_c/2, set to 0 where negative, and sorted;
                 d - 1 directions: density ~ exp(epsilon_i n/c_d u'Su), epsilon_i = epsilon_c/(2 (d - 1)), each within the
                 complement of those before.

    Proof. D = n (S - S') has nuclear norm at most c_d (`discreet.privacy.moment_sensitivity`), so sorted eigenvalues move by
    at most c_d/n in L1. For a direction with density exp(k u'Su)/Z the ratio for S and S' is exp(k u'Du/n) Z'/Z, and Z'/Z
    is an average of exp(-k u'Du/n) over directions. D has one eigenvalue >= 0 and one <= 0 besides zeros, so u'Du varies by
    at most their distance, which is the nuclear norm: the log-ratio is at most k c_d/n = epsilon_i. Within a subspace D's
    extreme eigenvalues only move towards each other, and the subspace is known from what is released already, so the
    epsilons add up. (For d = 2 and many records .98 epsilon_i is found: the bound is nearly sharp.)

    **Idealised**: that is a statement about real numbers. No sampler of the Bingham law is known whose floating-point
    output keeps it, and the number of rejections shows in the time. Use it to study the method and where that is accepted;
    it is never a default.

    Examples
    --------
    >>> from discreet.mechanisms import ED
    >>> from discreet.privacy import PureDP
    >>> mechanism = ED().for_moments([1000] * 2, n=400, guarantee=PureDP(2))
    >>> mechanism.idealised, mechanism.covariance.law(400)
    (True, EigenNoise(eigenvalue_scale=0.0447..., exponent=22.3606...))
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_share(self.share))

    def for_moments(
        self, steps: Sequence[int], n: int, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> MomentsMechanism:
        """The mechanism for columns of `steps` codes above zero and groups of at least n records, under `PureDP`."""
        codes = checked_steps(steps, adjacency)
        checked_size(n)
        if not isinstance(guarantee, PureDP):
            raise NotAvailable(
                f"ED promises pure epsilon: state PureDP(epsilon), not {guarantee!r}, or use EntrywiseGaussian(); "
                "its cost in a budget of another kind follows"
            )
        for_mean, for_covariance = split(guarantee, self.share, "laplace")
        scale, exponent = _per_record(len(codes), _pure(for_covariance))
        covariance = CovarianceMechanism("ED", None, codes, for_covariance, eigenvalue_scale=scale, exponent=exponent)
        return MomentsMechanism("ED", laplace_mean(codes, for_mean), covariance, guarantee, self.share, _ed_cost)


def ed_is_better(d: int, n: int, epsilon: float) -> bool:
    """Whether ED's covariance has a smaller expected error than that of `EntrywiseLaplace()`: from public numbers only.

    The mean Frobenius error of both laws, simulated with a fixed seed for a reference covariance: uniform columns on
    [-1, 1] (variance 1/3) with correlation 1/2 between any two. What the records' own covariance would give is not asked.

    Parameters
    ----------
    d, n : int
        Columns and records.
    epsilon : float
        The covariance's part.

    Examples
    --------
    >>> from discreet.mechanisms import ed_is_better
    >>> ed_is_better(2, 10_000, 0.25), ed_is_better(10, 1000, 0.25)
    (False, True)
    """
    return _ed_is_better(d, n, float(epsilon))


@lru_cache(maxsize=128)
def _ed_is_better(d: int, n: int, epsilon: float) -> bool:
    if d == 1:
        return False  # both are the same mechanism, and only one is safe in floating point
    guarantee = PureDP(2 * epsilon)
    reference = np.full((d, d), 1 / 6) + np.eye(d) / 6
    batch = np.broadcast_to(reference, (200 if d <= 12 else 40, d, d))
    errors = [
        np.linalg.norm(
            specification.for_moments([2**20] * d, n, guarantee).covariance.law(n).sample(batch, rng) - reference,
            axis=(-2, -1),
        ).mean()
        for specification, rng in ((ED(), np.random.default_rng(1)), (EntrywiseLaplace(), np.random.default_rng(2)))
    ]
    return bool(errors[0] < errors[1])


def _pure(guarantee: Guarantee) -> Fraction:
    """Its epsilon, exactly; every part of an ED mechanism promises a pure one."""
    if not isinstance(guarantee, PureDP):
        raise InvalidInput(f"ED promises pure epsilon, not {guarantee!r}")
    return guarantee.exact


def _parts(d: int, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """epsilon_0 of the eigenvalues and epsilon_i of each of the d - 1 directions."""
    return (epsilon, Fraction(0)) if d == 1 else (epsilon / 2, epsilon / (2 * (d - 1)))


def _per_record(d: int, epsilon: Fraction) -> tuple[float, float]:
    """n times the eigenvalues' scale, and the exponent over n; on the safe side."""
    constant = math.sqrt(eigenvalue_constant_squared(d)) * (1 + SAFETY)
    eigenvalues, direction = _parts(d, epsilon)
    return constant / float(eigenvalues) * (1 + SAFETY), float(direction) / constant * (1 - SAFETY)


def _ed_cost(mechanism: MomentsMechanism, currency: Currency) -> Cost:
    """The stated epsilon; rho and mu of the Laplace means, the eigenvalues and the directions, which add up.

    The eigenvalues' L1 shift is at most epsilon_0, where one coordinate is the worst; a direction is epsilon_i-DP.
    """
    stated = _pure(mechanism.guarantee)
    if currency in ("epsilon", "approx"):
        return Cost(currency, float(stated))
    d = len(mechanism.mean.steps)
    eigenvalues, direction = map(float, _parts(d, _pure(mechanism.covariance.guarantee)))
    if currency == "rho":
        parts = laplace_rho(mechanism.mean.vector) + pure_to_rho(eigenvalues) + (d - 1) * pure_to_rho(direction)
        return Cost("rho", parts * (1 + SAFETY))
    squares = laplace_mu(mechanism.mean.vector) ** 2 + shift_mu(eigenvalues) ** 2 + (d - 1) * pure_mu(direction) ** 2
    return Cost("mu", min(math.sqrt(squares), pure_mu(float(stated))) * (1 + SAFETY))
