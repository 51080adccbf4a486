"""The ledger's file: what is refused on opening and creating, what its triggers forbid, and how it is written."""

from __future__ import annotations

import builtins
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from discreet.curator.ledger import Ledger, filesystem
from discreet.curator.ledger import sqlite as ledger_file
from discreet.curator.ledger.chain import linked
from discreet.errors import FormatError, InvalidInput, LedgerError
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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of 5 with three charges of 0.1, the first released."""
    ledger = Ledger.create(tmp_path / "x.ledger", PureDP(5.0))
    for request_id in "abc":
        charge(ledger, request_id)
    ledger.record_release("a", '{"counts": [1, 2]}')
    return tmp_path / "x.ledger"


def raw(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, isolation_level=None))


# ---- opening ---------------------------------------------------------------------------------------------------------


def test_a_missing_ledger_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"no ledger at '.*x\.ledger'.*Ledger\.create"):
        Ledger(tmp_path / "x.ledger")
    with pytest.raises(LedgerError, match="no ledger at"):
        Ledger(tmp_path / "no" / "x.ledger")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="not a regular file"):
        Ledger(tmp_path)
    with pytest.raises(LedgerError, match="not a regular file"):
        Ledger("")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(LedgerError, match="not a regular file"):
            Ledger(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(LedgerError):
        Ledger(tmp_path / "loop")


@pytest.mark.parametrize("path", [None, 3, b"x.ledger", "a\0b", True], ids=range(5))
def test_a_path_is_text(path: object) -> None:
    with pytest.raises(InvalidInput, match="path"):
        Ledger(path)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="path"):
        Ledger.create(path, PureDP(1.0))  # type: ignore[arg-type]


def test_memory_is_no_path() -> None:
    with pytest.raises(LedgerError, match="no ledger at"):
        Ledger(":memory:")


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"smoking,systolic\nyes,lt140\n" * 100, b"\0" * 5000, b"SQLite format 3\0" + b"\xff" * 4080]
)
def test_other_files_are_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.ledger"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"x\.ledger"):
        Ledger(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "x.ledger"
    with raw(path) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute("CREATE TABLE entry (seq, request_id, units, delta_units)")
    content = path.read_bytes()
    with pytest.raises(FormatError, match=r"x\.ledger.*another program"):
        Ledger(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("version", [0, 3, 7])
def test_another_format_is_refused(path: Path, version: int) -> None:
    with raw(path) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(FormatError, match=rf"x\.ledger' has format {version}.*reads formats 1 to 2"):
        Ledger(path)


@pytest.mark.parametrize("kept", [1, 50, 99, 100, 511, 512, 4095, 4096, 8192, -4096, -1])
def test_a_truncated_ledger_is_refused(path: Path, kept: int) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:kept])
    with pytest.raises(FormatError, match=r"x\.ledger"):
        Ledger(path)


def test_flipped_bytes_are_refused_or_change_nothing_of_what_is_spent(path: Path) -> None:
    """Not every byte is guarded (a specification's text is not), but no flip makes a charge smaller."""
    content = path.read_bytes()
    spent = Ledger(path).spent
    for at in range(0, len(content), 61):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        try:
            ledger = Ledger(path)
        except (FormatError, LedgerError):
            continue
        assert ledger.spent >= spent


def test_a_second_name_is_refused_and_a_symbolic_link_is_the_same_ledger(path: Path) -> None:
    link = path.with_name("link.ledger")
    link.symlink_to(path)
    charge(Ledger(link), "through the link")
    assert Ledger(path).spent == 0.4
    assert Ledger(link).path == path.resolve()
    os.link(path, path.with_name("hard.ledger"))
    for name in (path, link, path.with_name("hard.ledger")):
        with pytest.raises(LedgerError, match="hard link"):
            Ledger(name)


def test_a_ledger_that_vanished_or_was_replaced_is_noticed(path: Path, tmp_path: Path) -> None:
    ledger = Ledger(path)
    path.unlink()
    with pytest.raises(LedgerError, match="no ledger at"):
        charge(ledger, "d")
    assert not path.exists()
    Ledger.create(path, PureDP(5.0))
    with pytest.raises(LedgerError, match="another ledger lies now at"):
        charge(ledger, "d")
    with pytest.raises(LedgerError, match="another ledger lies now at"):
        _ = ledger.remaining
    assert Ledger(path).entries() == ()


def test_a_file_that_vanishes_on_the_way_is_not_made_anew(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(path)
    monkeypatch.setattr(ledger_file, "check_file", lambda checked: checked.unlink())
    with pytest.raises(LedgerError, match=r"x\.ledger"):
        charge(ledger, "d")
    assert not path.exists()


@pytest.mark.parametrize(
    ("kind", "refused"),
    [
        *((kind, True) for kind in ("nfs4", "cifs", "9p", "fuse.sshfs", "smb3", "lustre")),
        *((kind, False) for kind in ("ext4", "tmpfs", "overlay", "fuse.ext4", "nfsd")),
    ],
)
def test_a_network_file_system_is_refused(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, refused: bool
) -> None:
    (tmp_path / "a share").mkdir()
    mounts, content = tmp_path / "mountinfo", path.read_bytes()
    share = str(tmp_path / "a share").replace(" ", r"\040")
    mounts.write_text(
        f"1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        f"2 1 0:50 / {share} rw - ext4 below rw\n"
        f"3 1 0:50 / {share} rw,relatime shared:2 master:3 - {kind} server:/export rw\n"
        f"4 1 0:51 / {tmp_path / 'a'} rw - nfs server:/other rw\nhalf a line\n"
    )
    monkeypatch.setattr(filesystem, "MOUNTS", mounts)
    there = tmp_path / "a share" / "x.ledger"
    if refused:
        with pytest.raises(LedgerError, match=rf"network file system \({kind}\)"):
            Ledger.create(there, PureDP(1.0))
        assert not there.exists()
        there.write_bytes(content)
        with pytest.raises(LedgerError, match=rf"network file system \({kind}\)"):
            Ledger(there)
        assert there.read_bytes() == content
    else:
        Ledger.create(there, PureDP(1.0))
    assert Ledger(path).spent == 0.3


def test_the_file_system_of_this_machine_is_found(tmp_path: Path) -> None:
    if not filesystem.MOUNTS.exists():
        pytest.skip("this system has no list of mounts")
    assert filesystem.file_system(tmp_path) is not None
    assert filesystem.file_system(Path("/proc/self")) == "proc"


def test_where_no_mounts_are_listed_nothing_is_refused(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesystem, "MOUNTS", tmp_path / "none")
    assert filesystem.file_system(path) is None
    assert Ledger(path).spent == 0.3


# ---- creating --------------------------------------------------------------------------------------------------------


def test_creating_never_touches_what_is_there(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    with pytest.raises(LedgerError, match=r"x\.ledger' exists"):
        Ledger.create(path, PureDP(9.0))
    assert path.read_bytes() == content
    (tmp_path / "empty").touch()
    for name in ("empty", "."):
        with pytest.raises(LedgerError, match="exists"):
            Ledger.create(tmp_path / name, PureDP(9.0))
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(tmp_path / "no" / "x.ledger", PureDP(9.0))


def test_a_journal_left_over_is_not_played_into_a_new_ledger(tmp_path: Path) -> None:
    (tmp_path / "x.ledger-journal").write_bytes(b"old")
    with pytest.raises(LedgerError, match="journal"):
        Ledger.create(tmp_path / "x.ledger", PureDP(1.0))
    assert [file.name for file in tmp_path.iterdir()] == ["x.ledger-journal"]


def test_the_name_of_a_new_ledger_is_synced_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (synced.append(os.fstat(descriptor)), fsync(descriptor)))
    Ledger.create(tmp_path / "x.ledger", PureDP(1.0))
    assert [status.st_ino for status in synced] == [tmp_path.stat().st_ino]


def test_a_failed_creation_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_file, "CREATE", "CREATE TABLE half (x); CREATE nonsense;")
    with pytest.raises(LedgerError):
        Ledger.create(tmp_path / "x.ledger", PureDP(1.0))
    assert list(tmp_path.iterdir()) == []


# ---- a file that was edited -----------------------------------------------------------------------------------------

NOTHING, ONE = "0" * 60, "0" * 59 + "1"


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE entry SET units = '{ONE}' WHERE seq = 2",
        "UPDATE entry SET units = 'many' WHERE seq = 2",
        "UPDATE entry SET amount = '0.01' WHERE seq = 2",
        "UPDATE entry SET amount = 'nan' WHERE seq = 2",
        "UPDATE entry SET charged_at = 'yesterday' WHERE seq = 2",
        "UPDATE entry SET specification = 'another' WHERE seq = 2",
        "UPDATE entry SET request_id = 'B' WHERE seq = 2",
        "UPDATE entry SET adjacency = 'add-remove' WHERE seq = 2",
        "UPDATE entry SET fixed = 'group'",
        "UPDATE entry SET payload = 'other' WHERE seq = 1",
        "UPDATE entry SET state = 'CHARGED', payload = NULL WHERE seq = 1",
        "UPDATE entry SET state = 'CHARGED' WHERE seq = 1",
        f"UPDATE entry SET state = 'RELEASED', payload = 'x', seal = '{'0' * 64}' WHERE seq = 2",
        f"UPDATE entry SET head = '{'0' * 64}' WHERE seq = 3",
        f"UPDATE entry SET previous = '{'0' * 64}' WHERE seq = 2",
        "UPDATE entry SET seq = 9 WHERE seq = 3",
        "DELETE FROM entry WHERE seq = 1",
        "DELETE FROM entry WHERE seq = 2",
        "DELETE FROM entry WHERE seq = 3",
        "DELETE FROM entry",
        f"UPDATE budget SET spent = '{NOTHING}'",
        f"UPDATE budget SET seq = 0, spent = '{NOTHING}'",
        f"UPDATE budget SET spent_delta = '{ONE}'",
        "UPDATE budget SET seq = 2",
        "UPDATE budget SET total = '9' || substr(total, 2)",
        "UPDATE budget SET total = '1'",
        "UPDATE budget SET total = 'all'",
        "UPDATE budget SET currency = 'euro'",
        "UPDATE budget SET accounting = 'none', currency = 'euro'",
        "UPDATE budget SET accounting = 'gdp'",
        "UPDATE budget SET guarantee = '{}'",
        "UPDATE budget SET guarantee = '[1'",
        "UPDATE budget SET ledger_id = 'another'",
        f"UPDATE budget SET genesis = '{'0' * 64}'",
        "DELETE FROM budget",
    ],
)
def test_a_file_edited_without_its_guards_contradicts_itself(path: Path, statement: str) -> None:
    with raw(path) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(statement).rowcount > 0
    with pytest.raises(FormatError, match=r"x\.ledger"):
        Ledger(path)


@pytest.mark.parametrize(
    ("seq", "changed"),
    [(2, {"specification": "another"}), (3, {"amount": "0.01"}), (3, {"unit": "person"}), (3, {"delta": "0.1"})],
    ids=["in the middle", "another price", "other neighbours", "a hidden delta"],
)
def test_an_entry_forged_with_its_own_head_is_refused(path: Path, seq: int, changed: dict) -> None:
    """Each agrees with itself; the next entry, the price or the other entries tell."""
    store = ledger_file.FileStore(path)
    with store.transaction(write=True) as book:
        (row,) = (row for row in book.rows() if row.seq == seq)
        forged = linked(row._replace(**changed), row.previous)
        book.execute("DROP TRIGGER entry_is_only_released")
        for name in (*changed, "head"):
            book.execute(f"UPDATE entry SET {name} = ? WHERE seq = ?", (getattr(forged, name), seq))
    with pytest.raises(FormatError, match=r"x\.ledger"):
        Ledger(path)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR REPLACE INTO budget SELECT * FROM budget",
        "UPDATE OR REPLACE entry SET seq = 1 WHERE seq = 3",
        "INSERT OR REPLACE INTO entry SELECT * FROM entry WHERE seq = 2",
        "INSERT OR IGNORE INTO entry SELECT * FROM entry WHERE seq = 2",
    ],
)
def test_nothing_is_replaced_under_another_verb(path: Path, statement: str) -> None:
    with raw(path) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    assert len(Ledger(path).entries()) == 3


def test_an_index_that_lost_an_entry_is_refused(path: Path) -> None:
    """Every entry is there and follows the last; only the look-up by id would miss one, and charge it twice."""
    with raw(path) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_entry_1'"
        ).fetchone()
    content = bytearray(path.read_bytes())
    start = (page - 1) * 4096
    assert content[start] == 0x0A  # a leaf of an index
    assert content[start + 3 : start + 5] == b"\0\3"  # with three cells
    content[start + 3 : start + 7] = b"\0\0\x10\0"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="damaged"):
        Ledger(path)


def test_a_charge_lost_behind_the_back_of_an_open_ledger_is_noticed(path: Path) -> None:
    """The file agrees with itself again after this; the process remembers."""
    ledger = Ledger(path)
    with raw(path) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM entry WHERE seq = 3")
        connection.execute(f"UPDATE budget SET seq = 2, spent = '{2 * 10**39:060d}'")
    for use in (lambda: charge(ledger, "d"), lambda: ledger.spent, ledger.entries):
        with pytest.raises(LedgerError, match=r"older than this process remembers: charge 3 is missing"):
            use()
    assert Ledger(path).spent == 0.2  # without a witness, known and documented


# ---- how it is written -----------------------------------------------------------------------------------------------


def test_a_transaction_is_durable_and_leaves_no_second_file(path: Path) -> None:
    store = ledger_file.FileStore(path)
    with store.transaction(write=True) as book:
        for pragma, value in {"journal_mode": "delete", "synchronous": 3, "fullfsync": 1, "trusted_schema": 0}.items():
            assert book.execute(f"PRAGMA {pragma}").fetchone() == (value,)
    assert [file.name for file in path.parent.iterdir()] == ["x.ledger"]


def test_a_ledger_that_was_put_in_write_ahead_mode_is_put_back(path: Path) -> None:
    with raw(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    charge(Ledger(path), "d")
    assert [file.name for file in path.parent.iterdir()] == ["x.ledger"]
    assert Ledger(path).spent == 0.4


def test_a_file_system_that_keeps_no_promise_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite ignores what it cannot set, so the settings are read back."""

    class Deaf(sqlite3.Connection):
        def execute(self, statement: str, *arguments: object) -> sqlite3.Cursor:  # type: ignore[override]
            return super().execute(statement.replace("synchronous = 3", "synchronous = 1"), *arguments)

    ledger = Ledger(path)
    connect = sqlite3.connect
    monkeypatch.setattr(ledger_file.sqlite3, "connect", lambda *a, **k: connect(*a, **k, factory=Deaf))
    with pytest.raises(LedgerError, match="cannot be made durable here: synchronous stays 1"):
        charge(ledger, "d")


def test_the_live_file_is_never_opened_by_python(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing such a descriptor would drop SQLite's locks, and another process would be granted the same unit."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("opened")

    ledger = Ledger(path)
    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(builtins, "open", refuse)
    charge(ledger, "d")
    ledger.record_release("d", "{}")
    assert Ledger(path).spent == 0.4


def test_a_copy_of_the_file_is_the_same_ledger_elsewhere(path: Path, tmp_path: Path) -> None:
    """Known and documented: nothing inside a file can notice that it was copied."""
    shutil.copy(path, tmp_path / "y.ledger")
    assert Ledger(tmp_path / "y.ledger").entries() == Ledger(path).entries()
