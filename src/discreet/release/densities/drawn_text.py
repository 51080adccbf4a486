"""Histogram, series and distribution function releases in words and as plain text: terminals, logs, the saved file."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from discreet.release.labels import shortened
from discreet.release.neighbours import neighbours
from discreet.release.text import aligned, number

if TYPE_CHECKING:
    from discreet.release.densities.cdf import CdfRelease
    from discreet.release.densities.drawn import DrawnRelease
    from discreet.release.densities.histogram import HistogramRelease
    from discreet.release.densities.series import SeriesRelease

TALLEST, WIDEST = 12, 8  # lines and columns of what is still printed in full

_LAWS = {
    "ProjectedGaussian": "projected Gaussian",
    "DiscreteLaplace": "discrete Laplace",
    "DiscreteGaussian": "discrete Gaussian",
}


def statement(release: DrawnRelease) -> str:
    """One sentence: what is guaranteed, and under which assumptions."""
    if release.guarantee is None:
        return f"No privacy guarantee is recorded for this {release.what}; only the law of its noise is."
    who = neighbours(release.schema)
    promise = f"The whole {release.what} satisfies {release.guarantee} with respect to neighbours in which {who}"
    if release.mechanism in ("Gaussian", "ProjectedGaussian"):
        # The sampler draws on a grid: its law and the continuous one differ by this much and no more.
        promise += "; mu-GDP (and what follows from it) holds up to a max-divergence below 1e-70 per number"
    return promise + "."


def noise_in_words(release: HistogramRelease | SeriesRelease | CdfRelease) -> str:
    """E.g. "Laplace noise, sd 5.66"."""
    name = _LAWS.get(release.mechanism, release.mechanism)
    sds = np.sqrt(release.noise.variance).ravel()
    low, high = f"{sds.min():.3g}", f"{sds.max():.3g}"
    return f"{name} noise, sd {low}" + ("" if low == high else f" to {high}")


def facts(release: HistogramRelease | SeriesRelease | CdfRelease) -> list[str]:
    """Law, size and guarantee, for a heading."""
    size = "n not public" if release.n is None else f"n = {release.n}"
    return [noise_in_words(release), size, str(release.guarantee or "no guarantee recorded")]


def cell_names(release: HistogramRelease) -> list[list[str]]:
    """For each axis the name of each cell, e.g. "30 to 60"."""
    return [[f"{low:.6g} to {high:.6g}" for low, high in pairwise(edges.tolist())] for edges in release.edges]


def histogram_text(release: HistogramRelease, level: float = 0.95) -> str:
    """The heading, then a line a cell; a grid where there are two axes and room."""
    half = number(release.half_width(level), release.sd)
    names = [shortened(name) for name in release.column_names]
    heading = [
        f"histogram of {' x '.join(names)}: noisy counts, each ± {half} ({100 * level:g}% interval)",
        "; ".join(facts(release)),
    ]
    labels = cell_names(release)
    if len(release.bins) == 2 and release.bins[0] <= TALLEST and release.bins[1] <= WIDEST:
        counts = [[number(x, release.sd) for x in line] for line in release.counts.tolist()]
        top = [" \\ ".join(names), *labels[1]]
        return "\n".join([*heading, "", *aligned([top, *([a, *b] for a, b in zip(labels[0], counts, strict=True))])])
    shown = release.size if release.size <= TALLEST else TALLEST - 2
    lines = []
    for i in range(shown):
        place = np.unravel_index(i, release.bins)
        cell = [labels[axis][int(j)] for axis, j in enumerate(place)]
        lines.append([*cell, number(float(release.counts[place]), release.sd)])
    rest = [f"... {release.size - shown} more cells"] if shown < release.size else []
    return "\n".join([*heading, "", *aligned([[*names, "count"], *lines], left=len(names)), *rest])


def series_text(release: SeriesRelease, level: float = 0.95) -> str:
    """The heading, then the coefficients in order."""
    half = f"{release.half_width(level):.2g}"
    decimals = min(6, max(0, 1 - math.floor(math.log10(release.sd))))
    shown = release.terms if release.terms <= TALLEST else TALLEST - 2
    lines = [[str(j + 1), f"{x:z.{decimals}f}"] for j, x in enumerate(release.coefficients[:shown].tolist())]
    rest = [f"... {release.terms - shown} more coefficients"] if shown < release.terms else []
    return "\n".join(
        [
            f"cosine series of {shortened(release.column_name)}: noisy coefficients, each ± {half} "
            f"({100 * level:g}% interval)",
            "; ".join(facts(release)),
            "",
            *aligned([["term", "coefficient"], *lines]),
            *rest,
        ]
    )


def cdf_text(release: CdfRelease, level: float = 0.95) -> str:
    """The heading, then about ten of the edges with the share of records below."""
    low, _ = release.interval(level)
    half, n, size = release.cumulative - low, float(release.n or 1), len(release.drawn)
    shown = range(size) if size <= TALLEST else np.linspace(0, size - 1, TALLEST - 2).round().astype(int).tolist()
    lines = [
        [f"{release.edges[i + 1]:.6g}", f"{release.cumulative[i] / n:z.3f}", f"± {half[i] / n:.3f}"] for i in shown
    ]
    rest = [f"({len(shown)} of {size} edges)"] if len(shown) < size else []
    return "\n".join(
        [
            f"distribution function of {shortened(release.column_name)}: noisy share of the records below "
            f"({100 * level:g}% interval, one edge at a time)",
            "; ".join([facts(release)[0] + " records", *facts(release)[1:]]),
            "",
            *aligned([["below", "share", ""], *lines]),
            *rest,
        ]
    )
