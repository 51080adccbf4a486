"""The ledger under threads, forks and waiting: never a unit more than the budget, never a charge forgotten."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from discreet.curator.ledger import Ledger
from discreet.curator.ledger import sqlite as ledger_file
from discreet.errors import BudgetExceeded, LedgerError
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import PureDP


def charge(ledger: Ledger, request_id: str, epsilon: float = 0.1) -> None:
    ledger.charge(
        Cost("epsilon", epsilon),
        request_id=request_id,
        specification="a table",
        adjacency="replace-one",
        unit="record",
        fixed=None,
    )


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
def test_a_fork_waits_for_the_charge_of_another_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_file, "WAIT", 5.0)
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


def test_an_exception_inside_a_charge_rolls_it_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", PureDP(1.0))
    append = ledger_file.SqliteBook.append

    def interrupted(book: ledger_file.SqliteBook, row: object) -> None:
        append(book, row)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ledger_file.SqliteBook, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            charge(ledger, "a")
    assert (ledger.entries(), ledger.spent) == ((), 0.0)
    charge(ledger, "a")
