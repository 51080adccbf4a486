"""The level of a vector with Laplace noise against exact curves, by enumeration on grids."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.privacy import TradeOff, laplace_table_mu
from discreet.privacy.laplace_curve import shift_mu
from discreet.privacy.laplace_vector import laplace_vector_mu, laplace_vector_shift


def losses(grid_steps, moved):
    """One coordinate on the integers: the log-likelihood ratio in scales, and its law under both hypotheses."""
    z = np.arange(-int(50 * grid_steps), int(50 * grid_steps) + moved + 1)
    law = math.tanh(1 / (2 * grid_steps)) * np.exp(-np.abs(z) / grid_steps)
    other = math.tanh(1 / (2 * grid_steps)) * np.exp(-np.abs(z - moved) / grid_steps)
    index = np.abs(z) - np.abs(z - moved) + moved
    return np.bincount(index, law), np.bincount(index, other)


def product_curve(coordinates):
    """The exact trade-off curve of independent coordinates, each (grid steps in a scale, steps moved)."""
    p, q = np.ones(1), np.ones(1)
    for grid_steps, moved in coordinates:
        one, two = losses(grid_steps, moved)
        p, q = np.outer(p, one).ravel(), np.outer(q, two).ravel()
        positive = p > 0
        p, q = p[positive], q[positive]
    return TradeOff.discrete(p / p.sum(), q / q.sum())


def rate(grid_steps, moved):
    """The rate of the continuous curve below that of the grid."""
    return moved / grid_steps + 2 * math.log(math.cosh(1 / (2 * grid_steps)))


VECTORS = [
    [(4.0, 3)],
    [(5.0, 2), (5.0, 2)],
    [(3.0, 1), (7.5, 4)],
    [(6.0, 3), (6.0, 3), (6.0, 3)],
    [(2.0, 1), (9.0, 5), (4.0, 7)],
    [(8.0, 2)] * 6,
    [(1.5, 6), (8.0, 1), (8.0, 1)],
]


@pytest.mark.parametrize("coordinates", VECTORS, ids=lambda c: f"{len(c)} coordinates {c[0]}")
def test_both_bounds_hold(coordinates):
    exact = product_curve(coordinates)
    rates = [rate(*c) for c in coordinates]
    alpha = np.linspace(0, 1, 2001)
    assert (exact(alpha) - TradeOff.laplace(sum(rates))(alpha)).min() >= -1e-12  # one coordinate with the whole shift
    assert exact.mu <= laplace_vector_mu(rates) * (1 + 1e-9)
    # and the bound is not idle
    assert exact.mu >= 0.7 * laplace_vector_mu(rates)


def test_without_the_share_of_the_grid_the_claim_would_be_false():
    assert product_curve([(2.0, 1)]).mu > laplace_vector_mu([0.5]) * 1.01


def test_what_is_exact():
    assert laplace_vector_mu([0.8]) == pytest.approx(shift_mu(0.8), rel=1e-11)
    assert laplace_vector_mu([0.8, 0.8]) == pytest.approx(laplace_table_mu(0.8), rel=1e-8)
    # where one coordinate has nearly all of the shift, it alone decides
    assert laplace_vector_mu([6.0, 1e-6]) == pytest.approx(shift_mu(6.0), rel=1e-8)


@given(st.floats(1e-9, 100))
def test_rounding_is_to_the_safe_side(shift):
    assert laplace_table_mu(shift) <= laplace_vector_mu([shift] * 2) <= laplace_table_mu(shift) * (1 + 1e-8)


@pytest.mark.parametrize("whole", [1e-4, 0.3, 2.0, 50.0, 1e4])
def test_never_more_than_the_whole_shift_in_one_coordinate(whole):
    for parts in ([0.5] * 2, [0.1, 0.9], [1 / 7] * 7, [0.97] + [0.01] * 3):
        assert laplace_vector_mu([part * whole for part in parts]) <= shift_mu(whole) * (1 + 1e-8)


def test_many_equal_shifts_approach_the_central_limit():
    """sum of d log-likelihood ratios of shift e has mean d e^2/2: mu is about e sqrt(d) for small e, and 1.11 times is said."""
    d, e = 100, 0.01
    assert e * math.sqrt(d) < laplace_vector_mu([e] * d) < 1.12 * e * math.sqrt(d)


@pytest.mark.parametrize("mu", [1e-6, 0.1, 1.0, 6.0])
@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_the_shift_is_the_largest(mu, d):
    shift = laplace_vector_shift(mu, d)
    assert laplace_vector_mu([shift] * d) <= mu
    assert laplace_vector_mu([shift * (1 + 3e-8)] * d) > mu


def test_order():
    shifts = [0.3, 1.1, 0.02, 0.7]
    levels = {laplace_vector_mu(list(order)) for order in itertools.permutations(shifts)}
    assert len(levels) == 1
    assert laplace_vector_mu([0.3, 1.1, 0.02, 0.6]) < levels.pop()
