"""Before a plan is run: everything is checked, priced and rehearsed, and nothing is spent."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.curator import Curator
from discreet.curator.batch import Call, Line, Quote, quote, rehearse
from discreet.errors import DiscreetError, LedgerError, NotApplicable
from discreet.runs.folder import Progress, noted
from discreet.runs.inference_step import TestStep
from discreet.runs.plan_file import RunPlan


@dataclass(frozen=True, eq=False)
class Prepared:
    """A plan whose every step was checked, with the curator who will carry it out.

    Attributes
    ----------
    plan : RunPlan
    curator : Curator
    quote : Quote
        What its releases cost; `quote.refusal` says why the budget has no room for them, if it has none.
    """

    plan: RunPlan
    curator: Curator
    quote: Quote

    @property
    def header(self) -> dict[str, Any]:
        """Whose run it is: the first line of the progress."""
        return {
            "step": "plan",
            "plan": self.plan.name,
            "records": self.plan.records,
            "ledger": self.curator.ledger.ledger_id,
        }


MOST_STARTS = 3
"""Whoever sees when a process dies learns something from its time, which no charge pays for: so not without end."""


Examine = Callable[[TestStep, list[Any]], None]


@contextmanager
def prepared(plan: RunPlan, examine: Examine | None = None) -> Iterator[Prepared]:
    """Check and price a plan: reads what is public of the records, spends nothing, writes nothing.

    `examine` is given each test that needs a release which is yet to be paid, with the made-up ones it was rehearsed on.

    Raises
    ------
    DiscreetError
        Whatever would be refused later: a release or a test that is not allowed, a release that was made before as another
        one, or that was charged and failed.
    """
    ledger: Any = plan.ledger if "://" in plan.ledger else Path(plan.ledger)
    with Curator(plan.source, plan.schema, ledger=ledger) as curator:
        calls = [Call(step.name, step.verb, step.arguments, plan.request_id(step.name)) for step in plan.releases]
        priced = quote(curator, calls)
        progress = noted(plan.output)
        for line in priced.lines:
            if line.state == "charged":
                require_interrupted(line, progress)
        _rehearse_tests(plan, curator, priced, examine)
        yield Prepared(plan, curator, priced)


def require_interrupted(line: Line, progress: Progress | None) -> None:
    """A charge without a release is taken up only where this folder knows that no failure was seen."""
    last = None if progress is None else progress.last(line.request_id)
    again = f"to release it all the same, and pay for it again, give it another name, e.g. {line.name + '-2'!r}"
    if last == "failed":
        raise LedgerError(f"release {line.name!r} failed after its charge, which stays spent; {again}")
    if last != "started":
        raise LedgerError(
            f"release {line.name!r} is charged and not released, and the output folder does not say how that came about: "
            f"run it with the folder it was begun in; or, {again}"
        )
    if progress is not None and progress.starts(line.request_id) >= MOST_STARTS:
        raise LedgerError(
            f"release {line.name!r} was interrupted {MOST_STARTS} times after its charge, which now counts as spent; {again}"
        )


def _rehearse_tests(plan: RunPlan, curator: Curator, priced: Quote, examine: Examine | None) -> None:
    """Make every test of releases that are yet to be paid on made-up ones, so that one that cannot be made costs nothing."""
    pending = {line.name: line for line in priced.lines if line.state != "released"}
    made_up: dict[str, Any] = {}
    for test in plan.tests:
        if not pending.keys() & set(test.releases):
            continue
        for name in test.releases:
            if name not in made_up:
                line = next(line for line in priced.lines if line.name == name)
                made_up[name] = rehearse(curator, line)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                test.rehearse([made_up[name] for name in test.releases])
        except NotApplicable:
            pass  # it depends on the numbers, and those are made up
        except DiscreetError as problem:
            raise type(problem)(f"test {test.name!r}: {problem}") from None
        if examine is not None:
            examine(test, [made_up[name] for name in test.releases])
