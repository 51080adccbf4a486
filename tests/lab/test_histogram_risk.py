"""The risk of histograms: published values, closed forms against quadrature, and the figure's study."""

import numpy as np
import pytest
from scipy import integrate, stats

from discreet.errors import InvalidInput
from discreet.lab import BetaMixture, histogram_risk, ordinary_risk
from discreet.lab.reproduce import histogram_risk as figure
from discreet.lab.reproduce.bench import Bench

PEAK, MIXTURE = BetaMixture([(10, 10)]), BetaMixture([(10, 3), (3, 10)])

# 20,000 simulations each, standard errors of at most 0.014: m, then n = 100 (ordinary, epsilon .1, .01, 1), n = 1000 likewise
TABLE = [
    (2, (1.551, 1.735, 2.133, 1.553), (1.542, 1.544, 1.727, 1.542)),
    (3, (0.2502, 0.4963, 2.189, 0.2567), (0.2438, 0.2509, 0.4973, 0.2439)),
    (5, (0.2571, 0.9261, 3.077, 0.2709), (0.2329, 0.2477, 0.9063, 0.2331)),
    (10, (0.1554, 1.716, 3.825, 0.2028), (0.0875, 0.1417, 1.715, 0.0881)),
    (20, (0.1953, 2.747, 4.166, 0.3572), (0.0380, 0.2317, 2.756, 0.0403)),
    (50, (0.4779, 3.736, 4.392, 1.053), (0.0508, 0.8613, 3.751, 0.0641)),
]


@pytest.mark.parametrize("place", [0, 1])
def test_the_published_risks(place):
    n, bins = (100, 1000)[place], [row[0] for row in TABLE]
    columns = np.array([row[1 + place] for row in TABLE]).T
    for epsilon, expected in zip((0.1, 0.01, 1.0), columns[1:], strict=True):
        risk = histogram_risk(PEAK, n, epsilon, bins, 4000, 11)
        assert risk.ordinary == pytest.approx(columns[0], abs=6e-4)
        # their error is that of 20,000 simulations, ours of 4,000; the printed digits add half a unit
        allowed = 4 * np.sqrt(risk.error**2 * 1.2) + np.where(expected < 1, 6e-5, 6e-4)
        assert (np.abs(risk.private - expected) < allowed).all()
        assert risk.error.max() < 0.04


def test_the_mixture_has_published_risks_too():
    risk = histogram_risk(MIXTURE, 1000, 0.1, [5, 10, 20, 50], 4000, 5)
    assert risk.ordinary == pytest.approx([0.2212, 0.0604, 0.0313, 0.0507], abs=6e-5)
    assert (np.abs(risk.private - [0.2374, 0.1285, 0.2599, 0.8550]) < 4.4 * risk.error + 6e-5).all()


def test_privacy_asks_for_fewer_cells():
    bins = [5, 8, 10, 12, 15, 20, 25, 30]
    risk = histogram_risk(PEAK, 1000, 0.1, bins, 3000, 6)
    assert risk.bins[risk.ordinary.argmin()] == 25
    assert risk.bins[risk.private.argmin()] in (10, 12)


def test_how_often_the_uniform_density_is_all_that_is_left():
    risk = histogram_risk(PEAK, 100, 0.01, [2, 5, 10], 20_000, 7)
    assert risk.fallback == pytest.approx([0.148, 0.020, 0.0007], abs=0.01)
    assert (risk.fallback > [0.138, 0.016, 0]).all()


def test_with_many_cells_noise_is_all_there_is():
    """Half of the cells are cut off, the others exponential: 4 - 2 + int f^2."""
    risk = histogram_risk(PEAK, 1, 0.001, [2000], 300, 8)
    assert risk.private[0] == pytest.approx(2 + PEAK.squared_integral, abs=0.02)


@pytest.mark.parametrize("density", [PEAK, MIXTURE, BetaMixture([(1, 1), (2, 5)], [1, 3])])
def test_mixtures_against_quadrature(density):
    assert density.squared_integral == pytest.approx(integrate.quad(lambda x: density.pdf(x) ** 2, 0, 1)[0], rel=1e-9)
    assert density.cell_probabilities(7).sum() == pytest.approx(1)
    for i, p in enumerate(density.cell_probabilities(5)):
        assert p == pytest.approx(integrate.quad(density.pdf, i / 5, (i + 1) / 5)[0], abs=1e-10)
    assert stats.kstest(density.sample(5000, np.random.default_rng(1)), density.cdf).pvalue > 1e-3


@pytest.mark.parametrize("m", [1, 3, 10])
def test_the_ordinary_risk_against_simulation(m):
    rng, n = np.random.default_rng(m), 50
    p, losses = MIXTURE.cell_probabilities(m), []
    for counts in rng.multinomial(n, p, 5000):
        q = counts / n
        losses.append(m * (q * q).sum() - 2 * m * q @ p + MIXTURE.squared_integral)
    assert abs(np.mean(losses) - ordinary_risk(MIXTURE, n, m)) < 4 * np.std(losses) / np.sqrt(5000) + 1e-12


def test_the_study_of_the_figure():
    steps = []
    study = figure.run(seed=3, bench=Bench(progress=lambda done, of: steps.append((done, of))))
    assert steps == [(i, 8) for i in range(1, 9)]
    frame = study.to_frame("pandas")
    assert list(frame.columns) == ["density", "n", "epsilon", "bins", "ordinary", "private", "error", "fallback"]
    assert len(frame) == 8 * 24
    assert (frame["private"] > frame["ordinary"] - 5 * frame["error"]).all()
    assert study.to_frame("pandas").equals(figure.run(seed=3).to_frame("pandas"))
    picture = study.plot()
    assert len(picture.axes) == 4


@pytest.mark.parametrize(
    "wrong", [{"n": 0}, {"bins": []}, {"bins": [0]}, {"simulations": 1}, {"epsilon": -1.0}, {"n": 2.5}]
)
def test_settings_that_are_refused(wrong):
    settings = {"n": 10, "epsilon": 1.0, "bins": [2], "simulations": 10} | wrong
    with pytest.raises(InvalidInput):
        histogram_risk(PEAK, **settings)


def test_mixtures_that_are_none():
    with pytest.raises(InvalidInput, match="above 1/2"):
        BetaMixture([(0.5, 2)])
    with pytest.raises(InvalidInput, match="one weight"):
        BetaMixture([(1, 2)], [1, 2])
