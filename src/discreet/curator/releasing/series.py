"""The series release: exact fixed-point sums of cosines over the records, through the gate."""

from __future__ import annotations

from discreet.curator import gate
from discreet.curator.releasing.plan import Plan, PublicSize, Records, specification
from discreet.curator.releasing.programs import versions
from discreet.errors import DiscreetError, InvalidInput
from discreet.mechanisms.densities.cosine import UNIT, CosineBasis
from discreet.mechanisms.densities.vector import additive, replace_one_only
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.release.densities.series import SeriesRelease
from discreet.schema import Schema


def plan_series(
    schema: Schema, public: PublicSize, currency: Currency, column: str, terms: int, guarantee: Guarantee
) -> Plan:
    """Check and price a cosine series before anything is charged; every error here is free and data-independent.

    Guarantee: `discreet.mechanisms.densities.vector.additive` on the integer sums T_j = sum over the records of c_j(code),
    with the exact sensitivity of these integers (`CosineBasis.sensitivity`). n is public, so dividing by it is post-processing.
    """
    replace_one_only(
        schema.adjacency, "a series", "use .histogram(...), whose counts can be normalised by their own sum"
    )
    bounds = schema.numeric(column)
    basis = CosineBasis(bounds.steps, terms)
    if not public.n:
        raise InvalidInput("a series needs at least one record: it divides by their number")
    part = schema.select([column])
    reached = additive(guarantee, basis.sensitivity)
    cost = reached.cost(currency)
    n, cap = public.n, public.n * int(basis.table.max())
    gate.check_draw(family=reached.family, scale=reached.scale, cap=cap)
    sd = reached.law.on((terms,)).cell_sd / (UNIT * n)

    def make(records: Records) -> SeriesRelease:
        counts = records.count_codes(column)
        if len(counts) != bounds.steps + 1 or sum(counts) != n:
            raise DiscreetError("the records changed since they were counted")
        drawn = gate.draw_noise(basis.sums(counts), family=reached.family, scale=reached.scale, cap=cap, signed=True)
        return SeriesRelease(
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
        verb="series",
        specification=specification(
            "series",
            part,
            column=column,
            terms=basis.terms,
            guarantee=guarantee.to_dict(),
            mechanism=reached.name,
            scale=reached.scale.hex(),
        ),
        schema=schema,
        cost=cost,
        accuracy={"noise_sd": sd, "terms": float(terms), "noise_squared_error": terms * sd**2},
        mechanism=reached.name,
        make=make,
    )
