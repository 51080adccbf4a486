"""The null distribution of a statistic: what is known of it, and the methods that turn a value into a tail probability.

Each method is an object in a file of its own: `closed_form`, `conditional` (the average of exact conditional tails over the
noise), `monte_carlo` (the papers' reference points), `bootstrap`. `find_null` turns the names that users type into these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.inference.law import LimitLaw
from discreet.inference.statistic.fitted import Fit
from discreet.inference.statistic.refit import Refit

Floats = NDArray[np.float64]
Seed = np.random.Generator | int | None
Simulation = Callable[[int, np.random.Generator], Floats]


@dataclass(frozen=True, eq=False)
class NullProblem:
    """What is known of a statistic's null distribution.

    Attributes
    ----------
    law : LimitLaw
        Its limit law, given the noise.
    exact : Simulation or None
        Draws of the statistic itself where the null is simple and n public: finite-sample valid.
    refit : Refit or None
        Tables simulated from the fitted null, and the statistic with the nuisance fitted anew on each.
    fit : Fit or None
        From flat noisy cells to the null fitted to them, for the statistics that are formed from the fit (`rules`).
    """

    law: LimitLaw
    exact: Simulation | None = None
    refit: Refit | None = None
    fit: Fit | None = None


@dataclass(frozen=True, eq=False)
class NullCurve:
    """The null density of a statistic under the noise, for drawing: mean density in each bin, at the bins' middles."""

    x: Floats
    density: Floats


@dataclass(frozen=True, eq=False)
class Tail:
    """A tail probability under the null, its numerical or Monte-Carlo standard error, and how it was computed.

    A method that replaces the statistic (after post-processing) says its value, and gives the density to draw, or a function
    that computes it when it is asked for.
    """

    pvalue: float
    error: float
    description: str
    statistic: float | None = None
    curve: NullCurve | Callable[[], NullCurve] | None = None


class NullMethod(Protocol):
    """What `null=` takes: an object that computes P(Q >= t) under the null."""

    def tail(self, problem: NullProblem, t: float, rng: Seed) -> Tail: ...


def check_points(points: int, least: int) -> None:
    """Refuse a number of points that is not a whole number of at least `least`."""
    if isinstance(points, bool) or not isinstance(points, int) or points < least:
        raise InvalidInput(f"points must be a whole number of at least {least}, not {points!r}")
