"""The program as a whole: help, version, usage errors, and what it does without the optional dependencies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import discreet as library
from discreet.noise import Laplace
from discreet.release import TableRelease

COMMANDS = [
    "ledger create",
    "ledger show",
    "check",
    "price table",
    "price mean",
    "price moments",
    "price histogram",
    "price series",
    "price cdf",
    "price sample",
    "price select",
    "privacy convert",
    "privacy compose",
    "privacy tradeoff",
    "release table",
    "release mean",
    "release moments",
    "release histogram",
    "release series",
    "release cdf",
    "release sample",
    "release select",
    "estimate james-stein",
    "estimate simplex",
    "estimate density",
    "estimate quantile",
    "estimate cdf-band",
    "estimate synthesize",
    "test independence",
    "test goodness-of-fit",
    "test homogeneity",
    "lab cost",
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_each_command_has_help_with_an_example_and_json(discreet, command, flag) -> None:
    shown = discreet(*command.split(), flag).done()
    assert f"  discreet {command} " in shown
    assert "--json" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("group", ["", "ledger", "price", "release", "test", "estimate", "lab"])
def test_a_group_without_a_command_shows_its_help(discreet, group) -> None:
    run = discreet(*group.split())
    assert (run.status, run.stdout) == (2, "")
    assert run.stderr.startswith("Usage: discreet")


def test_the_version(discreet) -> None:
    assert discreet("--version").done() == f"discreet {library.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [("legder",), ("ledger", "crate"), ("--jsn",), ("test", "independence", "--jsn", "x")]
)
def test_unknown_names_are_usage_errors(discreet, arguments) -> None:
    message = discreet(*arguments).refused(2)
    assert "no such" in message
    assert "--help)" in message


def _python(code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONUTF8": "1", "COLUMNS": "80"}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", env=environment, check=False
    )


def _without(*modules: str) -> str:
    """Python code that makes the import of these fail, as where they are not installed."""
    return f"import sys; sys.modules.update(dict.fromkeys({modules!r})); from discreet.cli import main; "


@pytest.fixture
def release(study: Path) -> None:
    columns = {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}
    TableRelease.from_counts([[230.5, 271.25], [268, 236.75]], columns, noise=Laplace(4.0), n=1000).save("t.json")


def test_without_typer_or_rich_one_line_says_what_to_install() -> None:
    for missing in ("typer", "rich"):
        done = _python(_without(missing) + "main()")
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr == "error: the command line needs Typer and Rich: pip install 'discreet[cli]'\n"


@pytest.mark.usefixtures("release")
def test_an_analyst_needs_neither_the_curators_dependencies_nor_matplotlib() -> None:
    missing = _without("opendp", "duckdb", "matplotlib", "pandas", "polars", "pyarrow")
    done = _python(missing + "sys.argv = ['discreet', 'test', 'independence', 't.json']; main()")
    assert (done.returncode, done.stderr) == (0, "")
    assert "p-value" in done.stdout
    done = _python(missing + "sys.argv = ['discreet', 'test', 'independence', 't.json', '--plot', 't.png']; main()")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: pictures need matplotlib: pip install 'discreet[plot]'\n"
    done = _python(missing + "sys.argv = ['discreet', 'ledger', 'create', 'l', '--epsilon', '1']; main()")
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'discreet[curator]'" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("release")
def test_a_test_loads_nothing_that_it_does_not_need() -> None:
    code = (
        "import sys; from discreet.cli.app import app\n"
        "app(['test', 'independence', 't.json', '--json'], standalone_mode=False)\n"
        "heavy = {'duckdb', 'opendp', 'matplotlib', 'pandas', 'polars', 'pyarrow', 'scipy.stats', 'discreet.curator'}\n"
        "sys.stderr.write(repr(sorted(heavy & set(sys.modules))))"
    )
    assert _python(code).stderr == "[]"


@pytest.mark.usefixtures("release")
def test_a_terminal_without_the_characters_gets_others_instead_of_a_traceback() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "discreet", "test", "independence", "t.json"]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"p-value" in done.stdout


@pytest.mark.usefixtures("release")
def test_a_closed_pipe_ends_quietly() -> None:
    pipe = f"{sys.executable} -m discreet test independence t.json --json | true"
    done = subprocess.run(["/bin/sh", "-c", pipe], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
