"""Warnings of a comparison of means, from released numbers only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.inference.hotelling_bootstrap import covariance_error
from discreet.inference.mean_comparison import MeanComparison

Floats = NDArray[np.float64]

_DRAWS = 50_000
_SHARE = 0.02  # of the variance of the difference: noise below it moves the level of .05 by less than .001
_RECORDS = 50  # for each column: with fewer, the chi-squared law is liberal without any noise
_ROUGH = 0.5  # noise of the covariance in units of its mean eigenvalue; intervals of the effect were measured below it


def noise_dominated_level(comparison: MeanComparison, level: float = 0.05) -> float:
    """P(t > chi-squared quantile) where the noise of the means is all there is: the level of the asymptotic test there.

    For Laplace noise and two equal groups .0589, .067, .080, .088, .096 at d = 1, 2, 5, 10, 30; by simulation with a fixed
    seed.
    """
    rng, d = np.random.default_rng(0), comparison.dimension
    size = max(1000, _DRAWS // d)
    noise = sum(part.mean_noise.sample((size, d), rng) for part in comparison.parts)
    t = (np.asarray(noise) ** 2).sum(-1) / comparison.noise_variance
    return float((t > special.chdtri(d, level)).mean())


def asymptotic_cautions(comparison: MeanComparison) -> tuple[str, ...]:
    """Where the chi-squared law claims too much: noise with heavy tails, noise in the covariances, few records."""
    found = []
    if comparison.noise_share > _SHARE:
        found.append(
            f"the noise of the means is {comparison.noise_share:.0%} of the variance of the difference: the chi-squared law "
            "leaves out its tails and the noise of the covariances; where noise is all, a test at .05 has the level "
            f"{noise_dominated_level(comparison):.2g} or more; use null='bootstrap'"
        )
    smallest, least = min(part.n for part in comparison.parts), _RECORDS * comparison.dimension
    if smallest < least:
        found.append(
            f"a group has only {smallest} records: for the chi-squared law it should have {least} (50 a column); use "
            "null='bootstrap'"
        )
    return (*found, *_rough_covariance(comparison))


def bootstrap_cautions(comparison: MeanComparison, draws: Floats) -> tuple[str, ...]:
    """A statistic beyond all simulated ones, and covariances of which little but noise is left."""
    found = []
    if comparison.statistic > float(draws.max()):
        found.append(
            f"none of the {draws.size:,} simulated statistics is as large: the p-value is the smallest that so many can "
            "give; ask for more replicates"
        )
    return (*found, *_rough_covariance(comparison))


def _rough_covariance(comparison: MeanComparison) -> tuple[str, ...]:
    variance = float(np.trace(comparison.covariance)) / comparison.dimension
    error = covariance_error(comparison, 100, np.random.default_rng(0))
    if error <= _ROUGH * variance:
        return ()
    size = f"{error / variance:.0%} of" if variance > 0 else "larger than"
    return (
        f"the noise in the released covariance is {size} the variance of a column (on average): the effect and its interval "
        "are rough; a covariance released with more budget, or fewer columns, would help",
    )
