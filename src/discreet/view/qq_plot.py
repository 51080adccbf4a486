"""The picture of reliability: the share of p-values at or below q, over q, where the null holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from discreet.view.grid import new_grid, panel_heading
from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, SMALL, common_key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOOKS = {
    "chi2": (PALETTE[0], "-", "o", "chi-squared"),
    "lr": (PALETTE[4], "--", "", "likelihood ratio"),
    "chi2, naive": (EMPHASIS, "-", "s", "chi-squared, noise ignored"),
    "lr, naive": (PALETTE[1], "--", "", "likelihood ratio, noise ignored"),
}
_BAND = 1.358  # 95 % of uniform samples of size m stay within 1.358/sqrt(m) of the line (Kolmogorov)
_MARK_EVERY = 8


def qq_plot(title: str, settings: str, rows: Sequence[Mapping[str, Any]], tables: int) -> Figure:
    """One panel a setting.

    Parameters
    ----------
    title, settings : str
        The heading, and what was simulated.
    rows : sequence of mappings
        With setting, method, share, pvalue (the quantile of that share) and level_05.
    tables : int
        How many p-values are behind each curve, for the band around the line.
    """
    settings_of_panels = list(dict.fromkeys(row["setting"] for row in rows))
    columns = min(len(settings_of_panels), 4)
    lines = math.ceil(len(settings_of_panels) / columns)
    figure, grid = new_grid(title, settings, lines, columns, width=1.0 + 2.1 * columns, height=1.1 + 2.8 * lines)
    panels = [axes for line in grid for axes in line]
    half = _BAND / math.sqrt(tables)
    for axes, setting in zip(panels, settings_of_panels, strict=False):
        axes.fill_between([0, 1], [-half, 1 - half], [half, 1 + half], color=RULE, linewidth=0)
        axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8)
        levels = {}
        for method, (colour, line, marker, label) in LOOKS.items():
            some = [row for row in rows if row["setting"] == setting and row["method"] == method]
            levels[method] = some[0]["level_05"]
            axes.plot(
                [row["pvalue"] for row in some],
                [row["share"] for row in some],
                color=colour,
                linestyle=line,
                linewidth=1.5,
                marker=marker,
                markersize=3.2,
                markevery=_MARK_EVERY,
                label=label,
            )
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_aspect("equal")
        ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
        axes.set_xticks(ticks, ["0", "", ".5", "", "1"])
        axes.set_yticks(ticks, ["0", "", ".5", "", "1"])
        panel_heading(axes, setting)
        axes.text(
            0.97,
            0.04,
            f"p <= .05: {levels['chi2']:.1%}\nignored: {levels['chi2, naive']:.1%}",
            ha="right",
            va="bottom",
            fontsize=SMALL,
            color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5},
        )
    for axes in panels[len(settings_of_panels) :]:
        axes.remove()
    for axes in grid[-1]:
        axes.set_xlabel("q, p-value", fontsize=SMALL, color=FAINT)
    for line_of_panels in grid:
        line_of_panels[0].set_ylabel("share of p-values below q", fontsize=SMALL, color=FAINT)
    common_key(figure, panels[0], columns=len(LOOKS))
    return figure
