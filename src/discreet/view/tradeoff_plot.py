"""The picture of trade-off curves: type II error against type I error, fixed points marked, perfect privacy at the top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from discreet.display import painter
from discreet.errors import InvalidInput
from discreet.privacy.tradeoff import TradeOff
from discreet.release.labels import shortened
from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, SMALL, TEXT, key, new_figure, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEIGHT, _ROW = 5.0, 0.17  # inches, of all but the key and of each of its rows
_WIDEST = 4.0  # inches for the texts of two columns of the key
_COLOURS = (*PALETTE[:5], EMPHASIS)


@painter("plot", TradeOff)
def tradeoff_plot(curve: TradeOff, others: Sequence[TradeOff] = (), labels: Sequence[str] | None = None) -> Figure:
    """Draw one or several trade-off curves.

    Parameters
    ----------
    curve : TradeOff
        The first; its name and numbers are in the heading.
    others : sequence of TradeOff, optional
        Up to five more, in the same picture.
    labels : sequence of str, optional
        What to call each; without them, how each was made.

    Returns
    -------
    matplotlib.figure.Figure
        Solid: the curves. Dots: their fixed points, where both errors are equal. Dashed: the Gaussian curve of the first
        one's mu, the highest that lies nowhere above it (not drawn where there is none, or the curve is Gaussian itself).
        Thin: perfect privacy, 1 - alpha.

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.
    """
    curves = (curve, *others)
    if not all(isinstance(each, TradeOff) for each in curves):
        raise InvalidInput("a picture of trade-off curves is made of TradeOffs; a guarantee has one: .tradeoff()")
    if len(curves) > len(_COLOURS):
        raise InvalidInput(f"a picture holds up to {len(_COLOURS)} curves, not {len(curves)}")
    names = [_name(each) for each in curves] if labels is None else [shortened(str(label), 48) for label in labels]
    if len(names) != len(curves):
        raise InvalidInput(f"labels must name each of the {len(curves)} curves; there are {len(names)}")
    columns = 2 if 2 * max(text_width(name, SMALL) for name in names) < _WIDEST else 1
    figure, axes = new_figure(
        "How well can a test tell two neighbours apart?",
        "the smallest type II error at each type I error; the higher the curve, the more private\n"
        f"{names[0]}: {_words(curve)}",
        height=_HEIGHT + _ROW * math.ceil((len(curves) + 2) / columns),
    )
    alpha = np.unique(np.concatenate([special.expit(np.linspace(-14, 14, 225)), np.linspace(0, 1, 101)]))
    axes.plot([0, 1], [1, 0], color=RULE, linewidth=1.0, label="perfect privacy")
    for colour, each, name in zip(_COLOURS, curves, names, strict=False):
        axes.plot(alpha, each(alpha), color=colour, linewidth=1.8, label=name)
    if 0 < curve.mu < np.inf and repr(curve) != repr(reference := TradeOff.gaussian(curve.mu)):
        label = f"Gaussian, mu = {curve.mu:.4g}"
        axes.plot(alpha, reference(alpha), color=INK, linewidth=1.1, dashes=(4, 2), label=label)
    axes.plot([0, 0.5], [0, 0.5], color=RULE, linewidth=0.8, dashes=(1, 2))
    for colour, each in zip(_COLOURS, curves, strict=False):
        axes.plot(each.fixed_point, each.fixed_point, "o", color=colour, markersize=5, markeredgecolor="white")
    axes.set_xlim(-0.01, 1)
    axes.set_ylim(-0.01, 1.01)
    axes.set_aspect("equal")
    axes.set_xlabel("type I error", fontsize=TEXT, color=FAINT)
    axes.set_ylabel("type II error", fontsize=TEXT, color=FAINT)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(True)
        axes.spines[side].set_color(RULE)
    key(axes, columns=columns)
    return figure


def _words(curve: TradeOff) -> str:
    level = f"mu = {curve.mu:.4g}" if curve.mu < np.inf else "no mu holds"
    return f"{level}, power at most {curve.power(0.05):.3f} at level .05"


def _name(curve: TradeOff) -> str:
    """How the curve is made, without the class: "laplace table, scale = 2"."""
    text = repr(curve).removeprefix("TradeOff.")
    if text.startswith("<"):
        return shortened(text.strip("<>").removeprefix("TradeOff").strip(", "), 48)
    name, _, numbers = text.rstrip(")").partition("(")
    pairs = (pair.split("=") for pair in numbers.split(", "))
    return ", ".join([name.replace("_", " "), *(f"{key} = {float(value):.4g}" for key, value in pairs)])
