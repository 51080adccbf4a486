"""The time to import the package in a fresh interpreter, beside NumPy alone; interleaved, median of five."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time


def seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> list[tuple[str, str, str, str]]:
    rows = []
    for what, code in (
        ("import discreet", "import discreet"),
        ("from discreet import independence, load", "from discreet import independence, load"),
        ("from discreet import Curator, PureDP", "from discreet import Curator, PureDP"),
    ):
        ours, numpy, bare = [], [], []
        for _ in range(5):
            ours.append(seconds(code))
            numpy.append(seconds("import numpy"))
            bare.append(seconds("pass"))
        a, b, c = (statistics.median(x) for x in (ours, numpy, bare))
        rows.append((what, f"{a - c:.2f} s", f"import numpy: {b - c:.2f} s", f"{(a - c) / (b - c):.1f}"))
    return rows


if __name__ == "__main__":
    for row in main():
        print(*row, sep="  ")
