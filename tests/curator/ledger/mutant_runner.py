"""Runs chosen tests against a copy of the sources, in forks of one process that has the other libraries imported already.

One task a line, in JSON: the folder of the copy and the tests; the answer is pytest's exit status and what it printed.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

import duckdb  # noqa: F401
import hypothesis  # noqa: F401
import narwhals  # noqa: F401
import numpy as np  # noqa: F401
import opendp.measurements  # noqa: F401
import pandas as pd  # noqa: F401
import pytest
import scipy.special  # noqa: F401


def run(task: dict, output: str) -> None:
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.path.insert(0, task["copy"])
    os.environ["PYTHONPATH"] = task["copy"]  # for the processes that a test starts
    import discreet

    assert discreet.__file__.startswith(task["copy"])
    status = pytest.main(
        [
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "--tb=line",
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
            *task["tests"],
        ]
    )
    sys.stdout.flush()
    os._exit(int(status))


def main() -> None:
    for line in sys.stdin:
        task = json.loads(line)
        output = os.path.join(task["copy"], "output")
        child = os.fork()
        if child == 0:
            try:
                run(task, output)
            except BaseException:  # noqa: BLE001  told to who reads the output
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(99)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps({"status": status, "output": Path(output).read_text()[-2000:]}), flush=True)


if __name__ == "__main__":
    main()
