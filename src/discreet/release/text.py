"""A release in words and as a plain-text table, for terminals, logs and the saved file."""

from __future__ import annotations

import math
from itertools import islice, product
from typing import TYPE_CHECKING

from discreet.release.labels import shortened
from discreet.release.neighbours import neighbours
from discreet.release.tables.strays import number_of_strays, stray_cells

if TYPE_CHECKING:
    from discreet.release.tables.table import TableRelease

WIDEST, TALLEST = 8, 12  # columns and rows of a table that is still printed as a grid


def law_in_words(release: TableRelease) -> str:
    """E.g. "Laplace noise, sd 5.66"."""
    name = {
        "ProjectedGaussian": "projected Gaussian",
        "DiscreteLaplace": "discrete Laplace",
        "DiscreteGaussian": "discrete Gaussian",
    }.get(release.mechanism, release.mechanism)
    return f"{name} noise, sd {release.sd:.3g}"


def size_in_words(release: TableRelease) -> str:
    """E.g. "n = 1841"."""
    if release.n is None:
        return "n not public"
    return f"n = {release.n}" + (f", by {release.schema.fixed} of public size" if release.group_sizes else "")


def statement(release: TableRelease) -> str:
    """One sentence: what is guaranteed, and under which assumptions."""
    if release.guarantee is None:
        return "No privacy guarantee is recorded for this table; only the law of its noise is."
    promise = f"The whole table satisfies {release.guarantee} with respect to neighbours in which {neighbours(release.schema)}"
    if release.mechanism in ("Gaussian", "ProjectedGaussian"):
        # The sampler draws on a grid: its law and the continuous one differ by this much and no more.
        promise += "; mu-GDP (and what follows from it) holds up to a max-divergence below 1e-70 per cell"
    return promise + "."


def number(value: float, sd: float) -> str:
    """A count with as many decimals as its noise leaves meaningful: one digit below the leading one of `sd`."""
    decimals = min(6, max(0, 1 - math.floor(math.log10(sd)))) if sd > 0 else 1
    return f"{value:z.{decimals}f}"  # z: no minus before a zero


def as_text(release: TableRelease, level: float = 0.95) -> str:
    """The heading, then the table: a grid where it is two-way and small, else a list of its (first) cells."""
    heading = [
        f"{' x '.join(release.column_names)}: noisy counts, each ± {number(release.half_width(level), release.sd)} "
        f"({100 * level:g}% interval)",
        f"{law_in_words(release)}; {size_in_words(release)}; {release.guarantee or 'no guarantee recorded'}",
    ]
    if release.summed_over:
        heading.append(f"summed over {', '.join(release.summed_over)}")
    rows, columns = release.shape[0], release.shape[-1]
    grid = len(release.shape) == 2 and rows <= TALLEST and columns <= WIDEST
    body = _grid(release) if grid else _cells(release)
    body += stray_lines(release)
    return "\n".join([*heading, "", *body])


def stray_lines(release: TableRelease) -> list[str]:
    """One line for each number beside the declared cells, as far as there is room."""
    size = number_of_strays(release)
    shown = size if size <= TALLEST else TALLEST - 2
    cells = islice(stray_cells(release), shown)
    lines = [f"{shortened(cell.name, 60)}: {number(cell.value, release.sd)}" for cell in cells]
    return lines + ([f"... {size - shown} more strays"] if shown < size else [])


def _grid(release: TableRelease) -> list[str]:
    rows, columns = release.labels
    corner = " \\ ".join(release.column_names)
    cells = [[number(x, release.sd) for x in line] for line in release.counts.tolist()]
    return aligned([[corner, *columns], *([label, *line] for label, line in zip(rows, cells, strict=True))])


def _cells(release: TableRelease) -> list[str]:
    size = math.prod(release.shape)
    shown = size if size <= TALLEST else TALLEST - 2
    labels = [list(cell) for cell, _ in zip(product(*release.labels), range(shown), strict=False)]
    counts = release.counts.ravel()[:shown].tolist()
    lines = [[*cell, number(x, release.sd)] for cell, x in zip(labels, counts, strict=True)]
    rest = [f"... {size - shown} more of {' x '.join(map(str, release.shape))} cells"] if shown < size else []
    return aligned([[*release.column_names, "count"], *lines], left=len(release.shape)) + rest


def aligned(lines: list[list[str]], left: int = 1) -> list[str]:
    """Rows of text in columns: the first `left` flush left, the others (numbers) flush right."""
    lines = [[shortened(text) for text in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if i < left else text.rjust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
