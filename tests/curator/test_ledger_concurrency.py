"""The ledger under processes, threads, forks and kills: never a unit more than the budget, never a charge forgotten."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from discreet.curator import ledger_file
from discreet.curator.ledger import Ledger
from discreet.errors import BudgetExceeded, LedgerError
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import GaussianDP, PureDP

# Separate interpreters, not forks: a forked child would share SQLite's table of locks and hide a missing one.
WORKER = """
import sys
from discreet.curator.ledger import Ledger
from discreet.errors import BudgetExceeded
from discreet.privacy.cost import Cost

path, name, currency, amount, attempts = sys.argv[1:]
ledger = Ledger(path)
print("ready", flush=True)
sys.stdin.readline()
for i in range(int(attempts)):
    try:
        ledger.charge(Cost(currency, float(amount)), request_id=f"{name}-{i}", specification="a table",
                      adjacency="replace-one", unit="record", fixed=None)
        print(f"{name}-{i}", flush=True)
    except BudgetExceeded:
        pass
print("done", flush=True)
"""


def worker(path: Path, name: str, currency: str, amount: float, attempts: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, str(path), name, currency, repr(amount), str(attempts)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def charge(ledger: Ledger, request_id: str, epsilon: float = 0.1) -> None:
    ledger.charge(
        Cost("epsilon", epsilon),
        request_id=request_id,
        specification="a table",
        adjacency="replace-one",
        unit="record",
        fixed=None,
    )


@pytest.mark.parametrize(
    ("budget", "currency", "amount", "grants"), [(PureDP(1.5), "epsilon", 0.1, 15), (GaussianDP(1.0), "mu", 0.3, 11)]
)
def test_a_race_of_processes_grants_exactly_the_budget(
    tmp_path: Path, budget: object, currency: str, amount: float, grants: int
) -> None:
    path = tmp_path / "x.ledger"
    Ledger.create(path, budget)
    workers = [worker(path, f"{i}", currency, amount, 6) for i in range(8)]
    for each in workers:  # the barrier: all have opened the ledger before the first charge
        assert each.stdout.readline() == "ready\n"
    for each in workers:
        each.stdin.write("go\n")
        each.stdin.flush()
    granted = []
    for each in workers:
        lines = each.communicate(timeout=120)[0].split("\n")
        assert lines[-2] == "done"
        granted += lines[:-2]
    entries = Ledger(path).entries()
    assert sorted(granted) == sorted(entry.request_id for entry in entries)
    assert len(granted) == grants


@pytest.mark.parametrize("place", ["file", "memory"])
def test_a_race_of_threads_grants_exactly_the_budget(tmp_path: Path, place: str) -> None:
    ledger = Ledger.in_memory(PureDP(2.0)) if place == "memory" else Ledger.create(tmp_path / "x.ledger", PureDP(2.0))
    barrier = threading.Barrier(8)

    def attempt(name: int) -> int:
        granted = 0
        barrier.wait()
        for i in range(6):
            try:
                charge(ledger, f"{name}-{i}")
            except BudgetExceeded:
                continue
            granted += 1
            ledger.record_release(f"{name}-{i}", "{}")
        return granted

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(8))) == 20
    assert ledger.spent == 2.0
    assert all(entry.released for entry in ledger.entries())


def test_one_id_in_many_threads_is_charged_once(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", PureDP(2.0))
    outcomes = []

    def attempt(_: int) -> None:
        try:
            charge(ledger, "the same")
            outcomes.append("charged")
        except LedgerError as refused:
            outcomes.append(str(refused))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(attempt, range(8)))
    assert outcomes.count("charged") == 1
    assert sum("spent, not released" in outcome for outcome in outcomes) == 7
    assert ledger.spent == 0.1


# ---- fork ------------------------------------------------------------------------------------------------------------

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
may_warn = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 warns of fork beside threads


def in_child(action) -> int:
    """The exit status of `action` in a forked child: 0 done, 1 refused, 2 anything else."""
    child = os.fork()
    if child == 0:
        status = 2
        try:
            action()
            status = 0
        except (BudgetExceeded, LedgerError):
            status = 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@forks
@may_warn
def test_a_forked_child_charges_the_same_budget(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", PureDP(0.3))
    charge(ledger, "parent")
    assert in_child(lambda: charge(ledger, "child")) == 0
    charge(ledger, "parent again")
    assert in_child(lambda: charge(ledger, "child again")) == 1
    assert [entry.request_id for entry in ledger.entries()] == ["parent", "child", "parent again"]


@forks
@may_warn
def test_a_fork_waits_for_the_charge_of_another_thread(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", PureDP(1.0))
    inside = threading.Event()

    def slow() -> None:
        with ledger._store.transaction(write=True):
            inside.set()
            time.sleep(0.3)

    thread = threading.Thread(target=slow)
    thread.start()
    inside.wait()
    assert in_child(lambda: charge(ledger, "child")) == 0
    thread.join()
    charge(ledger, "parent")
    assert ledger.spent == 0.2


@forks
@may_warn
def test_a_budget_in_memory_is_not_doubled_by_a_fork() -> None:
    ledger = Ledger.in_memory(PureDP(1.0))
    assert in_child(lambda: charge(ledger, "child")) == 1
    charge(ledger, "parent", 1.0)


# ---- waiting ---------------------------------------------------------------------------------------------------------


def test_a_held_ledger_is_busy_and_nothing_is_charged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_file, "WAIT", 0.2)
    path = tmp_path / "x.ledger"
    ledger = Ledger.create(path, PureDP(1.0))
    for hold in ("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN; SELECT * FROM entry"):  # the last blocks the commit only
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            for statement in hold.split("; "):
                other.execute(statement).fetchall()
            with pytest.raises(LedgerError, match=r"x\.ledger' is busy.*nothing was charged"):
                charge(ledger, "a")
        assert ledger.entries() == ()
    charge(ledger, "a")


def test_a_held_ledger_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "x.ledger"
    ledger = Ledger.create(path, PureDP(1.0))
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.3, lambda: other.execute("ROLLBACK"))
    release.start()
    charge(ledger, "a")
    release.join()
    other.close()
    assert ledger.spent == 0.1


def test_an_exception_inside_a_charge_rolls_it_back(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", PureDP(1.0))
    columns = "seq, request_id, specification, amount, delta, units, delta_units, adjacency, unit, charged_at, state"
    values = "1, 'a', 'x', '0.1', '0.0', '1', '0', 'replace-one', 'record', 'now', 'CHARGED'"

    def interrupted() -> None:
        with ledger._store.transaction(write=True) as connection:
            connection.execute(f"INSERT INTO entry ({columns}) VALUES ({values})")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ledger.entries() == ()
    charge(ledger, "a")


# ---- kill ------------------------------------------------------------------------------------------------------------


def test_a_kill_between_charge_and_release_leaves_the_charge(tmp_path: Path) -> None:
    path = tmp_path / "x.ledger"
    Ledger.create(path, PureDP(1.0))
    process = worker(path, "w", "epsilon", 0.1, 1)
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("go\n")
    process.stdin.flush()
    assert process.stdout.readline() == "w-0\n"
    process.kill()
    process.communicate()
    ledger = Ledger(path)
    (entry,) = ledger.entries()
    assert (entry.request_id, entry.state) == ("w-0", "CHARGED")
    assert ledger.remaining == 0.9


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_kill_inside_the_transaction_leaves_nothing_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "x.ledger"
    ledger = Ledger.create(path, PureDP(1.0))
    script = f"""
import os, signal
from discreet.curator.ledger import Ledger
from discreet.privacy.cost import Cost
ledger = Ledger({str(path)!r})
ledger._admit = lambda connection, *_: connection.set_trace_callback(
    lambda statement: os.kill(os.getpid(), signal.SIGKILL) if statement == "COMMIT" else None)
ledger.charge(Cost("epsilon", 0.1), request_id="a", specification="x", adjacency="replace-one", unit="record", fixed=None)
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert Ledger(path).entries() == ()
    charge(ledger, "a")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("storm", [pytest.param(4, id="4"), pytest.param(40, id="40", marks=pytest.mark.slow)])
def test_kills_at_random_moments_forget_no_charge(tmp_path: Path, storm: int) -> None:
    """Every charge that a killed process saw granted is in the ledger, at most one more each, and the file is sound."""
    path = tmp_path / "x.ledger"
    Ledger.create(path, PureDP(100.0))
    seen: list[str] = []
    for i in range(storm):
        process = worker(path, f"{i}", "epsilon", 0.01, 10_000)
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("go\n")
        process.stdin.flush()
        seen.append(process.stdout.readline().strip())  # so that every kill comes after a charge
        time.sleep(random.uniform(0.0, 0.15))
        process.kill()
        # Not communicate(): it would skip the lines that readline has buffered.
        seen += [line for line in process.stdout.read().split("\n")[:-1] if line != "done"]
        process.wait()
        entries = {entry.request_id for entry in Ledger(path).entries()}
        assert set(seen) <= entries
        assert len(entries) <= len(seen) + i + 1
