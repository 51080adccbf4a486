"""Scale and cost of table mechanisms when one record is added or removed; the curve on the grid, enumerated."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import NotAvailable
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian, default_for_table
from discreet.mechanisms.grid import GRID_STEPS
from discreet.privacy import ApproxDP, GaussianDP, PureDP, TradeOff, ZeroConcentratedDP
from discreet.privacy.cost import exact


@given(st.floats(1e-3, 100))
def test_pure_differential_privacy_is_exact(epsilon):
    mechanism = Laplace().for_table(PureDP(epsilon), "add-remove")
    assert 1 / Fraction(mechanism.scale) <= exact(epsilon)
    assert mechanism.scale == pytest.approx(1 / epsilon, rel=1e-15)
    assert mechanism.cost("rho").amount == pytest.approx(epsilon * math.tanh(epsilon / 2), rel=1e-14)
    assert mechanism.cost("mu").amount == pytest.approx(TradeOff.laplace(epsilon).mu, rel=1e-9)
    assert mechanism.cost("mu").amount > TradeOff.laplace(1 / mechanism.scale).mu


def test_the_mu_of_one_laplace_coordinate():
    """-2 Phi^-1(e^-(shift/2)/2), by mpmath."""
    import mpmath as mp

    for epsilon in (0.1, 0.5, 1.0, 4.0):
        with mp.workdps(30):
            tail = mp.exp(-mp.mpf(epsilon) / 2) / 2
            reference = mp.findroot(lambda x, tail=tail: mp.erfc(x / mp.sqrt(2)) / 2 - tail, mp.mpf("0.5")) * 2
        cost = Laplace().for_table(PureDP(epsilon), "add-remove").cost("mu").amount
        assert cost == pytest.approx(float(reference), rel=2e-11)


@pytest.mark.parametrize("mu", [1e-6, 0.1, 0.5, 1, 3, 10, 50])
def test_laplace_under_a_gaussian_guarantee(mu):
    mechanism = Laplace().for_table(GaussianDP(mu), "add-remove")
    assert mechanism.cost("mu").amount == mu
    stated = Laplace().for_table(PureDP(1 / mechanism.scale), "add-remove") if mechanism.scale > 0.002 else mechanism
    assert stated.cost("mu").amount == pytest.approx(mu, rel=1e-9)
    if mu <= 10:
        f, alpha = TradeOff.laplace(1 / mechanism.scale), np.linspace(0.001, 0.999, 999)
        assert (f(alpha) - TradeOff.gaussian(mu)(alpha)).min() >= -1e-10
        tighter = TradeOff.laplace(1.001 / mechanism.scale)
        assert (tighter(alpha) - TradeOff.gaussian(mu)(alpha)).min() < 0 or tighter.mu > mu


def grid_curve(steps: int, per_record: int):
    """The corners (alpha, beta) of the best tests of the integer Laplace law against its shift, by enumeration."""
    q = math.exp(-1 / steps)
    z = np.arange(-60 * steps, 60 * steps + per_record + 1)
    p = (1 - q) / (1 + q) * q ** np.abs(z)
    shifted = (1 - q) / (1 + q) * q ** np.abs(z - per_record)
    order = np.argsort(-(np.abs(z) - np.abs(z - per_record)), kind="stable")  # likelihood ratio, falling
    return np.append(0, np.cumsum(p[order])), 1 - np.append(0, np.cumsum(shifted[order])), p, shifted


@pytest.mark.parametrize(("steps", "per_record"), [(2, 1), (3, 3), (5, 2), (40, 20), (300, 900)])
def test_the_curve_on_the_grid_lies_on_or_above_that_of_the_corrected_rate(steps, per_record):
    rate = per_record / steps
    corrected = rate + 2 * math.log(math.cosh(1 / (2 * steps)))
    alpha, beta, p, shifted = grid_curve(steps, per_record)
    # pure: no likelihood ratio beyond e^(1/b)
    ratio = np.log(shifted / p)
    assert np.abs(ratio).max() == pytest.approx(rate, rel=1e-9)
    # the mu that is charged: f >= the continuous curve of the corrected rate, touched in its corners
    continuous = TradeOff.laplace(corrected)(np.clip(alpha, 0, 1))
    assert (beta - continuous).min() >= -1e-12
    inner = (alpha > 1e-6) & (alpha < 0.5) & (beta < 0.5)
    assert np.abs(beta - continuous)[inner].min() < 1e-12
    # and the continuous curve of the rate itself would be a false claim
    assert (beta - TradeOff.laplace(rate)(np.clip(alpha, 0, 1))).min() < 0


def test_the_cost_uses_a_rate_no_smaller_than_the_corrected_one():
    for scale in (0.01, 0.7, 4.0, 1e7):
        grid_scale = scale * 2.0 ** max(0, 21 - math.frexp(scale)[1])
        assert grid_scale >= GRID_STEPS
        excess = 1 / (4 * max(GRID_STEPS, scale) ** 2)
        cosh_minus_one = 2 * math.sinh(1 / (4 * grid_scale)) ** 2
        assert 2 * math.log1p(cosh_minus_one) <= excess * (1 + 1e-12)


def test_gaussian_when_one_record_is_added_or_removed():
    mechanism = Gaussian().for_table(GaussianDP(0.5), "add-remove")
    assert mechanism.scale == pytest.approx(2, rel=1e-10)
    assert Fraction(mechanism.scale) ** 2 >= 4 * (1 + Fraction(1, 2**36))
    assert mechanism.cost("rho").amount == pytest.approx(0.125, rel=1e-9)
    assert Gaussian().for_table(ZeroConcentratedDP(0.125), "add-remove").scale == 2
    approximate = Gaussian().for_table(ApproxDP(1.0, 1e-6), "add-remove")
    assert GaussianDP(approximate.cost("mu").amount).delta(1.0) == pytest.approx(1e-6, rel=1e-6)


def test_the_default_and_what_is_refused():
    assert default_for_table(GaussianDP(1), "add-remove") == Gaussian()
    assert default_for_table(PureDP(1), "add-remove") == Laplace()
    with pytest.raises(NotAvailable, match="public total"):
        ProjectedGaussian().for_table(GaussianDP(1), "add-remove")
