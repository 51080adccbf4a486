"""Curves with corners: Neyman and Pearson against brute force, inverse, symmetrisation, convexity, mu."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import special

from discreet.errors import InvalidInput
from discreet.privacy import TradeOff

P, Q = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.05, 0.25, 0.3, 0.4])
GRID = np.linspace(0, 1, 201)


def _random(seed: int, outcomes: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(outcomes)), rng.dirichlet(np.ones(outcomes))


@pytest.mark.parametrize("seed", range(6))
def test_no_test_on_the_outcomes_does_better(seed: int) -> None:
    p, q = _random(seed)
    f = TradeOff.discrete(p, q)
    errors = np.array(
        [(p[list(r)].sum(), 1 - q[list(r)].sum()) for k in range(7) for r in itertools.combinations(range(6), k)]
    )
    assert np.all(errors[:, 1] >= f(np.minimum(errors[:, 0], 1)) - 1e-12)
    # The curve is their lower convex hull: each line that lies below all errors lies below the curve, and some touch.
    for epsilon in (0.0, 0.3, 1.0, 2.5):
        best = float((1 - errors[:, 1] - math.exp(epsilon) * errors[:, 0]).max())
        assert f.delta(epsilon) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_shape_and_inverse(seed: int) -> None:
    p, q = _random(seed)
    f, g = TradeOff.discrete(p, q), TradeOff.discrete(q, p)
    assert np.all(np.diff(f(GRID), 2) >= -1e-12)
    assert np.all(f(GRID) <= 1 - GRID + 1e-12)
    np.testing.assert_allclose(f.inverse()(GRID), g(GRID), atol=1e-12)
    np.testing.assert_allclose(f.inverse().inverse()(GRID), f(GRID), atol=1e-12)
    np.testing.assert_allclose(f.power(GRID), 1 - f(GRID), atol=1e-12)
    assert f(f.fixed_point) == pytest.approx(f.fixed_point, abs=1e-12)
    assert not np.allclose(f(GRID), g(GRID), atol=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_symmetrisation_is_the_lower_hull_of_both_directions(seed: int) -> None:
    p, q = _random(seed)
    f, g = TradeOff.discrete(p, q), TradeOff.discrete(q, p)
    s = f.symmetrized()
    np.testing.assert_allclose(s.inverse()(GRID), s(GRID), atol=1e-12)
    assert f.dominates(s)
    assert g.dominates(s)
    assert np.all(np.diff(s(GRID), 2) >= -1e-12)
    for epsilon in (0.0, 0.4, 1.5):  # of the highest such curve, the touching lines are those of the lower of the two
        assert s.delta(epsilon) == pytest.approx(max(f.delta(epsilon), g.delta(epsilon)), abs=1e-12)


def test_symmetric_curves_are_their_own() -> None:
    for f in (TradeOff.gaussian(1), TradeOff.laplace(1), TradeOff.laplace_table(2), TradeOff.approx_dp(1, 0.1)):
        assert f.inverse() is f
        assert f.symmetrized() is f


def test_randomised_response_and_the_lowest_curves() -> None:
    a = float(special.expit(-1.0))
    f = TradeOff.discrete([1 - a, a], [a, 1 - a])
    pure = TradeOff.approx_dp(1.0)
    np.testing.assert_allclose(f(GRID), pure(GRID), atol=1e-14)
    assert f.mu == pytest.approx(pure.mu, rel=1e-11)
    assert f.mu >= pure.mu
    leaky = TradeOff.discrete([0.1, 0.9 * (1 - a), 0.9 * a, 0.0], [0.0, 0.9 * a, 0.9 * (1 - a), 0.1])
    np.testing.assert_allclose(leaky(GRID), TradeOff.approx_dp(1.0, 0.1)(GRID), atol=1e-14)
    assert leaky.mu == math.inf
    assert leaky.fixed_point == pytest.approx(0.9 * a, rel=1e-13)


@pytest.mark.parametrize("mu", [0.01, 1.0, 3.0])
def test_a_finely_cut_gaussian_is_nearly_gaussian(mu: float) -> None:
    """Also its mu, which the tails would spoil if one probability were taken from its complement."""
    edges = np.linspace(-12, 12 + mu, 4001)

    def cut(mean: float) -> np.ndarray:
        upper = special.ndtr(edges[:-1] - mean) < 0.5
        lower_tails, upper_tails = special.ndtr(edges - mean), special.ndtr(mean - edges)
        return np.where(upper, np.diff(lower_tails), -np.diff(upper_tails))

    f = TradeOff.discrete(cut(0.0), cut(mu))
    np.testing.assert_allclose(f(GRID), TradeOff.gaussian(mu)(GRID), atol=3e-5)
    assert f.mu == pytest.approx(mu, rel=1e-2)
    assert np.all(f(GRID) >= TradeOff.gaussian(mu)(GRID) - 1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_mu_is_the_smallest_that_holds(seed: int) -> None:
    f = TradeOff.discrete(*_random(seed))
    alpha = np.concatenate([np.geomspace(1e-10, 0.5, 20_000), 1 - np.geomspace(1e-10, 0.5, 20_000)])
    assert np.min(f(alpha) - TradeOff.gaussian(f.mu)(alpha)) >= -1e-14
    assert np.min(f(alpha) - TradeOff.gaussian(0.999 * f.mu)(alpha)) < 0
    assert f.dominates(TradeOff.gaussian(f.mu))


def test_identical_and_disjoint_laws() -> None:
    same, apart = TradeOff.discrete(P, P), TradeOff.discrete([1, 0], [0, 1])
    np.testing.assert_allclose(same(GRID), 1 - GRID, atol=1e-14)
    assert same.mu == pytest.approx(0, abs=1e-15)
    np.testing.assert_array_equal(apart(GRID), 0)
    assert apart.mu == math.inf
    assert apart.fixed_point == 0
    assert apart.delta(5.0) == 1


def test_an_asymmetric_curve_is_compared_in_both_directions() -> None:
    f = TradeOff.discrete([0.999, 0.001], [0.9999, 0.0001])
    assert f.delta(1.0) == 0
    assert f.inverse().delta(1.0) > 0
    assert not f.dominates(TradeOff.approx_dp(1.0))
    assert f.dominates(TradeOff.approx_dp(math.log(10) + 1e-9))


@pytest.mark.parametrize(
    "bad", [([0.5, 0.4], [0.5, 0.5]), ([1], [0.5, 0.5]), ([2, -1], [0.5, 0.5]), ([], []), ("a", [1.0])]
)
def test_bad_input(bad: tuple[object, object]) -> None:
    with pytest.raises(InvalidInput):
        TradeOff.discrete(*bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="guarantee has one"):
        TradeOff.gaussian(1).dominates(1.0)  # type: ignore[arg-type]
