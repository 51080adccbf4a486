"""One default p-value of each kind, from array to result, beside 10,000 reference points in plain NumPy."""

from __future__ import annotations

from statistics import median

import numpy as np
from report import Row, interleaved, seconds, show

from discreet import independence
from discreet.noise import DiscreteLaplace, Gaussian, Laplace, ProjectedGaussian
from discreet.noise.draw_law import DrawLaw

N, SCALE = 2000, 4.0


def reference_points(table: np.ndarray, law: DrawLaw, n: float = N, points: int = 10_000) -> float:
    """Algorithm 1 of Wang, Lee and Kifer (2015) as one would write it down."""
    rng = np.random.default_rng()
    total = table.sum()
    rows, columns = table.sum(1) / total, table.sum(0) / total
    theta = np.outer(rows, columns)
    expected = total * theta
    statistic = ((table - expected) ** 2 / expected).sum()
    covariance = np.diag(theta.ravel()) - np.outer(theta.ravel(), theta.ravel())
    normal = rng.multivariate_normal(np.zeros(theta.size), covariance, points, method="eigh")
    b = (normal + law.sample(normal.shape, rng) / np.sqrt(n)).reshape(points, *theta.shape)
    residual = (
        b - rows[:, None] * b.sum(1)[:, None, :] - columns * b.sum(2)[:, :, None] + theta * b.sum((1, 2))[:, None, None]
    )
    return float(((residual**2 / theta).sum((1, 2)) >= statistic).mean())


def main() -> list[Row]:
    rng = np.random.default_rng(0)
    table = rng.multinomial(N, np.full(25, 0.04)).reshape(5, 5) + rng.laplace(0, SCALE, (5, 5))
    noise = Laplace(SCALE)
    ours, plain, ratio = interleaved(
        lambda: independence(table, noise=noise, n=N), lambda: reference_points(table, noise), repeats=40
    )
    result, p = independence(table, noise=noise, n=N, rng=1), reference_points(table, noise)
    return [
        Row(
            "one default independence p-value, 5 x 5 table [10 ms]",
            f"{1e3 * ours:.1f} ms (p {result.pvalue:.4f}, standard error {result.pvalue_error:.4f})",
            f"10,000 reference points in NumPy {1e3 * plain:.1f} ms (p {p:.4f}, {np.sqrt(p * (1 - p) / 1e4):.4f})",
            ratio,
        ),
        *(closed_form(*case) for case in CLOSED_FORMS),
        *(far_tail(*case) for case in FAR_TAILS),
    ]


CLOSED_FORMS = (
    ("Gaussian noise, 5 x 5 table", Gaussian(SCALE), 5, 39.0),
    ("projected Gaussian noise, 5 x 5 table", ProjectedGaussian(SCALE), 5, 39.0),
    ("Laplace noise, 2 x 2 table", Laplace(5 * SCALE), 2, 180.0),
)


def closed_form(what: str, law: Gaussian | ProjectedGaussian | Laplace, k: int, excess: float) -> Row:
    """A p-value near 1e-12, out of the reach of reference points; `excess` records more on the diagonal than expected.

    The two are timed one after the other: the threads of the other's matrix product would still be spinning.
    """
    table = N / k**2 + excess * (np.eye(k) * k - 1.0) / (k - 1)
    drawn = Gaussian(law.scale) if isinstance(law, ProjectedGaussian) else law
    result = independence(table, noise=law, n=N)
    ours = median(seconds(lambda: independence(table, noise=law, n=N)) for _ in range(200))
    plain = median(seconds(lambda: reference_points(table, drawn)) for _ in range(20))
    return Row(
        f"independence in closed form, {what} [1 ms]",
        f"{1e3 * ours:.2f} ms (p {result.pvalue:.2e}, numerical error {result.pvalue_error:.0e})",
        f"10,000 reference points in NumPy {1e3 * plain:.1f} ms (p {reference_points(table, drawn):.4f})",
        ours / plain,
    )


EVEN = np.array([[3, -1, -1, -1], [-3, 1, 1, 1], [0, 0, 0, 0]]) / 3
DIAGONAL = (10 * np.eye(10) - 1) / 9
FAR_TAILS = (
    ("Laplace noise, 3 x 4 table", Laplace(2 / 0.3), 2000, 87.0 * EVEN),
    ("discrete Laplace noise, 3 x 4 table", DiscreteLaplace(2 / 0.3), 2000, 87.0 * EVEN),
    ("Laplace noise, 10 x 10 table", Laplace(20.0), 10_000, 140.0 * DIAGONAL),
    ("discrete Laplace noise, 10 x 10 table", DiscreteLaplace(20.0), 10_000, 140.0 * DIAGONAL),
)


def far_tail(what: str, noise: DiscreteLaplace | Laplace, n: int, excess: np.ndarray) -> Row:
    """P-values of about 1e-9 and 1e-6 with more degrees of freedom: scatter over 50 runs, and the time of one."""
    table = n / excess.size + excess
    ours, plain, ratio = interleaved(
        lambda: independence(table, noise=noise, n=n), lambda: reference_points(table, noise, n), repeats=20
    )
    results = [independence(table, noise=noise, n=n, rng=seed) for seed in range(50)]
    p = np.array([result.pvalue for result in results])
    error = np.mean([result.pvalue_error for result in results]) / p.mean()
    return Row(
        f"independence in the far tail, {what} [30 ms, relative error .03]",
        f"{1e3 * ours:.1f} ms (p {p.mean():.2e}, scatter {p.std(ddof=1) / p.mean():.1%}, its own standard error {error:.1%})",
        f"10,000 reference points in NumPy {1e3 * plain:.1f} ms (p {reference_points(table, noise, n):.4f})",
        ratio,
    )


if __name__ == "__main__":
    show(main())
