"""The projected statistic: its identities, its limits, its law, and its level.

Levels: 6,000 tables give a standard error of .0028 at .05, so the bounds .032 and .069 are passed by chance with probability
below 1e-6 if the true size lies in .045 ... .055; with 10,000 other tables each it was measured at .046 ... .054.
"""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from discreet.errors import InvalidInput, NotApplicable, NotAvailable
from discreet.inference import Conditional, MonteCarlo, goodness_of_fit, homogeneity, independence
from discreet.inference.null.bootstrap import Bootstrap
from discreet.inference.statistic.fitted import fit_goodness, fit_homogeneity, fit_independence, on_simplex
from discreet.inference.statistic.jumps import Jumps
from discreet.inference.statistic.projected import project
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian

SKEWED = np.array([0.5, 0.3, 0.15, 0.04, 0.01])
MARGINS = np.outer((0.6, 0.3, 0.1), (0.5, 0.3, 0.15, 0.05))
SAMPLES = np.array([0.4, 0.3, 0.2, 0.1])
TABLE = np.array([[120.0, 90.0, 150.0], [80.0, 110.0, 140.0]])
CELLS = np.array([460.3, 322.1, 138.8, 71.4, -3.9])
SILENT = [Laplace(1e-7), Gaussian(1e-7), ProjectedGaussian(1e-7)]


def covariance(theta, n):
    return n * (np.diag(theta) - np.outer(theta, theta))


# -- identities ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [Gaussian(14.0), Laplace(10.0)])
def test_public_total_is_the_formula_of_kifer_and_rogers(noise):
    centre = np.eye(5) - 0.2
    s = covariance(SKEWED, 1000) + noise.variance * np.eye(5)
    r = CELLS - 1000 * SKEWED
    ours = goodness_of_fit(CELLS, SKEWED, noise=noise, n=1000, statistic="projected", rng=1).statistic
    assert ours == pytest.approx(r @ centre @ np.linalg.inv(s) @ centre @ r, rel=1e-10)
    assert centre @ np.linalg.inv(s) @ centre == pytest.approx(np.linalg.pinv(centre @ s @ centre), rel=1e-9, abs=1e-15)


def test_full_noise_and_rank_deficient_noise_lead_to_one_statistic():
    full = goodness_of_fit(CELLS, SKEWED, noise=Gaussian(14.0), n=1000, statistic="projected")
    centred = CELLS - (CELLS.sum() - 1000) / 5
    deficient = goodness_of_fit(centred, SKEWED, noise=ProjectedGaussian(14.0), n=1000, statistic="projected")
    assert full.statistic == pytest.approx(deficient.statistic, rel=1e-10)
    assert full.pvalue == pytest.approx(deficient.pvalue, rel=1e-10)
    s = covariance(SKEWED, 1000) + ProjectedGaussian(14.0).on((5,)).covariance
    r = centred - 1000 * SKEWED
    assert deficient.statistic == pytest.approx(r @ np.linalg.pinv(s, rcond=1e-12) @ r, rel=1e-8)


@pytest.mark.parametrize("noise", [Gaussian(14.0).on((5,)), ProjectedGaussian(14.0).on((5,), other=True)])
def test_estimated_total_is_the_formula_with_the_total_taken_out(noise):
    total = CELLS.sum()
    take_out = np.eye(5) - np.outer(SKEWED, np.ones(5))
    s = covariance(SKEWED, total) + take_out @ noise.covariance @ take_out.T
    e = take_out @ CELLS
    ours = goodness_of_fit(CELLS, SKEWED, noise=noise, statistic="projected")
    assert ours.statistic == pytest.approx(e @ np.linalg.pinv(s, rcond=1e-12) @ e, rel=1e-8)
    assert ours.pvalue == pytest.approx(stats.chi2.sf(ours.statistic, 4), rel=1e-10)


@pytest.mark.parametrize("n", [700, None])
def test_independence_is_the_minimum_over_a_linear_step_of_the_nuisance(n):
    noise = Gaussian(6.0).on((2, 3))
    fitted = fit_independence(TABLE.ravel(), n, noise)
    total = fitted.totals[0]
    theta = fitted.expected / total
    take_out = np.eye(6) - (1 / 6 if n else np.outer(theta, np.ones(6)))
    m = np.linalg.pinv(take_out @ (covariance(theta, total) + noise.covariance) @ take_out.T, rcond=1e-11)
    g, e = fitted.tangents, take_out @ fitted.residual
    c = m - m @ g @ np.linalg.solve(g.T @ m @ g, g.T @ m)
    ours = independence(TABLE, noise=Gaussian(6.0), n=n, statistic="projected")
    assert ours.statistic == pytest.approx(e @ c @ e, rel=1e-7)
    assert ours.df == 2


def test_two_by_two_with_equal_margins_is_the_one_contrast():
    table = np.array([[270.0, 230.0], [230.0, 270.0]])
    ours = independence(table, noise=Gaussian(10.0), n=1000, statistic="projected")
    assert ours.statistic == pytest.approx(80.0**2 / (1000 + 4 * 100), rel=1e-10)


def test_weights_and_noise_add_up_to_one():
    for fitted in (
        fit_goodness(CELLS, SKEWED, 1000.0, Laplace(10).on((5,))),
        fit_independence(TABLE.ravel(), None, Laplace(6).on((2, 3))),
        fit_homogeneity(TABLE.ravel(), np.array([360.0, 330.0]), True, (Laplace(6).on((3,)), Gaussian(3).on((3,)))),
    ):
        f = project(fitted).contrasts
        whole = f @ (fitted.sampling_covariance + fitted.noise_covariance) @ f.T
        assert whole == pytest.approx(np.eye(len(f)), abs=1e-9)
        assert f @ fitted.open_directions == pytest.approx(0.0, abs=1e-7)


# -- limits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", SILENT)
@pytest.mark.parametrize("n", [690, None])
def test_independence_without_noise_is_pearsons(noise, n):
    ours = independence(TABLE, noise=noise, n=n, statistic="projected", rng=1)
    classical = stats.chi2_contingency(TABLE, correction=False)
    assert ours.statistic == pytest.approx(classical.statistic, rel=1e-8)
    assert ours.pvalue == pytest.approx(classical.pvalue, rel=1e-6)


@pytest.mark.parametrize("noise", SILENT)
@pytest.mark.parametrize("n", [[360, 330], None])
def test_homogeneity_without_noise_is_pearsons(noise, n):
    classical = stats.chi2_contingency(TABLE, correction=False)
    for tables in ((TABLE[0], TABLE[1]), (TABLE,)):
        if len(tables) == 2 and n is None and isinstance(noise, ProjectedGaussian):
            continue
        ours = homogeneity(*tables, noise=noise, n=n, statistic="projected", rng=1)
        assert ours.statistic == pytest.approx(classical.statistic, rel=1e-8)
        assert ours.pvalue == pytest.approx(classical.pvalue, rel=1e-6)


@pytest.mark.parametrize("noise", SILENT)
@pytest.mark.parametrize("n", [1000, None])
def test_goodness_of_fit_without_noise_is_pearsons(noise, n):
    cells = np.array([470.0, 320.0, 140.0, 55.0, 15.0])
    ours = goodness_of_fit(cells, SKEWED, noise=noise, n=n, statistic="projected", rng=1)
    classical = stats.chisquare(cells, 1000 * SKEWED)
    assert ours.statistic == pytest.approx(classical.statistic, rel=1e-8)
    assert ours.pvalue == pytest.approx(classical.pvalue, rel=1e-6)


@pytest.mark.parametrize("statistic", ["projected", "minp"])
def test_order_of_categories_and_transposition_do_not_matter(statistic):
    options = {"noise": Laplace(5.0), "n": 690, "statistic": statistic, "rng": 1}
    one = independence(TABLE, **options)
    for other in (TABLE.T, TABLE[::-1, [2, 0, 1]]):
        changed = independence(other, **options)
        assert changed.pvalue == pytest.approx(one.pvalue, rel=0.1)
        if statistic == "projected":
            assert changed.statistic == pytest.approx(one.statistic, rel=1e-9)


def test_effect_and_naive_pvalue_stay_those_of_pearsons_statistic():
    for statistic in ("projected", "minp"):
        ours = independence(TABLE, noise=Laplace(5.0), n=690, statistic=statistic, rng=1)
        pearson = independence(TABLE, noise=Laplace(5.0), n=690, rng=1)
        assert ours.effect == pearson.effect
        assert ours.naive_pvalue == pearson.naive_pvalue
        assert ours.statistic_name != pearson.statistic_name


# -- the law under Laplace noise -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fitted",
    [
        fit_goodness(1000 * SKEWED, SKEWED, None, Laplace(10).on((5,))),
        fit_independence(1500 * MARGINS.ravel(), 1500, Laplace(2 / 0.3).on((3, 4))),
        fit_independence(690 * np.full(4, 0.25), 690, JointNoise(Laplace(5.0), (2, 2, 3)).margin((0, 1))),
        fit_homogeneity(
            np.outer([600, 900], SAMPLES).ravel(), np.array([600.0, 900.0]), True, (Laplace(10).on((4,)),) * 2
        ),
    ],
    ids=["fit", "independence", "margin", "homogeneity"],
)
def test_the_average_over_the_noise_agrees_with_draws_of_the_statistic(fitted):
    statistic = project(fitted)
    draws = statistic.draws(400_000, np.random.default_rng(1))
    for level in (0.5, 0.05, 0.001):
        t = float(np.quantile(draws, 1 - level))
        p, error = statistic.average_tail(t, 1 << 16, np.random.default_rng(2))
        expected = (draws >= t).mean()
        assert p == pytest.approx(expected, abs=5 * np.hypot(error, np.sqrt(expected / draws.size)))
        assert error < 0.05 * p


def test_far_tail_of_one_contrast_against_its_closed_form():
    """2 x 2, equal margins: T = (N(0, v) + sum of four Laplace draws)^2 / Var, of known law (a gamma mixture)."""
    n, b = 1000.0, 20.0
    statistic = project(fit_independence(np.full(4, n / 4), n, Laplace(b).on((2, 2))))
    for x in (150.0, 300.0, 600.0):
        reference = 2.0 * _sum_tail(x, n, b)
        t = x**2 / (n + 8 * b**2)
        assert statistic.closed_tail(t)[0] == pytest.approx(reference, rel=1e-7)
        p, error = statistic.average_tail(t, 1 << 16, np.random.default_rng(3))
        assert p == pytest.approx(reference, rel=0.2)
        assert error < 0.08 * p


def _sum_tail(x, v, b):
    """P(N(0, v) + four Laplace(b) > x): the sum of four is S - S' of two gamma(4, b), by quadrature."""
    grid = np.linspace(-80 * b, 80 * b, 160_001)
    z = np.abs(grid) / b
    density = np.exp(-z) * (z**3 + 6 * z**2 + 15 * z + 15) / (96 * b)
    return float((density * stats.norm.sf((x - grid) / np.sqrt(v))).sum() * (grid[1] - grid[0]))


def test_jumps_keep_the_mean_of_anything():
    noises = (Laplace(3.0).on((2,)), ProjectedGaussian(2.0).on((3,), other=True))
    jumps = Jumps.towards(noises, np.eye(5), 400.0)
    noise, weights = jumps.noise(np.random.default_rng(5).random((400_000, jumps.dimension)))
    assert weights.max() <= 1 / 0.25 + 1e-9
    assert weights.mean() == pytest.approx(1.0, abs=0.02)
    second = np.cov(noise.T, aweights=weights)
    expected = np.zeros((5, 5))
    expected[:2, :2], expected[2:, 2:] = noises[0].covariance, noises[1].covariance
    assert second == pytest.approx(expected, abs=0.5)


def test_simulated_nulls_agree():
    options = {"noise": Laplace(10.0), "n": 1000, "statistic": "projected", "rng": 1}
    averaged = goodness_of_fit(CELLS, SKEWED, **options)
    for null in ("monte-carlo", MonteCarlo(points=20_000), Conditional(points=65_536), Bootstrap(replicates=2000)):
        other = goodness_of_fit(CELLS, SKEWED, null=null, **options)
        assert other.statistic == averaged.statistic
        assert other.pvalue == pytest.approx(averaged.pvalue, abs=5 * other.pvalue_error + 0.004)
    gaussian = independence(TABLE, noise=Gaussian(5), n=690, statistic="projected")
    simulated = independence(TABLE, noise=Gaussian(5), n=690, statistic="projected", null="conditional", rng=1)
    assert simulated.pvalue == pytest.approx(gaussian.pvalue, rel=0.02)


def test_the_curve_is_a_density():
    for noise in (Laplace(10.0), Gaussian(10.0)):
        result = goodness_of_fit(CELLS, SKEWED, noise=noise, n=1000, statistic="projected", rng=1)
        curve = pickle.loads(pickle.dumps(result)).null_curve  # a result can be sent to another process
        assert 0.9 < (curve.density * np.gradient(curve.x)).sum() < 1.01


def test_simplex_projection():
    rng = np.random.default_rng(2)
    for _ in range(50):
        cells = rng.normal(3, 10, 7)
        x = on_simplex(cells, 20.0)
        assert x.min() >= 0
        assert x.sum() == pytest.approx(20.0)
        for other in rng.dirichlet(np.ones(7), 20) * 20.0:  # the projection makes no acute angle with the set
            assert (cells - x) @ (other - x) <= 1e-9


def test_what_does_not_apply_is_refused():
    with pytest.raises(NotApplicable, match="use statistic='chi2'"):
        goodness_of_fit(np.full(2001, 5.0), np.full(2001, 1 / 2001), noise=Laplace(1), statistic="projected")
    own = SimpleNamespace(tail=lambda problem, t, rng: None)
    with pytest.raises(NotAvailable, match="takes null="):
        independence(TABLE, noise=Laplace(5), n=690, statistic="projected", null=own)
    with pytest.raises(NotAvailable, match="under Gaussian noise only"):
        independence(TABLE, noise=Laplace(5), n=690, statistic="projected", null="closed-form")
    with pytest.raises(InvalidInput, match="'projected' or 'minp'"):
        independence(TABLE, noise=Laplace(5), n=690, statistic="kifer-rogers")
    with pytest.raises(NotApplicable, match="merge that category"):
        fit_independence(np.array([500.0, 490.0, 1.0, 2.0]), 900.0, Laplace(50).on((2, 2)))


# -- level ---------------------------------------------------------------------------------------------------------


def fits(noise, n, public, strays=0.0):
    def draw(rng, **options):
        counts = rng.multinomial(n, [*(SKEWED * (1 - strays)), strays])[:5]
        noisy = counts + noise.sample(1, rng)[0]
        return goodness_of_fit(noisy, SKEWED, noise=noise, n=n if public else None, rng=rng, **options)

    return draw


def independent(noise, n, public, strays=0.0):
    def draw(rng, **options):
        counts = rng.multinomial(n, [*(MARGINS.ravel() * (1 - strays)), strays])[:12].reshape(3, 4)
        noisy = counts + noise.sample(1, rng)[0]
        return independence(noisy, noise=noise, n=n if public else None, rng=rng, **options)

    return draw


def samples(noise, public):
    def draw(rng, **options):
        noisy = [rng.multinomial(n, SAMPLES) + noise.sample(4, rng) for n in (600, 1200)]
        return homogeneity(*noisy, noise=noise, n=[600, 1200] if public else None, rng=rng, **options)

    return draw


def fixed_groups(rng, **options):
    noise = JointNoise(Gaussian(14.0), (3, 4), centred=True, group_axis=0)
    counts = np.stack([rng.multinomial(n, SAMPLES) for n in (500, 300, 200)])
    return independence(counts + noise.sample(1, rng)[0], noise=noise, n=1000, rng=rng, **options)


def size(draw, tables, seed, **options):
    """The share of p-values <= .05; a table to which the test does not apply is not rejected."""
    rng = np.random.default_rng(seed)
    rejected = 0
    for _ in range(tables):
        try:
            rejected += draw(rng, **options).pvalue <= 0.05
        except NotApplicable:
            pass
    return rejected / tables


root2 = np.sqrt(2)
GAUSSIAN = {
    "fit": fits(Gaussian(root2 / 0.2).on((5,)), 1000, True),
    "fit, total estimated": fits(Gaussian(root2 / 0.2).on((5,)), 1000, False),
    "fit, projected with other": fits(ProjectedGaussian(root2 / 0.2).on((5,), other=True), 2000, False, strays=0.5),
    "independence": independent(Gaussian(root2 / 0.3).on((3, 4)), 1500, True),
    "independence, total estimated": independent(Gaussian(root2 / 0.3).on((3, 4)), 3000, False, strays=0.5),
    "independence, projected": independent(ProjectedGaussian(root2 / 0.3).on((3, 4)), 1500, True),
    "independence, fixed groups": fixed_groups,
    "homogeneity": samples(Gaussian(root2 / 0.2), True),
    "homogeneity, sizes estimated": samples(Gaussian(root2 / 0.2), False),
}
LAPLACE = {
    "fit": fits(Laplace(10).on((5,)), 1000, True),
    "fit, half strays": fits(Laplace(10).on((5,)), 2000, False, strays=0.5),
    "independence": independent(Laplace(2 / 0.3).on((3, 4)), 1500, True),
    "independence, total estimated": independent(Laplace(2 / 0.3).on((3, 4)), 1500, False),
    "homogeneity": samples(Laplace(10), True),
    "homogeneity, sizes estimated": samples(Laplace(10), False),
}


@pytest.mark.slow
@pytest.mark.parametrize("draw", GAUSSIAN.values(), ids=GAUSSIAN)
def test_level_under_gaussian_noise(draw):
    assert 0.032 < size(draw, 6_000, seed=31, statistic="projected") < 0.069


@pytest.mark.slow
@pytest.mark.parametrize("draw", LAPLACE.values(), ids=LAPLACE)
def test_level_under_laplace_noise(draw):
    null = MonteCarlo(points=199)
    assert 0.032 < size(draw, 6_000, seed=32, statistic="projected", null=null) < 0.069


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fit", "fit, half strays", "independence, total estimated", "homogeneity"])
def test_level_of_minp(name):
    size_of_minp = size(LAPLACE[name], 6_000, seed=33, statistic="minp", null=MonteCarlo(points=199))
    assert 0.032 < size_of_minp < 0.069


@pytest.mark.slow
def test_level_of_the_average_over_the_noise():
    draw = LAPLACE["independence"]
    assert 0.032 < size(draw, 6_000, seed=34, statistic="projected", null=Conditional(points=1024)) < 0.069
