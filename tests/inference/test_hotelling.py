"""Hotelling's test on released moments: its statistic, its null by simulation, its inputs and its limits."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats

from discreet import Bounded, PureDP, Schema, hotelling
from discreet.errors import InvalidInput, NotApplicable
from discreet.inference.hotelling_bootstrap import (
    covariance_root,
    in_chunks,
    null_draws,
    sample_covariances,
    simulated_releases,
)
from discreet.inference.mean_caution import noise_dominated_level
from discreet.inference.mean_comparison import MeanComparison, t_squared
from discreet.noise import EigenNoise, EntrywiseNoise, Gaussian, Laplace
from discreet.release import MeanRelease, MomentsRelease, load
from discreet.release.moments.covariance_draws import EntryDraws
from discreet.release.moments.moments_part import MomentsPart


class Exact:
    """A covariance that is released as it is."""

    def sample(self, covariances, rng):
        return covariances


def part(mean, covariance, n=1000, noise=None, law=None, label=None, **scale):
    mean, covariance = np.atleast_1d(np.array(mean, float)), np.atleast_2d(np.array(covariance, float))
    d = mean.size
    scale = {"columns": tuple("abcdefghij"[:d]), "centres": np.zeros(d), "half_widths": np.ones(d)} | scale
    return MomentsPart(label, n, mean, covariance, noise or Laplace(1e-9), law or Exact(), **scale)


def entrywise(scale, d):
    return EntrywiseNoise("laplace", ((scale,) * d,) * d)


@dataclass
class Release:
    parts: tuple


SIGMA = np.array([[0.3, 0.1], [0.1, 0.2]])
X = part([0.12, -0.05], SIGMA, 800, Laplace(0.02), entrywise(0.01, 2), "x")
Y = part([0.02, 0.03], 1.3 * SIGMA, 500, Laplace(0.03), entrywise(0.02, 2), "y")


# --- the statistic


def test_the_statistic_is_the_formula_of_the_paper():
    """t = h D' Sigma^-1 D with the corrections c_i = 2 b_i^2, written out with numpy.linalg.inv."""
    h = 800 * 500 / 1300
    pooled = (799 * X.covariance + 499 * Y.covariance) / 1298 + h * (2 * 0.02**2 + 2 * 0.03**2) * np.eye(2)
    difference = X.mean - Y.mean
    result = hotelling(X, Y, replicates=10, rng=1)
    assert result.statistic == pytest.approx(h * difference @ np.linalg.inv(pooled) @ difference, rel=1e-12)
    assert (result.df, result.n, result.n_is_public) == (2, 1300, True)
    bare = (799 * X.covariance + 499 * Y.covariance) / 1298
    naive = stats.chi2.sf(h * difference @ np.linalg.inv(bare) @ difference, 2)
    assert result.naive_pvalue == pytest.approx(naive, rel=1e-9)


def test_one_sample_and_a_mean_in_the_columns_own_units():
    x = replace(X, centres=np.array([100.0, 5.0]), half_widths=np.array([50.0, 5.0]))
    result = hotelling(x, mean=[101.0, 4.9], replicates=10, rng=1)
    difference = X.mean - [0.02, -0.02]
    variance = X.covariance + 800 * 2 * 0.02**2 * np.eye(2)
    assert result.statistic == pytest.approx(800 * difference @ np.linalg.inv(variance) @ difference, rel=1e-12)
    named = hotelling(x, mean={"b": 4.9, "a": 101.0}, replicates=10, rng=1)
    assert named.statistic == result.statistic


def test_the_variance_of_the_noisy_difference_is_what_sigma_estimates():
    """n1 = n2 = 2000, d = 3, epsilon = 2: b = 8 d/(n epsilon) = .006, h (c1 + c2) = .144, and h Var D = 1/3 + .144 = .4773.

    200,000 differences: relative standard error of a variance about .0035, so 5 of them.
    """
    law = Laplace(8 * 3 / (2000 * 2))
    groups = part(np.zeros(3), np.eye(3) / 3, 2000, law), part(np.zeros(3), np.eye(3) / 3, 2000, law)
    comparison = MeanComparison(groups)
    assert comparison.added == pytest.approx(0.144, rel=1e-12)
    rng = np.random.default_rng(5)
    errors = simulated_releases(groups[0], 200_000, rng)[0] - simulated_releases(groups[1], 200_000, rng)[0]
    assert comparison.h * errors.var(0) == pytest.approx(np.full(3, 0.4773), rel=0.0175)


@pytest.mark.parametrize("scale", [1.0, 1e-7])
def test_the_statistic_is_the_same_whichever_sample_is_first_and_however_columns_are_ordered(scale):
    x, y = (replace(p, covariance_noise=Exact(), mean_noise=Laplace(scale * 0.02)) for p in (X, Y))
    value = hotelling(x, y, replicates=1).statistic
    assert hotelling(y, x, replicates=1).statistic == pytest.approx(value, rel=1e-12)
    turned = [replace(p, mean=p.mean[::-1], covariance=p.covariance[::-1, ::-1]) for p in (x, y)]
    assert hotelling(*turned, replicates=1).statistic == pytest.approx(value, rel=1e-12)
    signs = np.array([1.0, -1.0])
    mirrored = [replace(p, mean=p.mean * signs, covariance=p.covariance * np.outer(signs, signs)) for p in (x, y)]
    assert hotelling(*mirrored, replicates=1).statistic == pytest.approx(value, rel=1e-12)


# --- the null by simulation


def test_without_noise_the_bootstrap_is_hotellings_exact_test():
    """n = 8 and 6, d = 3: T^2 (n - d - 1)/(d (n - 2)) is F(d, n - d - 1), far from chi-squared (p .005 against .09)."""
    sigma = np.array([[0.3, 0.1, 0.0], [0.1, 0.2, 0.05], [0.0, 0.05, 0.1]])
    x, y = part([0.4, 0.2, 0.1], sigma, 8), part([-0.2, 0.4, -0.1], sigma, 6)
    result = hotelling(x, y, replicates=40_000, rng=1)
    exact = stats.f.sf(result.statistic * (14 - 4) / (3 * 12), 3, 10)
    assert exact > 5 * stats.chi2.sf(result.statistic, 3)
    assert result.pvalue == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 40_000))


@pytest.mark.parametrize("n", [2, 5, 40])
def test_with_one_column_and_no_noise_it_is_students_test(n):
    x, y = part([0.3], [[0.1]], n), part([0.05], [[0.2]], n)
    result = hotelling(x, y, replicates=40_000, rng=2)
    # Student's p-value is for equal variances; with equal n that of unequal ones (Welch) brackets it from above.
    t, pooled = stats.ttest_ind_from_stats(0.3, np.sqrt(0.1), n, 0.05, np.sqrt(0.2), n)
    assert result.statistic == pytest.approx(t**2, rel=1e-6)
    equal = hotelling(
        replace(x, covariance=np.array([[0.15]])), replace(y, covariance=np.array([[0.15]])), replicates=40_000, rng=3
    )
    assert equal.pvalue == pytest.approx(pooled, abs=5 * np.sqrt(pooled * (1 - pooled) / 40_000))
    assert "Cohen" in result.effect.name


@pytest.mark.parametrize(
    ("d", "quantile", "level"),
    [(1, 4.239, 0.0589), (2, 6.927, 0.0674), (5, 13.017, 0.0800), (10, 21.310, 0.0884), (30, 48.747, 0.0959)],
)
def test_where_noise_is_all_the_null_is_the_sum_of_squared_double_laplace(d, quantile, level):
    """Quantiles and levels that were computed elsewhere; within about five standard errors of as many draws."""
    groups = tuple(part(np.zeros(d), np.zeros((d, d)), 1000, Laplace(1.0), columns=("c",) * d) for _ in range(2))
    size = 200_000 // d
    draws = null_draws(MeanComparison(groups), size, np.random.default_rng(3))
    assert np.quantile(draws, 0.95) == pytest.approx(quantile, rel=0.03)
    within = 5 * np.sqrt(level * (1 - level) / size)
    assert (draws > stats.chi2.isf(0.05, d)).mean() == pytest.approx(level, abs=within + 5e-4)
    # The warning's own figure, from 50,000/d draws.
    assert noise_dominated_level(MeanComparison(groups)) == pytest.approx(level, abs=2 * within + 5e-4)


def test_where_noise_is_all_and_there_is_one_column_the_tail_is_known():
    """The difference of two Laplace draws: P(|D| > x) = e^(-x/b) (1 + x/(2 b)), and t = D^2/(4 b^2)."""
    groups = tuple(part([m], [[0.0]], 1000, Laplace(0.1)) for m in (0.45, 0.0))
    result = hotelling(*groups, replicates=100_000, rng=4)
    assert result.statistic == pytest.approx((0.45 / 0.2) ** 2, rel=1e-9)
    exact = np.exp(-4.5) * (1 + 2.25)
    assert result.pvalue == pytest.approx(exact, abs=5 * np.sqrt(exact / 100_000))


def test_gaussian_noise_and_exact_covariances_give_the_chi_squared_law():
    x, y = (replace(p, mean_noise=Gaussian(0.05), covariance_noise=Exact(), n=10**7) for p in (X, Y))
    draws = null_draws(MeanComparison((x, y)), 50_000, np.random.default_rng(8))
    assert stats.kstest(draws, "chi2", (2,)).pvalue > 1e-6


def test_the_covariances_are_released_anew():
    """With correlated columns and noise in the covariances the statistic spreads more than with the covariance held fixed."""
    sigma = 0.3 * np.array([[1.0, 0.95], [0.95, 1.0]])
    loud, fixed = (
        MeanComparison((part([0.0, 0.0], sigma, 10**5, Laplace(1e-4), law),) * 2)
        for law in (EigenNoise(0.005, 50.0), Exact())
    )
    tails = [np.quantile(null_draws(c, 20_000, np.random.default_rng(1)), 0.95) for c in (loud, fixed)]
    assert tails[0] > 1.1 * tails[1]


def test_the_p_value_counts_and_is_never_0():
    result = hotelling(X, Y, replicates=999, rng=9)
    draws = null_draws(MeanComparison((X, Y)), 999, np.random.default_rng(9))
    assert result.pvalue == (1 + (draws >= result.statistic).sum()) / 1000
    assert result.pvalue_error == pytest.approx(np.sqrt(result.pvalue * (1 - result.pvalue) / 999))
    far = hotelling(part([0.9, 0.9], SIGMA), part([-0.9, -0.9], SIGMA), replicates=99, rng=1)
    assert far.pvalue == 0.01
    assert any("ask for more replicates" in text for text in far.warnings)


def test_the_asymptotic_null():
    result = hotelling(X, Y, null="asymptotic")
    assert result.pvalue == pytest.approx(stats.chi2.sf(result.statistic, 2), rel=1e-12)
    assert result.pvalue_error == 0
    (warning,) = result.warnings
    assert "has the level 0.06" in warning
    quiet = [replace(p, mean_noise=Laplace(1e-4), n=10_000) for p in (X, Y)]
    assert hotelling(*quiet, null="asymptotic").warnings == ()
    few = [replace(p, mean_noise=Laplace(1e-9), n=20, covariance_noise=Exact()) for p in (X, Y)]
    assert "only 20 records" in hotelling(*few, null="asymptotic").warnings[0]


def test_wishart_matrices():
    """E W = S, Var W_ij = (S_ij^2 + S_ii S_jj)/df; singular S and few degrees of freedom included."""
    rng = np.random.default_rng(6)
    for df in (1, 2, 30):
        drawn = sample_covariances(covariance_root(SIGMA), df, 60_000, rng)
        variance = (SIGMA**2 + np.outer(np.diag(SIGMA), np.diag(SIGMA))) / df
        assert drawn.mean(0) == pytest.approx(SIGMA, abs=5 * np.sqrt(variance.max() / 60_000))
        assert drawn.var(0) == pytest.approx(variance, rel=0.12)
        assert np.linalg.matrix_rank(drawn[0], tol=1e-9) == min(df, 2)
    singular = np.outer([1.0, 2.0], [1.0, 2.0])
    root = covariance_root(singular)
    assert root @ root.T == pytest.approx(singular, abs=1e-12)
    assert not sample_covariances(root, 0, 3, rng).any()


def test_the_memory_is_bounded():
    assert [sum(in_chunks(size, 100)) for size in (1, 1000, 12_345)] == [1, 1000, 12_345]
    assert max(in_chunks(10**6, 100)) * 100**2 <= 2**20
    assert list(in_chunks(5, 2000)) == [1] * 5


def test_t_squared_of_a_batch():
    rng = np.random.default_rng(1)
    a = rng.normal(size=(7, 3, 3))
    matrices, differences = a @ a.swapaxes(-1, -2), rng.normal(size=(7, 3))
    plain = [2.5 * x @ np.linalg.inv(s + 0.3 * np.eye(3)) @ x for x, s in zip(differences, matrices, strict=True)]
    assert t_squared(differences, matrices, 2.5, 0.3) == pytest.approx(plain, rel=1e-10)


# --- the effect


def test_the_distance_without_noise_is_mahalanobis_distance():
    """Many records, no noise: the plain distance, with an interval around it of about the right width."""
    x, y = part([0.3, 0.0], SIGMA, 10**6), part([0.1, 0.1], SIGMA, 10**6)
    effect = hotelling(x, y, replicates=10).effect
    difference = np.array([0.2, -0.1])
    assert effect.value == pytest.approx(np.sqrt(difference @ np.linalg.inv(SIGMA) @ difference), rel=2e-3)
    assert effect.low < effect.value < effect.high
    assert effect.high - effect.low == pytest.approx(2 * 1.96 * np.sqrt(2 / 10**6), rel=0.15)
    assert effect.squared == effect.value**2
    assert effect.name == "Mahalanobis distance"


def test_equal_means_have_distance_0_and_wider_levels_are_wider():
    same = hotelling(X, replace(X, label="z"), replicates=10).effect
    assert (same.value, same.low) == (0.0, 0.0)
    result = hotelling(X, Y, replicates=10)
    assert result.effect_at(0.99).high > result.effect.high > result.effect_at(0.5).high
    assert result.effect == hotelling(X, Y, replicates=20, rng=5).effect  # a function of the release
    with pytest.raises(InvalidInput, match="strictly between 0 and 1"):
        result.effect_at(1.0)


def test_a_covariance_that_is_mostly_noise_is_said_so():
    loud = [replace(p, covariance_noise=entrywise(0.5, 2)) for p in (X, Y)]
    assert any("effect and its interval are rough" in text for text in hotelling(*loud, replicates=10).warnings)
    assert any("rough" in text for text in hotelling(*loud, null="asymptotic").warnings)
    assert hotelling(X, Y, replicates=50, rng=1).warnings == ()


# --- limits


@pytest.mark.parametrize("law", [Exact(), entrywise(0.01, 3), EigenNoise(0.01, 5.0)], ids=["exact", "entries", "ED"])
@pytest.mark.parametrize(
    ("covariance", "n", "scale"),
    [
        (np.zeros((3, 3)), 100, 0.01),
        (np.diag([0.3, 0.2, 0.0]), 100, 0.01),
        (np.ones((3, 3)) / 3, 10**6, 1e-6),
        (np.eye(3) / 3, 2, 0.5),
        (np.eye(3) / 3, 10**12, 1e-12),
        (np.eye(3), 50, 1e9),
        (np.zeros((3, 3)), 3, 1e-100),
    ],
)
def test_whatever_is_released_the_answer_is_finite(covariance, n, scale, law):
    x, y = (
        part([0.1, 0.0, 0.3], covariance, n, Laplace(scale), law),
        part([0.0] * 3, covariance, n, Laplace(scale), law),
    )
    for options in ({"y": y}, {"mean": [0.0, 0.1, 0.2]}, {"y": y, "null": "asymptotic"}):
        result = hotelling(x, **{"replicates": 50, "rng": 1} | options)
        data = result.to_dict()
        assert 0 <= data["pvalue"] <= 1
        assert np.isfinite([data[k] for k in ("statistic", "pvalue_error", "naive_pvalue")]).all()
        assert 0 <= data["effect_low"] <= data["effect"] <= data["effect_high"] < np.inf
        json.dumps(data, allow_nan=False)


def test_more_columns_than_records():
    d = 10
    law = entrywise(0.2, d)
    groups = [part(np.full(d, m), np.eye(d) / 5, 4, Laplace(0.5), law) for m in (0.0, 0.2)]
    assert 0 < hotelling(*groups, replicates=99, rng=1).pvalue <= 1


# --- what users pass


def test_groups_of_one_release():
    release = Release((X, Y, replace(X, label="z", mean=np.array([0.5, 0.5]))))
    pair = hotelling(release, groups=("x", "y"), replicates=99, rng=1)
    assert pair.pvalue == hotelling(X, Y, replicates=99, rng=1).pvalue
    assert pair.test == "Equal means of x and y"
    assert hotelling(Release((X, Y)), replicates=99, rng=1).statistic == pair.statistic
    one = hotelling(release, groups="z", mean=[0.5, 0.5], replicates=9, rng=1)
    assert one.statistic == 0
    assert one.pvalue == 1
    assert one.test == "Mean of z as given"


WIDE = Release((X, Y, replace(X, label="zeta")))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((np.eye(2),), {}, "x must be a release of means and covariances .*, not an? ndarray"),
        ((X, {}), {}, "y must be a release of means and covariances .*, not a dict"),
        ((None,), {}, "not None"),
        ((X,), {}, "one release without groups"),
        ((X, Y), {"mean": [0, 0]}, "a second release or a mean to compare with, not both"),
        ((X, Y), {"groups": ("x", "y")}, "leave it out where there are two releases"),
        ((WIDE,), {}, "3 groups: 'x', 'y', 'zeta'; say with groups= which 2 are meant"),
        ((WIDE,), {"mean": [0, 0]}, "which 1 is meant"),
        ((WIDE,), {"groups": ("x", "zetta")}, "no group 'zetta', .*did you mean 'zeta'"),
        ((WIDE,), {"groups": ("x", "x")}, "must name different groups"),
        ((WIDE,), {"groups": ("x",)}, "groups must name 2 of"),
        ((WIDE, X), {}, "x has 3 groups"),
        ((X, WIDE), {}, r"y has 3 groups \('x', 'y', 'zeta'\): pass one group of it, y.part\(label\)"),
        ((replace(X, label=None),), {"groups": ("x", "y")}, "one release without groups"),
        ((replace(X, label=None),), {"groups": ("x",), "mean": [0, 0]}, "the release has no groups"),
        ((X, part([0.0], [[1.0]])), {}, "different columns: 'a', 'b' and 'a'"),
        ((X, replace(Y, columns=("b", "a"))), {}, "different columns"),
        ((X, replace(Y, half_widths=np.array([1.0, 2.0]))), {}, r"'b' has different bounds .* \[-1, 1\] and \[-2, 2\]"),
        ((X,), {"mean": [0.0]}, r"mean must be 2 numbers, .*'a', 'b'; this has the shape \(1,\)"),
        ((X,), {"mean": [0.0, 1.5]}, r"the given mean of 'b' is 1.5, outside of its declared bounds \[-1, 1\]"),
        ((X,), {"mean": [0.0, np.nan]}, "the given mean of 'b' is nan"),
        ((X,), {"mean": ["0", "1"]}, "mean must be 2 numbers"),
        ((X,), {"mean": {"a": 0.0, "c": 1.0}}, "mean must name each of the columns 'a', 'b', not 'a', 'c'"),
        ((X, Y), {"null": "exact"}, "null must be one of 'bootstrap', 'asymptotic', not 'exact'"),
        ((X, Y), {"replicates": 0}, "replicates must be a whole number of at least 1, not 0"),
        ((X, Y), {"replicates": True}, "at least 1, not True"),
        ((X, Y), {"replicates": 10.0}, "at least 1, not 10.0"),
    ],
)
def test_what_is_not_allowed_is_said_in_one_line(arguments, options, message):
    with pytest.raises(InvalidInput, match=message) as refusal:
        hotelling(*arguments, **options)
    assert "\n" not in str(refusal.value)


def test_groups_without_records_have_no_mean():
    with pytest.raises(NotApplicable, match="group 'x' has no records"):
        hotelling(replace(X, n=0), Y)
    with pytest.raises(NotApplicable, match="one record a group"):
        hotelling(replace(X, n=1), replace(Y, n=1))
    assert 0 < hotelling(replace(X, n=1), replace(Y, n=2), replicates=99, rng=1).pvalue <= 1


# --- releases


def grouped(drawn, covariances, sizes=(200, 300)):
    schema = Schema(
        {"kind": ["old", "new"], "height": Bounded(100, 220, step=1), "weight": Bounded(20, 200, step=1)},
        fixed="kind",
        complete=True,
    )
    means = MeanRelease(
        schema,
        ("height", "weight"),
        drawn=drawn,
        exponents=(0, 0),
        mechanism="Laplace",
        scales=(480.0, 720.0),
        n=sum(sizes),
        group_sizes=sizes,
        guarantee=PureDP(1),
    )
    draws = EntryDraws("EntrywiseLaplace", "Laplace", (86_406.0, 129_606.0, 194_406.0), (0, 0, 0), covariances)
    return MomentsRelease(means, draws)


def test_a_release_with_groups_from_a_file(tmp_path):
    release = grouped((14_150, 11_020, 22_900, 19_000), (16_000, 12_400, 40_900, 26_000, 18_000, 60_000))
    release.save(tmp_path / "moments.json")
    result = hotelling(load(tmp_path / "moments.json"), rng=1)
    assert result.test == "Equal means of old and new"
    assert result.statistic == hotelling(release, groups=("old", "new"), replicates=1).statistic
    # In the columns' own units; noise of the code sums is 480/n and 720/n, and h v is equal after rescaling.
    h, d = 200 * 300 / 500, (release.means[0] - release.means[1]) / [60.0, 90.0]
    pooled = (199 * release.covariances[0] + 299 * release.covariances[1]) / 498 / np.outer([60, 90], [60, 90])
    v = 2 * (8.0 / 200) ** 2 + 2 * (8.0 / 300) ** 2
    assert result.statistic == pytest.approx(h * d @ np.linalg.inv(pooled + h * v * np.eye(2)) @ d, rel=1e-9)
    assert hotelling(release, groups="old", mean=release.means[0], replicates=9).pvalue == 1
    assert hotelling(release.part("old"), release.part("new"), rng=1).pvalue == result.pvalue


def test_from_records_to_the_test():
    """With epsilon = 500 the road through the curator ends near the classical statistic of the records themselves.

    The difference in height is 0.5 of a half width of 60; the noise of each mean there has the scale 4/(2000 * 250), a
    thousandth of it. A draw 14 scales out (probability 1e-6) moves t by 3 %; noise of the covariances by less.
    """
    import pandas as pd

    from discreet import Curator

    rng = np.random.default_rng(5)
    kind = np.repeat(["old", "new"], [2400, 1600])
    records = np.round(rng.normal([170, 70], [8, 12], (4000, 2)) + np.where(kind == "new", 0.5, 0)[:, None])
    frame = pd.DataFrame({"kind": kind, "height": records[:, 0], "weight": records[:, 1]})
    schema = Schema(
        {"kind": ["old", "new"], "height": Bounded(100, 220, step=1), "weight": Bounded(20, 200, step=1)},
        fixed="kind",
        complete=True,
    )
    with Curator(frame, schema, budget=PureDP(500)) as curator:
        release = curator.moments(["height", "weight"], PureDP(500))
    result = hotelling(release, replicates=20_000, rng=1)
    old, new = records[kind == "old"], records[kind == "new"]
    pooled = (2399 * np.cov(old.T) + 1599 * np.cov(new.T)) / 3998
    difference = old.mean(0) - new.mean(0)
    exact = 960 * difference @ np.linalg.inv(pooled) @ difference
    assert result.statistic == pytest.approx(exact, rel=0.05)
    p = stats.f.sf(result.statistic * 3997 / (2 * 3998), 2, 3997)
    assert result.pvalue == pytest.approx(p, abs=5 * np.sqrt(p / 20_000) + 1e-3)


def test_it_prints_and_draws_itself():
    result = hotelling(X, Y, replicates=200, rng=1)
    text = repr(result)
    assert text.startswith("Equal means of x and y (Hotelling's t-squared of a, b, n = 1,300)")
    assert "Mahalanobis distance" in text
    assert "bootstrap: 200 simulated releases" in text
    assert "Mahalanobis" in result._repr_html_()
    assert result.to_frame().shape == (1, 16)
    curve = result.null_curve
    assert (curve.density >= 0).all()
    assert (curve.density * np.diff(curve.x)[0]).sum() == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("df", [2, 3, 8])
def test_the_density_of_simulated_statistics_ends_at_0_as_it_should(df):
    from discreet.inference.null.density import smooth_curve

    curve = smooth_curve(np.random.default_rng(1).chisquare(df, 20_000), 3.0 * df, df)
    exact = stats.chi2.pdf(curve.x, df)
    assert curve.density == pytest.approx(exact, abs=0.06 * exact.max())


def test_a_probability_that_underflows_is_not_shown_as_zero():
    """Without private noise the naive law of so large a distance is below the smallest float."""
    far = MomentsPart(
        "x", 10**6, np.array([0.9]), np.array([[1e-6]]), Laplace(1e-6), Exact(), ("a",), np.zeros(1), np.ones(1)
    )
    near = MomentsPart(
        "y", 10**6, np.array([-0.9]), np.array([[1e-6]]), Laplace(1e-6), Exact(), ("a",), np.zeros(1), np.ones(1)
    )
    result = hotelling(far, near, replicates=99, rng=1)
    assert result.naive_pvalue == 0
    assert "p = below 1e-300 (not valid)" in str(result)
