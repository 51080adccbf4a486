"""Confidence regions of the means of two columns: one ellipse a group, for the noise and the sampling together.

For a group with released means m, covariance S (both of the two columns, on [-1, 1]^2), n records and noise variance v,

    { mu : n (m - mu)' (S + n v I)^-1 (m - mu) <= q },      q the level-quantile of the same form over simulated releases:

all means that Hotelling's test for one group does not reject.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.display import draw
from discreet.errors import InvalidInput
from discreet.inference.hotelling_bootstrap import in_chunks, simulated_releases
from discreet.inference.mean_comparison import MeanComparison, t_squared
from discreet.inference.mean_groups import Moments, chosen_any, parts_of
from discreet.inference.mean_intervals import check_simulation, quantiles
from discreet.inference.null.problem import Seed
from discreet.release.moments.moments_part import MomentsPart

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ellipse:
    """One group's region, in the columns' own units: centre + axes @ (a point of the unit disc).

    Attributes
    ----------
    group : str or None
    n : int
    centre : array (2,)
        The released means.
    axes : array (2, 2)
        The images of the two half axes are its columns.
    """

    group: str | None
    n: int
    centre: Floats
    axes: Floats

    def boundary(self, points: int = 181) -> Floats:
        """Points on the ellipse, the first again at the end: (points, 2)."""
        angle = np.linspace(0.0, 2.0 * np.pi, points)
        return np.asarray(self.centre + np.stack([np.cos(angle), np.sin(angle)], -1) @ self.axes.T)

    def contains(self, means: ArrayLike) -> bool:
        """Whether the region holds a pair of means."""
        inside = np.linalg.solve(self.axes, np.asarray(means, float) - self.centre)
        return bool(inside @ inside <= 1.0)

    @property
    def area(self) -> float:
        """In the product of the two columns' units."""
        return float(np.pi * abs(np.linalg.det(self.axes)))


@dataclass(frozen=True, eq=False)
class MeanRegions:
    """The ellipses of all groups for one pair of columns.

    Attributes
    ----------
    ellipses : tuple of Ellipse
    columns : pair of str
    level : float
        Of each ellipse on its own.
    replicates : int
        The number of simulated releases.
    """

    ellipses: tuple[Ellipse, ...]
    columns: tuple[str, str]
    level: float
    replicates: int

    def plot(self, **options: Any) -> Any:
        """The ellipses, one colour a group (needs `discreet[plot]`)."""
        return draw("plot", self, **options)

    def __repr__(self) -> str:
        lines = [f"{100 * self.level:g}% regions of the means of {self.columns[0]} and {self.columns[1]}"]
        for e in self.ellipses:
            name = "" if e.group is None else f"{e.group}: "
            lines.append(f"  {name}centre ({e.centre[0]:.4g}, {e.centre[1]:.4g}), area {e.area:.4g}, n = {e.n:,}")
        return "\n".join(lines)


def mean_regions(
    release: Moments | MomentsPart,
    columns: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    groups: Sequence[Any] | str | None = None,
    replicates: int = 2000,
    rng: Seed = None,
) -> MeanRegions:
    """For each group the region of the means of two columns that its release is compatible with.

    Parameters
    ----------
    release : MomentsRelease
    columns : pair of names, optional
        Which two columns; may be left out where the release has just two.
    level : float
        Between 0 and 1, of each region.
    groups : sequence of labels, optional
        Which groups; all by default.
    replicates : int
        The number of simulated releases.
    rng : numpy Generator or int, optional
        For the simulation.

    Returns
    -------
    MeanRegions
        With `.plot()`.

    Raises
    ------
    InvalidInput
        For anything but two different columns of the release, unknown groups, too few replicates for the level.
    NotApplicable
        For a group of less than two records.
    """
    parts = chosen_any(parts_of(release), groups)
    check_simulation(parts, level, replicates)
    pair = _pair(parts[0].columns, columns)
    generator = np.random.default_rng(rng)
    ellipses = tuple(_ellipse(part, list(pair), level, int(replicates), generator) for part in parts)
    first, second = (parts[0].columns[i] for i in pair)
    return MeanRegions(ellipses, (first, second), float(level), int(replicates))


def _ellipse(part: MomentsPart, pair: list[int], level: float, replicates: int, rng: np.random.Generator) -> Ellipse:
    comparison = MeanComparison((part,), given=part.mean)
    drawn = []
    for size in in_chunks(replicates, part.mean.size):
        errors, covariances = simulated_releases(part, size, rng)
        drawn.append(t_squared(errors[:, pair], covariances[:, pair][:, :, pair], comparison.h, comparison.added))
    radius = np.sqrt(quantiles(np.concatenate(drawn), level))
    values, vectors = np.linalg.eigh(part.covariance[np.ix_(pair, pair)])
    lengths = radius * np.sqrt((np.maximum(values, 0.0) + comparison.added) / comparison.h)
    scale = part.half_widths[pair]
    return Ellipse(
        group=None if part.label is None else str(part.label),
        n=part.n,
        centre=np.asarray(part.centres[pair] + scale * part.mean[pair]),
        axes=np.asarray(scale[:, None] * vectors * lengths),
    )


def _pair(names: tuple[str, ...], columns: Sequence[str] | None) -> tuple[int, int]:
    if columns is None and len(names) == 2:
        return 0, 1
    if columns is None or isinstance(columns, str) or len(columns) != 2 or columns[0] == columns[1]:
        raise InvalidInput(f"columns must be two different columns of {', '.join(map(repr, names))}, not {columns!r}")
    for name in columns:
        if name not in names:
            raise InvalidInput(f"the release has no column {name!r}, only {', '.join(map(repr, names))}")
    return names.index(columns[0]), names.index(columns[1])
