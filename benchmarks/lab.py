"""Studies: 10,000 null tables, a power curve, the testbed; beside the same by plain NumPy, timed on a part of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pvalue import reference_points
from report import Row, seconds, show

from discreet import PureDP
from discreet import lab as studies
from discreet.noise import Laplace

WORKERS = 2
PART = 20  # tables on which the yardstick is timed
THIRD = [1 / 3] * 3
EPSILON, N = 0.2, 2000


def plain_test(tables: int) -> float:
    """Seconds that the papers' 10,000 reference points would take for so many 3 x 3 tables, on one core."""
    rng, noise = np.random.default_rng(0), Laplace(2 / EPSILON)
    some = rng.multinomial(N, np.full(9, 1 / 9), PART).reshape(-1, 3, 3) + noise.sample((PART, 3, 3), rng)
    return seconds(lambda: [reference_points(table, noise) for table in some]) * tables / PART


def main() -> list[Row]:
    return [reliability(), power_curve(), testbed()]


def reliability() -> Row:
    design = studies.independence_design(THIRD, THIRD, N)
    took, study = _timed(lambda seed: studies.reliability(design, PureDP(EPSILON), n_jobs=WORKERS, seed=seed))
    plain = plain_test(10_000)
    ours, naive = study.levels(0.05)
    return Row(
        "reliability of independence, 10,000 null tables, 3 x 3, Laplace noise [20 s on two cores]",
        f"{took:.1f} s with {WORKERS} workers (level at .05: {ours.level:.4f} ± {ours.error:.4f}; naive {naive.level:.3f})",
        f"10,000 reference points in NumPy for each, one core {plain:.0f} s (from {PART} tables)",
        took / plain,
    )


def power_curve() -> Row:
    design = studies.independence_design(THIRD, THIRD, N)
    effects = np.linspace(0.005, 0.1, 20).tolist()
    took, study = _timed(
        lambda seed: studies.power(
            design, PureDP(EPSILON), effects=effects, n_jobs=WORKERS, seed=seed, repetitions=2000
        )
    )
    plain = plain_test(40_000)
    halfway = min(study.select(method="discreet").rows, key=lambda row: abs(row.power - 0.5))
    return Row(
        "power curve, 20 effects, 2,000 tables each, 3 x 3, Laplace noise [60 s]",
        f"{took:.1f} s with {WORKERS} workers (power {halfway.power:.3f} ± {halfway.error:.3f} at V = {halfway.effect:g})",
        f"10,000 reference points in NumPy for each, one core {plain:.0f} s (from {PART} tables)",
        took / plain,
    )


def testbed() -> Row:
    rng = np.random.default_rng(1)
    table = rng.multinomial(1055, np.full(9, 1 / 9)).reshape(3, 3)
    took = min(seconds(lambda: studies.testbed.run(table, "chi2", 0.2, repeats=100, rng=1)) for _ in range(3))
    rows, columns = np.repeat(np.arange(3), table.sum(1)), np.repeat(np.arange(3), table.sum(0))

    def permute() -> None:
        for _ in range(200):
            np.bincount(rows * 3 + rng.permutation(columns), minlength=9)

    plain = seconds(permute) * 50
    return Row(
        "permutation testbed, 10,000 permutations and 100 draws of noise, 3 x 3, n = 1,055 [0.5 s]",
        f"{took:.2f} s",
        f"permuting the records in NumPy {plain:.2f} s (from 200 permutations)",
        took / plain,
    )


def _timed(study: Callable[[int], Any]) -> tuple[float, Any]:
    """Seconds of the study, the start of the workers included, and its result."""
    found: list[Any] = []
    took = seconds(lambda: found.append(study(1)))
    return took, found[0]


if __name__ == "__main__":
    show(main())
