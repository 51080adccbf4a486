"""`discreet run`: what it prints, what it refuses, and that it can be repeated."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
MORE = '\n[[release]]\nname = "more"\nverb = "table"\ncolumns = ["smoking"]\nepsilon = 0.75\n'


@pytest.fixture
def plan(ledger: Path) -> Path:
    """The example's plan beside its ledger of epsilon = 2, of which it takes 1.5."""
    shutil.copy(EXAMPLES / "czech_plan.toml", ".")
    return Path("czech_plan.toml")


def test_a_dry_run_prices_and_spends_nothing(discreet: Any, plan: Path) -> None:
    text = discreet("run", plan, "--dry-run").done()
    assert text.startswith("Price of czech  nothing is spent\n")
    for expected in ("epsilon = 1.5", "Laplace, sd 5.657", "to pay     epsilon = 1.5", "output     czech-run"):
        assert expected in text
    assert "3, which cost nothing: each was made of made-up numbers" in text
    for expected in ("Cramer's V 0.067", "Cohen's w 0.069", "found with power 0.8 at level 0.05"):
        assert expected in text
    assert not Path("czech-run").exists()
    assert discreet("ledger", "show", "czech.ledger", "--json").data()["remaining"] == {"epsilon": 2.0}


def test_a_dry_run_as_data(discreet: Any, plan: Path) -> None:
    data = discreet("run", plan, "--dry-run", "--json").data()
    assert (data["dry_run"], data["admitted"], data["refusal"]) == (True, True, None)
    assert (data["cost"], data["to_pay"], data["remaining"]) == ({"epsilon": 1.5}, {"epsilon": 1.5}, {"epsilon": 2.0})
    first = data["releases"][0]
    assert (first["name"], first["state"], first["remaining_after"]) == ("smoking-systolic", "new", {"epsilon": 1.5})
    assert first["accuracy"] == pytest.approx({"noise_sd": 5.65685, "half_width": 11.98, "cells": 4.0}, rel=1e-3)
    effects = data["smallest_effects"]
    assert (effects["power"], effects["level"], len(effects["of"])) == (0.8, 0.05, 3)
    assert effects["of"]["kinds-of-work"] == {
        "name": "Cramer's V",
        "value": pytest.approx(0.0664, rel=0.01),
        "why_not": "",
    }


def test_a_dry_run_says_why_there_is_no_smallest_effect(discreet: Any, plan: Path) -> None:
    plan.write_text(plan.read_text().replace('statistic = "projected"', 'statistic = "minp"'))
    text = discreet("run", plan, "--dry-run").done()
    assert "–" in text
    assert "there is no formula for the statistic" in text


def test_a_run_and_its_repetition(discreet: Any, plan: Path) -> None:
    text = discreet("run", plan).done()
    assert text.startswith("Smoking, work and blood pressure of 1,841 Czech car workers\n")
    for expected in ("paid       epsilon = 1.5", "remaining  epsilon = 0.5", "report     czech-run/report.html"):
        assert expected in text
    again = discreet("run", plan).done()
    assert "paid       nothing more" in again
    assert again.count("paid before") == 2
    dry = discreet("run", plan, "--dry-run").done()
    assert "to pay     nothing more" in dry
    assert "smallest effect" not in dry


def test_a_run_as_data(discreet: Any, plan: Path) -> None:
    data = discreet("run", plan, "--json", "--output", "elsewhere").data()
    assert data["remaining"] == {"epsilon": 0.5}
    for place in (data["report"], data["results"], data["releases"][1]["file"]):
        assert place.startswith("elsewhere/")
        assert Path(place).stat().st_size > 0
    assert [test["name"] for test in data["tests"]] == [
        "smoking-and-pressure",
        "kinds-of-work",
        "one-in-seven-has-a-family-history",
    ]
    saved = json.loads(Path("elsewhere/tests/kinds-of-work.json").read_text())
    assert saved["pvalue"] == data["tests"][1]["pvalue"]


def test_an_overspending_plan_is_refused(discreet: Any, plan: Path) -> None:
    plan.write_text(plan.read_text() + MORE)
    refusal = (
        "the releases that are not made yet cost epsilon = 2.25 together, and the ledger has epsilon = 2 left: there is no "
        "room from 'more' on; nothing was charged"
    )
    assert discreet("run", plan).refused() == refusal
    dry = discreet("run", plan, "--dry-run")
    assert (dry.status, dry.stderr) == (1, f"error: {refusal}\n")
    assert "no room" in dry.stdout
    as_data = discreet("run", plan, "--dry-run", "--json")
    assert (as_data.status, json.loads(as_data.stdout)["admitted"]) == (1, False)
    assert discreet("ledger", "show", "czech.ledger", "--json").data()["remaining"] == {"epsilon": 2.0}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            '"systolic"]',
            '"systolik"]',
            "release 'smoking-systolic': unknown column 'systolik'; .*did you mean 'systolic'",
        ),
        (
            'margin = ["family_history"]',
            'margin = ["smoking"]',
            "test 'one-in-seven-has-a-family-history': unknown column 'smoking'",
        ),
        ("epsilon = 0.5", "epsilon = 0", "release 'smoking-systolic': epsilon must be"),
        ('verb = "table"', 'verb = "tables"', "did you mean 'table'"),
        (
            '"czech.ledger"',
            '"other.ledger"',
            "there is no ledger '.*other.ledger': make it once with 'discreet ledger create'",
        ),
        ('"czech.csv"', '"other.csv"', "no file '.*other.csv'"),
        ("[budget]", "[budget", "is not TOML"),
    ],
)
def test_what_is_not_right_is_refused(discreet: Any, plan: Path, before: str, after: str, message: str) -> None:
    import re

    plan.write_text(plan.read_text().replace(before, after, 1))
    assert re.search(message, discreet("run", plan).refused())
    assert not Path("czech-run").exists()


def test_a_plan_that_is_not_there(discreet: Any, study: Path) -> None:
    assert discreet("run", "none.toml").refused() == "there is no plan 'none.toml'"
    assert "missing argument 'PLAN'" in discreet("run").refused(2)


def test_nothing_of_the_records_is_said(process: Any, plan: Path) -> None:
    """A record with a field too many is met while the records are counted, before anything is spent."""
    records = Path("czech.csv")
    records.write_text(records.read_text() + "yes,no,yes,ge140,ge3,negative,Zarathustra-4711\n")
    said = process("run", plan).refused()
    assert "Zarathustra" not in said
    assert not Path("czech-run").exists()
