"""A released distribution function: noisy numbers of records below the inner edges of equal cells of the bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.mechanisms.densities.square_root import UNIT, SquareRoot
from discreet.noise import CumulativeNoise
from discreet.release.densities.drawn import DrawnRelease
from discreet.release.grid import edges
from discreet.release.validation import probability_level
from discreet.schema import Bounded

if TYPE_CHECKING:
    from discreet.release.frames import Backend

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False, kw_only=True)
class CdfRelease(DrawnRelease):
    """Noisy numbers of records below T - 1 inner edges of T equal cells; at the two ends they are 0 and n.

    What was drawn is C x with noise, x the counts of the cells and C the square root of the cumulative sum
    (`discreet.mechanisms.densities.square_root`); the numbers here are the unbiased estimates of its sums. They carry
    correlated noise, and need be neither monotone nor within 0 ... n: `discreet.estimate.density` and `cdf_band` see to that.

    Parameters
    ----------
    column_name : str
    schema, drawn, exponent, mechanism, scale, guarantee, cost, n, versions
        See `discreet.release.densities.drawn.DrawnRelease`; T - 1 drawn numbers in units of 2^-20 records, n public and at
        least 1.

    See Also
    --------
    discreet.estimate.cdf_band : a band for the whole distribution function.

    Examples
    --------
    >>> from discreet import Bounded, GaussianDP, Schema
    >>> from discreet.release import CdfRelease
    >>> release = CdfRelease(schema=Schema({"age": Bounded(0, 120, step=1)}), column_name="age", drawn=[20 * 2**20,
    ...     50 * 2**20, 40 * 2**20], exponent=0, mechanism="Gaussian", scale=2.0 * 2**20, n=100, guarantee=GaussianDP(0.5))
    >>> release.edges
    array([  0.,  30.,  60.,  90., 120.])
    >>> release.cumulative
    array([20. , 60. , 72.5])
    >>> release.noise.cell_sds.round(3)
    array([2.   , 2.236, 2.358])
    """

    what: ClassVar[str] = "distribution function"
    laws: ClassVar[tuple[str, ...]] = ("Gaussian",)

    column_name: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n is None or self.n < 1:
            raise InvalidInput(
                "a distribution function ends at n, the number of records: it must be public and at least 1"
            )
        SquareRoot(self.cells)
        if self.cells > self.column.steps:
            raise InvalidInput(f"{self.cells} points: column {self.column_name!r} has {self.column.steps} grid steps")

    @property
    def column(self) -> Bounded:
        """The declared bounds of the column."""
        return self.schema.numeric(self.column_name)

    @property
    def cells(self) -> int:
        """T, the number of cells."""
        return len(self.drawn) + 1

    @cached_property
    def edges(self) -> Floats:
        """The T + 1 edges of the cells, in the column's units."""
        return edges(self.column, self.cells)

    @cached_property
    def cumulative(self) -> Floats:
        """The noisy number of records below each of the T - 1 inner edges (read-only)."""
        weights = SquareRoot(self.cells).weights
        drawn = np.array([y / (UNIT << self.exponent) for y in self.drawn])
        found = np.convolve(weights, drawn)[: self.cells - 1]
        found.setflags(write=False)
        return found

    @property
    def values(self) -> Floats:
        """The same as `cumulative`."""
        return self.cumulative

    @cached_property
    def noise(self) -> CumulativeNoise:
        """The joint law of the noise in `cumulative`."""
        return CumulativeNoise(self.scale / UNIT, SquareRoot(self.cells).weights)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """For each edge, an interval that covers the number of records below it with probability `level`, one at a time.

        The noise is the only thing that is random here; `discreet.estimate.cdf_band` holds for all edges at once.
        """
        half = self.noise.ppf(0.5 + 0.5 * probability_level(level))
        return self.cumulative - half, self.cumulative + half

    def to_frame(self, backend: Backend = "polars", *, level: float = 0.95) -> Any:
        """A data frame with one row an inner edge; see `discreet.release.densities.drawn_frames.cdf_frame`."""
        from discreet.release.densities.drawn_frames import cdf_frame

        return cdf_frame(self, backend, level)

    def __repr__(self) -> str:
        from discreet.release.densities.drawn_text import cdf_text

        return cdf_text(self)
