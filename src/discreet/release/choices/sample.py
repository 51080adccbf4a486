"""A released sample: points on a column's public grid that were drawn, as a whole, from a private law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet import display
from discreet.errors import InvalidInput
from discreet.release.choices.chosen import ChosenRelease
from discreet.release.grid import values_of
from discreet.release.validation import whole_number
from discreet.schema import Bounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from discreet.release.frames import Backend

MOST_POINTS = 10**6

PARAMETERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "KolmogorovExponential": (),
        "MeanExponential": (),
        "SeriesExponential": ("terms",),
        "SmoothedHistogram": ("cells", "delta"),
    }
)
"""The mechanisms of samples, and the public numbers that each has beside size and guarantee."""


@dataclass(frozen=True, repr=False, kw_only=True)
class SampleRelease(ChosenRelease):
    """Synthetic values of one numeric column.

    The points may be analysed like a sample of their size. They are no records: each lies on the column's declared grid, and
    a record leaves its trace only in the law from which all of them were drawn together.

    Parameters
    ----------
    column_name : str
    codes : sequence of int
        The points as codes j = 0 ... J of the column, in any order; they are kept sorted.
    mechanism : str
        "KolmogorovExponential", "MeanExponential", "SeriesExponential" or "SmoothedHistogram".
    parameters : mapping of str to number
        The public numbers of the mechanism: the last two have ("terms") and ("cells", "delta").
    schema, guarantee, cost, n, versions
        See `discreet.release.choices.chosen.ChosenRelease`; n is public and at least 1.

    Examples
    --------
    >>> from discreet import Bounded, PureDP, Schema
    >>> from discreet.release import SampleRelease
    >>> sample = SampleRelease(schema=Schema({"age": Bounded(0, 120, step=1)}), column_name="age", codes=[61, 18, 34],
    ...     mechanism="KolmogorovExponential", n=90, guarantee=PureDP(1))
    >>> sample.points, sample.cdf([17, 34, 120])
    (array([18., 34., 61.]), array([0.        , 0.66666667, 1.        ]))
    """

    what: ClassVar[str] = "sample"

    column_name: str
    codes: tuple[int, ...]
    mechanism: str
    parameters: Mapping[str, int | float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        steps = self.column.steps
        codes = tuple(sorted(whole_number("a code", code) for code in self.codes))
        if not 1 <= len(codes) <= MOST_POINTS:
            raise InvalidInput(f"a sample has from 1 to {MOST_POINTS:,} points, not {len(codes):,}")
        if codes[0] < 0 or codes[-1] > steps:
            raise InvalidInput(f"the codes of {self.column_name!r} lie in 0 ... {steps}")
        if self.n is None or self.n < 1:
            raise InvalidInput("a sample is drawn near a distribution of n records: n must be public and at least 1")
        if self.mechanism not in PARAMETERS:
            raise InvalidInput(f"unknown mechanism {self.mechanism!r}: a sample's is one of {', '.join(PARAMETERS)}")
        wanted = PARAMETERS[self.mechanism]
        if set(self.parameters) != set(wanted):
            raise InvalidInput(
                f"{self.mechanism} has the parameters {list(wanted)}, not {sorted(map(str, self.parameters))}"
            )
        for name, value in self.parameters.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 2**63:
                raise InvalidInput(f"the parameter {name} must be a number above 0, not {value!r}")
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    @property
    def column(self) -> Bounded:
        """The declared bounds of the column."""
        return self.schema.numeric(self.column_name)

    @property
    def size(self) -> int:
        """k, the number of points."""
        return len(self.codes)

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """The points in the column's own units, in increasing order (read-only)."""
        found = np.asarray(values_of(self.column, self.codes), float)
        found.setflags(write=False)
        return found

    @property
    def values(self) -> NDArray[np.float64]:
        """The same as `points`."""
        return self.points

    def cdf(self, x: Any) -> NDArray[np.float64]:
        """The share of the points at or below x."""
        return np.searchsorted(self.points, np.asarray(x, float), side="right") / self.size

    def to_frame(self, backend: Backend = "polars") -> Any:
        """A data frame with one column, the points under the column's own name."""
        from discreet.release.frames import to_frame

        return to_frame({self.column_name: values_of(self.column, self.codes).tolist()}, backend)

    def __repr__(self) -> str:
        from discreet.release.choices.sample_text import as_text

        return as_text(self)

    def plot(self, **options: Any) -> Figure:
        """The points with their distribution function (needs `discreet[plot]`); see `discreet.view.sample_plot`."""
        figure: Figure = display.draw("plot", self, **options)
        return figure
