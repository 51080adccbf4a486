"""The picture of the permutation testbed: where the private p-values of each statistic lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from discreet.view.grid import new_grid, panel_heading
from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, SMALL, common_key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {"chi2": "chi-squared", "lr": "likelihood ratio", "ll": "log-likelihood", "diff": "difference"}
LOOKS = {"input": (PALETTE[0], "o", "noise on the table"), "output": (PALETTE[1], "s", "noise on the statistic")}
_LOWEST = 1e-4
_ACROSS = 3


def testbed_plot(title: str, settings: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """One panel a table, the p-value (logarithmic) to the right.

    `rows` have table, n, statistic, perturb, without_noise, mean, low and high.
    """
    tables = list(dict.fromkeys(row["table"] for row in rows))
    statistics = list(dict.fromkeys(row["statistic"] for row in rows))
    columns = min(len(tables), _ACROSS)
    lines = -(-len(tables) // columns)
    figure, grid = new_grid(title, settings, lines, columns, width=2.0 + 2.4 * columns, height=1.4 + 2.1 * lines)
    panels = [axes for line in grid for axes in line]
    for axes, table in zip(panels, tables, strict=False):
        axes.axvline(0.05, color=EMPHASIS, linewidth=0.8, label=".05")
        some = [row for row in rows if row["table"] == table]
        for shift, (perturb, (colour, marker, label)) in zip((-0.16, 0.16), LOOKS.items(), strict=True):
            here = [row for row in some if row["perturb"] == perturb]
            places = [statistics.index(row["statistic"]) + shift for row in here]
            means, lows, highs = ([max(row[name], _LOWEST) for row in here] for name in ("mean", "low", "high"))
            axes.hlines(places, lows, highs, color=colour, linewidth=2.6, alpha=0.45)
            axes.plot(means, places, color=colour, marker=marker, markersize=4.6, linestyle="", label=label)
        plain = {row["statistic"]: max(row["without_noise"], _LOWEST) for row in some}
        axes.plot(
            [plain[name] for name in statistics],
            range(len(statistics)),
            color=INK,
            marker="|",
            markersize=14,
            linestyle="",
            label="without noise",
        )
        axes.set_xscale("log")
        axes.set_xlim(_LOWEST * 0.8, 1.3)
        axes.set_xticks([1e-4, 1e-3, 1e-2, 1e-1, 1], ["<= .0001", ".001", ".01", ".1", "1"])
        axes.minorticks_off()
        axes.set_yticks(range(len(statistics)), [NAMES.get(name, name) for name in statistics])
        axes.set_ylim(len(statistics) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        panel_heading(axes, table)
    for axes in panels[len(tables) :]:
        axes.remove()
    for axes in grid[-1]:
        axes.set_xlabel("p-value", fontsize=SMALL, color=FAINT)
    common_key(figure, panels[0], columns=4)
    return figure
