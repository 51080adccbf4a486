"""Private means and covariances of the same records, released together under one guarantee."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from discreet.errors import InvalidInput
from discreet.mechanisms.moments.covariance import CovarianceMechanism
from discreet.mechanisms.moments.means import MeanMechanism
from discreet.mechanisms.table import own_cost
from discreet.privacy import Cost
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class MomentsMechanism:
    """Means and covariances under one guarantee, each with a part of it; both are of the same records, so parts add up.

    Attributes
    ----------
    name : "EntrywiseLaplace", "EntrywiseGaussian" or "ED"
    mean : MeanMechanism
    covariance : CovarianceMechanism
    guarantee : Guarantee
        Of both together.
    share : float
        The means' part: of epsilon, of rho, or of mu squared.
    rule : function
        The cost in a currency that is not the guarantee's own.

    Examples
    --------
    >>> from discreet.mechanisms import EntrywiseLaplace
    >>> from discreet.privacy import PureDP
    >>> mechanism = EntrywiseLaplace().for_moments([100, 40], n=200, guarantee=PureDP(1))
    >>> mechanism.mean.guarantee, mechanism.mean.scales, mechanism.covariance.entry_scales[0]
    (PureDP(epsilon=0.5), (400.0, 160.0), (60000.0, 24000.0))
    >>> str(mechanism.cost("epsilon")), mechanism.idealised
    ('epsilon = 1', False)
    """

    name: str
    mean: MeanMechanism
    covariance: CovarianceMechanism
    guarantee: Guarantee
    share: float
    rule: Callable[[MomentsMechanism, Currency], Cost]

    @property
    def idealised(self) -> bool:
        """Whether the guarantee holds for real numbers only, not for the floating-point ones that are drawn (ED)."""
        return self.covariance.family is None

    def cost(self, currency: Currency) -> Cost:
        """The cost in a budget's currency: the guarantee itself where it is of that kind, else by the mechanism's rule."""
        own = own_cost(self.guarantee)
        return own if own.currency == currency else self.rule(self, currency)


def checked_size(n: object) -> int:
    """The number of records of the smallest group, at least 2."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 2:
        raise InvalidInput(f"a covariance needs at least 2 records in every group, not n = {n!r}")
    return n
