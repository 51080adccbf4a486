"""The power of the smaller p-value, with either partner of the projected statistic, and the bound it cannot fall below.

Two fits of given probabilities: twenty cells of which the four largest change, and four even cells. The statistics of all
tables are ranked among one set of reference draws, as their law is the same for every table. The powers to compare with were
computed once by an independent program (400,000 tables, 1,000,000 reference draws: errors up to .002, mostly of the critical
values).
"""

from dataclasses import dataclass

import numpy as np
import pytest

from discreet.inference.statistic.fitted import fit_goodness
from discreet.inference.statistic.likelihood import information, log_bayes_factor, score
from discreet.inference.statistic.minp import rank_pair, rank_smaller, refitted
from discreet.inference.statistic.projected import project
from discreet.noise import Laplace

TABLES, REFERENCES = 20_000, 60_000
ZIPF = 1.0 / np.arange(1, 21) / (1.0 / np.arange(1, 21)).sum()
CHANGED = ZIPF * np.r_[1.15, 0.85, 1.2, 0.8, np.ones(16)]


@dataclass(frozen=True, eq=False)
class Fit:
    """Given probabilities, the true ones, and the powers: of each statistic at .05 and .025, of each pair at .05."""

    n: int
    b: float
    theta: np.ndarray
    true: np.ndarray
    alone: dict
    paired: dict

    def null(self, cells=None):
        expected = self.n * self.theta
        noise = Laplace(self.b).on(self.theta.shape)
        return fit_goodness(expected if cells is None else cells, self.theta, self.n, noise)

    def tables(self, size, rng):
        noise = Laplace(self.b).sample((size, self.theta.size), rng)
        return rng.multinomial(self.n, self.true, size) + noise

    def statistics(self):
        v, b, h = self.n * self.theta, np.full(self.theta.size, self.b), refitted(self.null())
        i = information(v, b)

        def score_statistic(x):
            u = score(x, v, b)
            return (u**2 / i).sum(-1) - (u @ self.theta) ** 2 / (self.theta**2 @ i)

        return {
            "projected": project(self.null()).statistic,
            "bayes": lambda x: log_bayes_factor(x @ h, v, b),
            "bayes, total given": lambda x: log_bayes_factor(x, v, b),
            "score": score_statistic,
        }


FITS = [
    Fit(
        2000,
        10.0,
        ZIPF,
        CHANGED / CHANGED.sum(),
        alone={
            "projected": (0.489, 0.332),
            "bayes": (0.842, 0.767),
            "bayes, total given": (0.856, 0.787),
            "score": (0.756, 0.658),
        },
        paired={"bayes": 0.789, "bayes, total given": 0.806, "score": 0.701},
    ),
    Fit(
        5000,
        20.0,
        np.full(4, 0.25),
        np.array([0.26, 0.24, 0.26, 0.24]),
        alone={
            "projected": (0.402, 0.281),
            "bayes": (0.414, 0.301),
            "bayes, total given": (0.410, 0.302),
            "score": (0.450, 0.342),
        },
        paired={"bayes": 0.410, "bayes, total given": 0.398, "score": 0.428},
    ),
]


@dataclass(frozen=True, eq=False)
class Ranks:
    """For each statistic its values at the reference draws, and its p-values at the tables."""

    fit: Fit
    values: dict
    pvalues: dict

    def pair_rejects(self, other):
        """Whether the smaller p-value of the projected statistic and `other` rejects at .05, by its own null law."""
        null = rank_smaller(np.stack([self.values["projected"], self.values[other]])).reference
        return np.minimum(self.pvalues["projected"], self.pvalues[other]) <= np.quantile(null, 0.05)


@pytest.fixture(scope="module", params=FITS, ids=["twenty cells", "four even cells"])
def ranks(request):
    fit, rng = request.param, np.random.default_rng(61)
    null = fit.null().draw_residuals(REFERENCES, rng)
    residuals = fit.tables(TABLES, rng) - fit.n * fit.theta
    values, pvalues = {}, {}
    for name, statistic in fit.statistics().items():
        values[name] = statistic(null)
        below = np.searchsorted(np.sort(values[name]), statistic(residuals), side="left")
        pvalues[name] = (1 + REFERENCES - below) / (1 + REFERENCES)
    return Ranks(fit, values, pvalues)


def agrees(rejected, expected):
    """5 standard errors (1e-6): of the share, of the critical values (slopes of at most 6), and .002 of the reference."""
    error = np.sqrt(expected * (1 - expected) / TABLES + 36 * 0.05 * 0.95 / REFERENCES + 0.002**2)
    assert rejected.mean() == pytest.approx(expected, abs=5 * error)


def test_powers_of_single_statistics(ranks):
    for name, (at_05, at_025) in ranks.fit.alone.items():
        agrees(ranks.pvalues[name] <= 0.05, at_05)
        agrees(ranks.pvalues[name] <= 0.025, at_025)


def test_powers_of_the_smaller_of_two(ranks):
    for other, expected in ranks.fit.paired.items():
        agrees(ranks.pair_rejects(other), expected)


@pytest.mark.parametrize("other", ["bayes", "bayes, total given", "score"])
def test_it_rejects_wherever_one_of_the_two_rejects_at_half_the_level(ranks, other):
    """On common draws, not on average; a table and its references are one sample but for one draw in 60,000."""
    rejected = ranks.pair_rejects(other)
    for name in ("projected", other):
        assert rejected[ranks.pvalues[name] <= 0.025 - 1 / REFERENCES].all()


@pytest.mark.parametrize("values", [4, 30, 10_000], ids=["many ties", "ties", "few ties"])
def test_its_p_value_is_at_most_twice_the_smaller_of_the_two(values):
    """Exactly, with ties and any number of reference draws: of either statistic at most k pairs have rank k or less."""
    rng = np.random.default_rng(62)
    for size in (1, 2, 19, 200):
        for _ in range(50):
            ranked = rank_smaller(rng.integers(0, values, (2, 1 + size)).astype(float))
            assert ranked.observed <= ranked.pvalue <= 2 * ranked.observed + 1e-12


def test_the_same_bound_on_tables():
    rng = np.random.default_rng(63)
    for table in FITS[0].tables(20, rng):
        ranked = rank_pair(project(FITS[0].null(table)), 199, rng)
        assert ranked.observed <= ranked.pvalue <= 2 * ranked.observed + 1e-12
