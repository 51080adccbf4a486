"""The table release: which cells, which noise, and how the counts go through the gate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.metadata import version

from discreet.curator import gate
from discreet.curator.releasing.plan import Plan, Records, specification
from discreet.errors import DiscreetError, InvalidInput, NotAvailable
from discreet.mechanisms import TableSpecification, default_for_table
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.release import TableRelease
from discreet.schema import Schema

MAX_CELLS = 10**6


def plan_table(
    schema: Schema,
    n: int,
    currency: Currency,
    columns: str | Sequence[str],
    guarantee: Guarantee,
    mechanism: TableSpecification | None = None,
) -> Plan:
    """Check and price a table of `columns` before anything is charged; every error here is free and data-independent."""
    _supported(schema)
    names = _names(schema, columns)
    part = schema.select(names)
    shape = tuple(len(part.categorical(name).categories) for name in names)
    cells = math.prod(shape) + (not schema.complete)
    if cells > MAX_CELLS:
        raise InvalidInput(
            f"a table of {' x '.join(map(str, shape))} has {cells:,} cells; at most {MAX_CELLS:,} are released at once"
        )
    chosen = default_for_table(guarantee, schema.adjacency) if mechanism is None else mechanism
    if not hasattr(chosen, "for_table"):
        raise InvalidInput(
            f"mechanism must be a specification such as discreet.mechanisms.Laplace(), not {mechanism!r}"
        )
    reached = chosen.for_table(guarantee, schema.adjacency)
    cost = reached.cost(currency)
    gate.check_draw(family=reached.family, scale=reached.scale, cap=n)
    noise = reached.law.on(shape, other=not schema.complete)

    def make(records: Records) -> TableRelease:
        exact = records.tabulate(names)
        if len(exact) != cells or sum(exact) != n:
            raise DiscreetError("the records changed since they were counted")
        drawn = gate.draw_noise(exact, family=reached.family, scale=reached.scale, cap=n)
        return TableRelease(
            schema=part,
            column_names=names,
            drawn=drawn.integers,
            exponent=drawn.exponent,
            mechanism=reached.name,
            scale=reached.scale,
            guarantee=guarantee,
            cost=cost,
            n=n,
            versions={"discreet": version("discreet"), "opendp": gate.opendp_version()},
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


def _supported(schema: Schema) -> None:
    if schema.adjacency != "replace-one":
        raise NotAvailable(
            f"a table under adjacency={schema.adjacency!r} is not available yet for this release; use 'replace-one'"
        )
    if schema.fixed is not None:
        raise NotAvailable(
            f"a table under fixed={schema.fixed!r} is not available yet for this release; leave out fixed="
        )


def _names(schema: Schema, columns: str | Sequence[str]) -> tuple[str, ...]:
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    if not names:
        raise InvalidInput("a table needs at least one column")
    for name in names:
        schema.categorical(name)
    if len(set(names)) < len(names):
        raise InvalidInput(f"each column may be tabulated once, not {list(names)}")
    return names
