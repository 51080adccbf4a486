"""The sample release: a specification becomes a mechanism, and its sampler draws through the gate."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from discreet.curator import gate
from discreet.curator.releasing.plan import Plan, PublicSize, Records, specification
from discreet.errors import InvalidInput
from discreet.mechanisms import Exponential, SampleSpecification
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee
from discreet.release import SampleRelease
from discreet.schema import Schema


def plan_sample(
    schema: Schema,
    public: PublicSize,
    currency: Currency,
    column: str,
    size: int | None,
    guarantee: Guarantee,
    mechanism: SampleSpecification | None = None,
) -> Plan:
    """Check and price a sample of `column` before anything is charged; every error here is free and data-independent."""
    steps = schema.numeric(column).steps
    part = schema.select([column])
    chosen = Exponential() if mechanism is None else mechanism
    if isinstance(chosen, type) or not hasattr(chosen, "for_sample"):
        raise InvalidInput(
            f"mechanism must be a specification such as discreet.mechanisms.Exponential(), not {mechanism!r}"
        )
    reached = chosen.for_sample(size, steps=steps, n=public.n, guarantee=guarantee, adjacency=schema.adjacency)
    cost = reached.cost(currency)
    accuracy = reached.accuracy
    draw: Callable[..., list[int]] = import_module(f"discreet.curator.releasing.samplers.{reached.sampler}").draw

    def make(records: Records) -> SampleRelease:
        return SampleRelease(
            schema=part,
            column_name=column,
            codes=tuple(draw(reached, records, column, gate.choose)),
            mechanism=reached.name,
            parameters=dict(reached.parameters),
            guarantee=guarantee,
            cost=cost,
            n=public.n,
            versions=_versions(),
        )

    public_parts: dict[str, Any] = {
        "column": column,
        "size": reached.size,
        "guarantee": guarantee.to_dict(),
        "mechanism": reached.name,
        "parameters": dict(reached.parameters),
    }
    return Plan(
        verb="sample",
        specification=specification("sample", part, **public_parts),
        schema=schema,
        cost=cost,
        accuracy=accuracy,
        mechanism=reached.name,
        make=make,
    )


@cache
def _versions() -> dict[str, str]:
    return {"discreet": version("discreet")}
