"""SQL for the codes of numeric columns: the operations of `numeric` in the same order, on DuckDB's doubles.

What is fast in DuckDB: arithmetic on doubles, abs(), floor() and casts. What is slow: least(), greatest(), comparisons of
doubles, and products of integers, which are checked for overflow. So codes stay doubles (whole numbers, counted from the
centre of the grid, at most 2**30 in size), the common case is one comparison, and a product becomes an integer to be added.

A Parquet file's statistics leave NaN out, and DuckDB believes them: it takes `x <= 1` for true, and `isnan(x)` for false,
without looking (duckdb issue 25521). So nothing here may be compared before its statistics are lost: the reader of files has
that optimiser switched off, and on a user's connection a value passes through `veiled`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.curator.source.encode import Groups
from discreet.curator.source.moments import pairs
from discreet.curator.source.numeric import Grid

WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
_FLOATS = {"FLOAT", "DOUBLE"}
_WIDE = {"HUGEINT", "UHUGEINT", "BIGNUM"}
INTEGERS = WHOLE | _WIDE
_EXACT = 2**53


def number_sql(column: str, sql_type: str) -> str:
    """The DOUBLE of a column: NULL or NaN where it is missing, everywhere where no value of the type is a number.

    Wide integers and decimals go through their text, because DuckDB rounds them twice on the direct way.
    """
    if sql_type in WHOLE | _FLOATS | {"BOOLEAN"}:
        return f"CAST({column} AS DOUBLE)"
    if sql_type in _WIDE or sql_type.startswith("DECIMAL("):
        return f"CAST(CAST({column} AS VARCHAR) AS DOUBLE)"
    if sql_type == "VARCHAR" or sql_type.startswith("ENUM("):
        return _text_sql(f"CAST({column} AS VARCHAR)")
    return "NULL::DOUBLE"


def veiled(number: str) -> str:
    """The same value, of which DuckDB knows no statistics: a branch that is a bare NULL has none."""
    return f"CASE WHEN {number} IS NULL THEN NULL ELSE {number} END"


def _text_sql(text: str) -> str:
    """DuckDB reads as numbers what `numeric` does, "_" between digits, and "+-". As bytes, because of collations."""
    return (
        f"CASE WHEN contains({text}, '_') OR contains({text}, '+-') THEN NULL ELSE coalesce(TRY_CAST({text} AS DOUBLE), "
        f"CASE encode(lower({text})) WHEN encode('true') THEN 1.0::DOUBLE WHEN encode('false') THEN 0.0::DOUBLE END) END"
    )


def centred_sql(value: str, grid: Grid) -> str:
    """`d` of the definition: NULL, NaN and infinite where the value is."""
    above = f"({value} - {double(grid.lower)})" if grid.lower else value
    return f"floor({above} * {double(grid.scale)} + {double(grid.shift)})"


def clamped_sql(d: str, grid: Grid) -> str:
    """The code counted from the grid's centre, a DOUBLE, from `d`. NaN is above infinity here; NULL makes no condition true."""
    low, high, missing = (double(end - grid.centre) for end in (0, grid.steps, grid.missing))
    return (
        f"CASE WHEN abs({d}) <= {double(grid.centre)} THEN {d} WHEN {d} < {low} THEN {low} "
        f"WHEN NOT isnan({d}) THEN {high} ELSE {missing} END"
    )


def bins_sql(numbers: Sequence[str], cuts: Sequence[tuple[Grid, int]], records: str) -> str:
    """A row a cell: the bins j m // J of the codes j (see `binned_sql`), and the number of records."""
    return f"SELECT *, count(*) FROM ({binned_sql(numbers, cuts, records)}) GROUP BY ALL"


def binned_sql(numbers: Sequence[str], cuts: Sequence[tuple[Grid, int]], records: str, carried: str = "") -> str:
    """A row a record: the bins b0, b1, ... of its codes; before them the column `carried`, named u, if there is one.

    The bin of code J is m, and a number above the bounds may fall into one beyond; the caller puts them into bin m - 1. Where
    the bins fit 16 bits, a failed cast finds the numbers below the bounds and the missing ones, and a bin is
    floor((j + 2**-20) r), r the double nearest to m/J: j m/J lies at least 1/J below the next whole number, which
    2**-20 m/J does not reach, while it exceeds the rounding errors, below 2 m 2**-52, because J <= 2**31.
    """
    values = ", ".join(f"{number} AS v{i}" for i, number in enumerate(numbers))
    centred = ", ".join(f"{centred_sql(f'v{i}', grid)} AS d{i}" for i, (grid, _) in enumerate(cuts))
    tried = ", ".join(f"d{i}, {_tried(f'd{i}', *cut)} AS b{i}" for i, cut in enumerate(cuts))
    bins = ", ".join(f"{_binned(f'd{i}', f'b{i}', *cut)} AS b{i}" for i, cut in enumerate(cuts))
    first, u = (f"{carried} AS u, ", "u, ") if carried else ("", "")
    inner = f"SELECT {u}{tried} FROM (SELECT {u}{centred} FROM (SELECT {first}{values} FROM {records}))"
    return f"SELECT {u}{bins} FROM ({inner})"


def groups_sql(columns: Sequence[str], most: int, records: str) -> str:
    """A row a group of equal integers, as doubles, and the number of records; at most `most` of them."""
    raw = ", ".join(f"{column} AS r{i}" for i, column in enumerate(columns))
    shown = ", ".join(f"CAST(r{i} AS DOUBLE)" for i in range(len(columns)))
    grouped = f"SELECT {raw}, count(*) AS number FROM {records} GROUP BY {', '.join(columns)} LIMIT {most}"
    return f"SELECT {shown}, number FROM ({grouped})"


def bins_of_groups(rows: Sequence[Sequence[Any]], cuts: Sequence[tuple[Grid, int]]) -> Groups:
    """The bins j m // J of the codes j of the groups, at most m - 1: by the definition itself, not in SQL."""
    bins = []
    for place, (grid, size) in enumerate(cuts):
        codes = grid.codes(np.array([row[place] for row in rows], float))  # None becomes NaN
        bins.append(np.minimum(codes * size // grid.steps, size - 1).tolist())
    return [(place, row[-1]) for place, row in zip(zip(*bins, strict=True), rows, strict=True)]


def _bin_type(bins: int) -> str:
    return "UTINYINT" if bins < 2**8 else "USMALLINT" if bins < 2**16 else ""


def _tried(d: str, grid: Grid, bins: int) -> str:
    sql_type = _bin_type(bins)
    if not sql_type:
        return "NULL"
    if bins == grid.steps + 1:
        return f"TRY_CAST({d} + {double(grid.centre)} AS {sql_type})"
    return f"TRY_CAST(floor(({d} + {double(grid.centre + 2**-20)}) * {double(bins / grid.steps)}) AS {sql_type})"


def _binned(d: str, tried: str, grid: Grid, bins: int) -> str:
    sql_type, missing = _bin_type(bins), grid.missing * bins // grid.steps
    if not sql_type:
        code = f"({clamped_sql(d, grid)} + {double(grid.centre)})"
        if grid.steps * bins < _EXACT:
            return f"CAST({_bin(code, grid, bins)} AS INTEGER)"
        return f"CAST({code} AS BIGINT) * {bins} // {grid.steps}"
    return (
        f"CASE WHEN {tried} IS NULL THEN CASE WHEN {d} < {double(-grid.centre)} THEN 0::{sql_type} "
        f"WHEN NOT isnan({d}) THEN {bins}::{sql_type} ELSE {missing}::{sql_type} END ELSE {tried} END"
    )


def _bin(code: str, grid: Grid, bins: int) -> str:
    """In doubles, which is exact: a whole number below 2**53, divided by J, does not round up to the next whole number."""
    if bins == grid.steps + 1:
        return code
    if grid.steps % bins:
        return f"floor({code} * {double(bins)} / {double(grid.steps)})"
    return f"floor({code} / {double(grid.steps // bins)})"


def double(number: float) -> str:
    """A double as an SQL literal, exactly: a bare 0.1 would be a DECIMAL."""
    return f"'{float(number)!r}'::DOUBLE"


def sums_sql(
    numbers: Sequence[str], grids: Sequence[Grid], label: str | None, records: str, *, products: bool, small: str
) -> str:
    """A row a label (NULL: none): the number of records, the sums of the centred codes, and those of their products.

    The sum of an integer is a HUGEINT. `small` is the function that adds up integers of 32 bits: sum, or sum_no_overflow,
    which is exact for fewer than 2**32 records.
    """
    values = [f"{number} AS v{i}" for i, number in enumerate(numbers)]
    centred = [f"{centred_sql(f'v{i}', grid)} AS d{i}" for i, grid in enumerate(grids)]
    codes = [f"{clamped_sql(f'd{i}', grid)} AS j{i}" for i, grid in enumerate(grids)]
    added = [f"{small}(CAST(j{i} AS INTEGER))" for i in range(len(grids))]
    for i, j in pairs(len(grids)) if products else []:
        largest = (grids[i].steps - grids[i].centre) * (grids[j].steps - grids[j].centre)
        if largest < 2**31:
            added.append(f"{small}(CAST(j{i} * j{j} AS INTEGER))")
        elif largest < _EXACT:
            added.append(f"sum(CAST(j{i} * j{j} AS BIGINT))")
        else:
            added.append(f"sum(CAST(j{i} AS BIGINT) * CAST(j{j} AS BIGINT))")
    kept = "" if label is None else "label, "
    inner = f"SELECT {'' if label is None else f'{label} AS label, '}{', '.join(values)} FROM {records}"
    coded = f"SELECT {kept}{', '.join(codes)} FROM (SELECT {kept}{', '.join(centred)} FROM ({inner}))"
    grouped = f"SELECT {'NULL' if label is None else 'label'}, count(*), {', '.join(added)} FROM ({coded})"
    return grouped if label is None else f"{grouped} GROUP BY label"


def flaws_sql(number: str, column: str, sql_type: str, grid: Grid, records: str) -> str:
    """The numbers of records whose value is null or NaN, below, above, and no number."""
    missing = "v IS NULL OR isnan(v)" if sql_type in _FLOATS else "x IS NULL"
    return (
        f"SELECT count(*) FILTER ({missing}), count(*) FILTER (v < {double(grid.lower)}), "
        f"count(*) FILTER (v > {double(grid.upper)} AND NOT isnan(v)), "
        f"count(*) FILTER (NOT ({missing}) AND isnan(coalesce(v, 'nan'::DOUBLE))) "
        f"FROM (SELECT {column} AS x, {number} AS v FROM {records})"
    )
