"""Synthetic records: their law, their types, and the nearest table they are drawn from."""

import numpy as np
import pytest
from scipy import optimize, stats

from discreet import Bounded, Schema
from discreet.errors import InvalidInput
from discreet.estimate import density, simplex, synthesize
from discreet.estimate.simplex import nearest_on_simplex
from discreet.mechanisms.densities.square_root import UNIT
from discreet.noise import Laplace, ProjectedGaussian
from discreet.release import CdfRelease, HistogramRelease, SampleRelease, SeriesRelease, TableRelease

AGE = Bounded(18, 98, step=1)
SCHEMA = Schema({"age": AGE, "share": Bounded(0, 1, step=0.1)})
COMMON = {"exponent": 0, "n": 100}
HISTOGRAM = HistogramRelease(
    schema=SCHEMA.select(["age"]),
    column_names=["age"],
    bins=[7],
    drawn=[1, 2, -3, 4, 0, 6, 7],
    mechanism="Laplace",
    scale=2.0,
    **COMMON,
)
BOXES = HistogramRelease(
    schema=SCHEMA,
    column_names=SCHEMA.columns,
    bins=[2, 2],
    drawn=[1, 0, 2, 1],
    mechanism="Laplace",
    scale=2.0,
    **COMMON,
)
SERIES = SeriesRelease(
    schema=SCHEMA.select(["share"]),
    column_name="share",
    drawn=[30 * 2**20, -80 * 2**20],
    mechanism="Laplace",
    scale=1.0,
    **COMMON,
)
CDF = CdfRelease(
    schema=SCHEMA.select(["age"]),
    column_name="age",
    drawn=[20 * UNIT, 60 * UNIT, 50 * UNIT],
    mechanism="Gaussian",
    scale=1.0,
    **COMMON,
)
SAMPLE = SampleRelease(
    schema=SCHEMA.select(["share"]), column_name="share", codes=[1, 1, 10], mechanism="KolmogorovExponential", n=9
)


def test_ages_lie_on_the_grid_and_have_the_masses_of_the_histogram():
    ages = synthesize(HISTOGRAM, 30_000, rng=1)["age"].to_numpy()
    assert ages.dtype == np.int64
    assert ages.min() >= 18
    assert ages.max() <= 98
    codes = np.arange(81)
    cell = np.minimum(codes * 7 // 80, 6)
    masses = density(HISTOGRAM).masses
    expected = 30_000 * masses[cell] / np.bincount(cell)[cell]
    found = np.bincount(ages - 18, minlength=81)
    assert found[expected == 0].sum() == 0
    assert stats.chisquare(found[expected > 0], expected[expected > 0]).pvalue > 1e-3


def test_two_columns_are_drawn_together():
    frame = synthesize(BOXES, 20_000, rng=2, backend="pandas")
    assert frame.dtypes.astype(str).tolist() == ["int64", "float64"]
    assert set(frame["share"]) == {round(0.1 * j, 1) for j in range(11)}
    found = np.histogram2d(frame["age"] >= 58, frame["share"] >= 0.5, bins=2)[0].ravel()
    assert found[1] == 0
    assert stats.chisquare(found[[0, 2, 3]], [5000, 10_000, 5000]).pvalue > 1e-3


def test_a_series_is_drawn_on_its_grid():
    shares = synthesize(SERIES, 50_000, rng=3)["share"].to_numpy()
    between = np.concatenate([[0], (np.arange(10) + 0.5) / 10, [1]])
    masses = np.diff(density(SERIES).cdf(between))
    found = np.bincount(np.rint(shares * 10).astype(int), minlength=11)
    assert stats.chisquare(found[masses > 1e-6], 50_000 * masses[masses > 1e-6]).pvalue > 1e-3


def test_a_distribution_function_and_a_sample():
    ages = synthesize(CDF, 20_000, rng=4)["age"].to_numpy()
    found = np.bincount(np.minimum((ages - 18) * 4 // 80, 3), minlength=4)
    masses = density(CDF).masses
    assert masses == pytest.approx([0.2, 0.5, 0.175, 0.125], abs=1e-6)
    assert stats.chisquare(found, 20_000 * masses).pvalue > 1e-3
    shares = synthesize(SAMPLE, 3000, rng=5)["share"].to_numpy()
    assert set(shares) == {0.1, 1.0}
    assert abs((shares == 0.1).mean() - 2 / 3) < 0.05


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_a_table_gives_rows_with_its_declared_categories(backend):
    columns = {"sex": ["f", "m"], "smokes": [True, False], "rooms": [1, 2, 3]}
    table = TableRelease.from_counts(np.arange(12.0).reshape(2, 2, 3) - 1, columns, noise=Laplace(2.0), n=54)
    frame = synthesize(table, 24_000, rng=6, backend=backend)
    names = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert names == list(columns)
    values = {name: frame[name].to_pylist() if backend == "pyarrow" else frame[name].to_list() for name in names}
    assert {name: sorted(set(v)) for name, v in values.items()} == {n: sorted(c) for n, c in columns.items()}
    assert {type(v[0]) for v in values.values()} == {str, bool, int}
    places = [[columns[name].index(v) for v in values[name]] for name in names]
    found = np.bincount(np.ravel_multi_index(places, (2, 2, 3)), minlength=12)
    expected = simplex(table).values.ravel()
    assert 0 < (expected == 0).sum() < 6
    assert found[expected == 0].sum() == 0
    kept = expected > 0
    assert stats.chisquare(found[kept], 24_000 * expected[kept] / expected.sum()).pvalue > 1e-3


def test_mixed_categories_become_text():
    table = TableRelease.from_counts([3.0, 4.0], {"x": ["a", 1]}, noise=Laplace(2.0))
    assert set(synthesize(table, 50, rng=1)["x"]) == {"a", "1"}


def test_a_table_of_noise_alone_gives_uniform_rows():
    table = TableRelease.from_counts([-3.0, -4.0], {"x": ["a", "b"]}, noise=Laplace(2.0))
    assert set(synthesize(table, 50, rng=1)["x"]) == {"a", "b"}


def test_sizes():
    assert len(synthesize(HISTOGRAM, rng=1)) == 100
    empty = synthesize(HISTOGRAM, 0)
    assert len(empty) == 0
    assert empty.columns == ["age"]
    for wrong in (-1, 2.5, True):
        with pytest.raises(InvalidInput, match="size"):
            synthesize(HISTOGRAM, wrong)
    with pytest.raises(InvalidInput, match="n is not public"):
        synthesize(TableRelease.from_counts([3.0, 4.0], {"x": ["a", "b"]}, noise=Laplace(2.0)))
    with pytest.raises(InvalidInput, match="synthetic records"):
        synthesize([1, 2], 3)
    assert synthesize(HISTOGRAM, 9, rng=3).equals(synthesize(HISTOGRAM, 9, rng=3))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("total", [0.0, 3.0, 50.0])
def test_the_nearest_point_of_the_simplex(seed, total):
    values = np.random.default_rng(seed).normal(2, 5, 9)
    found = nearest_on_simplex(values, total)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(total, abs=1e-9)
    best = optimize.minimize(
        lambda x: ((x - values) ** 2).sum(),
        np.full(9, total / 9),
        bounds=[(0, None)] * 9,
        constraints=[{"type": "eq", "fun": lambda x: x.sum() - total}],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert ((found - values) ** 2).sum() <= best.fun + 1e-6


def test_the_total_of_the_nearest_table():
    columns = {"x": ["a", "b", "c"]}
    assert simplex(
        TableRelease.from_counts([5.0, -3.0, 9.0], columns, noise=Laplace(2.0))
    ).values.sum() == pytest.approx(11)
    assert simplex(TableRelease.from_counts([5.0, -3.0, 9.0], columns, noise=Laplace(2.0), n=20)).values.sum() == 20
    assert simplex(TableRelease.from_counts([-5.0, -3.0, 1.0], columns, noise=Laplace(2.0))).values.tolist() == [
        0,
        0,
        0,
    ]
    estimated = TableRelease.from_counts([5.0, 3.0, 9.0], columns, noise=Laplace(2.0), n=20, other=2.0)
    assert simplex(estimated).values.sum() == pytest.approx(17)
    assert simplex(HISTOGRAM).values.sum() == pytest.approx(100)


def test_groups_of_public_size_keep_it():
    schema = Schema({"group": ["a", "b"], "x": ["u", "v"]}, fixed="group", complete=True)
    table = TableRelease(
        schema=schema,
        column_names=("group", "x"),
        drawn=(12, -4, 3, 9),
        exponent=0,
        mechanism=ProjectedGaussian.__name__,
        scale=2.0,
        n=18,
        group_sizes=(8, 10),
    )
    assert simplex(table).values.tolist() == [[8, 0], [2, 8]]
