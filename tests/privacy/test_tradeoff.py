"""Trade-off curves: reference numbers, shape, fixed points, levels, comparison, and what they say of (epsilon, delta)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.privacy import TradeOff

CURVES = [
    TradeOff.gaussian(1e-6),
    TradeOff.gaussian(1.0),
    TradeOff.gaussian(50.0),
    TradeOff.laplace(0.01),
    TradeOff.laplace(1.0),
    TradeOff.laplace(300.0),
    TradeOff.laplace_table(1e6),
    TradeOff.laplace_table(2.0),
    TradeOff.laplace_table(0.5),
    TradeOff.laplace_table(0.005),
    TradeOff.approx_dp(1.0, 0.0),
    TradeOff.approx_dp(1.0, 0.01),
    TradeOff.approx_dp(0.0, 0.1),
    TradeOff.approx_dp(0.0, 0.0),
]


def test_gaussian_reference_numbers() -> None:
    alpha = [0.01, 0.05, 0.1, 0.5]
    expected = {
        0.5: ([0.9661010609, 0.8738651018, 0.7827609196, 0.3085375387], 0.4012936743),
        1.0: ([0.9076377519, 0.7404889772, 0.6108563084, 0.1586552539], 0.3085375387),
        2.0: ([0.6279194146, 0.3612399687, 0.2362404159, 0.0227501319], 0.1586552539),
    }
    for mu, (values, fixed) in expected.items():
        f = TradeOff.gaussian(mu)
        np.testing.assert_allclose(f(alpha), values, atol=6e-11)
        assert f.fixed_point == pytest.approx(fixed, abs=6e-11)
        assert f.mu == mu


def test_laplace_reference_numbers() -> None:
    alpha = [0.01, 0.05, 0.2, 0.5, 0.8]
    expected = [0.9728171817, 0.8640859086, 0.4598493015, 0.1839397206, 0.0735758882]
    np.testing.assert_allclose(TradeOff.laplace(1.0)(alpha), expected, atol=6e-11)


@pytest.mark.parametrize("f", CURVES, ids=repr)
def test_shape(f: TradeOff) -> None:
    alpha = np.unique(np.concatenate([np.geomspace(1e-12, 0.5, 300), 1 - np.geomspace(1e-12, 0.5, 300), [0.0, 1.0]]))
    beta = f(alpha)
    assert np.all(np.isfinite(beta))
    assert np.all((beta >= 0) & (beta <= 1 - alpha + 1e-15))
    assert np.all(np.diff(beta) <= 1e-15)
    slopes = np.diff(beta) / np.diff(alpha)
    assert np.all(np.diff(slopes[np.diff(alpha) > 1e-4]) >= -1e-9)  # convex
    assert f(1.0) == 0
    fixed = f.fixed_point
    assert f(fixed) == pytest.approx(fixed, rel=1e-9)
    inside = (alpha > 1e-3) & (beta > 1e-3)
    np.testing.assert_allclose(f(beta[inside]), alpha[inside], atol=1e-10)  # its own inverse
    np.testing.assert_allclose(f.power(alpha), 1 - beta, atol=1e-14)


@pytest.mark.parametrize("f", CURVES, ids=repr)
def test_delta_is_the_largest_distance_to_a_line(f: TradeOff) -> None:
    for epsilon in (0.0, 0.2, 0.9, 3.0):
        # Tangent points lie left of the fixed point; the corners of (epsilon, delta) are there and at 0.
        alpha = np.concatenate([[0.0], np.geomspace(1e-9, 1, 4001) * f.fixed_point])
        from_curve = float((1 - f(alpha) - math.exp(epsilon) * alpha).max())
        assert f.delta(epsilon) == pytest.approx(from_curve, abs=1e-5)
        assert f.delta(epsilon) >= from_curve - 1e-14


@pytest.mark.parametrize("f", [c for c in CURVES if 0 < c.mu < 10], ids=repr)
def test_mu_is_the_smallest_that_holds(f: TradeOff) -> None:
    # A log-likelihood grid dense where the level binds, at both ends and beyond.
    alpha = np.unique(np.concatenate([np.geomspace(1e-14, 0.5, 20_000), 1 - np.geomspace(1e-9, 0.5, 2000)]))
    assert np.min(f(alpha) - TradeOff.gaussian(f.mu)(alpha)) >= -1e-14
    if f.mu > 1e-3:
        assert np.min(f(alpha) - TradeOff.gaussian(f.mu * 0.999)(alpha)) < 0


def test_curves_without_any_privacy_underflow_quietly() -> None:
    f = TradeOff.laplace_table(1e-3)
    assert f.fixed_point == 0
    np.testing.assert_array_equal(f([0.0, 1e-300, 0.5, 1.0]), [1, 0, 0, 0])
    assert 88 < f.mu < 90


def test_the_level_of_one_laplace_coordinate_binds_at_its_fixed_point() -> None:
    for shift in (1e-9, 1e-3, 1.0, 1.999, 2.001, 40.0, 400.0):
        f = TradeOff.laplace(shift)
        assert math.log(TradeOff.gaussian(f.mu).fixed_point) == pytest.approx(math.log(f.fixed_point), rel=1e-13)


def test_no_gaussian_level_holds_where_delta_leaks() -> None:
    assert TradeOff.approx_dp(1.0, 1e-12).mu == math.inf
    assert TradeOff.approx_dp(0.0).mu == 0


def test_dominates() -> None:
    strong, weak = TradeOff.gaussian(0.5), TradeOff.gaussian(1.0)
    assert strong.dominates(weak)
    assert not weak.dominates(strong)
    table = TradeOff.laplace_table(2.0)
    assert table.dominates(TradeOff.gaussian(table.mu))
    assert not table.dominates(TradeOff.gaussian(table.mu * 0.9999))
    assert not TradeOff.gaussian(table.mu).dominates(table)
    assert table.dominates(TradeOff.laplace(1.0))  # one coordinate is the worst shift of that L1 length
    assert not TradeOff.laplace(1.0).dominates(table)
    assert table.dominates(TradeOff.approx_dp(1.0))
    assert not table.dominates(TradeOff.approx_dp(0.999))
    assert TradeOff.laplace_table(2.0).dominates(TradeOff.laplace_table(1.0))
    assert not TradeOff.laplace_table(1.0).dominates(TradeOff.laplace_table(2.0))
    assert TradeOff.approx_dp(1.0, 0.01).dominates(TradeOff.approx_dp(2.0, 0.01))
    assert not TradeOff.approx_dp(1.0, 0.01).dominates(weak)
    assert TradeOff.approx_dp(0.0).dominates(strong)


def test_they_print_as_they_are_made_and_compare_by_value() -> None:
    assert repr(TradeOff.approx_dp(1, 0.01)) == "TradeOff.approx_dp(epsilon=1.0, delta=0.01)"
    assert repr(TradeOff.zero_concentrated(0.5)) == "TradeOff.zero_concentrated(rho=0.5)"
    assert TradeOff.gaussian(1) == TradeOff.gaussian(1.0) != TradeOff.gaussian(2)


def test_a_number_gives_a_number() -> None:
    assert isinstance(TradeOff.gaussian(1)(0.5), float)
    assert TradeOff.gaussian(1)([[0.5, 0.1]]).shape == (1, 2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: TradeOff.gaussian(0),
        lambda: TradeOff.laplace(-1),
        lambda: TradeOff.laplace_table(0),
        lambda: TradeOff.laplace_table(math.nan),
        lambda: TradeOff.approx_dp(-0.1),
        lambda: TradeOff.approx_dp(1, 1.1),
        lambda: TradeOff.approx_dp(1, True),
        lambda: TradeOff.gaussian("1"),
        lambda: TradeOff.gaussian(1)(1.1),
        lambda: TradeOff.gaussian(1)(math.nan),
        lambda: TradeOff.gaussian(1)("0.5"),
    ],
)
def test_bad_input(make: object) -> None:
    with pytest.raises(InvalidInput):
        make()  # type: ignore[operator]
