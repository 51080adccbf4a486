"""The peak resident memory of this process, in MB."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def peak_mb() -> float:
    """From the kernel's high-water mark: the resource module's figure would keep that of the process that started us."""
    if sys.platform == "linux":
        line = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
