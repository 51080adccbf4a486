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
_KEY_ROW = 14.0  # points for a row of a key
_POINTS_PER_INCH = 72.0
_CHARACTER = 0.56  # mean width of a character in units of its size


def new_figure(heading: str, explanation: str, *, height: float = HEIGHT) -> tuple[Figure, Axes]:
    """An empty figure with one pair of axes below a heading and lines of smaller explanation, all flush left."""
    figure, (axes,) = new_panels(heading, explanation, 1, height=height)
    return figure, axes


def new_panels(
    heading: str, explanation: str, panels: int, *, width: float = WIDTH, height: float = HEIGHT, key_rows: int = 0
) -> tuple[Figure, tuple[Axes, ...]]:
    """The same with several axes side by side, whose vertical scale is shared; `key_rows` leaves room for `common_key`."""
    try:
        from discreet.view.figure import FreeFigure
    except ImportError:
        raise MissingExtra("pictures need matplotlib: pip install 'discreet[plot]'") from None
    figure = FreeFigure(figsize=(width, height), facecolor="white", layout="constrained")
    lines = explanation.count("\n") + 1
    head_room = (LARGE + lines * _LINE + 20.0 + key_rows * _KEY_ROW) / _POINTS_PER_INCH
    figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08, rect=(0.0, 0.0, 1.0, 1.0 - head_room / height))
    edge, top = 0.12 / width, 1.0 - 0.12 / height
    style: dict[str, Any] = {"ha": "left", "va": "top", "parse_math": False, "fontfamily": "sans-serif"}
    figure.text(edge, top, heading, fontsize=LARGE, fontweight="bold", color=INK, **style)
    below = top - (LARGE + 6.0) / _POINTS_PER_INCH / height
    figure.text(edge, below, explanation, fontsize=SMALL, color=FAINT, linespacing=1.35, **style)
    first = figure.add_subplot(1, panels, 1, facecolor="white")
    others = (figure.add_subplot(1, panels, k, facecolor="white", sharey=first) for k in range(2, panels + 1))
    found = (first, *others)
    for axes in found:
        for side in ("top", "right", "left", "bottom"):
            axes.spines[side].set_visible(False)
        axes.tick_params(length=0, labelsize=TEXT, labelcolor=INK, labelleft=axes is first)
    return figure, found


def text_width(text: str, size: float = TEXT) -> float:
    """About how many inches a text takes."""
    return len(text) * _CHARACTER * size / _POINTS_PER_INCH


def probability(p: float) -> str:
    """A p-value with as many digits as anyone can use; one that is too small for a float is said to be so."""
    if p == 0:
        return "below 1e-300"
    return f"{p:.3f}" if p >= 0.01 else f"{p:.2g}"


def common_key(figure: Figure, axes: Axes, *, columns: int = 3) -> None:
    """One key for all panels, in the room above them: what is drawn in `axes` stands for every panel."""
    from matplotlib.font_manager import FontProperties

    engine = figure.get_layout_engine()
    assert engine is not None, "new_panels gives every figure one"
    legend = figure.legend(
        *axes.get_legend_handles_labels(),
        loc="lower left",
        bbox_to_anchor=(0.08 / figure.get_figwidth(), engine.get()["rect"][3]),
        frameon=False,
        ncols=columns,
        prop=FontProperties(size=SMALL),
        labelcolor=INK,
        handlelength=2.2,
        columnspacing=1.6,
        borderaxespad=0.0,
    )
    legend.set_in_layout(False)


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
