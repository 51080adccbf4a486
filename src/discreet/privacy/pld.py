"""Composition by the privacy loss distribution: the law of the log-likelihood ratio, on a grid, convolved.

A symmetric curve with delta(epsilon) becomes a distribution on a grid of losses by connecting the dots of e^epsilon to
delta (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022): everything is rounded to the less private side. Composition
is convolution, by dp-accounting (the extra `accounting`). The result is read off as statements (epsilon, delta), each
enlarged by what the rounding errors of the convolution can amount to, and every one of them holds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from discreet.errors import MissingExtra
from discreet.privacy.curves import ZeroConcentratedCurve, distinguishable
from discreet.privacy.parameters import Floats
from discreet.privacy.polygon import Polygon, polygon
from discreet.privacy.tradeoff import TradeOff

#: Points of the loss grid for all curves together, and points at which the slow zCDP curve is evaluated.
GRID, SLOW_GRID = 40_000, 256

#: Epsilons at which a distribution is read; fewer where they are so large that each takes a pass over all losses.
READ, READ_LARGE = 8000, 400

#: For each curve in a composition, what floating point may add to a delta (measured for pairs: below 1e-15).
ROUNDING = 1e-12

_TAIL = 1e-16


class LossDistribution(Protocol):
    """What is asked of dp-accounting's `PrivacyLossDistribution`."""

    def get_delta_for_epsilon(self, epsilon: Any) -> Any:
        """The delta at an epsilon, or at increasing ones."""

    def get_epsilon_for_delta(self, delta: float) -> float:
        """The smallest epsilon at a delta."""


def composed_curve(curves: Sequence[TradeOff]) -> TradeOff:
    """A curve that holds for the composition of mechanisms with these symmetric curves, chosen adaptively or not.

    Raises
    ------
    MissingExtra
        If dp-accounting is not installed.
    """
    try:
        from dp_accounting.pld import pld_pmf
        from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    except ImportError:
        raise MissingExtra(
            "this composition needs the privacy loss distribution: pip install 'discreet[accounting]'"
        ) from None

    reaches = {curve: _reach(curve) for curve in curves}
    step = sum(reaches[curve] for curve in curves) / GRID
    total: Any = None
    for curve, times in Counter(curves).items():
        points = max(2, math.ceil(reaches[curve] / step))
        stride = max(1, points // SLOW_GRID) if isinstance(curve, ZeroConcentratedCurve) else 1
        one_side = np.arange(0, points + stride, stride)
        right = curve.delta(one_side * step)
        left = (-np.expm1(-one_side * step) + np.exp(-one_side * step) * right)[:0:-1]
        deltas = np.minimum.accumulate(np.clip(np.concatenate([left, right]), 0.0, 1.0))
        if stride == 1:
            pmf = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(step, -points, points, deltas)
        else:
            losses = np.concatenate([-one_side[:0:-1], one_side])
            pmf = pld_pmf.create_pmf_pessimistic_connect_dots(step, losses, deltas)
        part = PrivacyLossDistribution(pmf)
        part = part.self_compose(times) if times > 1 else part
        total = part if total is None else total.compose(part)
    return curve_of(total, ROUNDING * len(curves))


def curve_of(pld: LossDistribution, rounding: float = 0.0) -> TradeOff:
    """The highest symmetric curve that the distribution's statements (epsilon, delta + rounding), epsilon >= 0, imply."""
    never = float(pld.get_delta_for_epsilon(math.inf))
    if never + rounding >= 1 - _TAIL:
        return distinguishable()
    top = max(float(pld.get_epsilon_for_delta(never + 10 * _TAIL)), 1e-300)
    if top < 500:
        epsilon = np.linspace(0.0, top, READ)
        delta = np.asarray(pld.get_delta_for_epsilon(epsilon), float)
    else:  # beyond e^700 the vectorised form overflows
        epsilon = np.linspace(0.0, top, READ_LARGE)
        delta = np.array([float(pld.get_delta_for_epsilon(at)) for at in epsilon.tolist()])
    return stated(epsilon, np.minimum(np.minimum.accumulate(delta) + rounding, 1.0))


@dataclass(frozen=True, eq=False, repr=False)
class Stated(TradeOff):
    """The highest symmetric curve that finitely many statements (epsilon, delta) imply, and these themselves.

    The statements answer `delta`: at the far end, where their corners have an alpha of e^-epsilon, they are more precise.
    """

    epsilon: Floats
    delta_: Floats
    corners: Polygon

    def __repr__(self) -> str:
        return f"<TradeOff by {self.epsilon.size} pairs of epsilon and delta, fixed point {self.fixed_point:.6g}>"

    @property
    def fixed_point(self) -> float:
        return self.corners.fixed_point

    @property
    def mu(self) -> float:
        return self.corners.mu

    def _type_two(self, alpha: Floats) -> Floats:
        return self.corners._type_two(alpha)

    def _power(self, alpha: Floats) -> Floats:
        return self.corners._power(alpha)

    def _delta(self, epsilon: Floats) -> Floats:
        # delta is a convex function of e^epsilon, so its chords are statements, too.
        at = np.clip(np.searchsorted(self.epsilon, epsilon, side="right") - 1, 0, self.epsilon.size - 2)
        width = np.diff(self.epsilon)[at]
        share = np.expm1(np.minimum(epsilon - self.epsilon[at], width)) / np.expm1(width)
        return self.delta_[at] + share * np.diff(self.delta_)[at]

    def _lies_below(self, higher: TradeOff) -> bool:
        return higher.dominates(self.corners)


def stated(epsilon: Floats, delta: Floats) -> Stated:
    """The curve of increasing epsilons from 0 and their falling deltas: the upper envelope of their lines.

    The lines are 1 - delta - e^eps alpha and their mirror images; corners are where neighbours meet.
    """
    fall = delta[:-1] - delta[1:]
    alpha = np.exp(-epsilon[:-1]) * fall / np.expm1(np.diff(epsilon))
    power = delta[:-1] + fall / np.expm1(np.diff(epsilon))
    alpha, power = np.append(alpha, 0.0), np.append(power, delta[-1])
    left = alpha <= 1 - power  # beyond the fixed point the mirror images take over
    alpha, power = alpha[left], power[left]
    corners = polygon(
        np.concatenate([alpha, 1 - power]),
        np.concatenate([1 - alpha, power]),
        np.concatenate([1 - power, alpha]),
        np.concatenate([power, 1 - alpha]),
    )
    return Stated(epsilon, delta, corners)


def _reach(curve: TradeOff) -> float:
    """An epsilon beyond which delta no longer falls: the largest loss that has a place on the grid."""
    floor = curve.delta(1e6)
    high = 1.0
    while curve.delta(high) > floor + _TAIL:
        high *= 2
    low = 0.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if curve.delta(middle) > floor + _TAIL else (low, middle)
    return high
