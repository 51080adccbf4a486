"""Gaussian shifts: Theorem A.3 with a covariance of one's own, singular covariances, and what is not private at all."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import optimize, stats

from discreet.errors import InvalidInput
from discreet.privacy import TradeOff

COVARIANCE = np.array([[2.0, 0.6, -0.3], [0.6, 1.5, 0.4], [-0.3, 0.4, 1.0]])
SHIFT = np.array([1.0, -0.5, 0.7])


def test_only_the_mahalanobis_distance_counts() -> None:
    matrix, d = mp.matrix(COVARIANCE.tolist()), mp.matrix(SHIFT.tolist())
    distance = mp.sqrt((d.T * mp.inverse(matrix) * d)[0])
    f = TradeOff.gaussian_shift(SHIFT, COVARIANCE)
    assert f.mu == pytest.approx(float(distance), rel=1e-14)
    assert f(0.05) == pytest.approx(float(stats.norm.cdf(-stats.norm.ppf(0.05) - float(distance))), abs=1e-14)


def test_no_direction_tests_better_and_one_tests_as_well() -> None:
    """The oracle without the theorem: a linear test w'x has the power of N(0, w'Sw) against its shift w'd."""
    f = TradeOff.gaussian_shift(SHIFT, COVARIANCE)

    def miss(w: np.ndarray) -> float:
        return float(stats.norm.sf(w @ SHIFT / math.sqrt(w @ COVARIANCE @ w) + stats.norm.ppf(0.05)))

    directions = np.random.default_rng(5).normal(size=(2000, 3))
    assert min(map(miss, directions)) >= f(0.05) - 1e-14
    best = optimize.minimize(miss, SHIFT, tol=1e-14)
    assert best.fun == pytest.approx(f(0.05), abs=1e-10)


def test_a_shift_in_the_range_of_a_singular_covariance() -> None:
    p, sd = 7, 1.7
    projector = np.eye(p) - 1 / p
    shift = np.zeros(p)
    shift[[1, 4]] = 1, -1
    projected = TradeOff.gaussian_shift(shift, sd**2 * projector)
    assert projected.mu == pytest.approx(math.sqrt(2) / sd, rel=1e-13)  # the projection costs nothing
    assert projected.mu == pytest.approx(TradeOff.gaussian_shift(shift, sd**2 * np.eye(p)).mu, rel=1e-13)


def test_a_shift_that_leaves_the_range_is_seen() -> None:
    projector = np.eye(4) - 0.25
    for shift, covariance in [
        ([1, 0, 0, 0], projector),
        ([1, -1, 0, 1e-6], projector),
        ([0, 1], [[1, 0], [0, 0]]),
        ([1.0], [[0.0]]),
    ]:
        f = TradeOff.gaussian_shift(shift, covariance)
        assert f.mu == math.inf
        np.testing.assert_array_equal(f([0.0, 0.05, 1.0]), 0)
        assert f.delta(3.0) == 1
    assert TradeOff.gaussian_shift([1, 0], [[1, 0], [0, 0]]).mu == pytest.approx(1)


def test_no_shift_is_perfectly_private() -> None:
    for covariance in (np.eye(2), np.zeros((2, 2))):
        f = TradeOff.gaussian_shift([0, 0], covariance)
        assert f.mu == 0
        assert f(0.3) == pytest.approx(0.7)


def test_very_different_sizes_are_not_taken_for_singular() -> None:
    f = TradeOff.gaussian_shift([1e6, 1e-6], np.diag([1e12, 1e-12]))
    assert f.mu == pytest.approx(math.sqrt(2), rel=1e-12)


def test_one_coordinate_and_extreme_levels() -> None:
    for mu in (1e-6, 1e-3, 50.0, 400.0):
        f = TradeOff.gaussian_shift([mu], [[1.0]])
        assert f.mu == pytest.approx(mu, rel=1e-14)
        assert 0 <= f(0.05) <= 0.95


@pytest.mark.parametrize(
    ("shift", "covariance", "words"),
    [
        ([1, 2], np.eye(3), "shape"),
        (1.0, np.eye(1), "shape"),
        ([], np.zeros((0, 0)), "shape"),
        ([1, math.nan], np.eye(2), "finite"),
        ([1, 1], [[1, 0.5], [0.4, 1]], "symmetric"),
        ([1, 1], [[1, 2], [2, 1]], "non-negative definite"),
        ([1, 1], [[-1, 0], [0, 1]], "non-negative definite"),
        ([1, 1, 1], [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]], "non-negative definite"),
        ([501.0], [[1.0]], "beyond 500"),
        (["a"], [[1.0]], "numbers"),
    ],
)
def test_bad_input(shift: object, covariance: object, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        TradeOff.gaussian_shift(shift, covariance)  # type: ignore[arg-type]
