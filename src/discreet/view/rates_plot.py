"""The picture of distances over the number of records, with the slopes that theory speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from discreet.view.grid import new_grid, panel_heading
from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, SMALL, common_key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOOKS = {
    "no privacy": (INK, "-", "o"),
    "perturbed histogram": (PALETTE[0], "-", "s"),
    "exponential mechanism": (PALETTE[2], "-", "D"),
    "smoothed histogram": (EMPHASIS, "-", "^"),
}
SLOPES = {"-1/2": (-0.5, 0), "-1/3": (-1 / 3, -3), "-2/7": (-2 / 7, 3)}
"""By name: the power of n, and how many points above the end of its line the name stands."""
_HIGH = 0.8


def rates_plot(title: str, settings: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """One panel a density (across) and epsilon (down); `rows` have density, epsilon, method, n, distance and error."""
    densities, epsilons = (list(dict.fromkeys(row[name] for row in rows)) for name in ("density", "epsilon"))
    figure, grid = new_grid(
        title,
        settings,
        len(epsilons),
        len(densities),
        width=1.8 + 3.0 * len(densities),
        height=1.3 + 2.5 * len(epsilons),
    )
    sizes = sorted({row["n"] for row in rows})
    for line, epsilon in zip(grid, epsilons, strict=True):
        for axes, density in zip(line, densities, strict=True):
            for method, (colour, style, marker) in LOOKS.items():
                some = [r for r in rows if (r["density"], r["epsilon"], r["method"]) == (density, epsilon, method)]
                axes.errorbar(
                    [row["n"] for row in some],
                    [row["distance"] for row in some],
                    yerr=[2 * row["error"] for row in some],
                    color=colour,
                    linestyle=style,
                    linewidth=1.6,
                    marker=marker,
                    markersize=4,
                    elinewidth=0.9,
                    label=method,
                )
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_ylim(0.006, 1.1)
            axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
            axes.set_yticks([0.01, 0.02, 0.05, 0.1, 0.2, 0.5], [".01", ".02", ".05", ".1", ".2", ".5"])
            axes.minorticks_off()
            panel_heading(axes, f"{density}, epsilon = {epsilon:g}")
    _slopes(grid[0][0], sizes[0], sizes[-2])
    for axes in grid[-1]:
        axes.set_xlabel("n, records", fontsize=SMALL, color=FAINT)
    for line in grid:
        line[0].set_ylabel("KS distance", fontsize=SMALL, color=FAINT)
    common_key(figure, grid[0][0], columns=len(LOOKS))
    return figure


def _slopes(axes: Any, first: float, last: float) -> None:
    """Dotted lines from one point, n to the power that is written at their ends."""
    for name, (power, above) in SLOPES.items():
        end = _HIGH * (last / first) ** power
        axes.plot([first, last], [_HIGH, end], color=FAINT, linewidth=0.8, linestyle=":")
        axes.annotate(
            f"n^({name})",
            (last, end),
            xytext=(3, above),
            textcoords="offset points",
            va="center",
            fontsize=6.5,
            color=FAINT,
        )
