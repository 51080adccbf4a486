"""The null by the parametric bootstrap: the whole road from records to statistic, simulated from the fitted null.

    p = (1 + #{t*_i >= t}) / (B + 1)

It needs no limit law, so it covers what has none: small counts, and statistics of post-processed tables. For goodness of fit
the null is simple; with a public n the p-value is then valid at every n. Elsewhere the fitted probabilities stand in for the
unknown ones, and the p-value is approximate as any parametric bootstrap's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput, NotApplicable, NotAvailable
from discreet.inference.null.problem import NullCurve, NullProblem, Seed, Tail
from discreet.inference.statistic.refit import Postprocess

Floats = NDArray[np.float64]

_CHUNK = 1 << 20  # numbers held at once in each working array: 8 MB
_BINS = 64


@dataclass(frozen=True)
class Bootstrap:
    """Tables simulated from the fitted null, with the release's own noise and post-processing.

    Parameters
    ----------
    replicates : int
        B, the number of simulated tables; the smallest possible p-value is 1/(B + 1).
    postprocess : None or JamesStein
        What is done to the released table, and to each simulated one, before the statistic is formed.
    rng : numpy Generator, int or None
        Seed; the test's own `rng=` goes first.

    Examples
    --------
    >>> from discreet import goodness_of_fit
    >>> from discreet.estimate import JamesStein
    >>> from discreet.inference import Bootstrap
    >>> from discreet.noise import ProjectedGaussian
    >>> noisy, noise = [61.2, 38.4, 40.3, 32.0, 28.1], ProjectedGaussian(4.0)
    >>> null = Bootstrap(replicates=999, postprocess=JamesStein())
    >>> result = goodness_of_fit(noisy, [0.2] * 5, noise=noise, n=200, null=null, rng=1)
    >>> 0.003 < result.pvalue < 0.03
    True
    """

    replicates: int = 10_000
    postprocess: Postprocess | None = None
    rng: Seed = None

    def __post_init__(self) -> None:
        if isinstance(self.replicates, bool) or not isinstance(self.replicates, int) or self.replicates < 1:
            raise InvalidInput(f"replicates must be a whole number of at least 1, not {self.replicates!r}")
        if self.postprocess is not None and not hasattr(self.postprocess, "shrink"):
            raise InvalidInput(
                f"postprocess must be None or an estimator such as JamesStein(), not {self.postprocess!r}"
            )

    def tail(self, problem: NullProblem, t: float, rng: Seed) -> Tail:
        """(1 + #{t*_i >= t}) / (B + 1) with its binomial standard error."""
        refit = problem.refit
        if refit is None:
            raise NotAvailable("this test has no null that tables can be simulated from; use null='auto'")
        generator = np.random.default_rng(self.rng if rng is None else rng)
        statistic = t if self.postprocess is None else refit.observed(self.postprocess)
        if not math.isfinite(statistic):
            raise NotApplicable(
                "after the post-processing an expected count is not above 0, so there is no statistic; leave it out, or "
                "release with a larger budget"
            )
        step = max(1, _CHUNK // refit.cells.size)
        sizes = [min(step, self.replicates - start) for start in range(0, self.replicates, step)]
        draws = np.concatenate([refit.draw(size, generator, self.postprocess) for size in sizes])
        p = (1 + int((draws >= statistic).sum())) / (1 + self.replicates)
        after = "" if self.postprocess is None else f", after {self.postprocess!r}"
        return Tail(
            pvalue=p,
            error=math.sqrt(p * (1 - p) / self.replicates),
            description=f"bootstrap: {self.replicates:,} tables from the fitted null with fresh noise{after}",
            statistic=statistic,
            curve=_histogram(draws, statistic),
        )


def _histogram(draws: Floats, statistic: float) -> NullCurve:
    """The density of the simulated statistics, from 0 to beyond the observed one."""
    finite = draws[np.isfinite(draws)]
    end = 1.25 * max(statistic, 2.5 * float(np.median(finite)) if finite.size else 0.0, 1e-9)
    counts, edges = np.histogram(finite, bins=_BINS, range=(0.0, end))
    return NullCurve((edges[1:] + edges[:-1]) / 2, counts / (draws.size * np.diff(edges)))
