"""Hotelling's test by 1,000 simulated releases, beside a plain loop over them."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from report import Row, seconds, show

from discreet import hotelling
from discreet.inference.mean_comparison import MeanComparison, t_squared
from discreet.mechanisms import ED, EntrywiseLaplace
from discreet.privacy import PureDP
from discreet.release.moments.moments_part import MomentsPart

REPLICATES, EPSILON = 1000, 1.0


def samples(d: int, n: int, specification: ED | EntrywiseLaplace) -> tuple[MomentsPart, MomentsPart]:
    rng = np.random.default_rng(0)
    mechanism = specification.for_moments([2**20] * d, n, PureDP(EPSILON))
    noise, law = mechanism.mean.law(n), mechanism.covariance.law(n)
    part = MomentsPart(
        label=None,
        n=n,
        mean=noise.sample(d, rng),
        covariance=law.sample(np.eye(d) / 3, rng),
        mean_noise=noise,
        covariance_noise=law,
        columns=tuple(f"x{k}" for k in range(d)),
        centres=np.zeros(d),
        half_widths=np.ones(d),
    )
    return part, replace(part, mean=noise.sample(d, rng), covariance=law.sample(np.eye(d) / 3, rng))


def plain_loop(parts: tuple[MomentsPart, MomentsPart]) -> float:
    """The bootstrap as one would write it down, one release at a time."""
    rng, comparison = np.random.default_rng(1), MeanComparison(parts)
    above = 0
    for _ in range(REPLICATES):
        means, covariances = [], []
        for part in parts:
            d = part.mean.size
            sampled = rng.multivariate_normal(np.zeros(d), part.covariance / part.n, check_valid="ignore")
            means.append(sampled + part.mean_noise.sample(d, rng))
            covariances.append(part.covariance_noise.sample(part.covariance, rng))
        pooled = comparison.pooled(tuple(covariances))
        above += t_squared(means[0] - means[1], pooled, comparison.h, comparison.added) >= comparison.statistic
    return float((1 + above) / (1 + REPLICATES))


def main() -> list[Row]:
    rows = []
    for d, n, specification, target in (
        (2, 1000, EntrywiseLaplace(), "0.3 s"),
        (2, 1000, ED(), "1.5 s"),
        (10, 10_000, EntrywiseLaplace(), "3 s"),
        (10, 10_000, ED(), "3 s"),
    ):
        parts = samples(d, n, specification)
        start = time.perf_counter()
        p = plain_loop(parts)
        loop = time.perf_counter() - start
        result = hotelling(*parts, replicates=REPLICATES, rng=1)
        ours = min(seconds(lambda parts=parts: hotelling(*parts, replicates=REPLICATES, rng=1)) for _ in range(5))
        rows.append(
            Row(
                f"Hotelling's test, d = {d}, {type(specification).__name__}, {REPLICATES:,} simulated releases [{target}]",
                f"{ours:.3f} s (p {result.pvalue:.3f})",
                f"a loop over the releases {loop:.2f} s (p {p:.3f})",
                ours / loop,
            )
        )
    return rows


if __name__ == "__main__":
    show(main())
