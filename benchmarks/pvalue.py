"""One default p-value on a 5 x 5 table, beside 10,000 reference points in plain NumPy and beside scipy without any noise."""

from __future__ import annotations

import numpy as np
from report import Row, interleaved, show

from discreet import independence
from discreet.noise import Laplace

N, SCALE = 2000, 4.0


def reference_points(table: np.ndarray, points: int = 10_000) -> float:
    """Algorithm 1 of Wang, Lee and Kifer (2015) as one would write it down."""
    rng = np.random.default_rng()
    total = table.sum()
    rows, columns = table.sum(1) / total, table.sum(0) / total
    theta = np.outer(rows, columns)
    expected = total * theta
    statistic = ((table - expected) ** 2 / expected).sum()
    covariance = np.diag(theta.ravel()) - np.outer(theta.ravel(), theta.ravel())
    normal = rng.multivariate_normal(np.zeros(theta.size), covariance, points, method="eigh")
    b = (normal + rng.laplace(0, SCALE, normal.shape) / np.sqrt(N)).reshape(points, *theta.shape)
    residual = (
        b - rows[:, None] * b.sum(1)[:, None, :] - columns * b.sum(2)[:, :, None] + theta * b.sum((1, 2))[:, None, None]
    )
    return float(((residual**2 / theta).sum((1, 2)) >= statistic).mean())


def main() -> list[Row]:
    rng = np.random.default_rng(0)
    table = rng.multinomial(N, np.full(25, 0.04)).reshape(5, 5) + rng.laplace(0, SCALE, (5, 5))
    noise = Laplace(SCALE)
    ours, plain, ratio = interleaved(
        lambda: independence(table, noise=noise, n=N), lambda: reference_points(table), repeats=40
    )
    result, p = independence(table, noise=noise, n=N, rng=1), reference_points(table)
    return [
        Row(
            "one default independence p-value, 5 x 5 table [10 ms]",
            f"{1e3 * ours:.1f} ms (p {result.pvalue:.4f}, standard error {result.pvalue_error:.4f})",
            f"10,000 reference points in NumPy {1e3 * plain:.1f} ms (p {p:.4f}, {np.sqrt(p * (1 - p) / 1e4):.4f})",
            ratio,
        )
    ]


if __name__ == "__main__":
    show(main())
