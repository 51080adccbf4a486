"""A program for test_kill.py: runs a plan in processes that kill themselves at their k-th step, and then to its end.

    python killed.py STUDY FOLDER

For k = 1, 2, ... STUDY is copied to FOLDER/k. A first process runs the plan there and is ended by SIGKILL at its k-th step; a
second one writes what the ledger says (killed.json), runs the plan again to its end, and writes what the ledger says then
(resumed.json). The first k at which no step is left ends the program, so that FOLDER/k was never killed.

A step is a moment before or after something that lasts: a charge, the reading of the records, the storing of a release, the
replacing of a file, a line of the progress, a test; and the middle of a line of the progress.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.figure  # noqa: F401  once, before there are processes

from discreet import Ledger
from discreet.curator.source import Source
from discreet.runs import execute, read_plan, run_plan
from discreet.runs.folder import Progress
from discreet.view import report


class Killer:
    """Counts the steps, and ends the process at the one it was told."""

    def __init__(self, last: int) -> None:
        self.last, self.count = last, 0

    def step(self) -> None:
        self.count += 1
        if self.count == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, name: str) -> None:
        """A step before and one after each call."""
        whole: Callable[..., Any] = getattr(owner, name)

        def stepped(*given: Any, **named: Any) -> Any:
            self.step()
            found = whole(*given, **named)
            self.step()
            return found

        setattr(owner, name, stepped)

    def within_lines(self) -> None:
        """A step in the middle of each line of the progress, half of which is then on the disk."""
        whole = Progress.note

        def torn(progress: Progress, **what: Any) -> None:
            self.count += 1
            if self.count == self.last:
                progress._file.write(b'{"step": "sta')
                progress._file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            whole(progress, **what)

        Progress.note = torn  # type: ignore[method-assign]


def fork(work: Callable[[], None]) -> int:
    """Do it in a process of its own; its wait status."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as failure:  # noqa: BLE001
            print(f"{type(failure).__name__}: {failure}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def killed_run(folder: Path, last: int) -> None:
    killer = Killer(last)
    killer.within_lines()
    for owner, name in [
        (Ledger, "charge"),
        (Ledger, "record_release"),
        (Source, "tabulate"),
        (os, "replace"),
        (Progress, "note"),
        (execute, "_test"),
    ]:
        killer.around(owner, name)
    run_plan(read_plan(folder / "plan.toml"))


def write_ledger(folder: Path, name: str) -> None:
    ledger = Ledger(folder / "czech.ledger")
    entries = [[entry.request_id, entry.state, entry.cost.amount] for entry in ledger.entries()]
    (folder / name).write_text(json.dumps({"entries": entries, "spent": ledger.spent}))


def resumed_run(folder: Path) -> None:
    write_ledger(folder, "killed.json")
    run_plan(read_plan(folder / "plan.toml"))
    write_ledger(folder, "resumed.json")


def main(study: Path, target: Path) -> None:
    report._picture = lambda item: ""  # they are drawn in other tests, and take most of the time
    for last in itertools.count(1):
        folder = target / f"{last:03d}"
        shutil.copytree(study, folder)
        status = fork(lambda folder=folder, last=last: killed_run(folder, last))  # type: ignore[misc]
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if not killed and status != 0:
            raise SystemExit(f"the process that should be killed at step {last} failed")
        if fork(lambda folder=folder: resumed_run(folder)) != 0:  # type: ignore[misc]
            raise SystemExit(f"the run that was killed at step {last} was not resumed")
        if not killed:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
