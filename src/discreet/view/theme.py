"""How every picture looks: colours that colour-blind readers can tell apart, a heading flush left, no chart junk.

The palette is Okabe and Ito's (2008). Everything is set on the figure itself, so the user's own matplotlib settings are
neither changed nor needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#F0E442")
EMPHASIS = "#D55E00"
INK, FAINT, RULE = "#222222", "#5F5F5F", "#D9D9D9"
LARGE, TEXT, SMALL = 11.0, 9.0, 8.0  # points
WIDTH, HEIGHT = 6.0, 4.0  # inches

_LINE = 11.0  # points from one small line of text to the next
_POINTS_PER_INCH = 72.0
_CHARACTER = 0.56  # mean width of a character in units of its size


def new_figure(heading: str, explanation: str, *, height: float = HEIGHT) -> tuple[Figure, Axes]:
    """An empty figure with one pair of axes below a heading and lines of smaller explanation, all flush left."""
    try:
        from discreet.view.figure import FreeFigure
    except ImportError:
        raise MissingExtra("pictures need matplotlib: pip install 'discreet[plot]'") from None
    figure = FreeFigure(figsize=(WIDTH, height), facecolor="white", layout="constrained")
    lines = explanation.count("\n") + 1
    head_room = (LARGE + lines * _LINE + 20.0) / _POINTS_PER_INCH
    figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08, rect=(0.0, 0.0, 1.0, 1.0 - head_room / height))
    edge, top = 0.12 / WIDTH, 1.0 - 0.12 / height
    style: dict[str, Any] = {"ha": "left", "va": "top", "parse_math": False, "fontfamily": "sans-serif"}
    figure.text(edge, top, heading, fontsize=LARGE, fontweight="bold", color=INK, **style)
    below = top - (LARGE + 6.0) / _POINTS_PER_INCH / height
    figure.text(edge, below, explanation, fontsize=SMALL, color=FAINT, linespacing=1.35, **style)
    axes = figure.add_subplot(facecolor="white")
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=TEXT, labelcolor=INK)
    return figure, axes


def text_width(text: str, size: float = TEXT) -> float:
    """About how many inches a text takes."""
    return len(text) * _CHARACTER * size / _POINTS_PER_INCH


def probability(p: float) -> str:
    """A p-value with as many digits as anyone can use."""
    return f"{p:.3f}" if p >= 0.01 else f"{p:.2g}"


def key(axes: Axes, *, title: str = "", columns: int = 3) -> None:
    """The key to the colours, without a frame, above the axes where it cannot cover anything."""
    from matplotlib.font_manager import FontProperties

    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.4,
        frameon=False,
        ncols=columns,
        prop=FontProperties(size=SMALL),
        labelcolor=INK,
        handlelength=1.4,
        handleheight=0.8,
        columnspacing=1.6,
        title=title or None,
        title_fontproperties=FontProperties(size=SMALL),
        alignment="left",
    )
