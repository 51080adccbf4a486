"""The picture of a noisy table: bars with the interval of each count, or a heat map where bars would be too many."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discreet.display import painter
from discreet.errors import InvalidInput
from discreet.release.labels import shortened
from discreet.release.tables.table import TableRelease
from discreet.release.text import law_in_words, number, size_in_words
from discreet.view.theme import FAINT, INK, PALETTE, RULE, SMALL, TEXT, key, new_figure, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_BARS = 24  # side by side on six inches
MOST_CELLS = 40  # rows or columns of a heat map
GAP = 0.6  # between groups, in bars
INNER_WIDTH = 5.6  # inches between the margins of the figure


@painter("plot", TableRelease)
def table_plot(release: TableRelease, *, level: float = 0.95) -> Figure:
    """Draw a one-way or two-way table.

    Parameters
    ----------
    release : TableRelease
        With one or two axes.
    level : float
        The level of the whiskers; see `TableRelease.interval`.

    Returns
    -------
    matplotlib.figure.Figure
        One axis: a bar a category. Two: groups of bars, one group a row of the table; a heat map where these would be
        more than 24 bars or 6 in a group. Whiskers are the intervals of the counts under the noise.

    Raises
    ------
    InvalidInput
        For a table of three or more axes, or of more than 40 categories along one.
    MissingExtra
        If matplotlib is not installed.
    """
    if len(release.shape) > 2:
        pair = list(release.column_names[:2])
        raise InvalidInput(
            f"a picture shows one or two variables, this table has {', '.join(release.column_names)}; "
            f"plot a margin, e.g. .margin({pair!r}).plot()"
        )
    if max(release.shape) > MOST_CELLS:
        raise InvalidInput(f"a picture shows at most {MOST_CELLS} categories of a variable, not {max(release.shape)}")
    if len(release.shape) == 1:
        return _one_way(release, level)
    rows, columns = release.shape
    if columns > len(PALETTE) or rows * columns > MOST_BARS:
        return _heat_map(release, level)
    return _grouped(release, level)


def _explanation(release: TableRelease, level: float, whiskers: str) -> str:
    first = [str(release.guarantee or "no guarantee recorded"), size_in_words(release), law_in_words(release)]
    second = [f"{whiskers} {100 * level:g}% interval of each count under the noise"]
    if isinstance(release.other, float):
        second.append(f"other (strays) {number(release.other, release.sd)}")
    elif release.other is not None:
        second.append(f"strays of each {shortened(str(release.schema.fixed), 16)} not shown")
    return "  ·  ".join(first) + "\n" + "  ·  ".join(second)


def _heading(release: TableRelease) -> str:
    return shortened(" by ".join(release.column_names), 56) + ": noisy counts"


def _one_way(release: TableRelease, level: float) -> Figure:
    """Horizontal bars, so that the categories are read without turning the head."""
    (labels,), counts, half = release.labels, release.counts.tolist(), release.half_width(level)
    height = max(2.6, 1.3 + 0.32 * len(labels))
    figure, axes = new_figure(_heading(release), _explanation(release, level, "whiskers:"), height=height)
    places = np.arange(len(labels))
    axes.barh(places, counts, height=0.7, color=PALETTE[0])
    axes.errorbar(counts, places, xerr=half, fmt="none", ecolor=INK, elinewidth=1.1, capsize=3)
    for place, count in zip(places.tolist(), counts, strict=True):
        side = -1 if count < 0 else 1
        axes.annotate(
            number(count, release.sd),
            (count + side * half, place),
            (5 * side, 0),
            textcoords="offset points",
            ha="right" if count < 0 else "left",
            va="center",
            fontsize=SMALL,
            color=INK,
        )
    axes.set_yticks(places, [shortened(label, 32) for label in labels], parse_math=False)
    axes.set_xticks([])
    axes.invert_yaxis()
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.margins(x=0.14)
    return figure


def _grouped(release: TableRelease, level: float) -> Figure:
    """One group a row of the table, one colour a column, named under its bars if there is room, else in a key."""
    rows, columns = release.labels
    half, slot = release.half_width(level), INNER_WIDTH / (len(rows) * (len(columns) + GAP))
    named = max(text_width(shortened(label), SMALL) for label in columns) < 0.95 * slot
    numbered = max(text_width(number(x, release.sd), SMALL) for x in release.counts.ravel().tolist()) < 1.05 * slot
    figure, axes = new_figure(_heading(release), _explanation(release, level, "whiskers:"))
    centres = np.arange(len(rows)) * (len(columns) + GAP)
    for j, label in enumerate(columns):
        places, counts = centres + j - (len(columns) - 1) / 2, release.counts[:, j]
        axes.bar(places, counts, width=0.94, color=PALETTE[j], label=shortened(label))
        axes.errorbar(places, counts, yerr=half, fmt="none", ecolor=INK, elinewidth=1.1, capsize=3)
        for place, count in zip(places.tolist(), counts.tolist(), strict=True):
            if numbered:
                _beyond(axes, place, count, half, number(count, release.sd))
            if named:
                _under(axes, place, shortened(label))
    longest = max(6, int(INNER_WIDTH / len(rows) / text_width("x")))
    axes.set_xticks(centres, [shortened(row, longest) for row in rows], parse_math=False)
    axes.tick_params(axis="x", pad=19 if named else 6)
    first, second = (shortened(name, 32) for name in release.column_names)
    _name(axes.set_xlabel, f"{second} within {first}" if named else first)
    if not named:
        room = max(text_width(shortened(label), SMALL) for label in columns) + 0.55
        key(axes, title=second, columns=min(len(columns), int(INNER_WIDTH / room)))
    if numbered:
        axes.set_yticks([])
    else:
        axes.grid(axis="y", color=RULE, linewidth=0.8)
        axes.set_axisbelow(True)
    axes.axhline(0, color=INK, linewidth=0.8, clip_on=False)
    axes.margins(x=0.02, y=0.1)
    return figure


def _beyond(axes: Axes, place: float, count: float, half: float, text: str) -> None:
    """A number just beyond the outer end of its whisker."""
    side = -1 if count < 0 else 1
    axes.annotate(
        text,
        (place, count + side * half),
        (0, 3 * side),
        textcoords="offset points",
        ha="center",
        va="top" if count < 0 else "bottom",
        fontsize=SMALL,
        color=INK,
    )


def _under(axes: Axes, place: float, text: str) -> None:
    """A bar's name below the axes, above the name of its group."""
    axes.annotate(
        text,
        (place, 0),
        (0, -5),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=SMALL,
        color=FAINT,
        parse_math=False,
    )


def _name(setter: Callable[..., object], text: str) -> None:
    setter(text, fontsize=TEXT, color=FAINT, parse_math=False)


def _heat_map(release: TableRelease, level: float) -> Figure:
    """Counts as shades of one hue, printed where there is room, with a colour scale where there is not."""
    rows, columns = release.labels
    half, room = number(release.half_width(level), release.sd), (INNER_WIDTH - 1.0) / len(columns)
    height = max(3.2, 1.9 + 0.24 * len(rows))
    figure, axes = new_figure(_heading(release), _explanation(release, level, f"each ± {half}:"), height=height)
    low, high = min(0.0, float(release.counts.min())), float(release.counts.max())
    shades = axes.pcolormesh(release.counts, cmap="Blues", vmin=low, vmax=high, edgecolors="white", linewidth=1.0)
    texts = [[number(x, release.sd) for x in line] for line in release.counts.tolist()]
    if max(text_width(text, SMALL) for line in texts for text in line) < room:
        for (i, j), count in np.ndenumerate(release.counts):
            colour = "white" if count > low + 0.55 * (high - low) else INK
            axes.text(j + 0.5, i + 0.5, texts[i][j], ha="center", va="center", fontsize=SMALL, color=colour)
    else:
        scale = figure.colorbar(shades, ax=axes, aspect=40, pad=0.02)
        scale.outline.set_visible(False)
        scale.ax.tick_params(length=0, labelsize=SMALL, labelcolor=FAINT)
    turned = max(text_width(shortened(label, 16)) for label in columns) > room
    axes.set_xticks(np.arange(len(columns)) + 0.5, [shortened(label, 16) for label in columns], parse_math=False)
    axes.tick_params(axis="x", rotation=90 if turned else 0)
    axes.set_yticks(np.arange(len(rows)) + 0.5, [shortened(label) for label in rows], parse_math=False)
    _name(axes.set_ylabel, shortened(release.column_names[0], 40))
    _name(axes.set_xlabel, shortened(release.column_names[1], 56))
    axes.invert_yaxis()
    return figure
