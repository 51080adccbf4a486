"""Whether noise has the law that is claimed, number by number and all together: what no pair of data sets can show.

An audit of outputs sees only numbers in which its two data sets differ. Here the noise itself is looked at, released minus
exact, of many runs. One alpha is split over all tests:

    grid       every number is a multiple of the public step; no two runs agree in all their numbers (no statistics), and no
               number has one value more often than the law lets it
    law        chi-squared on 40 equiprobable intervals, for each number and for all together
    distance   Kolmogorov and Smirnov's largest distance to the claimed law (continuous laws)
    scale      sum |x|/b is Gamma(N), sum x^2/sigma^2 is chi-squared with N degrees of freedom: 1 % off is seen from
               N = 250,000 on, 10 % from 4,000 on, where the two tests above see little
    pairs      the numbers of one run are uncorrelated, and so are those of successive runs (on the scale of ranks)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from discreet.errors import InvalidInput
from discreet.noise import Gaussian, Laplace
from discreet.noise.draw_law import DrawLaw

Floats = NDArray[np.float64]

_INTERVALS = 40
_LEAST = 500
_MOST_PAIRS = 2000


@dataclass(frozen=True)
class NoiseCheck:
    """What is wrong with some noise: `faults` in words (none for sound noise), the number of runs, and alpha."""

    faults: tuple[str, ...]
    n: int
    alpha: float

    @property
    def sound(self) -> bool:
        """Whether no test found anything."""
        return not self.faults


def check_noise(noise: ArrayLike, law: DrawLaw, alpha: float = 1e-6, *, exponent: int | None = None) -> NoiseCheck:
    """Test whether noise is independent draws of `law`.

    Parameters
    ----------
    noise : array (n, d)
        Released minus exact of n runs, d numbers each; at least 500 runs.
    law : DrawLaw
        The claimed law of one number, e.g. `discreet.noise.Laplace(4.0)`.
    alpha : float
        The probability that sound noise has a fault in any test.
    exponent : int, optional
        The noise must be in multiples of 2^-exponent.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.lab.audit import check_noise
    >>> from discreet.noise import Gaussian
    >>> noise = np.random.default_rng().normal(0, 0.9, size=(20_000, 2))
    >>> "the scale of all numbers is not the claimed one" in check_noise(noise, Gaussian(1.0)).faults
    True
    """
    x = np.asarray(noise, float)
    if x.ndim != 2 or x.shape[0] < _LEAST or x.shape[1] < 1:
        raise InvalidInput(f"noise must be an array of {_LEAST} runs or more by the numbers of one, not {x.shape}")
    if not np.isfinite(x).all():
        return NoiseCheck(("a number is NaN or infinite",), x.shape[0], alpha)
    faults = list(_without_statistics(x, law, exponent))
    columns = [x[:, i] for i in range(x.shape[1])]
    named = [("all numbers", x.ravel()), *((f"number {i + 1}", column) for i, column in enumerate(columns))]
    each = alpha / (2 * 4 * len(named))
    for name, values in named:
        if _law_pvalue(values, law) < each:
            faults.append(f"the law of {name} is not the claimed one")
        if not law.on_integers and _distance_pvalue(values, law) < each:
            faults.append(f"{name} lie too far from the claimed law")
        if _scale_pvalue(values, law) < each:
            faults.append(f"the scale of {name} is not the claimed one")
        if (
            exponent is not None
            and not law.on_integers
            and _most_often(values) > _often(law, exponent, values.size, each)
        ):
            faults.append(f"one value of {name} comes too often")
    tests = dict(_pairs(x, law))
    faults += [
        f"{name} are correlated"
        for name, z in tests.items()
        if special.erfc(abs(z) / math.sqrt(2)) < alpha / (2 * len(tests))
    ]
    return NoiseCheck(tuple(faults), x.shape[0], alpha)


def _without_statistics(x: Floats, law: DrawLaw, exponent: int | None) -> Iterator[str]:
    if exponent is not None:
        scaled = np.ldexp(x, exponent)
        if (scaled != np.floor(scaled)).any():
            yield f"a number is not on the grid of step 2^-{exponent}"
    constant = [i + 1 for i in range(x.shape[1]) if np.ptp(x[:, i]) == 0]
    if constant:
        yield f"number {constant[0]} has no noise"
    if not law.on_integers and np.unique(x, axis=0).shape[0] < x.shape[0]:
        yield "the same noise came twice"


def _most_often(values: Floats) -> int:
    return int(np.unique(values, return_counts=True)[1].max())


def _often(law: DrawLaw, exponent: int, n: int, alpha: float) -> int:
    """m such that some value comes more than m times with probability alpha at most: n (n p)^m/(m + 1)! bounds it."""
    half = 2.0 ** -(exponent + 1)
    p = float(np.diff(law.sf(np.array([half, -half])))[0])  # the mode, at 0
    m, log_bound = 0, math.log(n)
    while log_bound > math.log(alpha):
        m += 1
        log_bound += math.log(n * p / (m + 1))
        if m > n:
            return n
    return m


def _law_pvalue(values: Floats, law: DrawLaw) -> float:
    edges = np.unique(law.ppf(np.arange(1, _INTERVALS) / _INTERVALS))
    above = np.concatenate([[1.0], law.sf(edges), [0.0]])
    expected = values.size * -np.diff(above)
    counts = np.bincount(np.searchsorted(edges, values, side="left"), minlength=edges.size + 1)
    if (expected < 5).any() or edges.size == 0:
        return 1.0
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(special.gammaincc(edges.size / 2, statistic / 2))


def _distance_pvalue(values: Floats, law: DrawLaw) -> float:
    n = values.size
    cdf = 1.0 - law.sf(np.sort(values))
    steps = np.arange(n + 1) / n
    distance = max(float((steps[1:] - cdf).max()), float((cdf - steps[:-1]).max()))
    return float(special.kolmogorov(math.sqrt(n) * distance))


def _scale_pvalue(values: Floats, law: DrawLaw) -> float:
    if isinstance(law, Laplace):
        shape, statistic = float(values.size), float(np.abs(values).sum()) / law.scale
    elif isinstance(law, Gaussian):
        shape, statistic = values.size / 2, float((values**2).sum()) / (2 * law.scale**2)
    else:
        return 1.0
    return 2 * float(min(special.gammainc(shape, statistic), special.gammaincc(shape, statistic)))


def _pairs(x: Floats, law: DrawLaw) -> Iterator[tuple[str, float]]:
    """Standardised correlations of the numbers' probabilities P(Z <= x), which are bounded whatever the law's tails."""
    u = 1.0 - law.sf(x)
    u = u - u.mean(0)
    size = np.sqrt((u**2).mean(0))
    u = u / np.where(size > 0, size, 1.0)
    n, d = u.shape
    if d > 1:
        products = u.T @ u / math.sqrt(n)
        first, second = (index.tolist() for index in np.triu_indices(d, 1))
        for k, (i, j) in enumerate(zip(first, second, strict=True)):
            if k == _MOST_PAIRS:
                break
            yield f"numbers {i + 1} and {j + 1}", float(products[i, j])
    for i in range(d):
        yield f"number {i + 1} of one run and the next", float((u[1:, i] * u[:-1, i]).sum() / math.sqrt(n - 1))
