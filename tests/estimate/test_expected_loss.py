"""Exact expected losses: printed numbers, 13 digits against mpmath, and simulations.

A simulated mean squared error is compared within 5.5 standard errors: a false alarm in about 4e-8 of the cases each, and
below 1e-6 for all of them together.
"""

import time

import mpmath
import numpy as np
import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.estimate import JamesStein, expected_loss
from discreet.estimate.expected_loss import kummer
from discreet.noise import Gaussian, Laplace, ProjectedGaussian

RJS = JamesStein("average", basis="helmert", rank_deficient=True)
RJSZ = JamesStein("average", rank_deficient=True)


def at_distance(p, tau, toward):
    """A vector with squared distance tau from its target."""
    direction = np.zeros(p)
    direction[:2] = (1.0, 0.0) if toward == "zero" else (np.sqrt(0.5), -np.sqrt(0.5))
    return direction * np.sqrt(tau)


@pytest.mark.parametrize(
    ("toward", "p", "losses"),
    [
        ("zero", 3, (2, 2.2752215410, 2.8842949111, 2.9898968384)),
        ("zero", 5, (2, 2.5230061311, 4.2041345800, 4.9109092845)),
        ("zero", 10, (2, 2.7378133628, 6.2091301027, 9.3968947200)),
        ("average", 5, (3, 3.4261226389, 4.6026951788, 4.9600000000)),
        ("average", 10, (3, 3.7121673702, 6.9000432404, 9.5337724258)),
    ],
)
def test_the_printed_losses(toward, p, losses):
    for tau, loss in zip((0, 1, 10, 100), losses, strict=True):
        assert expected_loss(at_distance(p, tau, toward), 1.0, JamesStein(toward)) == pytest.approx(loss, abs=6e-11)
        theta = 3.0 * at_distance(p, tau, toward)
        assert expected_loss(theta, 3.0, JamesStein(toward)) == pytest.approx(9 * loss, abs=6e-10)


def test_the_printed_losses_of_the_rank_deficient_estimator():
    theta, sd = [30, 20, 10, 25, 15, 0, 50], np.sqrt(2)
    assert expected_loss(theta, sd, RJS) == pytest.approx(11.97642619, abs=6e-9)
    average = expected_loss(theta, sd, JamesStein("average"))
    assert expected_loss(theta, sd, RJSZ) == pytest.approx(average - 2, rel=1e-13)  # exactly one sigma^2 less
    assert expected_loss(theta, sd, JamesStein("zero", rank_deficient=True)) == expected_loss(theta, sd, RJSZ)


@pytest.mark.parametrize(
    ("p", "threshold"),
    [(5, 3.187249), (6, 7.547678), (8, 21.713759), (10, 43.778129), (20, 273.894766), (50, 2163.959184)],
)
def test_where_shrinking_toward_the_average_beats_the_projection(p, threshold):
    for tau, better in ((threshold - 2e-6, True), (threshold + 2e-6, False)):
        shrunk = expected_loss(at_distance(p, tau, "average"), 1.0, JamesStein("average"))
        assert (shrunk < p - 1) is better


def test_for_four_cells_the_projection_always_wins():
    assert expected_loss(at_distance(4, 0, "average"), 1.0, JamesStein("average")) == 3.0
    assert expected_loss(at_distance(4, 0.01, "average"), 1.0, JamesStein("average")) > 3.0


def test_shrinkage_is_always_better():
    """Theorems 5 and 6: for every table, with p >= 3, 4 and 5 cells."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        p, scale = int(rng.integers(5, 40)), 10.0 ** rng.uniform(-3, 4)
        theta = rng.standard_exponential(p) * scale
        assert expected_loss(theta, 1.0, JamesStein()) < p
        assert expected_loss(theta, 1.0, JamesStein("average")) < p
        assert expected_loss(theta, 1.0, RJS) < expected_loss(theta, 1.0, "rank-deficient") == p - 1


def reference_kummer(c, m):
    with mpmath.workdps(40):
        c, m = mpmath.mpf(c), mpmath.mpf(m)
        if m < 1e4:
            return mpmath.hyp1f1(1, c, -m)
        # (c - 1) int exp(-(c - 1) s - m (1 - e^-s)) ds
        ends = [mpmath.mpf(k) / (c - 1 + m) for k in (0, 5, 20, 60, 150)]
        return (c - 1) * mpmath.quad(lambda s: mpmath.exp(-(c - 1) * s - m * (1 - mpmath.exp(-s))), ends)


@pytest.mark.parametrize("k", [3, 4, 5, 9, 49, 1000, 10**6])
def test_thirteen_digits_from_a_distance_of_nothing_to_1e12(k):
    for tau in (0.0, 1e-12, 1e-3, 1.0, 7.0, 30.0, 60.0, 130.0, 1e3, 1e6, 1e9, 1e12):
        reference = reference_kummer(0.5 * k, 0.5 * tau)
        assert abs(float(kummer(0.5 * k, 0.5 * tau)) / reference - 1) < 1e-14
        with mpmath.workdps(40):
            risk = 2 + (k - 2) * (1 - reference)
        theta = np.zeros(k)
        theta[0] = np.sqrt(tau)
        assert abs(expected_loss(theta, 1.0, JamesStein()) / risk - 1) < 1e-13


def test_the_closed_form_in_four_dimensions():
    tau = np.array([0.1, 1.0, 5.0, 50.0])
    np.testing.assert_allclose(kummer(2.0, tau / 2), 2 * -np.expm1(-tau / 2) / tau, rtol=1e-14)


def test_losses_without_shrinkage():
    theta = np.ones((2, 5))
    assert expected_loss(theta, 3.0, "gaussian") == 90
    assert expected_loss(theta, 3.0, "rank-deficient") == 81
    assert expected_loss(theta, 3.0, "laplace") == 180


@pytest.mark.parametrize("sd", [np.sqrt(2) / 50, np.sqrt(2) / 1e-6])
def test_the_whole_range_of_mu_is_finite(sd):
    theta = np.array([1e6, 0, 3, 4, 5, 6])
    for estimator in (JamesStein(), JamesStein("average"), RJS, RJSZ):
        assert 2 * sd**2 <= expected_loss(theta, sd, estimator) <= 6 * sd**2


def test_far_distances_do_not_overflow():
    assert expected_loss(np.array([1e200, 0, 0, 0, 0]), 1.0, JamesStein()) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("theta", "sd", "estimator", "message"),
    [
        ([1.0] * 5, 1.0, "JS", "'rank-deficient', 'laplace' or a JamesStein"),
        ([1.0] * 5, 1.0, None, "a name or a JamesStein"),
        ([1.0] * 5, 0.0, "gaussian", "above 0"),
        ([1.0] * 5, 1e-200, "gaussian", "range of floats"),
        ([1.0, np.nan], 1.0, "gaussian", "finite"),
        (["x"], 1.0, "gaussian", "array of numbers"),
        ([1.0] * 2, 1.0, JamesStein(), "at least 3 cells"),
        ([1.0] * 3, 1.0, JamesStein("average"), "at least 4 cells"),
        ([1.0] * 3, 1.0, RJSZ, "at least 4 cells"),
        ([1.0] * 4, 1.0, RJS, "at least 5 cells"),
        ([1.0] * 5, 1.0, JamesStein("average", basis="helmert"), "leave out basis="),
    ],
)
def test_bad_input(theta, sd, estimator, message):
    with pytest.raises(InvalidInput, match=message):
        expected_loss(theta, sd, estimator)


def test_the_positive_part_has_no_such_formula():
    with pytest.raises(NotAvailable, match="plain estimator"):
        expected_loss([1.0] * 5, 1.0, JamesStein(positive_part=True))


THETA = np.array([30.0, 20.0, 10.0, 25.0, 15.0, 0.0, 50.0])


@pytest.mark.parametrize("sd", [2.0, 14.0, 60.0])
@pytest.mark.parametrize(
    ("law", "estimator"),
    [
        (Gaussian, JamesStein()),
        (Gaussian, JamesStein("average")),
        (ProjectedGaussian, RJSZ),
        (ProjectedGaussian, RJS),
        (Gaussian, "gaussian"),
        (ProjectedGaussian, "rank-deficient"),
        (Laplace, "laplace"),
    ],
    ids=str,
)
def test_simulated_losses(law, sd, estimator):
    noise = law(sd).on((7,))
    noisy = THETA + noise.sample(200_000, np.random.default_rng(7))
    estimate = noisy if isinstance(estimator, str) else estimator.shrink(noisy, noise)
    losses = ((estimate - THETA) ** 2).sum(-1)
    error = losses.std() / np.sqrt(losses.size)
    assert abs(losses.mean() - expected_loss(THETA, sd, estimator)) < 5.5 * error


def test_a_million_cells_take_a_moment():
    """Below 50 ms on an idle core (benchmarks/shrinkage.py); here only that nothing is quadratic."""
    theta = np.random.default_rng(0).integers(0, 200, 10**6)
    start = time.perf_counter()
    losses = [expected_loss(theta, 14.0, estimator) for estimator in (JamesStein(), JamesStein("average"), RJS)]
    assert time.perf_counter() - start < 5
    assert all(2 * 196 < loss < 196e6 for loss in losses)
