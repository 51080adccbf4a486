"""The picture of a histogram's risk: mean squared error over the number of cells, with and without privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, SMALL, TEXT, key, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from matplotlib.figure import Figure


class RiskStudy(Protocol):
    """What is drawn: columns density, n, epsilon, bins, ordinary, private."""

    @property
    def title(self) -> str: ...
    @property
    def settings(self) -> str: ...
    @property
    def frame(self) -> Mapping[str, Sequence[Any]]: ...


def risk_plot(study: RiskStudy) -> Figure:
    """One panel a density and number of records, one curve an epsilon, both axes logarithmic."""
    frame = study.frame
    densities, sizes = list(dict.fromkeys(frame["density"])), list(dict.fromkeys(frame["n"]))
    epsilons = list(dict.fromkeys(frame["epsilon"]))
    colours = dict(zip(epsilons, (PALETTE[0], EMPHASIS, *PALETTE[1:]), strict=False))
    figure, first = new_figure(study.title, study.settings, height=5.6)
    first.remove()
    grid = figure.subplots(len(sizes), len(densities), sharex=True, sharey="row", squeeze=False)
    rows = list(zip(*(frame[name] for name in ("density", "n", "epsilon", "bins", "ordinary", "private")), strict=True))
    for i, n in enumerate(sizes):
        for j, density in enumerate(densities):
            axes = grid[i][j]
            here = [row for row in rows if row[0] == density and row[1] == n]
            for epsilon in epsilons:
                curve = [(m, private) for _, _, e, m, _, private in here if e == epsilon]
                axes.plot(
                    *zip(*curve, strict=True), color=colours[epsilon], linewidth=1.5, label=f"epsilon {epsilon:g}"
                )
                low = min(curve, key=lambda point: point[1])
                axes.plot(*low, marker="o", markersize=4, color=colours[epsilon])
            plain = [(m, ordinary) for _, _, e, m, ordinary, _ in here if e == epsilons[0]]
            axes.plot(*zip(*plain, strict=True), color=INK, linewidth=1.2, label="not private")
            axes.plot(*min(plain, key=lambda point: point[1]), marker="o", markersize=4, color=INK)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
            axes.minorticks_off()
            axes.margins(y=0.14)
            for side in ("top", "right", "left", "bottom"):
                axes.spines[side].set_visible(False)
            axes.tick_params(length=0, labelsize=SMALL, labelcolor=INK)
            axes.grid(color=RULE, linewidth=0.8)
            axes.annotate(
                f"{density}, n = {n:,}",
                (0.5, 0.96),
                xycoords="axes fraction",
                ha="center",
                va="top",
                fontsize=SMALL,
                color=INK,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0},
            )
            if i == len(sizes) - 1:
                axes.set_xlabel("cells (dot: fewest errors)", fontsize=TEXT, color=FAINT)
            if j == 0:
                axes.set_ylabel("squared error", fontsize=TEXT, color=FAINT)
    grid[0][-1].set_title(" ", fontsize=TEXT)  # room for the key, which must not widen the first panel
    key(grid[0][0])
    legend = grid[0][0].get_legend()
    assert legend is not None
    legend.set_in_layout(False)
    return figure
