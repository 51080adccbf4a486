"""Designs: what they draw, that their effects are what they say, and what is refused."""

import numpy as np
import pytest
from scipy.stats import chisquare
from scipy.stats.contingency import association

from discreet import lab
from discreet.errors import InvalidInput
from discreet.noise import Laplace

ROWS, COLUMNS = [0.2, 0.3, 0.5], [0.4, 0.6]


@pytest.mark.parametrize("effect", [0.0, 0.05, 0.3])
def test_the_effect_is_cramers_v_of_the_expected_table(effect):
    """Against scipy's own V of the expected counts, scaled so that they are whole."""
    for design in (
        lab.independence_design(ROWS, COLUMNS, 1000, effect=effect),
        lab.homogeneity_design(COLUMNS, [200, 300, 500], effect=effect),
    ):
        weights = np.array(design.sizes)[:, None] / 1000 if len(design.sizes) > 1 else 1.0
        counts = np.rint(1e9 * design.theta * weights).astype(int)
        assert association(counts, method="cramer", correction=False) == pytest.approx(effect, abs=1e-7)
        assert design.effect == pytest.approx(effect, abs=1e-12)
        assert design.is_null == (effect == 0)


def test_margins_stay_and_effects_scale():
    design = lab.independence_design(ROWS, COLUMNS, 1000, effect=0.2)
    assert design.theta.sum(1) == pytest.approx(ROWS)
    assert design.theta.sum(0) == pytest.approx(COLUMNS)
    assert design.with_effect(0.1).theta - design.null == pytest.approx((design.theta - design.null) / 2)
    given = lab.independence_design([0.5, 0.5], [0.5, 0.5], 100, effect=[[0.02, -0.02], [-0.02, 0.02]])
    assert given.theta == pytest.approx(np.array([[0.27, 0.23], [0.23, 0.27]]))
    assert given.effect == pytest.approx(0.08)


def test_goodness_of_fit_has_cohens_w():
    design = lab.fit_design([0.1, 0.2, 0.7], 50, true=[0.2, 0.2, 0.6])
    assert design.effect == pytest.approx(np.sqrt(0.1**2 / 0.1 + 0.1**2 / 0.7))
    assert design.theta == pytest.approx([0.2, 0.2, 0.6])
    assert lab.fit_design([0.1, 0.2, 0.7], 50, true=[0.1, 0.2, 0.7]).is_null


def test_other_numbers_of_records_keep_the_effect():
    design = lab.homogeneity_design([[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]], [400, 600])
    for n in (7, 701, 12_345):
        resized = design.with_n(n)
        assert resized.n == n
        assert resized.effect == pytest.approx(design.effect)
        assert resized.theta.sum(1) == pytest.approx([1, 1])
        assert abs(resized.sizes[0] / n - 0.4) <= 0.5 / n + 1e-12
    with pytest.raises(InvalidInput, match="leave one of the 2 samples empty"):
        design.with_n(1)


def test_tables_are_multinomial():
    """The total of 5,000 drawn tables against their probabilities: chi-squared at 1e-6."""
    rng = np.random.default_rng(3)
    for design in (
        lab.independence_design(ROWS, COLUMNS, 40, effect=0.3),
        lab.fit_design([0.1, 0.2, 0.7], 40, effect=0.2),
        lab.homogeneity_design([0.3, 0.7], [10, 30], effect=0.2),
    ):
        counts = design.draw(rng, 5000)
        assert counts.shape == (5000, *design.shape)
        sizes = np.array(design.sizes, float)
        expected = 5000 * (sizes[:, None] * design.theta if len(sizes) > 1 else sizes[0] * design.theta)
        df = design.theta.size - len(sizes)
        assert chisquare(counts.sum(0), expected, ddof=design.theta.size - 1 - df, axis=None).pvalue > 1e-6
        sums = counts.sum(2) if len(sizes) > 1 else counts.reshape(5000, -1).sum(1)
        assert (sums == (sizes if len(sizes) > 1 else sizes[0])).all()


def test_the_noise_is_that_of_each_sample():
    design = lab.homogeneity_design([0.3, 0.7], [10, 30])
    noises = design.noises(Laplace(2.0))
    drawn = design.noise(np.random.default_rng(1), noises, 20_000)
    assert len(noises) == 2
    assert drawn.shape == (20_000, 2, 2)
    assert drawn.std((0,)) == pytest.approx(np.full((2, 2), np.sqrt(8)), rel=0.05)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: lab.independence_design([0.5, 0.5], [0.4, 0.6], 9, effect=0.9),
            r"cell \(1, 0\) would have probability -0",
        ),
        (lambda: lab.independence_design([0.5, 0.6], [0.4, 0.6], 9), "rows must sum to 1; it sums to 1.1"),
        (lambda: lab.independence_design([1.0], [0.4, 0.6], 9), "rows must be two or more probabilities"),
        (lambda: lab.independence_design([0.0, 1.0], [0.4, 0.6], 9), r"rows must be above 0; cell \(0\) is 0"),
        (lambda: lab.independence_design(["a", "b"], [0.4, 0.6], 9), "rows must be an array of numbers"),
        (lambda: lab.independence_design([0.5, 0.5], [0.4, 0.6], 0), r"must lie in 1 ... 2\^53, not 0"),
        (lambda: lab.independence_design([0.5, 0.5], [0.4, 0.6], 9.5), "must be an integer, not 9.5"),
        (lambda: lab.independence_design([0.5, 0.5], [0.4, 0.6], 9, effect=float("nan")), "finite number, not nan"),
        (
            lambda: lab.independence_design([0.5, 0.5], [0.4, 0.6], 9, effect=[[0.1, 0], [0, -0.1]]),
            "must sum to 0, so that",
        ),
        (
            lambda: lab.independence_design([0.5, 0.5], [0.4, 0.6], 9, effect=0.1, pattern=[[0, 0], [0, 0]]),
            "not 0 everywhere",
        ),
        (lambda: lab.fit_design([0.5, 0.5], 9, effect=1.5), r"\(Cohen's w\) leaves the simplex"),
        (lambda: lab.fit_design([0.5, 0.5], 9, true=[0.5, 0.2, 0.3]), r"true has shape \(3,\)"),
        (lambda: lab.fit_design([0.5, 0.5], 9, true=[0.5, 0.5], effect=0.1), "either true= or effect="),
        (lambda: lab.fit_design([0.5, 0.5], 9, pattern=[1, 1], effect=0.1), "must sum to 0, not 2"),
        (lambda: lab.homogeneity_design([0.5, 0.5], [9]), "two samples or more"),
        (
            lambda: lab.homogeneity_design([[0.5, 0.5], [0.2, 0.8]], [9, 9, 9]),
            "theta has 2 rows, but there are 3 sizes",
        ),
        (lambda: lab.homogeneity_design([[0.0, 1.0], [0.0, 1.0]], [9, 9]), "cell 0 has probability 0 in every sample"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()
