"""Composition by privacy loss distributions: against exact mixtures and dp-accounting's own mechanisms, never below them."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as reference

from discreet.errors import InvalidInput, MissingExtra, NotAvailable
from discreet.privacy import (
    ApproxDP,
    Composed,
    GaussianDP,
    PureDP,
    TradeOff,
    ZeroConcentratedDP,
    compose,
    gaussian_curve,
)

EPSILONS = [0.0, 0.3, 1.0, 3.0, 5.0]


def _gaussian_delta(mu: float, epsilon: float) -> float:
    if epsilon >= 0:
        return float(gaussian_curve.delta(mu, epsilon))
    return -math.expm1(epsilon) + math.exp(epsilon) * float(gaussian_curve.delta(mu, -epsilon))


def _with_coins(mu: float, coins: list[float], epsilon: float) -> float:
    """The exact delta of G_mu with randomised responses: a mixture over the sums of their losses."""
    if not coins:
        return _gaussian_delta(mu, epsilon)
    first, *rest = coins
    heads = 1 / (1 + math.exp(-first))
    return heads * _with_coins(mu, rest, epsilon - first) + (1 - heads) * _with_coins(mu, rest, epsilon + first)


@pytest.mark.parametrize(("mu", "coins"), [(1.0, [0.5]), (0.3, [0.2, 0.7]), (2.0, [1.0, 1.0, 1.0]), (1e-3, [1e-3])])
def test_gaussian_with_pure_against_the_exact_mixture(mu: float, coins: list[float]) -> None:
    together = compose(GaussianDP(mu), *map(PureDP, coins))
    for epsilon in [e * (mu + sum(coins)) for e in EPSILONS]:
        exact = _with_coins(mu, coins, epsilon)
        found = together.delta(epsilon)
        assert exact <= found <= exact + 2e-7
        if exact > 1e-9:
            assert found <= exact * 1.001
    # The curve is the same statement.
    alpha = np.geomspace(1e-6, 1, 400)
    lines = np.max(
        [1 - together.delta(e) - math.exp(e) * alpha for e in np.linspace(0, 10 * (mu + sum(coins)), 300)], axis=0
    )
    assert np.max(lines - together.tradeoff()(alpha)) < 1e-6


def test_epsilon_is_the_inverse_of_delta() -> None:
    together = compose(GaussianDP(1), PureDP(0.5))
    for delta in (0.3, 1e-3, 1e-6, 1e-10):
        epsilon = together.epsilon(delta)
        assert together.delta(epsilon) <= delta
        assert together.delta(epsilon * (1 - 1e-9)) >= delta * (1 - 1e-6)
    assert together.epsilon(1e-6) == pytest.approx(5.28668, abs=2e-4)
    assert together.epsilon(0.5) == 0
    assert together.epsilon(0.0) == math.inf
    assert together.epsilon([1e-3, 1e-6]).shape == (2,)
    assert compose(PureDP(0.5), TradeOff.laplace(0.25)).epsilon(0.0) == 0.75


@pytest.mark.parametrize("gaussians", [1, 5])
def test_against_dp_accounting_with_its_own_mechanisms(gaussians: int) -> None:
    step = 1e-4
    theirs = reference.from_gaussian_mechanism(
        1.0, value_discretization_interval=step, use_connect_dots=True
    ).self_compose(gaussians)
    theirs = theirs.compose(
        reference.from_laplace_mechanism(2.0, value_discretization_interval=step, use_connect_dots=True).self_compose(5)
    )
    ours = compose(*[GaussianDP(1)] * gaussians, *[TradeOff.laplace(0.5)] * 5)
    for epsilon in EPSILONS:
        assert ours.delta(epsilon) == pytest.approx(theirs.get_delta_for_epsilon(epsilon), abs=3e-7)
    read = TradeOff.from_pld(theirs)
    alpha = np.array([0.001, 0.05, 0.3, 0.7, 0.99])
    np.testing.assert_allclose(read(alpha), ours.tradeoff()(alpha), atol=1e-6)
    assert read.delta(1.0) == pytest.approx(theirs.get_delta_for_epsilon(1.0), abs=1e-6)


@pytest.mark.parametrize("scale", [4.0, 1.0, 0.3])
def test_a_laplace_table_with_itself(scale: float) -> None:
    """Two tables are four shifted coordinates: the same as four one-coordinate releases."""
    one = compose(TradeOff.laplace_table(scale), TradeOff.laplace_table(scale))
    other = compose(*[TradeOff.laplace(1 / scale)] * 4)
    for epsilon in EPSILONS:
        assert one.delta(epsilon) == pytest.approx(other.delta(epsilon), abs=1e-6)
    assert one.bayes_factor() == pytest.approx(math.exp(4 / scale), rel=1e-12)
    assert one.delta(4 / scale) == 0
    assert one.epsilon(0.0) == pytest.approx(4 / scale)
    assert PureDP(4 / scale).delta(2 / scale) > one.delta(2 / scale)  # tighter than by the sum of epsilon


def test_reading_a_distribution_gives_back_a_known_curve() -> None:
    alpha = np.array([1e-4, 0.05, 0.3, 0.5, 0.9])
    for pld, curve in [
        (reference.from_gaussian_mechanism(0.5, use_connect_dots=True), TradeOff.gaussian(2)),
        (reference.from_laplace_mechanism(1.0, use_connect_dots=True), TradeOff.laplace(1)),
        (
            reference.from_privacy_parameters(reference.common.DifferentialPrivacyParameters(1.0, 0.01)),
            TradeOff.approx_dp(1, 0.01),
        ),
    ]:
        read = TradeOff.from_pld(pld)
        assert np.all(read(alpha) <= curve(alpha) + 1e-12)
        np.testing.assert_allclose(read(alpha), curve(alpha), atol=2e-4)
        assert read.fixed_point == pytest.approx(curve.fixed_point, abs=1e-4)
        assert read.inverse() is read
        assert np.all(np.diff(read(np.linspace(0, 1, 1001)), 2) >= -1e-10)
    unbounded = reference.PrivacyLossDistribution.create_from_rounded_probability({0: 0.0}, 1.0, 1e-4)
    assert TradeOff.from_pld(unbounded)(0.05) == 0


def test_mixtures_with_zero_concentrated_and_approximate() -> None:
    together = compose(ZeroConcentratedDP(0.125), GaussianDP(0.5))
    # Gaussian noise is (mu^2/2)-zCDP, so what holds for all zCDP mechanisms is no better than for two Gaussians.
    for epsilon in EPSILONS:
        assert together.delta(epsilon) >= GaussianDP(math.sqrt(0.5)).delta(epsilon) * (1 - 1e-9)
    assert together.mu == math.inf
    with pytest.raises(NotAvailable, match="implies no mu-GDP"):
        together.to_gaussian()
    leaky = compose(ApproxDP(1, 1e-5), GaussianDP(1))
    assert leaky.epsilon(1e-5) == math.inf
    assert math.isfinite(leaky.epsilon(2e-5))
    assert leaky.delta(1e5) >= 1e-5
    assert leaky.mu == math.inf


def test_the_level_holds_and_so_does_the_order() -> None:
    together = compose(GaussianDP(1), PureDP(0.5), TradeOff.laplace_table(2))
    mu = math.sqrt(1 + PureDP(0.5).to_gaussian().mu ** 2 + TradeOff.laplace_table(2).mu ** 2)
    assert together.mu == pytest.approx(mu, rel=1e-12)
    assert together.mu >= mu * (1 - 1e-15)
    assert together.tradeoff().dominates(TradeOff.gaussian(together.mu))
    assert together.to_gaussian() == GaussianDP(together.mu)
    assert together <= GaussianDP(together.mu)
    assert together <= ApproxDP(together.epsilon(1e-6), 1e-6)
    assert not together <= ApproxDP(1, 1e-6)
    assert not together <= PureDP(100)
    assert together <= ZeroConcentratedDP(1.085)  # 1/2 + tanh(1/4)/2 + tanh(1/2)
    assert not together <= ZeroConcentratedDP(1.084)
    assert GaussianDP(1).tradeoff().dominates(together.tradeoff())
    assert together.max_power(0.05) >= GaussianDP(1).max_power(0.05)


def test_what_a_composition_is() -> None:
    together = compose(GaussianDP(1), PureDP(0.5))
    assert isinstance(together, Composed)
    assert together == compose(GaussianDP(1), PureDP(0.5))
    assert hash(together) == hash(compose(GaussianDP(1), PureDP(0.5)))
    assert repr(together) == "Composed(parts=(GaussianDP(mu=1.0), PureDP(epsilon=0.5)))"
    assert compose(together, PureDP(0.25)) == compose(GaussianDP(1), PureDP(0.5), PureDP(0.25))
    assert together.group(2) == compose(GaussianDP(2), PureDP(1))
    for refused in (together.to_dict, lambda: together.exact):
        with pytest.raises(NotAvailable):
            refused()
    with pytest.raises(NotAvailable, match="groups"):
        compose(GaussianDP(1), TradeOff.laplace(1)).group(2)
    assert together.bayes_factor() == math.inf
    assert compose(PureDP(0.5), TradeOff.laplace(0.25)).bayes_factor(classical=True) == pytest.approx(math.exp(1.5))


def test_curves_of_guarantees_are_those_guarantees() -> None:
    assert compose(TradeOff.gaussian(0.3), GaussianDP(0.4)) == GaussianDP(0.5)
    assert compose(TradeOff.approx_dp(0.1), PureDP(0.2)) == PureDP(0.3)
    assert compose(TradeOff.approx_dp(0.1, 1e-6), PureDP(0.2)) == ApproxDP(0.3, 1e-6)
    assert compose(TradeOff.zero_concentrated(0.1), ZeroConcentratedDP(0.2)) == ZeroConcentratedDP(0.3)
    asymmetric = TradeOff.discrete([0.5, 0.3, 0.2], [0.1, 0.2, 0.7])
    alone = compose(asymmetric).tradeoff()
    grid = np.linspace(0, 1, 101)
    np.testing.assert_allclose(alone(grid), asymmetric.symmetrized()(grid), atol=1e-4)
    assert np.all(alone(grid) <= asymmetric.symmetrized()(grid) + 1e-12)


@pytest.mark.parametrize(
    "parts",
    [
        (GaussianDP(1e-6), PureDP(1e-6)),
        (GaussianDP(50), PureDP(1)),
        (GaussianDP(50), PureDP(500)),
        (GaussianDP(1e-6), PureDP(50)),
        (GaussianDP(1), *[TradeOff.laplace(0.01)] * 1000),
    ],
    ids=str,
)
def test_extreme_sizes(parts: tuple[object, ...]) -> None:
    together = compose(*parts)  # type: ignore[arg-type]
    assert math.isfinite(together.mu)
    f = together.tradeoff()
    beta = f(np.linspace(0, 1, 101))
    assert np.all((beta >= 0) & (beta <= 1))
    epsilon = together.epsilon(1e-6)
    assert math.isfinite(epsilon)
    assert together.delta(epsilon) <= 1e-6
    assert together.epsilon(1e-6) <= together.to_gaussian().epsilon(1e-6)


def test_without_dp_accounting_closed_forms_work_and_mixtures_say_what_to_install() -> None:
    code = (
        "import sys; sys.modules['dp_accounting'] = None\n"
        "from discreet.privacy import GaussianDP, PureDP, TradeOff, compose\n"
        "from discreet.errors import MissingExtra\n"
        "assert compose(GaussianDP(.3), GaussianDP(.4)) == GaussianDP(.5)\n"
        "TradeOff.gaussian_shift([1], [[1]]), TradeOff.discrete([1], [1])\n"
        "try: compose(GaussianDP(1), PureDP(1))\n"
        "except MissingExtra as missing: print(missing)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'discreet[accounting]'" in done.stdout
    assert issubclass(MissingExtra, ImportError)


def test_bad_input() -> None:
    for bad in ((), (1.0,), (PureDP(1), "x")):
        with pytest.raises(InvalidInput, match="one or more"):
            compose(*bad)  # type: ignore[arg-type]
