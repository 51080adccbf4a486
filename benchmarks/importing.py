"""The time to import the package in a fresh interpreter, beside NumPy alone; interleaved, median of five."""

from __future__ import annotations

import subprocess
import sys

from report import Row, interleaved, show

PROGRAMS = ("import discreet", "from discreet import independence, load", "from discreet import Curator, PureDP")


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def main() -> list[Row]:
    rows = []
    for code in PROGRAMS:
        ours, numpy, ratio = interleaved(lambda code=code: run(code), lambda: run("import numpy"), repeats=5)
        rows.append(Row(f"{code}, whole process [0.5 s]", f"{ours:.2f} s", f"import numpy {numpy:.2f} s", ratio))
    return rows


if __name__ == "__main__":
    show(main())
