"""How far a histogram is from the density it estimates, with and without privacy: exact where it can be, else simulated.

For cells of width 1/m with true probabilities p and estimated ones q the integrated squared error is exactly

    int (fhat - f)^2 = m sum q_j^2 - 2 m sum q_j p_j + int f^2,

so nothing is integrated numerically. For the ordinary histogram its mean is m sum p_j (1 - p_j)/n + int f^2 - m sum p_j^2;
the perturbed histogram (Laplace noise of scale 2/epsilon in every count, clipped at 0, renormalised, uniform where nothing
is left) is simulated. Without clipping and renormalising, noise would add 8 m^2/(epsilon n)^2. Source of the study:
Wasserman and Zhou (2010), section 7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.noise import Laplace, calibrate
from discreet.privacy import PureDP
from discreet.release.validation import whole_number

Floats = NDArray[np.float64]

_AT_ONCE = 2**21  # simulated counts held at a time


class TrueDensity(Protocol):
    """What a study must know of a density on [0, 1]; `BetaMixture` is one."""

    @property
    def squared_integral(self) -> float: ...
    def cell_probabilities(self, cells: int) -> Floats: ...


@dataclass(frozen=True, eq=False)
class HistogramRisk:
    """Mean integrated squared errors for several numbers of cells.

    Attributes
    ----------
    bins : array (k,)
        Numbers of cells m.
    ordinary : array (k,)
        Without privacy, exactly.
    private : array (k,)
        Of the perturbed histogram, simulated.
    error : array (k,)
        The standard error of each of these.
    fallback : array (k,)
        The share of simulations in which no noisy count was above 0.
    n : int
    epsilon : float
    simulations : int
    """

    bins: NDArray[np.int64]
    ordinary: Floats
    private: Floats
    error: Floats
    fallback: Floats
    n: int
    epsilon: float
    simulations: int


def ordinary_risk(density: TrueDensity, n: int, cells: int) -> float:
    """The mean integrated squared error of the ordinary histogram.

    Examples
    --------
    >>> from discreet.lab import BetaMixture, ordinary_risk
    >>> round(ordinary_risk(BetaMixture([(10, 10)]), 100, 10), 4)
    0.1554
    """
    p = density.cell_probabilities(cells)
    return float(cells * (p * (1 - p)).sum() / n + density.squared_integral - cells * (p * p).sum())


def histogram_risk(
    density: TrueDensity,
    n: int,
    epsilon: float,
    bins: Sequence[int],
    simulations: int = 20_000,
    rng: np.random.Generator | int | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> HistogramRisk:
    """The risk of the perturbed histogram against the number of its cells.

    Parameters
    ----------
    density : object with `cell_probabilities(m)` and `squared_integral`
        The truth, on [0, 1], e.g. `BetaMixture`.
    n : int
        The number of records.
    epsilon : float
    bins : sequence of int
        The numbers of cells.
    simulations : int
        For each number of cells.
    rng : Generator or seed
    progress : callable, optional
        Told how many steps are done, of how many.

    Examples
    --------
    >>> from discreet.lab import BetaMixture, histogram_risk
    >>> risk = histogram_risk(BetaMixture([(10, 10)]), 1000, 0.1, [5, 10, 25], simulations=500, rng=1)
    >>> risk.ordinary.round(4), int(risk.bins[risk.private.argmin()])
    (array([0.2329, 0.0875, 0.0357]), 10)
    """
    n, simulations = whole_number("n", n), whole_number("simulations", simulations)
    cells = np.array([whole_number("a number of cells", m) for m in bins], np.int64)
    if n < 1 or simulations < 2 or not len(cells) or cells.min() < 1:
        raise InvalidInput("a risk needs n and numbers of cells of at least 1, and two simulations or more")
    noise, generator = Laplace(calibrate.laplace(PureDP(epsilon), 2)), np.random.default_rng(rng)
    private, error, fallback = np.empty((3, len(cells)))
    for i, m in enumerate(cells.tolist()):
        losses, empty = _losses(density, n, noise, m, simulations, generator)
        private[i], fallback[i] = losses.mean(), empty / simulations
        error[i] = losses.std(ddof=1) / np.sqrt(simulations)
        if progress is not None:
            progress(i + 1, len(cells))
    ordinary = np.array([ordinary_risk(density, n, m) for m in cells.tolist()])
    return HistogramRisk(cells, ordinary, private, error, fallback, n, float(epsilon), simulations)


def _losses(
    density: TrueDensity, n: int, noise: Laplace, m: int, simulations: int, rng: np.random.Generator
) -> tuple[Floats, int]:
    """The integrated squared error of each simulated release, and how many fell back to the uniform density."""
    p = density.cell_probabilities(m)
    losses, empty = [], 0
    step = max(1, _AT_ONCE // m)
    for start in range(0, simulations, step):
        size = min(step, simulations - start)
        q = rng.multinomial(n, p / p.sum(), size) + noise.sample((size, m), rng)
        np.maximum(q, 0.0, out=q)
        total = q.sum(-1, keepdims=True)
        nothing = total[:, 0] <= 0
        q[nothing], total[nothing] = 1.0, float(m)
        q /= total
        losses.append(m * np.einsum("ij,ij->i", q, q) - 2 * m * (q @ p))
        empty += int(nothing.sum())
    return np.concatenate(losses) + density.squared_integral, empty
