"""Power: against direct simulation by the tests themselves, the noncentral formula, and the classical test's own formula."""

import numpy as np
import pytest
from scipy import stats

from discreet import GaussianDP, PureDP, independence, lab
from discreet.errors import InvalidInput, NotAvailable
from discreet.lab.designs.protection import protect
from discreet.lab.power_formula import projected_power
from discreet.noise import Gaussian, Laplace, ProjectedGaussian

SQUARE = lab.independence_design([0.5, 0.5], [0.4, 0.6], 1000, effect=0.1)
SKEWED = lab.independence_design([0.6, 0.3, 0.1], [0.5, 0.3, 0.15, 0.05], 3000, effect=0.07)
FIT = lab.fit_design([0.5, 0.3, 0.15, 0.05], 1000, effect=0.12)
SAMPLES = lab.homogeneity_design([0.25, 0.25, 0.5], [400, 700], effect=0.12)


def agree(one, other, n_one, n_other):
    """Two binomial shares of the same probability, at 1e-6."""
    pooled = (one * n_one + other * n_other) / (n_one + n_other)
    sd = np.sqrt(max(pooled * (1 - pooled), 1e-4) * (1 / n_one + 1 / n_other))
    return abs(one - other) < stats.norm.isf(5e-7) * sd


@pytest.mark.parametrize("law", [Laplace(10.0), Gaussian(10.0)], ids=["laplace", "gaussian"])
def test_the_power_is_that_of_the_tests_themselves(law):
    """Drawn and tested here, table by table."""
    rng, tables = np.random.default_rng(9), 800
    counts = rng.multinomial(1000, SQUARE.theta.ravel(), tables).reshape(-1, 2, 2)
    noisy = counts + law.sample(counts.shape, rng)
    direct = np.mean([independence(t, noise=law, n=1000).pvalue <= 0.05 for t in noisy])
    ceiling = np.mean([stats.chi2_contingency(t, correction=False).pvalue <= 0.05 for t in counts])
    study = lab.power(SQUARE, law, repetitions=2000)
    ours, top = study.rows
    assert (ours.method, top.method) == ("discreet", "no privacy")
    assert agree(ours.power, direct, 2000, tables)
    assert agree(top.power, ceiling, 2000, tables)
    assert ours.low < ours.power < ours.high
    assert ours.error == pytest.approx(np.sqrt(ours.power * (1 - ours.power) / 2000))


@pytest.mark.parametrize("design", [SQUARE, SKEWED, FIT, SAMPLES], ids=["2 x 2", "3 x 4", "fit", "samples"])
@pytest.mark.parametrize("law", [Gaussian(6.0), ProjectedGaussian(12.0)], ids=["gaussian", "projected"])
def test_the_formula_agrees_with_simulation(design, law):
    """A limit law: within 1e-6's binomial deviation of 3,000 tables, plus .02 for the finite n."""
    study = lab.power(design, law, statistic="projected", repetitions=3000, ceiling=False)
    power = {row.method: row.power for row in study.rows}
    assert 0.2 < power["projected, by formula"] < 0.98
    assert abs(power["discreet, projected"] - power["projected, by formula"]) < 4.9 * 0.5 / np.sqrt(3000) * 0.9 + 0.02


def test_without_noise_the_formula_is_the_classical_one():
    """n phi^2 is the noncentrality of Pearson's statistic."""
    for design in (SKEWED, SQUARE, FIT):
        phi2 = design.effect**2 * (1 if design is FIT or design is SQUARE else 2)
        critical = stats.chi2.isf(0.01, design.df)
        classical = stats.ncx2.sf(critical, design.df, design.n * phi2)
        assert projected_power(design, protect(Gaussian(1e-4)), 0.01) == pytest.approx(classical, rel=1e-6)
    samples = stats.ncx2.sf(stats.chi2.isf(0.01, 2), 2, 1100 * SAMPLES.effect**2)
    assert projected_power(SAMPLES, protect(Gaussian(1e-4)), 0.01) == pytest.approx(samples, rel=1e-6)


def test_a_single_weight_has_the_power_of_a_shrunken_effect():
    """In an even 2 x 2 table noise of variance s^2 divides the noncentrality by 1 + 4 s^2/n (weights 1 + kappa^2 s^2 r c)."""
    even = lab.independence_design([0.5, 0.5], [0.5, 0.5], 1000, effect=0.1)
    expected = stats.ncx2.sf(stats.chi2.isf(0.05, 1), 1, 10 / (1 + 4 * 100 / 1000))
    assert projected_power(even, protect(Gaussian(10.0)), 0.05) == pytest.approx(expected, rel=1e-9)
    with pytest.raises(NotAvailable, match="for Gaussian noise, not Laplace"):
        projected_power(even, protect(Laplace(10.0)), 0.05)


def test_a_study_over_everything():
    study = lab.power(
        SQUARE,
        [PureDP(0.2), PureDP(1)],
        n=[500, 2000],
        effects=[0, 0.1],
        methods=("discreet", "output"),
        repetitions=500,
    )
    assert len(study.rows) == 2 * 2 * 2 * 3
    assert study.methods == ("discreet", "output", "no privacy")
    one = study.select(n=2000, effect=0.1)
    by = {(row.amount, row.method): row.power for row in one.rows}
    assert by[1.0, "discreet"] > by[0.2, "discreet"] > by[0.2, "output"]
    assert by[1.0, "no privacy"] >= by[1.0, "discreet"] - 0.05
    null = [row for row in study.rows if row.effect == 0]
    assert all(stats.binomtest(round(row.power * 500), 500, 0.05).pvalue > 1e-6 for row in null)
    frame = study.to_frame("pandas")
    assert list(frame.columns[:5]) == ["n", "effect", "noise", "amount", "method"]
    assert len(str(study).splitlines()) == 2 + 2 + 8
    with pytest.raises(InvalidInput, match="no column 'size'"):
        study.select(size=3)
    with pytest.raises(InvalidInput, match="no row with n = 7"):
        study.select(n=7)


def test_the_same_numbers_with_two_workers_and_from_the_store(tmp_path):
    options = {"effects": [0.05, 0.1], "repetitions": 1000, "seed": 2}
    told = []
    alone = lab.power(SQUARE, Laplace(5.0), progress=lambda *done: told.append(done), **options)
    assert told[-1] == (2000, 2000)
    assert told == sorted(told)
    assert lab.power(SQUARE, Laplace(5.0), n_jobs=2, store=tmp_path, **options).rows == alone.rows
    assert lab.power(SQUARE, Laplace(5.0), store=tmp_path, **options).rows == alone.rows


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"effects": [0.1, 2.0]}, "an effect of 2.*leaves the simplex"),
        ({"effects": []}, "at least one n, one effect and one guarantee"),
        ({"n": [0]}, "number of records"),
        ({"level": 1.5}, "a level lies between 0 and 1"),
        ({"repetitions": 0}, "repetitions must be a whole number"),
        ({"noise": [PureDP(1), GaussianDP(1)]}, "of one kind, not GaussianDP, PureDP"),
        ({"noise": []}, "of one kind"),
        ({"design": 3}, "needs a design"),
    ],
)
def test_bad_input(change, message):
    given = {"design": SQUARE, "noise": Laplace(4.0), "repetitions": 10} | change
    with pytest.raises(InvalidInput, match=message):
        lab.power(given.pop("design"), given.pop("noise"), **given)
