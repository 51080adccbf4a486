"""Processes killed at named points of a charge and a release, and at random moments, in both back ends.

After each: what came out was charged before; the charges add up to what is spent, which is within the budget; the chain is
valid; and the ledger opens and goes on. The ledger has a witness, which is never ahead.
"""

from __future__ import annotations

import json
import platform
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.curator.ledger import Ledger
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import PureDP

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")

NEITHER, CHARGED, RELEASED = None, "CHARGED", "RELEASED"

# What the ledger may hold of the request during which the process was killed, and what the process had told.
AFTER = {
    "opened": ({NEITHER}, []),
    "in the transaction": ({NEITHER}, []),
    "looked up": ({NEITHER}, []),
    "taken": ({NEITHER}, []),
    "appended": ({NEITHER}, []),
    "commit: first write": ({NEITHER}, []),
    "commit: first sync": ({NEITHER}, []),
    "commit: journal removed": ({NEITHER}, []),
    "committed": ({CHARGED}, []),
    "half a line in the witness": ({CHARGED}, []),
    "witnessed": ({CHARGED}, []),
    "charged": ({CHARGED}, ["charged"]),
    "releasing": ({CHARGED}, ["charged"]),
    "release commit: first write": ({CHARGED}, ["charged"]),
    "release commit: journal removed": ({CHARGED}, ["charged"]),
    "release committed": ({RELEASED}, ["charged"]),
    "released": ({RELEASED}, ["charged", "released"]),
}


@pytest.mark.parametrize("point", AFTER)
def test_a_kill_at_a_named_point(place: str, backend: str, nursery, tmp_path: Path, point: str) -> None:
    ledger = Ledger.create(place, PureDP(1.0), witness=tmp_path / "w")
    ledger.charge(
        Cost("epsilon", 0.1), request_id="before", specification="x", adjacency="replace-one", unit="record", fixed=None
    )
    if "commit: " in point and backend == "sqlite" and platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("system calls are known by number on two architectures only")
    status, lines = nursery.live(place, point=point, times=1)
    if point == "released":
        assert status == 0
    else:
        assert status in (-signal.SIGKILL, -signal.SIGSYS), lines
    states, told = AFTER[point]
    if "commit: " in point and backend == "postgres":
        states = states | {CHARGED if point.startswith("commit") else RELEASED}  # it was sent, and may have arrived
    assert lines == ["opened", *(f"{word} x-0" for word in told)]
    again = Ledger(place)
    found = {entry.request_id: entry.state for entry in again.entries()}
    assert found.pop("before") == "CHARGED"
    assert found.get("x-0") in states
    assert set(found) <= {"x-0"}
    assert again.spent == (0.2 if found else 0.1)
    assert again.head in (tmp_path / "w").read_text()  # it has caught up
    if found.get("x-0") == RELEASED:
        assert again.payload("x-0") == "payload of x-0"
    status, lines = nursery.live(place, name="y")  # the rest of the budget, by another process
    assert (status, len(lines)) == (0, 1 + 2 * (10 - 1 - len(found)))
    assert Ledger(place).spent == 1.0


def test_a_journal_that_was_deleted_after_a_kill_hides_no_charge(tmp_path: Path, nursery) -> None:
    """The pages of half a commit are in the file, and what would undo them is gone: refused, or nothing was lost."""
    path = tmp_path / "x.ledger"
    Ledger.create(path, PureDP(1.0))
    assert nursery.live(path, times=3)[0] == 0
    status, _ = nursery.live(path, name="y", point="commit: journal removed")
    assert status == -signal.SIGSYS
    journal = path.with_name("x.ledger-journal")
    assert journal.exists()
    journal.unlink()
    try:
        ledger = Ledger(path)
    except ValueError:
        return
    assert {entry.request_id for entry in ledger.entries()} >= {"x-0", "x-1", "x-2"}
    assert ledger.spent >= 0.3


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_five_hundred_kills_at_random_moments(backend: str, request: pytest.FixtureRequest, fast_folder: Path) -> None:
    """1,000 for both; storm.py holds the checks, and its seed is printed when one fails."""
    numbers = "iter(range(10**6))"
    if backend == "postgres":
        server = request.getfixturevalue("server")
        places = [server.address() for _ in range(20)]
        maker = f"iter({places!r}).__next__"
    else:
        maker = f"(f'{fast_folder}/{{i}}.ledger' for i in {numbers}).__next__"
    script = f"""
import json, random, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
import storm
seed = random.randrange(10**9)
print("seed", seed, file=sys.stderr)
print(json.dumps(storm.storm(500, {maker}, Path({str(fast_folder)!r}), seed)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["kills"] == 500
    assert counts["charges"] > 500  # the kills came in the middle of work
    assert re.fullmatch(r"seed \d+\n", done.stderr)
