"""The picture of a test: the null density under the noise, its tail beyond the statistic, and the classical density."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.display import painter
from discreet.inference.result import TestResult
from discreet.release.labels import shortened
from discreet.view.theme import EMPHASIS, FAINT, INK, PALETTE, TEXT, key, new_figure, probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


@painter("plot", TestResult)
def null_plot(result: TestResult) -> Figure:
    """Draw the null density with the tail shaded.

    Parameters
    ----------
    result : TestResult
        Of any test with a `null_curve`.

    Returns
    -------
    matplotlib.figure.Figure
        Solid: the density of the statistic under the null and the noise; its shaded tail is the p-value. Dashed: the
        classical chi-squared density, which takes no account of the noise. Vertical: the statistic.

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.
    """
    x, density = result.null_curve.x, result.null_curve.density
    classical = chi_squared_density(x, result.df)
    figure, axes = new_figure(
        f"{shortened(result.test, 48)}: p = {probability(result.pvalue)}",
        f"{shortened(result.null, 96)}\n"
        f"ignoring the noise one would have claimed p = {probability(result.naive_pvalue)} (not valid)",
    )
    axes.fill_between(x, density, color=PALETTE[0], alpha=0.10, linewidth=0)
    axes.plot(x, density, color=PALETTE[0], linewidth=1.8, label="null under the noise")
    tail = np.append(result.statistic, x[x > result.statistic])
    axes.fill_between(tail, np.interp(tail, x, density), color=EMPHASIS, linewidth=0, label="p-value")
    axes.plot(x, classical, color=FAINT, linewidth=1.2, dashes=(4, 2), label=f"classical chi-squared, df {result.df:g}")
    top = _top(x, density, classical, result.df)
    axes.vlines(result.statistic, 0, 0.8 * top, color=INK, linewidth=1.3)
    on_left = result.statistic > 0.6 * x[-1]
    for height, text, colour, weight in (
        (0.75, f"statistic {result.statistic:.4g}", INK, "normal"),
        (0.67, f"p = {probability(result.pvalue)}", EMPHASIS, "bold"),
    ):
        axes.annotate(
            text,
            (result.statistic, height * top),
            (-6 if on_left else 6, 0),
            textcoords="offset points",
            ha="right" if on_left else "left",
            va="center",
            fontsize=TEXT,
            color=colour,
            fontweight=weight,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0},
        )
    axes.axhline(0, color=INK, linewidth=0.8, clip_on=False)
    axes.set_xlim(0, x[-1])
    axes.set_ylim(0, top)
    axes.set_yticks([])
    axes.set_xlabel(shortened(result.statistic_name, 56), fontsize=TEXT, color=FAINT, parse_math=False)
    key(axes)
    return figure


def _top(x: Floats, density: Floats, classical: Floats, df: float) -> float:
    """The height of the picture. With one degree of freedom densities have no top at 0 and are cut."""
    shown = x > (0.3 * float((x * density).sum() / density.sum()) if df < 2 else 0.0)
    return 1.1 * float(max(density[shown].max(), min(classical[shown].max(), 2.0 * density[shown].max())))


def chi_squared_density(x: Floats, df: float) -> Floats:
    """x^(df/2 - 1) e^(-x/2) / (2^(df/2) Gamma(df/2)) for x > 0."""
    half = 0.5 * df
    logarithm: Floats = (half - 1.0) * np.log(x) - 0.5 * x - half * np.log(2.0) - special.gammaln(half)
    return np.exp(logarithm)
