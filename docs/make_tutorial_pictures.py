"""Draws the pictures of docs/start.md and the tutorials into docs/pictures: python docs/make_tutorial_pictures.py [FOLDER]"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet import PureDP, independence, lab
from discreet.noise import Laplace
from discreet.release import TableRelease
from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, SMALL, TEXT, key, new_figure, new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 100
BLUE, ORANGE = PALETTE[:2]


def epsilon() -> Figure:
    """The law of one released count in two worlds that differ in one record, for a small and a large epsilon."""
    figure, panels = new_panels(
        "One released count, in two worlds that differ in your record",
        "Laplace noise of scale 2/epsilon. Nowhere is one curve more than e^(epsilon/2) times as high as the other;\n"
        "your record moves two counts of a table, and for both together the factor is e^epsilon.",
        2,
        width=7.6,
        height=3.3,
    )
    x = np.linspace(478, 551, 2000)
    for axes, level in zip(panels, (0.5, 4.0), strict=True):
        b = 2 / level
        for centre, colour, says in (
            (515, BLUE, "your record is in this cell"),
            (514, ORANGE, "your record is in another"),
        ):
            axes.plot(x, b * 0.5 * np.exp(-np.abs(x - centre) / b) / b, color=colour, lw=1.8, label=says)
        axes.set_xlim(514.5 - 6 * min(b, 4), 514.5 + 6 * min(b, 4))
        axes.set_yticks([])
        axes.set_xlabel(f"released count, epsilon = {level:g}", fontsize=TEXT, color=INK)
        axes.axhline(0, color=RULE, lw=1, zorder=0)
    key(panels[0], columns=2)
    return figure


def adjacency() -> Figure:
    """Two sets of records that differ in one, and their tables, which differ by one in two cells."""
    figure, axes = new_figure(
        "Neighbours: one record is replaced by any other",
        "Both sets have 1,841 records. One count of the table falls by one, and another rises by one.",
        height=2.9,
    )
    axes.set_xlim(0, 12)
    axes.set_ylim(0, 5.2)
    axes.set_xticks([])
    axes.set_yticks([])
    ours = [("yes", "lt140"), ("no", "ge140"), ("yes", "ge140"), ("no", "lt140")]
    theirs = [*ours[:2], ("no", "lt140"), *ours[3:]]
    for left, records, counts in ((0.0, ours, ((515, 446), (539, 341))), (6.2, theirs, ((516, 446), (539, 340)))):
        _write(axes, left, 5.0, 1.2, [("smoking", "systolic"), *records, ("...", "...")], {(3, 0), (3, 1)})
        axes.annotate("", (left + 2.85, 2.6), (left + 2.5, 2.6), arrowprops={"arrowstyle": "->", "color": FAINT})
        rows = [
            ("", "lt140", "ge140"),
            *((name, *map(str, row)) for name, row in zip(("no", "yes"), counts, strict=True)),
        ]
        _write(axes, left + 2.9, 3.8, 0.95, rows, {(1, 1), (2, 2)})
    return figure


def _write(
    axes: Axes, left: float, top: float, width: float, rows: list[tuple[str, ...]], marked: set[tuple[int, int]]
) -> None:
    """A small table of text, some cells of which are marked."""
    height = 0.8
    for i, row in enumerate(rows):
        axes.plot([left, left + width * len(row)], [top - (i + 1) * height] * 2, color=RULE, lw=1)
        for j, text in enumerate(row):
            colour, weight = (EMPHASIS, "bold") if (i, j) in marked else (INK if i else FAINT, "normal")
            x, y = left + (j + 0.5) * width, top - (i + 0.5) * height
            axes.text(x, y, text, ha="center", va="center", fontsize=SMALL, color=colour, weight=weight)


def budget() -> Figure:
    """A budget of epsilon = 2 with three charges, and a request that no longer fits."""
    figure, axes = new_figure(
        "A budget of epsilon = 2",
        "Each release is charged before a record is read. What does not fit is refused, and costs nothing.",
        height=2.1,
    )
    spent = 0.0
    for cost, text in ((0.5, "smoking x\nsystolic"), (1.0, "all six\ncolumns"), (0.25, "family\nhistory")):
        axes.barh(1, cost, left=spent, height=0.6, color=BLUE, edgecolor="white", lw=2)
        axes.text(spent + cost / 2, 1, text, ha="center", va="center", color="white", fontsize=SMALL)
        spent += cost
    axes.barh(1, 2 - spent, left=spent, height=0.6, color=RULE, edgecolor="white", lw=2)
    axes.text((2 + spent) / 2, 1, "left:\n0.25", ha="center", va="center", color=INK, fontsize=SMALL)
    axes.barh(0, 0.5, left=spent, height=0.6, facecolor="white", edgecolor=EMPHASIS, lw=1.5, ls="--")
    axes.text(spent + 0.25, 0, "asked for: 0.5", ha="center", va="center", color=EMPHASIS, fontsize=SMALL)
    axes.axvline(2, color=INK, lw=1)
    axes.set_xlim(0, 2.35)
    axes.set_ylim(-0.5, 1.5)
    axes.set_yticks([])
    axes.set_xticks([0, 0.5, 1, 1.5, 2])
    axes.set_xlabel("epsilon", fontsize=TEXT, color=INK)
    return figure


def noisy_null() -> Figure:
    """The null law of the statistic with the noise, and without."""
    noisy = [[481.1, 442.2], [553.9, 359.6]]  # drawn once, at epsilon = 0.1
    columns = {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}
    return independence(TableRelease.from_counts(noisy, columns, noise=Laplace(20), n=1841)).plot()


def reliability() -> Figure:
    """The study of the methodologist's tutorial."""
    design = lab.independence_design([0.52, 0.48], [0.57, 0.43], 1841)
    return lab.reliability(design, PureDP(0.1), repetitions=10_000).plot()


PICTURES = {
    "start_epsilon": epsilon,
    "start_adjacency": adjacency,
    "start_budget": budget,
    "tutorial_null": noisy_null,
    "tutorial_reliability": reliability,
}


def main(folder: Path) -> None:
    """Write every picture."""
    for name, draw in PICTURES.items():
        draw().savefig(folder / f"{name}.png", dpi=DOTS_PER_INCH)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
