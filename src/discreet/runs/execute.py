"""The run of a plan: release after release, then the tests, then the report; it can be ended anywhere and taken up again.

What is on the disk, and when:

1. `started` is noted, then the ledger is charged, the records are read, and the ledger stores the release: before that
   nothing of it leaves the process. Then the release's file is written, then `released` is noted.
2. A run that is repeated asks the ledger for every release by its name. One that is stored there costs nothing. One that is
   charged and not stored, because the process died in between, is made under that charge: nothing of it was seen. One that
   *failed* was seen to fail, and its charge is what that has cost; `failed` is noted, and a new name is a new charge.
3. Tests and report are made of the releases anew each time, with the same seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

from discreet.curator.batch import Line, account, make
from discreet.errors import BudgetExceeded, DiscreetError, InvalidInput, NotApplicable, ReleaseFailed
from discreet.inference import TestResult
from discreet.runs.folder import RELEASES, REPORT, Progress, opened, write_text
from discreet.runs.inference_step import TestStep
from discreet.runs.outcome import RunOutcome
from discreet.runs.plan_file import RunPlan
from discreet.runs.prepare import Prepared, prepared, require_interrupted
from discreet.runs.results import write_results
from discreet.runs.study import study_html

Around = Callable[[str], AbstractContextManager[Any]]


def run_plan(plan: RunPlan, *, around: Around = nullcontext) -> RunOutcome:
    """Run a plan, or what is left of it: pay for its releases, make them and its tests, write files and report.

    Parameters
    ----------
    plan : RunPlan
    around : function, optional
        A context manager for each step, given its description.

    Raises
    ------
    BudgetExceeded
        There is no room for all its releases; nothing was charged.
    ReleaseFailed
        A release failed after its charge. Those before it are made; those after it are not charged.
    DiscreetError
        As `prepared` does; nothing was charged.
    """
    with ExitStack() as stack:
        with around("checking the plan"):
            ready = stack.enter_context(prepared(plan))
        if ready.quote.refusal is not None:
            raise BudgetExceeded(ready.quote.refusal)
        progress = stack.enter_context(opened(plan.output, ready.header))
        releases: dict[str, Any] = {}
        for number, line in enumerate(ready.quote.lines, start=1):
            with around(f"release {number} of {len(ready.quote.lines)}: {line.name}"):
                releases[line.name] = _release(ready, line, progress)
        results: dict[str, TestResult | str] = {}
        for number, test in enumerate(plan.tests, start=1):
            with around(f"test {number} of {len(plan.tests)}: {test.name}"):
                results[test.name] = _test(test, releases)
        outcome = RunOutcome(plan, ready.quote, releases, results, account(ready.curator.ledger, ready.quote))
        with around("writing the report"):
            write_results(plan, results)
            write_text(plan.output / REPORT, study_html(outcome))
        progress.note(step="done")
    return outcome


def _release(ready: Prepared, line: Line, progress: Progress) -> Any:
    """One release: from the ledger if it is stored there, else made; then its file."""
    step = {"release": line.name, "request_id": line.request_id}
    if line.state == "charged":
        require_interrupted(line, progress)  # again, now that no other process can be at work in this folder
    if line.state != "released":
        progress.note(step="started", **step)
    try:
        release = make(ready.curator, line)
    except ReleaseFailed as failure:
        progress.note(step="failed", **step)
        raise ReleaseFailed(f"release {line.name!r}: {failure} (here: give it another name)") from None
    path = ready.plan.output / RELEASES / f"{line.name}.json"
    try:
        release.save(path)
    except InvalidInput as problem:
        raise InvalidInput(f"{problem}; the ledger keeps it: run the plan again and it is written at no cost") from None
    progress.note(step="released", **step)
    return release


def _test(test: TestStep, releases: Mapping[str, Any]) -> TestResult | str:
    try:
        return test.apply([releases[name] for name in test.releases])
    except NotApplicable as reason:
        return str(reason)
    except DiscreetError as problem:
        raise type(problem)(f"test {test.name!r}: {problem}") from None
