"""The histogram release: the noise of a table on the counts of equal cells of the declared bounds."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.curator.releasing.count_noise import check_counts, count_mechanism, draw_counts
from discreet.curator.releasing.plan import Plan, PublicSize, Records, specification
from discreet.curator.releasing.programs import versions
from discreet.errors import InvalidInput
from discreet.mechanisms import TableSpecification
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
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
    reached = count_mechanism(schema, guarantee, mechanism)
    if not isinstance(column, str | list | tuple):
        raise InvalidInput(f"column is a name or a list of names, not {column!r}")
    names = (column,) if isinstance(column, str) else tuple(column)
    cells = _cells(bins, len(names))
    check_bins(schema, names, cells)
    part = schema.select(names)
    cost = reached.cost(currency)
    cap = check_counts(schema, public, reached)
    noise = reached.law.on(cells)

    def make(records: Records) -> HistogramRelease:
        drawn = draw_counts(records.count_bins(names, cells), noise.size, public, reached, cap)
        return HistogramRelease(
            schema=part,
            column_names=names,
            bins=cells,
            drawn=tuple(drawn.integers),
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
