"""The picture of a cost study: the expected loss of each mechanism over mu, relative to plain Gaussian noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, RULE, SMALL, TEXT, key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOOKS: Mapping[str, tuple[str, str, str]] = {
    "gaussian": (INK, "-", "Gaussian"),
    "rank-deficient": (PALETTE[0], "-", "rank-deficient"),
    "JS0": (PALETTE[4], "--", "JS toward zero"),
    "JS": (PALETTE[2], "--", "JS toward average"),
    "rJS": (PALETTE[3], "-.", "rank-deficient JS (Helmert)"),
    "rJSz": (PALETTE[2], "-", "rank-deficient JS (basis-free)"),
    "laplace": (PALETTE[1], "-", "Laplace, smallest scale"),
    "laplace-l1": (EMPHASIS, ":", "Laplace, L1 rule"),
}


def cost_plot(curves: Mapping[str, tuple[Sequence[float], Sequence[float]]], subtitle: str) -> Figure:
    """Draw relative losses over mu, both axes logarithmic.

    Parameters
    ----------
    curves : mapping
        For each mechanism's name the values of mu and of its loss divided by that of plain Gaussian noise.
    subtitle : str
        The setting, in words.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.
    """
    figure, axes = new_figure(
        "Expected squared error of a table under mu-GDP",
        f"{subtitle}\nrelative to plain Gaussian noise",
        height=4.6,
    )
    single = max((len(mus) for mus, _ in curves.values()), default=0) < 2
    for name, (mus, losses) in curves.items():
        colour, line, label = LOOKS[name]
        axes.plot(mus, losses, color=colour, linestyle=line, linewidth=1.6, marker="o" if single else "", label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    every = [mu for mus, _ in curves.values() for mu in mus]
    losses = [loss for _, values in curves.values() for loss in values]
    for axis, values in ((axes.xaxis, every), (axes.yaxis, losses)):
        ticks = _ticks(min(values), max(values))
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.set_ticks([], minor=True)
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel("mu (smaller: more private)", fontsize=TEXT, color=FAINT)
    key(axes)
    axes.tick_params(labelsize=SMALL)
    return figure


def _ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten in the range; powers of ten alone where these would be too many."""
    powers = range(-12, 13)
    fine = [m * 10.0**k for k in powers for m in (1, 2, 5) if low * 0.999 <= m * 10.0**k <= high * 1.001]
    coarse = [tick for tick in fine if f"{tick:e}".startswith("1.0")]
    return fine if len(fine) <= 9 else coarse
