"""A study in a folder: the Czech data, a ledger, and plans made of parts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from discreet import Ledger, PureDP
from discreet.runs import RunPlan, read_plan

EXAMPLES = Path(__file__).parents[2] / "examples"

HEAD = """\
name = "study"
[source]
path = "czech.csv"
schema = "czech.toml"
[budget]
ledger = "czech.ledger"
"""
SMOKING = """
[[release]]
name = "smoking"
verb = "table"
columns = ["smoking", "systolic"]
epsilon = 0.5
"""
WORK = """
[[release]]
name = "work"
verb = "table"
columns = ["mental_work", "physical_work", "family_history"]
epsilon = 1
"""
TEST = """
[[test]]
name = "pressure"
test = "independence"
release = "smoking"
"""

PARTS = {"SMOKING": SMOKING, "WORK": WORK, "TEST": TEST}

Write = Callable[..., RunPlan]


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are drawn in the tests of the report and of the command, and take most of the time."""
    monkeypatch.setattr("discreet.view.report._picture", lambda item: "")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """czech.csv, czech.toml and a ledger of epsilon = 2, in a folder with a blank in its name."""
    folder = tmp_path / "a study"
    folder.mkdir()
    for name in ("czech.csv", "czech.toml", "czech_plan.toml"):
        shutil.copy(EXAMPLES / name, folder)
    Ledger.create(folder / "czech.ledger", PureDP(2))
    return folder


@pytest.fixture
def plan(study: Path) -> Write:
    """Writes the parts, or those of these names, to a file and reads it."""

    def write(*parts: str, head: str = HEAD) -> RunPlan:
        path = study / "plan.toml"
        path.write_text(head + "".join(PARTS.get(part, part) for part in parts), encoding="utf-8")
        return read_plan(path)

    return write
