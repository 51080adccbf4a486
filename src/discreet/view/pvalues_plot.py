"""The picture of private p-values over epsilon: their mean, where most of them lie, and the p-value without noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from discreet.view.grid import new_grid, panel_heading
from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, SMALL, common_key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOOKS = {"chi2": (PALETTE[0], "-", "chi-squared"), "lr": (PALETTE[1], "--", "likelihood ratio")}
LOWEST = 1e-4
_ACROSS = 3


def pvalues_plot(title: str, settings: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """One panel a table, both axes logarithmic.

    Parameters
    ----------
    title, settings : str
        The heading, and what was simulated.
    rows : sequence of mappings
        With test, table, n, epsilon, statistic, without_noise, mean, low and high. What is below 1e-4 is drawn at 1e-4.
    """
    tables = list(dict.fromkeys((row["test"], row["table"]) for row in rows))
    columns = min(len(tables), _ACROSS)
    lines = -(-len(tables) // columns)
    figure, grid = new_grid(title, settings, lines, columns, width=1.4 + 2.4 * columns, height=1.3 + 2.35 * lines)
    panels = [axes for line in grid for axes in line]
    for axes, (test, table) in zip(panels, tables, strict=False):
        some = [row for row in rows if (row["test"], row["table"]) == (test, table)]
        for statistic, (colour, line, label) in LOOKS.items():
            curve = [row for row in some if row["statistic"] == statistic]
            epsilons = [row["epsilon"] for row in curve]
            if statistic == "chi2":
                axes.fill_between(
                    epsilons,
                    [max(row["low"], LOWEST) for row in curve],
                    [max(row["high"], LOWEST) for row in curve],
                    color=colour,
                    alpha=0.16,
                    linewidth=0,
                    label="middle 80 %",
                )
            axes.plot(
                epsilons,
                [max(row["mean"], LOWEST) for row in curve],
                color=colour,
                linestyle=line,
                linewidth=1.6,
                marker="o",
                markersize=3.2,
                label=label,
            )
        plain = some[0]["without_noise"]
        axes.axhline(max(plain, LOWEST), color=INK, linewidth=1.1, linestyle=":", label="without noise")
        axes.axhline(0.05, color=EMPHASIS, linewidth=0.8, label=".05")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(LOWEST * 0.8, 1.4)
        axes.set_xticks(epsilons, [_short(epsilon) for epsilon in epsilons])
        axes.set_yticks([1e-4, 1e-3, 1e-2, 1e-1, 1], ["<= .0001", ".001", ".01", ".1", "1"])
        axes.minorticks_off()
        panel_heading(axes, f"{test}, n = {some[0]['n']:,}\n{table}: p {_compared(plain)}")
    for axes in panels[len(tables) :]:
        axes.remove()
    for axes in grid[-1]:
        axes.set_xlabel("epsilon (smaller: more private)", fontsize=SMALL, color=FAINT)
    for row_of_panels in grid:
        row_of_panels[0].set_ylabel("p-value", fontsize=SMALL, color=FAINT)
    common_key(figure, panels[0], columns=5)
    return figure


def _short(x: float) -> str:
    """Two digits, without a zero before the point.

    >>> [_short(x) for x in (0.683, 0.0019, 1.64e-7, 1e-6, 1.0)]
    ['.68', '.0019', '1.6e-7', '1e-6', '1']
    """
    return f"{x:.2g}".removeprefix("0").replace("e-0", "e-")


def _compared(p: float) -> str:
    return f"= {_short(p)}" if p >= 1e-300 else "< 1e-300"
