"""How often the interval of the effect covers the true Cramer's V at the nominal level .95, at three settings.

    python docs/measure_coverage.py         (about five minutes of one core; prints a Markdown table)

The settings are those of tests/inference/test_calibration.py: dependent tables under Laplace and projected Gaussian noise.
"""

from __future__ import annotations

import sys
from math import sqrt

import numpy as np

from discreet.inference import Conditional, independence
from discreet.noise import Laplace, ProjectedGaussian

TABLES = 10_000
FAST = Conditional(points=256)

CORNERS = np.array([[1, -1, 0], [-1, 1, 0], [0, 0, 0]])
SETTINGS = {
    "2 x 2, V = .1": (np.array([[0.275, 0.225], [0.225, 0.275]]), 2000, Laplace(20)),
    "2 x 3, V = .15": (
        np.full((2, 3), 1 / 6) + 0.15 / 6 * sqrt(1.5) * np.array([[1, 0, -1], [-1, 0, 1]]),
        3000,
        Laplace(10),
    ),
    "3 x 3, V = .1": (np.full((3, 3), 1 / 9) + 0.1 / 9 * sqrt(4.5) * CORNERS, 4000, ProjectedGaussian(10.0)),
}


def coverage(theta: np.ndarray, n: int, noise: Laplace | ProjectedGaussian, rng: np.random.Generator) -> float:
    """The share of `TABLES` noisy tables whose interval contains the true V."""
    independent = np.outer(theta.sum(1), theta.sum(0))
    truth = sqrt(((theta - independent) ** 2 / independent).sum() / (min(theta.shape) - 1))
    joint, covered = noise.on(theta.shape), 0
    for _ in range(TABLES):
        noisy = rng.multinomial(n, theta.ravel()).reshape(theta.shape) + joint.sample(1, rng)[0]
        effect = independence(noisy, noise=noise, n=n, null=FAST, rng=rng).effect
        covered += effect.low <= truth <= effect.high
    return covered / TABLES


def main() -> None:
    """Print the table."""
    lines = ["| table | n | noise | coverage |", "|---|---|---|---|"]
    for number, (name, (theta, n, noise)) in enumerate(SETTINGS.items()):
        law = (
            f"Laplace, scale {noise.scale:g}"
            if isinstance(noise, Laplace)
            else f"projected Gaussian, sd {noise.scale:g}"
        )
        share = coverage(theta, n, noise, np.random.default_rng([20, number]))
        lines.append(f"| {name} | {n:,} | {law} | {share:.4f} ± {sqrt(share * (1 - share) / TABLES):.4f} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
