"""The joint law V = L Z against its matrix written out, against mpmath, and against simulation.

Tests that simulate use a fixed seed and accept up to 5.5 standard errors, or p above 1e-6: a false alarm for a new seed
has a probability below 1e-6 for each number compared.
"""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from discreet.errors import InvalidInput
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian, single_cell

LAWS = [
    Laplace(2.0).on((2, 3)),
    Laplace(2.0).on((2, 3), other=True),
    Gaussian(1.5).on((6,)),
    ProjectedGaussian(1.5).on((2, 3)),
    ProjectedGaussian(1.5).on((2, 3), other=True),
    Laplace(2.0).on((2, 3)).margin((0,)),
    Laplace(2.0).on((2, 3), other=True).margin((1,)),
    ProjectedGaussian(1.5).on((2, 3), other=True).margin((1,)),
    ProjectedGaussian(1.5).on((2, 3)).margin((0,)),
    JointNoise(Laplace(2.0), (2, 2), centred=True),
    JointNoise(Laplace(2.0), (2, 2), total=5, centred=True),
    JointNoise(Laplace(2.0), (3,), draws_per_cell=2, total=7, centred=True),
]


def _dense(noise: JointNoise) -> np.ndarray:
    """L = S (I - c J/M), written out."""
    p, m, total = noise.size, noise.draws_per_cell, noise.total
    summing = np.zeros((p, total))
    for i in range(p):
        summing[i, i * m : (i + 1) * m] = 1
    return summing @ (np.eye(total) - (np.ones((total, total)) / total if noise.centred else 0))


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_covariance_is_that_of_the_matrix(noise: JointNoise) -> None:
    dense = _dense(noise)
    np.testing.assert_allclose(noise.covariance, noise.law.variance * dense @ dense.T, atol=1e-12)
    np.testing.assert_allclose(noise.variance.ravel(), np.diag(noise.covariance), rtol=1e-14)
    assert noise.variance.shape == noise.shape
    assert noise.cell_sd == pytest.approx(math.sqrt(noise.covariance[0, 0]))
    if noise.size > 1:
        assert noise.common_covariance == pytest.approx(noise.covariance[0, 1], abs=1e-14)


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_mixing_and_pulling_back_are_the_matrix(noise: JointNoise) -> None:
    rng = np.random.default_rng(5)
    dense = _dense(noise)[:, : noise.dimension]
    assert not _dense(noise)[:, noise.dimension :].any()
    draws, weights = rng.normal(size=(4, noise.dimension)), rng.normal(size=(4, noise.size))
    np.testing.assert_allclose(noise.mix(draws), draws @ dense.T, atol=1e-12)
    np.testing.assert_allclose(noise.pull_back(weights), weights @ dense, atol=1e-12)
    points = rng.uniform(0.01, 0.99, (4, noise.dimension))
    np.testing.assert_allclose(noise.from_uniform(points), noise.law.ppf(points) @ dense.T, atol=1e-12)


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_simulated_covariance(noise: JointNoise) -> None:
    size = 40_000
    draws = noise.sample(size, 17).reshape(size, -1)
    assert noise.sample(3, 17).shape == (3, *noise.shape)
    products = draws[:, :, None] * draws[:, None, :]
    error = products.std(0) / math.sqrt(size)
    assert np.all(np.abs(products.mean(0) - noise.covariance) < 5.5 * error + 1e-12)


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_simulated_cells_follow_the_law_of_one_cell(noise: JointNoise) -> None:
    first = noise.sample(2000, 23).reshape(2000, -1)[:, 0]
    assert stats.kstest(first, noise.cdf).pvalue > 1e-6
    assert stats.kstest(1.5 * first, noise.cdf).pvalue < 1e-6


def test_projected_tables_keep_their_total() -> None:
    draws = ProjectedGaussian(3.0).on((3, 4)).sample(50, 1)
    np.testing.assert_allclose(draws.sum((1, 2)), 0, atol=1e-12)
    assert np.abs(ProjectedGaussian(3.0).on((3, 4), other=True).sample(50, 1).sum((1, 2))).min() > 1e-3


@pytest.mark.parametrize("m", [1, 2, 3, 10, 200])
def test_sum_of_laplace_draws_by_mpmath(m: int) -> None:
    """P(sum > x) = 1/2 - (1/pi) int sin(tx)/t (1 + t^2)^-m dt."""
    noise = Laplace(2.0).on((m, 2)).margin((1,))
    for x in (0.3, 1.0, 4.0):
        with mp.workdps(25):
            integral = mp.quad(lambda t, x=x: mp.sin(t * x) / t / (1 + t**2) ** m, mp.linspace(0, 60, 121))
            tail = (
                mp.quadosc(lambda t, x=x: mp.sin(t * x) / t / (1 + t**2) ** m, [60, mp.inf], omega=x) if m == 1 else 0
            )
            expected = mp.mpf(1) / 2 - (integral + tail) / mp.pi
        tolerance = 1e-9 if m <= 2 else 1e-12
        assert float(noise.sf(2 * x)) == pytest.approx(float(expected), abs=tolerance)
    assert noise.cdf(-2.0) == noise.sf(2.0)
    assert noise.cdf(2.0) + noise.sf(2.0) == pytest.approx(1, abs=1e-15)
    for u in (1e-9, 0.2, 0.5, 0.975):
        assert float(noise.cdf(noise.ppf(u))) == pytest.approx(u, rel=1e-9)


def _partial_fractions(coefficients: list[mp.mpf], x: float) -> mp.mpf:
    """P(sum a_j Z_j > x), Z unit Laplace, |a_j| all different: sum of P(|a_j Z| > x) prod a_j^2/(a_j^2 - a_k^2)."""
    total = mp.mpf(0)
    for j, a in enumerate(coefficients):
        weight = mp.mpf(1)
        for k, other in enumerate(coefficients):
            if k != j:
                weight *= a**2 / (a**2 - other**2)
        total += weight * mp.exp(-x / abs(a)) / 2
    return total


def test_many_draws_in_one_cell_are_inverted_as_precisely_as_they_are_summed():
    x = np.array([0.0, 1e-3, 1.0, 50.0, 400.0])
    summed = single_cell._sum_of_laplace_sf(x / 3.0, 1500)
    inverted = [single_cell._inverted_sf(Laplace(3.0), ((1.0, 1500),), v) for v in x]
    assert inverted == pytest.approx(summed, rel=1e-10)
    many = JointNoise(Laplace(3.0), (2,), draws_per_cell=10**6)
    assert many.ppf(0.975) == pytest.approx(1.959963985 * 3 * np.sqrt(2e6), rel=1e-5)  # normal by then


@pytest.mark.parametrize("noise", [law for law in LAWS if law.centred and isinstance(law.law, Laplace)], ids=str)
@pytest.mark.parametrize("x", [0.0, 0.05, 1.0, 6.0, 40.0, 300.0])
def test_centred_laplace_by_partial_fractions(noise: JointNoise, x: float) -> None:
    # Equal coefficients are split by 1e-20, which changes the law by that order; 200 digits absorb the cancellation.
    with mp.workdps(400):
        split = [
            mp.mpf(noise.law.scale) * mp.mpf(a) * (1 + mp.mpf(10) ** -20 * i)
            for a, k in noise.cell_coefficients
            for i in range(k)
        ]
        expected = float(_partial_fractions(split, x))
    assert float(noise.sf(x)) == pytest.approx(expected, rel=1e-8)
    assert float(noise.cdf(-x)) == float(noise.sf(x))


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_transforms_of_one_cell(noise: JointNoise) -> None:
    row = _dense(noise)[0]
    t = np.array([0.0, 0.1, 0.7, 3.0])
    by_draw = np.prod([noise.law.characteristic_function(a * t) for a in row], axis=0)
    np.testing.assert_allclose(noise.characteristic_function(t), by_draw, rtol=1e-12)
    s = np.array([0.0, 0.05, -0.2])
    by_draw = np.prod([noise.law.moment_generating_function(a * s) for a in row], axis=0)
    np.testing.assert_allclose(noise.moment_generating_function(s), by_draw, rtol=1e-12)
    if isinstance(noise.law, Laplace):
        assert noise.moment_generating_function(10.0) == np.inf


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_quantiles_of_one_cell(noise: JointNoise) -> None:
    for u in (1e-6, 0.025, 0.3, 0.8, 0.975):
        assert float(noise.cdf(noise.ppf(u))) == pytest.approx(u, rel=1e-7)
    assert noise.ppf(0.1) == pytest.approx(-noise.ppf(0.9), rel=1e-9)


def test_margins_are_sums_of_the_parent() -> None:
    for parent in (Laplace(1.0).on((2, 3, 4), other=True), ProjectedGaussian(1.0).on((2, 3, 4))):
        margin = parent.margin((2, 0))
        assert margin.shape == (4, 2)
        summing = np.zeros((8, 24))
        for index in np.ndindex(2, 3, 4):
            summing[index[2] * 2 + index[0], np.ravel_multi_index(index, (2, 3, 4))] = 1
        np.testing.assert_allclose(margin.covariance, summing @ parent.covariance @ summing.T, atol=1e-12)
        assert margin.margin((1,)).covariance == pytest.approx(parent.margin((0,)).covariance)
    for axes in ((), (0, 0), (3,), (-1,)):
        with pytest.raises(InvalidInput, match="margin"):
            Laplace(1.0).on((2, 3, 4)).margin(axes)


def test_large_tables_are_never_written_out() -> None:
    noise = ProjectedGaussian(1.0).on((1000, 1000))
    assert noise.cell_variance == pytest.approx(1 - 1e-6)
    with pytest.raises(InvalidInput, match="not written out"):
        _ = noise.covariance
    assert noise.pull_back(np.ones(10**6)).shape == (10**6,)


def test_bad_shapes() -> None:
    for shape in ((), (0,), (2, -1)):
        with pytest.raises(InvalidInput, match="shape"):
            JointNoise(Laplace(1.0), shape)
    with pytest.raises(InvalidInput, match="cannot fill"):
        JointNoise(Laplace(1.0), (2, 2), total=3)
