"""The paper's comparison of mechanisms: printed averages within 2 %, exact ones to ten digits, and the order of the curves."""

import math

import numpy as np
import pytest

import discreet
from discreet.errors import InvalidInput
from discreet.estimate import JamesStein, expected_loss
from discreet.lab import cost
from discreet.lab.cost import MECHANISMS

PRINTED = [
    # p, theta, n, mu: gaussian, rank-deficient, JS0, JS, rJS, rJSz, laplace, laplace-l1
    (5, "uniform", 100, 0.1, (1000, 800, 846.1, 637.0, 618.4, 437.0, 2399.12, 6038.49)),
    (5, "uniform", 100, 1.0, (10, 8, 9.983, 9.642, 7.828, 7.642, 18.466, 42.907)),
    (10, "uniform", 1000, 0.1, (2000, 1800, 1974.9, 1062.9, 996.6, 862.9, 4798.24, 12076.98)),
    (10, "uniform", 1000, 0.5, (80, 72, 79.96, 75.90, 68.48, 67.90, 170.07, 413.54)),
    (10, "linear", 1000, 0.1, (2000, 1800, 1980.2, 1932.1, 1576.2, 1732.1)),
    (10, "linear", 100, 0.5, (80, 72, 77.08, 71.66, 56.68, 63.66)),
    (20, "uniform", 100, 1.0, (40, 38, 37.93, 30.23, 28.81, 28.23, 73.865, 171.628)),
]


@pytest.mark.parametrize(("p", "theta", "n", "mu", "losses"), PRINTED)
def test_the_printed_averages(p, theta, n, mu, losses):
    study = cost(mu, p, n, theta, rng=1)
    exact = {"gaussian": 1e-9, "rank-deficient": 1e-9, "laplace": 5e-5, "laplace-l1": 5e-5}
    for name, loss in zip(MECHANISMS, losses, strict=False):
        assert study.loss(name, mu=mu) == pytest.approx(loss, rel=exact.get(name, 0.02)), name


def test_the_order_of_the_mechanisms():
    study = cost(np.geomspace(0.03, 3.6, 12), p=[5, 10, 30], n=[50, 5000], theta="linear", draws=200, rng=2)
    by_setting = {}
    for row in study.rows:
        by_setting.setdefault((row.p, row.n, row.mu), {})[row.mechanism] = row.loss
    assert len(by_setting) == 72
    for loss in by_setting.values():
        assert loss["rJS"] < loss["rank-deficient"] < loss["gaussian"]
        assert loss["JS"] < loss["gaussian"]
        assert loss["JS0"] < loss["gaussian"]
        assert loss["gaussian"] < loss["laplace"] < loss["laplace-l1"]  # mu < 3.687


def test_where_laplace_noise_becomes_better():
    study = cost([3.68, 3.69, 6.13, 6.131], p=10, n=100, conditional=True)
    at = {mu: {name: study.loss(name, mu=mu) for name in MECHANISMS} for mu in (3.68, 3.69, 6.13, 6.131)}
    assert at[3.68]["laplace"] > at[3.68]["gaussian"]
    assert at[3.69]["laplace"] < at[3.69]["gaussian"]
    assert at[6.13]["laplace-l1"] > at[6.13]["gaussian"]
    assert at[6.131]["laplace-l1"] < at[6.131]["gaussian"]


def test_conditional_losses_are_those_at_the_expected_table():
    theta = np.array([0.1, 0.2, 0.3, 0.15, 0.25])
    study = cost(0.5, 5, 300, theta, conditional=True)
    sd = discreet.noise.calibrate.gaussian(discreet.GaussianDP(0.5), l2_squared=2)
    for name, estimator in (
        ("JS0", JamesStein()),
        ("JS", JamesStein("average")),
        ("rJS", JamesStein("average", basis="helmert", rank_deficient=True)),
        ("rJSz", JamesStein("average", rank_deficient=True)),
    ):
        assert study.loss(name, mu=0.5) == pytest.approx(expected_loss(300 * theta, sd, estimator), rel=1e-13)
    assert {row.error for row in study.rows} == {0.0}


def test_the_error_says_how_far_averages_lie_apart():
    losses = [cost(0.2, 10, 200, draws=500, rng=seed) for seed in range(20)]
    means = np.array([study.loss("rJS", mu=0.2) for study in losses])
    errors = np.array([next(row.error for row in study.rows if row.mechanism == "rJS") for study in losses])
    assert 0.5 < means.std(ddof=1) / errors.mean() < 1.7


def test_too_few_cells_for_an_estimator_leave_it_out():
    study = cost(1, [2, 3, 4], 50, draws=10, rng=0)
    missing = {p: {row.mechanism for row in study.rows if row.p == p and math.isnan(row.loss)} for p in (2, 3, 4)}
    assert missing == {2: {"JS0", "JS", "rJS", "rJSz"}, 3: {"JS", "rJS", "rJSz"}, 4: {"rJS"}}
    assert " - " in repr(study)
    assert study.curve("rJS", 4, 50) == ([], [])


def test_the_whole_range_of_mu():
    study = cost([1e-6, 50], p=5, n=1000, rng=0, draws=10)
    assert all(0 < row.loss < math.inf for row in study.rows)


def test_frames_and_selection():
    study = cost([0.5, 1], [5, 6], [50, 80], draws=10, rng=0)
    frame = study.to_frame("polars")
    assert frame.shape == (2 * 2 * 2 * 8, 7)
    assert frame.columns == ["p", "n", "mu", "mechanism", "loss", "error", "relative"]
    assert study.settings == ((5, 50), (5, 80), (6, 50), (6, 80))
    assert study.loss("gaussian", mu=1, p=5, n=80) == pytest.approx(10)
    with pytest.raises(InvalidInput, match="say which setting"):
        study.loss("gaussian", mu=1, p=5)
    with pytest.raises(InvalidInput, match="no mechanism 'magic'"):
        study.loss("magic", mu=1, p=5, n=80)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 5, 10), "mu"),
        (([], 5, 10), "at least one mu"),
        ((1, 1, 10), "p must be a whole number of at least 2"),
        ((1, 5.5, 10), "p must be a whole number"),
        ((1, 5, 0), "n must be a whole number of at least 1"),
        ((1, 5, 10, "skewed"), "'uniform', 'linear'"),
        ((1, 5, 10, [0.5, 0.5]), "shape"),
        ((1, 2, 10, [0.5, 0.6]), "sum to 1.1"),
        ((1, 2, 10, ["a", "b"]), "array of probabilities"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        cost(*arguments)


def test_the_room_is_reached_by_name():
    assert discreet.lab.cost is cost
    assert discreet.estimate.JamesStein is JamesStein
