import subprocess
import sys

import numpy as np
import pytest
from scipy import special, stats
from scipy.stats import qmc

from discreet.errors import InvalidInput
from discreet.noise import sobol
from discreet.noise.sobol import MAX_DIMENSION, scrambled_sobol, uniform_points


def test_unscrambled_points_are_scipys_in_all_dimensions():
    columns = np.ascontiguousarray(sobol._directions(MAX_DIMENSION, 6)[:, None, :])
    words = sobol._walk(columns, np.full((1, MAX_DIMENSION), sobol.EXPONENT_OF_ONE))
    points = sobol._to_floats(words)[0] - 2.0**-53
    np.testing.assert_array_equal(points, qmc.Sobol(MAX_DIMENSION, scramble=False).random(64))


def test_later_direction_numbers_are_scipys():
    directions = sobol._directions(MAX_DIMENSION, 17)
    for k in (6, 11, 12, 13, 14, 16):
        engine = qmc.Sobol(MAX_DIMENSION, scramble=False)
        engine.fast_forward(1 << k)  # point 2^k: its Gray code has bits k and k - 1
        expected = (directions[k] ^ directions[k - 1]) * 2.0**-52
        np.testing.assert_array_equal(engine.random(1)[0], expected)


@pytest.mark.parametrize(("log2_points", "dimension"), [(0, 3), (1, 1), (8, 25), (6, MAX_DIMENSION), (12, 7)])
def test_every_coordinate_has_one_point_in_each_bin(log2_points, dimension):
    points = scrambled_sobol(log2_points, dimension, 3, 5)
    assert points.shape == (3, 1 << log2_points, dimension)
    assert points.flags.c_contiguous
    assert points.min() > 0
    assert points.max() < 1
    bins = np.sort((points * (1 << log2_points)).astype(int), axis=1)
    assert (bins == np.arange(1 << log2_points)[None, :, None]).all()


def test_scrambling_keeps_the_net_of_the_first_two_dimensions():
    m = 8
    for points in scrambled_sobol(m, 2, 20, 3):
        for k in range(m + 1):  # boxes 2^-k by 2^-(m - k) hold one point each
            box = (points[:, 0] * (1 << k)).astype(int) * (1 << (m - k)) + (points[:, 1] * (1 << (m - k))).astype(int)
            assert np.unique(box).size == 1 << m


def test_extreme_words_stay_inside_the_unit_interval():
    words = np.array([0, (1 << 52) - 1], np.uint64) | sobol.EXPONENT_OF_ONE
    np.testing.assert_array_equal(sobol._to_floats(words), [2.0**-53, 1 - 2.0**-53])


def test_a_point_is_uniform_and_replicates_are_independent():
    replicates = 4000
    points = scrambled_sobol(3, 4, replicates, 11).reshape(replicates, -1)
    worst = min(stats.kstest(column, "uniform").pvalue for column in points.T)
    assert worst > 1e-6 / points.shape[1]
    z = (points - 0.5) * np.sqrt(12.0)
    # 32 sums of 4,000 products of independent variables with mean 0 and variance 1: beyond 6 with probability below 1e-7
    assert np.abs((z[1:] * z[:-1]).sum(0)).max() < 6.0 * np.sqrt(replicates)
    # two dimensions of one point, and two points whose leading digit differs by the net: signs agree as they should
    assert abs((z[:, 0] * z[:, 1]).sum()) < 6.0 * np.sqrt(replicates)
    assert ((points[:, 0] < 0.5) != (points[:, 4] < 0.5)).all()


def product(points):
    """A smooth function of 25 coordinates of falling importance whose integral is 1."""
    return np.prod(1.0 + (points - 0.5) / np.arange(1, 26), axis=-1)


def test_integration_converges_faster_than_monte_carlo():
    variance = np.prod(1.0 + 1.0 / (12.0 * np.arange(1, 26) ** 2)) - 1.0
    errors = {}
    for m in (6, 12):
        means = product(scrambled_sobol(m, 25, 32, 2)).mean(1)
        errors[m] = np.sqrt(np.mean((means - 1.0) ** 2))
        assert abs(means.mean() - 1.0) < 6.0 * means.std(ddof=1) / np.sqrt(32)
    assert errors[6] < 0.4 * np.sqrt(variance / 2**6)
    assert errors[12] < 0.05 * np.sqrt(variance / 2**12)
    assert np.log2(errors[6] / errors[12]) / 6 > 0.75  # Monte Carlo: 0.5


def test_standard_error_over_replicates_is_honest():
    studies, replicates = 400, 8
    normal = special.ndtri(scrambled_sobol(6, 25, studies * replicates, 8))
    means = (np.abs(normal.sum(-1)) > 7.0).mean(1).reshape(studies, replicates)  # not smooth, as a tail is
    error = means.std(axis=1, ddof=1) / np.sqrt(replicates)
    t = (means.mean(1) - 2.0 * special.ndtr(-7.0 / 5.0)) / error
    covered = (np.abs(t) < special.stdtrit(replicates - 1, 0.975)).mean()
    assert 0.90 < covered < 0.99
    assert abs(t.mean()) < 6.0 * t.std() / np.sqrt(studies)


def test_seed_reproduces_and_generator_moves_on():
    np.testing.assert_array_equal(scrambled_sobol(4, 3, 2, 9), scrambled_sobol(4, 3, 2, np.random.default_rng(9)))
    rng = np.random.default_rng(9)
    assert not np.array_equal(scrambled_sobol(4, 3, 2, rng), scrambled_sobol(4, 3, 2, rng))


def test_many_dimensions_fall_back_to_pseudo_random_numbers():
    points = uniform_points(7, MAX_DIMENSION + 1, 2, 4)
    assert points.shape == (2, 128, MAX_DIMENSION + 1)
    assert points.min() > 0
    assert points.max() < 1
    assert stats.kstest(points.ravel(), "uniform").pvalue > 1e-6
    np.testing.assert_array_equal(uniform_points(3, 5, 2, 4), scrambled_sobol(3, 5, 2, 4))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((33, 2, 1), "log2_points"),
        ((-1, 2, 1), "log2_points"),
        ((True, 2, 1), "log2_points"),
        ((3, 0, 1), "dimension"),
        ((3, 2.5, 1), "dimension"),
        ((3, 2, 0), "replicates"),
        ((3, MAX_DIMENSION + 1, 1), "use uniform_points"),
    ],
)
def test_sizes_are_checked(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        scrambled_sobol(*arguments)


def test_the_table_is_read_when_first_needed_and_scipy_stats_never():
    program = (
        "import sys; from discreet.noise import sobol; before = sobol._table.cache_info().currsize;"
        "sobol.scrambled_sobol(3, 3, 1, 1); print(before, sobol._table.cache_info().currsize, 'scipy.stats' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["0", "1", "False"]
