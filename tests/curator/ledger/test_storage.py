"""Fourteen ways in which storage fails: a charge that was granted is kept, one that was not is not, or the ledger refuses.

 1 the disk is full            2 a limit on the file's size     3 a write fails            4 a sync fails
 5 the journal stays           6 a read-only file               7 a read-only folder       8 a missing file
 9 an empty file              10 a truncated file              11 flipped bytes           12 edited or deleted rows
13 an older copy in its place 14 a second name, or a copy elsewhere

8 to 12 are in test_file.py, 13 in test_witness.py; 1 to 7 and 14 are here, with a real operating system that refuses.
"""

from __future__ import annotations

import os
import platform
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from discreet.curator.ledger import Ledger
from discreet.errors import FormatError, LedgerError
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import PureDP

ASK = {"specification": "a table", "adjacency": "replace-one", "unit": "record", "fixed": None}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of 5 with three charges of .1, the first released."""
    ledger = Ledger.create(tmp_path / "x.ledger", PureDP(5.0))
    for request_id in "abc":
        ledger.charge(Cost("epsilon", 0.1), request_id=request_id, **ASK)
    ledger.record_release("a", '{"counts": [1, 2]}')
    return tmp_path / "x.ledger"


linux = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="the faults are Linux's"
)


@linux
@pytest.mark.parametrize(
    "fault", ["disk full", "file-size limit", "write error", "sync error", "journal cannot be removed"]
)
def test_a_disk_that_refuses_grants_nothing(path: Path, nursery, fault: str) -> None:
    """Of the requests that ended in an error, at most the first is in the ledger, charged; none was granted."""
    status, lines = nursery.live(path, point=fault, times=40 if fault == "file-size limit" else 3)
    assert status == 0
    if any("no seccomp here" in line for line in lines):
        pytest.skip("this system has no seccomp")
    refused = [line for line in lines if line.startswith("refused ")]
    assert refused
    assert all(str(path) in line for line in refused)
    granted = [line.split(" ")[1] for line in lines if line.startswith("charged ")]
    assert (granted == []) == (fault != "file-size limit")
    ledger = Ledger(path)
    found = [entry.request_id for entry in ledger.entries()]
    assert found[:3] == ["a", "b", "c"]
    assert set(granted) <= set(found)
    assert len(found) <= 3 + len(granted) + (fault in ("sync error", "journal cannot be removed"))
    ledger.charge(Cost("epsilon", 0.1), request_id="after", **ASK)
    assert len(Ledger(path).entries()) == len(found) + 1


@linux
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_is_read_only_is_not_charged(tmp_path: Path, what: str) -> None:
    """As a user who is not root, for root may write everything."""
    with tempfile.TemporaryDirectory() as outer:
        folder = Path(outer) / "f"
        folder.mkdir()
        path = folder / "x.ledger"
        Ledger.create(path, PureDP(1.0)).charge(Cost("epsilon", 0.1), request_id="a", **ASK)
        for each, mode in ((Path(outer), 0o755), (folder, 0o555), (path, 0o444 if what == "file" else 0o666)):
            each.chmod(mode)
        if what == "file":
            folder.chmod(0o777)
        script = (
            "import sys\nfrom discreet.curator.ledger import Ledger\nfrom discreet.privacy.cost import Cost\n"
            f"ledger = Ledger({str(path)!r})\nprint(ledger.spent)\n"
            f"ledger.charge(Cost('epsilon', 0.1), request_id='b', **{ASK!r})\n"
        )
        as_nobody = ["setpriv", "--reuid=nobody", "--clear-groups"] if os.geteuid() == 0 else []
        done = subprocess.run(
            [*as_nobody, sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
        )
        if "ModuleNotFoundError" in done.stderr or "Permission denied" in done.stderr.split("LedgerError")[0]:
            pytest.skip("another user cannot read this installation")
        assert done.stdout == "0.1\n"
        assert done.stderr.strip().split("\n")[-1].startswith("discreet.errors.LedgerError")
        assert "cannot be written" in done.stderr
        folder.chmod(0o777)
        path.chmod(0o666)
        assert [entry.request_id for entry in Ledger(path).entries()] == ["a"]


def test_a_hot_journal_is_played_back_and_a_foreign_one_is_not(path: Path, nursery) -> None:
    status, _ = nursery.live(path, point="commit: journal removed", times=1)
    assert status == -signal.SIGSYS
    content, journal = path.read_bytes(), path.with_name("x.ledger-journal")
    assert [entry.request_id for entry in Ledger(path).entries()] == ["a", "b", "c"]
    assert path.read_bytes() != content  # it was undone
    assert not journal.exists()
    journal.write_bytes(b"nonsense" * 100)
    assert Ledger(path).spent == 0.3


def test_pages_of_two_states_are_refused(path: Path) -> None:
    """As a backup is that was taken while charges were written: each page for itself is sound."""
    early = path.read_bytes()
    ledger = Ledger(path)
    for i in range(40):
        ledger.charge(Cost("epsilon", 0.1), request_id=f"{i}", **ASK)
    late = path.read_bytes()
    assert len(late) > len(early)
    refused = 0
    for page in range(0, len(early), 4096):
        if early[page : page + 4096] == late[page : page + 4096]:
            continue
        path.write_bytes(late[:page] + early[page : page + 4096] + late[page + 4096 :])
        with pytest.raises((FormatError, LedgerError)):
            Ledger(path)
        refused += 1
    assert refused >= 3


def test_flipped_bytes_on_every_page_are_refused_or_change_nothing(path: Path) -> None:
    """Unlike without a chain, what was charged for, and what was released, is covered as well."""
    content = path.read_bytes()
    before = Ledger(path)
    history, payload = before.entries(), before.payload("a")
    survived = 0
    for at in range(0, len(content), 97):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        try:
            ledger = Ledger(path)
            assert (ledger.entries(), ledger.payload("a"), ledger.remaining) == (history, payload, before.remaining)
            survived += 1  # unused space of a page
        except (FormatError, LedgerError):
            continue
    assert 0 < survived < len(content) / 97


def test_a_copy_is_a_second_budget_and_shares_its_head_until_then(path: Path, tmp_path: Path) -> None:
    """Known and documented. What was released from both carries one number and two heads, which gives it away."""
    shutil.copy(path, tmp_path / "y.ledger")
    one, other = Ledger(path), Ledger(tmp_path / "y.ledger")
    assert (one.head, one.ledger_id) == (other.head, other.ledger_id)
    mine, theirs = (each.charge(Cost("epsilon", 0.1), request_id="d", **ASK) for each in (one, other))
    assert (mine.ledger_id, mine.seq) == (theirs.ledger_id, theirs.seq)
    assert mine.head != theirs.head


def test_a_write_ahead_log_that_was_left_is_not_forgotten(path: Path) -> None:
    """Another program put the file into WAL mode and charged; what it left beside is taken up, or refused."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("UPDATE entry SET state = 'RELEASED', payload = 'x', seal = ? WHERE seq = 2", ("0" * 64,))
        with pytest.raises(LedgerError, match=r"busy|durable"):
            Ledger(path)
    with pytest.raises(FormatError):
        Ledger(path)
