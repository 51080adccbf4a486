"""The price of a plan: what its releases cost, and for each test that waits for them the smallest effect that it would find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.curator.batch import Quote
from discreet.runs.detectable import SmallestEffect, smallest_effect
from discreet.runs.inference_step import TestStep
from discreet.runs.plan_file import RunPlan
from discreet.runs.prepare import prepared


@dataclass(frozen=True)
class PlanQuote(Quote):
    """A `Quote` of the releases of a plan, and what its tests could find.

    Attributes
    ----------
    smallest_effects : mapping from name to SmallestEffect
        Of the tests with a release that is yet to be paid; what was released can be tested.
    """

    smallest_effects: Mapping[str, SmallestEffect]


def price_plan(plan: RunPlan) -> PlanQuote:
    """What a plan would cost, how accurate its releases would be, and which effects its tests would find.

    Spends nothing, and checks all that a run checks.
    """
    effects: dict[str, SmallestEffect] = {}

    def examine(test: TestStep, made_up: Sequence[Any]) -> None:
        effects[test.name] = smallest_effect(test, made_up)

    with prepared(plan, examine) as ready:
        quote = ready.quote
    return PlanQuote(quote.lines, quote.cost, quote.to_pay, quote.remaining, quote.refusal, effects)
