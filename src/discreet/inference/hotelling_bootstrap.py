"""Releases of means and covariances simulated from a release: the parametric bootstrap behind tests and intervals of means.

For a group with released mean m, covariance S and n records, one simulated release is

    m* - m = N(0, S)/sqrt(n) + fresh noise of the mean,    S* = the mechanism's release of W/(n - 1),  W ~ Wishart(S, n - 1).

Only released numbers and public constants are used, so it costs no privacy. The covariance is released anew because its noise
matters: a test that keeps S in the denominators is liberal where columns are strongly correlated.

Source: Dunsche, Kutta and Dette (2022), algorithm 3. That algorithm has no Wishart step; here the covariance of a simulated
sample varies as that of n normal records, so that without any noise the test is Hotelling's exact one (Student's for d = 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from discreet.inference.mean_comparison import MeanComparison, t_squared
from discreet.release.moments.moments_part import MomentsPart

Floats = NDArray[np.float64]

_CHUNK = 1 << 20  # numbers in each working array: 8 MB


def simulated_releases(part: MomentsPart, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Errors m* - m of shape (size, d) and covariances S* of shape (size, d, d)."""
    root = covariance_root(part.covariance)
    d = part.mean.size
    sampling = rng.standard_normal((size, d)) @ root.T / math.sqrt(part.n)
    errors = sampling + part.mean_noise.sample((size, d), rng)
    return errors, part.covariance_noise.sample(sample_covariances(root, part.n - 1, size, rng), rng)


def in_chunks(size: int, dimension: int) -> Iterator[int]:
    """Sizes of chunks that add up to `size`, so that arrays (chunk, d, d) fit the memory whatever the size."""
    step = max(1, _CHUNK // max(1, dimension * dimension))
    for start in range(0, size, step):
        yield min(step, size - start)


def null_draws(comparison: MeanComparison, replicates: int, rng: np.random.Generator) -> Floats:
    """`replicates` draws of t under equal means, each group with its own covariance, its own noise and the same formula."""
    return np.concatenate([t for t, _, _ in _null_chunks(comparison, replicates, rng)])


def null_draws_with_spread(
    comparison: MeanComparison, replicates: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """As `null_draws`, with the errors of the difference (replicates, d) and the pooled covariances (replicates, d, d)."""
    t, errors, covariances = zip(*_null_chunks(comparison, replicates, rng), strict=True)
    return np.concatenate(t), np.concatenate(errors), np.concatenate(covariances)


def covariance_error(comparison: MeanComparison, size: int, rng: np.random.Generator) -> float:
    """About what an eigenvalue of the pooled covariance is in error: root mean square over d, from `size` simulated ones."""
    drawn = tuple(simulated_releases(part, size, rng)[1] for part in comparison.parts)
    error = comparison.pooled(drawn) - comparison.covariance
    return math.sqrt(float((error**2).sum((-2, -1)).mean()) / comparison.dimension)


def _null_chunks(
    comparison: MeanComparison, replicates: int, rng: np.random.Generator
) -> Iterator[tuple[Floats, Floats, Floats]]:
    for size in in_chunks(replicates, comparison.dimension):
        drawn = [simulated_releases(part, size, rng) for part in comparison.parts]
        errors = drawn[0][0] - drawn[1][0] if comparison.given is None else drawn[0][0]
        covariances = comparison.pooled(tuple(covariance for _, covariance in drawn))
        yield t_squared(errors, covariances, comparison.h, comparison.added), errors, covariances


def covariance_root(covariance: Floats) -> Floats:
    """A with A A' = S, also where S is singular."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def sample_covariances(root: Floats, df: int, size: int, rng: np.random.Generator) -> Floats:
    """`size` matrices W/df, W ~ Wishart(A A', df), of shape (size, d, d); 0 where df is 0.

    By the triangular form of Bartlett (1933): W = A T T' A' with T lower triangular, its entries below the diagonal standard
    normal and the squares of the i-th diagonal entry chi-squared with df - i. For df < d, as the sum of df outer products.
    """
    d = root.shape[0]
    if df < 1:
        return np.zeros((size, d, d))
    if df < d:
        factor = rng.standard_normal((size, d, df))
    else:
        factor = np.tril(rng.standard_normal((size, d, d)), -1)
        factor[:, np.arange(d), np.arange(d)] = np.sqrt(rng.chisquare(df - np.arange(d), (size, d)))
    factor = root @ factor / math.sqrt(df)
    return np.asarray(factor @ factor.swapaxes(-1, -2))
