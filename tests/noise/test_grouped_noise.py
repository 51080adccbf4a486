"""Noise that falls apart into one block a group, against its matrix L = I_k (x) L_block written out."""

import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian

LAWS = [
    ProjectedGaussian(1.5).on((3, 2), group_axis=0),
    ProjectedGaussian(1.5).on((3, 2), other=True, group_axis=0),
    ProjectedGaussian(1.5).on((3, 2), other=True, group_axis=1),
    ProjectedGaussian(1.5).on((2, 3, 2), other=True, group_axis=1),
    Laplace(2.0).on((2, 3), other=True, group_axis=1),
    Gaussian(2.0).on((2, 3), group_axis=0),
    JointNoise(Laplace(2.0), (2, 3, 2), total=7, centred=True, group_axis=2),
]


def matrix(noise):
    """L, with the cells in row-major order and the draws of one group after the other."""
    p, m, total, k = noise.size, noise.draws_per_cell, noise.total, noise.groups
    numbers = np.arange(p).reshape(noise.shape)
    in_group = np.moveaxis(numbers, noise.group_axis, 0).reshape(k, -1) if noise.group_axis is not None else [range(p)]
    dense = np.zeros((p, k * total))
    for g, cells in enumerate(in_group):
        block = np.zeros((len(cells), total))
        for i in range(len(cells)):
            block[i, i * m : (i + 1) * m] = 1
        dense[cells, g * total : (g + 1) * total] = block @ (np.eye(total) - noise.centred / total)
    return dense


def drawn(noise, dense):
    """The columns of L that belong to the draws the cells depend on."""
    if noise.centred:
        return dense
    kept = noise.dimension // noise.groups
    return dense.reshape(noise.size, noise.groups, noise.total)[:, :, :kept].reshape(noise.size, -1)


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_everything_is_that_of_the_matrix(noise):
    dense = matrix(noise)
    np.testing.assert_allclose(noise.covariance, noise.law.variance * dense @ dense.T, atol=1e-12)
    np.testing.assert_allclose(noise.variance.ravel(), np.diag(noise.covariance), rtol=1e-13)
    assert noise.total_variance == pytest.approx(noise.covariance.sum(), abs=1e-9)
    rng = np.random.default_rng(3)
    used = drawn(noise, dense)
    assert used.shape[1] == noise.dimension
    draws, weights = rng.normal(size=(2, 4, noise.dimension)), rng.normal(size=(2, 4, noise.size))
    np.testing.assert_allclose(noise.mix(draws), draws @ used.T, atol=1e-12)
    np.testing.assert_allclose(noise.pull_back(weights), weights @ used, atol=1e-12)
    in_one_cell = sum(k * a * a for a, k in noise.cell_coefficients) * noise.law.variance
    assert in_one_cell == pytest.approx(noise.cell_variance)


@pytest.mark.parametrize("noise", LAWS, ids=str)
def test_margins_over_and_within_groups(noise):
    """The covariance of sums is the sum of covariances, whichever axes are summed."""
    axes = range(len(noise.shape))
    cells = noise.covariance.reshape(noise.shape * 2)
    keeps = [(a,) for a in axes] + [(a, b) for a in axes for b in axes if a != b]
    for kept in keeps:
        gone = tuple(a for a in axes if a not in kept)
        summed = cells.sum(gone + tuple(len(noise.shape) + a for a in gone)) if gone else cells
        rest = [a for a in axes if a in kept]
        order = [rest.index(a) for a in kept]
        summed = summed.transpose(*order, *(len(kept) + i for i in order))
        margin = noise.margin(kept)
        np.testing.assert_allclose(margin.covariance, summed.reshape(margin.size, -1), atol=1e-10)
        assert margin.group_axis == (kept.index(noise.group_axis) if noise.group_axis in kept else None)


def test_samples_have_the_stated_covariance():
    """100,000 tables, each entry within 5.5 standard errors: false alarm below 1e-6 an entry."""
    noise = ProjectedGaussian(1.5).on((2, 3), other=True, group_axis=1)
    sampled = noise.sample(100_000, 5).reshape(100_000, -1)
    error = noise.cell_variance * np.sqrt(2 / 100_000)
    np.testing.assert_allclose(np.cov(sampled.T), noise.covariance, atol=5.5 * error)


def test_the_sum_of_a_projected_group_has_no_noise():
    noise = ProjectedGaussian(2.0).on((3, 2), group_axis=0).margin((0,))
    assert noise.cell_variance == 0
    assert noise.ppf(0.975) == 0
    np.testing.assert_array_equal(noise.sf([-1.0, 0.0, 1.0]), [1, 0, 0])


def test_what_is_no_axis_is_refused():
    with pytest.raises(InvalidInput, match="axis of the groups"):
        JointNoise(Laplace(1.0), (2, 3), group_axis=2)
    with pytest.raises(InvalidInput, match="cannot fill"):
        JointNoise(Laplace(1.0), (2, 3), total=2, group_axis=0)
