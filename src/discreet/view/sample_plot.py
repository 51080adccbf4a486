"""The picture of a released sample: its distribution function as steps, and a tick for every point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.display import painter
from discreet.release.choices.sample import SampleRelease
from discreet.release.choices.sample_text import law_in_words
from discreet.release.labels import shortened
from discreet.view.theme import FAINT, INK, PALETTE, RULE, TEXT, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@painter("plot", SampleRelease)
def sample_plot(release: SampleRelease) -> Figure:
    """Draw the share of the points at or below every value of the column's declared bounds, with ticks at the points."""
    heading = f"{shortened(release.column_name, 40)}: sample of {release.size}"
    facts = f"{release.guarantee or 'no guarantee recorded'}  ·  n = {release.n}"
    figure, axes = new_figure(heading, f"{facts}\n{law_in_words(release)}")
    lower, upper = float(release.column.lower), float(release.column.upper)
    x = np.concatenate([[lower], release.points, [upper]])
    y = np.concatenate([[0.0], np.arange(1, release.size + 1) / release.size, [1.0]])
    axes.plot(x, y, drawstyle="steps-post", color=PALETTE[0], linewidth=1.6, clip_on=False)
    axes.vlines(release.points, -0.06, -0.015, color=INK, linewidth=0.8, alpha=max(0.15, min(1.0, 60 / release.size)))
    axes.set_xlim(lower, upper)
    axes.set_ylim(-0.07, 1.0)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.grid(axis="y", color=RULE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel(shortened(release.column_name, 56), fontsize=TEXT, color=FAINT, parse_math=False)
    axes.set_ylabel("share of the points at or below", fontsize=TEXT, color=FAINT)
    return figure
