"""The picture of an audit: the errors that the auditor made, against the smallest ones that the claim allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, TEXT, key, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from discreet.privacy.tradeoff import TradeOff


def audit_plot(claimed: TradeOff, curve: Mapping[str, NDArray[np.float64]], verdict: str, label: str) -> Figure:
    """Draw an empirical trade-off against the claimed curve.

    Parameters
    ----------
    claimed : TradeOff
        The smallest type II error that the claim allows at each type I error, for the distance audited.
    curve : mapping
        Arrays "type_1" and "type_2" of what the auditor's score reached, with "_low" and "_high" limits of each.
    verdict, label : str
        The finding, and the claim, in words.

    Returns
    -------
    matplotlib.figure.Figure
        Below the solid line the claim is broken. Line with band: the score's errors and their pointwise limits.

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.
    """
    violated = verdict.startswith("VIOLATED")
    figure, axes = new_figure("Audit: what a test of the outputs reached", verdict, height=5.0)
    alpha = np.unique(np.concatenate([special.expit(np.linspace(-14, 14, 225)), np.linspace(0, 1, 101)]))
    axes.plot([0, 1], [1, 0], color=RULE, linewidth=1.0, label="perfect privacy")
    axes.plot(alpha, claimed(alpha), color=INK, linewidth=1.6, label=label)
    axes.fill_between(alpha, 0, claimed(alpha), color=RULE, alpha=0.45, linewidth=0)
    colour = EMPHASIS if violated else PALETTE[0]
    if curve:
        order = np.argsort(curve["type_1"])
        first, second = curve["type_1"][order], curve["type_2"][order]
        axes.fill(
            np.concatenate([curve["type_1_low"][order], curve["type_1_high"][order][::-1]]),
            np.concatenate([curve["type_2_low"][order], curve["type_2_high"][order][::-1]]),
            color=colour,
            alpha=0.18,
            linewidth=0,
        )
        axes.plot(first, second, color=colour, linewidth=1.6, label="reached by the test, with pointwise limits")
    axes.text(0.02, 0.02, "not allowed by the claim", fontsize=TEXT - 1, color=FAINT, transform=axes.transAxes)
    axes.set_xlim(-0.01, 1)
    axes.set_ylim(-0.01, 1.01)
    axes.set_aspect("equal")
    axes.set_xlabel("type I error", fontsize=TEXT, color=FAINT)
    axes.set_ylabel("type II error", fontsize=TEXT, color=FAINT)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(True)
        axes.spines[side].set_color(RULE)
    key(axes, columns=2)
    return figure
