"""Figures of several panels in rows and columns, below one heading, with one key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.view.theme import INK, RULE, SMALL, new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def new_grid(
    heading: str,
    explanation: str,
    rows: int,
    columns: int,
    *,
    width: float,
    height: float,
    key_rows: int = 1,
    sharex: Any = True,
    sharey: Any = True,
) -> tuple[Figure, list[list[Axes]]]:
    """An empty figure of `rows` times `columns` panels; `sharex` and `sharey` are matplotlib's."""
    figure, (first,) = new_panels(heading, explanation, 1, width=width, height=height, key_rows=key_rows)
    first.remove()
    grid = figure.subplots(rows, columns, squeeze=False, sharex=sharex, sharey=sharey)
    for axes in grid.flat:
        for side in ("top", "right", "left", "bottom"):
            axes.spines[side].set_visible(False)
        axes.tick_params(length=0, labelsize=SMALL, labelcolor=INK)
        axes.grid(color=RULE, linewidth=0.6)
        axes.set_axisbelow(True)
    return figure, [list(row) for row in grid]


def panel_heading(axes: Axes, text: str) -> None:
    """What the panel shows, flush left above it."""
    axes.set_title(text, fontsize=SMALL, color=INK, loc="left", linespacing=1.3)
