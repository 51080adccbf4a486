"""The picture of the power of bootstrap tests: rejection rates of each mechanism over the size of the difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from discreet.view.cost_plot import LOOKS
from discreet.view.grid import new_grid, panel_heading
from discreet.view.theme import FAINT, SMALL, common_key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HERE = {
    "no privacy": (FAINT, "-", "no privacy"),
    **{name: LOOKS[name] for name in ("gaussian", "rank-deficient", "JS", "rJS")},
    "rJSz": (*LOOKS["rJSz"][:2], "rank-deficient JS (basis-free, positive part)"),
    **{name: LOOKS[name] for name in ("laplace", "laplace-l1")},
}


def bootstrap_plot(title: str, settings: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """One row of panels a test, one panel a mu; `rows` have test, mu, eta, method, power and error."""
    tests, mus = (list(dict.fromkeys(row[name] for row in rows)) for name in ("test", "mu"))
    figure, grid = new_grid(
        title,
        settings,
        len(tests),
        len(mus),
        width=1.4 + 2.5 * len(mus),
        height=1.6 + 2.4 * len(tests),
        key_rows=2,
        sharex=False,
    )
    for line, test in zip(grid, tests, strict=True):
        for axes, mu in zip(line, mus, strict=True):
            axes.axhline(0.05, color=FAINT, linewidth=0.8, linestyle=":")
            for method, (colour, style, label) in _HERE.items():
                some = [row for row in rows if (row["test"], row["mu"], row["method"]) == (test, mu, method)]
                axes.errorbar(
                    [row["eta"] for row in some],
                    [row["power"] for row in some],
                    yerr=[row["error"] for row in some],
                    color=colour,
                    linestyle=style,
                    linewidth=1.5,
                    elinewidth=0.8,
                    label=label,
                )
            axes.set_ylim(0, 1.02)
            axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", ".5", "", "1"])
            places = sorted({row["eta"] for row in rows if (row["test"], row["mu"]) == (test, mu)})[::2]
            axes.set_xticks(places, [f"{eta:g}".removeprefix("0") or "0" for eta in places])
            panel_heading(axes, f"{test}, mu = {mu:g}")
    for axes in grid[-1]:
        axes.set_xlabel("eta", fontsize=SMALL, color=FAINT)
    for line in grid:
        line[0].set_ylabel("rejection rate", fontsize=SMALL, color=FAINT)
    common_key(figure, grid[0][0], columns=4)
    return figure
