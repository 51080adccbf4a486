"""Mutants: the sources with one protection removed, on which a named test must fail.

A mutant is a textual patch of one file. The harness copies `src/discreet` to a temporary folder, applies the patch there,
and runs the named tests on the copy in a process of its own; a plugin in the same folder refuses to go on should another
copy of the package be imported. The sources of the checkout are never touched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
PLUGIN = """
import pathlib
import discreet
here = pathlib.Path(__file__).parent
assert pathlib.Path(discreet.__file__).is_relative_to(here), f"{discreet.__file__} is not the mutant"
"""
PASSED, FAILED = 0, 1  # pytest's exit statuses; others are its own errors and kill no mutant


@dataclass(frozen=True)
class Mutant:
    """One protection removed: in `file` (below src/discreet), each `old` text, which stands there once, becomes `new`.

    `tests` are the node ids, relative to the checkout, of which one at least must fail.
    """

    file: str
    old: str
    new: str
    tests: tuple[str, ...]


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_on_copy(tmp_path: Path) -> Run:
    """Runs tests on a copy of the sources to which patches (file, old, new) were applied."""

    def run(patches: Sequence[tuple[str, str, str]], tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        # With the compiled files: they stay valid but for the patched one, as copies keep their times.
        shutil.copytree(CHECKOUT / "src" / "discreet", copy / "discreet")
        (copy / "only_the_copy.py").write_text(PLUGIN)
        for file, old, new in patches:
            target = copy / "discreet" / file
            text = target.read_text("utf-8")
            assert text.count(old) == 1, f"{file} has the text {old!r} {text.count(old)} times: renew this mutant"
            target.write_text(text.replace(old, new), "utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "only_the_copy", "-p", "no:cacheprovider"]
        environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [*command, *tests], cwd=CHECKOUT, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    return run


@pytest.fixture
def must_die(run_on_copy: Run) -> Callable[[Mutant], None]:
    """Asserts that a named test fails on the mutant."""

    def check(mutant: Mutant) -> None:
        done = run_on_copy([(mutant.file, mutant.old, mutant.new)], mutant.tests)
        assert done.returncode == FAILED, f"the mutant lives ({done.returncode}):\n{done.stdout[-2000:]}{done.stderr}"

    return check
