"""The auditors: quiet where a mechanism keeps its promise, and sure to find what is planted in it.

Every fault is planted and audited 300 times at a false-alarm rate of 1e-6 in all (40 times where 120,000 outputs are needed,
20 where the noise is the same every time), and every time it must be found: 300 of 300 show a power of 0.99 or more (below
it they would have a probability below 0.05). The audited runs have no seed, so these tests may fail by chance, too: the
certified bound lies at least six of its standard deviations above the claim, and a scale that is off by a factor f moves
the scale test by (f - 1) sqrt(N) of its own, N = 4 x 4,000 numbers: by 12 at 10 %, where 5.5 are needed.
"""

from __future__ import annotations

import math
import os
from functools import cache

import numpy as np
import pytest
from scipy import stats

from discreet import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.errors import InvalidInput
from discreet.lab.audit import audit, audit_table, check_noise, table_mechanism
from discreet.lab.audit.bounds import (
    lower_limit,
    refuted_by_bold_guesses,
    refuted_by_event,
    refuted_by_guesses,
    upper_limit,
)
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian
from discreet.noise import DiscreteLaplace
from discreet.noise import Gaussian as GaussianLaw
from discreet.noise import Laplace as LaplaceLaw

RUNS = 300
STEP = 2.0**-18
D0, D1 = np.array([20.0, 30, 10, 5]), np.array([19.0, 31, 10, 5])
SIGMA, B = math.sqrt(2) / 1.5, 1.0  # mu = 1.5 and epsilon = 2 for a table
rng = np.random.default_rng()  # unseeded, as what is audited must be


def on_grid(x):
    return np.round(x / STEP) * STEP


def gaussian(size, sd=SIGMA):
    return on_grid(rng.normal(0, sd, (size, 4)))


def laplace(size, b=B):
    return on_grid(rng.laplace(0, b, (size, 4)))


def seeded(size):
    return np.tile(on_grid(np.random.default_rng(0).normal(0, SIGMA, 4)), (size, 1))


def few_seeds(size):
    """A generator seeded by the process number, say: many runs, few sequences."""
    return np.array([on_grid(np.random.default_rng(seed % 97).normal(0, SIGMA, 4)) for seed in range(size)])


def one_noiseless(size):
    return gaussian(size) * [1, 1, 1, 0]


def reused_in_a_run(size):
    return gaussian(size)[:, [0, 1, 2, 0]]


def reused_in_the_next_run(size):
    noise = gaussian(size)
    noise[1::2, 2] = noise[::2, 2]
    return noise


def clipped(size):
    return np.clip(gaussian(size), -2 * SIGMA, 2 * SIGMA)


LAW = GaussianLaw(SIGMA)
NOISE_FAULTS = {
    "sigma too small by sqrt 2": (lambda n: gaussian(n, SIGMA / math.sqrt(2)), LAW),
    "sigma too small by 2": (lambda n: gaussian(n, SIGMA / 2), LAW),
    "sigma too small by 10 %": (lambda n: gaussian(n, SIGMA * 0.9), LAW),
    "sigma too large by 10 %": (lambda n: gaussian(n, SIGMA * 1.1), LAW),
    "the variance used as the scale": (lambda n: gaussian(n, SIGMA**2), LAW),
    "epsilon off by 2": (lambda n: laplace(n, B / 2), LaplaceLaw(B)),
    "b too small by 10 %": (lambda n: laplace(n, B * 0.9), LaplaceLaw(B)),
    "another law of the same variance": (lambda n: laplace(n, SIGMA / math.sqrt(2)), LAW),
    "Gaussian noise where Laplace was said": (lambda n: gaussian(n, B * math.sqrt(2)), LaplaceLaw(B)),
    "one cell without noise": (one_noiseless, LAW),
    "the same draw in two cells": (reused_in_a_run, LAW),
    "a draw used again in the next run": (reused_in_the_next_run, LAW),
    "floating-point noise": (lambda n: rng.normal(0, SIGMA, (n, 4)), LAW),
    "noise of a fixed seed": (seeded, LAW),
    "noise of a few seeds": (few_seeds, LAW),
    "clipped noise": (clipped, LAW),
    "rounded to whole numbers": (lambda n: np.round(gaussian(n)), LAW),
    "uniform noise": (lambda n: on_grid(rng.uniform(-1, 1, (n, 4)) * SIGMA * math.sqrt(3)), LAW),
    "one number of a hundred not noised": (lambda n: gaussian(n) * (rng.random((n, 4)) > 0.01), LAW),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", NOISE_FAULTS)
def test_the_check_of_noise_finds_every_planted_fault(fault):
    draw, law = NOISE_FAULTS[fault]
    runs = 20 if fault == "noise of a few seeds" else RUNS
    assert sum(not check_noise(draw(4000), law, exponent=18).sound for _ in range(runs)) == runs


@pytest.mark.parametrize("law", [LAW, LaplaceLaw(B), DiscreteLaplace(1.3)], ids=repr)
def test_sound_noise_passes(law):
    """100 checks at 1e-6 each; the same 100 at 0.05 show that the rate is not above what is said (25 of 100: p < 1e-10)."""
    draws = [
        {GaussianLaw: gaussian, LaplaceLaw: laplace}.get(type(law), lambda n: law.sample((n, 4), rng))(1000)
        for _ in range(100)
    ]
    assert all(check_noise(noise, law).sound for noise in draws)
    assert sum(not check_noise(noise, law, 0.05).sound for noise in draws) < 25


def test_noise_that_is_no_table_of_runs():
    for bad in (np.zeros(1000), np.zeros((10, 2)), np.zeros((1000, 0))):
        with pytest.raises(InvalidInput, match="noise must be an array"):
            check_noise(bad, LAW)
    assert check_noise(np.full((1000, 2), np.nan), LAW).faults == ("a number is NaN or infinite",)


# ---- the black box ---------------------------------------------------------------------------------------------------


def released(noise):
    return lambda data, size: data + noise(size)


def low_bits(size):
    return rng.laplace(0, 2.0, (size, 1))


def depends(data, size):
    """Rounded to a grid that the records set."""
    coarse = 0.5 if data[0] == 20 else 0.75
    return np.round((data + gaussian(size)) / coarse) * coarse


def raw_sometimes(data, size):
    """Three releases of ten without noise."""
    return data + gaussian(size) * (rng.random((size, 1)) > 0.3)


BOX_FAULTS = {
    "sigma too small by sqrt 2": (released(lambda n: gaussian(n, SIGMA / math.sqrt(2))), GaussianDP(1.5), 8000),
    "sigma too small by 2": (released(lambda n: gaussian(n, SIGMA / 2)), GaussianDP(1.5), 2000),
    "sigma too small by 10 %": (released(lambda n: gaussian(n, SIGMA * 0.9)), GaussianDP(1.5), 120_000),
    "one cell without noise": (released(lambda n: gaussian(n) * [1, 0, 1, 1]), GaussianDP(1.5), 2000),
    "the same draw in two cells": (released(lambda n: gaussian(n)[:, [0, 0, 2, 3]]), GaussianDP(1.5), 2000),
    "noise of a fixed seed": (released(seeded), GaussianDP(1.5), 2000),
    "epsilon off by 2": (released(lambda n: laplace(n, B / 2)), PureDP(2), 8000),
    "the variance used as the scale": (released(lambda n: gaussian(n, 2 / 9)), GaussianDP(3), 6000),
    "Gaussian noise where pure DP was said": (released(lambda n: gaussian(n, 0.5)), PureDP(2), 5000),
    "floating-point noise": (released(low_bits), PureDP(0.5), 10_000),
    "a grid that depends on the records": (depends, GaussianDP(1.5), 2000),
    "three releases of ten without noise": (raw_sometimes, GaussianDP(1.5), 16_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", BOX_FAULTS)
def test_the_audit_of_outputs_finds_planted_faults(fault):
    mechanism, claim, n = BOX_FAULTS[fault]
    d0, d1 = (np.zeros(1), np.ones(1)) if fault == "floating-point noise" else (D0, D1)
    runs = RUNS if n <= 16_000 else 40
    found = [audit(mechanism, d0, d1, claim, max_n=n, batched=True) for _ in range(runs)]
    assert sum(each.violated for each in found) == runs


@pytest.mark.parametrize(
    ("mechanism", "claim", "least"),
    [
        (released(gaussian), GaussianDP(1.5), 1.0),
        (released(laplace), PureDP(2), 1.0),
        (released(gaussian), ApproxDP(3.0, float(GaussianDP(1.5).delta(3.0))), 0.0),
    ],
    ids=["gaussian", "laplace", "approx"],
)
def test_a_true_claim_is_not_refuted_and_the_bound_is_near(mechanism, claim, least):
    """60 certificates: none violated at 1e-6; at alpha = 0.05 at most 15 (the exact rate is below 0.05; p < 1e-7)."""
    found = [audit(mechanism, D0, D1, claim, max_n=3000, batched=True) for _ in range(60)]
    assert not any(each.violated for each in found)
    assert np.median([each.lower_bound for each in found]) >= least
    loose = [audit(mechanism, D0, D1, claim, 0.05, max_n=3000, batched=True) for _ in range(60)]
    assert sum(each.violated for each in loose) <= 15


def test_a_claim_in_rho():
    sound = audit(released(gaussian), D0, D1, ZeroConcentratedDP(1.125), max_n=3000, batched=True)
    broken = audit(
        released(lambda n: gaussian(n, SIGMA / 3)), D0, D1, ZeroConcentratedDP(1.125), max_n=3000, batched=True
    )
    assert not sound.violated
    assert broken.violated
    assert broken.test in ("guessing game", "extreme event (first data set)", "extreme event (second data set)")


def test_records_further_apart_show_a_small_mu():
    """mu = 0.3 needs 80,000 outputs or more at one record; five records apart it is 1.5, as above."""
    sigma = math.sqrt(2) / 0.3
    far = np.array([15.0, 35, 10, 5])
    faulty = released(lambda n: gaussian(n, sigma / math.sqrt(2)))
    assert all(
        audit(faulty, D0, far, GaussianDP(0.3), max_n=4000, distance=5, batched=True).violated for _ in range(20)
    )
    assert not audit(
        released(lambda n: gaussian(n, sigma)), D0, far, GaussianDP(0.3), max_n=4000, distance=5, batched=True
    ).violated
    with pytest.raises(InvalidInput, match="group amplification"):
        audit(faulty, D0, far, ApproxDP(1, 1e-5), distance=2, batched=True)


def test_the_outputs_themselves():
    def fails(data):
        if data[0] == 19:
            raise ValueError("secret")
        return data

    def another_shape(data):
        return data[: int(data[0]) - 17]

    cases = {
        "an output is NaN or infinite": lambda data: data + (math.nan if data[0] == 19 else 0.0),
        "the mechanism raised ValueError": fails,
        "the outputs have different shapes": another_shape,
        "the outputs are not all numbers of one kind": lambda data: data.astype(int if data[0] == 19 else float),
        "an output is not on the grid of step 2^-18": lambda data: data + rng.normal(size=4),
        "the same output came twice": lambda data: data + few_seeds(97)[int(rng.integers(97))],
    }
    for fault, mechanism in cases.items():
        found = audit(mechanism, D0, D1, GaussianDP(1.5), max_n=200, exponent=18)
        assert found.violated
        assert found.faults == (fault,)
        assert "secret" not in str(found)
        assert found.to_dict()["faults"] == [fault]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"alpha": 0.0}, "alpha"), ({"alpha": 1}, "alpha"), ({"max_n": 10}, "max_n"), ({"max_n": True}, "max_n")],
)
def test_bad_arguments(options, message):
    with pytest.raises(InvalidInput, match=message):
        audit(released(gaussian), D0, D1, GaussianDP(1), **options)
    with pytest.raises(InvalidInput, match="a claim is"):
        audit(released(gaussian), D0, D1, 1.0)


# ---- the bounds ------------------------------------------------------------------------------------------------------


@cache
def binomial(n, p):
    return stats.binom(n, p)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (900, 1000)])
def test_the_limits_are_those_of_the_binomial_law(successes, trials):
    for alpha in (0.05, 1e-6):
        low, high = lower_limit(successes, trials, alpha), upper_limit(successes, trials, alpha)
        assert (
            low == 0.0 if successes == 0 else binomial(trials, low).sf(successes - 1) == pytest.approx(alpha, rel=1e-6)
        )
        assert (
            high == 1.0
            if successes == trials
            else binomial(trials, high).cdf(successes) == pytest.approx(alpha, rel=1e-6)
        )


def test_what_perfect_guesses_prove():
    assert refuted_by_guesses(PureDP(1), 500, 1000, 0.05) == 0.0
    assert refuted_by_guesses(GaussianDP(1), 900, 1000, 0.05) == pytest.approx(
        2 * stats.norm.ppf(lower_limit(900, 1000, 0.05))
    )
    p = lower_limit(900, 1000, 0.05)
    assert refuted_by_guesses(PureDP(1), 900, 1000, 0.05) == pytest.approx(math.log(p / (1 - p)))
    assert refuted_by_guesses(ApproxDP(1, 0.01), 900, 1000, 0.05) == pytest.approx(math.log((p - 0.01) / (1 - p)))
    rho = refuted_by_guesses(ZeroConcentratedDP(1), 900, 1000, 0.05)
    assert 1 - ZeroConcentratedDP(rho).tradeoff().fixed_point == pytest.approx(p, abs=1e-3)
    assert refuted_by_bold_guesses(PureDP(1), 90, 90, 0.05) > refuted_by_guesses(PureDP(1), 90, 100, 0.05)
    assert refuted_by_bold_guesses(GaussianDP(1), 90, 90, 0.05) == 0.0


def test_what_an_event_proves():
    low, high = lower_limit(400, 1000, 0.025), upper_limit(10, 1000, 0.025)
    event = (10, 400), (1000, 1000)
    assert refuted_by_event(PureDP(1), *event, 0.05) == pytest.approx(math.log(low / high))
    assert refuted_by_event(GaussianDP(1), *event, 0.05) == pytest.approx(stats.norm.ppf(low) - stats.norm.ppf(high))
    assert refuted_by_event(ApproxDP(1, 0.1), *event, 0.05) == pytest.approx(math.log((low - 0.1) / high))
    assert refuted_by_event(ApproxDP(1, 0.9), *event, 0.05) == 0.0
    assert refuted_by_event(PureDP(1), (400, 10), (1000, 1000), 0.05) == 0.0


# ---- the mechanisms that protect -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guarantee", "specification"),
    [
        (PureDP(2), Laplace()),
        (PureDP(2), Laplace(integer=True)),
        (GaussianDP(1.5), Laplace()),
        (GaussianDP(1.5), Laplace(integer=True)),
        (GaussianDP(1.5), Gaussian()),
        (GaussianDP(1.5), Gaussian(integer=True)),
        (GaussianDP(1.5), ProjectedGaussian()),
        (ZeroConcentratedDP(1.0), Gaussian(integer=True)),
    ],
    ids=repr,
)
def test_the_real_table_mechanisms(guarantee, specification):
    """1e-6 in all for each of the eight; 3,000 outputs, of which a scale off by sqrt 2 would not survive under mu."""
    found = audit_table(guarantee, specification, max_n=3000)
    assert found.sound, (list(map(str, found.certificates)), found.noise)


def test_a_real_mechanism_with_another_claim_is_refuted():
    """The test of the test: the mechanism that protects by mu = 3 does not by mu = 1.5."""
    release = table_mechanism(GaussianDP(3), Gaussian(), records=65)
    found = audit(release, [20, 30, 10, 5], [19, 31, 10, 5], GaussianDP(1.5), max_n=1500)
    assert found.violated
    assert found.lower_bound > 2


def test_add_remove_tables():
    found = audit_table(PureDP(2), Laplace(), adjacency="add-remove", max_n=1000)
    assert found.sound
    with pytest.raises(InvalidInput, match="at least 2 cells"):
        audit_table(PureDP(1), cells=1)
    with pytest.raises(InvalidInput, match="distances"):
        audit_table(PureDP(1), distances=())


def test_the_coins_come_from_the_kernel(monkeypatch):
    asked = []
    monkeypatch.setattr(os, "urandom", lambda n, draw=os.urandom: asked.append(n) or draw(n))
    audit(released(gaussian), D0, D1, GaussianDP(1.5), max_n=800, batched=True)
    assert 100 in asked
