"""Sample sizes: the root of the simulated power against the power's formula and a long simulation."""

import numpy as np
import pytest
from scipy import stats

from discreet import GaussianDP, PureDP, lab
from discreet.errors import InvalidInput, NotAvailable
from discreet.lab.designs.protection import protect
from discreet.lab.power_formula import projected_power
from discreet.noise import Gaussian, Laplace

SQUARE = lab.independence_design([0.5, 0.5], [0.5, 0.5], 1000, effect=0.1)
FIT = lab.fit_design([0.5, 0.3, 0.2], 400, effect=0.15)


def classical_power(n):
    return stats.ncx2.sf(stats.chi2.isf(0.05, 1), 1, n * 0.1**2)


def test_by_formula_it_is_the_smallest_n_with_the_power():
    found = lab.sample_size(SQUARE, GaussianDP(0.5), statistic="projected", target=0.9)
    assert found.how == "noncentral formula"
    assert found.interval == (found.value, found.value)
    law = protect(GaussianDP(0.5))
    assert projected_power(SQUARE.with_n(found.value), law, 0.05) >= 0.9
    assert projected_power(SQUARE.with_n(found.value - 1), law, 0.05) < 0.9
    mu = lab.sample_size(SQUARE, vary="mu", statistic="projected").value
    assert projected_power(SQUARE, protect(GaussianDP(mu)), 0.05) == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize("start", [20, 1000, 60_000])
def test_simulation_brackets_what_is_known_exactly(start):
    """Without privacy: n phi^2 = 7.849 is the textbook's answer for a power of .8, whatever the start."""
    found = lab.sample_size(SQUARE.with_n(start), Laplace(1.0), method="no privacy", seed=4)
    exact = next(n for n in range(700, 900) if classical_power(n) >= 0.8)
    assert exact == 785
    assert found.low <= exact <= found.high
    assert found.value == pytest.approx(exact, rel=0.05)
    assert found.high < 1.25 * found.low


@pytest.mark.slow
def test_the_intervals_hold():
    """60 searches at 90 % confidence: fewer than 38 holding has a chance below 1e-6 if each holds with probability .9."""
    held = []
    for seed in range(60):
        found = lab.sample_size(
            SQUARE, Laplace(1.0), method="no privacy", confidence=0.9, repetitions=1000, tolerance=0.2, seed=seed
        )
        held.append(found.low <= 785 <= found.high)
    assert stats.binom.cdf(37, 60, 0.9) < 1e-6
    assert sum(held) >= 38


def test_the_power_at_the_estimate():
    """6,000 fresh tables at the estimate: within .04 of the target (the search's own error and the binomial one)."""
    for found, design, noise in (
        (lab.sample_size(SQUARE, PureDP(0.5), repetitions=4000), SQUARE, PureDP(0.5)),
        (lab.sample_size(FIT, PureDP(0.5), target=0.6, statistic="lr", repetitions=4000), FIT, PureDP(0.5)),
    ):
        statistic = "lr" if design is FIT else "chi2"
        study = lab.power(
            design.with_n(found.value), noise, statistic=statistic, repetitions=6000, seed=77, ceiling=False
        )
        assert study.rows[0].power == pytest.approx(found.target, abs=0.04)
        assert found.low <= found.value <= found.high


def test_epsilon_for_a_target():
    found = lab.sample_size(SQUARE, vary="epsilon", repetitions=4000)
    assert found.vary == "epsilon"
    power = lab.power(SQUARE, PureDP(found.value), repetitions=6000, seed=78, ceiling=False).rows[0].power
    assert power == pytest.approx(0.8, abs=0.04)
    assert "epsilon = 0." in str(found)
    assert "99% confidence" in str(found)


def test_a_formula_can_be_declined_and_agrees():
    by_formula = lab.sample_size(FIT, Gaussian(8.0), statistic="projected")
    simulated = lab.sample_size(FIT, Gaussian(8.0), statistic="projected", formula=False, repetitions=2000, seed=3)
    assert simulated.how == "simulation"
    assert 0.9 * simulated.low <= by_formula.value <= 1.1 * simulated.high  # the formula is a limit law


def test_the_same_answer_with_two_workers_and_from_the_store(tmp_path):
    options = {"repetitions": 1000, "tolerance": 0.3, "seed": 5}
    alone = lab.sample_size(SQUARE, Laplace(5.0), **options)
    told = []
    again = lab.sample_size(
        SQUARE, Laplace(5.0), n_jobs=2, store=tmp_path, progress=lambda *d: told.append(d), **options
    )
    assert again == alone
    assert len(told) == len(alone.candidates)
    assert lab.sample_size(SQUARE, Laplace(5.0), store=tmp_path, **options) == alone
    assert np.isfinite(alone.value)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"design": SQUARE.with_effect(0)}, InvalidInput, "no effect to detect"),
        ({"design": 1}, InvalidInput, "needs a design"),
        ({"noise": None}, InvalidInput, "give a guarantee or a law of noise where n varies"),
        ({"vary": "epsilon"}, InvalidInput, "and none where epsilon or mu do"),
        ({"vary": "delta"}, InvalidInput, "vary must be 'n', 'epsilon' or 'mu', not 'delta'"),
        ({"target": 0.05}, InvalidInput, "must be above the level"),
        ({"target": 1.0}, InvalidInput, "between 0 and 1"),
        ({"repetitions": 10}, InvalidInput, "repetitions must be at least 500"),
        ({"tolerance": 0}, InvalidInput, "tolerance"),
        ({"formula": True}, NotAvailable, "the formula is for the projected statistic"),
        (
            {"noise": None, "vary": "epsilon", "design": SQUARE.with_n(300)},
            InvalidInput,
            r"the power is 0\.\d+ at epsilon = 64",
        ),
        (
            {"noise": None, "vary": "mu", "design": SQUARE.with_n(300), "statistic": "projected"},
            InvalidInput,
            "mu = 64, the most that is tried",
        ),
        (
            {"design": lab.fit_design([0.5, 0.5], 9, effect=1), "noise": Laplace(0.001), "level": 0.2},
            InvalidInput,
            "already at n = 2, the least that is tried",
        ),
    ],
)
def test_bad_input(change, error, message):
    given = {"design": SQUARE, "noise": Laplace(4.0), "repetitions": 500} | change
    with pytest.raises(error, match=message):
        lab.sample_size(given.pop("design"), given.pop("noise"), **given)
