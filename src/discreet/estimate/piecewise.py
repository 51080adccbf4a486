"""A density that is constant on cells, in one dimension and on boxes: what a histogram estimates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet import display
from discreet.errors import InvalidInput, NotAvailable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Density:
    """A density on an interval, constant on cells; its distribution function is linear on them.

    Attributes
    ----------
    edges : array (m + 1,)
        The edges of the cells, in the column's units.
    masses : array (m,)
        The probability of each cell; they are 0 or more and add up to 1.
    name : str
        The column.
    description : str
        What was done to get it, in one line.
    fallback : bool
        Whether nothing was left after clipping, so that this is the uniform density.

    Examples
    --------
    >>> from discreet.estimate import Density
    >>> density = Density([0, 1, 2, 4], [0.5, 0.0, 0.5])
    >>> density.pdf([0.5, 1.5, 3.0, 9.0]), density.cdf([1.0, 2.0, 3.0]), density.quantile([0.25, 0.5, 0.75])
    (array([0.5 , 0.  , 0.25, 0.  ]), array([0.5 , 0.5 , 0.75]), array([0.5, 1. , 3. ]))
    """

    edges: Floats
    masses: Floats
    name: str = "x"
    description: str = ""
    fallback: bool = False

    def __post_init__(self) -> None:
        for part in ("edges", "masses"):
            numbers = np.array(getattr(self, part), float)
            numbers.setflags(write=False)
            object.__setattr__(self, part, numbers)
        if self.masses.ndim != 1 or self.edges.shape != (len(self.masses) + 1,) or not (np.diff(self.edges) > 0).all():
            raise InvalidInput("a density needs increasing edges, one more than it has cells")
        if not (self.masses >= 0).all() or not np.isclose(self.masses.sum(), 1.0, rtol=0, atol=1e-9):
            raise InvalidInput("the masses of a density are 0 or more and add up to 1")

    @cached_property
    def _cumulative(self) -> Floats:
        steps = np.concatenate([[0.0], np.cumsum(self.masses)])
        return np.asarray(np.minimum(steps / steps[-1], 1.0))

    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x; 0 outside of the bounds."""
        x = np.asarray(x, float)
        cell = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.masses) - 1)
        inside = (x >= self.edges[0]) & (x <= self.edges[-1])
        return np.where(inside, (self.masses / np.diff(self.edges))[cell], 0.0)

    def cdf(self, x: ArrayLike) -> Floats:
        """P(X <= x)."""
        return np.asarray(np.interp(np.asarray(x, float), self.edges, self._cumulative))

    def quantile(self, u: ArrayLike) -> Floats:
        """The smallest x with P(X <= x) >= u, for 0 <= u <= 1."""
        u = np.asarray(u, float)
        if not ((u >= 0) & (u <= 1)).all():
            raise InvalidInput("a quantile is asked for at probabilities from 0 to 1")
        cumulative = self._cumulative
        cell = np.clip(np.searchsorted(cumulative, u, side="left") - 1, 0, len(self.masses) - 1)
        rise = cumulative[cell + 1] - cumulative[cell]
        part = np.where(rise > 0, (u - cumulative[cell]) / np.where(rise > 0, rise, 1.0), 0.0)
        return np.asarray(self.edges[cell] + np.clip(part, 0, 1) * (self.edges[cell + 1] - self.edges[cell]))

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Floats:
        """`size` independent draws; as post-processing of a release they cost nothing."""
        return self.quantile(np.random.default_rng(rng).random(size))

    def __repr__(self) -> str:
        low, middle, high = self.quantile([0.25, 0.5, 0.75]).tolist()
        return f"density of {self.name}: {self.description}\nquartiles {low:.6g}, {middle:.6g}, {high:.6g}"

    def plot(self, **options: Any) -> Figure:
        """A picture of the density (needs `discreet[plot]`); see `discreet.view.density_plot`."""
        figure: Figure = display.draw("plot", self, **options)
        return figure


@dataclass(frozen=True, eq=False)
class BoxDensity:
    """A density on a box, constant on the cells of a grid: what a histogram of several columns estimates.

    Attributes
    ----------
    edges : tuple of arrays
        The edges of the cells along each axis.
    masses : array
        The probability of each cell.
    names : tuple of str
        The columns.
    description, fallback
        As in `Density`.

    Examples
    --------
    >>> from discreet.estimate import BoxDensity
    >>> density = BoxDensity(([0, 1, 2], [0, 10]), [[0.25], [0.75]], ("x", "y"))
    >>> density.pdf([[0.5, 5.0], [1.5, 5.0], [3.0, 5.0]]), density.cdf([[2.0, 5.0], [1.0, 20.0]])
    (array([0.025, 0.075, 0.   ]), array([0.5 , 0.25]))
    """

    edges: tuple[Floats, ...]
    masses: Floats
    names: tuple[str, ...]
    description: str = ""
    fallback: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(np.array(axis, float) for axis in self.edges))
        object.__setattr__(self, "masses", np.array(self.masses, float))
        if tuple(len(axis) - 1 for axis in self.edges) != self.masses.shape:
            raise InvalidInput("a density needs one more edge along each axis than it has cells")
        if not (self.masses >= 0).all() or not np.isclose(self.masses.sum(), 1.0, rtol=0, atol=1e-9):
            raise InvalidInput("the masses of a density are 0 or more and add up to 1")

    def pdf(self, points: ArrayLike) -> Floats:
        """The density at points of shape (N, r); 0 outside of the bounds."""
        points = self._points(points)
        places, inside, volume = [], np.ones(len(points), bool), np.ones(len(points))
        for axis, x in zip(self.edges, points.T, strict=True):
            cell = np.clip(np.searchsorted(axis, x, side="right") - 1, 0, len(axis) - 2)
            inside &= (x >= axis[0]) & (x <= axis[-1])
            volume *= np.diff(axis)[cell]
            places.append(cell)
        return np.where(inside, self.masses[tuple(places)] / volume, 0.0)

    def cdf(self, points: ArrayLike) -> Floats:
        """P(X_1 <= x_1, ..., X_r <= x_r) at points of shape (N, r)."""
        points = self._points(points)
        cumulative = self.masses
        for axis in range(cumulative.ndim):
            cumulative = np.cumsum(cumulative, axis=axis)
        cumulative = np.pad(cumulative, [(1, 0)] * cumulative.ndim)
        lows, shares = [], []
        for edges, x in zip(self.edges, points.T, strict=True):  # the function is linear in each coordinate on a cell
            place = np.interp(x, edges, np.arange(len(edges)))
            low = np.minimum(place.astype(int), len(edges) - 2)
            lows.append(low)
            shares.append(place - low)
        total = np.zeros(len(points))
        for corner in product((0, 1), repeat=len(self.edges)):
            weight = np.prod([s if up else 1 - s for s, up in zip(shares, corner, strict=True)], axis=0)
            total += weight * cumulative[tuple(low + up for low, up in zip(lows, corner, strict=True))]
        return total

    def quantile(self, u: ArrayLike) -> Floats:
        """Refused: several columns have no order."""
        raise NotAvailable(
            f"a density of {len(self.names)} columns has no quantiles; use .marginal(column).quantile(u)"
        )

    def marginal(self, name: str) -> Density:
        """The density of one column."""
        if name not in self.names:
            raise InvalidInput(f"unknown column {name!r}: one of {', '.join(map(repr, self.names))}")
        kept = self.names.index(name)
        masses = self.masses.sum(axis=tuple(i for i in range(self.masses.ndim) if i != kept))
        return Density(self.edges[kept], masses, name, f"{self.description}, summed over the others", self.fallback)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Floats:
        """`size` independent draws, of shape (size, r)."""
        rng = np.random.default_rng(rng)
        cells = np.unravel_index(rng.choice(self.masses.size, size, p=self.masses.ravel()), self.masses.shape)
        columns = [
            axis[cell] + rng.random(size) * (axis[cell + 1] - axis[cell])
            for axis, cell in zip(self.edges, cells, strict=True)
        ]
        return np.column_stack(columns)

    def _points(self, points: ArrayLike) -> Floats:
        given = np.asarray(points, float)
        if given.ndim != 2 or given.shape[1] != len(self.names):
            raise InvalidInput(
                f"points of {len(self.names)} columns have the shape (N, {len(self.names)}), not {given.shape}"
            )
        return given

    def __repr__(self) -> str:
        return f"density of {' x '.join(self.names)}: {self.description}"

    def plot(self, **options: Any) -> Figure:
        """A picture of the density (needs `discreet[plot]`); see `discreet.view.density_plot`."""
        figure: Figure = display.draw("plot", self, **options)
        return figure
