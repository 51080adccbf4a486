"""Files that version 0.1.0 wrote, in format 1, are brought up to date when they are opened: all of it, or nothing."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from discreet.curator.ledger import Ledger
from discreet.curator.ledger.sqlite import SqliteBook
from discreet.errors import FormatError, LedgerError
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import ApproxDP, GaussianDP, PureDP

WRITTEN = Path(__file__).parent / "format1"
ASK = {"adjacency": "replace-one", "unit": "record", "fixed": None}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A budget of 1, with a charge of .1 that was released and one of 1/3 that was not."""
    return Path(shutil.copy(WRITTEN / "epsilon.ledger", tmp_path / "x.ledger"))


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


@pytest.mark.parametrize(
    ("name", "budget", "accounting", "spent", "remaining", "ids"),
    [
        ("epsilon", PureDP(1.0), "sum", 0.4333333333333333, 0.5666666666666667, ["a", "b é\0c"]),
        ("mu", ApproxDP(1.0, 1e-6), "gdp", 0.1, 0.21454361753559734, ["a"]),
        ("approx", ApproxDP(1.0, 1e-6), "sum", (0.5, 4e-07), (0.5, 6e-07), ["a", "b"]),
        ("unused", GaussianDP(0.5), "sum", 0.0, 0.5, []),
    ],
)
def test_all_is_kept(tmp_path, name, budget, accounting, spent, remaining, ids) -> None:
    """The numbers are what version 0.1.0 printed when it wrote the files."""
    path = Path(shutil.copy(WRITTEN / f"{name}.ledger", tmp_path / "x.ledger"))
    assert version(path) == 1
    for _ in range(2):  # the first opening writes, the second reads
        ledger = Ledger(path)
        assert version(path) == 2
        assert (ledger.budget, ledger.accounting) == (budget, accounting)
        assert (ledger.spent, ledger.remaining) == (spent, remaining)
        assert [entry.request_id for entry in ledger.entries()] == ids
    assert [file.name for file in tmp_path.iterdir()] == ["x.ledger"]


def test_a_ledger_brought_up_to_date_goes_on(old: Path) -> None:
    ledger = Ledger(old)
    first, second = ledger.entries()
    assert (first.state, second.state) == ("RELEASED", "CHARGED")
    assert first.when.isoformat() == "2026-11-30T09:21:20.961591+00:00"
    assert ledger.payload("a") == '{"counts": [21, 34]}'
    ledger.record_release("b é\0c", "{}")
    ledger.charge(Cost("epsilon", 0.5), request_id="c", specification="a table", **ASK)
    with pytest.raises(LedgerError, match="belongs to another request"):
        ledger.charge(Cost("epsilon", 0.1), request_id="a", specification="a table", **ASK)
    with pytest.raises(LedgerError, match="this ledger is about"):
        ledger.charge(Cost("epsilon", 0.01), request_id="d", specification="x", **{**ASK, "unit": "person"})
    assert [entry.seq for entry in Ledger(old).entries()] == [1, 2, 3]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET units = '1' WHERE seq = 2",
        "UPDATE entry SET units = 'many' WHERE seq = 2",
        "UPDATE entry SET amount = '0.01' WHERE seq = 2",
        "DELETE FROM entry WHERE seq = 1",
        "UPDATE budget SET total = '9' || total",
        "UPDATE budget SET total = '1'",
        "UPDATE budget SET currency = 'euro'",
        "UPDATE budget SET guarantee = '[1'",
        "DELETE FROM budget",
        "DROP TABLE entry",
    ],
)
def test_a_damaged_old_ledger_is_refused_and_left_as_it_is(old: Path, statement: str) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)
    content = old.read_bytes()
    with pytest.raises(FormatError, match=r"x\.ledger"):
        Ledger(old)
    assert old.read_bytes() == content


def test_an_overspent_old_ledger_is_refused(old: Path) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER entry_is_only_released")
        connection.execute(f"UPDATE entry SET amount = '0.95', units = '{95 * 10**38}' WHERE seq = 2")
    with pytest.raises(FormatError):
        Ledger(old)


@pytest.mark.parametrize("step", range(8))
def test_an_interrupted_change_of_format_leaves_the_old_ledger(
    old: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    calls = iter(range(step, -100, -1))
    for name in ("append", "release", "take", "write_header"):
        original = getattr(SqliteBook, name)

        def counted(*args: object, _original=original) -> object:
            if next(calls) == 0:
                raise KeyboardInterrupt
            return _original(*args)

        monkeypatch.setattr(SqliteBook, name, counted)
    if step < 6:  # the header, then a charge taken and appended twice, and one release
        with pytest.raises(KeyboardInterrupt):
            Ledger(old)
        assert version(old) == 1
        monkeypatch.undo()
    assert Ledger(old).spent == 0.4333333333333333
    assert version(old) == 2


def test_processes_that_open_it_at_once_change_it_once(old: Path) -> None:
    script = f"from discreet.curator.ledger import Ledger; print(Ledger({str(old)!r}).head)"
    processes = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    heads = {process.communicate(timeout=120)[0] for process in processes}
    assert heads == {f"{Ledger(old).head}\n"}


def test_an_open_ledger_whose_file_is_replaced_by_an_old_one_refuses_it(old: Path, tmp_path: Path) -> None:
    ledger = Ledger(old)
    shutil.copy(WRITTEN / "epsilon.ledger", old)
    with pytest.raises(LedgerError, match="older format"):
        _ = ledger.spent
