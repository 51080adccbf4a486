"""The bootstrap: its level at the hardest settings, and its agreement with the limit laws.

Levels are shares of 10,000 tables; the bounds are 5.5 binomial standard errors (.012) on either side of .05, plus .004
where the fitted null stands in for the unknown one: a false alarm in less than 1e-6 of the runs.
"""

import time

import numpy as np
import pytest

from discreet.errors import InvalidInput, NotApplicable, NotAvailable
from discreet.estimate import JamesStein
from discreet.inference import Bootstrap, Conditional, goodness_of_fit, homogeneity, independence
from discreet.inference.law import LimitLaw, OneWay, TwoWay
from discreet.inference.null.weights import chi2_weights
from discreet.inference.statistic.cellwise import pearson
from discreet.inference.statistic.refit import Refit, fitted_to_given, fitted_to_sizes
from discreet.inference.tails.weighted_chi2 import weighted_chi2_sf
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian
from discreet.release import TableRelease

THETA = np.array([0.1, 0.2, 0.3, 0.4])
HARD = np.sqrt(2) / 0.1  # sigma at mu = .1
MANY = JamesStein("average", basis="helmert")

# ---- the limit laws of section 6 -------------------------------------------------------------------------------------


def fit_law(noise, n):
    return LimitLaw(OneWay(np.sqrt(THETA), True), 1 / np.sqrt(n * THETA), (noise.on((4,)),))


def weights(law, added=0.0):
    """Eigenvalues of (Pi + K)(I + C)(Pi + K) - K, from matrices written out: C = H Cov(V) H."""
    p = law.scaling.size
    eye = np.eye(p)
    pi, k = law.geometry.residual(eye), np.zeros((p, p))
    if law.geometry.fixed_totals_diagonal.any():
        totals = law.geometry.fixed_totals(eye)
        k = totals @ totals.T
    covariance = np.zeros((p, p))
    start = 0
    for noise in law.noises:
        end = start + noise.size
        covariance[start:end, start:end] = noise.covariance
        start = end
    c = law.scaling[:, None] * covariance * law.scaling
    return np.sort(np.linalg.eigvalsh(pi + (pi + k) @ c @ (pi + k)))[::-1]


GOODNESS = [
    (Gaussian, 0.1, (4.92626565, 2.89644905, 2.21613059, 1.29448804), 0.75353879, 0.45128158),
    (ProjectedGaussian, 0.1, (4.38575423, 2.71837718, 2.14586859), 0.64313471, 0.34825175),
    (Gaussian, 0.5, (1.15051478, 1.07273636, 1.04724142, 0.06284077), 0.20981940, 0.02789254),
    (ProjectedGaussian, 0.5, (1.13543017, 1.06873509, 1.04583474), 0.20220703, 0.02643237),
    (Gaussian, 1.0, None, 0.18122431, 0.02068227),
    (ProjectedGaussian, 1.0, None, 0.17942304, 0.02038678),
]


@pytest.mark.parametrize(("law", "mu", "printed", "at_5", "at_10"), GOODNESS)
def test_the_limit_law_of_goodness_of_fit(law, mu, printed, at_5, at_10):
    limit = fit_law(law(np.sqrt(2) / mu), 500)
    if printed is not None:
        found = weights(limit)
        np.testing.assert_allclose(found[: len(printed)], printed, atol=6e-9)
        np.testing.assert_allclose(found[len(printed) :], 0, atol=1e-12)
        assert limit.mean == pytest.approx(sum(printed), abs=3e-8)
    for t, probability in ((5, at_5), (10, at_10)):
        assert weighted_chi2_sf(t, chi2_weights(limit)) == pytest.approx(probability, abs=1e-8)


SIZES = np.array([400, 600, 1000])


def homogeneity_law(noise):
    return LimitLaw(
        TwoWay(np.sqrt(SIZES / 2000), np.sqrt(THETA), public=True),
        1 / np.sqrt(np.outer(SIZES, THETA).ravel()),
        (noise.on((4,)),) * 3,
    )


@pytest.mark.parametrize(
    ("law", "printed", "at_10"),
    [
        (Gaussian, (1.694954, 1.422724, 1.33388, 1.215891, 1.203518, 1.131867, 0.271469, 0.17014), 0.306174),
        (ProjectedGaussian, (1.616015, 1.377139, 1.312647, 1.208483, 1.19141, 1.127638), 0.263880),
    ],
)
def test_the_limit_law_of_homogeneity(law, printed, at_10):
    limit = homogeneity_law(law(np.sqrt(2) / 0.25))
    np.testing.assert_allclose(weights(limit)[: len(printed)], printed, atol=6e-7)
    assert limit.mean == pytest.approx(sum(printed), abs=4e-6)
    assert weighted_chi2_sf(10, chi2_weights(limit)) == pytest.approx(at_10, abs=6e-7)


@pytest.mark.parametrize(("law", "mu", "printed", "at_5", "at_10"), GOODNESS[:4])
def test_simulated_tables_follow_the_limit_law(law, mu, printed, at_5, at_10):
    """At ten times the records and the same noise beside them: 100,000 tables, within 5.5 standard errors and .001."""
    n, noise = 5000, law(np.sqrt(20) / mu).on((4,))
    draws = Refit(n * THETA, ((n, THETA),), (noise,), fitted_to_given(pearson, THETA, n)).draw(
        100_000, np.random.default_rng(1)
    )
    for t, probability in ((5, at_5), (10, at_10)):
        error = np.sqrt(probability * (1 - probability) / draws.size)
        assert abs((draws >= t).mean() - probability) < 5.5 * error + 0.001


@pytest.mark.parametrize(("law", "finite"), [(Gaussian, 0.3087), (ProjectedGaussian, 0.2651)])
def test_simulated_samples_have_the_printed_tail(law, finite):
    """Finite samples, 60,000 of them; the printed ones have an error of .001 themselves."""
    noise = law(np.sqrt(2) / 0.25).on((4,))
    samples = tuple((float(n), THETA) for n in SIZES)
    refit = Refit(np.outer(SIZES, THETA).ravel(), samples, (noise,) * 3, fitted_to_sizes(pearson, SIZES.astype(float)))
    draws = refit.draw(60_000, np.random.default_rng(2))
    assert abs((draws >= 10).mean() - finite) < 5.5 * np.hypot(0.0019, 0.001)


# ---- p-values --------------------------------------------------------------------------------------------------------


def columns(*sizes):
    return {name: [str(i) for i in range(k)] for name, k in zip("abc", sizes, strict=False)}


def test_it_agrees_with_the_conditional_null():
    rng = np.random.default_rng(3)
    theta = np.outer([0.4, 0.6], [0.2, 0.3, 0.5])
    for noise, options in (
        (Laplace(6.0), {"n": 2000}),
        (Gaussian(8.0), {}),
        (ProjectedGaussian(8.0), {"n": 2000}),
    ):
        noisy = rng.multinomial(2000, theta.ravel()).reshape(2, 3) + noise.on((2, 3)).sample(1, rng)[0]
        for test in (independence, lambda *a, **k: goodness_of_fit(a[0], theta, **k)):
            for statistic in ("chi2", "lr"):
                settings = {"noise": noise, "rng": 1, "statistic": statistic, **options}
                simulated = test(noisy, null=Bootstrap(40_000), **settings)
                limit = test(noisy, null=Conditional(2**14), **settings)
                assert simulated.statistic == limit.statistic
                assert abs(simulated.pvalue - limit.pvalue) < 5 * simulated.pvalue_error + 0.01


def test_samples_released_under_different_guarantees():
    rng = np.random.default_rng(4)
    laws = [Laplace(10.0), ProjectedGaussian(HARD), Gaussian(4.0)]
    tables = [
        TableRelease.from_counts(
            rng.multinomial(n, THETA) + law.on((4,)).sample(1, rng)[0],
            columns(4),
            noise=law,
            n=n if law != laws[1] else None,
        )
        for n, law in zip((400, 700, 900), laws, strict=True)
    ]
    simulated = homogeneity(*tables, null=Bootstrap(40_000), rng=1)
    limit = homogeneity(*tables, null=Conditional(2**14), rng=1)
    assert simulated.statistic == limit.statistic
    assert abs(simulated.pvalue - limit.pvalue) < 5 * simulated.pvalue_error + 0.01


def test_the_name_and_the_words():
    result = goodness_of_fit([120, 90, 100, 90], [0.25] * 4, noise=Laplace(4.0), n=400, null="bootstrap", rng=1)
    assert result.null == "bootstrap: 10,000 tables from the fitted null with fresh noise"
    again = goodness_of_fit([120, 90, 100, 90], [0.25] * 4, noise=Laplace(4.0), n=400, null="bootstrap", rng=1)
    assert again.pvalue == result.pvalue
    assert result.pvalue * 10_001 == pytest.approx(round(result.pvalue * 10_001))
    mass = result.null_curve.density.sum() * np.diff(result.null_curve.x)[0]
    assert 0.9 < mass <= 1  # the far tail is not drawn


def test_the_smallest_pvalue_is_never_zero():
    result = goodness_of_fit([300, 40, 30, 30], [0.25] * 4, noise=Gaussian(2.0), n=400, null=Bootstrap(99), rng=1)
    assert result.pvalue == 0.01


def test_after_post_processing_the_statistic_is_that_of_the_shrunken_table():
    noisy, noise = np.array([61.2, 38.4, 40.3, 32.0, 28.1]), ProjectedGaussian(4.0)
    for estimator in (JamesStein(), MANY):
        result = goodness_of_fit(noisy, [0.2] * 5, noise=noise, n=200, null=Bootstrap(999, estimator), rng=1)
        shrunken = estimator.shrink(noisy, noise.on((5,)))
        assert result.statistic == pytest.approx(((shrunken - 40) ** 2 / 40).sum(), rel=1e-12)
        assert repr(estimator) in result.null


def test_shrinkage_in_every_test():
    rng = np.random.default_rng(5)
    two_way = rng.multinomial(3000, np.full(12, 1 / 12)).reshape(3, 4).astype(float)
    null = Bootstrap(2000, JamesStein())
    assert independence(two_way, noise=ProjectedGaussian(9.0), n=3000, null=null, rng=1).pvalue > 0
    assert homogeneity(*two_way, noise=Gaussian(9.0), n=[1000] * 3, null=null, rng=1).pvalue > 0
    grouped = ProjectedGaussian(9.0).on((3, 4), group_axis=0)
    assert homogeneity(two_way, noise=grouped, n=list(two_way.sum(1)), null=null, rng=1).pvalue > 0


def test_refusals():
    with pytest.raises(InvalidInput, match="replicates must be a whole number of at least 1, not 0"):
        Bootstrap(0)
    with pytest.raises(InvalidInput, match="such as JamesStein"):
        Bootstrap(99, "JS")
    with pytest.raises(NotAvailable, match="Gaussian noise, not Laplace"):
        goodness_of_fit([9, 9, 9, 9], THETA, noise=Laplace(1.0), n=36, null=Bootstrap(99, JamesStein()))
    overshot = [[11.0, 9.0], [9.0, 11.0]]
    with pytest.raises(NotApplicable, match="no statistic"):
        independence(np.array(overshot) / 50, noise=Gaussian(3.0), n=1, null=Bootstrap(9, Negative()))
    with pytest.raises(InvalidInput, match="needs at least 3 cells, not 2"):
        goodness_of_fit([50, 60], [0.5, 0.5], noise=Gaussian(1.0), n=110, null=Bootstrap(99, JamesStein()))


class Negative:
    """A post-processing after which nothing can be tested."""

    def shrink(self, cells, noise):
        return -cells


def test_simulated_tables_without_expected_counts_count_as_extreme():
    """Where noise outweighs a column, many simulated tables have none; the p-value is then large, never NaN."""
    noisy = [[100.0, 130.0, 5.0], [110.0, 90.0, 3.0]]
    result = independence(noisy, noise=Gaussian(30.0), n=430, null=Bootstrap(2000), rng=1)
    assert 0.3 < result.pvalue <= 1
    assert np.isfinite(result.null_curve.density).all()


def test_memory_is_bounded_and_nothing_loops_over_replicates():
    start = time.perf_counter()
    goodness_of_fit(
        np.full(20, 100.0), np.full(20, 0.05), noise=ProjectedGaussian(14.0), n=2000, null=Bootstrap(200_000), rng=1
    )
    assert time.perf_counter() - start < 10


# ---- levels ----------------------------------------------------------------------------------------------------------


def level(draw_and_test, tables=10_000, seed=0):
    rng = np.random.default_rng(seed)
    return np.mean([draw_and_test(rng).pvalue <= 0.05 for _ in range(tables)])


B = 199
EXACT, FITTED = 0.012, 0.016


@pytest.mark.slow
@pytest.mark.parametrize("postprocess", [None, JamesStein("average")], ids=str)
@pytest.mark.parametrize("law", [Gaussian(HARD), ProjectedGaussian(HARD)], ids=str)
def test_level_of_goodness_of_fit_with_a_public_total(law, postprocess):
    noise = law.on((4,))
    null = Bootstrap(B, postprocess)

    def draw(rng):
        noisy = rng.multinomial(500, THETA) + noise.sample(1, rng)[0]
        return goodness_of_fit(noisy, THETA, noise=law, n=500, null=null, rng=rng)

    assert abs(level(draw) - 0.05) < EXACT


@pytest.mark.slow
@pytest.mark.parametrize("law", [Gaussian(HARD), ProjectedGaussian(HARD)], ids=str)
@pytest.mark.parametrize("postprocess", [None, JamesStein()], ids=str)
def test_level_of_goodness_of_fit_with_strays(law, postprocess):
    """A fifth of the records in the other cell: the total is estimated, and simulated at its estimate."""
    noise = law.on((4,), other=True)
    null = Bootstrap(B, postprocess)

    def draw(rng):
        noisy = rng.multinomial(1000, [*(0.8 * THETA), 0.2])[:4] + noise.sample(1, rng)[0]
        return goodness_of_fit(noisy, THETA, noise=noise, null=null, rng=rng)

    assert abs(level(draw) - 0.05) < FITTED


@pytest.mark.slow
@pytest.mark.parametrize("other", [False, True])
def test_level_of_independence(other):
    theta = np.outer((0.3, 0.7), (0.4, 0.6)).ravel() * (0.8 if other else 1.0)
    noise = ProjectedGaussian(HARD).on((2, 2), other=other)
    null = Bootstrap(B)

    def draw(rng):
        counts = rng.multinomial(2000, [*theta, max(0.0, 1 - theta.sum())])[:4].reshape(2, 2)
        noisy = counts + noise.sample(1, rng)[0]
        return independence(noisy, noise=noise, n=None if other else 2000, null=null, rng=rng)

    assert abs(level(draw) - 0.05) < FITTED


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["different laws", "fixed groups"])
def test_level_of_homogeneity(noise):
    sizes, null = [500, 800], Bootstrap(B)
    laws = [ProjectedGaussian(HARD), Laplace(10.0)]
    grouped: JointNoise = ProjectedGaussian(HARD).on((2, 4), group_axis=0)

    def draw(rng):
        counts = np.stack([rng.multinomial(n, THETA) for n in sizes])
        if noise == "fixed groups":
            return homogeneity(counts + grouped.sample(1, rng)[0], noise=grouped, n=sizes, null=null, rng=rng)
        noisy = [x + law.on((4,)).sample(1, rng)[0] for x, law in zip(counts, laws, strict=True)]
        return homogeneity(*noisy, noise=laws, n=sizes, null=null, rng=rng)

    assert abs(level(draw) - 0.05) < FITTED
