"""Released means: the drawn integers of each column's sum, the exact law of their noise, and what follows from these."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet import display
from discreet.noise import CoordinateNoise
from discreet.release.groups import Groups, groups_of
from discreet.release.moments.coded import as_floats, exact_mean
from discreet.release.moments.means_validation import check_means
from discreet.release.validation import probability_level, whole_number
from discreet.schema import Bounded, Schema

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from discreet.privacy.cost import Cost
    from discreet.privacy.guarantee import Guarantee
    from discreet.release.frames import Backend

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MeanRelease:
    """Noisy means of numeric columns, for each group of the schema's fixed column where it has one.

    Parameters
    ----------
    schema : Schema
        The public part of the records concerned: the columns whose means were released, and the fixed column.
    column_names : sequence of str
        The columns, in order; d of them.
    drawn : sequence of int
        The integers as they left the gate, y = 2^k (sum of codes) + noise: one row a group, one entry a column. The groups
        are those of the fixed column's labels, then, unless the schema is complete, that of the undeclared ones.
    exponents : sequence of int
        k >= 0 of each column.
    mechanism : "Laplace" or "Gaussian"
        The law of the noise.
    scales : sequence of float
        Its scale on each column's sum of codes (codes count steps from the lower bound).
    n : int
        The public number of records.
    guarantee, cost : Guarantee, Cost, optional
        What was promised, and what it took from the budget.
    versions : mapping of str to str
        The programs that made the release.
    group_sizes : sequence of int, optional
        With a fixed column: the public number of records of each group, in the order of `drawn`.

    Raises
    ------
    InvalidInput
        If the parts do not fit together.

    Examples
    --------
    >>> from discreet import Bounded, PureDP, Schema
    >>> from discreet.release import MeanRelease
    >>> schema = Schema({"height": Bounded(100, 220, step=1), "weight": Bounded(20, 200, step=1)})
    >>> release = MeanRelease(schema, ("height", "weight"), drawn=(14_150, 11_020), exponents=(0, 0), mechanism="Laplace",
    ...     scales=(240.0, 360.0), n=200, guarantee=PureDP(1))
    >>> release.values
    array([170.75,  75.1 ])
    >>> release.sd.round(2)
    array([1.7 , 2.55])
    """

    schema: Schema
    column_names: tuple[str, ...]
    drawn: tuple[int, ...]
    exponents: tuple[int, ...]
    mechanism: str
    scales: tuple[float, ...]
    n: int
    guarantee: Guarantee | None = None
    cost: Cost | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: {"discreet": version("discreet")}, hash=False)
    group_sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        set_field = partial(object.__setattr__, self)
        set_field("column_names", tuple(self.column_names))
        set_field("drawn", tuple(whole_number("a drawn number", y) for y in self.drawn))
        set_field("exponents", tuple(whole_number("a grid exponent", k) for k in self.exponents))
        set_field("n", whole_number("n", self.n))
        set_field("versions", MappingProxyType(dict(self.versions)))
        if self.group_sizes is not None:
            set_field("group_sizes", tuple(whole_number("a group size", size) for size in self.group_sizes))
        check_means(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # The read-only view of `versions` cannot be pickled; cached numbers need not be.
        kept = {f.name: getattr(self, f.name) for f in fields(self)} | {"versions": dict(self.versions)}
        return partial(MeanRelease, **kept), ()

    @property
    def adjacency(self) -> str:
        """Which sets of records count as neighbours: always "replace-one", as n is public."""
        return self.schema.adjacency

    @cached_property
    def columns(self) -> tuple[Bounded, ...]:
        """The declared bounds of each column."""
        return tuple(self.schema.numeric(name) for name in self.column_names)

    @cached_property
    def groups(self) -> Groups:
        """The groups and their public sizes."""
        return groups_of(self.schema, self.n, self.group_sizes, least=1)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The labels of the groups, in the order of the rows of `values`; None where there is one group."""
        return self.groups.labels

    @property
    def shape(self) -> tuple[int, ...]:
        """(d,), or (number of labels, d) by a fixed column."""
        d = len(self.column_names)
        return (d,) if self.labels is None else (len(self.labels), d)

    @cached_property
    def values(self) -> Floats:
        """The noisy means in the columns' own units (read-only; not clamped to the bounds)."""
        means = self._means(range(self.groups.declared)).reshape(self.shape)
        means.setflags(write=False)
        return means

    @cached_property
    def undeclared(self) -> Floats | None:
        """The noisy means of the records with an undeclared label; None where there can be none or were none."""
        last = self.groups.declared
        if last == len(self.groups.sizes) or self.groups.sizes[last] == 0:
            return None
        return self._means(range(last, last + 1))

    def _means(self, rows: range) -> Floats:
        d = len(self.columns)
        return as_floats(
            [
                exact_mean(column, self.drawn[row * d + i], self.exponents[i], self.groups.sizes[row])
                for row in rows
                for i, column in enumerate(self.columns)
            ]
        )

    @cached_property
    def noise(self) -> CoordinateNoise:
        """The law of the noise in `values`, in the columns' own units: scale step/n in each coordinate."""
        sizes = self.groups.sizes[: self.groups.declared]
        scales = [
            scale * float(column.exact_step) / size
            for size in sizes
            for scale, column in zip(self.scales, self.columns, strict=True)
        ]
        return CoordinateNoise(self.mechanism, tuple(scales), self.shape)

    @property
    def sd(self) -> Floats:
        """The standard deviation of the noise in each mean, in the column's units."""
        return self.noise.sd

    def half_width(self, level: float = 0.95) -> Floats:
        """Half the width of `interval(level)` for each mean."""
        return self.noise.ppf(0.5 + 0.5 * probability_level(level))

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """For each mean, an interval that covers the mean of the records with probability `level`.

        The noise is the only thing that is random here: the interval is about the records, not about the population they
        came from. It holds for one mean at a time, and is not clamped to the bounds. Values beyond a column's bounds, and
        missing ones, count as declared in the schema.

        Returns
        -------
        low, high : arrays of the shape of `values`
            mean -+ q, q the (1 + level)/2 quantile of its noise.
        """
        half = self.half_width(level)
        return self.values - half, self.values + half

    def to_frame(self, backend: Backend = "polars", *, level: float = 0.95) -> Any:
        """A data frame with one row a mean; see `discreet.release.moments.means_frame.means_frame`."""
        from discreet.release.moments.means_frame import means_frame

        return means_frame(self, backend, level)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the release to a JSON file, exactly and all at once; `discreet.load` reads it back."""
        from discreet.release.io import save

        save(self, path)

    def __repr__(self) -> str:
        from discreet.release.moments.means_text import means_text

        return means_text(self)

    def _repr_html_(self) -> str:
        return str(display.draw("html", self))

    def plot(self, **options: Any) -> Figure:
        """A picture of the means with their intervals (needs `discreet[plot]`); see `discreet.view.moments_plot`."""
        figure: Figure = display.draw("plot", self, **options)
        return figure
