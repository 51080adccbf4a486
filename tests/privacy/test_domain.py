"""Finite, right answers for mu from 1e-6 to 50; a clear error where arithmetic or privacy ends."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.noise import calibrate
from discreet.privacy import GaussianDP, PureDP, TradeOff

LEVELS = [1e-6, 1e-4, 0.01, 1.0, 10.0, 50.0]


@pytest.mark.parametrize("mu", LEVELS)
def test_what_is_asked_of_mu(mu: float) -> None:
    g = GaussianDP(mu)
    with mp.workdps(700):
        m = mp.mpf(repr(mu))
        for alpha in (1e-6, 0.05, 0.5, 0.999):
            z = mp.sqrt(2) * mp.erfinv(2 * mp.mpf(alpha) - 1)
            # Near alpha = 1 - 1e-3 a quantile of a double is only good to 1e-13.
            assert g.tradeoff()(alpha) == pytest.approx(float(mp.ncdf(-z - m)), rel=1e-10, abs=1e-300)
            assert g.max_power(alpha) == pytest.approx(float(mp.ncdf(z + m)), rel=1e-12)
        for epsilon in (0.0, mu / 3, mu, mu**2 / 2 + 3 * mu):
            e = mp.mpf(epsilon)
            delta = mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)
            assert g.delta(epsilon) == pytest.approx(float(delta), rel=1e-10)
    assert g.delta(g.epsilon(1e-9)) <= 1e-9 * (1 + 1e-9)
    for scale in (calibrate.gaussian(g, l2_squared=2), calibrate.laplace(g, 2), calibrate.laplace_table(g)):
        assert 0 < scale < math.inf


@pytest.mark.parametrize("mu", LEVELS)
def test_every_curve_at_that_level_is_finite_and_in_order(mu: float) -> None:
    table = TradeOff.laplace_table(calibrate.laplace_table(GaussianDP(mu)))
    alpha = np.concatenate([np.geomspace(1e-300, 0.5, 200), np.linspace(0.5, 1, 50)])
    for curve in (TradeOff.gaussian(mu), table, TradeOff.laplace(1 / calibrate.laplace(GaussianDP(mu), 1))):
        beta = curve(alpha)
        assert np.all(np.isfinite(beta))
        assert np.all(beta >= TradeOff.gaussian(mu)(alpha) - 1e-12)
        assert curve.mu == pytest.approx(mu, rel=1e-10)
        assert 0 <= curve.fixed_point <= 0.5


@pytest.mark.parametrize("mu", [0.0, -1e-9, 500.0001, 1e6, math.inf, math.nan])
def test_beyond_it_a_clear_error(mu: float) -> None:
    for make in (GaussianDP, TradeOff.gaussian):
        with pytest.raises(InvalidInput, match="mu must be"):
            make(mu)


def test_what_pure_dp_means_to_a_tester() -> None:
    """The bound on the Bayes factor is reached by randomised response; the classical one never is."""
    for epsilon in (0.1, 1.0, 3.0):
        g = PureDP(epsilon)
        truth = math.exp(epsilon) / (1 + math.exp(epsilon))
        factors = [truth / (1 - truth), (1 - truth) / truth]  # of the two outputs, for one value against the other
        assert g.bayes_factor() == pytest.approx(max(factors), rel=1e-14)
        assert 1 / g.bayes_factor() == pytest.approx(min(factors), rel=1e-14)
        assert g.bayes_factor(classical=True) == pytest.approx(math.exp(2 * epsilon), rel=1e-14)
        # Laplace noise too: the density at z around 0 against that around the sensitivity.
        z = np.linspace(-5, 6, 1001)
        ratio = np.exp(epsilon * (np.abs(z - 1) - np.abs(z)))
        assert np.all((ratio <= g.bayes_factor() * (1 + 1e-12)) & (ratio >= 1 / g.bayes_factor() * (1 - 1e-12)))
        # And no test of level alpha has more power than max_power, which randomised response reaches.
        assert g.max_power(1 - truth) == pytest.approx(truth, rel=1e-14)
    assert GaussianDP(1).bayes_factor(classical=True) == math.inf
