"""What must not change a p-value: names and order of categories, rows for columns, the unit of counting, a way round."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.errors import NotApplicable
from discreet.inference import independence
from discreet.noise import Gaussian, Laplace, ProjectedGaussian
from discreet.release import TableRelease

LAWS = st.sampled_from([Gaussian, ProjectedGaussian, Laplace])


@st.composite
def expected_tables(draw: st.DrawFn, largest: int = 4) -> np.ndarray:
    """Positive tables without association, of n from 200 to 5,000."""
    rows = np.array(draw(st.lists(st.floats(0.1, 1), min_size=2, max_size=largest)))
    columns = np.array(draw(st.lists(st.floats(0.1, 1), min_size=2, max_size=largest)))
    return draw(st.floats(200, 5000)) * np.outer(rows / rows.sum(), columns / columns.sum())


@st.composite
def tables(draw: st.DrawFn, largest: int = 4) -> np.ndarray:
    """Tables with some association."""
    expected = draw(expected_tables(largest))
    signs = draw(st.lists(st.floats(-1, 1), min_size=expected.size, max_size=expected.size))
    return expected + 2 * np.sqrt(expected) * np.reshape(signs, expected.shape)


def pvalue(table: np.ndarray, law, n: float | None = None):
    """The p-value and what two evaluations of it may differ by: six standard errors."""
    try:
        result = independence(table, noise=law, n=n, rng=1)
    except NotApplicable:
        return None
    return result.pvalue, 1e-9 * result.pvalue + 6 * result.pvalue_error


def same(first, second) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first[0] - second[0]) <= first[1] + second[1]


@settings(max_examples=40, deadline=None)
@given(tables(), LAWS, st.floats(0.1, 15), st.randoms(use_true_random=False))
def test_the_order_of_the_categories(table, law, scale, random):
    rows, columns = (random.sample(range(k), k) for k in table.shape)
    assert same(pvalue(table, law(scale)), pvalue(table[np.ix_(rows, columns)], law(scale)))


@settings(max_examples=40, deadline=None)
@given(tables(), LAWS, st.floats(0.1, 15), st.booleans())
def test_rows_for_columns(table, law, scale, public):
    n = table.sum() if public else None
    assert same(pvalue(table, law(scale), n), pvalue(table.T, law(scale), n))


@settings(max_examples=40, deadline=None)
@given(expected_tables(), LAWS, st.floats(0.5, 8), st.floats(0, 4), st.floats(0.25, 16))
def test_scale(expected, law, scale, size, factor):
    """The limit law knows the noise through sd/sqrt(n): with `factor` times the records, sqrt(factor) times the noise and
    the same residuals in standard deviations nothing changes."""
    deviation = np.zeros(expected.shape)
    deviation[:2, :2] = size * np.sqrt(expected.min()) * np.array([[1, -1], [-1, 1]]) / 4
    small = pvalue(expected + deviation, law(scale))
    large = pvalue(factor * expected + factor**0.5 * deviation, law(factor**0.5 * scale))
    assert same(small, large)


@settings(max_examples=40, deadline=None)
@given(tables(), LAWS, st.booleans())
def test_without_noise_it_is_the_classical_test(table, law, public):
    table = np.maximum(table, 1.0)
    classical = stats.chi2_contingency(table, correction=False).pvalue
    assert pvalue(table, law(1e-7), table.sum() if public else None)[0] == pytest.approx(
        classical, rel=1e-5, abs=1e-300
    )


@settings(max_examples=25, deadline=None)
@given(tables(3), LAWS, st.floats(0.5, 6), st.integers(2, 4), st.booleans())
def test_the_margin_of_a_release_is_a_release_of_the_margin(table, law, scale, layers, public):
    """A release of three columns, summed over the third; and the two-way table of those sums with the law that they have."""
    shares = np.linspace(0.5, 1.5, layers) / layers
    wide = np.round(table[:, :, None] * shares)
    columns = {"a": range(wide.shape[0]), "b": range(wide.shape[1]), "c": range(layers)}
    n = int(wide.sum()) if public or law is ProjectedGaussian else None
    release = TableRelease.from_counts(wide, columns, noise=law(scale), n=n)
    noise = law(scale).on(wide.shape).margin((0, 1))
    try:
        from_wide = independence(release, "a", "b", rng=1)
        from_margin = independence(release.margin(["a", "b"]), rng=2)
        from_sums = independence(wide.sum(2), noise=noise, n=n, rng=3)
    except NotApplicable:
        return
    for result in (from_margin, from_sums):
        assert result.statistic == pytest.approx(from_wide.statistic, rel=1e-12)
        slack = 6 * (result.pvalue_error + from_wide.pvalue_error)
        assert abs(result.pvalue - from_wide.pvalue) <= slack + 1e-9 * result.pvalue


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-50, 2000), min_size=4, max_size=4),
    LAWS,
    st.floats(1e-3, 200),
    st.booleans(),
    st.sampled_from(["chi2", "lr"]),
)
def test_a_pvalue_is_a_probability(cells, law, scale, public, statistic):
    table = np.reshape(cells, (2, 2))
    try:
        result = independence(
            table, noise=law(scale), n=max(1.0, table.sum()) if public else None, statistic=statistic, rng=1
        )
    except NotApplicable:
        return
    assert 0 <= result.pvalue <= 1
    assert result.pvalue_error >= 0


@settings(max_examples=40, deadline=None)
@given(expected_tables(2), LAWS, st.floats(0.1, 30), st.lists(st.floats(0, 0.95), min_size=2, max_size=6))
def test_a_larger_deviation_has_a_smaller_pvalue(expected, law, scale, sizes):
    """Two by two, margins fixed: the closed forms are monotone in the statistic to their last digits."""
    direction = expected.min() * np.array([[1, -1], [-1, 1]])
    found = [pvalue(expected + size * direction, law(scale)) for size in sorted(sizes)]
    values = [p[0] for p in found if p is not None]
    assert all(later <= earlier * (1 + 1e-8) for earlier, later in pairwise(values))
