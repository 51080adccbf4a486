"""The distribution function release: counts of cells through the square root of the cumulative sum, and the gate."""

from __future__ import annotations

import math

from discreet.curator import gate
from discreet.curator.releasing.plan import Plan, PublicSize, Records, specification
from discreet.curator.releasing.programs import versions
from discreet.errors import DiscreetError, InvalidInput, NotAvailable
from discreet.mechanisms.densities.square_root import MOST_CELLS, UNIT, SquareRoot
from discreet.mechanisms.densities.vector import additive, replace_one_only
from discreet.noise import CumulativeNoise
from discreet.privacy import PureDP
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.release.densities.cdf import CdfRelease
from discreet.schema import Schema

DEFAULT_POINTS = 1024


def plan_cdf(
    schema: Schema,
    public: PublicSize,
    currency: Currency,
    column: str,
    guarantee: Guarantee,
    points: int | None = None,
) -> Plan:
    """Check and price a distribution function before anything is charged; every error here is free and data-independent.

    Guarantee: `discreet.mechanisms.densities.vector.additive` on the integers C x, with their exact sensitivity
    (`SquareRoot.sensitivity`). The last cell is not used; its count is n minus the others, and n is public.
    """
    replace_one_only(schema.adjacency, "a distribution function", "use .histogram(...)")
    if isinstance(guarantee, PureDP):
        raise NotAvailable(
            "a distribution function is released with Gaussian noise, which has no finite pure epsilon: state GaussianDP(mu) "
            "or ZeroConcentratedDP(rho), or use .histogram(...) or .sample(...), which are pure"
        )
    bounds = schema.numeric(column)
    root = SquareRoot(min(DEFAULT_POINTS, bounds.steps) if points is None else points)
    if root.cells > bounds.steps:
        raise InvalidInput(
            f"{root.cells} points of column {column!r}: from 2 to {min(bounds.steps, MOST_CELLS)}, the number of grid steps "
            "in its declared bounds"
        )
    if not public.n:
        raise InvalidInput("a distribution function needs at least one record")
    part = schema.select([column])
    reached = additive(guarantee, root.sensitivity)
    cost = reached.cost(currency)
    n, cap = public.n, public.n * UNIT
    gate.check_draw(family=reached.family, scale=reached.scale, cap=cap)
    largest = float(CumulativeNoise(reached.scale / UNIT, root.weights).cell_sds[-1])

    def make(records: Records) -> CdfRelease:
        counts = records.count_bins((column,), (root.cells,))
        if len(counts) != root.cells or sum(counts) != n:
            raise DiscreetError("the records changed since they were counted")
        drawn = gate.draw_noise(root.sums(counts), family=reached.family, scale=reached.scale, cap=cap)
        return CdfRelease(
            schema=part,
            column_name=column,
            drawn=tuple(drawn.integers),
            exponent=drawn.exponent,
            mechanism=reached.name,
            scale=reached.scale,
            guarantee=guarantee,
            cost=cost,
            n=n,
            versions=versions(),
        )

    return Plan(
        verb="cdf",
        specification=specification(
            "cdf",
            part,
            column=column,
            points=root.cells,
            guarantee=guarantee.to_dict(),
            mechanism=reached.name,
            scale=reached.scale.hex(),
        ),
        schema=schema,
        cost=cost,
        accuracy={"largest_noise_sd": largest, "share_sd": largest / n, "cells": float(root.cells)},
        mechanism=reached.name,
        make=make,
        notes=_notes(root.cells, n, bounds.steps, math.sqrt(reached.sensitivity.l2_squared) / reached.scale),
    )


def _notes(cells: int, n: int, steps: int, mu: float) -> tuple[str, ...]:
    """Where the cells are so wide that they, and not the noise, limit the accuracy."""
    wanted = min(steps, MOST_CELLS, math.ceil(n * mu))
    if cells >= wanted:
        return ()
    return (
        f"With {cells} points the width of a cell may matter more than the noise; points={wanted} would balance them.",
    )
