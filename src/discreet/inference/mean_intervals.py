"""Confidence intervals of means and of differences of means, for the noise and the sampling together.

A released mean m of n records has the standard error sqrt(s^2/n + v), s^2 its released variance and v the variance of its
noise; a difference of two groups the root of the sum of both. The interval is studentised,

    m -+ q sqrt(s^2/n + v),      q the level-quantile of |m* - m| / sqrt(s*^2/n + v) over simulated releases,

so that the tails of the noise and the noise in s^2 count. Simultaneous intervals take the quantile of the largest of these
ratios over all numbers of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discreet.display import draw
from discreet.errors import InvalidInput, NotApplicable
from discreet.inference.hotelling_bootstrap import in_chunks, simulated_releases
from discreet.inference.mean_groups import Moments, chosen_any, parts_of
from discreet.inference.null.problem import Seed
from discreet.release.frames import to_frame
from discreet.release.moments.moments_part import MomentsPart

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MeanInterval:
    """One interval, in the column's own units: of a group's mean, or, with `versus`, of group minus versus."""

    group: str | None
    versus: str | None
    column: str
    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class MeanIntervals:
    """Intervals of means, then of their differences; prints as a table of them.

    Attributes
    ----------
    rows : tuple of MeanInterval
        The means, group by group in the order of the columns, then the differences.
    level : float
    simultaneous : bool
        Whether all intervals together hold their numbers with probability `level`, rather than each on its own.
    replicates : int
        The number of simulated releases.
    bounds : mapping from column to (lower, upper)
        The declared bounds, in the columns' own units.
    """

    rows: tuple[MeanInterval, ...]
    level: float
    simultaneous: bool
    replicates: int
    bounds: dict[str, tuple[float, float]]

    @property
    def means(self) -> tuple[MeanInterval, ...]:
        """The intervals of means."""
        return tuple(row for row in self.rows if row.versus is None)

    @property
    def differences(self) -> tuple[MeanInterval, ...]:
        """The intervals of differences of means."""
        return tuple(row for row in self.rows if row.versus is not None)

    def to_frame(self, backend: str = "polars") -> Any:
        """One row an interval: group, versus, column, estimate, low, high; as a frame of `backend`."""
        names = MeanInterval.__dataclass_fields__
        types = {name: nw.String if name in ("group", "versus", "column") else nw.Float64 for name in names}
        return to_frame({name: [getattr(row, name) for row in self.rows] for name in names}, backend, types)

    def plot(self, **options: Any) -> Any:
        """The means (`differences=True`: their differences) with their intervals (needs `discreet[plot]`)."""
        return draw("plot", self, **options)

    @property
    def heading(self) -> str:
        """What the intervals are, in words."""
        kind = "simultaneous intervals" if self.simultaneous else "intervals"
        return f"{100 * self.level:g}% {kind} for noise and sampling"

    def __repr__(self) -> str:
        lines = [["", "estimate", "low", "high"]]
        lines += [[name_of(row), f"{row.estimate:.4g}", f"{row.low:.4g}", f"{row.high:.4g}"] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        body = (
            "  ".join(
                text.rjust(w) if i else text.ljust(w) for i, (text, w) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        )
        return "\n".join([f"Means: {self.heading}", *body])


def name_of(row: MeanInterval) -> str:
    """E.g. "length, genuine - counterfeit"."""
    if row.group is None:
        return row.column
    return f"{row.column}, {row.group}" + ("" if row.versus is None else f" - {row.versus}")


def mean_intervals(
    release: Moments | MomentsPart,
    *,
    level: float = 0.95,
    groups: Sequence[Any] | str | None = None,
    differences: bool = True,
    simultaneous: bool = False,
    replicates: int = 2000,
    rng: Seed = None,
) -> MeanIntervals:
    """Intervals of each mean and of each difference of means between groups, in the columns' own units.

    Parameters
    ----------
    release : MomentsRelease
    level : float
        Between 0 and 1: of each interval, or of all together with `simultaneous`.
    groups : sequence of labels, optional
        Which groups of the release; all of them by default.
    differences : bool
        Whether to give the differences between every two groups too.
    simultaneous : bool
        Whether `level` is to hold for all intervals at once.
    replicates : int
        The number of simulated releases.
    rng : numpy Generator or int, optional
        For the simulation.

    Returns
    -------
    MeanIntervals
        With `.to_frame()` and `.plot()`. Intervals are cut at the declared bounds of the column (at their length, for a
        difference).

    Raises
    ------
    InvalidInput
        For what is no release of moments, unknown groups, or too few replicates for the level.
    NotApplicable
        For a group of less than two records.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet.inference import mean_intervals
    >>> from discreet.noise import EntrywiseNoise, Laplace
    >>> from discreet.release.moments.moments_part import MomentsPart
    >>> part = MomentsPart(None, n=500, mean=np.array([0.05]), covariance=np.array([[0.06]]), mean_noise=Laplace(0.008),
    ...     covariance_noise=EntrywiseNoise("laplace", ((0.008,),)), columns=("weight",), centres=np.array([70.0]),
    ...     half_widths=np.array([50.0]))  # one of `release.parts`
    >>> mean_intervals(part, rng=1)
    Means: 95% intervals for noise and sampling
            estimate    low   high
    weight      72.5  70.87  74.13
    """
    parts = chosen_any(parts_of(release), groups)
    check_simulation(parts, level, replicates)
    pairs = list(combinations(range(len(parts)), 2)) if differences else []
    combine = _combinations(len(parts), pairs)
    ratios = _ratios(parts, combine, int(replicates), np.random.default_rng(rng))
    quantile = np.broadcast_to(quantiles(ratios.max((1, 2)) if simultaneous else ratios, level), ratios.shape[1:])
    estimates = combine @ np.array([part.mean for part in parts])
    half = quantile * _standard_errors(parts, combine, [part.covariance for part in parts])
    # A mean lies in [-1, 1] and a difference in [-2, 2].
    reach = np.abs(combine).sum(-1)[:, None]
    low, high = np.clip(estimates - half, -reach, reach), np.clip(estimates + half, -reach, reach)
    first, second = [*range(len(parts)), *(i for i, _ in pairs)], [*[None] * len(parts), *(j for _, j in pairs)]
    rows = []
    for k, (i, j) in enumerate(zip(first, second, strict=True)):
        for c, column in enumerate(parts[0].columns):
            scale, shift = parts[0].half_widths[c], parts[0].centres[c] if j is None else 0.0
            numbers = (float(shift + scale * x[k, c]) for x in (estimates, low, high))
            rows.append(MeanInterval(_label(parts[i]), None if j is None else _label(parts[j]), column, *numbers))
    ends = zip(parts[0].centres - parts[0].half_widths, parts[0].centres + parts[0].half_widths, strict=True)
    bounds = {name: (float(a), float(b)) for name, (a, b) in zip(parts[0].columns, ends, strict=True)}
    return MeanIntervals(tuple(rows), float(level), simultaneous, int(replicates), bounds)


def check_simulation(parts: Sequence[MomentsPart], level: Any, replicates: Any) -> None:
    """A level, enough replicates for it, and groups that have a covariance; else `InvalidInput` or `NotApplicable`."""
    if not isinstance(level, float | int) or not 0 < level < 1:
        raise InvalidInput(f"level must lie strictly between 0 and 1, not {level!r}")
    least = int(np.ceil(1.0 / (1.0 - level)))
    if isinstance(replicates, bool) or not isinstance(replicates, int | np.integer) or replicates < least:
        raise InvalidInput(f"level {level:g} needs a whole number of at least {least} replicates, not {replicates!r}")
    for part in parts:
        if part.n < 2:
            name = "the release" if part.label is None else f"group {part.label!r}"
            raise NotApplicable(f"{name} has {part.n} records; an interval needs at least 2")


def quantiles(draws: Floats, level: float) -> Floats:
    """The level-quantile over the first axis whose interval holds a further draw with at least that probability."""
    rank = min(draws.shape[0], int(np.ceil(level * (draws.shape[0] + 1) - 1e-9)))
    return np.asarray(np.partition(draws, rank - 1, axis=0)[rank - 1])


def _combinations(groups: int, pairs: list[tuple[int, int]]) -> Floats:
    """A row of coefficients for each mean and each difference."""
    rows = np.zeros((groups + len(pairs), groups))
    rows[:groups] = np.eye(groups)
    for k, (i, j) in enumerate(pairs, start=groups):
        rows[k, i], rows[k, j] = 1.0, -1.0
    return rows


def _standard_errors(parts: Sequence[MomentsPart], combine: Floats, covariances: Sequence[Floats]) -> Floats:
    """Of each combination and column: (..., combinations, d)."""
    variances = [
        np.maximum(np.diagonal(s, axis1=-2, axis2=-1), 0.0) / part.n + part.mean_noise.variance
        for part, s in zip(parts, covariances, strict=True)
    ]
    return np.asarray(np.sqrt(np.einsum("kg,g...d->...kd", combine**2, np.array(variances))))


def _ratios(parts: Sequence[MomentsPart], combine: Floats, replicates: int, rng: np.random.Generator) -> Floats:
    """|error|/standard error of each combination and column in simulated releases: (replicates, combinations, d)."""
    found = []
    for size in in_chunks(replicates, parts[0].mean.size):
        drawn = [simulated_releases(part, size, rng) for part in parts]
        errors = np.einsum("kg,gbd->bkd", combine, np.array([e for e, _ in drawn]))
        found.append(np.abs(errors) / _standard_errors(parts, combine, [s for _, s in drawn]))
    return np.concatenate(found)


def _label(part: MomentsPart) -> str | None:
    return None if part.label is None else str(part.label)
