"""Many tables at once: the numbers of the single test, bad tables set aside, and a memory that does not grow."""

import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import DiscreetWarning, InvalidInput, NotApplicable
from discreet.inference import Conditional, MonteCarlo, independence, independence_many
from discreet.inference.batch import form_batch
from discreet.inference.statistic.cellwise import pearson
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian

SHAPES = [(2, 2), (2, 3), (3, 4)]
NORMAL = [
    Gaussian(6.0).on,
    ProjectedGaussian(6.0).on,
    lambda shape: ProjectedGaussian(6.0).on(shape, other=True),
    lambda shape: ProjectedGaussian(3.0).on((*shape, 4)).margin((0, 1)),
    lambda shape: ProjectedGaussian(6.0).on(shape, group_axis=0),
    lambda shape: ProjectedGaussian(6.0).on(shape, other=True, group_axis=1),
]


def tables(shape: tuple[int, int], noise: JointNoise, m: int, seed: int = 1) -> np.ndarray:
    """Noisy tables with and without association, on skewed margins."""
    rng = np.random.default_rng(seed)
    means = 400 * np.outer(rng.dirichlet(np.full(shape[0], 6.0)), rng.dirichlet(np.full(shape[1], 6.0)))
    pulled = means * np.exp(rng.normal(0, rng.uniform(0, 0.6, (m, 1, 1)), (m, *shape)))
    return rng.poisson(20 + pulled) + noise.sample(m, rng)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("law", NORMAL, ids=["iid", "projected", "with other", "margin", "fixed rows", "fixed columns"])
@pytest.mark.parametrize("statistic", ["chi2", "lr"])
@pytest.mark.parametrize("public", [True, False])
def test_gaussian_noise_gives_the_numbers_of_the_single_test(shape, law, statistic, public):
    noise = law(shape)
    cells = tables(shape, noise, 30)
    n = np.round(cells.sum((1, 2))) if public else None
    together = independence_many(cells, noise, n, statistic)
    alone = [
        independence(cell, noise=noise, n=None if n is None else n[k], statistic=statistic).pvalue
        for k, cell in enumerate(cells)
    ]
    assert together == pytest.approx(alone, rel=1e-9)
    assert together.min() < 1e-6 < 0.2 < together.max()


@pytest.mark.parametrize(
    "noise", [Laplace(8.0).on((2, 2)), Laplace(3.0).on((2, 2, 3)).margin((0, 1))], ids=["iid", "margin"]
)
def test_one_degree_of_freedom_gives_the_numbers_of_the_single_test(noise):
    cells = tables((2, 2), noise, 40)
    together = independence_many(cells, noise)
    alone = [independence(cell, noise=noise).pvalue for cell in cells]
    assert together == pytest.approx(alone, rel=1e-9)


@pytest.mark.parametrize("shape", [(2, 3), (3, 4)], ids=str)
@pytest.mark.parametrize("scale", [2.0, 12.0])
def test_laplace_noise_at_common_points_agrees_with_the_single_test(shape, scale):
    """Both have errors of at most 3 % of p; six standard errors, at a fixed seed."""
    noise = Laplace(scale).on(shape)
    cells = tables(shape, noise, 25)
    together = independence_many(cells, noise, rng=1)
    alone = [independence(cell, noise=noise, rng=2) for cell in cells]
    for p, single in zip(together, alone, strict=True):
        assert abs(p - single.pvalue) <= 6 * np.hypot(0.03 * p, single.pvalue_error)


def test_the_weights_are_the_eigenvalues_of_the_dense_problem():
    for law in NORMAL:
        for shape in SHAPES:
            noise = law(shape)
            _, batch = form_batch(tables(shape, noise, 8), noise, None, pearson)
            for k, weights in enumerate(batch.weights()):
                single = batch.law(k)
                projector = single.geometry.residual(np.eye(noise.size))
                scaled = single.scaling[:, None] * noise.covariance * single.scaling
                dense = np.linalg.eigvalsh(projector @ (np.eye(noise.size) + scaled) @ projector)[-batch.df :]
                assert np.sort(weights) == pytest.approx(dense, rel=1e-10)


@pytest.mark.parametrize("noise", [Gaussian(3.0), Laplace(3.0)])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3)], ids=str)
def test_an_impossible_table_has_nan_and_is_named_once(noise, shape):
    good = tables(shape, noise.on(shape), 12)
    bad = good.copy()
    bad[0, 0] = -50.0
    bad[3, 1, 1] = np.nan
    bad[5, 0, 0] = np.inf
    bad[7] = 0.0
    bad[11, :, 1] = [1.0, -1.0]
    with pytest.warns(DiscreetWarning, match=r"5 of 12 tables have no p-value \(NaN\): 0, 3, 5, 7, 11; ") as caught:
        p = independence_many(bad, noise, rng=1)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert np.flatnonzero(np.isnan(p)).tolist() == [0, 3, 5, 7, 11]
    kept = [1, 2, 4, 6, 8, 9, 10]
    assert p[kept] == pytest.approx(independence_many(good, noise, rng=1)[kept], rel=1e-9)


def test_only_ten_tables_are_named():
    with pytest.warns(DiscreetWarning, match=r"12 of 12 .* 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \.\.\.; "):
        assert np.isnan(independence_many(np.zeros((12, 2, 2)), Gaussian(1.0))).all()


def test_an_n_that_cannot_be_is_that_tables_affair():
    cells = tables((2, 3), Gaussian(2.0).on((2, 3)), 3)
    n = np.round(cells.sum((1, 2)))
    n[1] = 10
    with pytest.warns(DiscreetWarning, match=r"1 of 3 .*: 1; "):
        p = independence_many(cells, Gaussian(2.0), n)
    assert np.isnan(p).tolist() == [False, True, False]


@pytest.mark.parametrize("statistic", ["projected", "chi2"])
def test_other_statistics_and_methods_take_the_tables_one_by_one(statistic):
    cells = tables((2, 3), Gaussian(4.0).on((2, 3)), 4)
    null = "auto" if statistic == "projected" else MonteCarlo(points=999, rng=3)
    together = independence_many(cells, Gaussian(4.0), statistic=statistic, null=null, rng=5)
    generator = np.random.default_rng(5)
    alone = [independence(c, noise=Gaussian(4.0), statistic=statistic, null=null, rng=generator).pvalue for c in cells]
    assert together == pytest.approx(alone, rel=1e-12)


def test_where_a_statistic_never_applies_its_error_is_raised():
    with pytest.raises(NotApplicable, match="minp"):
        independence_many(tables((2, 3), Gaussian(4.0).on((2, 3)), 3), Gaussian(4.0), statistic="minp")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: independence_many(np.ones((2, 2)), Gaussian(1.0)), r"shape \(m, r, c\)"),
        (lambda: independence_many(np.ones((5, 1, 3)), Gaussian(1.0)), "at least two rows"),
        (lambda: independence_many([[[1, 2], [3, 4]], [[1, 2, 3], [4, 5, 6]]], Gaussian(1.0)), "array of numbers"),
        (lambda: independence_many([[["1", "2"], ["3", "4"]]], Gaussian(1.0)), "not of text"),
        (lambda: independence_many(np.ones((5, 2, 3)), None), "needs noise="),
        (lambda: independence_many(np.ones((5, 2, 3)), "laplace"), "must be a law"),
        (lambda: independence_many(np.ones((5, 2, 3)), Gaussian), "must be a law"),
        (lambda: independence_many(np.ones((5, 2, 3)), Gaussian(1.0).on((3, 2))), "shape"),
        (lambda: independence_many(np.ones((5, 2, 3)), Gaussian(1.0), [1, 2]), "one a table"),
        (lambda: independence_many(np.ones((5, 2, 3)), Gaussian(1.0), 0), "positive number"),
        (lambda: independence_many(np.ones((5, 2, 3)), Gaussian(1.0), np.nan), "positive number"),
        (lambda: independence_many(np.ones((5, 2, 3)), Gaussian(1.0), statistic="chi3"), "statistic must be"),
        (lambda: independence_many(np.ones((5, 2, 3)), Gaussian(1.0), null="exact"), "null must be"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()


def test_no_tables_have_no_pvalues():
    for noise in (Gaussian(1.0), Laplace(1.0)):
        for shape in ((0, 2, 2), (0, 2, 3)):
            assert independence_many(np.empty(shape), noise).shape == (0,)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, object])
def test_any_numeric_type(dtype):
    cells = np.array([[[30, 40, 25], [50, 35, 20]]])
    expected = independence(cells[0], noise=Gaussian(2.0)).pvalue
    assert independence_many(cells.astype(dtype), Gaussian(2.0)) == pytest.approx([expected], rel=1e-9)


def test_the_conditional_average_can_be_asked_for_with_more_points():
    noise = Gaussian(6.0).on((2, 3))
    cells = tables((2, 3), noise, 10)
    closed = independence_many(cells, noise)
    for null in ("conditional", Conditional(points=16384)):
        averaged = independence_many(cells, noise, null=null, rng=1)
        near = closed > 1e-3
        assert averaged[near] == pytest.approx(closed[near], rel=0.1)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(-30, 300), min_size=24, max_size=24),
    st.floats(1e-3, 100),
    st.sampled_from([(4, 2, 3), (6, 2, 2)]),
    st.sampled_from([Gaussian, Laplace, ProjectedGaussian]),
)
@pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")
def test_a_batch_never_raises_on_its_numbers_and_has_probabilities(numbers, scale, shape, law):
    p = independence_many(np.reshape(numbers, shape), law(scale), rng=1)
    assert p.shape == shape[:1]
    assert ((p >= 0) & (p <= 1) | np.isnan(p)).all()


@pytest.mark.parametrize("noise", [Gaussian(6.0), ProjectedGaussian(6.0), Laplace(6.0)])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3)], ids=str)
def test_a_larger_deviation_has_a_smaller_pvalue(noise, shape):
    """Along one direction at fixed margins. Common points keep the order; where a table is left to the single test, whose
    error is a few per cent, the order is that of p-values an order of magnitude apart."""
    start = np.full(shape, 100.0)
    direction = np.zeros(shape)
    direction[:2, :2] = [[1, -1], [-1, 1]]
    steps = np.linspace(0, 90, 60)
    p = independence_many(start + steps[:, None, None] * direction, noise, rng=1)
    exact = isinstance(noise, Gaussian | ProjectedGaussian) or shape == (2, 2)
    together = p if exact else p[p > 1e-3]
    assert (np.diff(together) <= 0).all()
    assert (np.diff(np.log(p[::6])) < 0).all()
    assert p[0] == pytest.approx(1.0, abs=1e-12)


def test_a_hundred_thousand_tables_take_seconds():
    m = 100_000
    rng = np.random.default_rng(1)
    cells = rng.poisson(50, (m, 2, 3)) + rng.normal(0, 2.8, (m, 2, 3))
    start = time.process_time()
    p = independence_many(cells, Gaussian(2.8))
    assert time.process_time() - start < 20  # CPU seconds: 10 s on two cores
    assert abs((p < 0.05).mean() - 0.05) < 0.005  # 7 standard errors


@pytest.mark.parametrize("noise", [Gaussian(4.0), ProjectedGaussian(4.0), Laplace(4.0)])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3)], ids=str)
def test_memory_is_that_of_the_tables_and_a_constant(noise, shape):
    """Beside the 64 MB in which chunks are worked on, a few arrays of the size of the tables."""
    for m in (300, 1500):
        rng = np.random.default_rng(1)
        cells = rng.poisson(50, (m, *shape)) + noise.on(shape).sample(m, rng)
        tracemalloc.start()
        independence_many(cells, noise, rng=1)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 64e6 + 20 * cells.nbytes
