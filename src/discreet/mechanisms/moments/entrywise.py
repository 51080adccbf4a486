"""Means and covariances with independent integer noise on every entry, and the covariance projected afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from discreet.mechanisms.moments.covariance import CovarianceMechanism, symmetric
from discreet.mechanisms.moments.means import checked_steps, gaussian_mean, laplace_mean
from discreet.mechanisms.moments.moments import MomentsMechanism, checked_size
from discreet.mechanisms.moments.noisy_vector import NoisyVector, gaussian_vector, laplace_vector, vector_cost
from discreet.mechanisms.moments.share import checked_share, split
from discreet.privacy import Cost
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.moment_sensitivity import entry_moves


@dataclass(frozen=True)
class EntrywiseLaplace:
    """Laplace noise on every sum and on the upper triangle of the covariance: the mechanism of pure DP for moments.

    Guarantee: epsilon-DP for the replacement of one record, `share` of it for the means (`MeanMechanism`), the rest,
    epsilon_c, for the covariance. With d columns its D = d (d + 1)/2 integers C_ij move by at most J_i J_j and get
    noise of scale J_i J_j D/epsilon_c, so that the D log-likelihood ratios are at most epsilon_c/D each: on [-1, 1],
    Lap(2 d (d + 1)/(n epsilon_c)) on every entry. All entries can move that far at once, so no
    smaller L1 sensitivity holds.

    The released matrix is the nearest positive semidefinite one. Its error falls like 1/n, that of `ED()` like 1/sqrt(n):
    ED is the better one for few records and many columns only.

    Examples
    --------
    >>> from discreet.mechanisms import EntrywiseLaplace
    >>> from discreet.privacy import PureDP
    >>> law = EntrywiseLaplace().for_moments([1000] * 3, 500, PureDP(2)).covariance.law(500)
    >>> round(law.scales[0][1], 6)  # 2 * 3 * 4 / 500
    0.048
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_share(self.share))

    def for_moments(
        self, steps: Sequence[int], n: int, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> MomentsMechanism:
        """The mechanism for columns of `steps` codes above zero and groups of at least n records."""
        return _entrywise("laplace", self.share, steps, n, guarantee, adjacency)


@dataclass(frozen=True)
class EntrywiseGaussian:
    """Gaussian noise on every sum and on the upper triangle of the covariance: the mechanism of Gaussian DP for moments.

    Guarantee: mu-GDP and mu^2/2-zCDP for the replacement of one record; `share` of mu^2 for the means, the rest, mu_c^2,
    for the covariance. Its D = d (d + 1)/2 integers C_ij get noise of standard deviation J_i J_j sqrt(D)/mu_c: on
    [-1, 1], sqrt(8 d (d + 1))/(n mu_c) on every entry. The same expected squared Frobenius error,
    8 d^3 (d + 1)/(n mu_c)^2, would come of noise scaled to the Frobenius sensitivity 4 d/n.

    Examples
    --------
    >>> from discreet.mechanisms import EntrywiseGaussian
    >>> from discreet.privacy import GaussianDP
    >>> mechanism = EntrywiseGaussian(share=0.36).for_moments([1000] * 3, 500, GaussianDP(1))
    >>> mechanism.mean.guarantee, round(mechanism.covariance.law(500).scales[0][1], 6)  # sqrt(96)/(500 * 0.8)
    (GaussianDP(mu=0.6), 0.024495)
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_share(self.share))

    def for_moments(
        self, steps: Sequence[int], n: int, guarantee: Guarantee, adjacency: str = "replace-one"
    ) -> MomentsMechanism:
        """The mechanism for columns of `steps` codes above zero and groups of at least n records."""
        return _entrywise("gaussian", self.share, steps, n, guarantee, adjacency)


def _entrywise(
    family: Literal["laplace", "gaussian"],
    share: float,
    steps: Sequence[int],
    n: int,
    guarantee: Guarantee,
    adjacency: str,
) -> MomentsMechanism:
    codes = checked_steps(steps, adjacency)
    checked_size(n)
    for_mean, for_covariance = split(guarantee, share, family)
    mean_of, vector_of = (laplace_mean, laplace_vector) if family == "laplace" else (gaussian_mean, gaussian_vector)
    upper = vector_of(entry_moves(codes), for_covariance)
    name = family.capitalize()
    covariance = CovarianceMechanism(name, family, codes, for_covariance, symmetric(len(codes), upper.scales))
    return MomentsMechanism(f"Entrywise{name}", mean_of(codes, for_mean), covariance, guarantee, share, _entrywise_cost)


def _entrywise_cost(mechanism: MomentsMechanism, currency: Currency) -> Cost:
    """Sums and upper triangle are one vector with independent noise."""
    upper = mechanism.covariance.vector
    vector: NoisyVector = mechanism.mean.vector if upper is None else mechanism.mean.vector + upper
    return vector_cost(mechanism, vector, currency)
