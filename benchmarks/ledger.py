"""The time of one durable charge in a file and in PostgreSQL, beside one bare fsync on the same disk: what a charge waits for.

The disk decides: nothing is asserted. Without PostgreSQL's programs its rows are left out.
"""

from __future__ import annotations

import os
import sys
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


def measure(place: str, where: str, witness: Path) -> dict[str, float]:
    """The median times of what is done with a ledger, by a description of each."""
    ledger = Ledger.create(place, GaussianDP(10))
    times = {f"a durable charge {where}, of the first 200": median_time(lambda i: charge(ledger, i), CHARGES)}
    release = median_time(lambda i: ledger.record_release(f"{i}", "x" * 10_000), CHARGES)
    for i in range(CHARGES, 5 * CHARGES):
        charge(ledger, i)
    times[f"a durable charge {where}, after 1,000"] = median_time(lambda i: charge(ledger, 5 * CHARGES + i), CHARGES)
    times[f"recording a release of 10 kB {where}"] = release
    times[f"reading what remains {where}, after 1,000 charges"] = median_time(lambda _: ledger.remaining, CHARGES)
    times[f"opening and verifying {where}, after 1,000 charges"] = median_time(lambda _: Ledger(place), 5)
    watched = Ledger.start_witness(place, witness)
    times[f"a durable charge {where}, with a witness"] = median_time(lambda i: charge(watched, 10**6 + i), CHARGES)
    return times


def main() -> list[Row]:
    with tempfile.TemporaryDirectory() as directory:
        times = measure(f"{directory}/x.ledger", "in a file", Path(directory) / "x.witness")
        times |= measure_postgres(Path(directory) / "y.witness")
        with (Path(directory) / "plain").open("wb") as plain:

            def write(_: int) -> None:
                plain.write(b"x" * 4096)
                plain.flush()
                os.fsync(plain.fileno())

            fsync = median_time(write, CHARGES)
    yardstick = f"one bare fsync of 4 kB {fsync:.2f} ms"
    return [
        Row(what, f"{milliseconds:.2f} ms", yardstick, milliseconds / fsync) for what, milliseconds in times.items()
    ]


def measure_postgres(witness: Path) -> dict[str, float]:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "curator" / "ledger"))
    import postgres_server

    if postgres_server.missing() is not None:
        return {}
    server = postgres_server.Server(folder=Path(tempfile.gettempdir()))
    try:
        return measure(server.address(), "in PostgreSQL", witness)
    finally:
        server.stop()


if __name__ == "__main__":
    show(main())
