"""How often Hotelling's test rejects equal means: by the chi-squared quantile, without the correction, by the bootstrap.

After Dunsche, Kutta and Dette (2022), section 4, whose own numbers are not at hand: uniform samples, ED for the covariances,
epsilon/4 for each of the four pieces, nominal level .05.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.lab.reproduce.bench import PLAIN, Bench, Job
from discreet.lab.reproduce.hotelling_samples import Setting, bootstrap_pvalue, draw_pair, exact_pvalue, release
from discreet.lab.reproduce.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, TITLE = "hotelling-level", "The level of Hotelling's test under privacy"
SOURCE = "Dunsche, Kutta and Dette (2022), section 4"
SECONDS, FULL_SECONDS = 25, 2400

LEVEL, REPLICATES = 0.05, 199
METHODS = ("bootstrap", "chi-squared", "chi-squared, no correction", "no privacy")

_REDUCED = (((1, 1000), (2, 500), (5, 200)), (0.5, 4.0), (1000, 10_000))
_FULL = (((1, 2000), (2, 2000), (5, 1000), (10, 500)), (0.5, 1.0, 4.0), (1000, 10_000, 100_000))


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Rejection rates for each d, epsilon, n and method; reduced: d up to 5, n up to 10,000, half a minute."""
    dimensions, epsilons, sizes = _FULL if full else _REDUCED
    settings = [(Setting(d, n, epsilon), r) for d, r in dimensions for epsilon in epsilons for n in sizes]
    jobs = [
        Job(
            partial(pvalues, setting),
            repetitions,
            {"figure": NAME, **setting.__dict__, "replicates": REPLICATES},
            chunk=100,
            work=2.0 + setting.d * setting.n / 1e4,
        )
        for setting, repetitions in settings
    ]
    rows: list[tuple[int, float, int, str, float, float]] = []
    for (setting, repetitions), found in zip(settings, bench.simulate(jobs, seed), strict=True):
        for method in METHODS:
            rate = float((found[method] <= LEVEL).mean())
            error = float(np.sqrt(max(rate * (1 - rate), LEVEL / repetitions) / repetitions))
            rows.append((setting.d, setting.epsilon, setting.n, method, rate, error))
    columns = ("d", "epsilon", "n", "method", "rate", "error")
    counts = ", ".join(f"{r:,} at d = {d}" for d, r in dimensions)
    words = (
        f"two samples of n records, uniform on [-1, 1]^d; ED, epsilon/4 for each mean and covariance; nominal level {LEVEL}\n"
        f"pairs of samples: {counts}; bootstrap with {REPLICATES} replicates; seed {seed}"
    )
    return Study(NAME, TITLE, words, dict(zip(columns, map(tuple, zip(*rows, strict=True)), strict=True)), picture)


def level(setting: Setting, repetitions: int, rng: np.random.Generator) -> tuple[float, ...]:
    """The rejection rates of `METHODS` where the means are equal."""
    return tuple(float((p <= LEVEL).mean()) for p in pvalues(setting, rng, repetitions).values())


def pvalues(setting: Setting, rng: np.random.Generator, count: int) -> dict[str, NDArray[np.float64]]:
    """The p-values of `METHODS` for `count` pairs of samples whose means are equal."""
    found = np.empty((count, len(METHODS)))
    for r in range(count):
        pair = draw_pair(setting, 1.0, 0.0, rng)
        comparison = release(pair, setting, "ED", rng)
        found[r] = (
            bootstrap_pvalue(comparison, REPLICATES, rng),
            special.chdtrc(setting.d, comparison.statistic),
            comparison.naive_pvalue,
            exact_pvalue(pair, setting),
        )
    return dict(zip(METHODS, found.T, strict=True))


def picture(study: Study) -> Figure:
    """Rejection rate over n: one panel a number of columns, one colour a method, one line style an epsilon."""
    from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, SMALL, TEXT, common_key, new_panels

    rows = study.rows()
    dimensions, epsilons = (list(dict.fromkeys(row[name] for row in rows)) for name in ("d", "epsilon"))
    styles = ", ".join(
        f"{line} {epsilon:g}" for epsilon, line in zip(epsilons, ("solid", "dashed", "dotted"), strict=False)
    )
    figure, panels = new_panels(
        study.title,
        f"{study.settings}; epsilon: {styles}",
        len(dimensions),
        width=2.1 + 2.1 * len(dimensions),
        height=4.4,
        key_rows=1,
    )
    colours = dict(zip(METHODS, (PALETTE[0], PALETTE[1], EMPHASIS, FAINT), strict=True))
    dashes = [(1, 0), (4, 2), (1, 1.5)]
    for axes, d in zip(panels, dimensions, strict=True):
        axes.axhline(LEVEL, color=INK, linewidth=0.8)
        for method in METHODS:
            for epsilon, dash in zip(epsilons, dashes, strict=False):
                some = [row for row in rows if (row["d"], row["epsilon"], row["method"]) == (d, epsilon, method)]
                if method == "no privacy" and epsilon != epsilons[0]:
                    continue
                axes.errorbar(
                    [row["n"] for row in some],
                    [max(row["rate"], 1e-3) for row in some],
                    yerr=[row["error"] for row in some],
                    color=colours[method],
                    linewidth=1.5,
                    dashes=dash,
                    marker="o",
                    markersize=3.5,
                    elinewidth=0.9,
                    label=method if epsilon == epsilons[0] else None,
                )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(0.02, 1.2)
        sizes = sorted({row["n"] for row in rows})
        axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
        axes.set_xticks([], minor=True)
        ticks = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_yticks([], minor=True)
        axes.grid(color=RULE, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_title(f"d = {d}", fontsize=TEXT, color=INK, loc="left")
        axes.set_xlabel("n, records in each sample", fontsize=SMALL, color=FAINT)
        axes.tick_params(labelsize=SMALL)
    common_key(figure, panels[0], columns=len(METHODS))
    return figure
