"""The James-Stein operators: reference numbers, which directions they move, and what they refuse."""

import numpy as np
import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.estimate import JamesStein, james_stein
from discreet.estimate.basis import contrasts, coordinates
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian
from discreet.release import TableRelease

X = (12.0, -3.0, 5.0, 8.0, 0.0)
LETTERS = "abcdefghijkl"


def release(values, noise, **options):
    return TableRelease.from_counts(values, {"x": list(LETTERS[: len(values)])}, noise=noise, **options)


def helmert(p):
    """The matrix written out."""
    columns = [[1.0] * j + [-j] + [0.0] * (p - 1 - j) for j in range(1, p)]
    return np.array([c / np.linalg.norm(c) for c in np.array(columns)]).T


def some_basis(p, seed=0):
    rng = np.random.default_rng(seed)
    return helmert(p) @ np.linalg.qr(rng.standard_normal((p - 1, p - 1)))[0]


def test_the_reference_example():
    toward_zero = james_stein(release(X, Gaussian(2.0), n=22), "zero")
    expected = [11.40495867768595, -2.8512396694214877, 4.752066115702479, 7.6033057851239665, 0.0]
    np.testing.assert_allclose(toward_zero.values, expected, rtol=1e-14)
    assert toward_zero.factor == pytest.approx(1 - 3 * 4 / 242, rel=1e-14)
    toward_average = james_stein(release(X, Gaussian(2.0), n=22), "average")
    expected = [11.581267217630854, -2.5922865013774103, 4.966942148760331, 7.801652892561984, 0.2424242424242422]
    np.testing.assert_allclose(toward_average.values, expected, rtol=1e-13)
    assert (toward_zero.dimension, toward_average.dimension) == (5, 4)
    np.testing.assert_array_equal(np.asarray(toward_zero), toward_zero.values)


def test_the_estimate_has_the_shape_of_the_table_says_what_was_done_and_cannot_be_changed():
    table = TableRelease.from_counts(
        [[10.0, 20.0, 35.0], [31.0, 12.0, 2.0]], {"a": ["x", "y"], "b": ["u", "v", "w"]}, noise=Gaussian(3.0), n=110
    )
    estimate = james_stein(table, "average")
    assert estimate.values.shape == (2, 3)
    assert "shrinkage toward the average" in repr(estimate)
    assert "dimension 5, noise sd 3" in repr(estimate)
    with pytest.raises(ValueError, match="read-only"):
        estimate.values[0, 0] = 1.0


def test_a_projected_release_is_shrunk_in_its_contrasts_and_keeps_its_total():
    values = np.array([30.0, 20.0, 10.0, 25.0, 15.0, 0.0, 50.0])
    table = release(values, ProjectedGaussian(4.0), n=150)
    centred = values - values.mean()
    by_hand = values.mean() + (1 - 4 * 16 / (centred @ centred)) * centred
    for toward in ("zero", "average"):
        np.testing.assert_allclose(james_stein(table, toward).values, by_hand, rtol=1e-13)
    for basis, matrix in (("helmert", helmert(7)), (some_basis(7), some_basis(7))):
        y = matrix.T @ values
        part = y - y.mean()
        expected = values.mean() + matrix @ (y.mean() + (1 - 3 * 16 / (part @ part)) * part)
        estimate = james_stein(table, "average", basis=basis)
        np.testing.assert_allclose(estimate.values, expected, rtol=1e-12)
        assert estimate.values.sum() == pytest.approx(150, rel=1e-14)
        np.testing.assert_allclose(james_stein(table, "zero", basis=basis).values, by_hand, rtol=1e-13)
    first, second = (james_stein(table, "average", basis=some_basis(7, seed)).values for seed in (1, 2))
    assert np.abs(first - second).max() > 1e-3  # the paper's estimator depends on its basis


@pytest.mark.parametrize("noise", [Gaussian(4.0), ProjectedGaussian(4.0)])
def test_with_an_other_cell_only_contrasts_of_the_declared_cells_are_shrunk(noise):
    values = np.array([30.0, 20.0, 10.0, 25.0, 15.0])
    table = release(values, noise, other=7.0)
    estimate = james_stein(table, "average")
    centred = values - values.mean()
    expected = values.mean() + (1 - 2 * 16 / (centred @ centred)) * centred
    np.testing.assert_allclose(estimate.values, expected, rtol=1e-13)
    assert estimate.dimension == 4
    assert table.other == 7.0


def test_a_margin_is_shrunk_by_the_noise_of_its_sums():
    columns = {"a": ["x", "y", "z", "t"], "b": ["u", "v", "w"]}
    counts = np.arange(12.0).reshape(4, 3) ** 2
    table = TableRelease.from_counts(counts, columns, noise=ProjectedGaussian(2.0), n=506)
    estimate = james_stein(table.margin("a"))
    assert estimate.sd == pytest.approx(2 * np.sqrt(3))
    sums = counts.sum(1)
    centred = sums - sums.mean()
    np.testing.assert_allclose(estimate.values, sums.mean() + (1 - 12 / (centred @ centred)) * centred, rtol=1e-12)


def test_many_tables_are_shrunk_as_each_alone():
    rng = np.random.default_rng(1)
    tables = rng.normal(20, 5, (50, 6))
    for estimator in (JamesStein(), JamesStein("average"), JamesStein("average", positive_part=True)):
        together = estimator.shrink(tables, Gaussian(5.0).on((6,)))
        np.testing.assert_allclose(together, [estimator.shrink(x, Gaussian(5.0).on((6,))) for x in tables])
    projected = ProjectedGaussian(5.0).on((6,))
    for basis in (None, "helmert", some_basis(6)):
        together = JamesStein("average", basis).shrink(tables, projected)
        np.testing.assert_allclose(together, [JamesStein("average", basis).shrink(x, projected) for x in tables])
        np.testing.assert_allclose(together.sum(-1), tables.sum(-1))


def test_the_positive_part_never_overshoots():
    values = np.array([10.1, 9.9, 10.0, 10.0])
    table = release(values, Gaussian(2.0), n=40)
    assert james_stein(table, "average").factor < 0
    np.testing.assert_allclose(james_stein(table, "average", positive_part=True).values, 10.0)


def test_a_table_at_its_target_stays_there():
    np.testing.assert_allclose(james_stein(release([5.0] * 6, Gaussian(2.0), n=30), "average").values, 5.0)
    np.testing.assert_array_equal(james_stein(release([0.0] * 6, Gaussian(2.0), n=30)).values, 0.0)


def test_with_fixed_groups_the_contrasts_within_each_group_are_shrunk_together():
    columns = (4, 3)  # groups along the second axis: the cells of a group are not neighbours in memory
    noise = ProjectedGaussian(2.0).on(columns, group_axis=1)
    values = np.arange(12.0).reshape(columns) ** 1.5
    shrunk = JamesStein().shrink(values.ravel(), noise).reshape(columns)
    centred = values - values.mean(0)
    np.testing.assert_allclose(shrunk, values.mean(0) + (1 - 7 * 4 / (centred**2).sum()) * centred, rtol=1e-12)
    y = helmert(4).T @ values
    part = y - y.mean()
    by_hand = values.mean(0) + helmert(4) @ (y.mean() + (1 - 6 * 4 / (part**2).sum()) * part)
    by_helmert = JamesStein("average", "helmert").shrink(values.ravel(), noise).reshape(columns)
    np.testing.assert_allclose(by_helmert, by_hand, rtol=1e-12)
    with pytest.raises(InvalidInput, match="within each group"):
        JamesStein("average", helmert(12)).shrink(values.ravel(), noise)


def test_the_helmert_coordinates_are_those_of_the_matrix():
    rng = np.random.default_rng(2)
    x = rng.standard_normal((3, 9))
    y = coordinates(x, None)
    np.testing.assert_allclose(y, x @ helmert(9), atol=1e-13)
    np.testing.assert_allclose(contrasts(y, None), x - x.mean(-1, keepdims=True), atol=1e-13)


@pytest.mark.parametrize(
    ("size", "noise", "options", "least"),
    [
        (2, Gaussian(1.0), {}, 3),
        (3, Gaussian(1.0), {"toward": "average"}, 4),
        (3, ProjectedGaussian(1.0), {}, 4),
        (4, ProjectedGaussian(1.0), {"toward": "average", "basis": "helmert"}, 5),
    ],
)
def test_too_few_cells_name_the_smallest_number(size, noise, options, least):
    with pytest.raises(InvalidInput, match=f"needs at least {least} cells, not {size}"):
        james_stein(release([5.0] * size, noise, n=5 * size), **options)
    james_stein(release([*[5.0] * (least - 1), 6.0], noise, n=5 * least + 1), **options)


@pytest.mark.parametrize(
    ("basis", "message"),
    [
        ("fourier", "'helmert' or a matrix"),
        ([["a"]], "matrix of numbers"),
        (np.eye(5), "p rows and p - 1 columns"),
        (np.eye(5)[:, :4], "leaves the sensitivity space"),
        (2 * helmert(5), "not orthonormal"),
        (helmert(6), "the basis is for 6 cells, but there are 5"),
    ],
)
def test_a_wrong_basis_is_refused(basis, message):
    with pytest.raises(InvalidInput, match=message):
        james_stein(release(X, ProjectedGaussian(1.0), n=22), "average", basis=basis)


def test_what_does_not_fit_the_release_is_refused():
    with pytest.raises(NotAvailable, match="Gaussian noise, not Laplace"):
        james_stein(release(X, Laplace(1.0), n=22))
    with pytest.raises(InvalidInput, match="leave out basis="):
        james_stein(release(X, Gaussian(1.0), n=22), "average", basis="helmert")
    with pytest.raises(InvalidInput, match="'zero' or 'average', not 'median'"):
        JamesStein("median")


def test_estimators_are_values():
    assert JamesStein() == JamesStein("zero")
    assert JamesStein("average", some_basis(5)) == JamesStein("average", some_basis(5))
    assert len({JamesStein(), JamesStein("average"), JamesStein("average", helmert(5)), JamesStein()}) == 3
    assert repr(JamesStein("average", helmert(5), rank_deficient=True)) == (
        "JamesStein(toward='average', basis=<5 x 4 matrix>, rank_deficient=True)"
    )


def test_any_vector_with_equal_gaussian_noise_can_be_shrunk():
    class Means:
        values = np.array(X)
        noise = JointNoise(Gaussian(2.0), (5,))

    np.testing.assert_allclose(james_stein(Means()).values, james_stein(release(X, Gaussian(2.0), n=22)).values)
