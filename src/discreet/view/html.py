"""Releases and results as HTML for notebooks: small tables with their own inline style, every text escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import islice, product

from discreet.display import painter
from discreet.inference.result import TestResult
from discreet.release.labels import shortened
from discreet.release.tables.strays import number_of_strays, stray_cells
from discreet.release.tables.table import TableRelease
from discreet.release.text import law_in_words, number, size_in_words, statement
from discreet.view.theme import probability

MOST_LINES, MOST_COLUMNS = 40, 16

TABLE = "border-collapse:collapse;font:13px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums"
CAPTION = "caption-side:top;text-align:left;padding:0 0 6px 10px"
HEAD = "padding:2px 10px;border-bottom:1px solid #888;font-weight:600;text-align:"
CELL = "padding:2px 10px;text-align:"
NOTE = "font-size:12px;opacity:.75"


@painter("html", TableRelease)
def table_html(release: TableRelease, *, level: float = 0.95) -> str:
    """A table release: a grid of counts where it is two-way and fits, else one line a cell with its interval."""
    half, sd = release.half_width(level), release.sd
    if len(release.shape) == 2 and release.shape[0] <= MOST_LINES and release.shape[1] <= MOST_COLUMNS:
        left, head, lines = 1, [" \\ ".join(release.column_names), *release.labels[1]], _grid(release)
    else:
        left, head = len(release.shape), [*release.column_names, "count", f"{100 * level:g}% interval"]
        lines = _list(release, half)
    lines += [
        [cell.name, *[""] * (left - 1), number(cell.value, sd)] for cell in islice(stray_cells(release), MOST_LINES)
    ]
    if number_of_strays(release) > MOST_LINES:
        lines.append([f"... {number_of_strays(release) - MOST_LINES} more strays"])
    notes = [
        f"each ± {number(half, sd)} ({100 * level:g}% interval under the noise)",
        law_in_words(release),
        size_in_words(release),
        str(release.guarantee or "no guarantee recorded"),
    ]
    if release.summed_over:
        notes.append(f"summed over {', '.join(release.summed_over)}")
    title = " x ".join(release.column_names) + ": noisy counts"
    return table(title, " · ".join(notes), head, lines, left=left, hover=statement(release))


@painter("html", TestResult)
def result_html(result: TestResult) -> str:
    """A test result: what was found, and beside it what ignoring the noise would have claimed."""
    size = f"n = {result.n:,.0f}" if result.n_is_public else f"estimated n = {result.n:,.0f}"
    lines = [
        ["statistic", f"{result.statistic:.4g}"],
        ["degrees of freedom", f"{result.df}"],
        ["p-value", f"{probability(result.pvalue)} (standard error {result.pvalue_error:.1g})"],
        ["effect", str(result.effect)],
        ["null distribution", result.null],
        ["ignoring the noise (not valid)", f"p = {probability(result.naive_pvalue)}"],
        *(["warning", text] for text in result.warnings),
    ]
    return table(result.test, f"{result.statistic_name} · {size}", [], lines, left=2)


def _grid(release: TableRelease) -> list[list[str]]:
    cells = [[number(count, release.sd) for count in line] for line in release.counts.tolist()]
    return [[label, *line] for label, line in zip(release.labels[0], cells, strict=True)]


def _list(release: TableRelease, half: float) -> list[list[str]]:
    size, sd = math.prod(release.shape), release.sd
    counts = release.counts.ravel()[:MOST_LINES].tolist()
    lines = [
        [*labels, number(count, sd), f"{number(count - half, sd)} to {number(count + half, sd)}"]
        for labels, count in zip(islice(product(*release.labels), MOST_LINES), counts, strict=True)
    ]
    return lines + ([[f"... {size - MOST_LINES} more"]] if size > MOST_LINES else [])


def table(
    title: str, note: str, head: Sequence[str], lines: Sequence[Sequence[str]], *, left: int, hover: str = ""
) -> str:
    """A table whose first `left` columns are flush left, the others flush right. No text gets in unescaped."""

    def row(tag: str, style: str, texts: Sequence[str]) -> str:
        sides = ["left" if i < left else "right" for i in range(len(texts))]
        longest = 24 if tag == "th" or left < 2 else 200
        cells = (
            f'<{tag} style="{style}{side}">{escape(shortened(text, longest))}</{tag}>'
            for side, text in zip(sides, texts, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    caption = (
        f'<caption style="{CAPTION}" title="{escape(hover)}"><b>{escape(shortened(title, 100))}</b><br>'
        f'<span style="{NOTE}">{escape(note)}</span></caption>'
    )
    top = f"<thead>{row('th', HEAD, head)}</thead>" if head else ""
    body = "".join(row("td", CELL, line) for line in lines)
    return f'<table style="{TABLE}">{caption}{top}<tbody>{body}</tbody></table>'
