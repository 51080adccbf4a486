"""Where the answer is known for another reason: no noise, symmetry, range; and where there is none, a clear refusal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.errors import InvalidInput, NotApplicable, NotAvailable
from discreet.inference import Conditional, MonteCarlo, goodness_of_fit, homogeneity, independence
from discreet.inference.null.problem import Tail
from discreet.inference.statistic.cellwise import STATISTICS
from discreet.noise import Gaussian, Laplace, ProjectedGaussian

TABLE = np.array([[120.0, 90.0, 150.0], [80.0, 110.0, 140.0]])
SILENT = Laplace(1e-7)


@pytest.mark.parametrize("noise", [SILENT, Gaussian(1e-7), ProjectedGaussian(1e-7)])
@pytest.mark.parametrize("n", [690, None])
@pytest.mark.parametrize(("statistic", "power"), [("chi2", "pearson"), ("lr", "log-likelihood")])
def test_independence_without_noise_is_scipys(noise, n, statistic, power):
    ours = independence(TABLE, noise=noise, n=n, statistic=statistic, rng=1)
    classical = stats.chi2_contingency(TABLE, correction=False, lambda_=power)
    assert ours.statistic == pytest.approx(classical.statistic, rel=1e-9)
    assert ours.pvalue == pytest.approx(classical.pvalue, rel=1e-6)
    assert ours.df == classical.dof
    assert ours.naive_pvalue == pytest.approx(classical.pvalue, rel=1e-9)


@pytest.mark.parametrize("n", [300, None])
@pytest.mark.parametrize(("statistic", "power"), [("chi2", "pearson"), ("lr", "log-likelihood")])
def test_goodness_of_fit_without_noise_is_scipys(n, statistic, power):
    theta = np.array([0.3, 0.2, 0.4, 0.1])
    cells = np.array([100.0, 55.0, 120.0, 25.0])
    ours = goodness_of_fit(cells, theta, noise=SILENT, n=n, statistic=statistic, rng=1)
    classical = stats.power_divergence(cells, 300 * theta, lambda_=power)
    assert ours.statistic == pytest.approx(classical.statistic, rel=1e-9)
    assert ours.pvalue == pytest.approx(classical.pvalue, rel=1e-6)


@pytest.mark.parametrize("n", [[360, 330], None])
def test_homogeneity_without_noise_is_scipys(n):
    ours = homogeneity(*TABLE, noise=SILENT, n=n, rng=1)
    classical = stats.chi2_contingency(TABLE, correction=False)
    assert ours.statistic == pytest.approx(classical.statistic, rel=1e-9)
    assert ours.pvalue == pytest.approx(classical.pvalue, rel=1e-6)
    one_table = homogeneity(TABLE, noise=SILENT, n=n, rng=1)
    assert one_table.pvalue == pytest.approx(classical.pvalue, rel=1e-6)


def test_effect_without_noise_is_the_classical_noncentrality_interval():
    result = independence(TABLE, noise=SILENT, n=690, rng=1)
    expected = [
        np.sqrt(nc / 690)
        for nc in (_noncentrality(result.statistic, 2, 0.975), _noncentrality(result.statistic, 2, 0.025))
    ]
    assert result.effect.low == pytest.approx(expected[0], rel=2e-3)
    assert result.effect.high == pytest.approx(expected[1], rel=2e-3)
    assert result.effect.phi2 == pytest.approx((result.statistic - 2) / 690)


def _noncentrality(t, df, q):
    """The nc at which P(ncx2 <= t) = q, by bisection."""
    low, high = 1e-9, 1000.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if stats.ncx2.cdf(t, df, middle) > q else (low, middle)
    return low


def test_the_two_null_methods_agree():
    for kwargs in ({"noise": Laplace(20), "n": 1000}, {"noise": Gaussian(30), "n": None}):
        table = [[230.5, 271.25], [248, 236.75]]
        conditional = independence(table, **kwargs, null=Conditional(points=16384), rng=1)
        reference_points = independence(table, **kwargs, null=MonteCarlo(points=200_000), rng=2)
        gap = abs(conditional.pvalue - reference_points.pvalue)
        assert gap < 5 * np.hypot(conditional.pvalue_error, reference_points.pvalue_error)
        assert reference_points.pvalue_error > 2 * conditional.pvalue_error  # from a twelfth of the points


def test_goodness_of_fit_by_simulation_is_close_to_the_limit_law_and_says_what_it_is():
    cells, theta = [60.0, 90.0, 170.0, 180.0], [0.1, 0.2, 0.3, 0.4]
    simulated = goodness_of_fit(cells, theta, noise=Laplace(10), n=500, null=MonteCarlo(points=100_000), rng=1)
    limit = goodness_of_fit(cells, theta, noise=Laplace(10), n=500, rng=1)
    assert "finite-sample" in simulated.null
    assert "limit law" in limit.null
    assert abs(simulated.pvalue - limit.pvalue) < 0.01
    estimated = goodness_of_fit(cells, theta, noise=Laplace(10), null="monte-carlo", rng=1)
    assert "limit law" in estimated.null


def test_monte_carlo_never_claims_zero():
    result = independence([[900.0, 10.0], [10.0, 900.0]], noise=Laplace(1), n=1820, null=MonteCarlo(points=999), rng=1)
    assert result.pvalue == pytest.approx(1 / 1000)


tables = st.lists(st.lists(st.floats(-20, 400), min_size=3, max_size=3), min_size=2, max_size=4)


@settings(max_examples=60, deadline=None)
@given(tables, st.floats(0.01, 60), st.booleans(), st.sampled_from(["chi2", "lr"]))
def test_a_pvalue_is_a_probability_or_the_test_is_refused(cells, scale, public, statistic):
    try:
        result = independence(
            cells,
            noise=Laplace(scale),
            n=max(500, np.sum(cells)) if public else None,
            statistic=statistic,
            null=Conditional(points=64),
            rng=1,
        )
    except NotApplicable as refusal:
        assert "not above 0" in str(refusal) or "too small" in str(refusal)
        return
    assert 0 <= result.pvalue <= 1
    assert result.pvalue_error >= 0
    assert 0 <= result.effect.low <= result.effect.high <= 1
    assert np.isfinite([result.statistic, result.effect.value, result.naive_pvalue]).all()


@settings(max_examples=25, deadline=None)
@given(st.permutations([0, 1, 2]), st.permutations([0, 1]), st.booleans())
def test_permuting_categories_and_transposing_change_nothing(columns, rows, transpose):
    kwargs = {"noise": Gaussian(12), "n": 690, "null": Conditional(points=16384)}
    moved = TABLE[np.ix_(rows, columns)]
    moved = moved.T if transpose else moved
    original, other = independence(TABLE, rng=1, **kwargs), independence(moved, rng=2, **kwargs)
    assert other.statistic == pytest.approx(original.statistic, rel=1e-12)
    assert other.law.mean == pytest.approx(original.law.mean, rel=1e-12)
    assert abs(other.pvalue - original.pvalue) < 6 * np.hypot(original.pvalue_error, other.pvalue_error) + 1e-9


def test_noisy_cells_at_or_below_zero_have_a_documented_likelihood_ratio():
    table = [[-3.0, 40.0], [50.0, 60.0]]
    result = independence(table, noise=Laplace(4), statistic="lr", rng=1)
    expected = np.outer([37, 110], [47, 100]) / 147
    terms = [3.0 + expected[0, 0]]
    for i, j in ((0, 1), (1, 0), (1, 1)):
        terms.append(table[i][j] * np.log(table[i][j] / expected[i, j]) - table[i][j] + expected[i, j])
    assert result.statistic == pytest.approx(2 * sum(terms), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: independence([[5.0, -9.0], [3.0, 4.0]], noise=Laplace(4)), NotApplicable, "row '0'"),
        (lambda: independence([[-5.0, -9.0], [3.0, 4.0]], noise=Laplace(4)), NotApplicable, "sum to"),
        (lambda: independence([[5.0, 9.0]], noise=Laplace(4)), InvalidInput, "two rows and two columns"),
        (lambda: independence([[5.0, 9.0], [3.0, 4.0]]), InvalidInput, "noise="),
        (lambda: independence([[5.0, np.nan], [3.0, 4.0]], noise=Laplace(4)), InvalidInput, "finite"),
        (lambda: independence([[5, 9], [3, 4]], noise=Laplace(4), n=-1), InvalidInput, "n must be"),
        (lambda: independence([[5, 9], [3, 4]], noise=Laplace(4).on((3, 2))), InvalidInput, "shape"),
        (
            lambda: independence([[5, 9], [3, 4]], noise=Laplace(4), statistic="g"),
            InvalidInput,
            "'chi2', 'lr', 'projected'",
        ),
        (lambda: independence([[5, 9], [3, 4]], noise=Gaussian(4), statistic="minp"), NotApplicable, "'projected'"),
        (lambda: independence([[5, 9], [3, 4]], noise=Laplace(4), null="exact"), InvalidInput, "'exact'"),
        (lambda: independence([[5, 9, 8], [3, 4, 6]], noise=Laplace(4), null="closed-form"), NotAvailable, "2 degrees"),
        (lambda: independence([[5, 9], [3, 4]], "a", "b", noise=Laplace(4)), InvalidInput, "release"),
        (lambda: goodness_of_fit([5, 9], [0.5, 0.4], noise=Laplace(4)), InvalidInput, "sum to 1"),
        (lambda: goodness_of_fit([5, 9], [0.5, 0.2, 0.3], noise=Laplace(4)), InvalidInput, "shape"),
        (lambda: goodness_of_fit([5, 9], [1.5, -0.5], noise=Laplace(4)), InvalidInput, "above 0"),
        (lambda: goodness_of_fit([5, 9], ["a", "b"], noise=Laplace(4)), InvalidInput, "numbers"),
        (lambda: goodness_of_fit([5], [1.0], noise=Laplace(4)), InvalidInput, "two cells"),
        (lambda: homogeneity(), InvalidInput, "two samples"),
        (lambda: homogeneity([5, 9], [5, 9, 4], noise=Laplace(4)), InvalidInput, "one shape"),
        (lambda: homogeneity([5, 9], [5, 9], noise=[Laplace(4)]), InvalidInput, "noise laws"),
        (lambda: homogeneity([5, -9], [5, 8], noise=Laplace(4), n=[10, 10]), NotApplicable, "category 1"),
        (lambda: Conditional(points=0), InvalidInput, "points"),
        (lambda: MonteCarlo(points=True), InvalidInput, "points"),
    ],
)
def test_what_cannot_be_tested_is_refused_with_the_reason(call, error, words):
    with pytest.raises(error, match=words.replace("(", "\\(")):
        call()


def test_warnings_come_from_released_numbers():
    sparse = independence([[12.0, 30.0], [45.0, 50.0]], noise=Laplace(4), rng=1)
    assert any("below 5 + 3 noise standard deviations" in w for w in sparse.warnings)
    assert independence(TABLE + 0.25, noise=Laplace(1), n=690, rng=1).warnings == ()


def test_power_grows_with_the_budget():
    """Smoking and physical work in the Czech table (chi-squared 27.4): found at epsilon = .5, not at .02."""
    counts = np.array([[540, 421], [387, 493]])
    rng = np.random.default_rng(6)
    rejections = {}
    for epsilon in (0.02, 0.5):
        noise = Laplace(2 / epsilon)
        pvalues = [
            independence(counts + noise.sample((2, 2), rng), noise=noise, n=1841, rng=rng).pvalue for _ in range(60)
        ]
        rejections[epsilon] = np.mean(np.array(pvalues) < 0.05)
    assert rejections[0.5] > 0.9
    assert rejections[0.02] < 0.5


class HardlyReached:
    """A null method that met few of the noise tables that matter."""

    def tail(self, problem, t, rng):
        return Tail(1e-8, 3e-9, "by a few points")


def test_a_tail_that_was_hardly_reached_is_called_imprecise():
    table = [[370.0, 130.0], [130.0, 370.0]]
    far = independence(table, noise=Laplace(20), n=1000, null=HardlyReached())
    assert any("may be too small" in w for w in far.warnings)
    near = independence(table, noise=Laplace(20), n=1000)
    assert near.warnings == ()


FIGURE_1A = [
    [[76, 61], [411, 452]],
    [[189, 166], [307, 338]],
    [[207, 183], [290, 320]],
    [[183, 215], [310, 292]],
    [[211, 248], [278, 263]],
    [[244, 218], [255, 283]],
    [[234, 266], [261, 239]],
    [[235, 265], [262, 238]],
]


@pytest.mark.parametrize("table", FIGURE_1A)
def test_the_papers_first_table_without_noise(table):
    """Wang, Lee and Kifer, figure 1a: n = 1000, LR 2.918, chi-squared 2.916, p(LR) .0876; eight tables print these."""
    chi2 = independence(table, noise=SILENT, n=1000, rng=1)
    lr = independence(table, noise=SILENT, n=1000, rng=1, statistic="lr")
    assert (round(chi2.statistic, 3), round(lr.statistic, 3), round(lr.pvalue, 4)) == (2.916, 2.918, 0.0876)
    if table == [[234, 266], [261, 239]]:
        assert chi2.statistic == pytest.approx(2.9162916292, abs=1e-9)
        assert lr.statistic == pytest.approx(2.9177113137, abs=1e-9)
        assert chi2.pvalue == pytest.approx(0.0876891773, abs=1e-8)
        assert lr.pvalue == pytest.approx(0.0876120488, abs=1e-8)


def test_the_corrected_likelihood_ratio_approaches_chi2_and_the_uncorrected_one_does_not():
    """Theorem 2 for goodness of fit: the median gap falls like 1/sqrt(n); without the correction it grows like sqrt(n)."""
    theta, rng = np.full(4, 0.25), np.random.default_rng(1)
    corrected, uncorrected = [], []
    for n in (200, 20_000, 2_000_000):
        noise = np.sqrt(n) * rng.laplace(0, 0.5, (400, 4))
        table = rng.multinomial(n, theta, 400) + noise
        expected = n * theta
        chi2 = ((table - expected) ** 2 / expected).sum(1)
        lr = np.array([goodness_of_fit_statistic(t, expected) for t in table])
        corrected.append(np.median(np.abs(lr - chi2)))
        uncorrected.append(np.median(np.abs(lr + 2 * (table - expected).sum(1) - chi2)))
    assert corrected[0] > 5 * corrected[1] > 25 * corrected[2]
    assert uncorrected[2] > 5 * uncorrected[1] > 25 * uncorrected[0]


def goodness_of_fit_statistic(table, expected):
    return float(STATISTICS["lr"][0](table, expected))
