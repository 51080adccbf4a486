"""What every benchmark returns and how it is printed: ratios of things measured in one run, never times against a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Row(NamedTuple):
    """One comparison: what was done, our figures, the yardstick's, and ours divided by the yardstick's."""

    what: str
    ours: str
    yardstick: str
    ratio: float | None


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def interleaved(ours: Callable[[], object], bare: Callable[[], object], repeats: int = 7) -> tuple[float, float, float]:
    """Median seconds of both, run in turns after a warm-up, and the median of the ratios of neighbouring runs."""
    ours(), bare()
    pairs = [(seconds(ours), seconds(bare)) for _ in range(repeats)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs)


def peak_mb() -> float:
    """The peak resident memory of this process, from the kernel's high-water mark.

    The resource module would count that of the process that started this one, too.
    """
    line = next(x for x in Path("/proc/self/status").read_text(encoding="ascii").splitlines() if x.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def show(rows: list[Row]) -> None:
    """Print rows as they come, one comparison in three lines."""
    for row in rows:
        ratio = "" if row.ratio is None else f"   ratio {row.ratio:.2f}"
        print(f"{row.what}\n    ours       {row.ours}{ratio}\n    yardstick  {row.yardstick}", flush=True)
