"""Noise on counts: what tables and histograms share, from the choice of the mechanism to the draw."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.curator import gate
from discreet.curator.releasing.plan import PublicSize
from discreet.errors import DiscreetError, InvalidInput, NotAvailable
from discreet.mechanisms import TableMechanism, TableSpecification, default_for_table
from discreet.privacy.guarantee import Guarantee
from discreet.privacy.sensitivity import table as table_sensitivity
from discreet.release.integers import Integers
from discreet.schema import Schema


def count_mechanism(schema: Schema, guarantee: Guarantee, mechanism: TableSpecification | None) -> TableMechanism:
    """The mechanism for counts of which every record moves exactly one, by a function of that record alone.

    Guarantee: that of the table mechanism. The sensitivity is that of a table of records, or of persons who have up to
    `max_records` each (`discreet.privacy.sensitivity.table`).
    """
    records = schema.most_records
    table_sensitivity(schema.adjacency, fixed=schema.fixed, records=records)
    chosen = mechanism
    if chosen is None:
        chosen = default_for_table(guarantee, "replace-one" if schema.n_is_public else "add-remove")
    if isinstance(chosen, type) or not hasattr(chosen, "for_table"):
        raise InvalidInput(
            f"mechanism must be a specification such as discreet.mechanisms.Laplace(), not {mechanism!r}"
        )
    reached = chosen.for_table(guarantee, schema.adjacency, **({} if schema.unit is None else {"records": records}))
    if reached.projected and not schema.n_is_public:
        raise NotAvailable(
            f"{reached.name} needs a public total, which persons of unit={schema.unit!r} do not have: their numbers of "
            "records are not public; use Gaussian()"
        )
    return reached


def check_counts(schema: Schema, public: PublicSize, reached: TableMechanism) -> int:
    """The largest count that can occur, for which the noise fits the gate; what does not fit is refused before a charge."""
    cap = schema.max_rows if public.n is None else public.n
    gate.check_draw(family=reached.family, scale=reached.scale, cap=cap, integer=reached.integer)
    return cap


def draw_counts(
    exact: Sequence[int] | Integers, cells: int, public: PublicSize, reached: TableMechanism, cap: int
) -> gate.GateDraw:
    """The noisy counts, as integers on the gate's grid.

    Where n is not public, no error may tell that it passed the cap. Capping moves a count no further than it moved.
    """
    counts = Integers(exact)
    if len(counts) != cells or (public.n is not None and counts.total() != public.n):
        raise DiscreetError("the records changed since they were counted")
    return gate.draw_noise(
        counts.at_most(cap),
        family=reached.family,
        scale=reached.scale,
        cap=cap,
        integer=reached.integer,
    )
