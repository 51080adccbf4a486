"""The witness: an older copy of a ledger is refused, a crash is not, and nothing else is believed."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from discreet.curator.ledger import Ledger
from discreet.curator.ledger.witness import Witness
from discreet.errors import FormatError, InvalidInput, LedgerError
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import PureDP


def charge(ledger: Ledger, request_id: str) -> None:
    neighbours = {"adjacency": "replace-one", "unit": "record", "fixed": None}
    ledger.charge(Cost("epsilon", 0.1), request_id=request_id, specification="a table", **neighbours)


def forget_last(ledger: Ledger) -> None:
    """What restoring a backup does: the last charge is gone, and what is left agrees with itself."""
    with ledger._store.transaction(write=True) as book:
        if book.entry == "entry":
            for name in ("entry_is_never_deleted", "budget_is_only_spent"):
                book.execute(f"DROP TRIGGER {name}")
        else:
            book.execute(f"ALTER TABLE {book.entry} DISABLE TRIGGER guard")
            book.execute(f"ALTER TABLE {book.budget} DISABLE TRIGGER guard")
        seq, spent = book.balance()
        book.execute(f"DELETE FROM {book.entry} WHERE seq = ?", (seq,))
        left = (seq - 1, book.number(spent.main - 10**39))
        book.execute(f"UPDATE {book.budget} SET seq = ?, spent = ?", left)


@pytest.fixture
def witness(tmp_path: Path) -> Path:
    return tmp_path / "another volume" / "x.witness"


@pytest.fixture
def ledger(place: str, witness: Path) -> Ledger:
    """With a witness and two charges."""
    witness.parent.mkdir()
    ledger = Ledger.create(place, PureDP(5.0), witness=witness)
    charge(ledger, "a")
    charge(ledger, "b")
    return ledger


def test_every_charge_is_written_down(ledger: Ledger, place: str, witness: Path) -> None:
    assert ledger.witness == witness
    lines = [line for line in witness.read_text().split("\n") if line]
    heads = [entry.head for entry in ledger.entries()]
    assert lines[0] == f"discreet witness 1 {ledger.ledger_id}"
    assert lines[2:] == [f"{i:016d} {head}" for i, head in enumerate(heads, start=1)]
    again = Ledger(place)
    charge(again, "c")
    assert Ledger(place, witness=witness).head in witness.read_text()
    assert lines == [line for line in witness.read_text().split("\n") if line][:-1]


def test_a_ledger_that_forgot_a_charge_is_refused(ledger: Ledger, place: str, witness: Path) -> None:
    forget_last(ledger)
    for use in (lambda: Ledger(place), lambda: Ledger(place, witness=witness)):
        with pytest.raises(
            LedgerError, match=r"older than the witness remembers: charge 2 is missing.*nothing was charged"
        ):
            use()
    with pytest.raises(LedgerError, match="charge 2 is missing"):
        charge(ledger, "c")


def test_a_ledger_that_went_another_way_is_refused(ledger: Ledger, place: str, witness: Path) -> None:
    """After the rollback as many charges came again, while the witness was away."""
    forget_last(ledger)
    seen = witness.read_bytes()
    witness.unlink()
    other = Ledger.start_witness(place, witness)
    charge(other, "another b")
    charge(other, "c")
    witness.write_bytes(seen)
    for use in (lambda: Ledger(place), lambda: charge(other, "d")):
        with pytest.raises(LedgerError, match="another charge 2 than the witness remembers"):
            use()


def test_a_rollback_is_noticed_by_an_open_ledger_at_its_next_charge(ledger: Ledger, place: str) -> None:
    """By what another process wrote into the witness, of which this one has seen nothing."""
    early = Ledger(place)
    charge(ledger, "c")
    forget_last(ledger)
    with pytest.raises(LedgerError, match="older than the witness remembers: charge 3"):
        charge(early, "d")


def test_a_crash_between_the_commit_and_the_witness_is_made_good(
    ledger: Ledger, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Witness, "append", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            charge(ledger, "c")
    before = ledger.witness.read_text()
    assert ledger.head not in before
    again = Ledger(place)
    assert again.spent == 0.3
    assert again.head in ledger.witness.read_text()
    forget_last(ledger)
    with pytest.raises(LedgerError, match="charge 3 is missing"):
        Ledger(place)


@pytest.mark.parametrize("kept", range(1, 83))
def test_a_line_torn_by_a_crash_is_understood(tmp_path: Path, kept: int) -> None:
    """Whatever was left of the last line, the ledger opens, catches up, and a rollback is noticed where the line tells."""
    place, witness = tmp_path / "x.ledger", tmp_path / "x.witness"
    ledger = Ledger.create(place, PureDP(5.0), witness=witness)
    charge(ledger, "a")
    whole = witness.read_bytes()
    charge(ledger, "b")
    line = witness.read_bytes()[len(whole) :]
    assert len(line) == 83
    witness.write_bytes(whole + line[:kept])
    torn = witness.read_bytes()
    again = Ledger(place)
    charge(again, "c")
    assert Ledger(place).spent == 0.3
    assert witness.read_bytes().startswith(torn)  # append-only
    witness.write_bytes(torn)
    forget_last(again)
    forget_last_again(again)
    if kept >= 17:  # the line had its number
        with pytest.raises(LedgerError, match="charge 2 is missing"):
            Ledger(place)
    else:
        assert Ledger(place).spent == 0.1


def forget_last_again(ledger: Ledger) -> None:
    with ledger._store.transaction(write=True) as book:
        book.execute("DELETE FROM entry WHERE seq = 2")
        book.execute("UPDATE budget SET seq = 1, spent = ?", (book.number(10**39),))


@pytest.mark.parametrize("kept", [1, 63, 64])
def test_one_line_of_another_history_is_enough(ledger: Ledger, place: str, witness: Path, kept: int) -> None:
    """Also where it is not the last charge's: of the file as a whole every line is compared at the opening."""
    head = ledger.entries()[0].head
    other = head[: kept - 1] + ("f" if head[kept - 1] != "f" else "0")
    with witness.open("a") as file:
        file.write(f"\n{1:016d} {other}")
    with pytest.raises(LedgerError, match="another charge 1"):
        Ledger(place)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:30],
        lambda text: "\0" * len(text),
        lambda text: text.replace("witness 1", "witness 2"),
        lambda text: text.replace("00 ", "0x "),
        lambda text: text + "\nanything",
        lambda text: text + "é",
        lambda text: text.split("\n")[0] + "\n",
        lambda text: text[0] + text,
    ],
    ids=range(9),
)
def test_a_damaged_witness_is_refused(ledger: Ledger, place: str, witness: Path, damage: Callable[[str], str]) -> None:
    witness.write_text(damage(witness.read_text()), encoding="utf-8")
    for use in (lambda: Ledger(place), lambda: charge(ledger, "c")):
        with pytest.raises(FormatError, match=r"x\.witness"):
            use()
    witness.unlink()
    for use in (lambda: Ledger(place), lambda: charge(ledger, "c"), lambda: Ledger(place, witness=witness)):
        with pytest.raises(LedgerError, match=r"x\.witness.*cannot be read.*nothing was charged.*witness=\.\.\."):
            use()
    assert not witness.exists()


def test_the_witness_of_another_ledger_is_refused(ledger: Ledger, new_place: Callable[[], str], tmp_path: Path) -> None:
    other = tmp_path / "y.witness"
    Ledger.create(new_place(), PureDP(5.0), witness=other)
    shutil.copy(other, ledger.witness)
    with pytest.raises(FormatError, match="not the witness of this ledger"):
        charge(ledger, "c")


def test_a_witness_that_cannot_be_written_stops_the_release_and_not_the_charge(
    ledger: Ledger, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("discreet.curator.ledger.witness.os.fsync", fail)
        with pytest.raises(LedgerError, match="cannot be written: Input/output error; what was charged stays charged"):
            charge(ledger, "c")
    assert Ledger(place).spent == 0.3
    with pytest.raises(LedgerError, match="spent, not released"):
        charge(Ledger(place), "c")


def test_a_witness_may_move_and_is_then_named(ledger: Ledger, place: str, witness: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    witness.rename(moved)
    again = Ledger(place, witness=moved)
    charge(again, "c")
    assert again.witness == moved
    assert again.head in moved.read_text()


def test_a_lost_witness_is_started_anew_and_no_existing_one_is_replaced(
    ledger: Ledger, place: str, witness: Path, tmp_path: Path
) -> None:
    with pytest.raises(LedgerError, match="exists"):
        Ledger.start_witness(place, witness)
    witness.unlink()
    assert Ledger.start_witness(place, witness).spent == 0.2
    charge(Ledger(place), "c")
    elsewhere = Ledger.start_witness(place, tmp_path / "y.witness")
    assert elsewhere.witness == tmp_path / "y.witness"
    charge(elsewhere, "d")
    assert Ledger(place).spent == 0.4  # the first one catches up
    forget_last(elsewhere)
    for other in (None, tmp_path / "y.witness"):
        with pytest.raises(LedgerError, match="charge 4 is missing"):
            Ledger(place, witness=other)


def test_a_ledger_without_a_witness_gets_one(place: str, tmp_path: Path) -> None:
    ledger = Ledger.create(place, PureDP(1.0))
    assert ledger.witness is None
    charge(ledger, "a")
    with pytest.raises(LedgerError, match="cannot be read"):
        Ledger(place, witness=tmp_path / "w")
    watched = Ledger.start_witness(place, tmp_path / "w")
    charge(watched, "b")
    forget_last(watched)
    with pytest.raises(LedgerError, match="charge 2 is missing"):
        Ledger(place, witness=tmp_path / "w")


def test_a_failed_creation_leaves_neither_file(place: str, tmp_path: Path) -> None:
    Ledger.create(place, PureDP(1.0))
    with pytest.raises(LedgerError, match=r"exists|has a ledger already"):
        Ledger.create(place, PureDP(1.0), witness=tmp_path / "w")
    assert not (tmp_path / "w").exists()
    (tmp_path / "w").touch()
    with pytest.raises(LedgerError, match="w' exists"):
        Ledger.create(f"{place}2", PureDP(1.0), witness=tmp_path / "w")
    assert not Path(f"{place}2").exists()
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(place, PureDP(1.0), witness=tmp_path / "no" / "w")


@pytest.mark.parametrize("path", [3, b"w", "a\0b", True])
def test_a_witness_is_a_path(place: str, path: object) -> None:
    for use in (Ledger.create, Ledger):
        with pytest.raises(InvalidInput, match="witness"):
            use(place, *([PureDP(1.0)] if use is not Ledger else []), witness=path)  # type: ignore[arg-type]


def test_a_copy_of_a_ledger_has_the_same_witness(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "x.ledger", PureDP(1.0), witness=tmp_path / "w")
    (tmp_path / "w").rename(tmp_path / "v")
    ledger = Ledger(tmp_path / "x.ledger", witness=tmp_path / "v")
    for same in (copy.copy(ledger), pickle.loads(pickle.dumps(ledger))):
        assert same.witness == tmp_path / "v"


def test_lines_may_come_in_another_order_than_their_charges(ledger: Ledger, place: str, witness: Path) -> None:
    title, *lines = (line for line in witness.read_text().split("\n") if line)
    witness.write_text("\n".join([title, "", *reversed(lines), ""]))
    assert Ledger(place).spent == 0.2
    forget_last(ledger)
    with pytest.raises(LedgerError, match="charge 2 is missing"):
        Ledger(place)


def test_a_backup_moved_over_the_file_is_refused(tmp_path: Path) -> None:
    """The real thing, with whole files: without the witness the new process would be granted the charges again."""
    place, witness = tmp_path / "x.ledger", tmp_path / "w"
    ledger = Ledger.create(place, PureDP(0.3), witness=witness)
    charge(ledger, "a")
    shutil.copy(place, tmp_path / "backup")
    charge(ledger, "b")
    charge(ledger, "c")
    os.replace(tmp_path / "backup", place)
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for use in (lambda: Ledger(place), lambda: charge(ledger, "d")):
        with pytest.raises(LedgerError, match="older than"):
            use()
