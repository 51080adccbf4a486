"""Gaussian-DP tables: expected loss of a large table, the smallest Laplace scale, a bootstrap p-value beside a plain loop."""

from __future__ import annotations

import time

import numpy as np
from report import Row, interleaved, seconds, show

from discreet import goodness_of_fit
from discreet.estimate import JamesStein, expected_loss
from discreet.inference import Bootstrap
from discreet.noise import ProjectedGaussian, calibrate
from discreet.privacy import GaussianDP

CELLS, REPLICATES, N, SD = 20, 10_000, 2000, 14.0
RJS = JamesStein("average", basis="helmert", rank_deficient=True)


def plain_loop(noisy: np.ndarray, theta: np.ndarray, replicates: int) -> float:
    """The bootstrap as one would write it down, one table at a time."""
    rng = np.random.default_rng()
    observed = ((noisy - N * theta) ** 2 / (N * theta)).sum()
    above = 0
    for _ in range(replicates):
        z = rng.normal(0, SD, CELLS)
        table = rng.multinomial(N, theta) + z - z.mean()
        above += ((table - N * theta) ** 2 / (N * theta)).sum() >= observed
    return float((1 + above) / (1 + replicates))


def losses() -> list[Row]:
    theta = np.random.default_rng(0).integers(0, 200, 10**6)
    rows = []
    for name, estimator in (("toward the average", JamesStein("average")), ("in the Helmert basis", RJS)):
        ours, bare, ratio = interleaved(
            lambda estimator=estimator: expected_loss(theta, SD, estimator), lambda: np.var(theta.astype(float))
        )
        rows.append(
            Row(
                f"expected loss of 10^6 cells, James-Stein {name} [50 ms]",
                f"{1e3 * ours:.1f} ms",
                f"numpy.var of the table {1e3 * bare:.1f} ms",
                ratio,
            )
        )
    return rows


def smallest_scale() -> Row:
    """A level that was not asked for before each time, in case anything is remembered."""
    levels = iter(np.linspace(0.5, 2.0, 400))
    ours, bare, ratio = interleaved(
        lambda: calibrate.laplace_table(GaussianDP(float(next(levels)))),
        lambda: calibrate.gaussian(GaussianDP(float(next(levels))), l2_squared=2),
        repeats=20,
    )
    return Row(
        "smallest Laplace scale b_min(mu) [5 ms]",
        f"{1e3 * ours:.2f} ms",
        f"the Gaussian's, in closed form {1e3 * bare:.3f} ms",
        ratio,
    )


def bootstrap() -> list[Row]:
    rng = np.random.default_rng(1)
    theta = np.full(CELLS, 1 / CELLS)
    noisy = rng.multinomial(N, theta) + ProjectedGaussian(SD).on((CELLS,)).sample(1, rng)[0]
    start = time.perf_counter()
    p = plain_loop(noisy, theta, REPLICATES)
    loop = time.perf_counter() - start
    rows = []
    for name, postprocess in (("", None), (", after James-Stein", JamesStein())):
        null = Bootstrap(REPLICATES, postprocess)
        result = goodness_of_fit(noisy, theta, noise=ProjectedGaussian(SD), n=N, null=null, rng=2)
        ours = min(
            seconds(lambda null=null: goodness_of_fit(noisy, theta, noise=ProjectedGaussian(SD), n=N, null=null).pvalue)
            for _ in range(5)
        )
        rows.append(
            Row(
                f"bootstrap goodness of fit, {REPLICATES:,} tables of {CELLS} cells{name} [0.3 s]",
                f"{ours:.3f} s (p {result.pvalue:.4f})",
                f"a loop over the tables without post-processing {loop:.2f} s (p {p:.4f})",
                ours / loop,
            )
        )
    return rows


def main() -> list[Row]:
    return [*losses(), smallest_scale(), *bootstrap()]


if __name__ == "__main__":
    show(main())
