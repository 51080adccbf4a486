"""A run: its files, what a repeated or changed one does, and what is left after a failure."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet import Ledger, PureDP
from discreet.curator.releasing.transaction import FAILED
from discreet.curator.source import Source
from discreet.errors import DiscreetError, FormatError, InvalidInput, LedgerError, NotApplicable, ReleaseFailed
from discreet.inference import TestResult
from discreet.privacy.cost import Cost
from discreet.runs import RunPlan, execute, price_plan, read_plan, run_plan
from discreet.runs.folder import opened

Write = Callable[..., RunPlan]


def state(study: Path) -> list[tuple[str, str, float]]:
    entries = Ledger(study / "czech.ledger").entries()
    return [(entry.request_id, entry.state, entry.cost.amount) for entry in entries]


def steps(plan: RunPlan) -> list[tuple[str, str | None]]:
    lines = map(json.loads, (plan.output / "progress.jsonl").read_text().splitlines())
    return [(line["step"], line.get("release")) for line in lines]


def test_a_run_writes_releases_results_and_a_report(study: Path) -> None:
    plan = read_plan(study / "czech_plan.toml")
    outcome = run_plan(plan)
    assert state(study) == [
        ("run czech: smoking-systolic", "RELEASED", 0.5),
        ("run czech: work", "RELEASED", 1.0),
    ]
    for step in plan.releases:
        assert discreet.load(plan.output / "releases" / f"{step.name}.json") == outcome.releases[step.name]
    with (plan.output / "results.csv").open(newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    for test in plan.tests:
        result = outcome.results[test.name]
        assert isinstance(result, TestResult)
        saved = json.loads((plan.output / "tests" / f"{test.name}.json").read_text())
        assert (saved["pvalue"], saved["effect_low"], saved["seed"]) == (result.pvalue, result.effect.low, test.seed)
        assert float(rows[test.name]["pvalue"]) == result.pvalue
        assert saved["pvalue_holm"] >= result.pvalue
        assert result.test in (plan.output / "report.html").read_text()
    assert (outcome.account.budget, outcome.account.remaining) == (PureDP(2), Cost("epsilon", 0.5))
    assert (outcome.account.own_share, outcome.account.other_share) == (0.75, 0.0)
    assert steps(plan) == [
        ("plan", None),
        ("started", "smoking-systolic"),
        ("released", "smoking-systolic"),
        ("started", "work"),
        ("released", "work"),
        ("done", None),
    ]


def test_a_test_of_a_plan_is_the_test_of_the_release(study: Path) -> None:
    outcome = run_plan(read_plan(study / "czech_plan.toml"))
    work, seeds = outcome.releases["work"], {test.name: test.seed for test in outcome.plan.tests}
    by_hand = discreet.independence(
        work, "mental_work", "physical_work", statistic="projected", rng=seeds["kinds-of-work"]
    )
    assert outcome.results["kinds-of-work"].to_dict() == by_hand.to_dict()
    name = "one-in-seven-has-a-family-history"
    fit = discreet.goodness_of_fit(work.margin(["family_history"]), [0.86, 0.14], rng=seeds[name])
    assert outcome.results[name].to_dict() == fit.to_dict()


def test_a_repeated_run_pays_nothing_and_writes_the_same(study: Path) -> None:
    plan = read_plan(study / "czech_plan.toml")
    run_plan(plan)
    files = {path: path.read_bytes() for path in plan.output.rglob("*") if path.is_file() and path.suffix != ".jsonl"}
    (plan.output / "releases" / "work.json").unlink()
    assert price_plan(plan).to_pay is None
    again = run_plan(plan)
    assert again.quote.to_pay is None
    assert len(state(study)) == 2
    assert {path: path.read_bytes() for path in files} == files


def test_a_plan_may_grow(plan: Write, study: Path) -> None:
    run_plan(plan("SMOKING"))
    grown = plan("SMOKING", "WORK", "TEST")
    priced = price_plan(grown)
    assert ([line.state for line in priced.lines], priced.to_pay) == (["released", "new"], Cost("epsilon", 1.0))
    run_plan(grown)
    assert [request for request, _, _ in state(study)] == ["run study: smoking", "run study: work"]


def test_a_changed_release_needs_another_name(plan: Write, study: Path) -> None:
    run_plan(plan("SMOKING"))
    other = '[[release]]\nname = "smoking"\nverb = "table"\ncolumns = ["smoking"]\nepsilon = 0.25\n'
    with pytest.raises(LedgerError) as refused:
        run_plan(plan(other))
    assert str(refused.value) == (
        "release 'smoking': this name was used before for another release (different: columns, guarantee, scale, schema), and "
        "what is published stays published: give the new one another name, e.g. 'smoking-2', or restore the old one"
    )
    run_plan(plan("SMOKING", other.replace('"smoking"', '"smoking-2"', 1)))
    assert [cost for _, _, cost in state(study)] == [0.5, 0.25]


def test_a_folder_belongs_to_one_study(plan: Write, study: Path) -> None:
    first = plan("SMOKING")
    run_plan(first)
    (study / "other.csv").write_bytes((study / "czech.csv").read_bytes())
    text = first.text.replace("czech.csv", "other.csv")
    (study / "plan.toml").write_text(text)
    with pytest.raises(InvalidInput, match=r"holds the run of another study \(different: records\)"):
        run_plan(read_plan(study / "plan.toml"))
    with pytest.raises(InvalidInput, match="holds other files"):
        run_plan(read_plan(study / "czech_plan.toml", output=study))
    with pytest.raises(InvalidInput, match="is a file: give a folder"):
        run_plan(read_plan(study / "czech_plan.toml", output=study / "czech.csv"))
    assert len(state(study)) == 1
    (first.output / "progress.jsonl").write_text("nonsense\n")
    with pytest.raises(FormatError, match="is not the progress of a run"):
        price_plan(first)


def test_a_study_may_be_moved(plan: Write, study: Path) -> None:
    run_plan(plan("SMOKING"))
    moved = study.rename(study.with_name("moved"))
    assert run_plan(read_plan(moved / "plan.toml")).quote.to_pay is None


def test_two_processes_do_not_share_a_folder(plan: Write) -> None:
    read = plan("SMOKING")
    run_plan(read)
    with execute.prepared(read) as ready, opened(read.output, ready.header):
        with pytest.raises(DiscreetError, match="another process is running a plan in"):
            run_plan(read)


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, failure: BaseException) -> Iterator[None]:
    """The records cannot be read after the charge."""
    with monkeypatch.context() as patch:

        def fail(*_: Any) -> list[int]:
            raise failure

        patch.setattr(Source, "tabulate", fail)
        yield


def test_what_failed_is_spent_and_not_made_again(plan: Write, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = plan("WORK", "SMOKING", "TEST")
    with failing(monkeypatch, OSError("record 17: Smith, smoker")), pytest.raises(ReleaseFailed) as failed:
        run_plan(read)
    assert str(failed.value).startswith(f"release 'work': {FAILED}")
    assert failed.value.__cause__ is None
    assert "Smith" not in (read.output / "progress.jsonl").read_text()
    assert state(study) == [("run study: work", "CHARGED", 1.0)]
    with pytest.raises(LedgerError, match=r"'work' failed after its charge, which stays spent; .*e\.g\. 'work-2'"):
        run_plan(read)
    run_plan(plan('[[release]]\nname = "work-2"\nverb = "table"\ncolumns = "mental_work"\nepsilon = 0.5\n', "SMOKING"))
    assert [(state, cost) for _, state, cost in state(study)] == [
        ("CHARGED", 1.0),
        ("RELEASED", 0.5),
        ("RELEASED", 0.5),
    ]


def test_what_was_interrupted_is_made_under_its_charge(
    plan: Write, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = plan("SMOKING", "TEST")
    with failing(monkeypatch, KeyboardInterrupt()), pytest.raises(KeyboardInterrupt):
        run_plan(read)
    assert state(study) == [("run study: smoking", "CHARGED", 0.5)]
    priced = price_plan(read)
    assert ([line.state for line in priced.lines], priced.to_pay) == (["charged"], None)
    run_plan(read)
    assert state(study) == [("run study: smoking", "RELEASED", 0.5)]


def test_the_third_interruption_is_a_failure(plan: Write, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The times at which a process dies are seen, and nothing is paid for seeing them."""
    read = plan("SMOKING")
    for _ in range(3):
        with failing(monkeypatch, KeyboardInterrupt()), pytest.raises(KeyboardInterrupt):
            run_plan(read)
    with pytest.raises(
        LedgerError, match=r"interrupted 3 times after its charge, which now counts as spent; .*'smoking-2'"
    ):
        run_plan(read)
    assert state(study) == [("run study: smoking", "CHARGED", 0.5)]


def test_a_charge_of_unknown_history_is_not_taken_up(plan: Write, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the folder nobody knows whether it failed or was interrupted."""
    read = plan("SMOKING")
    with failing(monkeypatch, OSError()), pytest.raises(ReleaseFailed):
        run_plan(read)
    (read.output / "progress.jsonl").unlink()
    with pytest.raises(LedgerError, match="the output folder does not say how that came about"):
        run_plan(read)
    assert state(study) == [("run study: smoking", "CHARGED", 0.5)]


def test_only_the_very_charge_is_taken_up(plan: Write, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.curator.releasing.transaction import take_up

    read = plan("SMOKING")
    with execute.prepared(read) as ready:
        line = ready.quote.lines[0]
        with pytest.raises(LedgerError, match="has no charge 'run study: smoking' for this very request"):
            take_up(line.plan, None, ready.curator.ledger, line.request_id)  # type: ignore[arg-type]
        with failing(monkeypatch, KeyboardInterrupt()), pytest.raises(KeyboardInterrupt):
            ready.curator.table(["smoking"], PureDP(0.1), request_id=line.request_id)
        with pytest.raises(LedgerError, match="has no charge 'run study: smoking' for this very request"):
            take_up(line.plan, None, ready.curator.ledger, line.request_id)  # type: ignore[arg-type]


def test_a_test_that_does_not_apply_says_why(plan: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The releases are made and reported all the same."""

    def refuse(*_: Any, **__: Any) -> TestResult:
        raise NotApplicable("the noisy total of row <b>'no'</b> is not above 0")

    monkeypatch.setattr("discreet.runs.inference_step.independence", refuse)
    read = plan("SMOKING", "TEST")
    assert run_plan(read).results["pressure"] == "the noisy total of row <b>'no'</b> is not above 0"
    assert json.loads((read.output / "tests" / "pressure.json").read_text())["not_applicable"].startswith("the noisy")
    report = (read.output / "report.html").read_text()
    assert "Not applicable: the noisy total of row &lt;b&gt;&#x27;no&#x27;&lt;/b&gt; is not above 0" in report


def test_other_kinds_of_releases_are_reported(study: Path) -> None:
    """Numbers, distributions, samples and selections, on a ledger that others use, too."""
    for name in ("penguins.csv", "penguins.toml"):
        (study / name).write_bytes((Path(__file__).parents[2] / "examples" / name).read_bytes())
    ledger = Ledger.create(study / "penguins.ledger", PureDP(10))
    fixed = {"adjacency": "replace-one", "unit": "record", "fixed": "species"}
    ledger.charge(Cost("epsilon", 2.5), request_id="mine", specification="x", **fixed)
    head = (
        'name = "p"\n[source]\npath = "penguins.csv"\nschema = "penguins.toml"\n[budget]\nledger = "penguins.ledger"\n'
    )
    kinds = {
        "mean": 'columns = "body_mass_g"',
        "moments": 'columns = ["body_mass_g", "bill_depth_mm"]',
        "histogram": 'columns = "body_mass_g"\nbins = 10',
        "series": 'column = "body_mass_g"\nterms = 4',
        "sample": 'column = "body_mass_g"\nsize = 5',
        "select": 'columns = "island"',
    }
    parts = [f'[[release]]\nname = "{verb}"\nverb = "{verb}"\n{text}\nepsilon = 1\n' for verb, text in kinds.items()]
    test = '[[test]]\nname = "masses"\ntest = "hotelling"\nrelease = "moments"\ngroups = ["Adelie", "Gentoo"]\n'
    (study / "p.toml").write_text(head + "".join(parts) + test + "replicates = 50\n")
    outcome = run_plan(read_plan(study / "p.toml"))
    assert (outcome.account.own_share, outcome.account.other_share) == (0.6, 0.25)
    assert set(outcome.releases) == set(kinds)
    report = (outcome.plan.output / "report.html").read_text()
    assert "other releases 25.0%" in report
    assert report.count("<article") == len(kinds) + 1


def test_no_record_is_in_any_file(plan: Write, study: Path) -> None:
    """A label that nobody declared stands in the records; it stands in no file of the run."""
    canary = "Zarathustra-4711"
    path = study / "czech.csv"
    path.write_text(path.read_text().replace("yes,no,yes", f"{canary},no,yes", 3))
    schema = study / "czech.toml"
    schema.write_text(schema.read_text().replace("complete = true", "complete = false"))
    read = plan("SMOKING", "WORK", "TEST")
    run_plan(read)
    files = [file for file in read.output.rglob("*") if file.is_file()]
    assert len(files) == 6
    assert not any(canary.encode() in file.read_bytes() for file in [*files, study / "czech.ledger"])
