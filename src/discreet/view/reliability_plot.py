"""The picture of a reliability study: the share of p-values at or below each value, against the diagonal that it should be.

Left the whole range, right the lower tail on logarithmic axes. A curve above the diagonal means too many small p-values.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, SMALL, TEXT, common_key, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

BAND = 0.95
SHOWN = 25  # points of a curve in the whole range: every 400th of 10,000, as in the source's figures
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_TEXT_WIDTH = 118  # characters of small text in one line of the picture


class Reliability(Protocol):
    """What is drawn: p-values by method (NaN: the method did not apply, which is no rejection)."""

    @property
    def title(self) -> str: ...
    @property
    def settings(self) -> str: ...
    @property
    def pvalues(self) -> Mapping[str, Floats]: ...
    @property
    def repetitions(self) -> int: ...


def reliability_plot(study: Reliability) -> Figure:
    """Draw the shares of p-values of every method, whole and in the tail, with a pointwise 95 % band about the diagonal.

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.
    """
    n = study.repetitions
    settings = "\n".join(textwrap.wrap(study.settings, _TEXT_WIDTH))
    figure, first = new_figure(
        study.title,
        f"{settings}\n"
        "grey: pointwise 95 % band of uniform p-values; what is too small for the right panel stands on its left edge",
        height=4.9,
    )
    first.remove()
    _room_for_key(figure, -(-len(study.pvalues) // 4))
    whole, tail = figure.subplots(1, 2)
    ranks = np.unique(np.concatenate([np.geomspace(1, n, 120), np.linspace(1, n, 120)]).astype(int))
    low, high = (betaincinv(ranks, n - ranks + 1, u) for u in ((1 - BAND) / 2, (1 + BAND) / 2))
    colours = [PALETTE[0], EMPHASIS, *PALETTE[1:]]
    for axes in (whole, tail):
        axes.fill_betweenx(ranks / n, low, high, color=RULE, linewidth=0)
        axes.plot(
            [0, 1] if axes is whole else [0.3 / n, 1],
            [0, 1] if axes is whole else [0.3 / n, 1],
            color=INK,
            linewidth=0.8,
        )
    for k, (name, pvalues) in enumerate(study.pvalues.items()):
        ordered = np.sort(np.where(np.isnan(pvalues), 1.0, pvalues))
        colour, marker = colours[k % len(colours)], _MARKERS[k % len(_MARKERS)]
        every = max(1, n // SHOWN)
        shown = np.arange(every, n + 1, every)
        whole.plot(
            ordered[shown - 1], shown / n, marker, color=colour, markersize=4.2, label=name, clip_on=False, zorder=3
        )
        few = np.unique(np.geomspace(1, n, 28).astype(int))
        tail.plot(np.maximum(ordered[few - 1], _floor(n)), few / n, marker, color=colour, markersize=4.2, zorder=3)
    _style(whole, tail, n)
    common_key(figure, whole, columns=4)
    return figure


def _floor(n: int) -> float:
    """The left edge of the tail: smaller p-values stand on it."""
    return 0.1 / n


def _style(whole: Axes, tail: Axes, n: int) -> None:
    whole.set_xlim(0, 1)
    whole.set_ylim(0, 1)
    tail.set_xscale("log")
    tail.set_yscale("log")
    tail.set_xlim(_floor(n) * 0.8, 1.15)
    tail.set_ylim(0.7 / n, 1.3)
    powers = [10.0**k for k in range(-int(np.log10(10 * n)), 1)]
    tail.set_xticks(powers[:: 1 + len(powers) // 6], minor=False)
    tail.minorticks_off()
    for axes in (whole, tail):
        for side in ("top", "right", "left", "bottom"):
            axes.spines[side].set_visible(False)
        axes.tick_params(length=0, labelsize=SMALL, labelcolor=INK)
        axes.grid(color=RULE, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("p-value", fontsize=TEXT, color=FAINT)
    whole.set_ylabel("share of null tables at or below it", fontsize=TEXT, color=FAINT)
    whole.set_title("all p-values", fontsize=SMALL, color=INK, loc="left")
    tail.set_title("small p-values", fontsize=SMALL, color=INK, loc="left")


def _room_for_key(figure: Figure, rows: int) -> None:
    """The rows of a key between the heading and the panels."""
    engine = figure.get_layout_engine()
    assert engine is not None, "new_figure gives every figure one"
    left, bottom, width, height = engine.get()["rect"]
    room = rows * 14.0 / 72.0 / figure.get_figheight()
    figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08, rect=(left, bottom, width, height - room))
