"""The picture of mean regions: an ellipse for each group's means of two columns, one colour a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.display import painter
from discreet.errors import InvalidInput
from discreet.inference.mean_regions import MeanRegions
from discreet.release.labels import shortened
from discreet.view.theme import EMPHASIS, FAINT, PALETTE, RULE, TEXT, key, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = (*PALETTE[:4], EMPHASIS, PALETTE[4])


@painter("plot", MeanRegions)
def ellipse_plot(regions: MeanRegions) -> Figure:
    """Draw the ellipses of up to six groups.

    Parameters
    ----------
    regions : MeanRegions

    Returns
    -------
    matplotlib.figure.Figure
        For each group its released means (dot) and the region of the true ones (filled), in the columns' own units.

    Raises
    ------
    InvalidInput
        For more than six groups.
    MissingExtra
        If matplotlib is not installed.
    """
    if len(regions.ellipses) > len(_COLOURS):
        raise InvalidInput(
            f"a picture holds up to {len(_COLOURS)} groups, not {len(regions.ellipses)}: choose some with groups="
        )
    first, second = (shortened(name, 32) for name in regions.columns)
    figure, axes = new_figure(
        f"Means of {first} and {second}",
        f"{100 * regions.level:g}% regions for noise and sampling, each group on its own; dots: the released means\n"
        f"{regions.replicates:,} simulated releases",
        height=4.6,
    )
    for colour, ellipse in zip(_COLOURS, regions.ellipses, strict=False):
        name = "all records" if ellipse.group is None else shortened(ellipse.group)
        x, y = ellipse.boundary().T
        axes.fill(x, y, color=colour, alpha=0.18, linewidth=0)
        axes.plot(x, y, color=colour, linewidth=1.6, label=f"{name} (n = {ellipse.n:,})")
        axes.plot(*ellipse.centre, "o", color=colour, markersize=4.5, markeredgecolor="white")
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(first, fontsize=TEXT, color=FAINT, parse_math=False)
    axes.set_ylabel(second, fontsize=TEXT, color=FAINT, parse_math=False)
    axes.margins(0.06)
    key(axes)
    return figure
