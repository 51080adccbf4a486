"""How often the tests reject a true null at the nominal level .05, beside the naive chi-squared test on the same tables.

    python docs/measure_level.py            (about ten minutes of one core; prints three Markdown tables)

The settings are those of tests/inference/test_calibration.py, chosen where ignoring the noise goes most wrong. Each line
simulates tables under the null, adds noise, and tests; the seeds are fixed, so the table can be repeated exactly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from discreet.inference import Conditional, MonteCarlo, TestResult, goodness_of_fit, homogeneity, independence
from discreet.noise import JointNoise, Laplace, ProjectedGaussian

TABLES = 20_000
LEVEL = 0.05
FAST = Conditional(points=256)

HALF, THIRD = (0.5, 0.5), (1 / 3, 1 / 3, 1 / 3)
THETA = np.array([0.1, 0.2, 0.3, 0.4])

Draw = Callable[[np.random.Generator], TestResult]


@dataclass(frozen=True)
class Setting:
    """One line of the table: what is tested, on how many records, under which noise, and one simulated test of it."""

    test: str
    n: str
    noise: str
    draw: Draw


def independent(rows: tuple[float, ...], columns: tuple[float, ...], n: int, epsilon: float, **options: str) -> Draw:
    """Independence on a complete table with public n and Laplace noise."""
    theta, noise = np.outer(rows, columns), Laplace(2 / epsilon)
    null = FAST if theta.size > 4 else "auto"  # with one degree of freedom the closed form is faster still
    null = MonteCarlo(points=999) if options.get("statistic") == "minp" else null

    def draw(rng: np.random.Generator) -> TestResult:
        counts = rng.multinomial(n, theta.ravel()).reshape(theta.shape)
        return independence(counts + noise.sample(theta.shape, rng), noise=noise, n=n, null=null, rng=rng, **options)

    return draw


def with_strays(n: int | None) -> Draw:
    """A 3 x 3 table of which half of the 2,000 records are in the other cell; `n` is what the test is told."""
    noise, cells = Laplace(10.0), np.full(9, 0.5 / 9)

    def draw(rng: np.random.Generator) -> TestResult:
        counts = rng.multinomial(2000, [*cells, 0.5])[:9].reshape(3, 3)
        return independence(counts + noise.sample((3, 3), rng), noise=noise, n=n, null=FAST, rng=rng)

    return draw


def projected(strays: bool) -> Draw:
    """The rank-deficient Gaussian on a skewed 2 x 2 table, complete or with 20 % strays."""
    theta = np.outer((0.3, 0.7), (0.4, 0.6)).ravel() * (0.8 if strays else 1.0)
    noise = ProjectedGaussian(sqrt(2) / 0.1).on((2, 2), other=strays)

    def draw(rng: np.random.Generator) -> TestResult:
        counts = rng.multinomial(2000, [*theta, max(0.0, 1 - theta.sum())])[:4].reshape(2, 2)
        noisy = counts + noise.sample(1, rng)[0]
        return independence(noisy, noise=noise, n=None if strays else 2000, null="auto", rng=rng)

    return draw


def margin() -> Draw:
    """A 2 x 2 margin of a 2 x 2 x 3 table: each cell's noise is a sum of three draws."""
    noise = JointNoise(Laplace(10.0), (2, 2, 3))
    theta = np.einsum("i,j,k->ijk", (0.4, 0.6), (0.3, 0.7), THIRD).ravel()

    def draw(rng: np.random.Generator) -> TestResult:
        noisy = rng.multinomial(1500, theta).reshape(2, 2, 3) + noise.sample(1, rng)[0]
        return independence(noisy.sum(2), noise=noise.margin((0, 1)), n=1500, null="auto", rng=rng)

    return draw


def fit(n: int, epsilon: float, null: Conditional | MonteCarlo, public: bool = True) -> Draw:
    """Goodness of fit to (.1, .2, .3, .4)."""
    noise = Laplace(2 / epsilon)

    def draw(rng: np.random.Generator) -> TestResult:
        noisy = rng.multinomial(n, THETA) + noise.sample(4, rng)
        return goodness_of_fit(noisy, THETA, noise=noise, n=n if public else None, null=null, rng=rng)

    return draw


def samples(public: bool) -> Draw:
    """Homogeneity of two samples with the cell probabilities (.25, .25, .5)."""
    sizes, noise = (400, 700), Laplace(10.0)

    def draw(rng: np.random.Generator) -> TestResult:
        noisy = [rng.multinomial(n, [0.25, 0.25, 0.5]) + noise.sample(3, rng) for n in sizes]
        return homogeneity(*noisy, noise=noise, n=sizes if public else None, null=FAST, rng=rng)

    return draw


SKEWED = ((0.2, 0.3, 0.5), (0.4, 0.6))

SETTINGS = (
    Setting("independence, 2 x 2, equal cells", "1,000", "Laplace, eps = .1", independent(HALF, HALF, 1000, 0.1)),
    Setting("the same, likelihood ratio", "1,000", "Laplace, eps = .1", independent(HALF, HALF, 1000, 0.1, statistic="lr")),
    Setting("independence, 2 x 2, equal cells", "500", "Laplace, eps = .2", independent(HALF, HALF, 500, 0.2)),
    Setting("independence, (.2, .3, .5) x (.4, .6)", "2,000", "Laplace, eps = .1", independent(*SKEWED, 2000, 0.1)),
    Setting("independence, 3 x 3, equal cells", "1,000", "Laplace, eps = .1", independent(THIRD, THIRD, 1000, 0.1)),
    Setting("independence, 3 x 3, half of the records strays", "estimated (of 2,000)", "Laplace, eps = .2", with_strays(None)),
    Setting("the same, told the wrong total n = 2,000", "2,000 (wrong)", "Laplace, eps = .2", with_strays(2000)),
    Setting("independence, (.3, .7) x (.4, .6)", "2,000", "projected Gaussian, mu = .1", projected(strays=False)),
    Setting("the same with 20 % strays", "estimated (of 2,000)", "projected Gaussian, mu = .1", projected(strays=True)),
    Setting("independence, 2 x 2 margin of 2 x 2 x 3", "1,500", "Laplace, eps = .2", margin()),
    Setting("goodness of fit, (.1, .2, .3, .4)", "500", "Laplace, eps = .2", fit(500, 0.2, FAST)),
    Setting("the same, total estimated", "estimated (500)", "Laplace, eps = .2", fit(500, 0.2, FAST, public=False)),
    Setting("goodness of fit by simulation, 199 points", "30", "Laplace, eps = 1", fit(30, 1.0, MonteCarlo(points=199))),
    Setting("homogeneity, (.25, .25, .5)", "400 and 700", "Laplace, eps = .2", samples(public=True)),
    Setting("the same, sizes estimated", "estimated (400, 700)", "Laplace, eps = .2", samples(public=False)),
)  # fmt: skip


def share(rejected: float) -> str:
    """A share of rejections with its binomial standard error."""
    return f"{rejected:.4f} ± {sqrt(rejected * (1 - rejected) / TABLES):.4f}"


def line(setting: Setting, seed: int) -> str:
    """The measured line of one setting."""
    rng = np.random.default_rng(seed)
    pairs = [(result.pvalue, result.naive_pvalue) for result in (setting.draw(rng) for _ in range(TABLES))]
    ours, naive = (np.array(pairs) <= LEVEL).mean(0)
    return f"| {setting.test} | {setting.n} | {setting.noise} | {share(ours)} | {share(naive)} |"


def deeper(n: int, seed: int) -> str:
    """The 3 x 3 table with equal cells and Laplace noise of epsilon = .1 at three nominal levels."""
    rng, draw = np.random.default_rng(seed), independent(THIRD, THIRD, n, 0.1)
    pvalues = np.array([draw(rng).pvalue for _ in range(TABLES)])
    shares = [f"{(pvalues <= level).mean():.4f}" for level in (0.05, 0.01, 0.001)]
    return f"| {n:,} | " + " | ".join(shares) + " |"


EVERY = (
    ("2 x 2, equal cells", HALF, HALF, 1000, 0.1),
    ("2 x 2, equal cells", HALF, HALF, 500, 0.2),
    ("(.2, .3, .5) x (.4, .6)", *SKEWED, 2000, 0.1),
    ("3 x 3, equal cells", THIRD, THIRD, 1000, 0.1),
    ("3 x 3, equal cells", THIRD, THIRD, 4000, 0.1),
    ("3 x 3, equal cells", THIRD, THIRD, 16_000, 0.1),
)
STATISTICS = ("chi2", "lr", "projected", "minp")
FEWER = 4000


def every(name: str, rows: tuple[float, ...], columns: tuple[float, ...], n: int, epsilon: float, seed: int) -> str:
    """The levels of independence with each statistic, at nominal .05 and .01."""
    cells = []
    for statistic in STATISTICS:
        rng, draw = np.random.default_rng(seed), independent(rows, columns, n, epsilon, statistic=statistic)
        pvalues = np.array([draw(rng).pvalue for _ in range(FEWER)])
        cells.append(" / ".join(f"{(pvalues <= level).mean():.4f}" for level in (0.05, 0.01)))
    return f"| {name} | {n:,} | {epsilon} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table line by line, as it is measured."""
    lines = (line(setting, seed) for seed, setting in enumerate(SETTINGS, start=1))
    for text in ("| test | n | noise | Discreet | naive chi-squared |", "|---|---|---|---|---|"):
        sys.stdout.write(text + "\n")
    for text in lines:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    sys.stdout.write("\n| n | at .05 | at .01 | at .001 |\n|---|---|---|---|\n")
    for seed, n in enumerate((1000, 4000, 16_000), start=101):
        sys.stdout.write(deeper(n, seed) + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"\n| table | n | epsilon | {' | '.join(STATISTICS)} |\n|---|---|---|---|---|---|---|\n")
    for seed, setting in enumerate(EVERY, start=201):
        sys.stdout.write(every(*setting, seed) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
