"""The picture of what each mechanism for tables costs, over mu, at several settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from discreet.view.cost_plot import LOOKS
from discreet.view.grid import new_grid, panel_heading
from discreet.view.theme import FAINT, SMALL, common_key

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def loss_plot(title: str, settings: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """One panel a setting; `rows` have theta, p, n, mu, mechanism and relative (to plain Gaussian noise)."""
    panels = list(dict.fromkeys((row["p"], row["n"], row["theta"]) for row in rows))
    figure, grid = new_grid(title, settings, 1, len(panels), width=1.2 + 2.2 * len(panels), height=4.4, key_rows=2)
    for axes, (p, n, theta) in zip(grid[0], panels, strict=True):
        some = [row for row in rows if (row["p"], row["n"], row["theta"]) == (p, n, theta)]
        for mechanism, (colour, line, label) in LOOKS.items():
            curve = [row for row in some if row["mechanism"] == mechanism and not math.isnan(row["relative"])]
            axes.plot(
                [row["mu"] for row in curve],
                [row["relative"] for row in curve],
                color=colour,
                linestyle=line,
                linewidth=1.6,
                label=label,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
        axes.set_yticks([0.05, 0.1, 0.2, 0.5, 1, 2, 5], ["0.05", "0.1", "0.2", "0.5", "1", "2", "5"])
        axes.minorticks_off()
        panel_heading(axes, f"{p} cells, n = {n:,}\n{theta}")
        axes.set_xlabel("mu (smaller: more private)", fontsize=SMALL, color=FAINT)
    grid[0][0].set_ylabel("squared error, Gaussian = 1", fontsize=SMALL, color=FAINT)
    common_key(figure, grid[0][0], columns=4)
    return figure
