"""Released covariances: projection, the law of entries, eigenvalues and directions; fixed seeds, margins of five s.e."""

import time

import numpy as np
import pytest
from scipy import stats

from discreet.errors import InvalidInput
from discreet.noise import EigenNoise, EntrywiseNoise, nearest_psd
from discreet.noise.covariance import _complement

REFERENCE = np.array([[1.0, 0.3, -0.1], [0.3, 0.6, 0.2], [-0.1, 0.2, 0.4]])


def constant(d, scale):
    return tuple((scale,) * d for _ in range(d))


def test_the_nearest_positive_semidefinite_matrix():
    rng = np.random.default_rng(1)
    given = rng.normal(size=(40, 4, 4))
    given = given + np.swapaxes(given, 1, 2)
    projected = nearest_psd(given)
    assert (projected == np.swapaxes(projected, 1, 2)).all()
    assert np.linalg.eigvalsh(projected).min() >= -1e-12
    # the projection on a convex cone: <given - P, P> = 0 and <given - P, K> <= 0 for every K in it
    rest = given - projected
    assert (rest * projected).sum((1, 2)) == pytest.approx(0, abs=1e-10)
    for _ in range(50):
        root = rng.normal(size=(4, 2))
        assert (rest * (root @ root.T)).sum((1, 2)).max() <= 1e-10
    assert (nearest_psd(projected) - projected) == pytest.approx(0, abs=1e-12)
    assert (nearest_psd(REFERENCE) == REFERENCE).all()  # untouched where nothing is negative
    assert nearest_psd([[-2.0]]) == pytest.approx(0)


@pytest.mark.parametrize(("family", "law"), [("laplace", stats.laplace), ("gaussian", stats.norm)])
def test_the_entries_have_their_law_and_a_tenth_more_is_found(family, law):
    scales = ((0.01, 0.02, 0.01), (0.02, 0.03, 0.005), (0.01, 0.005, 0.01))
    released = EntrywiseNoise(family, scales).sample(
        np.broadcast_to(50 * np.eye(3), (20_000, 3, 3)), np.random.default_rng(2)
    )
    noise = released - 50 * np.eye(3)  # so positive that nothing is projected
    assert (released == np.swapaxes(released, 1, 2)).all()
    for i in range(3):
        for j in range(i, 3):
            assert stats.kstest(noise[:, i, j], law(scale=scales[i][j]).cdf).pvalue > 1e-6
            assert stats.kstest(noise[:, i, j], law(scale=1.1 * scales[i][j]).cdf).pvalue < 1e-3
    upper = noise[:, *np.triu_indices(3)]
    assert np.abs(np.corrcoef(upper.T) - np.eye(6)).max() < 5 / np.sqrt(20_000)


def test_the_eigenvalues_have_their_law_and_a_tenth_more_is_found():
    released = EigenNoise(0.01, 1e9).sample(
        np.broadcast_to(np.diag([9.0, 5, 1]), (20_000, 3, 3)), np.random.default_rng(3)
    )
    noise = np.linalg.eigvalsh(released) - [1, 5, 9]
    for column in noise.T:
        assert stats.kstest(column, stats.laplace(scale=0.01).cdf).pvalue > 1e-6
        assert stats.kstest(column, stats.laplace(scale=0.011).cdf).pvalue < 1e-3
    one = EigenNoise(0.5, 0).sample(np.full((20_000, 1, 1), 0.2), np.random.default_rng(4)).ravel()
    assert (one == 0).mean() == pytest.approx(0.5 * np.exp(-0.4), abs=5 * 0.5 / np.sqrt(20_000))
    assert stats.kstest(one[one > 0.2] - 0.2, stats.expon(scale=0.5).cdf).pvalue > 1e-6


def by_plain_rejection(matrix, exponent, size, rng):
    """The two directions of three columns from uniform ones, each kept with probability exp(exponent (u'Su - top))."""

    def one(within):
        inner = within.T @ matrix @ within
        top = np.linalg.eigvalsh(inner)[-1]
        while True:
            u = rng.normal(size=inner.shape[0])
            u /= np.linalg.norm(u)
            if rng.random() < np.exp(exponent * (u @ inner @ u - top)):
                return within @ u

    result = np.empty((size, 2, 3))
    for k in range(size):
        result[k, 0] = one(np.eye(3))
        complement = np.linalg.svd(result[k, :1])[2][1:].T
        result[k, 1] = one(complement)
    return result


def test_directions_follow_one_another_as_stated():
    """The mean released matrix, eigenvalues nearly without noise, against a sampler that shares no line with it."""
    values, exponent, size = np.linalg.eigvalsh(REFERENCE)[::-1], 4.0, 8000
    released = EigenNoise(1e-9, exponent).sample(np.broadcast_to(REFERENCE, (size, 3, 3)), np.random.default_rng(5))
    first, second = np.moveaxis(by_plain_rejection(REFERENCE, exponent, size, np.random.default_rng(6)), 1, 0)
    third = np.cross(first, second)
    expected = sum(
        value * u[:, :, None] * u[:, None, :] for value, u in zip(values, (first, second, third), strict=True)
    )
    error = np.sqrt((released.var(0) + expected.var(0)) / size)
    assert (np.abs(released.mean(0) - expected.mean(0)) <= 5 * error).all()
    assert (
        np.abs(released.mean(0) - REFERENCE).max() > 20 * error.max()
    )  # the noise is large, so there is something to find
    half = EigenNoise(1e-9, exponent / 2).sample(np.broadcast_to(REFERENCE, (size, 3, 3)), np.random.default_rng(7))
    assert (np.abs(half.mean(0) - expected.mean(0)) > 5 * error).any()


def test_released_matrices_are_positive_with_the_noisy_eigenvalues():
    for d in (1, 2, 6):
        released = EigenNoise(0.3, 20.0).sample(
            np.broadcast_to(np.eye(d) / 3, (3, 200, d, d)), np.random.default_rng(d)
        )
        assert released.shape == (3, 200, d, d)
        assert (released == np.swapaxes(released, -1, -2)).all()
        values = np.linalg.eigvalsh(released)
        assert values.min() >= -1e-12
        assert (values < 1e-12).any()  # some were negative and set to zero


def test_the_complement_is_orthonormal_even_at_the_axes():
    u = np.vstack([np.eye(4), -np.eye(4), np.random.default_rng(1).normal(size=(20, 4))])
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    basis = np.concatenate([u[:, :, None], _complement(u, 4)], -1)
    assert np.swapaxes(basis, 1, 2) @ basis - np.eye(4) == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize(
    ("law", "d", "limit"),
    [
        (EntrywiseNoise("laplace", constant(2, 0.1)), 2, 0.3),
        (EigenNoise(0.1, 200.0), 2, 1.5),
        (EigenNoise(0.1, 200.0), 10, 3),
    ],
    ids=["entrywise of 2", "ED of 2", "ED of 10"],
)
def test_a_thousand_replicates_of_two_groups_in_time(law, d, limit):
    start = time.process_time()
    law.sample(np.broadcast_to(np.eye(d) / 3, (2, 1000, d, d)), np.random.default_rng(1))
    assert time.process_time() - start < limit


def test_bad_input():
    for scales in ((), ((1.0, 2.0),), ((1.0, 2.0), (3.0, 1.0)), ((0.0,),), ((True,),)):
        with pytest.raises(InvalidInput, match="scale"):
            EntrywiseNoise("laplace", scales)
    with pytest.raises(InvalidInput, match="family"):
        EntrywiseNoise("cauchy", ((1.0,),))
    for pair in ((0.0, 1.0), (1.0, -1.0), (1.0, float("nan")), (1.0, False)):
        with pytest.raises(InvalidInput, match=r"eigenvalue_scale|exponent"):
            EigenNoise(*pair)
    rng = np.random.default_rng(1)
    with pytest.raises(InvalidInput, match=r"shape \(..., 2, 2\)"):
        EntrywiseNoise("laplace", constant(2, 1.0)).sample(np.eye(3), rng)
    with pytest.raises(InvalidInput, match="covariance has the shape"):
        EigenNoise(1.0, 1.0).sample(np.ones(3), rng)
    assert EigenNoise(1.0, 1.0).sample(np.zeros((0, 2, 2)), rng).shape == (0, 2, 2)


def test_a_diagonal_entry_beside_a_huge_one_is_not_left_negative():
    """The eigenvalues of such a matrix are known up to a rounding error of the largest, which hides the negative one."""
    matrix = np.array([[1.0, 1, 1], [1, 9.2e18, 0], [1, 0, -1]])
    assert (np.diag(nearest_psd(matrix)) >= 0).all()
