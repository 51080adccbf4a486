"""`discreet run`: a study in one file, priced as a whole, paid once, tested and reported; taken up again after a crash."""

from __future__ import annotations

from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.amounts import cost_as_data, in_words
from discreet.cli.boundary import confidential
from discreet.cli.files import check_ledger, ledger_place
from discreet.cli.options import Json, example
from discreet.cli.output import emit, facts, heading, printable, probability, warning
from discreet.cli.progress import working
from discreet.cli.views.table import empty_table
from discreet.errors import BudgetExceeded

if TYPE_CHECKING:
    from discreet.curator.batch import Line, Quote
    from discreet.runs import PlanQuote, RunOutcome, RunPlan, SmallestEffect

EXAMPLE = example(
    "discreet ledger create czech.ledger --epsilon 2",
    "discreet run czech_plan.toml --dry-run",
    "discreet run czech_plan.toml",
    heading="Examples:",
)

VIEWS = {"mean": "means", "select": "selection"}
"""The view that knows how accurate a verb's release is, where it does not have the verb's name."""

REHEARSED = ": each was made of made-up numbers, without objection"

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan (TOML).", show_default=False)]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Only check and price everything: costs, accuracy, and what the tests could detect."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FOLDER", help="The folder of the results, instead of the plan's.", show_default=False
    ),
]


def run(plan: PlanFile, dry_run: DryRun = False, output: Output = None, as_json: Json = False) -> None:
    """Run a study: its releases, their tests, and a report. Repeat it after a crash: nothing is paid twice."""
    with confidential(), working("checking the plan"):
        from discreet.runs import price_plan, read_plan

        read = read_plan(plan, output=output)
        check_ledger(ledger_place(read.ledger))
        quote = price_plan(read) if dry_run else None
    if quote is not None:
        emit(_priced(read, quote), lambda: _price_view(read, quote), as_json=as_json)
        if quote.refusal is not None:
            raise BudgetExceeded(quote.refusal)
        return
    with confidential():
        from discreet.runs import run_plan

        outcome = run_plan(read, around=working)
    emit(_done(read, outcome), lambda: _view(outcome), as_json=as_json)


def _priced(plan: RunPlan, quote: PlanQuote) -> dict[str, Any]:
    from discreet.runs.detectable import ASSUMPTION, LEVEL, POWER

    return {
        "command": "run",
        "dry_run": True,
        "plan": plan.name,
        "releases": [_line(line) for line in quote.lines],
        "tests": [test.name for test in plan.tests],
        "smallest_effects": {
            "power": POWER,
            "level": LEVEL,
            "assumption": ASSUMPTION,
            "of": {name: asdict(effect) for name, effect in quote.smallest_effects.items()},
        },
        **_totals(quote),
        "remaining": cost_as_data(quote.remaining),
        "admitted": quote.refusal is None,
        "refusal": quote.refusal,
    }


def _done(plan: RunPlan, outcome: RunOutcome) -> dict[str, Any]:
    from discreet.runs.folder import RELEASES, REPORT, RESULTS
    from discreet.runs.results import result_rows

    folder = plan.output
    return {
        "command": "run",
        "dry_run": False,
        "plan": plan.name,
        "releases": [
            {**_line(line), "file": str(folder / RELEASES / f"{line.name}.json")} for line in outcome.quote.lines
        ],
        "tests": result_rows(plan, outcome.results),
        **_totals(outcome.quote),
        "remaining": cost_as_data(outcome.account.remaining),
        "results": str(folder / RESULTS),
        "report": str(folder / REPORT),
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "verb": line.plan.verb,
        "state": line.state,
        "mechanism": line.plan.mechanism,
        "cost": cost_as_data(line.plan.cost),
        "accuracy": dict(line.plan.accuracy),
        "remaining_after": None if line.remaining is None else cost_as_data(line.remaining),
        **({"notes": list(line.plan.notes)} if line.plan.notes else {}),
    }


def _totals(quote: Quote) -> dict[str, Any]:
    return {
        "cost": cost_as_data(quote.cost),
        "to_pay": None if quote.to_pay is None else cost_as_data(quote.to_pay),
    }


def _price_view(plan: RunPlan, quote: PlanQuote) -> RenderableType:
    from discreet.runs.detectable import ASSUMPTION, LEVEL, POWER

    what = {step.name: step.what for step in plan.releases}
    table = _table("release", "expected accuracy", "cost", "left after")
    for line in quote.lines:
        left = Text("no room", "yellow") if line.remaining is None else Text(_amount(line.remaining))
        table.add_row(_named(line.name, what[line.name]), _accuracy(line), _cost(line), left)
    parts: list[RenderableType] = [heading(f"Price of {plan.name}", "nothing is spent"), "", table, ""]
    if quote.smallest_effects:
        parts += [_effects_view(plan, quote), ""]
    pairs: list[tuple[str, RenderableType]] = [
        ("to pay", "nothing more" if quote.to_pay is None else _amount(quote.to_pay)),
        ("remaining", _amount(quote.remaining)),
        ("tests", f"{len(plan.tests)}, which cost nothing" + ("" if quote.to_pay is None else REHEARSED)),
        ("output", _place(plan.output)),
        *(("note", text) for line in quote.lines for text in line.plan.notes),
    ]
    if not plan.tests:
        pairs.pop(2)
    if any(effect.value is not None for effect in quote.smallest_effects.values()):
        pairs.append(("effects", f"found with power {POWER:g} at level {LEVEL:g}, {ASSUMPTION}"))
    if quote.refusal is not None:
        pairs.append(("", warning("the budget has no room for all of it")))
    return Group(*parts, facts(pairs))


def _effects_view(plan: RunPlan, quote: PlanQuote) -> Table:
    table = _table("test", "smallest effect that it would find")
    for test in plan.tests:
        if test.name in quote.smallest_effects:
            what = f"{test.test} on {', '.join(test.releases)}"
            table.add_row(_named(test.name, what), _smallest(quote.smallest_effects[test.name]))
    return table


def _smallest(effect: SmallestEffect) -> Text:
    if effect.value is None:
        return Text.assemble("–", (f"\n{printable(effect.why_not)}", "dim"))
    return Text(f"{effect.name} {effect.value:.2g}")


def _view(outcome: RunOutcome) -> RenderableType:
    from discreet.inference import TestResult
    from discreet.runs.folder import REPORT

    plan = outcome.plan
    what = {step.name: step.what for step in plan.releases}
    releases = _table("release", "mechanism", "cost")
    for line in outcome.quote.lines:
        releases.add_row(_named(line.name, what[line.name]), line.plan.mechanism, _cost(line))
    tests = _table("test", "p-value", "effect")
    for name, result in outcome.results.items():
        if isinstance(result, TestResult):
            effect = Text(_effect(result))
            if result.warnings:
                effect.append_text(Text("\n")).append_text(warning(_doubts(len(result.warnings))))
            tests.add_row(_named(name, result.test), probability(result.pvalue), effect)
        else:
            tests.add_row(_named(name, ""), "", warning(f"not applicable: {result}"))
    parts: list[RenderableType] = [heading(plan.title), "", releases, ""]
    if outcome.results:
        parts += [tests, ""]
    pairs: list[tuple[str, RenderableType]] = [
        ("paid", "nothing more" if outcome.quote.to_pay is None else _amount(outcome.quote.to_pay)),
        ("remaining", _amount(outcome.account.remaining)),
        ("report", _place(plan.output / REPORT)),
    ]
    return Group(*parts, facts(pairs))


def _table(*head: str) -> Table:
    table = empty_table()
    for name in head:
        table.add_column(name, overflow="fold", no_wrap=name in ("p-value", "cost", "left after"))
    return table


def _named(name: str, what: str) -> Text:
    return Text.assemble(printable(name), (f"\n{printable(what)}" if what else "", "dim"))


def _accuracy(line: Line) -> str:
    view = import_module(f"discreet.cli.views.{VIEWS.get(line.plan.verb, line.plan.verb)}")
    _, pairs = view.accuracy(line.price)
    return "; ".join(f"{text} candidates" if name == "candidates" else str(text) for name, text in pairs)


def _cost(line: Line) -> Text:
    return Text(_amount(line.plan.cost)) if line.state == "new" else Text("paid before", "dim")


def _amount(cost: Any) -> str:
    return in_words(cost_as_data(cost))


def _doubts(warnings: int) -> str:
    return f"{warnings} warning{'s' * (warnings > 1)}: see the report"


def _place(path: Path) -> str:
    """As short as it can be written from here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _effect(result: Any) -> str:
    effect = result.effect
    return f"{effect.name} {effect.value:.3f} [{effect.low:.3f}, {effect.high:.3f}]"
