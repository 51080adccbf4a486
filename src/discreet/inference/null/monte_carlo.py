"""The null by reference points, as in the papers: p = (1 + #{t_i >= t}) / (1 + m).

The points are draws of the limit law (Wang, Lee and Kifer 2015, algorithms 1 and 2), so this is no finite-sample test. The
one exception is goodness of fit with a public n: there the points are multinomial tables with fresh noise, and the
p-value is valid at every n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.inference.law import LimitLaw
from discreet.inference.null.problem import NullProblem, Seed, Tail, check_points

Floats = NDArray[np.float64]

_CHUNK = 1 << 22  # numbers held at once: 32 MB


@dataclass(frozen=True)
class MonteCarlo:
    """The papers' reference points: m draws from the null, p = (1 + #{t_i >= t}) / (1 + m), never 0.

    Parameters
    ----------
    points : int
        m, the number of reference points; the smallest possible p-value is 1 / (1 + m).
    rng : numpy Generator, int or None
        Seed; the test's own `rng=` goes first.
    """

    points: int = 10_000
    rng: Seed = None

    def __post_init__(self) -> None:
        check_points(self.points, 1)

    def tail(self, problem: NullProblem, t: float, rng: Seed) -> Tail:
        """(1 + #{t_i >= t}) / (1 + m) with its binomial standard error."""
        generator = np.random.default_rng(self.rng if rng is None else rng)
        law = problem.law
        draw = problem.exact or (lambda size, source: limit_draws(law, size, source))
        step = max(1, _CHUNK // max(1, law.scaling.size + law.dimension))
        above = 0
        for start in range(0, self.points, step):
            above += int((draw(min(step, self.points - start), generator) >= t).sum())
        p = (1 + above) / (1 + self.points)
        how = "multinomial tables with fresh noise (finite-sample)" if problem.exact else "limit law"
        return Tail(p, math.sqrt(p * (1 - p) / self.points), f"monte-carlo: {self.points:,} reference points, {how}")


def limit_draws(law: LimitLaw, size: int, generator: np.random.Generator) -> Floats:
    """`size` draws of Q = ||Pi (g + w)||^2 + ||K w||^2."""
    w = law.scaled_noise(np.clip(generator.random((size, law.dimension)), 2.0**-60, 1 - 2.0**-53))
    q, _ = law.given(w + generator.standard_normal(w.shape))
    _, added = law.given(w)
    return q if added is None else q + added
