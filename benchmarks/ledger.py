"""The time of one durable charge, beside one bare fsync on the same disk: what a charge waits for.

Run as `python benchmarks/ledger.py`; it prints a table and asserts nothing, for the disk decides.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from discreet import GaussianDP, Ledger
from discreet.privacy import Cost

CHARGES = 200


def median_time(action: Callable[[int], object], repeats: int) -> float:
    """The median time of `action(i)`, in milliseconds."""
    times = []
    for i in range(repeats):
        start = time.perf_counter()
        action(i)
        times.append(time.perf_counter() - start)
    return 1e3 * sorted(times)[repeats // 2]


def charge(ledger: Ledger, i: int) -> None:
    ledger.charge(
        Cost("mu", 0.01),
        request_id=f"{i}",
        specification="a table",
        adjacency="replace-one",
        unit="record",
        fixed=None,
    )


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".") as directory:
        ledger = Ledger.create(Path(directory) / "x.ledger", GaussianDP(10))
        first = median_time(lambda i: charge(ledger, i), CHARGES)
        release = median_time(lambda i: ledger.record_release(f"{i}", "x" * 10_000), CHARGES)
        for i in range(CHARGES, 5 * CHARGES):
            charge(ledger, i)
        later = median_time(lambda i: charge(ledger, 5 * CHARGES + i), CHARGES)
        remaining = median_time(lambda _: ledger.remaining, CHARGES)
        with (Path(directory) / "plain").open("wb") as plain:

            def write(_: int) -> None:
                plain.write(b"x" * 4096)
                plain.flush()
                os.fsync(plain.fileno())

            fsync = median_time(write, CHARGES)
    for what, milliseconds in {
        "a durable charge (of the first 200)": first,
        "a durable charge (after 1,000)": later,
        "recording a release of 10 kB": release,
        "reading what remains (after 1,000)": remaining,
        "one bare fsync of 4 kB": fsync,
    }.items():
        print(f"{what:40s} {milliseconds:8.2f} ms")


if __name__ == "__main__":
    main()
