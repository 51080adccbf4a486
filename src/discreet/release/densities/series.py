"""A released orthogonal series: noisy coefficients of a column's density in the cosine basis of its declared bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.mechanisms.densities.cosine import BITS, UNIT, CosineBasis
from discreet.noise import JointNoise
from discreet.privacy.cost import exact
from discreet.release.densities.drawn import DrawnRelease
from discreet.release.tables.table import LAWS
from discreet.release.validation import probability_level
from discreet.schema import Bounded

if TYPE_CHECKING:
    from discreet.release.frames import Backend

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False, kw_only=True)
class SeriesRelease(DrawnRelease):
    """Noisy means of sqrt(2) cos(pi j x), j = 1 ... m, x the column rescaled from its bounds to [0, 1].

    They estimate f(x) = 1 + sum_j beta_j sqrt(2) cos(pi j x), the density of the rescaled column. What was drawn are sums
    over the records of these cosines in units of 2^-20, rounded (`discreet.mechanisms.densities.cosine`); a coefficient is
    beta_j = 2^-k y_j / (2^20 n). A missing value counts as the column's declared `missing=` value.

    Parameters
    ----------
    column_name : str
    schema, drawn, exponent, mechanism, scale, guarantee, cost, n, versions
        See `discreet.release.densities.drawn.DrawnRelease`; one drawn number a coefficient, and n is public and at least 1.

    See Also
    --------
    discreet.estimate.density : the density, made positive and normalised.

    Examples
    --------
    >>> from discreet import Bounded, PureDP, Schema
    >>> from discreet.release import SeriesRelease
    >>> release = SeriesRelease(schema=Schema({"share": Bounded(0, 1)}), column_name="share",
    ...     drawn=[3 * 2**20, -110 * 2**20], exponent=0, mechanism="Laplace", scale=4.42 * 2**20, n=100, guarantee=PureDP(1))
    >>> release.coefficients
    array([ 0.03, -1.1 ])
    >>> release.raw([0.0, 0.5]).round(3)
    array([-0.513,  2.556])
    """

    what: ClassVar[str] = "series"
    laws: ClassVar[tuple[str, ...]] = ("Laplace", "Gaussian")

    column_name: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n is None or self.n < 1:
            raise InvalidInput("a series divides by n, the number of records: it must be public and at least 1")
        CosineBasis(self.column.steps, len(self.drawn))

    @property
    def column(self) -> Bounded:
        """The declared bounds of the column."""
        return self.schema.numeric(self.column_name)

    @property
    def terms(self) -> int:
        """m, the number of cosines."""
        return len(self.drawn)

    @property
    def _unit(self) -> int:
        """What a coefficient of 1 is, in the units of the sums."""
        return int(UNIT * (self.n or 1))

    @cached_property
    def coefficients(self) -> Floats:
        """beta_1 ... beta_m with noise (read-only)."""
        found = np.array([y / (self._unit << self.exponent) for y in self.drawn])
        found.setflags(write=False)
        return found

    @property
    def values(self) -> Floats:
        """The same as `coefficients`."""
        return self.coefficients

    @cached_property
    def noise(self) -> JointNoise:
        """The joint law of the noise in `coefficients`: independent draws."""
        return LAWS[self.mechanism](self.scale / self._unit).on((self.terms,))

    @property
    def sd(self) -> float:
        """The standard deviation of the noise in each coefficient."""
        return self.noise.cell_sd

    def half_width(self, level: float = 0.95) -> float:
        """Half the width of `interval(level)`, the same for every coefficient."""
        return self.noise.ppf(0.5 + 0.5 * probability_level(level)) + 2.0 ** -(BITS + 1)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """For each coefficient, an interval that covers that of the records with probability `level`, one at a time.

        The noise is the only thing that is random here. Half a unit of the fixed-point basis, 2^-21, is added on both sides
        for its rounding.
        """
        half = self.half_width(level)
        return self.coefficients - half, self.coefficients + half

    def rescaled(self, x: ArrayLike) -> Floats:
        """Values of the column on [0, 1]."""
        width = float(exact(self.column.upper) - exact(self.column.lower))
        return (np.asarray(x, float) - self.column.lower) / width

    def raw(self, x: ArrayLike) -> Floats:
        """1 + sum_j beta_j sqrt(2) cos(pi j x) at values of the column: it integrates to 1, and may be negative."""
        angles = math.pi * np.multiply.outer(self.rescaled(x), np.arange(1, self.terms + 1))
        return np.asarray(1.0 + math.sqrt(2.0) * np.cos(angles) @ self.coefficients)

    def to_frame(self, backend: Backend = "polars", *, level: float = 0.95) -> Any:
        """A data frame with one row a coefficient; see `discreet.release.densities.drawn_frames.series_frame`."""
        from discreet.release.densities.drawn_frames import series_frame

        return series_frame(self, backend, level)

    def __repr__(self) -> str:
        from discreet.release.densities.drawn_text import series_text

        return series_text(self)
