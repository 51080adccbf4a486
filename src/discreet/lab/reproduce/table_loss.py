"""What each mechanism for tables costs: the simulations of Kim, Lee, Kwak and Jung (2022), section 5.

The settings of the paper are not known to us; ours are written in the picture. Given a table every loss is exact, only the
tables are drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.lab.cost import MECHANISMS, cost
from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, TITLE = "table-loss", "What privacy costs a table: expected squared error under mu-GDP"
SOURCE = "Kim, Lee, Kwak and Jung (2022), section 5"
SECONDS, FULL_SECONDS = 3, 20

SETTINGS = ((5, 100, "uniform"), (10, 1000, "uniform"), (10, 1000, "linear"), (100, 1000, "uniform"))


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Compute it: 2,000 tables of each setting at 31 values of mu; in full 10,000 at 61."""
    draws, levels = (10_000, 61) if full else (2000, 31)
    mus = np.geomspace(0.05, 10.0, levels).tolist()
    names = ("theta", "p", "n", "mu", "mechanism", "loss", "error", "relative")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for k, (p, n, theta) in enumerate(SETTINGS):
        study = cost(mus, p, n, theta, draws=draws, rng=np.random.default_rng([seed, k]))
        for row in study.rows:
            for name, value in zip(names, (theta, *(getattr(row, name) for name in names[1:])), strict=True):
                columns[name].append(value)
        if bench.progress is not None:
            bench.progress(k + 1, len(SETTINGS))
    words = (
        f"relative to plain Gaussian noise; averaged over {draws:,} multinomial tables; n public; settings ours; seed {seed}\n"
        "linear: probabilities as 1, 2, ..., p"
    )
    assert set(columns["mechanism"]) == set(MECHANISMS)
    return Study(NAME, TITLE, words, columns, picture)


def picture(study: Study) -> Figure:
    """One panel a setting."""
    from discreet.view.loss_plot import loss_plot

    return loss_plot(study.title, study.settings, study.rows())
