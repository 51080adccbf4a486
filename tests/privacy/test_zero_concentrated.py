"""zCDP: the conversions lie between what Gaussian noise needs and the published bound, and are attained by coins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from discreet.privacy import GaussianDP, PureDP, TradeOff, ZeroConcentratedDP
from discreet.privacy.renyi import pure_to_rho, rho_to_pure


def _published(rho: float, epsilon: float) -> float:
    """log delta of Canonne, Kamath and Steinke (2020), Proposition 12, minimised over the order."""

    def bound(log_c: float) -> float:
        c = math.exp(log_c)
        return c * ((1 + c) * rho - epsilon) - math.log(c) - (1 + c) * math.log1p(1 / c)

    return min(
        optimize.minimize_scalar(bound, bounds=(x, x + 1), method="bounded", options={"xatol": 1e-10}).fun
        for x in np.arange(-14.0, 30.0)
    )


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.1, 0.5, 5.0, 100.0])
@pytest.mark.parametrize("distance", [0.0, 1.0, 4.0, 15.0])
def test_delta_lies_between_gaussian_noise_and_the_published_bound(rho: float, distance: float) -> None:
    epsilon = rho + distance * math.sqrt(2 * rho)
    found = ZeroConcentratedDP(rho).delta(epsilon)
    assert GaussianDP(math.sqrt(2 * rho)).delta(epsilon) < found
    assert math.log(found) <= _published(rho, epsilon) + 1e-9


def _worst_rho(p: float, q: float) -> float:
    """The smallest rho of a pair of coins: the largest Renyi divergence over its order, by brute force."""
    alpha = 1 + np.exp(np.linspace(-9, 7, 4000))
    both = []
    for a, b in ((p, q), (q, p)):
        log_sum = np.logaddexp(
            alpha * math.log(a) + (1 - alpha) * math.log(b), alpha * math.log1p(-a) + (1 - alpha) * math.log1p(-b)
        )
        both.append((log_sum / (alpha - 1) / alpha).max())
    return float(max(both))


@pytest.mark.parametrize("rho", [0.01, 0.46212, 3.0])
@pytest.mark.parametrize("alpha", [1e-6, 0.001, 0.05, 0.2, 0.6, 0.97])
def test_each_point_of_the_curve_is_a_pair_of_coins_of_that_rho(rho: float, alpha: float) -> None:
    beta = TradeOff.zero_concentrated(rho)(alpha)
    assert _worst_rho(1 - beta, alpha) == pytest.approx(rho, rel=2e-4)


@pytest.mark.parametrize("rho", [0.05, 2.0])
def test_delta_and_the_curve_say_the_same(rho: float) -> None:
    f = TradeOff.zero_concentrated(rho)
    alpha = np.exp(np.linspace(-16, math.log(f.fixed_point), 400))
    curve = f(alpha)
    for epsilon in (0.0, 0.1 * rho, rho, 2.0 * rho):
        from_curve = float((1 - curve - math.exp(epsilon) * alpha).max())
        assert f.delta(epsilon) == pytest.approx(from_curve, rel=2e-3)
        assert f.delta(epsilon) >= from_curve - 1e-12


def test_the_curve_is_symmetric_convex_and_contains_randomised_response() -> None:
    f = TradeOff.zero_concentrated(0.5)
    alpha = np.linspace(0, 1, 201)
    beta = f(alpha)
    assert (beta[0], beta[-1]) == (1, 0)
    assert np.all(np.diff(beta, 2) > -1e-12)
    np.testing.assert_allclose(f(beta[1:-1]), alpha[1:-1], rtol=1e-9)
    pure = rho_to_pure(0.5)
    assert f(f.fixed_point) == pytest.approx(f.fixed_point, rel=1e-10)
    assert f.fixed_point == pytest.approx(PureDP(pure).tradeoff().fixed_point, rel=1e-13)
    assert np.all(beta <= PureDP(pure).tradeoff()(alpha) + 1e-12)
    assert np.all(beta <= TradeOff.gaussian(1.0)(alpha) + 1e-12)


@pytest.mark.parametrize("rho", [1e-4, 0.46212, 10.0])
def test_the_gaussian_level_of_the_curve_is_that_of_randomised_response(rho: float) -> None:
    f = TradeOff.zero_concentrated(rho)
    alpha = np.append(np.exp(np.linspace(-30, math.log(f.fixed_point), 60)), f.fixed_point)
    assert np.all(f(alpha) >= TradeOff.gaussian(f.mu * (1 + 1e-9))(alpha) * (1 - 1e-9))
    assert f(f.fixed_point) < TradeOff.gaussian(f.mu * 0.999)(f.fixed_point)
    if rho == 0.46212:
        assert f.mu == pytest.approx(1.2320, abs=1e-4)
        assert f.mu > math.sqrt(2 * rho) + 0.2


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 0.5, 3.0, 60.0])
def test_pure_and_rho_are_inverse(epsilon: float) -> None:
    assert rho_to_pure(pure_to_rho(epsilon)) == pytest.approx(epsilon, rel=1e-14)


@pytest.mark.parametrize("rho", [1e-6, 0.1, 20.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.05])
def test_epsilon_inverts_delta(rho: float, delta: float) -> None:
    g = ZeroConcentratedDP(rho)
    epsilon = g.epsilon(delta)
    assert g.delta(epsilon) <= delta * (1 + 1e-12)
    assert epsilon == 0 or g.delta(epsilon * (1 - 1e-6)) > delta
    assert epsilon < rho + 2 * math.sqrt(rho * math.log(1 / delta))


def test_the_ends_of_epsilon() -> None:
    assert ZeroConcentratedDP(0.5).epsilon(0) == math.inf
    assert ZeroConcentratedDP(0.5).epsilon(1) == 0
