"""Noisy means on the terminal, with the interval of each: one line a column, one column a group where they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.output import printable
from discreet.cli.views.table import LEVEL, Facts, empty_table, fits
from discreet.release.labels import shortened
from discreet.release.moments.means_text import measured, noise_in_words, plus_minus, size_in_words

if TYPE_CHECKING:
    from discreet.curator import Price
    from discreet.release import MeanRelease, MomentsRelease
    from discreet.schema import Schema

LONGEST = 40  # columns that are still listed
SD_OF = "noise_sd of "  # how the curator's accuracy names the noise of a column's mean


def title(release: MeanRelease) -> tuple[str, str]:
    """The columns, and how their means are to be read."""
    return columns_in_words(release), f"noisy means with {LEVEL:.0%} intervals"


def columns_in_words(release: MeanRelease) -> str:
    """E.g. "Length, Diagonal by Status"."""
    names = list(release.column_names)
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return ", ".join(shown) + ("" if release.schema.fixed is None else f" by {release.schema.fixed}")


def noise(release: MeanRelease) -> list[tuple[str, RenderableType]]:
    """The law of the noise, and the number of records."""
    return [("noise", f"{noise_in_words(release)}; {size_in_words(release)}")]


def numbers(release: MeanRelease) -> RenderableType:
    """Means with half the width of their intervals."""
    return lines_of(release, None)


def lines_of(release: MeanRelease, deviations: np.ndarray[Any, Any] | None) -> RenderableType:
    """The means, and beside them, where given, standard deviations of shape (groups, columns)."""
    wide = _wide(release, deviations)
    return wide if fits(wide) else _long(release, deviations)


def made_up(schema: Schema, names: list[str]) -> MeanRelease:
    """Means of these columns with made-up numbers."""
    from discreet.release import MeanRelease
    from discreet.release.moments.coded import numeric_columns

    numeric_columns(schema, names)
    groups = 1
    if schema.fixed is not None:
        groups = len(schema.categorical(schema.fixed).labels) + (not schema.complete)
    d, each = len(names), 2
    return MeanRelease(
        schema=schema.select(names),
        column_names=tuple(names),
        drawn=(1,) * (groups * d),
        exponents=(0,) * d,
        mechanism="Laplace",
        scales=(1.0,) * d,
        n=groups * each,
        group_sizes=None if schema.fixed is None else (each,) * groups,
    )


def as_data(release: MeanRelease) -> dict[str, Any]:
    """The noisy means and what they are, as plain data; nested by group where the schema has a fixed column."""
    low, high = release.interval(LEVEL)
    return {
        "columns": list(release.column_names),
        **groups_data(release),
        "means": release.values.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "level": LEVEL,
        "noise_sd": release.sd.tolist(),
        "n": release.n,
        "adjacency": release.adjacency,
        "mechanism": release.mechanism,
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
    }


def groups_data(release: MeanRelease | MomentsRelease) -> dict[str, Any]:
    """What a release by a fixed column has besides; nothing for any other."""
    if release.group_sizes is None or release.labels is None:
        return {}
    return {"fixed": release.schema.fixed, "groups": list(release.labels), "group_sizes": list(release.group_sizes)}


def accuracy(price: Price) -> tuple[dict[str, Any], Facts]:
    """How accurate the means would be."""
    sds = {name.removeprefix(SD_OF): sd for name, sd in price.accuracy.items() if name.startswith(SD_OF)}
    listed = ", ".join(f"{name} {sd:.4g}" for name, sd in sds.items())
    return {"noise_sd": sds}, [("mechanism", price.mechanism), ("noise", f"sd in each mean: {listed}")]


def _wide(release: MeanRelease, deviations: np.ndarray[Any, Any] | None) -> Table:
    values, halves, sds = _by_group(release)
    table = empty_table()
    table.add_column("")
    for label in ("mean",) if release.labels is None else release.labels:
        table.add_column(_label(label), justify="right", no_wrap=True)
    shown = _shown(release)
    for i, name in enumerate(release.column_names[:shown]):
        cells = []
        for g in range(len(values)):
            text = Text(plus_minus(values[g][i], halves[g][i], sds[g][i]))
            cells.append(text if deviations is None else text.append(f"\n(sd {deviations[g, i]:.3g})", "dim"))
        table.add_row(_label(name), *cells)
    _rest(table, release, shown)
    return table


def _long(release: MeanRelease, deviations: np.ndarray[Any, Any] | None) -> Table:
    values, halves, sds = _by_group(release)
    table = empty_table()
    table.add_column("")
    table.add_column("mean", justify="right", no_wrap=True)
    table.add_column(f"{LEVEL:.0%} interval", justify="right", no_wrap=True, style="dim")
    if deviations is not None:
        table.add_column("sd", justify="right", no_wrap=True)
    shown = max(1, _shown(release) // len(values))
    for i, name in enumerate(release.column_names[:shown]):
        for g, label in enumerate(release.groups.names):
            ends = [measured(values[g][i] + side * halves[g][i], sds[g][i]) for side in (-1, 1)]
            first = _label(name) if label is None else Text.assemble(_label(name), (" · ", "dim"), _label(label))
            more = [] if deviations is None else [f"{deviations[g, i]:.3g}"]
            table.add_row(first, measured(values[g][i], sds[g][i]), f"[{ends[0]}, {ends[1]}]", *more)
    _rest(table, release, shown)
    return table


def _by_group(release: MeanRelease) -> list[list[list[float]]]:
    shape = (len(release.groups.names), len(release.column_names))
    arrays = (release.values, release.half_width(LEVEL), release.sd)
    return [np.reshape(array, shape).tolist() for array in arrays]


def _shown(release: MeanRelease) -> int:
    columns = len(release.column_names)
    return columns if columns <= LONGEST else LONGEST - 4


def _rest(table: Table, release: MeanRelease, shown: int) -> None:
    if shown < len(release.column_names):
        table.add_row(Text(f"… {len(release.column_names) - shown:,} more columns", "dim"))


def _label(text: str) -> Text:
    return Text(printable(shortened(text)))
