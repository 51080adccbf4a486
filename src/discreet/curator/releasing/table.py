"""The table release: which cells, which noise, and how the counts go through the gate."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.curator.releasing.count_noise import check_counts, count_mechanism, draw_counts
from discreet.curator.releasing.plan import Plan, PublicSize, Records, specification
from discreet.curator.releasing.programs import versions
from discreet.errors import DiscreetError, InvalidInput
from discreet.mechanisms import TableSpecification
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.release import TableRelease
from discreet.release.integers import Integers
from discreet.schema import Schema

MAX_CELLS = 10**7
"""Drawn numbers in one table; what they take is stated in docs/how-to/wide.md."""


def plan_table(
    schema: Schema,
    public: PublicSize,
    currency: Currency,
    columns: str | Sequence[str],
    guarantee: Guarantee,
    mechanism: TableSpecification | None = None,
) -> Plan:
    """Check and price a table of `columns` before anything is charged; every error here is free and data-independent."""
    reached = count_mechanism(schema, guarantee, mechanism)
    names = _names(schema, columns)
    part = schema.select(names)
    shape = tuple(len(part.categorical(name).categories) for name in names)
    group_axis = None if schema.fixed not in names else names.index(schema.fixed)
    cells = _cells(shape, group_axis, other=not schema.complete)
    if cells > MAX_CELLS:
        raise InvalidInput(
            f"a table of {' x '.join(map(str, shape))} has {cells:,} cells; at most {MAX_CELLS:,} are released at once"
        )
    cost = reached.cost(currency)
    cap = check_counts(schema, public, reached)
    noise = reached.law.on(shape, other=not schema.complete, group_axis=group_axis)

    def make(records: Records) -> TableRelease:
        exact = Integers(records.tabulate(names))
        if group_axis is not None and _group_sizes(exact, shape, group_axis) != public.groups:
            raise DiscreetError("the records changed since they were counted")
        drawn = draw_counts(exact, cells, public, reached, cap)
        return TableRelease(
            schema=part,
            column_names=names,
            drawn=drawn.integers,
            exponent=drawn.exponent,
            mechanism=reached.name,
            scale=reached.scale,
            guarantee=guarantee,
            cost=cost,
            n=public.n,
            versions=versions(),
            group_sizes=None if group_axis is None else public.groups,
        )

    return Plan(
        verb="table",
        specification=specification(
            "table",
            part,
            columns=names,
            guarantee=guarantee.to_dict(),
            mechanism=reached.name,
            scale=reached.scale.hex(),
        ),
        schema=schema,
        cost=cost,
        accuracy={"noise_sd": noise.cell_sd, "half_width": noise.ppf(0.975), "cells": float(cells)},
        mechanism=reached.name,
        make=make,
    )


def _cells(shape: tuple[int, ...], group_axis: int | None, *, other: bool) -> int:
    """How many numbers are drawn. By group: the declared labels and, unless complete, that of the undeclared ones."""
    if group_axis is None:
        return math.prod(shape) + other
    labels = shape[group_axis]
    return (labels + other) * (math.prod(shape) // labels + other)


def _group_sizes(exact: Integers, shape: tuple[int, ...], group_axis: int) -> tuple[int, ...]:
    """The sum of each group of a table by group, the undeclared one last: `discreet.release.tables.layout` in reverse."""
    size, labels = math.prod(shape), shape[group_axis]
    counts = exact.array
    sums = np.moveaxis(counts[:size].reshape(shape), group_axis, 0).reshape(labels, -1).sum(1)
    if len(exact) > size:
        undeclared = counts[size : size + size // labels].sum()
        sums = np.append(sums, undeclared) + counts[size + size // labels :]
    return tuple(sums.tolist())


def _names(schema: Schema, columns: str | Sequence[str]) -> tuple[str, ...]:
    if not isinstance(columns, Sequence):
        raise InvalidInput(f"columns must be a name or a list of names, not {columns!r}")
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    if not names:
        raise InvalidInput("a table needs at least one column")
    for name in names:
        schema.categorical(name)
    if len(set(names)) < len(names):
        raise InvalidInput(f"each column may be tabulated once, not {list(names)}")
    if names == (schema.fixed,):
        raise InvalidInput(
            f"the sizes of the groups of {schema.fixed!r} are public as it is fixed (curator.group_sizes) and need no noise; "
            "tabulate another column by it"
        )
    return names
