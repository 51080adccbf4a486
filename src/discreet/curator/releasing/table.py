"""The table release: which cells, which noise, and how the counts go through the gate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

import numpy as np

from discreet.curator import gate
from discreet.curator.releasing.plan import Plan, PublicSize, Records, specification
from discreet.errors import DiscreetError, InvalidInput
from discreet.mechanisms import TableSpecification, default_for_table
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.sensitivity import table as table_sensitivity
from discreet.release import TableRelease
from discreet.schema import Schema

MAX_CELLS = 10**6


def plan_table(
    schema: Schema,
    public: PublicSize,
    currency: Currency,
    columns: str | Sequence[str],
    guarantee: Guarantee,
    mechanism: TableSpecification | None = None,
) -> Plan:
    """Check and price a table of `columns` before anything is charged; every error here is free and data-independent."""
    table_sensitivity(schema.adjacency, fixed=schema.fixed)
    names = _names(schema, columns)
    part = schema.select(names)
    shape = tuple(len(part.categorical(name).categories) for name in names)
    group_axis = None if schema.fixed not in names else names.index(schema.fixed)
    cells = _cells(shape, group_axis, other=not schema.complete)
    if cells > MAX_CELLS:
        raise InvalidInput(
            f"a table of {' x '.join(map(str, shape))} has {cells:,} cells; at most {MAX_CELLS:,} are released at once"
        )
    chosen = default_for_table(guarantee, schema.adjacency) if mechanism is None else mechanism
    if isinstance(chosen, type) or not hasattr(chosen, "for_table"):
        raise InvalidInput(
            f"mechanism must be a specification such as discreet.mechanisms.Laplace(), not {mechanism!r}"
        )
    reached = chosen.for_table(guarantee, schema.adjacency)
    cost = reached.cost(currency)
    cap = schema.max_rows if public.n is None else public.n
    gate.check_draw(family=reached.family, scale=reached.scale, cap=cap, integer=reached.integer)
    noise = reached.law.on(shape, other=not schema.complete, group_axis=group_axis)

    def make(records: Records) -> TableRelease:
        exact = records.tabulate(names)
        if len(exact) != cells or (public.n is not None and sum(exact) != public.n):
            raise DiscreetError("the records changed since they were counted")
        if group_axis is not None and _group_sizes(exact, shape, group_axis) != public.groups:
            raise DiscreetError("the records changed since they were counted")
        # Where n is not public, no error may tell that it passed the cap. Capping moves a count no further than it moved.
        drawn = gate.draw_noise(
            [min(x, cap) for x in exact],
            family=reached.family,
            scale=reached.scale,
            cap=cap,
            integer=reached.integer,
        )
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
            versions=_versions(),
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


@cache
def _versions() -> dict[str, str]:
    """The programs that make a release; looked up once, since reading a package's metadata takes a millisecond."""
    return {"discreet": version("discreet"), "opendp": gate.opendp_version()}


def _cells(shape: tuple[int, ...], group_axis: int | None, *, other: bool) -> int:
    """How many numbers are drawn. By group: the declared labels and, unless complete, that of the undeclared ones."""
    if group_axis is None:
        return math.prod(shape) + other
    labels = shape[group_axis]
    return (labels + other) * (math.prod(shape) // labels + other)


def _group_sizes(exact: Sequence[int], shape: tuple[int, ...], group_axis: int) -> tuple[int, ...]:
    """The sum of each group of a table by group, the undeclared one last: `discreet.release.tables.layout` in reverse."""
    size, labels = math.prod(shape), shape[group_axis]
    counts = np.array(exact, object)
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
