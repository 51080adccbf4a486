"""A storm of kills at random moments, several processes on one ledger; after each gust everything is checked.

`python storm.py KILLS` runs it on both back ends (`make soak`: 10,000 kills); the tests run a shorter one.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import child

from discreet.curator.ledger import Ledger
from discreet.privacy.guarantee import GaussianDP

GUST, AT_ONCE, LONGEST = 25, 4, 0.05
COST, BUDGET = 0.1, 1.2  # 144 charges: some gusts exhaust it


def storm(kills: int, new_place: Callable[[], str], folder: Path, seed: int) -> Counter[str]:
    """Gusts of kills, each on a new ledger, every other one with a witness; counts what was seen."""
    chance, count = random.Random(seed), Counter[str]()
    folder = Path(tempfile.mkdtemp(dir=folder))
    gusts = 0
    while count["kills"] < kills:
        gusts += 1
        place = new_place()
        witness = folder / f"{gusts}.witness" if gusts % 2 else None
        in_a_fork(lambda place=place, witness=witness: Ledger.create(place, GaussianDP(BUDGET), witness=witness))
        told: dict[str, list[str]] = {}
        alive: dict[int, tuple[float, int, str]] = {}
        born = 0
        while born < GUST or alive:
            if born < GUST and len(alive) < AT_ONCE:
                name = f"{gusts}.{born}"
                process, reading = child.start({"place": place, "name": name, "cost": COST})
                if chance.random() < 0.9:  # the others may be killed while they open
                    os.read(reading, len("opened\n"))
                alive[process] = (time.monotonic() + chance.uniform(0.0, LONGEST), reading, name)
                born += 1
                continue
            process = min(alive, key=lambda each: alive[each][0])
            moment, reading, name = alive.pop(process)
            time.sleep(max(0.0, moment - time.monotonic()))
            os.kill(process, signal.SIGKILL)
            told[name] = child.finish(process, reading)["lines"]
            count["kills"] += 1
        in_a_fork(lambda place=place, told=told: check(place, told))
        count["charges"] += sum(line.startswith("charged ") for lines in told.values() for line in lines)
        count["releases"] += sum(line.startswith("released ") for lines in told.values() for line in lines)
    return count


def in_a_fork(action: Callable[[], object]) -> None:
    """This process itself never opens a ledger, so that its children inherit nothing."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            action()
            status = 0
        finally:
            if status:
                import traceback

                traceback.print_exc()
                sys.stderr.flush()
            os._exit(status)
    if os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) != 0:
        raise AssertionError("a check failed, see above")


def check(place: str, told: dict[str, list[str]]) -> None:
    """What came out was paid for; nobody has more than one charge that he did not see; the sums are exact."""
    ledger = Ledger(place)
    entries = {entry.request_id: entry for entry in ledger.entries()}
    seen = Counter[str]()
    for name, lines in told.items():
        for line in lines:
            if line == "opened":
                continue
            word, request_id = line.split(" ", 1)
            assert word != "refused", line
            entry = entries[request_id]
            seen[name] += word == "charged"
            if word == "released":
                assert entry.released
                assert ledger.payload(request_id) == f"payload of {request_id}"
    held = Counter(request_id.split("-")[0] for request_id in entries)
    assert all(held[name] <= seen[name] + 1 for name in told), (held, seen)
    assert set(held) <= set(told)
    spent = len(entries) * Fraction(str(COST)) ** 2
    assert spent <= Fraction(str(BUDGET)) ** 2
    assert abs(Fraction(ledger.spent) ** 2 - spent) < Fraction(1, 10**12)
    child.charge(ledger, "after all", 1e-9) if spent < Fraction(str(BUDGET)) ** 2 else None
    if ledger.witness is not None:
        assert ledger.head in ledger.witness.read_text()


def main(kills: int) -> None:
    import postgres_server

    with tempfile.TemporaryDirectory(dir=postgres_server.fast_folder()) as folder:
        numbers = iter(range(10**9))
        seed = random.randrange(10**9)
        print(f"files, seed {seed}:", storm(kills // 2, lambda: f"{folder}/{next(numbers)}.ledger", Path(folder), seed))
        reason = postgres_server.missing()
        if reason is not None:
            sys.exit(reason)
        server = postgres_server.Server()
        try:
            print(f"PostgreSQL, seed {seed}:", storm(kills - kills // 2, server.address, Path(folder), seed))
        finally:
            server.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]))
