"""Trade-off curves: how well the best test can tell two neighbouring sets of records apart from a release.

f(alpha) is the smallest type II error of any test of type I error alpha (Dong, Roth and Su 2022). The higher the curve,
the more private; 1 - alpha is perfect privacy. What can be asked of every curve stands here, and how one is made; the
curves themselves are in `curves` (with a parameter or two) and `polygon` (with corners).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from discreet.display import draw
from discreet.errors import InvalidInput
from discreet.privacy.laplace_curve import laplace_table_mu
from discreet.privacy.parameters import LARGEST, Floats, numbers_in, parameter, real

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from discreet.privacy.pld import LossDistribution

__all__ = ["Many", "TradeOff", "laplace_table_mu"]

Many = NDArray[Any] | Sequence[float]


class TradeOff(ABC):
    """A trade-off curve: convex, non-increasing, at most 1 - alpha. Made by the constructors below.

    All but `discrete` (and what is made of it) are symmetric, that is their own inverse: the two sets of records can
    change places.

    Examples
    --------
    >>> from discreet.privacy import TradeOff
    >>> f = TradeOff.laplace_table(scale=2.0)
    >>> f
    TradeOff.laplace_table(scale=2.0)
    >>> print(f"{f(0.05):.6f} {f.mu:.6f} {f.fixed_point:.6f}")
    0.864086 0.707552 0.379082
    >>> TradeOff.gaussian(f.mu)([0.05, 0.5]).round(6)
    array([0.825698, 0.239612])
    """

    @staticmethod
    def gaussian(mu: float) -> TradeOff:
        """G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu): N(0, 1) against N(mu, 1)."""
        from discreet.privacy.curves import GaussianCurve

        return GaussianCurve(parameter("mu", mu))

    @staticmethod
    def gaussian_shift(shift: ArrayLike, covariance: ArrayLike) -> TradeOff:
        """N(0, covariance) against its shift: G_m with m^2 = shift' covariance^+ shift, the Mahalanobis distance.

        The covariance may be singular (^+ is the pseudo-inverse). A shift that leaves its range is seen without error:
        the curve is then 0 (Kim, Lee, Kwak and Jung 2022, Theorem A.3).

        Parameters
        ----------
        shift : array_like, shape (p,)
            The difference of the means, e.g. by how much one record moves the statistic.
        covariance : array_like, shape (p, p)
            Of the noise; symmetric and non-negative definite. Rank and range are decided at a relative 1e-12 and 1e-9
            of the standardised coordinates, in favour of "not private".

        Examples
        --------
        >>> import numpy as np
        >>> centring = np.eye(3) - 1 / 3
        >>> print(f"{TradeOff.gaussian_shift([1, -1, 0], 2 * centring).mu:.6f}")
        1.000000
        >>> TradeOff.gaussian_shift([1, 0, 0], 2 * centring)(0.05)
        0.0
        """
        from discreet.privacy.shift import gaussian_shift

        return gaussian_shift(shift, covariance)

    @staticmethod
    def laplace(shift: float) -> TradeOff:
        """Laplace noise of scale 1 against its shift by `shift` (the sensitivity in units of the scale)."""
        from discreet.privacy.curves import LaplaceCurve

        shift = real("shift", shift)
        if not 0 < shift <= 1e4:
            raise InvalidInput(f"shift must be above 0 and at most 10000 scales, not {shift!r}")
        return LaplaceCurve(shift)

    @staticmethod
    def laplace_table(scale: float) -> TradeOff:
        """A table with independent Laplace noise of scale b (in records) when one record is replaced."""
        from discreet.privacy.curves import LaplaceTableCurve

        scale = real("scale", scale)
        if not 1e-3 <= scale <= 1e12:
            raise InvalidInput(f"scale must lie between 0.001 and 1e12 records, not {scale!r}")
        return LaplaceTableCurve(scale)

    @staticmethod
    def approx_dp(epsilon: float, delta: float = 0.0) -> TradeOff:
        """The lowest curve that (epsilon, delta)-DP allows: max(0, 1 - delta - e^eps alpha, e^-eps (1 - delta - alpha))."""
        from discreet.privacy.curves import ApproxDPCurve

        epsilon, delta = real("epsilon", epsilon), real("delta", delta)
        if not 0 <= epsilon <= LARGEST or not 0 <= delta <= 1:
            raise InvalidInput(
                f"epsilon must lie in [0, {LARGEST:g}] and delta in [0, 1], not {epsilon!r} and {delta!r}"
            )
        return ApproxDPCurve(epsilon, delta)

    @staticmethod
    def zero_concentrated(rho: float) -> TradeOff:
        """The lowest curve that rho-zCDP allows, over all Renyi orders and both directions."""
        from discreet.privacy.curves import ZeroConcentratedCurve

        return ZeroConcentratedCurve(parameter("rho", rho))

    @staticmethod
    def discrete(p: ArrayLike, q: ArrayLike) -> TradeOff:
        """One draw from the probabilities p against one from q, by the lemma of Neyman and Pearson; exact.

        In general not symmetric: `inverse()` is q against p.

        Parameters
        ----------
        p, q : array_like, shape (k,)
            Probabilities of the same k outcomes; each is divided by its sum, which must be 1 up to a relative 1e-6.

        Examples
        --------
        >>> f = TradeOff.discrete([0.5, 0.3, 0.2], [0.1, 0.2, 0.7])
        >>> f([0.0, 0.2, 0.5, 1.0]).round(12)
        array([1. , 0.3, 0.1, 0. ])
        >>> f.symmetrized()([0.0, 0.2, 0.5, 1.0]).round(12)
        array([1. , 0.3, 0.1, 0. ])
        """
        from discreet.privacy.polygon import neyman_pearson

        return neyman_pearson(p, q)

    @staticmethod
    def from_pld(pld: LossDistribution) -> TradeOff:
        """The curve of a privacy loss distribution of the library dp-accounting, as good as that distribution.

        f(alpha) = max over epsilon >= 0 of 1 - delta - e^eps alpha and e^-eps (1 - delta - alpha), delta(epsilon) from
        the distribution, over thousands of epsilons; a coarser choice only lowers the curve. From a pessimistic
        distribution (dp-accounting's default) it is a guarantee.

        Parameters
        ----------
        pld : dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
            Or any object with its methods `get_delta_for_epsilon` and `get_epsilon_for_delta`.
        """
        from discreet.privacy.pld import curve_of

        return curve_of(pld)

    @overload
    def __call__(self, alpha: float) -> float: ...
    @overload
    def __call__(self, alpha: Many) -> Floats: ...
    def __call__(self, alpha: float | Many) -> float | Floats:
        """f(alpha): a float for a number, an array for an array of type I errors in [0, 1]."""
        result = self._type_two(numbers_in("alpha, a type I error,", alpha, 0, 1))
        return float(result) if result.ndim == 0 else result

    @overload
    def power(self, alpha: float) -> float: ...
    @overload
    def power(self, alpha: Many) -> Floats: ...
    def power(self, alpha: float | Many) -> float | Floats:
        """1 - f(alpha): the most power of a test of that level."""
        result = self._power(numbers_in("level", alpha, 0, 1))
        return float(result) if result.ndim == 0 else result

    @overload
    def delta(self, epsilon: float) -> float: ...
    @overload
    def delta(self, epsilon: Many) -> Floats: ...
    def delta(self, epsilon: float | Many) -> float | Floats:
        """The smallest delta with f >= 1 - delta - e^eps alpha, for epsilon >= 0; with f >= f_{epsilon, delta} if symmetric."""
        result = self._delta(numbers_in("epsilon", epsilon, 0, np.finfo(float).max))
        return float(result) if result.ndim == 0 else result

    @property
    @abstractmethod
    def fixed_point(self) -> float:
        """The alpha with f(alpha) = alpha; at most 1/2, where nothing is told apart."""

    @property
    @abstractmethod
    def mu(self) -> float:
        """The smallest mu with f >= G_mu everywhere: the GDP level that holds. Infinite where none does."""

    def inverse(self) -> TradeOff:
        """f^-1(y) = inf{alpha: f(alpha) <= y}, the curve of the two laws in exchanged roles; itself if symmetric."""
        return self

    def symmetrized(self) -> TradeOff:
        """The highest symmetric curve that holds in both directions where f holds in one; itself if symmetric.

        The lower convex hull of f and f^-1, min{f, f^-1}** (Dong, Roth and Su 2022).
        """
        return self

    def dominates(self, other: TradeOff) -> bool:
        """Whether f(alpha) >= other(alpha) for every alpha: this curve is at least as private.

        Decided by the parameters where that settles it (same kind, or `other` Gaussian or (epsilon, delta)), at the corners
        of two polygons; otherwise on a grid of 4,000 type I errors, dense at both ends, to 1e-12.
        """
        if not isinstance(other, TradeOff):
            raise InvalidInput(f"dominates takes a TradeOff, not {other!r}; a guarantee has one: .tradeoff()")
        return other._lies_below(self)

    def plot(self, *others: TradeOff, labels: Sequence[str] | None = None) -> Figure:
        """A picture of this curve and others, their fixed points, and the Gaussian curve of this one's mu.

        `labels` names each curve. Needs matplotlib (`pip install 'discreet[plot]'`).
        """
        figure: Figure = draw("plot", self, others=others, labels=labels)
        return figure

    def _lies_below(self, higher: TradeOff) -> bool:
        if type(self) is type(higher):
            return higher._leak() <= self._leak()
        grid = special.expit(np.linspace(-300.0, 36.0, 4000))
        return bool(np.all(higher(grid) >= self(grid) - 1e-12))

    def _leak(self) -> float:
        """The one parameter that orders curves of the same kind: the larger, the less private."""
        return float(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]

    def _power(self, alpha: Floats) -> Floats:
        return 1 - self._type_two(alpha)

    @abstractmethod
    def _type_two(self, alpha: Floats) -> Floats: ...

    @abstractmethod
    def _delta(self, epsilon: Floats) -> Floats: ...
