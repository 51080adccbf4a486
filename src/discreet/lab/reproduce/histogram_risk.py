"""The risk of the perturbed histogram against the number of its cells: the figure of Wasserman and Zhou (2010), section 7.

Beta(10, 10) and the mixture of Beta(10, 3) and Beta(3, 10), n = 100 and 1,000, epsilon = 0.1 and 0.01. The lower curves are
the ordinary histogram, exactly. What the figure shows: privacy asks for fewer cells, and the wrong number of them costs more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.lab.densities.beta_mixture import BetaMixture
from discreet.lab.densities.histogram_risk import histogram_risk
from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.study import Study
from discreet.view.risk_plot import risk_plot

NAME = "histogram-risk"
TITLE = "Risk of the perturbed histogram"
SOURCE = "Wasserman and Zhou (2010), figure 1"
SECONDS, FULL_SECONDS = 5, 60

DENSITIES = {"beta(10, 10)": BetaMixture([(10, 10)]), "beta mixture": BetaMixture([(10, 3), (3, 10)])}
SIZES = (100, 1000)
EPSILONS = (0.1, 0.01)


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 2,000 times each at 24 numbers of cells, in full 20,000 times at 40."""
    simulations = 20_000 if full else 2_000
    bins = [*range(2, 16), 18, 20, 23, 26, 30, 35, 40, 45, 50, 60]
    if full:
        bins = [*range(2, 31), 33, 36, 39, 42, 45, 50, 55, 60, 70, 80, 100]
    frame: dict[str, list[Any]] = {
        key: [] for key in ("density", "n", "epsilon", "bins", "ordinary", "private", "error", "fallback")
    }
    generator, step, steps = np.random.default_rng(seed), 0, len(DENSITIES) * len(SIZES) * len(EPSILONS)
    for name, density in DENSITIES.items():
        for n in SIZES:
            for epsilon in EPSILONS:
                risk = histogram_risk(density, n, epsilon, bins, simulations, generator)
                settings = zip(risk.bins, risk.ordinary, risk.private, risk.error, risk.fallback, strict=True)
                for m, *numbers in settings:
                    row = (name, n, epsilon, int(m), *map(float, numbers))
                    for column, value in zip(frame.values(), row, strict=True):
                        column.append(value)
                step += 1
                if bench.progress is not None:
                    bench.progress(step, steps)
    words = (
        f"mean integrated squared error; {simulations:,} simulations for each point, seed {seed};\n"
        "the ordinary histogram exactly; the numbers of cells are ours"
    )
    return Study(NAME, TITLE, words, frame, risk_plot)
