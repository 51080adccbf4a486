"""Released means and covariances together, for each group: what a comparison of means needs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet import display
from discreet.errors import InvalidInput
from discreet.noise import CoordinateNoise
from discreet.noise.coordinates import FAMILIES
from discreet.release.groups import Groups, groups_of
from discreet.release.moments.coded import as_floats, centres, cube_mean, half_widths
from discreet.release.moments.covariance_draws import CovarianceDraws
from discreet.release.moments.covariance_law import law_of, matrix_of
from discreet.release.moments.means import MeanRelease
from discreet.release.moments.moments_part import MomentsPart
from discreet.schema import Schema

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from discreet.privacy.cost import Cost
    from discreet.privacy.guarantee import Guarantee
    from discreet.release.frames import Backend

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MomentsRelease:
    """Noisy means and covariances of numeric columns, for each group of the schema's fixed column where it has one.

    Parameters
    ----------
    mean : MeanRelease
        The means. Its guarantee and cost are those of means and covariances together.
    covariance : EntryDraws or IdealisedDraws
        What was drawn for the covariances, see `discreet.release.moments.covariance_draws`.

    Raises
    ------
    InvalidInput
        If the parts do not fit together, or a declared group has fewer than two records.

    Examples
    --------
    >>> from discreet import Bounded, PureDP, Schema
    >>> from discreet.release import MeanRelease, MomentsRelease
    >>> from discreet.release.moments.covariance_draws import EntryDraws
    >>> schema = Schema({"height": Bounded(100, 220, step=1), "weight": Bounded(20, 200, step=1)})
    >>> means = MeanRelease(schema, ("height", "weight"), drawn=(14_150, 11_020), exponents=(0, 0), mechanism="Laplace",
    ...     scales=(480.0, 720.0), n=200, guarantee=PureDP(1))
    >>> moments = MomentsRelease(means, EntryDraws("EntrywiseLaplace", "Laplace", (86_406.0, 129_606.0, 194_406.0),
    ...     (0, 0, 0), (16_000, 12_400, 40_900)))
    >>> moments.covariances
    array([[ 80. ,  62. ],
           [ 62. , 204.5]])
    >>> moments.correlations.round(3)
    array([[1.   , 0.485],
           [0.485, 1.   ]])
    """

    mean: MeanRelease
    covariance: CovarianceDraws

    def __post_init__(self) -> None:
        if not isinstance(self.mean, MeanRelease):
            raise InvalidInput(f"the means of moments are a MeanRelease, not a {type(self.mean).__name__}")
        groups = groups_of(self.schema, self.n, self.group_sizes, least=2)
        self.covariance.check(len(self.column_names), len(groups.sizes))
        _ = self.parts  # a covariance that is too large to compute with shows here

    @property
    def schema(self) -> Schema:
        """The public part of the records concerned."""
        return self.mean.schema

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns, in order; d of them."""
        return self.mean.column_names

    @property
    def guarantee(self) -> Guarantee | None:
        """What means and covariances together promise."""
        return self.mean.guarantee

    @property
    def cost(self) -> Cost | None:
        """What the release took from the budget."""
        return self.mean.cost

    @property
    def n(self) -> int:
        """The public number of records."""
        return self.mean.n

    @property
    def group_sizes(self) -> tuple[int, ...] | None:
        """The public size of each group, that of the undeclared labels last; None without a fixed column."""
        return self.mean.group_sizes

    @property
    def groups(self) -> Groups:
        """The groups and their public sizes."""
        return self.mean.groups

    @property
    def sizes(self) -> tuple[int, ...]:
        """The public size of each declared group; (n,) without a fixed column."""
        return self.groups.sizes[: self.groups.declared]

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The labels of the groups; None where there is one group."""
        return self.mean.labels

    @property
    def versions(self) -> Mapping[str, str]:
        """The programs that made the release."""
        return self.mean.versions

    @property
    def adjacency(self) -> str:
        """Which sets of records count as neighbours: always "replace-one", as n is public."""
        return self.mean.adjacency

    @property
    def mechanism(self) -> str:
        """How the covariances were released, e.g. "EntrywiseLaplace"."""
        return self.covariance.mechanism

    @property
    def idealised(self) -> bool:
        """Whether the covariances' noise was drawn in floating point: the guarantee then holds for the idealised real-number
        mechanism only, not for what a computer does in its last digits."""
        return self.covariance.idealised

    @property
    def means(self) -> Floats:
        """The noisy means in the columns' own units, of shape (d,), or (number of labels, d)."""
        return self.mean.values

    @property
    def noise(self) -> CoordinateNoise:
        """The law of the noise in `means`, in the columns' own units."""
        return self.mean.noise

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """For each mean, an interval that covers the mean of the records; see `MeanRelease.interval`."""
        return self.mean.interval(level)

    @cached_property
    def parts(self) -> tuple[MomentsPart, ...]:
        """Each declared group's moments on the cube [-1, 1]^d: what tests and intervals work with."""
        return tuple(self._part(row) for row in range(self.groups.declared))

    def part(self, label: str | None = None) -> MomentsPart:
        """The moments of the group with this label; without one, of the only group."""
        return self.parts[self.groups.index(label, self.schema.fixed)]

    def _part(self, row: int) -> MomentsPart:
        columns, n, d = self.mean.columns, self.groups.sizes[row], len(self.column_names)
        drawn = self.mean.drawn[row * d : (row + 1) * d]
        mean = [cube_mean(c, y, k, n) for c, y, k in zip(columns, drawn, self.mean.exponents, strict=True)]
        # The scales on [-1, 1] are equal but for rounding; the largest is on the safe side of every coordinate.
        scale = max(2.0 * s / (column.steps * n) for s, column in zip(self.mean.scales, columns, strict=True))
        return MomentsPart(
            label=self.groups.names[row],
            n=n,
            mean=as_floats(mean),
            covariance=matrix_of(self.covariance, columns, row, n),
            mean_noise=FAMILIES[self.mean.mechanism](scale),
            covariance_noise=law_of(self.covariance, columns, n),
            columns=self.column_names,
            centres=centres(columns),
            half_widths=half_widths(columns),
        )

    @cached_property
    def covariances(self) -> Floats:
        """The noisy covariances (divisor n - 1) in the columns' own units, each the nearest positive semidefinite matrix.

        Of shape (d, d), or (number of labels, d, d). The nearest is taken in the Frobenius norm on [-1, 1]^d.
        """
        found = [part.covariance * np.outer(part.half_widths, part.half_widths) for part in self.parts]
        return np.array(found) if self.labels is not None else found[0]

    @property
    def standard_deviations(self) -> Floats:
        """The square roots of the released variances, in the columns' own units; of the shape of `means`."""
        return np.sqrt(np.diagonal(self.covariances, axis1=-2, axis2=-1))

    @property
    def correlations(self) -> Floats:
        """The correlations of the released covariances; 0 beside a column whose released variance is 0."""
        sd = np.sqrt(np.array([np.diag(part.covariance) for part in self.parts]))
        covariances = np.array([part.covariance for part in self.parts])
        known = (sd[:, :, None] > 0) & (sd[:, None, :] > 0)
        ratios = np.divide(covariances / np.where(known, sd[:, :, None], 1.0), np.where(known, sd[:, None, :], 1.0))
        found = np.clip(np.where(known, ratios, 0.0), -1.0, 1.0)
        places = np.arange(found.shape[-1])
        found[:, places, places] = 1.0
        return found if self.labels is not None else found[0]

    def to_frame(self, backend: Backend = "polars", *, level: float = 0.95) -> Any:
        """A data frame with one row a mean; see `discreet.release.moments.means_frame.moments_frame`."""
        from discreet.release.moments.means_frame import moments_frame

        return moments_frame(self, backend, level)

    def covariance_frame(self, backend: Backend = "polars") -> Any:
        """A data frame with one row a pair of columns; see `discreet.release.moments.means_frame.covariance_frame`."""
        from discreet.release.moments.means_frame import covariance_frame

        return covariance_frame(self, backend)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the release to a JSON file, exactly and all at once; `discreet.load` reads it back."""
        from discreet.release.io import save

        save(self, path)

    def __repr__(self) -> str:
        from discreet.release.moments.means_text import moments_text

        return moments_text(self)

    def _repr_html_(self) -> str:
        return str(display.draw("html", self))

    def plot(self, **options: Any) -> Figure:
        """A picture of the means with their intervals (needs `discreet[plot]`); see `discreet.view.moments_plot`."""
        figure: Figure = display.draw("plot", self, **options)
        return figure
