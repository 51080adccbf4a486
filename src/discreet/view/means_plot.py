"""The picture of intervals of means: one row a column and group, each on its column's own declared bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.display import painter
from discreet.errors import InvalidInput
from discreet.inference.mean_intervals import MeanInterval, MeanIntervals
from discreet.release.labels import shortened
from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, SMALL, TEXT, key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = (*PALETTE[:4], EMPHASIS, PALETTE[4])
_MOST_ROWS = 60


@painter("plot", MeanIntervals)
def means_plot(intervals: MeanIntervals, *, differences: bool = False) -> Figure:
    """Draw intervals of means, or of differences of means.

    Parameters
    ----------
    intervals : MeanIntervals
    differences : bool
        Draw the differences instead of the means.

    Returns
    -------
    matplotlib.figure.Figure
        Columns have units of their own, so the horizontal place is a share of the column's declared bounds (of their length,
        for a difference); the numbers at the right are in the units.

    Raises
    ------
    InvalidInput
        Where there are no differences, more than six groups (pairs) or more than 60 rows.
    MissingExtra
        If matplotlib is not installed.
    """
    rows = intervals.differences if differences else intervals.means
    if not rows:
        raise InvalidInput("there are no differences: the release has one group, or differences=False was asked for")
    kinds = list(dict.fromkeys((row.group, row.versus) for row in rows))
    columns = list(dict.fromkeys(row.column for row in rows))
    if len(kinds) > len(_COLOURS) or len(rows) > _MOST_ROWS:
        raise InvalidInput(
            f"a picture holds up to {len(_COLOURS)} groups or pairs and {_MOST_ROWS} rows, not {len(kinds)} and "
            f"{len(rows)}: choose some with groups="
        )
    slot = len(kinds) + 0.6
    figure, axes = new_figure(
        "Differences of means" if differences else "Means",
        f"{intervals.heading}; places: share of {'the length of ' * differences}each column's declared bounds\n"
        f"{intervals.replicates:,} simulated releases",
        height=1.9 + 0.21 * slot * len(columns),
    )
    for colour, kind in zip(_COLOURS, kinds, strict=False):
        some = [row for row in rows if (row.group, row.versus) == kind]
        places = [columns.index(row.column) * slot + kinds.index(kind) for row in some]
        shares = np.array([_shares(row, intervals) for row in some])
        lengths = np.array([shares[:, 0] - shares[:, 1], shares[:, 2] - shares[:, 0]])
        axes.errorbar(
            shares[:, 0], places, xerr=lengths, fmt="o", color=colour, markersize=4.5, elinewidth=1.6, label=_name(kind)
        )
        for place, row in zip(places, some, strict=True):
            axes.annotate(
                f"{row.estimate:.4g}  [{row.low:.4g}, {row.high:.4g}]",
                (1.02, place),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize=SMALL,
                color=INK,
                annotation_clip=False,
            )
    middle = (len(kinds) - 1) / 2
    names = [shortened(column) for column in columns]
    axes.set_yticks([c * slot + middle for c in range(len(columns))], names, parse_math=False)
    axes.invert_yaxis()
    axes.grid(axis="x", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    if differences:
        axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.4g}%")
    axes.set_xlabel("share of the declared bounds", fontsize=TEXT, color=FAINT)
    if kinds != [(None, None)]:
        key(axes, columns=2 if differences else 3)
    return figure


def _shares(row: MeanInterval, intervals: MeanIntervals) -> tuple[float, float, float]:
    lower, upper = intervals.bounds[row.column]
    start = lower if row.versus is None else 0.0
    estimate, low, high = ((x - start) / (upper - lower) for x in (row.estimate, row.low, row.high))
    return min(max(estimate, low), high), low, high  # a noisy mean beyond the bounds is drawn at the interval's end


def _name(kind: tuple[str | None, str | None]) -> str:
    group, versus = kind
    if group is None:
        return "all records"
    return shortened(group) if versus is None else f"{shortened(group, 16)} - {shortened(versus, 16)}"
