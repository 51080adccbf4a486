"""Sums and histograms of the codes of data frames: in memory block by block with NumPy, lazily in the frame's own engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discreet.curator.source.encode import Flaws, Groups
from discreet.curator.source.frame_numbers import code_expressions, collected, doubles, nulls
from discreet.curator.source.moments import MOST_ROWS, Digits, Part, add_up, pairs
from discreet.curator.source.numeric import Grid
from discreet.errors import SourceError

_BLOCK = 2**17
Frame = nw.DataFrame[Any]


def blocks(frame: Frame) -> Iterator[Frame]:
    """The frame in blocks of rows, so that what is made from one stays small."""
    for start in range(0, len(frame), _BLOCK):
        yield frame[start : start + _BLOCK]


def block_moments(
    block: Frame, columns: Mapping[str, Grid], labels: NDArray[np.int64], *, products: bool
) -> list[Part]:
    """The sums of each label that occurs in the block."""
    codes = [grid.codes(doubles(block[name])) for name, grid in columns.items()]
    order = np.argsort(labels, kind="stable")
    found, starts = np.unique(labels[order], return_index=True)
    return [
        add_up([code[rows] for code in codes], columns.values(), int(label), products=products)
        for label, rows in zip(found, np.split(order, starts[1:]), strict=True)
    ]


def block_bins(block: Frame, columns: Mapping[str, tuple[Grid, int]]) -> list[tuple[list[int], int]]:
    """The occupied cells of the block's histogram."""
    cells = np.zeros(len(block), dtype=np.int64)
    for name, (grid, size) in columns.items():
        codes = grid.codes(doubles(block[name]))
        cells = cells * size + np.minimum(codes * size // grid.steps, size - 1)
    occupied, counts = np.unique(cells, return_counts=True)
    positions = np.stack(np.unravel_index(occupied, [size for _, size in columns.values()]), axis=1)
    return list(zip(positions.tolist(), counts.tolist(), strict=True))


def block_flaws(series: nw.Series[Any], grid: Grid) -> Flaws:
    """What of the block's column does not fit its declaration."""
    values = doubles(series)
    missing = nulls(series)
    if series.dtype.is_float():
        missing |= np.isnan(values)
    counted = missing, values < grid.lower, values > grid.upper, np.isnan(values) & ~missing
    return Flaws(*(int(np.count_nonzero(condition)) for condition in counted))


def lazy_moments(
    frame: nw.LazyFrame[Any], columns: Mapping[str, Grid], label: nw.Expr, *, products: bool
) -> list[tuple[Any, Part]]:
    """The sums of each value of `label`, in 64-bit integers; the parts themselves have no label yet."""
    digits = Digits.of(columns.values())
    split = {f"d{i}": digit for i, digit in enumerate(digits.split(code_expressions(frame, columns)))}
    chosen = pairs(len(split)) if products else []
    squares = {f"q{a},{b}": nw.col(f"d{a}") * nw.col(f"d{b}") for a, b in chosen}
    added = [*split, *squares]
    coded = frame.select(label.alias("label"), *(digit.alias(name) for name, digit in split.items()))
    if products:
        coded = coded.with_columns(*(square.alias(name) for name, square in squares.items()))
    sums = [nw.col(name).sum() for name in added]
    table = collected(coded.group_by("label").agg(nw.len().alias("n"), *sums)).select("label", "n", *added)
    if table["n"].sum() >= MOST_ROWS:
        raise SourceError("a lazy frame must have fewer than 2**33 records here: write them to Parquet files")
    return [
        (
            value,
            digits.recombined(0, int(n), [int(x) for x in found[: len(split)]], [int(x) for x in found[len(split) :]]),
        )
        for value, n, *found in table.rows()
    ]


def lazy_bins(frame: nw.LazyFrame[Any], columns: Mapping[str, tuple[Grid, int]]) -> Groups:
    """The occupied cells of the histogram."""
    codes = code_expressions(frame, {name: grid for name, (grid, _) in columns.items()})
    bins = {
        f"b{i}": (code * size // grid.steps).clip(0, size - 1)
        for i, (code, (grid, size)) in enumerate(zip(codes, columns.values(), strict=True))
    }
    table = collected(
        frame.select(*(bin_.alias(name) for name, bin_ in bins.items())).group_by(*bins).agg(nw.len().alias("n"))
    ).select(*bins, "n")
    return [(row[:-1], int(row[-1])) for row in table.rows()]
