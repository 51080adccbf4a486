"""A run that is killed at any step ends as one that is not: every release paid once, every file there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet.runs import RunPlan

Write = Callable[..., RunPlan]

REQUESTS = ["run study: smoking", "run study: mental"]
COSTS = [0.5, 0.25]
MENTAL = """
[[release]]
name = "mental"
verb = "table"
columns = ["mental_work"]
epsilon = 0.25
"""


def without_numbers(path: Path) -> str:
    """The text of a file of a run, but for what is noisy or follows from it, and the time."""
    return re.sub(r"-?\d[\d.,:e+-]*|null", "#", path.read_text())


def shape(value: Any) -> Any:
    """A document with its numbers replaced by their type."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    if isinstance(value, str) and re.fullmatch(r"-?\d+", value):  # a drawn integer
        return "number"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else value


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the killed processes are forks")
def test_kill_at_every_step(plan: Write, study: Path, tmp_path: Path) -> None:
    plan("SMOKING", MENTAL, "TEST")
    target = tmp_path / "killed"
    target.mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(Path(__file__).with_name("killed.py")), str(study), str(target)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    *killed, whole = sorted(target.iterdir())
    assert len(killed) > 40  # 2 releases with 2 + 2 + 2 + 2 + 6 steps, a test, 3 files, 2 lines beside them
    seen = set()
    for folder in [*killed, whole]:
        before, after = (json.loads((folder / f"{name}.json").read_text()) for name in ("killed", "resumed"))
        assert after["entries"] == [list(entry) for entry in zip(REQUESTS, ["RELEASED"] * 2, COSTS, strict=True)], (
            folder
        )
        assert after["spent"] == 0.75
        assert [entry[0] for entry in before["entries"]] == REQUESTS[: len(before["entries"])]
        assert before["spent"] == sum(COSTS[: len(before["entries"])])
        seen.add(tuple(entry[1] for entry in before["entries"]))
        assert_same_run(folder / "study-run", whole / "study-run")
    assert seen == {(), ("CHARGED",), ("RELEASED",), ("RELEASED", "CHARGED"), ("RELEASED", "RELEASED")}


def assert_same_run(one: Path, other: Path) -> None:
    names = {str(path.relative_to(one)) for path in one.rglob("*")}
    assert names == {str(path.relative_to(other)) for path in other.rglob("*")}
    for name in names:
        if name.startswith("releases/"):
            assert shape(json.loads((one / name).read_text())) == shape(json.loads((other / name).read_text())), name
        elif name.startswith("tests/"):
            results = [json.loads((folder / name).read_text()) for folder in (one, other)]
            assert list(results[0]) == list(results[1])
            assert results[0]["seed"] == results[1]["seed"]
        elif name == "report.html":
            assert without_numbers(one / name) == without_numbers(other / name)
    lines = [json.loads(line) for line in (one / "progress.jsonl").read_text().splitlines()]
    assert lines[-1] == {"step": "done"}
