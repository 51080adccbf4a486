"""The null by conditioning: given the noise the law is noncentral chi-squared, and that is averaged over the noise.

    p = E_V P(ncx2(df, noncentrality(V)) + added(V) >= t)

at scrambled Sobol points. Averaging exact tails needs far fewer points than counting draws of the statistic; the error is
the standard error over independent scramblings. It evaluates the limit law (see `law`), and is no finite-sample test.

Where draws of noise have exponential tails (Laplace and discrete Laplace), a far tail is the work of rare large draws that
few points hit: there the noise is drawn where it matters and each point weighted (`big_jump`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.inference.law import LimitLaw
from discreet.inference.null.big_jump import big_jump_tail, can_jump
from discreet.inference.null.points import uniform_chunks
from discreet.inference.null.problem import NullProblem, Seed, Tail, check_points
from discreet.inference.tails.noncentral import noncentral_chi2_sf

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Conditional:
    """The average of noncentral chi-squared tails over the noise.

    Under Laplace or discrete Laplace noise by importance sampling, precise to a few per cent at any depth of the tail. Under
    Gaussian noise the points are those of the noise itself: below about 1e-5 the average is imprecise, and the closed form
    is there instead.

    Parameters
    ----------
    points : int
        Noise tables in all, spread over 16 independent scramblings (rounded up to 16 times a power of two).
    rng : numpy Generator, int or None
        Seed of the scrambling; the test's own `rng=` goes first.

    Examples
    --------
    >>> from discreet import independence
    >>> from discreet.inference import Conditional
    >>> from discreet.noise import Laplace
    >>> table = [[230.5, 271.25], [268, 236.75]]
    >>> result = independence(table, noise=Laplace(20), n=1000, null=Conditional(points=65536), rng=1)
    >>> round(result.pvalue, 3)
    0.254
    """

    points: int = 4096
    rng: Seed = None

    def __post_init__(self) -> None:
        check_points(self.points, 32)

    def tail(self, problem: NullProblem, t: float, rng: Seed) -> Tail:
        """P(Q >= t) with the standard error over the scramblings."""
        generator = np.random.default_rng(self.rng if rng is None else rng)
        if can_jump(problem.law):
            pvalue, error = big_jump_tail(problem.law, t, self.points, generator)
            return Tail(pvalue, error, "conditional: limit law, averaged over the noise by importance sampling")
        means = np.concatenate(
            [conditional_tail(problem.law, t, w).mean(-1) for w in scaled_noise(problem.law, self.points, generator)]
        )
        error = float(means.std(ddof=1) / math.sqrt(means.size))
        return Tail(min(1.0, float(means.mean())), error, "conditional: limit law, averaged over the noise")


def conditional_tail(law: LimitLaw, t: float, w: Floats) -> Floats:
    """P(Q >= t | noise) for scaled noise tables w of shape (..., cells)."""
    noncentrality, added = law.given(w)
    return noncentral_chi2_sf(t if added is None else t - added, law.df, noncentrality)


def scaled_noise(law: LimitLaw, points: int, generator: np.random.Generator) -> Iterator[Floats]:
    """About `points` scaled noise tables in chunks (scramblings, points each, cells), at least 16 scramblings in all."""
    for uniforms in uniform_chunks(law.dimension, points, generator):
        yield law.scaled_noise(uniforms)
