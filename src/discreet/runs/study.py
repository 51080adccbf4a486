"""A run as a report: what of it is said to the reader, in the order in which it is read."""

from __future__ import annotations

import math
from importlib.metadata import PackageNotFoundError, version

from discreet.inference import TestResult
from discreet.release.neighbours import neighbours
from discreet.runs.folder import RELEASES, TESTS
from discreet.runs.outcome import RunOutcome
from discreet.runs.results import holm
from discreet.schema import Schema
from discreet.view.report import Budget, Item, Report, Table, report_html
from discreet.view.theme import probability

PROGRAMS = ("discreet", "numpy", "scipy")


def study_html(outcome: RunOutcome) -> str:
    """The report of a run: one HTML page. It says nothing that its releases, the ledger's entries or the plan do not."""
    plan = outcome.plan
    lines = {line.name: line for line in outcome.quote.lines}
    return report_html(
        Report(
            title=plan.title,
            summary=_summary(outcome),
            promise=_promise(plan.schema),
            results=_results(outcome),
            budget=_budget(outcome),
            releases=tuple(
                Item(
                    name=step.name,
                    what=step.what,
                    subject=outcome.releases[step.name],
                    file=f"{RELEASES}/{step.name}.json",
                    notes=(*([step.note] if step.note else []), *lines[step.name].plan.notes),
                )
                for step in plan.releases
            ),
            tests=tuple(
                Item(
                    name=test.name,
                    what=f"{test.test} on {', '.join(test.releases)}, seed {test.seed}",
                    subject=outcome.results[test.name],
                    file=f"{TESTS}/{test.name}.json",
                    notes=(test.note,) if test.note else (),
                )
                for test in plan.tests
            ),
            plan=plan.text,
            versions=_versions(outcome),
        )
    )


def _summary(outcome: RunOutcome) -> str:
    releases, tests = len(outcome.releases), len(outcome.results)
    made = f"{_number(releases, 'release')} for {outcome.quote.cost} of a budget of {outcome.account.budget}"
    return f"{made}; {outcome.account.remaining} is left. {_number(tests, 'test')}, which cost{'s' * (tests == 1)} nothing."


def _promise(schema: Schema) -> str:
    """Who is protected, in one sentence."""
    return (
        f"Noise or chance went into everything below, so that it would be about as likely if "
        f"{neighbours(schema).replace(' is ', ' were ', 1)}: the guarantees say how nearly. Intervals and p-values take that "
        "into account."
    )


def _results(outcome: RunOutcome) -> Table | None:
    """One line a test."""
    if not outcome.results:
        return None
    adjusted = holm(outcome.results)
    several = sum(not math.isnan(p) for p in adjusted.values()) > 1
    doubtful = any(not isinstance(result, TestResult) or result.warnings for result in outcome.results.values())
    extra = (["adjusted"] if several else []), (["beware"] if doubtful else [])
    head = ["test", "question", "statistic", "df", "p-value", *extra[0], "effect", *extra[1]]
    rows = []
    for name, result in outcome.results.items():
        if not isinstance(result, TestResult):
            rows.append([name, "not applicable", *[""] * (len(head) - 3), "reason below"])
            continue
        effect = result.effect
        numbers = [f"{result.statistic:.4g}", str(result.df), _p(result.pvalue)]
        sizes = f"{effect.name} {effect.value:.3f} [{effect.low:.3f}, {effect.high:.3f}]"
        beware = _number(len(result.warnings), "warning") if result.warnings else ""
        rows.append(
            [
                name,
                result.test,
                *numbers,
                *([_p(adjusted[name])] if several else []),
                sizes,
                *([beware] if doubtful else []),
            ]
        )
    note = "Effects are de-biased for the noise, with 95 % intervals."
    if several:
        note += (
            " Adjusted (Holm): where only values up to 0.05 count as findings, the chance of any false one among these "
            "tests is at most 5 %."
        )
    return Table(tuple(head), tuple(map(tuple, rows)), note, links="test")


def _budget(outcome: RunOutcome) -> Budget:
    """One line a release, and how much of the budget is gone."""
    steps = {step.name: step for step in outcome.plan.releases}
    rows = tuple(
        (
            line.name,
            steps[line.name].what,
            str(steps[line.name].guarantee),
            line.plan.mechanism,
            f"{outcome.account.entries[line.name].when:%Y-%m-%d %H:%M}",
            str(line.plan.cost),
        )
        for line in outcome.quote.lines
    )
    account = outcome.account
    head = ("release", "what", "guarantee", "mechanism", "charged (UTC)", "cost")
    note = (
        f"Together {outcome.quote.cost}. The ledger's budget is {account.budget}: {account.spent} is spent, "
        f"{account.remaining} is left."
    )
    return Budget(Table(head, rows, note, links="release"), account.own_share, account.other_share)


def _versions(outcome: RunOutcome) -> str:
    """The programs that made the releases and the tests."""
    found = {name: version(name) for name in PROGRAMS if _installed(name)}
    for release in outcome.releases.values():
        found.update(release.versions)
    return ", ".join(f"{name} {number}" for name, number in sorted(found.items()))


def _installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _p(p: float) -> str:
    return "< 1e-300" if p < 1e-300 else probability(p)


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
