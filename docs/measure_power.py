"""How often each statistic detects a real difference at the level .05, beside the chi-squared test of the true counts.

    python docs/measure_power.py            (about seven minutes of one core; prints a Markdown table)
    python docs/measure_power.py 6 10       (these settings only, counted from 1: the same lines as in the whole table)

The settings are written out below: goodness of fit with few or many cells, even or skewed, and independence. Each line
simulates tables under the alternative, adds noise of epsilon (Laplace) or mu = epsilon (Gaussian; not the same guarantee), and
tests. All null laws of a line come from reference points (or the closed form, for the projected statistic under Gaussian
noise), so all have the level .05. The seeds are fixed.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from discreet.errors import NotApplicable
from discreet.inference import MonteCarlo, TestResult, goodness_of_fit, independence
from discreet.noise import Gaussian, Laplace

LEVEL = 0.05
POINTS = MonteCarlo(points=999)
NAMES = ("chi2", "projected", "minp")

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Setting:
    """One alternative: its cell probabilities `true`, and what the null says (`theta`; None: independence)."""

    name: str
    n: int
    epsilon: float
    true: Floats
    theta: Floats | None
    tables: int = 2500

    def test(self, cells: Floats, noise: Laplace | Gaussian, statistic: str, rng: np.random.Generator) -> TestResult:
        """The test of one noisy table."""
        closed = isinstance(noise, Gaussian) and statistic == "projected"
        null = "auto" if closed else POINTS
        if self.theta is None:
            return independence(cells, statistic=statistic, null=null, noise=noise, n=self.n, rng=rng)
        return goodness_of_fit(cells, self.theta, statistic=statistic, null=null, noise=noise, n=self.n, rng=rng)

    def rejects(self, cells: Floats, noise: Laplace | Gaussian, statistic: str, rng: np.random.Generator) -> bool:
        """Whether it rejects; a table to which the test does not apply is not rejected."""
        try:
            return self.test(cells, noise, statistic, rng).pvalue <= LEVEL
        except NotApplicable:
            return False


def moved(theta: Floats, by: float, *cells: int) -> Floats:
    """Probabilities with `by` added to and taken from the cells in turn."""
    true = theta.copy()
    for i, cell in enumerate(cells):
        true[cell] += by if i % 2 == 0 else -by
    return true


EVEN = np.full(4, 0.25)
SKEWED = np.array([0.5, 0.3, 0.15, 0.04, 0.01])
ZIPF = 1.0 / np.arange(1, 21) / (1.0 / np.arange(1, 21)).sum()
MARGINS = np.outer((0.6, 0.3, 0.1), (0.5, 0.3, 0.15, 0.05))
SQUARE = 0.01 * (1 + 0.3 * (-1.0) ** np.add.outer(np.arange(10), np.arange(10)))


def pattern(theta: Floats, by: float) -> Floats:
    """A two-way table with + by, - by, - by, + by in its first four cells."""
    true = theta.copy()
    true[:2, :2] += by * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return true


def genotypes(minor: float, odds_ratio: float) -> Floats:
    """As many controls as cases by genotype (0, 1, 2 minor alleles): controls in Hardy-Weinberg proportions, one odds ratio."""
    controls = np.array([(1 - minor) ** 2, 2 * minor * (1 - minor), minor**2])
    cases = controls * odds_ratio ** np.arange(3)
    return np.array([controls, cases / cases.sum()]) / 2


def multiplied(theta: Floats, *factors: float) -> Floats:
    """Probabilities whose first cells are multiplied by `factors`, all divided by their new sum."""
    true = theta.copy()
    true[: len(factors)] *= factors
    return true / true.sum()


CHANGED = multiplied(ZIPF, 1.15, 0.85, 1.2, 0.8)
SETTINGS = (
    Setting("fit, 4 even cells, ± .01", 5000, 0.1, moved(EVEN, 0.01, 0, 1, 2, 3), EVEN),
    Setting("the same, more records", 10_000, 0.1, moved(EVEN, 0.01, 0, 1, 2, 3), EVEN),
    Setting("fit, 4 even cells, ± .05", 300, 0.5, moved(EVEN, 0.05, 0, 1, 2, 3), EVEN),
    Setting("fit, (.5, .3, .15, .04, .01), .05 from the second to the first", 1000, 0.2, moved(SKEWED, 0.05, 0, 1), SKEWED),
    Setting("the same null, .01 becomes .04", 1000, 0.2, moved(SKEWED, 0.03, 4, 0), SKEWED),
    Setting("fit, 20 cells as 1/k, the four largest times 1.15, .85, 1.2, .8, rescaled", 2000, 0.2, CHANGED, ZIPF, 2000),
    Setting("independence, 2 x 2, equal margins, ± .01", 5000, 0.1, pattern(np.full((2, 2), 0.25), 0.01), None),
    Setting("independence, (.6, .3, .1) x (.5, .3, .15, .05), ± .02", 1500, 0.3, pattern(MARGINS, 0.02), None, 2000),
    Setting("independence, 10 x 10, checkerboard of 30 %", 3000, 0.3, SQUARE, None, 300),
    Setting("independence, 2 x 3 genotypes (allele 30 %, odds ratio 1.424)", 1000, 0.5, genotypes(0.3, 1.424), None, 2000),
)  # fmt: skip


def share(rejected: NDArray[np.bool_]) -> str:
    """A share of rejections with its binomial standard error."""
    p = float(rejected.mean())
    return f"{p:.3f} ± {sqrt(max(p * (1 - p), 1 / rejected.size) / rejected.size):.3f}"


def line(setting: Setting, noise: Laplace | Gaussian, seed: int) -> str:
    """The measured powers of one setting under one law."""
    rng = np.random.default_rng(seed)
    names = NAMES if isinstance(noise, Laplace) else NAMES[:2]
    found = []
    for _ in range(setting.tables):
        counts = rng.multinomial(setting.n, setting.true.ravel()).reshape(setting.true.shape).astype(float)
        noisy = counts + noise.sample(counts.shape, rng)
        silent = setting.test(counts, Gaussian(1e-6), "projected", rng).pvalue <= LEVEL
        found.append([silent, *(setting.rejects(noisy, noise, name, rng) for name in names)])
    without, *with_noise = (share(column) for column in np.array(found).T)
    law = f"Laplace, eps = {setting.epsilon}" if isinstance(noise, Laplace) else f"Gaussian, mu = {setting.epsilon}"
    cells = " | ".join([*with_noise, *["-"] * (len(NAMES) - len(names))])
    return f"| {setting.name} | {setting.n:,} | {law} | {cells} | {without} |"


def main(numbers: list[int]) -> None:
    """Print the table line by line, as it is measured: all settings, or those of these numbers."""
    sys.stdout.write(
        "| setting | n | noise | chi2 | projected | minp | without noise |\n|---|---|---|---|---|---|---|\n"
    )
    for number in numbers or range(1, len(SETTINGS) + 1):
        setting = SETTINGS[number - 1]
        for noise in (Laplace(2 / setting.epsilon), Gaussian(sqrt(2) / setting.epsilon)):
            sys.stdout.write(line(setting, noise, seed=number) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    parser = ArgumentParser(description="Measured power of the tests of tables.")
    parser.add_argument("number", nargs="*", type=int, choices=range(1, len(SETTINGS) + 1), default=[])
    main(parser.parse_args().number)
