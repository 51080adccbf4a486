"""Signs that published numbers were changed after the noise: seen where they are, and silent where they are not."""

import numpy as np
import pytest

from discreet import Curator, Ledger, PureDP, Schema
from discreet.inference import goodness_of_fit, homogeneity, independence
from discreet.inference.postprocessed import FALSE_ALARM, signs_of_postprocessing
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian


def signs(cells, law, n=None) -> tuple[str, ...]:
    values = np.asarray(cells, float)
    joint = law if isinstance(law, JointNoise) else law.on(values.shape)
    return signs_of_postprocessing(values.ravel(), (joint,), n)


def test_cells_cut_off_at_zero_are_noticed():
    """40 of 60 empty cells under noise of standard deviation 7: about 20 zeros and no negative cell."""
    rng = np.random.default_rng(1)
    truth = np.where(np.arange(60) < 40, 0, 30)
    noise = Laplace(5.0).on((60,)).sample(1, rng)[0]
    for cells in (np.maximum(truth + noise, 0), np.maximum(np.round(truth + noise), 0)):
        (sign,) = signs(cells, Laplace(5.0))
        assert "of 60 noisy cells are exactly 0 and none is negative" in sign
        assert "switch it off (signed counts)" in sign
        assert not signs(cells - 0.5, Laplace(5.0))
    assert not signs(truth + noise, Laplace(5.0))


def test_one_exact_zero_among_fractions_is_a_cut():
    assert "1 of 4 noisy cells is exactly 0" in signs([[0, 12.25], [7.5, 30.125]], Laplace(4.0))[0]
    assert not signs([[0, 12.25], [-7.5, 30.125]], Laplace(4.0))


def test_small_noise_leaves_true_zeros():
    assert not signs([0, 0, 0, 0, 31, 12, 7, 55], Gaussian(0.1))


@pytest.mark.parametrize(
    "law", [Laplace(1.5), Laplace(4.0), Laplace(20.0), Gaussian(1.0), Gaussian(5.0), Gaussian(20.0)]
)
@pytest.mark.parametrize("truth", [0, 1, 5, 20])
def test_whole_numbers_that_were_not_cut_off_seldom_seem_so(law, truth):
    """Fixed seed. Rounded noise as it is: at most 2 in 1,000 tables look as if they had been cut off."""
    rng = np.random.default_rng(7)
    for cells in (4, 9, 24):
        drawn = truth + np.round(law.on((cells,)).sample(3000, rng))
        drawn = drawn[(drawn == 0).any(1) & (drawn >= 0).all(1)]
        alarms = sum(any("exactly 0" in sign for sign in signs(table, law)) for table in drawn)
        assert alarms <= 2 * FALSE_ALARM * 3000


def test_whole_numbers_under_a_continuous_law_of_small_scale():
    cells = [[31, 47], [52, 38]]
    assert "all cells are whole numbers, but Laplace(scale=1.0) is a continuous law" in signs(cells, Laplace(1.0))[0]
    assert "whole numbers" in signs(cells, Gaussian(2.0))[0]
    assert not signs(cells, Gaussian(3.5))  # 1/12 beside 12: no matter
    assert not signs(cells, Gaussian(1e-3))  # hardly any noise, and counts are whole
    assert not signs(np.add(cells, 0.25), Laplace(1.0))
    assert not signs(cells, Laplace(0.5).on((2, 2, 3)).margin((0, 1)))


def test_cells_rounded_to_a_base():
    rounded = 25 * np.array([[4, 7, 3], [9, 6, 5]])
    assert "all cells are multiples of 25" in signs(rounded, Laplace(8.0))[0]
    assert not signs(rounded, Laplace(400.0))
    assert not signs(np.add(rounded, [[1, 0, 0], [0, 0, 0]]), Laplace(8.0))


def test_a_total_far_below_n():
    cells = [[31.5, 47.25], [52.5, 38.75]]
    assert "far below n = 400" in signs(cells, Laplace(4.0), 400)[0]
    assert not signs(cells, Laplace(4.0), 200)
    assert not signs(cells, Laplace(4.0), None)


def test_every_test_says_it():
    clipped = np.array([[31, 0, 12], [44, 0, 0], [0, 25, 18]])
    for result in (
        independence(clipped, noise=Laplace(10)),
        goodness_of_fit(clipped.ravel(), np.full(9, 1 / 9), noise=Laplace(10)),
        homogeneity(*clipped, noise=Laplace(10)),
    ):
        assert any("exactly 0" in warning for warning in result.warnings) or result.df == 4
    assert any("exactly 0" in w for w in independence(clipped, noise=Laplace(10)).warnings)


@pytest.mark.parametrize("law", [Laplace(2.0), Gaussian(2.0), ProjectedGaussian(2.0)])
def test_noise_that_was_left_as_it_is_gives_no_sign(law):
    """Continuous noise is never a whole number, so there is no chance of an alarm but for n (8 standard deviations)."""
    rng = np.random.default_rng(3)
    for table in 3 + law.on((3, 3)).sample(500, rng):
        assert not signs(table, law, 27)


def test_our_own_releases_give_no_sign(tmp_path):
    """Drawn without a seed; a false alarm needs a cell of the fine grid that is exactly 0: below 1e-6."""
    schema = Schema({"x": ["a", "b"], "y": ["c", "d"]}, complete=True)
    ledger = Ledger.create(tmp_path / "l", PureDP(50))
    import polars as pl

    data = pl.DataFrame({"x": ["a", "b"] * 20, "y": ["c"] * 20 + ["d"] * 20})
    with Curator(data, schema, ledger=ledger) as curator:
        for epsilon in (0.01, 0.5, 4):
            table = curator.table(["x", "y"], PureDP(epsilon))
            assert not signs_of_postprocessing(table.counts.ravel(), (table.noise,), table.n)
