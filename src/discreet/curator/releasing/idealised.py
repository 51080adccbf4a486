"""The one exception to the gate: covariances by `ED`, whose random directions no known method draws exactly.

`ED` draws eigenvectors from a Bingham law by rejection, in floating point. Its guarantee is a theorem about real numbers;
what a computer does in the last digits, and how often it rejects, is not covered. So it is never chosen by default, and
what it releases says "idealised" of itself. The generator is seeded from the kernel for every covariance, and no seed
is kept.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.curator.releasing.plan import Sums
from discreet.mechanisms.moments.covariance import CovarianceMechanism

SEED_BITS = 256


def draw_covariance(group: Sums, steps: Sequence[int], mechanism: CovarianceMechanism) -> tuple[float, ...]:
    """The upper triangle of the covariance on [-1, 1]^d that `mechanism` releases for a group; 0 below two records."""
    d, n = len(steps), group.n
    upper = np.triu_indices(d)
    if n < 2:
        return (0.0,) * len(upper[0])
    generator = np.random.default_rng(secrets.randbits(SEED_BITS))
    exact = np.array([[_entry(group, steps, a, b) for b in range(d)] for a in range(d)])
    released = mechanism.law(n).sample(exact, generator)
    return tuple(released[upper].tolist())


def _entry(group: Sums, steps: Sequence[int], a: int, b: int) -> float:
    """4 (n Q_ab - s_a s_b)/(n (n - 1) J_a J_b), rounded once."""
    centred = group.n * group.products[a][b] - group.sums[a] * group.sums[b]
    return float(Fraction(4 * centred, group.n * (group.n - 1) * steps[a] * steps[b]))
