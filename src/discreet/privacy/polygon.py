"""Trade-off curves with corners: what finitely many outcomes, or finitely many statements (epsilon, delta), amount to.

A corner is a test with its four probabilities. All four are kept, because a small one is not 1 minus a large one in
floating point: alpha (rejects, wrongly), 1 - alpha, beta (accepts, wrongly), and the power 1 - beta.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from discreet.errors import InvalidInput
from discreet.privacy.laplace_curve import SAFETY
from discreet.privacy.parameters import Floats, numbers_in
from discreet.privacy.tradeoff import TradeOff


@dataclass(frozen=True, eq=False, repr=False)
class Polygon(TradeOff):
    """The convex curve through corners, from (0, f(0)) to (1, 0); alpha increases, beta decreases. By `polygon` only."""

    alpha: Floats
    not_alpha: Floats
    beta: Floats
    power_: Floats

    def __repr__(self) -> str:
        return f"<TradeOff with {self.alpha.size} corners, fixed point {self.fixed_point:.6g}>"

    @property
    def fixed_point(self) -> float:
        right = int(np.argmax(self.alpha >= self.beta))
        if right == 0:
            return 0.0
        a, b = self.alpha[right - 1 : right + 1], self.beta[right - 1 : right + 1]
        gap = b - a
        return float(a[0] + (a[1] - a[0]) * gap[0] / (gap[0] - gap[1]))

    @property
    def mu(self) -> float:
        # Between two corners the chord lies above the convex G of the larger of their levels: corners suffice.
        if self.power_[0] > 0 or np.any((self.beta == 0) & (self.not_alpha > 0)):
            return math.inf
        inside = (self.alpha > 0) & (self.beta > 0)
        levels = _quantile(self.power_, self.beta)[inside] - _quantile(self.alpha, self.not_alpha)[inside]
        return max(0.0, float(levels.max(initial=0.0))) * (1 + SAFETY)

    def inverse(self) -> TradeOff:
        """The roles of the two errors exchanged."""
        return polygon(self.beta, self.power_, self.alpha, self.not_alpha)

    def symmetrized(self) -> TradeOff:
        """The lower convex hull of this curve and its inverse."""
        other = self.inverse()
        assert isinstance(other, Polygon)
        both = [
            np.concatenate(pair)
            for pair in (
                (self.alpha, other.alpha),
                (self.not_alpha, other.not_alpha),
                (self.beta, other.beta),
                (self.power_, other.power_),
            )
        ]
        return polygon(*both)

    def _type_two(self, alpha: Floats) -> Floats:
        return np.asarray(np.interp(alpha, self.alpha, self.beta))

    def _power(self, alpha: Floats) -> Floats:
        return np.asarray(np.interp(alpha, self.alpha, self.power_))

    def _delta(self, epsilon: Floats) -> Floats:
        # The line of slope -e^eps touches the corner at which the slope of the curve passes that value.
        with np.errstate(divide="ignore", over="ignore"):
            log_alpha = np.log(self.alpha)
            steepness = np.log(-np.diff(self.beta)) - np.log(np.diff(self.alpha))
            at = np.searchsorted(-steepness, -epsilon)
            near = np.clip(at[..., None] + np.arange(-1, 2), 0, self.alpha.size - 1)
            reached = self.power_[near] - np.exp(epsilon[..., None] + log_alpha[near])
        return np.asarray(np.maximum(reached.max(axis=-1), self.power_[0]))

    def _lies_below(self, higher: TradeOff) -> bool:
        if isinstance(higher, Polygon):
            corners = np.union1d(self.alpha, higher.alpha)
            return bool(np.all(higher(corners) >= self(corners) - 1e-12))
        return super()._lies_below(higher)


def polygon(alpha: Floats, not_alpha: Floats, beta: Floats, power: Floats) -> Polygon:
    """The highest convex curve that is nowhere above the given corners; (1, 0) is always one."""
    four = [np.append(x, end) for x, end in zip((alpha, not_alpha, beta, power), (1.0, 0.0, 0.0, 1.0), strict=True)]
    order = np.lexsort((four[2], four[0]))
    a, not_a, b, p = (x[order] for x in four)
    first = np.append(True, np.diff(a) > 0)  # of several at one alpha, the lowest
    a, not_a, b, p = (x[first] for x in (a, not_a, b, p))
    corners = _lower_hull(a, b)
    return Polygon(a[corners], not_a[corners], b[corners], p[corners])


def neyman_pearson(p: ArrayLike, q: ArrayLike) -> Polygon:
    """See `TradeOff.discrete`: outcomes are rejected in the order of their likelihood ratio q/p."""
    first, second = _probabilities("p", p), _probabilities("q", q)
    if first.shape != second.shape:
        raise InvalidInput(f"p and q must have the same outcomes; they have {first.size} and {second.size}")
    possible = (first > 0) | (second > 0)
    first, second = first[possible], second[possible]
    with np.errstate(divide="ignore"):
        order = np.argsort(np.log(first) - np.log(second), kind="stable")
    first, second = first[order], second[order]
    rejected = _sums(first), _sums(second)
    accepted = _sums(first[::-1])[::-1], _sums(second[::-1])[::-1]
    return polygon(
        np.append(0.0, rejected[0]),
        np.append(accepted[0], 0.0),
        np.append(accepted[1], 0.0),
        np.append(0.0, rejected[1]),
    )


def _sums(probabilities: Floats) -> Floats:
    return np.minimum(np.cumsum(probabilities), 1.0)


def _probabilities(name: str, values: ArrayLike) -> Floats:
    array = numbers_in(name, values, 0, 1)
    if array.ndim != 1 or not array.size or abs(float(array.sum()) - 1) > 1e-6:
        raise InvalidInput(f"{name} must be a vector of probabilities that add up to 1")
    return np.asarray(array / array.sum())


def _quantile(probability: Floats, complement: Floats) -> Floats:
    """Phi^-1(probability), from the smaller of the two."""
    return np.where(probability < 0.5, special.ndtri(probability), -special.ndtri(complement))


def _lower_hull(x: Floats, y: Floats) -> NDArray[np.intp]:
    """Which of the points, sorted by x, are corners of their lower convex hull."""
    kept: list[int] = []
    a, b = x.tolist(), y.tolist()
    for k in range(len(a)):
        while len(kept) > 1:
            i, j = kept[-2], kept[-1]
            if (b[j] - b[i]) * (a[k] - a[j]) < (b[k] - b[j]) * (a[j] - a[i]):
                break
            kept.pop()
        kept.append(k)
    return np.array(kept)
