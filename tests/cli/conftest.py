"""A study in a folder with a blank in its name, and a way to run commands in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """czech.csv and czech.toml in the current folder."""
    folder = tmp_path / "a study"
    folder.mkdir()
    for name in ("czech.csv", "czech.toml"):
        shutil.copy(EXAMPLES / name, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    return folder


class Run:
    """What a command printed, and its exit status."""

    def __init__(self, stdout: str, stderr: str, status: int) -> None:
        self.stdout, self.stderr, self.status = stdout, stderr, status

    def done(self) -> str:
        """What it printed, of a command that must have succeeded in silence otherwise."""
        assert (self.status, self.stderr) == (0, "")
        return self.stdout

    def data(self) -> Any:
        """The one JSON object it printed."""
        return json.loads(self.done(), parse_constant=pytest.fail)

    def refused(self, status: int = 1) -> str:
        """The one line on stderr of a command that must have been refused."""
        assert self.status == status, (self.stdout, self.stderr)
        assert self.stdout == ""
        assert self.stderr.startswith("error: ")
        assert self.stderr.endswith("\n")
        assert self.stderr.count("\n") == 1
        return self.stderr.removeprefix("error: ").strip()


Discreet = Callable[..., Run]


@pytest.fixture
def discreet(study: Path) -> Iterator[Discreet]:
    """Runs a command in this process."""
    from discreet.cli.app import app

    runner = CliRunner()

    def run(*arguments: object) -> Run:
        result = runner.invoke(app, [str(argument) for argument in arguments], prog_name="discreet")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return Run(result.stdout, result.stderr, result.exit_code)

    yield run
    assert not list(study.glob("*.part")), "a temporary file was left behind"


@pytest.fixture
def process(study: Path) -> Discreet:
    """Runs a command as a user does, in a process of its own."""

    def run(*arguments: object) -> Run:
        command = [sys.executable, "-m", "discreet", *map(str, arguments)]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1"},
            check=False,
        )
        return Run(done.stdout, done.stderr, done.returncode)

    return run


@pytest.fixture
def ledger(discreet: Discreet) -> Path:
    """A ledger with epsilon = 2."""
    discreet("ledger", "create", "czech.ledger", "--epsilon", 2).done()
    return Path("czech.ledger")


@pytest.fixture
def penguins(discreet: Discreet, study: Path) -> Path:
    """The penguins, and two ledgers: `p.ledger` with epsilon = 50, `mu.ledger` with mu = 20."""
    for name in ("penguins.csv", "penguins.toml"):
        shutil.copy(EXAMPLES / name, study)
    discreet("ledger", "create", "p.ledger", "--epsilon", 50).done()
    discreet("ledger", "create", "mu.ledger", "--mu", 20).done()
    return study
