"""A released table of counts: the drawn integers, the exact law of their noise, and what follows from these alone."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet import display
from discreet.errors import InvalidInput
from discreet.noise import DiscreteGaussian, DiscreteLaplace, Gaussian, JointNoise, Laplace, ProjectedGaussian
from discreet.release.integers import Integers
from discreet.release.tables.entries import exact_entries
from discreet.release.tables.layout import Layout, layout_of
from discreet.release.tables.rounding import Entries
from discreet.release.validation import check_parts, probability_level, whole_number
from discreet.schema import Schema

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from discreet.privacy.cost import Cost
    from discreet.privacy.guarantee import Guarantee
    from discreet.release.frames import Backend

Floats = NDArray[np.float64]
Law = Laplace | Gaussian | ProjectedGaussian | DiscreteLaplace | DiscreteGaussian

LAWS: Mapping[str, type[Law]] = MappingProxyType(
    {law.__name__: law for law in (Laplace, Gaussian, ProjectedGaussian, DiscreteLaplace, DiscreteGaussian)}
)


@dataclass(frozen=True)
class TableRelease:
    """A noisy table of counts with the law of its noise.

    Parameters
    ----------
    schema : Schema
        The public part of the records concerned: exactly the columns that were tabulated, all of them categorical. It
        also says who are neighbours, and (`complete`) whether there is an `other` cell for strays.
    column_names : sequence of str
        The axes of the table, in order. Columns of `schema` that are not among them were summed over: a margin.
    drawn : sequence of int, or Integers
        The integers as they left the gate: the declared cells row-major, then the `other` cell if there is one (in a
        table by a fixed column there is more: `discreet.release.tables.layout`).
    exponent : int
        k >= 0: the grid has the step 2^-k.
    mechanism : "Laplace", "Gaussian", "ProjectedGaussian", "DiscreteLaplace" or "DiscreteGaussian"
        The law of the noise.
    scale : float
        Its scale in records: b (Laplace laws) or sigma, before projection.
    guarantee, cost : Guarantee, Cost, optional
        What was promised and what it took from the budget; None where the table was published elsewhere without them.
    n : int, optional
        The number of records where it is public.
    versions : mapping of str to str
        The programs that made the release.
    group_sizes : sequence of int, optional
        For a table by the schema's fixed column: the public number of records with each of its labels, in order; then,
        unless the schema is complete, the number of those with none of them. Every group has noise of its own.

    Raises
    ------
    InvalidInput
        If the parts do not fit together, e.g. a number of integers that is not the number of cells.

    See Also
    --------
    TableRelease.from_counts : the same from published numbers.

    Examples
    --------
    >>> from discreet.noise import Laplace
    >>> from discreet.release import TableRelease
    >>> table = TableRelease.from_counts([[230.5, 271.25], [268, 236.75]],
    ...     {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}, noise=Laplace(4.0), n=1000)
    >>> table.counts
    array([[230.5 , 271.25],
           [268.  , 236.75]])
    >>> table.margin("smoking").counts
    array([501.75, 504.75])
    >>> low, high = table.interval(0.95)
    >>> (high - low).round(2)
    array([[23.97, 23.97],
           [23.97, 23.97]])
    """

    schema: Schema
    column_names: tuple[str, ...]
    drawn: Integers
    exponent: int
    mechanism: str
    scale: float
    guarantee: Guarantee | None = None
    cost: Cost | None = None
    n: int | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: {"discreet": version("discreet")}, hash=False)
    group_sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        set_field = partial(object.__setattr__, self)
        set_field("column_names", tuple(self.column_names))
        set_field("drawn", Integers(self.drawn, "a drawn number"))
        set_field("exponent", whole_number("the grid exponent", self.exponent))
        set_field("versions", MappingProxyType(dict(self.versions)))
        if self.n is not None:
            set_field("n", whole_number("n", self.n))
        if self.group_sizes is not None:
            set_field("group_sizes", tuple(whole_number("a group size", size) for size in self.group_sizes))
        if self.mechanism not in LAWS:
            raise InvalidInput(f"unknown mechanism {self.mechanism!r}: a table's is one of {', '.join(LAWS)}")
        set_field("scale", LAWS[self.mechanism](self.scale).scale)
        check_parts(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # The read-only view of `versions` cannot be pickled; cached numbers need not be.
        kept = {f.name: getattr(self, f.name) for f in fields(self)} | {"versions": dict(self.versions)}
        return partial(TableRelease, **kept), ()

    @classmethod
    def from_counts(
        cls,
        values: ArrayLike,
        columns: Mapping[str, Any],
        *,
        noise: Law,
        n: int | None = None,
        other: float | None = None,
        guarantee: Guarantee | None = None,
    ) -> TableRelease:
        """A noisy table published elsewhere, as a release; see `discreet.release.tables.published.from_counts`."""
        from discreet.release.tables.published import from_counts

        return from_counts(values, columns, noise=noise, n=n, other=other, guarantee=guarantee)

    @property
    def adjacency(self) -> str:
        """Which tables count as neighbours, e.g. "replace-one"."""
        return self.schema.adjacency

    @property
    def has_other(self) -> bool:
        """Whether there is a cell for records with a stray in any tabulated column (also those summed over)."""
        return not self.schema.complete

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """The category labels along each axis."""
        return tuple(self.schema.categorical(name).labels for name in self.column_names)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of declared categories along each axis."""
        return tuple(map(len, self.labels))

    @property
    def summed_over(self) -> tuple[str, ...]:
        """The tabulated columns that this table is a margin over."""
        untabulated = self.schema.fixed if self.group_sizes is None else None
        return tuple(name for name in self.schema.columns if name not in (*self.column_names, untabulated))

    @property
    def draws_per_cell(self) -> int:
        """How many cells, each with its own draw of noise, are summed in one: 1 but for margins."""
        return math.prod(len(self.schema.categorical(name).labels) for name in self.summed_over)

    @cached_property
    def layout(self) -> Layout:
        """Where each drawn number belongs."""
        return layout_of(self)

    @property
    def group_axis(self) -> int | None:
        """The axis of the fixed column, each of whose labels is a group with a public size and noise of its own."""
        return self.layout.group_axis

    @property
    def total_draws(self) -> int:
        """M, the number of draws made for the whole release (in a table by group: for each), the `other` cell's included."""
        return self.layout.total_draws

    @property
    def projected(self) -> bool:
        """Whether all entries were moved so that they add up to n, or those of each group to its size."""
        return self.mechanism == ProjectedGaussian.__name__

    @cached_property
    def noise(self) -> JointNoise:
        """The joint law of the noise in `counts`."""
        as_drawn = LAWS[self.mechanism](self.scale).on(self.shape)
        layout = self.layout
        return replace(
            as_drawn, draws_per_cell=layout.draws_per_cell, total=layout.total_draws, group_axis=layout.group_axis
        )

    @property
    def sd(self) -> float:
        """The standard deviation of the noise in each declared cell, in records."""
        return self.noise.cell_sd

    @cached_property
    def _exact(self) -> Entries:
        return exact_entries(self)

    @cached_property
    def counts(self) -> Floats:
        """The noisy counts of the declared cells, in the shape of the table (read-only; they may be negative)."""
        return self._entries(0, self.layout.size).reshape(self.shape)

    @property
    def values(self) -> Floats:
        """The same as `counts`."""
        return self.counts

    def _entries(self, start: int, stop: int) -> Floats:
        numbers = self._exact.floats(start, stop)
        numbers.setflags(write=False)
        return numbers

    @cached_property
    def other(self) -> float | Floats | None:
        """The noisy number of records with a stray in a tabulated column; None where the schema is complete.

        In a table by a fixed column an array with the number of each group, that of the undeclared labels last.
        """
        if not self.has_other:
            return None
        others = self._entries(self.layout.size + self.layout.undeclared, len(self.drawn))
        return float(others[0]) if self.group_axis is None else others

    @cached_property
    def undeclared_group(self) -> Floats | None:
        """In a table by a fixed column, the noisy counts of the records with an undeclared label there, as one more group.

        Of the shape of the other axes; no part of `counts`, nor of tests. None where the schema is complete, and in other
        tables, whose `other` holds these records.
        """
        layout = self.layout
        if layout.group_axis is None or not self.has_other:
            return None
        rest = [k for axis, k in enumerate(self.shape) if axis != layout.group_axis]
        return self._entries(layout.size, layout.size + layout.undeclared).reshape(rest)

    @property
    def total_is_public(self) -> bool:
        """Whether the true total of the declared cells is known: n is public and no record lies outside of them."""
        return self.n is not None and not self.has_other

    @property
    def declared_total(self) -> float:
        """The sum of the declared cells: the estimate of their true total (n after a projection without other)."""
        return self._exact.total(self.layout.size)

    def half_width(self, level: float = 0.95) -> float:
        """Half the width of `interval(level)`, the same for every cell."""
        return self.noise.ppf(0.5 + 0.5 * probability_level(level))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """For each cell, an interval that covers its true count with probability `level`.

        The noise is the only thing that is random here: the interval is about the records that were counted, not about
        the population they came from. It holds for one cell at a time, not for all at once, and is neither clamped at 0
        nor rounded, because that would change its coverage or its symmetry.

        Returns
        -------
        low, high : arrays of the shape of the table
            count -+ q, q the (1 + level)/2 quantile of the noise of one cell.
        """
        half = self.half_width(level)
        return self.counts - half, self.counts + half

    def other_interval(self, level: float = 0.95) -> tuple[float | Floats, float | Floats] | None:
        """The same for the `other` cell, or that of each group; None where there is none."""
        if self.other is None:
            return None
        law = replace(self.noise, shape=(1,), draws_per_cell=self.layout.draws_per_other, group_axis=None)
        half = law.ppf(0.5 + 0.5 * probability_level(level))
        return self.other - half, self.other + half

    def margin(self, columns: str | Sequence[str]) -> TableRelease:
        """The table summed over all columns but these, with the law that its noise then has; spends nothing.

        Parameters
        ----------
        columns : str or sequence of str
            The axes to keep, in the order wanted. All of them in another order: the table transposed.

        Returns
        -------
        TableRelease
            `n` and the `other` cell stay: records with a stray in any column tabulated, kept or not, are in `other`. In a
            margin over the groups of a fixed column the `other` cells become one number.
        """
        from discreet.release.tables.margin import margin

        return margin(self, columns)

    def to_frame(self, backend: Backend = "polars", *, level: float = 0.95) -> Any:
        """A data frame with one row a cell; see `discreet.release.frames.table_frame`."""
        from discreet.release.frames import table_frame

        return table_frame(self, backend, level)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the release to a JSON, .parquet or .arrow file, exactly and all at once; `discreet.load` reads it back."""
        from discreet.release.io import save

        save(self, path)

    def __repr__(self) -> str:
        from discreet.release.text import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        return str(display.draw("html", self))

    def plot(self, **options: Any) -> Figure:
        """A picture of the table with its intervals (needs `discreet[plot]`); see `discreet.view.table_plot`."""
        figure: Figure = display.draw("plot", self, **options)
        return figure
