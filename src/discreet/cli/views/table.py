"""A noisy table on the terminal, with the interval of each count: a grid where it fits, else one line a cell."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np
from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.output import console, printable
from discreet.release.labels import shortened
from discreet.release.tables.strays import number_of_strays, stray_cells
from discreet.release.text import law_in_words, number

if TYPE_CHECKING:
    from discreet.curator import Price
    from discreet.release import TableRelease
    from discreet.schema import Schema

Facts = list[tuple[str, RenderableType]]

LEVEL = 0.95
TALLEST_GRID, LONGEST_LIST = 16, 40
BETWEEN = Text(" · ", style="dim")


def title(release: TableRelease) -> tuple[str, str]:
    """The columns, and how their counts are to be read."""
    return " by ".join(release.column_names), f"noisy counts with {LEVEL:.0%} intervals"


def noise(release: TableRelease) -> list[tuple[str, RenderableType]]:
    """The law of the noise, and the number of records."""
    size = "" if release.n is None else f"; n = {release.n:,}"
    return [("noise", law_in_words(release) + size)]


def made_up(schema: Schema, names: list[str]) -> TableRelease:
    """A table of these columns with made-up counts."""
    from discreet.noise import Laplace
    from discreet.release import TableRelease

    columns = {name: schema.categorical(name).categories for name in names}
    return TableRelease.from_counts(np.ones([len(c) for c in columns.values()]), columns, noise=Laplace(1.0))


def as_data(release: TableRelease) -> dict[str, Any]:
    """The noisy numbers and what they are, as plain data; the arrays are nested in the order of the columns."""
    low, high = release.interval(LEVEL)
    around_other = release.other_interval(LEVEL)
    return {
        "columns": dict(zip(release.column_names, release.labels, strict=True)),
        "counts": release.counts.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "level": LEVEL,
        "other": None
        if around_other is None
        else {"count": _plain(release.other), "low": _plain(around_other[0]), "high": _plain(around_other[1])},
        "n": release.n,
        **_groups_data(release),
        "adjacency": release.adjacency,
        "mechanism": release.mechanism,
        "scale": release.scale,
        "noise_sd": release.sd,
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
    }


def accuracy(price: Price) -> tuple[dict[str, Any], Facts]:
    """How accurate the counts would be."""
    cells, sd, half = (price.accuracy[name] for name in ("cells", "noise_sd", "half_width"))
    pairs: Facts = [
        ("noise", f"{price.mechanism}, sd {sd:.4g} in each of {cells:,.0f} cells"),
        ("accuracy", f"each count ± {half:.4g} ({LEVEL:.0%} interval)"),
    ]
    return {"cells": int(cells), "noise_sd": sd, "half_width": half, "level": LEVEL}, pairs


def _groups_data(release: TableRelease) -> dict[str, Any]:
    """What a table by a fixed column has besides; nothing for any other table."""
    if release.group_sizes is None:
        return {}
    return {
        "fixed": release.schema.fixed,
        "group_sizes": list(release.group_sizes),
        "undeclared_group": _plain(release.undeclared_group),
    }


def _plain(value: Any) -> Any:
    """An array as nested lists; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def numbers(release: TableRelease) -> RenderableType:
    """The table, as wide as the terminal allows."""
    forms = [_grid] if len(release.shape) == 2 and release.shape[0] <= TALLEST_GRID else []
    for form in (*forms, _list):
        table = form(release)
        if fits(table):
            return table
    return _list(release, joined=True)


def fits(table: Table) -> bool:
    """Whether the terminal is wide enough for the table as it is."""
    screen = console()
    wide = screen.options.update(max_width=10_000)
    return screen.measure(table, options=wide).maximum <= screen.width


def empty_table() -> Table:
    """A table without frame, as all tables of this program."""
    return Table(box=box.SIMPLE_HEAD, header_style="bold", border_style="bright_black", show_edge=False)


def _label(text: str) -> Text:
    return Text(printable(shortened(text)))


def _interval(low: float, high: float, sd: float) -> str:
    return f"[{number(low, sd)}, {number(high, sd)}]"


def _grid(release: TableRelease) -> Table:
    """Two axes: the count in each cell, its interval below."""
    rows, columns = release.labels
    first, second = release.column_names
    low, high = release.interval(LEVEL)
    table = empty_table()
    table.add_column(Text.assemble(_label(first), (" \\ ", "dim"), _label(second)), no_wrap=True)
    for label in columns:
        table.add_column(_label(label), justify="right", no_wrap=True)
    for i, label in enumerate(rows):
        cells = [
            Text.assemble(
                number(float(release.counts[i, j]), release.sd),
                "\n",
                (_interval(float(low[i, j]), float(high[i, j]), release.sd), "dim"),
            )
            for j in range(len(columns))
        ]
        table.add_row(_label(label), *cells)
    if release.other is not None:
        table.add_section()
    for name, value, interval in _strays(release):
        table.add_row(name, Text.assemble(value, "\n", (interval, "dim")))
    return table


def _strays(release: TableRelease) -> Iterator[tuple[Text, str, str]]:
    """Name, number and interval of each cell beside the declared ones, as far as a list goes."""
    size = number_of_strays(release)
    shown = size if size <= LONGEST_LIST else LONGEST_LIST - 4
    for cell in islice(stray_cells(release, LEVEL), shown):
        name = Text(printable(shortened(cell.name, 48)), "dim")
        yield name, number(cell.value, release.sd), _interval(cell.low, cell.high, release.sd)
    if shown < size:
        yield Text(f"… {size - shown:,} more strays", "dim"), "", ""


def _list(release: TableRelease, *, joined: bool = False) -> Table:
    """Any number of axes: one line a cell, the first ones of a long table; `joined`: all labels in one column."""
    size = math.prod(release.shape)
    shown = size if size <= LONGEST_LIST else LONGEST_LIST - 4
    low, high = (bound.ravel() for bound in release.interval(LEVEL))
    counts, sd = release.counts.ravel(), release.sd
    table = empty_table()
    names = list(map(_label, release.column_names))
    for name in [BETWEEN.join(names)] if joined else names:
        table.add_column(name, overflow="fold", no_wrap=not joined)
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column(f"{LEVEL:.0%} interval", justify="right", no_wrap=True, style="dim")
    before: tuple[str, ...] = ()
    for index, labels in zip(range(shown), product(*release.labels), strict=False):
        cells = _changed(before, labels)
        interval = _interval(float(low[index]), float(high[index]), sd)
        table.add_row(*([BETWEEN.join(cells)] if joined else cells), number(float(counts[index]), sd), interval)
        before = labels
    blanks = [""] * (0 if joined else len(names) - 1)
    if shown < size:
        table.add_row(Text(f"… {size - shown:,} more", "dim"), *blanks, "", "")
    if release.other is not None:
        table.add_section()
    for name, value, interval in _strays(release):
        table.add_row(name, *blanks, value, interval)
    return table


def _changed(before: tuple[str, ...], labels: tuple[str, ...]) -> list[Text]:
    """The labels of a line, the first ones quietly where they only repeat the line above."""
    same = [before[: i + 1] == labels[: i + 1] for i in range(len(labels))]
    return [Text(_label(text).plain, "dim" if repeated else "") for text, repeated in zip(labels, same, strict=True)]
