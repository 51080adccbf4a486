"""Pairs of uniform samples and their private moments: what both studies of Hotelling's test simulate.

Records are uniform on [-c, c]^d. A data set is released as its source does, epsilon/4 for each of the two means and the two
covariances, or with the whole of epsilon for each sample: a person is in one of them only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.inference.hotelling_bootstrap import null_draws
from discreet.inference.mean_comparison import MeanComparison
from discreet.mechanisms import ED, EntrywiseLaplace
from discreet.mechanisms.moments.moments import MomentsMechanism
from discreet.privacy import PureDP
from discreet.release.moments.moments_part import MomentsPart

Floats = NDArray[np.float64]

STEPS = 2**20  # of the grid of each column: fine enough not to matter


@dataclass(frozen=True)
class Setting:
    """d columns, two samples of n records, privacy epsilon."""

    d: int
    n: int
    epsilon: float


@dataclass(frozen=True)
class Pair:
    """One data set: the exact means (2, d) and covariances (2, d, d) of both samples."""

    means: Floats
    covariances: Floats


def draw_pair(setting: Setting, half_width: float, shift: float, rng: np.random.Generator) -> Pair:
    """Two uniform samples on [-c, c]^d, the second moved by `shift` along the diagonal (Euclidean length)."""
    records = rng.uniform(-half_width, half_width, (2, setting.n, setting.d))
    means = records.mean(1)
    centred = records - means[:, None]
    covariances = np.einsum("gni,gnj->gij", centred, centred) / (setting.n - 1)
    means[1] += shift / np.sqrt(setting.d)
    return Pair(means, covariances)


def exact_pvalue(pair: Pair, setting: Setting) -> float:
    """Hotelling's own test without any noise: T^2 (2n - d - 1)/((2n - 2) d) is F with d and 2n - d - 1 degrees of freedom."""
    d, rest = setting.d, 2 * setting.n - setting.d - 1
    difference = pair.means[0] - pair.means[1]
    t = 0.5 * setting.n * difference @ np.linalg.solve(pair.covariances.mean(0), difference)
    return float(special.fdtrc(d, rest, t * rest / ((2 * setting.n - 2) * d)))


def release(pair: Pair, setting: Setting, method: str, rng: np.random.Generator) -> MeanComparison:
    """The private comparison of a pair: method "ED" (epsilon/4 each) or "entrywise" (epsilon for each sample)."""
    mechanism = _mechanism(setting, method)
    noise, law = mechanism.mean.law(setting.n), mechanism.covariance.law(setting.n)
    parts = []
    for mean, covariance in zip(pair.means, pair.covariances, strict=True):
        parts.append(
            MomentsPart(
                label=None,
                n=setting.n,
                mean=mean + noise.sample(setting.d, rng),
                covariance=law.sample(covariance, rng),
                mean_noise=noise,
                covariance_noise=law,
                columns=tuple(f"x{k}" for k in range(setting.d)),
                centres=np.zeros(setting.d),
                half_widths=np.ones(setting.d),
            )
        )
    return MeanComparison(tuple(parts))


@cache
def _mechanism(setting: Setting, method: str) -> MomentsMechanism:
    """Half of the guarantee is the mean's; for ED that of a sample is epsilon/2, so that each piece has epsilon/4."""
    specification: ED | EntrywiseLaplace = ED() if method == "ED" else EntrywiseLaplace()
    guarantee = PureDP(setting.epsilon / 2 if method == "ED" else setting.epsilon)
    return specification.for_moments([STEPS] * setting.d, setting.n, guarantee)


def bootstrap_pvalue(comparison: MeanComparison, replicates: int, rng: np.random.Generator) -> float:
    """(1 + #{t* >= t})/(B + 1)."""
    above = int((null_draws(comparison, replicates, rng) >= comparison.statistic).sum())
    return (1 + above) / (1 + replicates)
