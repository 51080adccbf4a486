"""The power of Hotelling's test under privacy, over the distance of the means.

After Dunsche, Kutta and Dette (2022), section 4, whose own numbers are not at hand: uniform samples on [-.8, .8]^d, one of
them moved by s along the diagonal. Beside their release (ED, epsilon/4 for each piece) the same test on means and covariances
with entrywise Laplace noise and the whole of epsilon for each sample, as a person is in one of the samples only.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.lab.reproduce.bench import PLAIN, Bench, Job
from discreet.lab.reproduce.hotelling_samples import Setting, bootstrap_pvalue, draw_pair, exact_pvalue, release
from discreet.lab.reproduce.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, TITLE = "hotelling-power", "The power of Hotelling's test under privacy"
SOURCE = "Dunsche, Kutta and Dette (2022), section 4"
SECONDS, FULL_SECONDS = 20, 1800

LEVEL, REPLICATES, HALF_WIDTH, EPSILON = 0.05, 199, 0.8, 1.0
METHODS = ("ED, epsilon/4 each", "entrywise, epsilon a sample", "no privacy")

_REDUCED = (
    (Setting(1, 1000, EPSILON), (0.0, 0.02, 0.05, 0.1), 600),
    (Setting(2, 1000, EPSILON), (0.0, 0.05, 0.1, 0.2), 300),
    (Setting(5, 10_000, EPSILON), (0.0, 0.02, 0.035, 0.05), 150),
)
_FULL = (
    (Setting(1, 1000, EPSILON), (0.0, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1), 2000),
    (Setting(2, 1000, EPSILON), (0.0, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2), 2000),
    (Setting(2, 10_000, EPSILON), (0.0, 0.005, 0.01, 0.015, 0.02, 0.03), 1000),
    (Setting(5, 10_000, EPSILON), (0.0, 0.01, 0.02, 0.03, 0.04, 0.05), 1000),
    (Setting(5, 100_000, EPSILON), (0.0, 0.0025, 0.005, 0.0075, 0.01), 300),
)


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Rejection rates for each setting, shift s and method; reduced: three settings of four shifts, half a minute."""
    steps = [(setting, s, r) for setting, shifts, r in (_FULL if full else _REDUCED) for s in shifts]
    jobs = [
        Job(
            partial(pvalues, setting, shift),
            repetitions,
            {"figure": NAME, **setting.__dict__, "shift": shift, "replicates": REPLICATES},
            chunk=100,
            work=3.0 + setting.d * setting.n / 1e4,
        )
        for setting, shift, repetitions in steps
    ]
    rows: list[tuple[int, int, float, float, str, float, float]] = []
    for (setting, shift, repetitions), found in zip(steps, bench.simulate(jobs, seed), strict=True):
        for method in METHODS:
            rate = float((found[method] <= LEVEL).mean())
            error = float(np.sqrt(max(rate * (1 - rate), LEVEL / repetitions) / repetitions))
            rows.append((setting.d, setting.n, setting.epsilon, shift, method, rate, error))
    columns = ("d", "n", "epsilon", "shift", "method", "rate", "error")
    counts = [repetitions for *_, repetitions in steps]
    words = (
        f"two samples of n records, uniform on [-{HALF_WIDTH}, {HALF_WIDTH}]^d, means a distance s apart; bounds [-1, 1]\n"
        f"epsilon = {EPSILON:g}; level {LEVEL}; bootstrap with {REPLICATES} replicates; {min(counts):,} to {max(counts):,} "
        f"pairs of samples a point; seed {seed}"
    )
    return Study(NAME, TITLE, words, dict(zip(columns, map(tuple, zip(*rows, strict=True)), strict=True)), picture)


def power(setting: Setting, shift: float, repetitions: int, rng: np.random.Generator) -> tuple[float, ...]:
    """The rejection rates of `METHODS` where the means are `shift` apart."""
    return tuple(float((p <= LEVEL).mean()) for p in pvalues(setting, shift, rng, repetitions).values())


def pvalues(setting: Setting, shift: float, rng: np.random.Generator, count: int) -> dict[str, NDArray[np.float64]]:
    """The p-values of `METHODS` for `count` pairs of samples whose means are `shift` apart."""
    found = np.empty((count, len(METHODS)))
    for r in range(count):
        pair = draw_pair(setting, HALF_WIDTH, shift, rng)
        private = [bootstrap_pvalue(release(pair, setting, m, rng), REPLICATES, rng) for m in ("ED", "entrywise")]
        found[r] = (*private, exact_pvalue(pair, setting))
    return dict(zip(METHODS, found.T, strict=True))


def picture(study: Study) -> Figure:
    """Rejection rate over s: one panel a setting, one colour a method."""
    from discreet.view.theme import FAINT, INK, PALETTE, RULE, SMALL, TEXT, common_key, new_panels

    rows = study.rows()
    settings = list(dict.fromkeys((row["d"], row["n"], row["epsilon"]) for row in rows))
    figure, panels = new_panels(
        study.title, study.settings, len(settings), width=1.6 + 2.0 * len(settings), height=4.0, key_rows=1
    )
    colours = dict(zip(METHODS, (PALETTE[1], PALETTE[0], FAINT), strict=True))
    for axes, (d, n, epsilon) in zip(panels, settings, strict=True):
        axes.axhline(LEVEL, color=INK, linewidth=0.8)
        for method in METHODS:
            some = [
                row for row in rows if (row["d"], row["n"], row["epsilon"], row["method"]) == (d, n, epsilon, method)
            ]
            axes.errorbar(
                [row["shift"] for row in some],
                [row["rate"] for row in some],
                yerr=[row["error"] for row in some],
                color=colours[method],
                linewidth=1.6,
                marker="o",
                markersize=3.5,
                elinewidth=0.9,
                label=method,
            )
        axes.set_ylim(0, 1.02)
        axes.grid(color=RULE, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_title(f"d = {d}, n = {n:,}", fontsize=SMALL, color=INK, loc="left")
        axes.set_xlabel("s, distance of the means", fontsize=SMALL, color=FAINT)
        axes.tick_params(labelsize=SMALL)
    panels[0].set_ylabel("rejection rate", fontsize=TEXT, color=FAINT)
    common_key(figure, panels[0])
    return figure
