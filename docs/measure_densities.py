"""How near each kind of release comes to the distribution that the records were drawn from.

    python docs/measure_densities.py        (about three minutes of one core; prints a Markdown table)

For each line n records are drawn from a Beta(10, 10) or from the mixture of Beta(10, 3) and Beta(3, 10), released by a
curator, and estimated from the release. Printed are the mean KS distance between the estimated and the true distribution
function, with its standard error, and the L2 distance between the densities (the root of the mean integrated squared error).
The releases cannot be repeated exactly, for the noise that protects has no seed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import polars as pl

from discreet import Bounded, Curator, GaussianDP, PureDP, Schema
from discreet.estimate import density
from discreet.lab import BetaMixture, ks_distance, l2_distance, mise_bins
from discreet.mechanisms import SmoothedHistogram

SCHEMA = Schema({"x": Bounded(0, 1, step=0.001)}, complete=True)
TRUTHS = {"one peak": BetaMixture([(10, 10)]), "two peaks": BetaMixture([(10, 3), (3, 10)])}
SETTINGS = ((1000, 0.1), (1000, 1.0), (3000, 0.1), (3000, 1.0))
REPETITIONS = 100
TERMS = 8

Make = Callable[[Curator, int, float, float], Any]


@dataclass(frozen=True)
class Scheme:
    """One kind of release: under PureDP(epsilon), or under the GaussianDP(mu) that epsilon implies."""

    name: str
    make: Make
    gaussian: bool = False


SCHEMES = (
    Scheme("histogram, 10 cells", lambda curator, n, eps, rough: curator.histogram("x", 10, PureDP(eps))),
    Scheme(
        "histogram, `mise_bins` cells",
        lambda curator, n, eps, rough: curator.histogram("x", mise_bins(n, PureDP(eps), rough), PureDP(eps)),
    ),
    Scheme(
        "histogram, `mise_bins` cells",
        lambda curator, n, eps, rough: curator.histogram("x", mise_bins(n, mu_of(eps), rough), mu_of(eps)),
        gaussian=True,
    ),
    Scheme(f"series, {TERMS} terms", lambda curator, n, eps, rough: curator.series("x", TERMS, PureDP(eps))),
    Scheme(
        f"series, {TERMS} terms", lambda curator, n, eps, rough: curator.series("x", TERMS, mu_of(eps)), gaussian=True
    ),
    Scheme("distribution function", lambda curator, n, eps, rough: curator.cdf("x", mu_of(eps)), gaussian=True),
    Scheme("sample, KS distance", lambda curator, n, eps, rough: curator.sample("x", None, PureDP(eps))),
    Scheme(
        "sample, smoothed histogram",
        lambda curator, n, eps, rough: curator.sample("x", None, PureDP(eps), SmoothedHistogram()),
    ),
)


def mu_of(epsilon: float) -> GaussianDP:
    """The GaussianDP that every epsilon-DP release satisfies."""
    return PureDP(epsilon).to_gaussian()


def roughness(truth: BetaMixture) -> float:
    """The integral of f'^2, numerically: what `mise_bins` asks a guess of."""
    x = np.linspace(0.0, 1.0, 20_001)
    return float(np.square(np.gradient(truth.pdf(x), x)).mean())


def records(truth: BetaMixture, n: int, rng: np.random.Generator) -> pl.DataFrame:
    """n independent records."""
    return pl.DataFrame({"x": truth.sample(n, rng)})


def measure(scheme: Scheme, truth: BetaMixture, n: int, epsilon: float, rng: np.random.Generator) -> list[float]:
    """The mean KS distance, its standard error, the root mean integrated squared error (nan where no density is meant)."""
    ks, squares, rough = [], [], roughness(truth)
    budget = mu_of(epsilon) if scheme.gaussian else PureDP(epsilon)
    for _ in range(REPETITIONS):
        with Curator(records(truth, n, rng), SCHEMA, budget=budget) as curator:
            release = scheme.make(curator, n, epsilon, rough)
        found = density(release)
        ks.append(ks_distance(release if scheme.name.startswith("sample") else found, truth))
        squares.append(l2_distance(found, truth) ** 2 if scheme.name.startswith(("histogram", "series")) else np.nan)
    return [float(np.mean(ks)), float(np.std(ks, ddof=1)) / sqrt(len(ks)), sqrt(np.mean(squares))]


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(1)
    settings = [f"n = {n}, {epsilon:g}" for n, epsilon in SETTINGS]
    sys.stdout.write(f"| records | release | guarantee | {' | '.join(settings)} |\n|{'---|' * (3 + len(settings))}\n")
    for name, truth in TRUTHS.items():
        for scheme in SCHEMES:
            cells = []
            for n, epsilon in SETTINGS:
                ks, error, l2 = measure(scheme, truth, n, epsilon, rng)
                cells.append(f"{ks:.3f} (±{error:.3f})" + ("" if l2 != l2 else f", {l2:.2f}"))
            kind = "mu" if scheme.gaussian else "epsilon"
            sys.stdout.write(f"| {name} | {scheme.name} | {kind} | {' | '.join(cells)} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
