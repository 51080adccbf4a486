"""The distribution of a released sample: steps at its points, and a histogram of them where a density is wanted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet import display
from discreet.errors import InvalidInput
from discreet.estimate.piecewise import Density

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Empirical:
    """The empirical distribution of k points: `.cdf`, `.quantile` and `.sample` are those of the points themselves.

    Points have no density; `.pdf` is that of their histogram with ceil(2 k^(1/3)) equal cells of the declared bounds (the
    Rice rule).

    Attributes
    ----------
    points : array (k,)
        In increasing order.
    lower, upper : float
        The declared bounds.
    name : str
        The column.

    Examples
    --------
    >>> from discreet.estimate import Empirical
    >>> sample = Empirical([0.2, 0.8, 0.4, 0.4], 0.0, 1.0)
    >>> sample.cdf([0.3, 0.4, 1.0]), sample.quantile([0.25, 0.5]), float(sample.pdf(0.3))
    (array([0.25, 0.75, 1.  ]), array([0.2, 0.4]), 2.0)
    """

    points: Floats
    lower: float
    upper: float
    name: str = "x"

    def __post_init__(self) -> None:
        points = np.sort(np.array(self.points, float))
        points.setflags(write=False)
        object.__setattr__(self, "points", points)
        if points.ndim != 1 or not len(points) or not (self.lower <= points[0] and points[-1] <= self.upper):
            raise InvalidInput("an empirical distribution needs one or more points within the bounds")

    @cached_property
    def histogram(self) -> Density:
        """The histogram of the points."""
        cells = math.ceil(2 * len(self.points) ** (1 / 3))
        counts, edges = np.histogram(self.points, cells, (self.lower, self.upper))
        return Density(edges, counts / len(self.points), self.name, f"histogram of {len(self.points)} released points")

    def pdf(self, x: ArrayLike) -> Floats:
        """The density of the points' histogram."""
        return self.histogram.pdf(x)

    def cdf(self, x: ArrayLike) -> Floats:
        """The share of the points that are at most x."""
        return np.asarray(np.searchsorted(self.points, np.asarray(x, float), side="right") / len(self.points))

    def quantile(self, u: ArrayLike) -> Floats:
        """The smallest point z with cdf(z) >= u, for 0 <= u <= 1."""
        u = np.asarray(u, float)
        if not ((u >= 0) & (u <= 1)).all():
            raise InvalidInput("a quantile is asked for at probabilities from 0 to 1")
        steps = np.arange(1, len(self.points) + 1) / len(self.points)
        return np.asarray(self.points[np.minimum(np.searchsorted(steps, u, side="left"), len(self.points) - 1)])

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Floats:
        """`size` draws from the points, with replacement."""
        return np.asarray(np.random.default_rng(rng).choice(self.points, size))

    def __repr__(self) -> str:
        low, middle, high = self.quantile([0.25, 0.5, 0.75]).tolist()
        return (
            f"empirical distribution of {self.name}: {len(self.points)} released points\n"
            f"quartiles {low:.6g}, {middle:.6g}, {high:.6g}"
        )

    def plot(self, **options: Any) -> Figure:
        """A picture of the points' histogram (needs `discreet[plot]`); see `discreet.view.density_plot`."""
        figure: Figure = display.draw("plot", self, **options)
        return figure
