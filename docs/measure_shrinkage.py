"""Does shrinkage give power? The table of that section of estimate.md, printed: python docs/measure_shrinkage.py (minutes).

Goodness of fit of ten cells, n = 500, level .05, Pearson's statistic of the noisy or shrunken table; its critical value is the
simulated one, so that every column has the level. Under the alternative the cells are moved up and down in turns by eta.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from discreet.estimate import JamesStein
from discreet.noise import Gaussian, Laplace, ProjectedGaussian, calibrate
from discreet.privacy import GaussianDP

Floats = NDArray[np.float64]

CELLS, N, LEVEL, TABLES = 10, 500, 0.05, 100_000
EQUAL = np.full(CELLS, 1 / CELLS)
RISING = np.arange(1, CELLS + 1) / np.arange(1, CELLS + 1).sum()
SETTINGS = (
    ("equal", EQUAL, 0.1, 0.025),
    ("equal", EQUAL, 0.25, 0.015),
    ("equal", EQUAL, 0.5, 0.012),
    ("equal", EQUAL, 1.0, 0.01),
    ("1, 2, ..., 10", RISING, 0.25, 0.015),
)
HELMERT = JamesStein("average", basis="helmert", rank_deficient=True)
FREE = JamesStein("average", rank_deficient=True)
POSITIVE = JamesStein("average", rank_deficient=True, positive_part=True)


def columns(mu: float) -> dict[str, Callable[[Floats, np.random.Generator], Floats]]:
    """From tables of counts to what is tested, under mu-GDP each."""
    sd = sqrt(2) / mu
    whole, projected = Gaussian(sd).on((CELLS,)), ProjectedGaussian(sd).on((CELLS,))
    exact, by_l1 = calibrate.laplace_table(GaussianDP(mu)), calibrate.laplace_table_l1_rule(GaussianDP(mu))

    def full(counts: Floats, rng: np.random.Generator) -> Floats:
        return counts + rng.normal(0, sd, counts.shape)

    def deficient(counts: Floats, rng: np.random.Generator) -> Floats:
        z = rng.normal(0, sd, counts.shape)
        return counts + z - z.mean(1, keepdims=True)

    return {
        "Gaussian": full,
        "JS": lambda counts, rng: JamesStein("average").shrink(full(counts, rng), whole),
        "rank-deficient": deficient,
        "rJS (Helmert)": lambda counts, rng: HELMERT.shrink(deficient(counts, rng), projected),
        "rJSz": lambda counts, rng: FREE.shrink(deficient(counts, rng), projected),
        "rJSz, positive part": lambda counts, rng: POSITIVE.shrink(deficient(counts, rng), projected),
        "Laplace, b_min": lambda counts, rng: counts + Laplace(exact).sample(counts.shape, rng),
        "Laplace, L1": lambda counts, rng: counts + Laplace(by_l1).sample(counts.shape, rng),
    }


def power(theta: Floats, eta: float, seen: Callable[[Floats, np.random.Generator], Floats], seed: int) -> float:
    """The share of tables from the alternative whose statistic is beyond that of 95 % of those from the null."""
    rng = np.random.default_rng(seed)
    expected = N * theta

    def statistics(true: Floats) -> Floats:
        counts = rng.multinomial(N, true, TABLES).astype(float)
        return ((seen(counts, rng) - expected) ** 2 / expected).sum(1)

    critical = np.quantile(statistics(theta), 1 - LEVEL)
    return float((statistics(theta + eta * (-1.0) ** np.arange(CELLS)) > critical).mean())


def main() -> None:
    """Print the table line by line, as it is measured."""
    names = list(columns(1.0))
    sys.stdout.write(f"| null | mu | eta | {' | '.join(names)} |\n{'|---' * (len(names) + 3)}|\n")
    for seed, (null, theta, mu, eta) in enumerate(SETTINGS):
        found = [power(theta, eta, seen, seed) for seen in columns(mu).values()]
        sys.stdout.write(f"| {null} | {mu:g} | {eta:g} | {' | '.join(f'{p:.3f}' for p in found)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
