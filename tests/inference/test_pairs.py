"""All pairs of columns of one wide table: the margins' own laws, with strays and projected noise, and the frame of results."""

import numpy as np
import pytest
from scipy import stats

from discreet.errors import DiscreetWarning, InvalidInput, NotApplicable
from discreet.inference import Conditional, adjust_pvalues, independence, independence_pairs, observed
from discreet.noise import Gaussian, Laplace
from discreet.release import TableRelease
from discreet.release.integers import Integers
from discreet.schema import Schema

SHAPE = (3, 4, 6, 8)
MARGINALS = [np.arange(k, 2 * k) / np.arange(k, 2 * k).sum() for k in SHAPE]
NAMES = ("a", "b", "c", "d")


def wide(rng, mechanism, scale, n, *, complete, k=20):
    """A release of a 4-way table of independent columns; a tenth of the records are strays unless the schema is complete."""
    schema = Schema({name: list(range(size)) for name, size in zip(NAMES, SHAPE, strict=True)}, complete=complete)
    theta = np.einsum("i,j,k,l->ijkl", *MARGINALS).ravel()
    if not complete:
        theta = np.append(0.9 * theta, 0.1)
    noise = rng.laplace(0, scale, theta.size) if mechanism == "Laplace" else rng.normal(0, scale, theta.size)
    drawn = (rng.multinomial(n, theta / theta.sum()) << k) + np.rint(noise * 2.0**k).astype(np.int64)
    return TableRelease(schema, NAMES, Integers(drawn), k, mechanism, scale, n=n)


@pytest.mark.slow
@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize(("mechanism", "tables"), [("ProjectedGaussian", 500), ("Gaussian", 500), ("Laplace", 300)])
def test_every_pair_keeps_its_level(mechanism, tables, complete):
    """576 cells, 12 to 48 draws in a cell of a margin, noise that doubles the variance of a margin's counts and more.

    The share of p-values at most .05 of each pair, and of all six together, within 5.7 binomial standard deviations of .05
    plus .012 for the finite sample (all seven below 1e-6 together; the six are nearly independent). The margin of the table's
    own law (one draw a cell) in place of the margin's would reject more than twice as often: the test of the test.
    """
    rng, n, scale = np.random.default_rng(20261130), 20_000, 12.0
    null = Conditional(points=256) if mechanism == "Laplace" else "auto"
    pvalues, wrong = [], []
    for _ in range(tables):
        release = wide(rng, mechanism, scale, n, complete=complete)
        pvalues.append(independence_pairs(release, null=null, rng=rng).pvalues)
        margin = release.margin(["a", "d"])
        one_draw = {"Laplace": Laplace}.get(mechanism, Gaussian)(scale)
        wrong.append(independence(margin.counts, noise=one_draw, null=null, rng=rng).pvalue)
    hits = np.array(pvalues) <= 0.05
    sd = np.sqrt(0.05 * 0.95 / tables)
    assert (np.abs(hits.mean(0) - 0.05) < 5.7 * sd + 0.012).all(), hits.mean(0)
    assert abs(hits.mean() - 0.05) < 5.7 * sd / np.sqrt(6) + 0.012, hits.mean()
    assert np.mean(np.array(wrong) <= 0.05) > 0.11
    # The whole law, not its tail alone: Kolmogorov's distance of each pair's p-values from uniform ones.
    for column in np.array(pvalues).T:
        assert stats.kstest(column, "uniform").pvalue > 1e-7


@pytest.mark.parametrize("mechanism", ["Laplace", "ProjectedGaussian"])
@pytest.mark.parametrize("complete", [True, False])
def test_a_pair_is_the_test_of_its_margin_with_the_margins_law(mechanism, complete):
    release = wide(np.random.default_rng(1), mechanism, 6.0, 5000, complete=complete)
    found = independence_pairs(release, rng=4)
    seeds = np.random.default_rng(4).integers(2**63, size=6).tolist()
    assert found.pairs == (("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d"))
    for pair, result, seed in zip(found.pairs, found.results, seeds, strict=True):
        alone = independence(release, *pair, rng=seed)
        assert (result.statistic, result.df) == (alone.statistic, alone.df)
        assert result.pvalue == pytest.approx(alone.pvalue, rel=1e-9)
        by_law = independence(
            release.margin(pair).counts,
            noise=release.noise.margin([NAMES.index(name) for name in pair]),
            n=5000 if complete else None,
            rng=seed,
        )
        assert result.pvalue == pytest.approx(by_law.pvalue, rel=1e-9)
    assert found["c", "a"] is found["a", "c"] is found.results[1]


@pytest.mark.parametrize("mechanism", ["Laplace", "Gaussian", "ProjectedGaussian", "DiscreteLaplace"])
@pytest.mark.parametrize("complete", [True, False])
def test_draws_summed_into_one_give_the_same_pvalue(monkeypatch, mechanism, complete):
    """At six standard errors of both (1e-8 for each pair), with the statistic where p is .3 to .01; effects to .01."""
    release = wide(np.random.default_rng(2), mechanism, 6.0, 5000, complete=complete)
    apart = [independence(release.margin(pair), rng=3) for pair in (("a", "b"), ("b", "c"))]
    monkeypatch.setattr(observed, "MOST_DRAWS", 0)
    lumped = [independence(release.margin(pair), rng=3) for pair in (("a", "b"), ("b", "c"))]
    for one, other in zip(apart, lumped, strict=True):
        assert one.statistic == other.statistic
        error = 6.0 * np.hypot(one.pvalue_error, other.pvalue_error) + 1e-9
        assert abs(one.pvalue - other.pvalue) < error < 0.1
        assert one.effect.high == pytest.approx(other.effect.high, abs=0.01)
        assert other.law.dimension <= 25


def test_many_draws_are_one_where_they_are_many():
    """Ten thousand draws in each cell of a pair: no test may write them out."""
    schema = Schema(
        {name: list(range(size)) for name, size in zip(NAMES, (100, 100, 2, 3), strict=True)}, complete=True
    )
    rng = np.random.default_rng(6)
    drawn = (rng.poisson(2, 60_000) << 18) + np.rint(rng.laplace(0, 2.0**19, 60_000)).astype(np.int64)
    release = TableRelease(schema, NAMES, Integers(drawn), 18, "Laplace", 2.0)
    result = independence(release, "c", "d", rng=1)
    assert result.law.dimension == 6
    assert 0 < result.pvalue < 1
    assert result.effect.low <= result.effect.high


def test_the_results_as_a_frame_and_as_text():
    release = wide(np.random.default_rng(3), "Gaussian", 2.0, 5000, complete=True)
    found = independence_pairs(release, ["d", "a", "b"], adjust="benjamini-yekutieli")
    frame = found.to_frame("polars")
    assert frame.columns == [
        "rows", "columns", "statistic", "df", "pvalue", "adjusted", "effect", "effect_low", "effect_high",
    ]  # fmt: skip
    assert list(zip(frame["rows"], frame["columns"], strict=True)) == [("d", "a"), ("d", "b"), ("a", "b")]
    assert frame["df"].to_list() == [14, 21, 6]
    assert np.array_equal(frame["adjusted"], adjust_pvalues(found.pvalues, "benjamini-yekutieli"))
    assert frame["effect"].to_list() == [result.effect.value for result in found.results]
    assert "3 pairs of columns, adjusted by benjamini-yekutieli" in repr(found)
    plain = independence_pairs(release, ["a", "b"], adjust=None)
    assert np.array_equal(plain.adjusted, plain.pvalues)
    assert "Independence of 1 pair of columns, not adjusted" in repr(plain)


def test_a_pair_without_a_test_is_nan_and_named():
    values = np.array([[[50, 40], [60, 70]], [[-30, 10], [20, -5]], [[30, 20], [10, 30]]])
    columns = {"a": ["x", "y", "z"], "b": ["p", "q"], "c": ["u", "v"]}
    table = TableRelease.from_counts(values, columns, noise=Gaussian(20.0))
    with pytest.warns(DiscreetWarning, match="2 of 3 pairs have no p-value"):
        found = independence_pairs(table)
    assert np.isnan(found.pvalues).tolist() == [True, True, False]
    assert found.adjusted[2] == found.pvalues[2]
    assert np.isnan(found.to_frame("polars")["statistic"][0])
    assert "... 2 more pairs" in repr(found)
    with pytest.raises(NotApplicable):
        independence_pairs(table, ["a", "b"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["a"], "need two columns"),
        ("a", "need two columns"),
        (["a", "e"], "unknown column 'e'"),
        (["a", "a"], "different"),
    ],
)
def test_bad_columns_are_refused(columns, message):
    release = wide(np.random.default_rng(3), "Gaussian", 2.0, 5000, complete=True)
    with pytest.raises(InvalidInput, match=message):
        independence_pairs(release, columns)
    with pytest.raises(InvalidInput, match="TableRelease"):
        independence_pairs(release.counts)
    with pytest.raises(InvalidInput, match="method must be one of"):
        independence_pairs(release, adjust="bonferroni")


def test_a_column_of_one_category_has_no_pair():
    table = TableRelease.from_counts(np.ones((2, 2, 1)) * 40, {"a": [1, 2], "b": [1, 2], "c": [1]}, noise=Gaussian(1.0))
    assert independence_pairs(table).pairs == (("a", "b"),)
    with pytest.raises(InvalidInput, match="'c' has one category"):
        independence_pairs(table, ["a", "c"])
