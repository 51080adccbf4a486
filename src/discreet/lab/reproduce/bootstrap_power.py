"""The power of bootstrap tests on private tables: the study of Kim, Lee, Kwak and Jung (2022), section 6.

Goodness of fit and homogeneity by the chi-squared statistic of the released table, shrunken or not; the null law by
parametric bootstrap: tables from the (fitted) null, fresh noise, the same shrinkage, p = (1 + #)/(B + 1). The settings of the
paper are not known to us; ours are written in the picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.estimate import JamesStein
from discreet.inference.statistic.cellwise import pearson
from discreet.inference.statistic.refit import Refit, fitted_to_given, fitted_to_sizes
from discreet.lab.reproduce.bench import PLAIN, Bench, Job
from discreet.lab.reproduce.study import Study
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian, calibrate
from discreet.privacy import GaussianDP

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

NAME, TITLE = "bootstrap-power", "The power of bootstrap tests on private tables"
SOURCE = "Kim, Lee, Kwak and Jung (2022), section 6"
SECONDS, FULL_SECONDS = 30, 900

LEVEL = 0.05
NULL_DRAWS = 10_000
ESTIMATORS = {
    "JS": JamesStein("average"),
    "rJS": JamesStein("average", basis="helmert", rank_deficient=True),
    "rJSz": JamesStein("average", rank_deficient=True, positive_part=True),
}
METHODS = ("no privacy", "gaussian", "rank-deficient", *ESTIMATORS, "laplace", "laplace-l1")


@dataclass(frozen=True)
class Setting:
    """Samples of these sizes, p equal cells under the null, eta added to and taken from the cells of the last in turn."""

    test: str
    sizes: tuple[int, ...]
    cells: int
    mu: float
    eta: float

    def theta(self, eta: float) -> Floats:
        """The cell probabilities; the last of an odd number of cells stays."""
        signs = np.where(np.arange(self.cells) % 2 == 0, 1.0, -1.0)
        signs[-1] *= self.cells % 2 == 0
        return 1.0 / self.cells + eta * signs

    def noise(self, method: str) -> JointNoise:
        """The noise in one sample's table; what is shrunk toward the average has the noise of its own mechanism."""
        guarantee = GaussianDP(self.mu)
        sd = calibrate.gaussian(guarantee, l2_squared=2)
        laws: dict[str, Any] = {
            "no privacy": Laplace(1e-6),
            "gaussian": Gaussian(sd),
            "JS": Gaussian(sd),
            "laplace": Laplace(calibrate.laplace_table(guarantee)),
            "laplace-l1": Laplace(calibrate.laplace_table_l1_rule(guarantee)),
        }
        law: JointNoise = laws.get(method, ProjectedGaussian(sd)).on((self.cells,))
        return law


_GOF, _HOM = partial(Setting, "goodness of fit", (500,), 10), partial(Setting, "homogeneity", (400, 600), 5)
ETAS = {
    (_GOF, 0.1): (0.0, 0.0125, 0.025, 0.0375, 0.05),
    (_GOF, 0.25): (0.0, 0.0075, 0.015, 0.0225, 0.03),
    (_GOF, 0.5): (0.0, 0.006, 0.012, 0.018, 0.024),
    (_HOM, 0.1): (0.0, 0.03, 0.06, 0.09, 0.12),
    (_HOM, 0.25): (0.0, 0.02, 0.04, 0.06, 0.08),
    (_HOM, 0.5): (0.0, 0.015, 0.03, 0.045, 0.06),
}
"""The differences, by test and mu."""


def rejections(setting: Setting, replicates: int, rng: np.random.Generator, count: int) -> dict[str, Floats]:
    """Whether each method rejects, for `count` data sets."""
    return {method: _rejections(setting, method, replicates, rng, count) for method in METHODS}


def _rejections(setting: Setting, method: str, replicates: int, rng: np.random.Generator, count: int) -> Floats:
    noise, estimator = setting.noise(method), ESTIMATORS.get(method)
    noises = (noise,) * len(setting.sizes)
    null, true = setting.theta(0.0), setting.theta(setting.eta)
    samples = [null] * (len(setting.sizes) - 1) + [true]
    tables = np.concatenate(
        [
            rng.multinomial(n, theta, count) + noise.sample(count, rng).reshape(count, -1)
            for n, theta in zip(setting.sizes, samples, strict=True)
        ],
        axis=1,
    )
    if setting.test == "goodness of fit":
        (n,) = setting.sizes
        road = Refit(tables, ((float(n), null),), noises, fitted_to_given(pearson, null, float(n)))
        draws = np.sort(road.draw(NULL_DRAWS, rng, estimator))
        observed = road.statistic(estimator.shrink(tables, noise) if estimator else tables)
        beyond = draws.size - np.searchsorted(draws, observed)
        return np.asarray((1 + beyond) / (1 + draws.size) <= LEVEL, float)
    sizes = np.array(setting.sizes, float)
    statistic, rejected = fitted_to_sizes(pearson, sizes), np.zeros(count)
    for r, cells in enumerate(tables):
        pooled = cells.reshape(sizes.size, -1).sum(0) / sizes.sum()
        road = Refit(cells, tuple((float(n), pooled) for n in sizes), noises, statistic)
        above = int((road.draw(replicates, rng, estimator) >= road.observed(estimator)).sum())
        rejected[r] = (1 + above) / (1 + replicates) <= LEVEL
    return rejected


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 4,000 tables for goodness of fit, 400 pairs for homogeneity; in full 20,000 and 2,000."""
    fits, pairs, replicates = (20_000, 2000, 999) if full else (4000, 400, 199)
    settings = [make(mu=mu, eta=eta) for (make, mu), etas in ETAS.items() for eta in etas]
    jobs = [
        Job(
            partial(rejections, setting, replicates),
            fits if setting.test == "goodness of fit" else pairs,
            {"figure": NAME, **setting.__dict__, "replicates": replicates},
            chunk=4000 if setting.test == "goodness of fit" else 100,
            work=1.0 if setting.test == "goodness of fit" else 0.05 * replicates,
        )
        for setting in settings
    ]
    names = ("test", "mu", "cells", "n", "eta", "method", "power", "error")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for setting, found in zip(settings, bench.simulate(jobs, seed), strict=True):
        for method, rejected in found.items():
            power = float(rejected.mean())
            error = float(np.sqrt(max(power * (1 - power), LEVEL / rejected.size) / rejected.size))
            row = (setting.test, setting.mu, setting.cells, sum(setting.sizes), setting.eta, method, power, error)
            for values, value in zip(columns.values(), row, strict=True):
                values.append(value)
    words = (
        f"level {LEVEL}; equal cells under the null, eta added to and taken from them in turn; settings ours; seed {seed}\n"
        f"goodness of fit: n = 500, 10 cells, {fits:,} tables, {NULL_DRAWS:,} bootstrap draws; homogeneity: n = 400 and 600, "
        f"5 cells,\n{pairs:,} pairs of tables, {replicates:,} bootstrap draws each; bars: one standard error"
    )
    return Study(NAME, TITLE, words, columns, picture)


def picture(study: Study) -> Figure:
    """One panel a test and mu."""
    from discreet.view.bootstrap_plot import bootstrap_plot

    return bootstrap_plot(study.title, study.settings, study.rows())
