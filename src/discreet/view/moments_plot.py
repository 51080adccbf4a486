"""The picture of released means: one line a column on a scale of its own, one dot a group, with the interval of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.display import painter
from discreet.errors import InvalidInput
from discreet.release.labels import shortened
from discreet.release.moments.means import MeanRelease
from discreet.release.moments.means_text import measured, noise_in_words
from discreet.release.moments.moments import MomentsRelease
from discreet.view.theme import FAINT, INK, PALETTE, RULE, SMALL, TEXT, key, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

MOST_LINES = 24  # columns one below the other
MOST_GROUPS = len(PALETTE)


@painter("plot", MeanRelease)
def means_plot(release: MeanRelease, *, level: float = 0.95) -> Figure:
    """Draw the means of up to 24 columns and 6 groups.

    Parameters
    ----------
    release : MeanRelease
    level : float
        The level of the whiskers; see `MeanRelease.interval`.

    Returns
    -------
    matplotlib.figure.Figure
        A line a column. With one group each line is the column's declared range; with more it is as wide as what is on it.

    Raises
    ------
    InvalidInput
        For more columns or groups than a picture can show.
    MissingExtra
        If matplotlib is not installed.
    """
    explanation = f"whiskers: {100 * level:g}% interval of each mean under the noise"
    return _draw(release, level, "noisy means", explanation, None)


@painter("plot", MomentsRelease)
def moments_plot(release: MomentsRelease, *, level: float = 0.95) -> Figure:
    """The same for means and covariances: a pale bar reaches one released standard deviation to either side of the mean."""
    explanation = f"whiskers: {100 * level:g}% interval of each mean under the noise  ·  pale: ± one standard deviation"
    if release.idealised:
        explanation += " (idealised)"
    deviations = release.standard_deviations.reshape(-1, len(release.column_names))
    return _draw(release.mean, level, "noisy means and deviations", explanation, deviations)


def _draw(release: MeanRelease, level: float, what: str, explanation: str, deviations: Floats | None) -> Figure:
    labels, names = release.labels, release.column_names
    if len(names) > MOST_LINES:
        raise InvalidInput(f"a picture shows the means of at most {MOST_LINES} columns, not {len(names)}")
    if labels is not None and len(labels) > MOST_GROUPS:
        raise InvalidInput(f"a picture shows the means of at most {MOST_GROUPS} groups, not {len(labels)}")
    groups = len(release.groups.names)
    values, halves = (np.reshape(x, (groups, -1)) for x in (release.values, release.half_width(level)))
    first = [str(release.guarantee or "no guarantee recorded"), f"n = {release.n}", noise_in_words(release)]
    line = 0.26 + 0.19 * groups + (0.0 if labels is not None else 0.1)  # inches
    height = 1.25 + line * len(names) + (0.3 if labels is not None else 0.0)
    listed = ", ".join(names)
    heading = shortened(listed, 24) if len(listed) <= 24 or len(names) == 1 else f"{len(names)} columns"
    heading += "" if labels is None else f" by {shortened(str(release.schema.fixed), 16)}"
    figure, axes = new_figure(f"{heading}: {what}", "  ·  ".join(first) + "\n" + explanation, height=height)
    # Every line is drawn on [0, 1], because each column has its own units; the ends are written below the line.
    reach = halves if deviations is None else np.maximum(halves, deviations)
    for i in range(len(names)):
        low, high = _range(release, i, values[:, i], reach[:, i])
        axes.plot([0, 1], [i + 0.32, i + 0.32], color=RULE, linewidth=0.8, clip_on=False)
        for x, end, side in ((0.0, low, "left"), (1.0, high, "right")):
            _text(axes, x, i + 0.34, measured(end, float(halves[:, i].min())), ha=side, va="top", color=FAINT)
        for g in range(groups):
            y = i + (g - (groups - 1) / 2) * 0.52 / max(groups, 2)
            x, half = (values[g, i] - low) / (high - low), halves[g, i] / (high - low)
            if deviations is not None:
                spread = deviations[g, i] / (high - low)
                axes.plot(
                    [x - spread, x + spread],
                    [y, y],
                    color=PALETTE[g],
                    alpha=0.28,
                    linewidth=6,
                    solid_capstyle="butt",
                )
            axes.errorbar(x, y, xerr=half, fmt="none", ecolor=INK, elinewidth=1.1, capsize=2.5, zorder=3)
            label = f"{shortened(labels[g], 16)} ({release.groups.sizes[g]})" if labels is not None and i == 0 else None
            axes.plot([x], [y], "o", color=PALETTE[g], markersize=5, zorder=4, label=label)
            text = f"{measured(values[g, i], halves[g, i])} ± {measured(halves[g, i], halves[g, i])}"
            _text(axes, 1.03, y, text, ha="left", va="center", color=INK)
    axes.set_yticks(range(len(names)), [shortened(name, 20) for name in names], parse_math=False, fontsize=TEXT)
    axes.set_xticks([])
    axes.set_xlim(-0.01, 1.36)
    axes.set_ylim(len(names) - 0.35, -0.5)
    if labels is not None:
        key(axes, columns=3)
    return figure


def _range(release: MeanRelease, column: int, values: Floats, reach: Floats) -> tuple[float, float]:
    """The ends of a line: the declared range for one group (and what lies outside of it), else what is drawn on it."""
    low, high = float((values - reach).min()), float((values + reach).max())
    if len(values) == 1:
        bounds = release.columns[column]
        return min(low, float(bounds.lower)), max(high, float(bounds.upper))
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _text(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    axes.text(x, y, text, fontsize=SMALL, parse_math=False, **style)
