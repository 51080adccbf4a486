"""Calibration: the claim holds in exact arithmetic, and with the next smaller float it would not."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.noise import calibrate
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP, laplace_table_mu

PARAMETERS = [0.1, 0.3, 1 / 3, 0.5, 0.7, 1.0, 2.0, 17.3, 1e-6, 500.0, *np.random.default_rng(3).uniform(0.01, 5, 40)]


@pytest.mark.parametrize("epsilon", PARAMETERS)
@pytest.mark.parametrize("l1", [1, 2, 7, 0.1])
def test_laplace_is_the_smallest_float_that_keeps_pure_dp(epsilon: float, l1: float) -> None:
    guarantee = PureDP(epsilon)
    scale = calibrate.laplace(guarantee, l1)
    assert Fraction(l1) / Fraction(scale) <= guarantee.exact
    assert Fraction(l1) / Fraction(math.nextafter(scale, 0)) > guarantee.exact


@pytest.mark.parametrize("mu", PARAMETERS)
@pytest.mark.parametrize("l2_squared", [1, 2, Fraction(1, 3), 10**12 + 1])
def test_gaussian_is_the_smallest_float_that_keeps_gaussian_dp(mu: float, l2_squared: Fraction) -> None:
    guarantee = GaussianDP(mu)
    sd = calibrate.gaussian(guarantee, l2_squared=l2_squared)
    needed = Fraction(l2_squared) / guarantee.exact**2 * (1 + Fraction(1, 2**36))
    assert Fraction(sd) ** 2 >= needed
    assert Fraction(math.nextafter(sd, 0)) ** 2 < needed


@pytest.mark.parametrize("rho", PARAMETERS)
def test_gaussian_is_the_smallest_float_that_keeps_zero_concentrated_dp(rho: float) -> None:
    guarantee = ZeroConcentratedDP(rho)
    sd = calibrate.gaussian(guarantee, l2_squared=2)
    assert Fraction(2) / (2 * Fraction(sd) ** 2) <= guarantee.exact
    assert Fraction(2) / (2 * Fraction(math.nextafter(sd, 0)) ** 2) > guarantee.exact


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.1, 1e-6), (1, 1e-5), (1, 0.1), (0.01, 0.5), (10, 1e-12), (300, 1e-9)]
)
def test_gaussian_for_approximate_dp_is_exact(epsilon: float, delta: float) -> None:
    sd = calibrate.gaussian(ApproxDP(epsilon, delta), 1)

    def reached(sd: float) -> mp.mpf:
        mu, e = 1 / mp.mpf(sd), mp.mpf(repr(epsilon))
        return mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)

    with mp.workdps(300):
        assert reached(sd) <= mp.mpf(repr(delta))
        assert reached(sd * (1 - 1e-10)) > mp.mpf(repr(delta))
    if delta < 0.1 and epsilon <= 1:  # the classical bound is larger
        assert sd < math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def test_a_root_of_a_whole_number_is_read_as_such() -> None:
    for square in (2, 3, 10):
        by_length = calibrate.gaussian(ZeroConcentratedDP(0.5), math.sqrt(square))
        assert by_length == calibrate.gaussian(ZeroConcentratedDP(0.5), l2_squared=square)
    assert calibrate.gaussian(ZeroConcentratedDP(0.25), math.sqrt(2)) == 2.0
    assert calibrate.gaussian(ZeroConcentratedDP(0.5), 0.1) == pytest.approx(0.1, rel=1e-15)


def test_laplace_for_the_other_guarantees() -> None:
    assert calibrate.laplace(ApproxDP(0.5, 1e-6), 2) == 4.0
    by_rho = 2 / calibrate.laplace(ZeroConcentratedDP(0.5), 2)
    assert by_rho * math.tanh(by_rho / 2) == pytest.approx(0.5, rel=5e-12)
    assert by_rho * math.tanh(by_rho / 2) < 0.5
    for mu in (1e-6, 0.1, 1, 5, 50):
        shift = 3 / calibrate.laplace(GaussianDP(mu), 3)
        with mp.workdps(60):
            needed = -2 * mp.log(2 * mp.ncdf(-mp.mpf(mu) / 2))
            assert 0 < needed / mp.mpf(shift) - 1 < 3e-12


def test_laplace_table() -> None:
    assert calibrate.laplace_table(PureDP(0.1)) == 20.0
    assert calibrate.laplace_table(ApproxDP(0.1, 1e-9)) == 20.0
    assert calibrate.laplace_table(ZeroConcentratedDP(0.5)) == calibrate.laplace(ZeroConcentratedDP(0.5), 2)
    scale = calibrate.laplace_table(GaussianDP(0.5))
    assert scale < calibrate.laplace(GaussianDP(0.5), 2)
    assert laplace_table_mu(1 / scale) <= 0.5


def test_what_has_no_answer_is_refused_with_the_reason() -> None:
    with pytest.raises(NotAvailable, match="no finite pure epsilon"):
        calibrate.gaussian(PureDP(1), 1)
    for call in (
        lambda: calibrate.gaussian(GaussianDP(1)),
        lambda: calibrate.gaussian(GaussianDP(1), 1, l2_squared=1),
        lambda: calibrate.gaussian(1.0, 1),  # type: ignore[arg-type]
        lambda: calibrate.laplace("pure", 1),  # type: ignore[arg-type]
        lambda: calibrate.laplace(PureDP(1), 0),
        lambda: calibrate.laplace(PureDP(1), -2),
        lambda: calibrate.laplace(PureDP(1), math.nan),
        lambda: calibrate.laplace(PureDP(1), True),
        lambda: calibrate.gaussian(GaussianDP(1), l2_squared="2"),  # type: ignore[arg-type]
        lambda: calibrate.laplace(PureDP(5e-324), 2),
    ):
        with pytest.raises(InvalidInput):
            call()


def test_extreme_sizes_do_not_overflow_on_the_way() -> None:
    assert calibrate.gaussian(GaussianDP(1e-300), 1) == pytest.approx(1e300, rel=1e-10)
    assert calibrate.gaussian(GaussianDP(500), 1e-200) == pytest.approx(2e-203, rel=1e-10)
