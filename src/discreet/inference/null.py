"""How the null distribution of a statistic is computed: objects that turn a limit law and a value into a tail probability.

    Conditional   p = E_V P(ncx2(df, noncentrality(V)) + added(V) >= t): the average of exact conditional tails over the
                  noise, at scrambled Sobol points; its error is the standard error over independent scramblings
    MonteCarlo    the reference points of Wang, Lee and Kifer (2015, algorithms 1 and 2): p = (1 + #{t_i >= t}) / (1 + m)

Both evaluate the same limit law (see `law`), so neither is a finite-sample exact test; the one exception is goodness of
fit with a public n under `MonteCarlo`, which simulates multinomial tables with fresh noise and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput, NotAvailable
from discreet.inference.law import LimitLaw
from discreet.inference.noncentral import noncentral_chi2_sf
from discreet.noise.sobol import MAX_DIMENSION, uniform_points

Floats = NDArray[np.float64]
Seed = np.random.Generator | int | None
Simulation = Callable[[int, np.random.Generator], Floats]

_CHUNK = 1 << 22  # numbers held at once: 32 MB


@dataclass(frozen=True)
class Tail:
    """A tail probability under the null, its numerical or Monte-Carlo standard error, and how it was computed."""

    pvalue: float
    error: float
    description: str


class NullMethod(Protocol):
    """What `null=` takes: computes P(Q >= t) under `law`; `simulate` draws the exact null statistic where there is one."""

    def tail(self, law: LimitLaw, t: float, rng: Seed, simulate: Simulation | None) -> Tail: ...


@dataclass(frozen=True)
class Conditional:
    """The average of noncentral chi-squared tails over the noise.

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
        _check_points(self.points, 32)

    def tail(self, law: LimitLaw, t: float, rng: Seed, simulate: Simulation | None) -> Tail:
        """P(Q >= t) with the standard error over the scramblings."""
        generator = np.random.default_rng(self.rng if rng is None else rng)
        means = np.concatenate(
            [conditional_tail(law, t, w).mean(-1) for w in scaled_noise(law, self.points, generator)]
        )
        error = float(means.std(ddof=1) / math.sqrt(means.size))
        return Tail(min(1.0, float(means.mean())), error, "conditional: limit law, averaged over the noise")


def conditional_tail(law: LimitLaw, t: float, w: Floats) -> Floats:
    """P(Q >= t | noise) for scaled noise tables w of shape (..., cells)."""
    noncentrality, added = law.given(w)
    return noncentral_chi2_sf(t if added is None else t - added, law.df, noncentrality)


def scaled_noise(law: LimitLaw, points: int, generator: np.random.Generator) -> Iterator[Floats]:
    """About `points` scaled noise tables in chunks (scramblings, points each, cells), at least 16 scramblings in all."""
    dimension = law.dimension
    scramblings = 16 if dimension <= MAX_DIMENSION else max(16, points // 16)
    log2_points = max(1, math.ceil(math.log2(points / scramblings)))
    step = max(1, _CHUNK // (dimension << log2_points))
    for start in range(0, scramblings, step):
        count = min(step, scramblings - start)
        yield law.scaled_noise(uniform_points(log2_points, dimension, count, generator))


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
        _check_points(self.points, 1)

    def tail(self, law: LimitLaw, t: float, rng: Seed, simulate: Simulation | None) -> Tail:
        """(1 + #{t_i >= t}) / (1 + m) with its binomial standard error."""
        generator = np.random.default_rng(self.rng if rng is None else rng)
        draw = simulate or (lambda size, source: limit_draws(law, size, source))
        step = max(1, _CHUNK // max(1, law.scaling.size + law.dimension))
        above = 0
        for start in range(0, self.points, step):
            above += int((draw(min(step, self.points - start), generator) >= t).sum())
        p = (1 + above) / (1 + self.points)
        how = "multinomial tables with fresh noise (finite-sample)" if simulate else "limit law"
        return Tail(p, math.sqrt(p * (1 - p) / self.points), f"monte-carlo: {self.points:,} reference points, {how}")


def limit_draws(law: LimitLaw, size: int, generator: np.random.Generator) -> Floats:
    """`size` draws of Q = ||Pi (g + w)||^2 + ||K w||^2."""
    w = law.scaled_noise(np.clip(generator.random((size, law.dimension)), 2.0**-60, 1 - 2.0**-53))
    q, _ = law.given(w + generator.standard_normal(w.shape))
    _, added = law.given(w)
    return q if added is None else q + added


def find_null(null: str | NullMethod) -> NullMethod:
    """The null method of that name, or the object itself."""
    if not isinstance(null, str):
        if not hasattr(null, "tail"):
            raise InvalidInput(f"null must be a name or an object such as Conditional(points=...), not {null!r}")
        return null
    if null in ("auto", "conditional"):
        return Conditional()
    if null == "monte-carlo":
        return MonteCarlo()
    if null in ("closed-form", "bootstrap"):
        raise NotAvailable(f"null={null!r} is not available yet; choose 'conditional' or 'monte-carlo'")
    raise InvalidInput(f"null must be 'auto', 'conditional' or 'monte-carlo', not {null!r}")


def _check_points(points: int, least: int) -> None:
    if isinstance(points, bool) or not isinstance(points, int) or points < least:
        raise InvalidInput(f"points must be a whole number of at least {least}, not {points!r}")
