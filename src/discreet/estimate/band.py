"""A band that holds the whole distribution function at once, with the noise of its release accounted for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet import display
from discreet.errors import InvalidInput
from discreet.estimate.density import cdf_masses
from discreet.release import CdfRelease
from discreet.release.validation import probability_level, whole_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

SIMULATIONS = 9_999
_AT_ONCE = 2**22


@dataclass(frozen=True, eq=False)
class CdfBand:
    """Bounds of a distribution function F that hold at every point at once.

    Attributes
    ----------
    edges : array (T + 1,)
        The edges of the cells; F is 0 at the first and 1 at the last.
    lower, upper : array (T + 1,)
        lower <= F(edge) <= upper, F(edge) the share below the edge.
    estimate : array (T + 1,)
        The isotonic estimate.
    half_width : float
        The share by which noise (and, for a population, sampling) may move the released numbers.
    level : float
    population : bool
        Whether F is that of the population the records were drawn from, else that of the records themselves.
    name : str
        The column.
    """

    edges: Floats
    lower: Floats
    upper: Floats
    estimate: Floats
    half_width: float
    level: float
    population: bool
    name: str

    def at(self, x: ArrayLike) -> tuple[Floats, Floats]:
        """The bounds of the share below x: between two edges, the lower one of the left and the upper one of the right."""
        x = np.asarray(x, float)
        last = len(self.edges) - 1
        left = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, last)
        right = np.clip(np.searchsorted(self.edges, x, side="left"), 0, last)
        return self.lower[left], self.upper[right]

    def quantile(self, u: ArrayLike) -> tuple[Floats, Floats]:
        """Bounds of the smallest x with P(X <= x) >= u, for all probabilities u at once whenever the band holds.

        It is at least the last edge below which the share is under u for certain, and at most the first edge below which it
        is u or more for certain.
        """
        u = np.asarray(u, float)
        if not ((u >= 0) & (u <= 1)).all():
            raise InvalidInput("a quantile is asked for at probabilities from 0 to 1")
        left = np.maximum(np.searchsorted(self.upper, u, side="left") - 1, 0)
        right = np.minimum(np.searchsorted(self.lower, u, side="left"), len(self.edges) - 1)
        return self.edges[left], self.edges[right]

    def __repr__(self) -> str:
        of = "population" if self.population else "records"
        return (
            f"{100 * self.level:g}% band for the distribution function of {self.name} ({of}), at all "
            f"{len(self.edges) - 2} edges at once: ± {self.half_width:.3g} around the released shares"
        )

    def plot(self, **options: Any) -> Figure:
        """A picture of the band (needs `discreet[plot]`); see `discreet.view.density_plot`."""
        figure: Figure = display.draw("plot", self, **options)
        return figure


def cdf_band(
    release: CdfRelease,
    level: float = 0.95,
    *,
    population: bool = False,
    simulations: int = SIMULATIONS,
    rng: np.random.Generator | int | None = None,
) -> CdfBand:
    """A simultaneous confidence band for a released distribution function.

    The released share is F(t) + V_t/n with V of a known joint law. Of B simulated values of max_t |V_t|/n, the k-th smallest
    with k = ceil(level (B + 1)) is the half width c: the true one is exchangeable with them, so it is at most c with
    probability k/(B + 1) >= level, simulation error included. F is monotone and between 0 and 1, so the band
    (released - c, released + c) may be narrowed by the running maximum from below and the running minimum from above.

    For a population of which the records are an independent sample, sup |F_n - F| is added to each simulated value, as a
    draw of the law P(K > t) = min(1, 2 exp(-2 n t^2)), which bounds it (Dvoretzky, Kiefer and Wolfowitz 1956; the constant
    2 is Massart's, 1990).

    Parameters
    ----------
    release : CdfRelease
    level : float
    population : bool
        Whether the band is for the population's distribution function, else for that of the records.
    simulations : int
        B.
    rng : Generator or seed

    Returns
    -------
    CdfBand

    Examples
    --------
    >>> from discreet import Bounded, Schema
    >>> from discreet.estimate import cdf_band
    >>> from discreet.release import CdfRelease
    >>> release = CdfRelease(schema=Schema({"age": Bounded(0, 120, step=1)}), column_name="age", drawn=[20 * 2**20,
    ...     50 * 2**20, 40 * 2**20], exponent=0, mechanism="Gaussian", scale=2.0 * 2**20, n=100)
    >>> band = cdf_band(release, rng=1)
    >>> band.lower.round(2), band.upper.round(2)
    (array([0.  , 0.15, 0.55, 0.67, 1.  ]), array([0.  , 0.25, 0.65, 0.78, 1.  ]))
    """
    if not isinstance(release, CdfRelease):
        raise InvalidInput(f"a band needs a distribution function release, not {type(release).__name__}")
    level, simulations = probability_level(level), whole_number("simulations", simulations)
    rank = math.ceil(level * (simulations + 1))
    if rank > simulations:
        raise InvalidInput(
            f"{simulations} simulations cannot reach level {level}; {math.ceil(level / (1 - level))} can"
        )
    n = float(release.n or 1)
    generator = np.random.default_rng(rng)
    largest = _largest(release, simulations, generator) / n
    if population:
        largest += np.sqrt(np.log(2.0 / (1.0 - generator.random(simulations))) / (2.0 * n))
    half = float(np.sort(largest)[rank - 1])
    share = release.cumulative / n
    lower = np.clip(np.maximum.accumulate(share - half), 0.0, 1.0)
    upper = np.clip(np.minimum.accumulate((share + half)[::-1])[::-1], 0.0, 1.0)
    estimate = np.concatenate([[0.0], np.cumsum(cdf_masses(release))])
    ends = ([0.0], [1.0])
    return CdfBand(
        release.edges,
        np.concatenate([ends[0], lower, ends[1]]),
        np.concatenate([ends[0], upper, ends[1]]),
        estimate,
        half,
        level,
        population,
        release.column_name,
    )


def _largest(release: CdfRelease, simulations: int, rng: np.random.Generator) -> Floats:
    """max_t |V_t| of simulated noise, in records."""
    noise, found = release.noise, []
    step = max(1, _AT_ONCE // len(release.drawn))
    for start in range(0, simulations, step):
        draws = noise.sample(min(step, simulations - start), rng)
        found.append(np.abs(draws).max(-1))
    return np.concatenate(found)
