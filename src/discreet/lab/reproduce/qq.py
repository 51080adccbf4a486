"""Are p-values uniform where the null holds? What the three figures of reliability share (Wang, Lee and Kifer 2017, 5.1).

Tables are drawn from a null, Laplace(2/epsilon) noise is added to every cell, and each noisy table is tested: by Pearson's and
the likelihood-ratio statistic with the null law of this package, and by the same two as if there were no noise, which is the
method of Johnson and Shmatikov (2013). A valid p-value is below q in a share q of the tables.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import DiscreetWarning, NotApplicable
from discreet.inference import MonteCarlo, goodness_of_fit, homogeneity, independence_many
from discreet.inference.statistic.cellwise import STATISTICS
from discreet.lab.reproduce.bench import Bench, Job
from discreet.lab.reproduce.study import Study
from discreet.noise import Laplace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

OURS, NAIVE = ("chi2", "lr"), ("chi2, naive", "lr, naive")
METHODS = (*OURS, *NAIVE)
LEVEL = 0.05
SHARES = np.arange(1, 100) / 100

NO_NOISE = 1e6
"""The epsilon of the panels without noise: its standard deviation is 3 millionths of a record."""


@dataclass(frozen=True)
class Setting:
    """One null: the sizes of the samples, the cell probabilities (for independence those of rows and of columns), epsilon."""

    test: str
    sizes: tuple[int, ...]
    theta: tuple[float, ...]
    epsilon: float = NO_NOISE
    columns: tuple[float, ...] = ()

    @property
    def noise(self) -> Laplace:
        """The noise in every cell, for the replacement of one record."""
        return Laplace(2.0 / self.epsilon)

    def in_words(self) -> str:
        """For the heading of a panel, in two lines."""
        sizes = " and ".join(f"{n:,}" for n in self.sizes)
        shape = f"{len(self.theta)} x {len(self.columns)}, " if self.columns else ""
        cells = " x ".join(_short(theta) for theta in (self.theta, self.columns) if theta)
        noise = "no noise" if self.epsilon == NO_NOISE else f"epsilon {self.epsilon:g}"
        return f"{noise}, n = {sizes}\n{shape}{cells}"


def _short(theta: Sequence[float]) -> str:
    if len(set(theta)) == 1:
        return f"{len(theta)} equal cells"
    return "(" + ", ".join(f"{x:g}".removeprefix("0") for x in theta) + ")"


def pvalues(setting: Setting, points: int, rng: np.random.Generator, count: int) -> dict[str, Floats]:
    """The p-values of `METHODS` in `count` tables of the null."""
    return {"independence": _independence, "homogeneity": _homogeneity, "goodness of fit": _goodness_of_fit}[
        setting.test
    ](setting, points, rng, count)


def _independence(setting: Setting, points: int, rng: np.random.Generator, count: int) -> dict[str, Floats]:
    shape, (n,) = (len(setting.theta), len(setting.columns)), setting.sizes
    theta = np.outer(setting.theta, setting.columns)
    tables = rng.multinomial(n, theta.ravel(), count).reshape(count, *shape) + setting.noise.sample(
        (count, *shape), rng
    )
    totals = tables.sum((1, 2), keepdims=True)
    expected = tables.sum(2, keepdims=True) * tables.sum(1, keepdims=True) / totals
    degrees = (shape[0] - 1) * (shape[1] - 1)
    found: dict[str, Floats] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscreetWarning)  # a table without a test gets p = 1
        for name in OURS:
            ours = independence_many(tables, setting.noise, n=n, statistic=name, rng=rng)
            found[name] = np.nan_to_num(ours, nan=1.0)
    for name, naive in zip(OURS, NAIVE, strict=True):
        defined = expected.min((1, 2)) > 0
        values = np.zeros(count)
        values[defined] = STATISTICS[name][0](
            tables[defined].reshape(-1, theta.size), expected[defined].reshape(-1, theta.size)
        )
        found[naive] = special.chdtrc(degrees, values)
    return found


def _homogeneity(setting: Setting, points: int, rng: np.random.Generator, count: int) -> dict[str, Floats]:
    found = {name: np.ones(count) for name in METHODS}
    for r in range(count):
        samples = [
            rng.multinomial(n, setting.theta) + setting.noise.sample(len(setting.theta), rng) for n in setting.sizes
        ]
        for name, naive in zip(OURS, NAIVE, strict=True):
            try:
                result = homogeneity(
                    *samples,
                    statistic=name,
                    null=MonteCarlo(points),
                    noise=setting.noise,
                    n=[float(n) for n in setting.sizes],
                    rng=rng,
                )
            except NotApplicable:  # p = 1
                continue
            found[name][r], found[naive][r] = result.pvalue, result.naive_pvalue
    return found


def _goodness_of_fit(setting: Setting, points: int, rng: np.random.Generator, count: int) -> dict[str, Floats]:
    (n,), theta = setting.sizes, np.array(setting.theta)
    found = {name: np.ones(count) for name in METHODS}
    for r in range(count):
        table = rng.multinomial(n, theta) + setting.noise.sample(theta.size, rng)
        for name, naive in zip(OURS, NAIVE, strict=True):
            result = goodness_of_fit(
                table, theta, statistic=name, null=MonteCarlo(points), noise=setting.noise, n=float(n), rng=rng
            )
            # Programs that know nothing of the noise do not correct the likelihood ratio for cells that miss the total.
            drift = 2.0 * float(table.sum() - n) if name == "lr" else 0.0
            found[name][r] = result.pvalue
            found[naive][r] = special.chdtrc(theta.size - 1, max(result.statistic + drift, 0.0))
    return found


def study(
    name: str, title: str, settings: Sequence[Setting], tables: int, points: int, null: str, seed: int, bench: Bench
) -> Study:
    """Simulate all settings; one row a setting, method and share."""
    jobs = [
        Job(
            partial(pvalues, setting, points),
            tables,
            {"figure": name, **setting.__dict__, "points": points},
            chunk=250,
            work=1.0 + 3.0 * (len(setting.theta) * max(1, len(setting.columns)) > 4),
        )
        for setting in settings
    ]
    columns: dict[str, list[Any]] = {
        key: [] for key in ("setting", "n", "epsilon", "method", "share", "pvalue", "level_05", "ks")
    }
    for setting, found in zip(settings, bench.simulate(jobs, seed), strict=True):
        for method in METHODS:
            p = np.sort(found[method])
            level, distance = float((p <= LEVEL).mean()), ks_from_uniform(p)
            for share in SHARES.tolist():
                quantile = float(p[min(len(p) - 1, int(np.ceil(share * len(p))) - 1)])
                row = (
                    setting.in_words(),
                    sum(setting.sizes),
                    None if setting.epsilon == NO_NOISE else setting.epsilon,
                    method,
                    share,
                    quantile,
                    level,
                    distance,
                )
                for values, value in zip(columns.values(), row, strict=True):
                    values.append(value)
    words = (
        f"{tables:,} tables of each null, Laplace(2/epsilon) noise in every cell; {null}; our settings; seed {seed}\n"
        "a valid p-value is below q in a share q of the tables (the line; grey: where 95 % of such curves stay); "
        "in numbers: chi-squared"
    )
    return Study(name, title, words, columns, partial(picture, tables=tables))


def ks_from_uniform(p: Floats) -> float:
    """The largest distance between the share of p-values at or below q and q itself."""
    ordered, m = np.sort(p), len(p)
    return float(max(np.max(np.arange(1, m + 1) / m - ordered), np.max(ordered - np.arange(m) / m)))


def picture(found: Study, *, tables: int) -> Figure:
    """One panel a setting."""
    from discreet.view.qq_plot import qq_plot

    return qq_plot(found.title, found.settings, found.rows(), tables)
