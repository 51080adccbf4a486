"""The histogram release: the noise of a table on the counts of equal cells of the declared bounds."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.curator import gate
from discreet.curator.releasing.plan import Plan, PublicSize, Records, specification
from discreet.curator.releasing.programs import versions
from discreet.errors import DiscreetError, InvalidInput
from discreet.mechanisms import TableSpecification, default_for_table
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.sensitivity import table as table_sensitivity
from discreet.release.densities.histogram import HistogramRelease, check_bins
from discreet.release.validation import whole_number
from discreet.schema import Schema

FEW_CODES = 10
"""Cells with fewer grid points than this show it in their counts when some hold one more than others."""


def plan_histogram(
    schema: Schema,
    public: PublicSize,
    currency: Currency,
    column: str | Sequence[str],
    bins: int | Sequence[int],
    guarantee: Guarantee,
    mechanism: TableSpecification | None = None,
) -> Plan:
    """Check and price a histogram before anything is charged; every error here is free and data-independent.

    Guarantee: that of the table mechanism. Every record falls into exactly one cell, by a function of that record alone, so
    the sensitivity is that of a table: replacing a record moves the counts by e_i - e_j (L1 = 2, L2^2 = 2), adding or
    removing one by e_i (1, 1).
    """
    table_sensitivity(schema.adjacency, fixed=schema.fixed)
    if not isinstance(column, str | list | tuple):
        raise InvalidInput(f"column is a name or a list of names, not {column!r}")
    names = (column,) if isinstance(column, str) else tuple(column)
    cells = _cells(bins, len(names))
    check_bins(schema, names, cells)
    part = schema.select(names)
    chosen = default_for_table(guarantee, schema.adjacency) if mechanism is None else mechanism
    if isinstance(chosen, type) or not hasattr(chosen, "for_table"):
        raise InvalidInput(
            f"mechanism must be a specification such as discreet.mechanisms.Laplace(), not {mechanism!r}"
        )
    reached = chosen.for_table(guarantee, schema.adjacency)
    cost = reached.cost(currency)
    cap = schema.max_rows if public.n is None else public.n
    gate.check_draw(family=reached.family, scale=reached.scale, cap=cap, integer=reached.integer)
    noise = reached.law.on(cells)

    def make(records: Records) -> HistogramRelease:
        exact = records.count_bins(names, cells)
        if len(exact) != noise.size or (public.n is not None and sum(exact) != public.n):
            raise DiscreetError("the records changed since they were counted")
        # Where n is not public, no error may tell that it passed the cap. Capping moves a count no further than it moved.
        drawn = gate.draw_noise(
            [min(x, cap) for x in exact],
            family=reached.family,
            scale=reached.scale,
            cap=cap,
            integer=reached.integer,
        )
        return HistogramRelease(
            schema=part,
            column_names=names,
            bins=cells,
            drawn=drawn.integers,
            exponent=drawn.exponent,
            mechanism=reached.name,
            scale=reached.scale,
            guarantee=guarantee,
            cost=cost,
            n=public.n,
            versions=versions(),
        )

    return Plan(
        verb="histogram",
        specification=specification(
            "histogram",
            part,
            columns=names,
            bins=cells,
            guarantee=guarantee.to_dict(),
            mechanism=reached.name,
            scale=reached.scale.hex(),
        ),
        schema=schema,
        cost=cost,
        accuracy={"noise_sd": noise.cell_sd, "half_width": noise.ppf(0.975), "cells": float(noise.size)},
        mechanism=reached.name,
        make=make,
        notes=_notes(schema, names, cells),
    )


def _cells(bins: int | Sequence[int], columns: int) -> tuple[int, ...]:
    """One number of cells for all columns, or one for each."""
    if isinstance(bins, list | tuple):
        return tuple(whole_number("a number of cells", m) for m in bins)
    return (whole_number("bins, the number of cells,", bins),) * columns


def _notes(schema: Schema, names: tuple[str, ...], cells: tuple[int, ...]) -> tuple[str, ...]:
    """Cells of few grid points, some with one more than others, would look like steps of the density."""
    notes = []
    for name, m in zip(names, cells, strict=True):
        few, over = divmod(schema.numeric(name).steps, m)
        if over and few < FEW_CODES:
            notes.append(
                f"The {m} cells of {name!r} hold {few} or {few + 1} grid points, which shows in their counts; a number of "
                f"cells that divides {schema.numeric(name).steps} avoids it."
            )
    return tuple(notes)
