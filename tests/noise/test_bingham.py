"""The Bingham sampler against closed forms, importance sampling and the von Mises law; the usual mistake is found.

All draws are from fixed seeds; the margins are five standard errors, a false alarm of 6e-7 for each number.
"""

import time

import numpy as np
import pytest
from scipy import special, stats

from discreet.errors import InvalidInput
from discreet.noise import bingham
from discreet.noise.bingham import _envelope, bingham_each

SIZE = 60_000


def second_moments(directions):
    """Means of u_i^2 and their standard errors."""
    squares = directions**2
    return squares.mean(0), squares.std(0) / np.sqrt(len(squares))


def agrees(directions, expected):
    mean, error = second_moments(directions)
    return bool((np.abs(mean - expected) <= 5 * error + 6e-6).all())


@pytest.mark.parametrize(("kappa", "expected"), [(0.5, 0.56202), (2.0, 0.72319), (10.0, 0.94669), (50.0, 0.98990)])
def test_two_dimensions(kappa, expected):
    exact = 0.5 * (1 + special.ive(1, kappa / 2) / special.ive(0, kappa / 2))
    assert exact == pytest.approx(expected, abs=6e-6)
    assert agrees(bingham(np.diag([kappa, 0.0]), SIZE, np.random.default_rng(1)), [exact, 1 - exact])


@pytest.mark.parametrize(
    ("diagonal", "expected"),
    [
        ([3, 1, 0], [0.57456, 0.24674, 0.17870]),
        ([20, 5, 0], [0.93959, 0.03468, 0.02573]),
        ([20, 19, 0], [0.60271, 0.37180, 0.02549]),
    ],
)
def test_three_dimensions(diagonal, expected):
    assert agrees(bingham(np.diag(diagonal).astype(float), SIZE, np.random.default_rng(2)), expected)


def test_the_angle_in_two_dimensions_is_half_a_von_mises_angle():
    angle, kappa = 0.7, 5.0
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    drawn = bingham(rotation @ np.diag([kappa, 0]) @ rotation.T, SIZE, np.random.default_rng(3))
    doubled = 2 * (np.arctan2(drawn[:, 1], drawn[:, 0]) - angle)
    wrapped = (doubled + np.pi) % (2 * np.pi) - np.pi
    assert stats.kstest(wrapped, stats.vonmises(kappa / 2).cdf).pvalue > 1e-6
    assert stats.kstest(wrapped, stats.vonmises(1.1 * kappa / 2).cdf).pvalue < 1e-6


@pytest.mark.parametrize("d", [5, 10])
def test_by_importance_sampling(d):
    """Self-normalised weights on uniform directions; five times the joint standard error of both estimates."""
    rng = np.random.default_rng(d)
    root = rng.normal(size=(d, d))
    matrix = root @ root.T * 3 / d
    uniform = rng.normal(size=(400_000, d))
    uniform /= np.linalg.norm(uniform, axis=1, keepdims=True)
    weights = np.exp(np.einsum("ki,ij,kj->k", uniform, matrix, uniform))
    weights /= weights.sum()
    expected = weights @ uniform**2
    error = np.sqrt((weights[:, None] ** 2 * (uniform**2 - expected) ** 2).sum(0))
    mean, own = second_moments(bingham(matrix, SIZE, rng))
    assert (np.abs(mean - expected) <= 5 * np.hypot(error, own)).all()
    assert np.abs(mean - 1 / d).max() > 20 * own.max()  # far from uniform, so there is something to find


def divided_instead(diagonal, size, rng):
    """The sampler with (u'Wu)^(d/2) in the denominator of the acceptance, as it has been published: exp(-u'Au)(u'Wu)^-d."""
    gaps = max(diagonal) - np.asarray(diagonal, float)
    d, b = gaps.size, float(_envelope(gaps[None])[0, 0])
    found = []
    while sum(map(len, found)) < size:
        y = rng.normal(size=(size, d)) / np.sqrt(1 + 2 * gaps / b)
        u = y / np.linalg.norm(y, axis=1, keepdims=True)
        bent = (u**2) @ gaps
        found.append(u[rng.random(size) < np.exp(-bent) * (1 + 2 * bent / b) ** (-d / 2)])
    return np.concatenate(found)[:size]


def test_the_acceptance_turned_upside_down_is_found():
    wrong = divided_instead([2.0, 0.0], SIZE, np.random.default_rng(4))
    assert second_moments(wrong)[0][0] == pytest.approx(0.8974, abs=0.005)  # instead of .72319
    assert not agrees(wrong, [0.72319, 1 - 0.72319])
    assert not agrees(divided_instead([3.0, 1.0, 0.0], SIZE, np.random.default_rng(5)), [0.57456, 0.24674, 0.17870])


def test_a_batch_has_the_law_of_each_of_its_matrices():
    matrices = np.empty((2, SIZE, 2, 2))
    matrices[0], matrices[1] = np.diag([2.0, 0.0]), np.diag([0.0, 10.0])
    drawn = bingham_each(matrices, np.random.default_rng(6))
    assert drawn.shape == (2, SIZE, 2)
    assert agrees(drawn[0], [0.72319, 0.27681])
    assert agrees(drawn[1], [0.05331, 0.94669])


def test_both_signs_and_unit_length():
    drawn = bingham(np.diag([9.0, 1.0, 0.0]), SIZE, np.random.default_rng(7))
    assert np.linalg.norm(drawn, axis=1) == pytest.approx(1, abs=1e-14)
    assert (np.abs(drawn.mean(0)) <= 5 * drawn.std(0) / np.sqrt(SIZE)).all()
    assert set(np.unique(bingham([[3.0]], 100, np.random.default_rng(8)))) == {-1.0, 1.0}


@pytest.mark.parametrize("d", [2, 10, 50])
@pytest.mark.parametrize("concentration", [0.0, 1e-300, 1.0, 1e3, 1e12])
def test_the_envelope_and_extreme_matrices(d, concentration):
    gaps = np.sort(np.random.default_rng(d).random((20, d)), -1) * concentration
    gaps -= gaps[:, :1]
    b = _envelope(gaps)
    assert ((b >= 1) & (b <= d)).all()
    assert (1 / (b + 2 * gaps)).sum(-1) == pytest.approx(1, abs=1e-9)
    drawn = bingham_each(-gaps[:, None, :] * np.eye(d), np.random.default_rng(9))
    assert np.linalg.norm(drawn, axis=1) == pytest.approx(1, abs=1e-12)


def test_many_matrices_of_ten_columns_in_no_time():
    """2,000 concentrated matrices, one direction each; measured .02 s, so a loop over matrices would show."""
    matrices = np.random.default_rng(10).normal(size=(2000, 10, 10))
    matrices = 100 * (matrices + np.swapaxes(matrices, 1, 2))
    start = time.process_time()
    bingham_each(matrices, np.random.default_rng(11))
    assert time.process_time() - start < 1


def test_bad_input():
    rng = np.random.default_rng(1)
    for matrix, message in (
        ([1.0, 2.0], "square"),
        (np.zeros((2, 3)), "square"),
        (np.zeros((0, 0)), "square"),
        ([[1.0, 2.0], [0.0, 1.0]], "symmetric"),
        ([[np.nan]], "finite"),
        (np.zeros((4, 2, 2)), "one matrix"),
    ):
        with pytest.raises(InvalidInput, match=message):
            bingham(matrix, 3, rng)
    for size in (-1, 2.5, True):
        with pytest.raises(InvalidInput, match="size"):
            bingham(np.eye(2), size, rng)
    assert bingham(np.eye(3), 0, rng).shape == (0, 3)
    assert bingham_each(np.zeros((0, 3, 3)), rng).shape == (0, 3)
