"""The time of one durable charge, beside one bare fsync on the same disk: what a charge waits for.

The disk decides: nothing is asserted.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from report import Row, show

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


def main() -> list[Row]:
    with tempfile.TemporaryDirectory() as directory:
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
    yardstick = f"one bare fsync of 4 kB {fsync:.2f} ms"
    return [
        Row(what, f"{milliseconds:.2f} ms", yardstick, milliseconds / fsync)
        for what, milliseconds in {
            "a durable charge, of the first 200": first,
            "a durable charge, after 1,000": later,
            "recording a release of 10 kB": release,
            "reading what remains, after 1,000 charges": remaining,
        }.items()
    ]


if __name__ == "__main__":
    show(main())
