"""A released histogram: noisy counts of equal cells of a column's declared bounds, or of boxes of several columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.noise import JointNoise, ProjectedGaussian
from discreet.release.densities.drawn import DrawnRelease
from discreet.release.grid import edges
from discreet.release.tables.table import LAWS
from discreet.release.validation import probability_level, whole_number

if TYPE_CHECKING:
    from discreet.release.frames import Backend

Floats = NDArray[np.float64]

LARGEST_HISTOGRAM = 10**6


@dataclass(frozen=True, repr=False, kw_only=True)
class HistogramRelease(DrawnRelease):
    """Noisy counts of the cells of a histogram, with the law of their noise.

    Its cells partition the declared bounds, so every record is in one: a value outside of the bounds is in the first or
    last cell, a missing value in the cell of the column's declared `missing=` code (by default the middle one).

    Parameters
    ----------
    column_names : sequence of str
        The axes, numeric columns of the schema.
    bins : sequence of int
        The number of equal cells along each axis.
    schema, drawn, exponent, mechanism, scale, guarantee, cost, n, versions
        See `discreet.release.densities.drawn.DrawnRelease`; the drawn numbers are the cells row-major, x is a count of records.

    Raises
    ------
    InvalidInput
        If the parts do not fit together.

    See Also
    --------
    discreet.estimate.density : the density that a histogram estimates.

    Examples
    --------
    >>> from discreet import Bounded, PureDP, Schema
    >>> from discreet.release import HistogramRelease
    >>> release = HistogramRelease(schema=Schema({"age": Bounded(0, 120, step=1)}), column_names=["age"], bins=[4],
    ...     drawn=[210, 395, 301, -2], exponent=0, mechanism="Laplace", scale=4.0, n=900, guarantee=PureDP(0.5))
    >>> release.counts
    array([210., 395., 301.,  -2.])
    >>> release.edges[0]
    array([  0.,  30.,  60.,  90., 120.])
    >>> round(release.half_width(0.95), 2)
    11.98
    """

    what: ClassVar[str] = "histogram"

    column_names: tuple[str, ...]
    bins: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        set_field = partial(object.__setattr__, self)
        set_field("column_names", tuple(self.column_names))
        set_field("bins", tuple(whole_number("a number of cells", m) for m in self.bins))
        check_bins(self.schema, self.column_names, self.bins)
        if len(self.drawn) != self.size:
            raise InvalidInput(f"{len(self.drawn)} drawn numbers for a histogram of {self.size} cells")

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of cells along each axis."""
        return self.bins

    @property
    def size(self) -> int:
        """The number of cells."""
        return math.prod(self.bins)

    @cached_property
    def edges(self) -> tuple[Floats, ...]:
        """The edges of the cells along each axis, in the column's units: one more than there are cells."""
        return tuple(edges(self.schema.numeric(name), m) for name, m in zip(self.column_names, self.bins, strict=True))

    @property
    def projected(self) -> bool:
        """Whether all cells were moved by one amount so that they add up to n."""
        return self.mechanism == ProjectedGaussian.__name__

    @cached_property
    def noise(self) -> JointNoise:
        """The joint law of the noise in `counts`."""
        return LAWS[self.mechanism](self.scale).on(self.bins)

    @property
    def sd(self) -> float:
        """The standard deviation of the noise in each cell, in records."""
        return self.noise.cell_sd

    @cached_property
    def counts(self) -> Floats:
        """The noisy counts, in the shape of the axes (read-only; they may be negative).

        2^-k y_i as drawn; projected on the public n they are 2^-k (y_i + (2^k n - sum y)/M) with M the number of cells.
        """
        numerators, denominator = list(self.drawn), 2**self.exponent
        if self.projected and self.n is not None:
            surplus = self.n * denominator - sum(numerators)
            numerators = [y * self.size + surplus for y in numerators]
            denominator *= self.size
        counts = np.array([y / denominator for y in numerators]).reshape(self.bins)
        counts.setflags(write=False)
        return counts

    @property
    def values(self) -> Floats:
        """The same as `counts`."""
        return self.counts

    def half_width(self, level: float = 0.95) -> float:
        """Half the width of `interval(level)`, the same for every cell."""
        return self.noise.ppf(0.5 + 0.5 * probability_level(level))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """For each cell, an interval that covers its true count with probability `level`, one cell at a time.

        The noise is the only thing that is random here: the interval is about the records that were counted.

        Returns
        -------
        low, high : arrays of the shape of `counts`
        """
        half = self.half_width(level)
        return self.counts - half, self.counts + half

    def to_frame(self, backend: Backend = "polars", *, level: float = 0.95) -> Any:
        """A data frame with one row a cell; see `discreet.release.densities.drawn_frames.histogram_frame`."""
        from discreet.release.densities.drawn_frames import histogram_frame

        return histogram_frame(self, backend, level)

    def __repr__(self) -> str:
        from discreet.release.densities.drawn_text import histogram_text

        return histogram_text(self)


def check_bins(schema: Any, names: tuple[str, ...], bins: tuple[int, ...]) -> None:
    """Raise `InvalidInput` unless these are columns of the schema with an allowed number of cells each."""
    if not names or len(set(names)) < len(names):
        raise InvalidInput(f"the axes of a histogram are one or more different columns, not {list(names)!r}")
    if len(names) != len(bins):
        raise InvalidInput(f"{len(names)} columns need {len(names)} numbers of cells, not {len(bins)}")
    for name, m in zip(names, bins, strict=True):
        steps = schema.numeric(name).steps
        if not 1 <= m <= steps:
            raise InvalidInput(
                f"{m} cells of column {name!r}: from 1 to {steps}, the number of grid steps in its declared bounds"
            )
    if math.prod(bins) > LARGEST_HISTOGRAM:
        raise InvalidInput(
            f"a histogram of {' x '.join(map(str, bins))} has {math.prod(bins):,} cells; at most {LARGEST_HISTOGRAM:,} are "
            "released at once"
        )
