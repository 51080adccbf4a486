"""What only the PostgreSQL back end can meet: a lost connection, a killed server, settings that lose commits, passwords."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from discreet.curator.ledger import Ledger
from discreet.errors import BudgetExceeded, DiscreetError, FormatError, LedgerError, MissingExtra
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import PureDP

postgres = pytest.importorskip("discreet.curator.ledger.postgres")
pytest.importorskip("psycopg")

ASK = {"specification": "a table", "adjacency": "replace-one", "unit": "record", "fixed": None}


def charge(ledger: Ledger, request_id: str, epsilon: float = 0.1):
    return ledger.charge(Cost("epsilon", epsilon), request_id=request_id, **ASK)


@pytest.fixture
def place(server) -> str:
    return server.address()


@pytest.fixture
def ledger(place: str) -> Ledger:
    return Ledger.create(place, PureDP(1.0))


def connection_of(ledger: Ledger):
    return ledger._store._mine.connection[1]


# ---- places ----------------------------------------------------------------------------------------------------------


def test_one_ledger_lives_in_a_schema(place: str, server, ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="has a ledger already"):
        Ledger.create(place, PureDP(9.0))
    assert Ledger(place).budget == PureDP(1.0)
    with pytest.raises(LedgerError, match="no ledger in this PostgreSQL database: create it once"):
        Ledger(server.address())
    assert Ledger(place.replace("postgresql://", "postgres://")).ledger_id == ledger.ledger_id


def test_two_that_create_it_at_once_make_one(server) -> None:
    place, outcomes = server.address(), []

    def create(_: int) -> None:
        try:
            outcomes.append(Ledger.create(place, PureDP(1.0)).ledger_id)
        except LedgerError as refused:
            outcomes.append(str(refused))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(create, range(4)))
    made = [outcome for outcome in outcomes if len(outcome) == 32]
    assert len(made) == 1
    assert Ledger(place).ledger_id == made[0]


def test_another_format_is_refused(place: str, ledger: Ledger) -> None:
    with ledger._store.transaction(write=True) as book:
        book.execute("ALTER TABLE discreet_budget DISABLE TRIGGER guard")
        book.execute("UPDATE discreet_budget SET format = 3")
    with pytest.raises(FormatError, match="has not format 2"):
        Ledger(place)


def test_texts_are_kept_under_an_encoding_that_has_no_letters(server) -> None:
    place = f"{server.address()}&client_encoding=SQL_ASCII"
    ledger = Ledger.create(place, PureDP(1.0))
    for request_id in ("é\0\U0001f600\u202e'\"\\", "%s", "?"):
        charge(ledger, request_id)
        ledger.record_release(request_id, request_id)
        assert Ledger(place).payload(request_id) == request_id


def test_a_role_that_may_not_write_reads(place: str, server, ledger: Ledger) -> None:
    charge(ledger, "a")
    schema = place.rsplit("%3D", 1)[1]
    server.execute(f"CREATE ROLE reader_{schema} LOGIN; GRANT USAGE ON SCHEMA {schema} TO reader_{schema}")
    server.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader_{schema}")
    reader = Ledger(place.replace("curator@", f"reader_{schema}@"))
    assert reader.spent == 0.1
    with pytest.raises(LedgerError, match=r"cannot be written by this role; nothing was charged"):
        charge(reader, "b")
    server.execute(f"GRANT UPDATE, INSERT ON ALL TABLES IN SCHEMA {schema} TO reader_{schema}")
    charge(reader, "b")
    for statement in ("DELETE FROM discreet_entry", "TRUNCATE discreet_entry", "DROP TABLE discreet_entry"):
        with pytest.raises(LedgerError), reader._store.transaction(write=True) as book:
            book.execute(statement)
    for statement in ("TRUNCATE discreet_entry", "TRUNCATE discreet_budget"):  # nor may the owner
        with pytest.raises(LedgerError), ledger._store.transaction(write=True) as book:
            book.execute(statement)
    assert ledger.spent == 0.2


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"discreet\[postgres\]"):
        Ledger("postgresql://nowhere/x")


# ---- durability ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", ["off", "local", "remote_write", "on", "remote_apply"])
def test_a_commit_waits_for_the_disk_whatever_the_role_has_set(place: str, ledger: Ledger, setting: str) -> None:
    inside = f"{place}%20-csynchronous_commit%3D{setting}"
    other = Ledger(inside)
    with other._store.transaction(write=True) as book:
        (found,) = book.execute("SHOW synchronous_commit").fetchone()
    assert found == ("remote_apply" if setting == "remote_apply" else "on")


def test_a_setting_that_does_not_hold_is_refused(place: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    careless = Ledger(f"{place}%20-csynchronous_commit%3Doff")
    original = postgres._run

    def deaf(connection, statement, values=()):
        return original(
            connection, statement.replace("'synchronous_commit', 'on'", "'synchronous_commit', 'off'"), values
        )

    monkeypatch.setattr(postgres, "_run", deaf)
    with pytest.raises(LedgerError, match="cannot be made durable: synchronous_commit stays off; nothing was charged"):
        charge(careless, "a")
    charge(ledger, "a")


@pytest.mark.slow
def test_a_server_that_does_not_sync_is_refused(server) -> None:
    careless = type(server)(fsync="off")
    try:
        with pytest.raises(LedgerError, match="cannot be made durable: the server runs with fsync = off"):
            Ledger.create(careless.address(), PureDP(1.0))
    finally:
        careless.stop()


# ---- the outcome of a commit -----------------------------------------------------------------------------------------


def lose(monkeypatch: pytest.MonkeyPatch, *, sent: bool, times: int = 1, then=lambda: None) -> None:
    """The connection is lost at the next commit, before or after the server has it."""
    original, left = postgres._run, [times]

    def run(connection, statement, values=()):
        if statement == "COMMIT" and left[0]:
            left[0] -= 1
            if sent:
                original(connection, statement)
            connection.close()
            then()
            raise LedgerError("the ledger in PostgreSQL cannot be reached")
        return original(connection, statement, values)

    monkeypatch.setattr(postgres, "_run", run)


def test_a_commit_whose_answer_was_lost_is_found(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    lose(monkeypatch, sent=True)
    entry = charge(ledger, "a")
    assert (entry.seq, entry.head) == (1, ledger.head)
    lose(monkeypatch, sent=True)
    assert ledger.record_release("a", "{}").released
    assert ledger.spent == 0.1


def test_a_commit_that_did_not_take_place_is_told(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    lose(monkeypatch, sent=False)
    with pytest.raises(LedgerError, match="lost before the commit; nothing was charged; try again"):
        charge(ledger, "a")
    assert ledger.entries() == ()
    charge(ledger, "a")
    lose(monkeypatch, sent=False)
    with pytest.raises(LedgerError, match="the release was not recorded"):
        ledger.record_release("a", "{}")
    assert not ledger.entries()[0].released
    ledger.record_release("a", "{}")


def test_another_process_that_took_the_id_meanwhile_is_not_taken_for_the_lost_commit(
    place: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(monkeypatch, sent=False, then=lambda: charge(Ledger(place), "a"))
    with pytest.raises(LedgerError, match="lost before the commit"):
        charge(ledger, "a")
    assert len(ledger.entries()) == 1  # theirs


def test_a_commit_that_is_still_under_way_is_waited_for(
    place: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has not noticed that the client is gone, and commits later: the lock tells."""
    original, left, late = postgres._run, [1], []

    def run(connection, statement, values=()):
        if statement == "COMMIT" and left[0]:
            left[0] -= 1
            late.append(threading.Timer(0.5, lambda: connection.execute("COMMIT")))
            monkeypatch.setattr(postgres, "_close", lambda _: None)
            late[0].start()
            raise LedgerError("the ledger in PostgreSQL cannot be reached")
        return original(connection, statement, values)

    ledger._store._mine.connection = (-1, ledger._store._mine.connection[1])  # so that the next has its own
    charge(ledger, "first")
    monkeypatch.setattr(postgres, "_run", run)
    begin = ledger._store._begin
    monkeypatch.setattr(
        ledger._store, "_begin", lambda write: (setattr(ledger._store._mine, "connection", None), begin(write))[1]
    )
    assert charge(ledger, "a").seq == 2
    late[0].join()
    assert [entry.request_id for entry in Ledger(place).entries()] == ["first", "a"]


def test_where_nothing_can_be_looked_up_the_outcome_is_said_to_be_unknown(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise LedgerError("the ledger in PostgreSQL cannot be reached")

    working = ledger._store._connect
    lose(monkeypatch, sent=True, then=lambda: setattr(ledger._store, "_connect", refuse))
    with pytest.raises(LedgerError, match="not known whether it took place; nothing was released") as caught:
        charge(ledger, "a")
    assert caught.value.__cause__ is None
    ledger._store._connect = working
    with pytest.raises(LedgerError, match="spent, not released"):
        charge(ledger, "a")


def test_a_connection_that_died_between_two_calls_is_made_anew(ledger: Ledger, server) -> None:
    charge(ledger, "a")
    server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    charge(ledger, "b")
    connection_of(ledger).close()
    charge(ledger, "c")
    assert ledger.spent == 0.3


def test_a_connection_that_dies_inside_a_charge_charges_nothing(ledger: Ledger, server, monkeypatch) -> None:
    original = postgres.PostgresBook.append

    def append(self, row) -> None:
        original(self, row)
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        self.execute("SELECT 1")

    with monkeypatch.context() as patch:
        patch.setattr(postgres.PostgresBook, "append", append)
        with pytest.raises(LedgerError, match=r"cannot be reached.*nothing was charged"):
            charge(ledger, "a")
    assert ledger.entries() == ()


def test_an_exception_inside_a_charge_rolls_it_back(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(postgres.PostgresBook, "append", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            charge(ledger, "a")
    assert (ledger.entries(), ledger.spent) == ((), 0.0)
    charge(ledger, "a", 1.0)


@pytest.mark.slow
def test_a_killed_server_keeps_what_it_acknowledged(server) -> None:
    """Six threads charge; the server is killed as by a power cut, and started again."""
    place = server.address()
    Ledger.create(place, PureDP(400.0))
    seen: list[str] = []
    stop = threading.Event()

    def work(name: int) -> None:
        ledger = Ledger(place)
        i = 0
        while not stop.is_set():
            i += 1
            try:
                charge(ledger, f"{name}-{i}")
                seen.append(f"{name}-{i}")
                ledger.record_release(f"{name}-{i}", "{}")
            except LedgerError:
                time.sleep(0.02)

    with ThreadPoolExecutor(6) as pool:
        running = [pool.submit(work, name) for name in range(6)]
        try:
            for _ in range(3):
                enough, deadline = len(seen) + 60, time.monotonic() + 120
                while len(seen) < enough and time.monotonic() < deadline:
                    time.sleep(0.005)
                assert len(seen) >= enough
                server.kill()
                server.start()
        finally:
            stop.set()
        for each in running:
            each.result(timeout=120)
    ledger = Ledger(place)  # verified as it opens
    found = [entry.request_id for entry in ledger.entries()]
    assert set(seen) <= set(found)
    assert len(found) == len(set(found))
    assert len(found) <= len(seen) + 3 * 6
    assert ledger.spent == pytest.approx(0.1 * len(found))


# ---- waiting, threads, forks -----------------------------------------------------------------------------------------


def test_a_held_ledger_is_busy_and_nothing_is_charged(place: str, ledger: Ledger, monkeypatch) -> None:
    monkeypatch.setattr(postgres, "WAIT", 0.3)
    with Ledger(place)._store.transaction(write=True) as book:
        book.lock()
        with pytest.raises(LedgerError, match=r"in PostgreSQL is busy.*nothing was charged; try again"):
            charge(ledger, "a")
        assert ledger.spent == 0.0  # readers do not wait
    charge(ledger, "a")


def test_a_race_of_threads_grants_exactly_the_budget(ledger: Ledger) -> None:
    def attempt(name: int) -> int:
        granted = 0
        for i in range(6):
            try:
                charge(ledger, f"{name}-{i}")
            except BudgetExceeded:
                continue
            granted += 1
            ledger.record_release(f"{name}-{i}", "{}")
            _ = ledger.spent, ledger.entries()
        return granted

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(8))) == 10
    assert ledger.spent == 1.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_its_own_connection(ledger: Ledger) -> None:
    charge(ledger, "parent")
    mine = connection_of(ledger).info.backend_pid
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            charge(ledger, "child")
            os.write(writing, str(connection_of(ledger).info.backend_pid).encode())
            gc.collect()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert int(os.read(reading, 100)) != mine
    charge(ledger, "parent again")
    assert connection_of(ledger).info.backend_pid == mine  # the child did not close it
    assert [entry.request_id for entry in ledger.entries()] == ["parent", "child", "parent again"]


# ---- secrets ---------------------------------------------------------------------------------------------------------

CANARY = "hunter2-canary"


@pytest.fixture
def addresses(server) -> list[str]:
    host = str(server.folder).replace("/", "%2F")
    return [
        f"postgresql://curator:{CANARY}@127.0.0.1:1/{CANARY}",
        f"postgresql://{CANARY}:{CANARY}@/postgres?host={host}",
        f"postgresql://curator:{CANARY}@/{CANARY}?host={host}",
        f"postgresql://curator:{CANARY}@{CANARY}.invalid/x",
        f"postgresql://curator:{CANARY}@{CANARY}@x:y/z",
        f"postgresql://curator:{CANARY}@/postgres?host={host}&{CANARY}={CANARY}",
        f"postgresql://curator:{CANARY}@/postgres?host={host}&port={CANARY}",
        f"postgresql://curator@/postgres?host={host}&sslmode={CANARY}",
        f"postgresql://curator@/postgres?host={host}&options=-c{CANARY}",
        f"postgresql://curator:{CANARY}@/postgres?host={host}&connect_timeout={CANARY}",
    ]


def test_no_error_shows_the_address(addresses: list[str]) -> None:
    for address in addresses:
        for use in (Ledger, lambda place: Ledger.create(place, PureDP(1.0))):
            with pytest.raises(DiscreetError) as caught:
                use(address)
            error: BaseException | None = caught.value
            assert isinstance(error, LedgerError)
            text = "".join(traceback.format_exception(error))
            while error is not None:
                text += f"{error!r} {error.args}"
                error = error.__cause__ or error.__context__
            assert CANARY not in text


def test_no_view_of_a_ledger_shows_the_address(server) -> None:
    place = server.address().replace("curator@", f"curator:{CANARY}@")
    ledger = Ledger.create(place, PureDP(1.0))
    entry = charge(ledger, "a")
    shown = [repr(ledger), str(ledger), ledger.place, repr(entry), repr(vars(ledger)), repr(vars(ledger._store))]
    assert not any(CANARY in text or "postgresql:" in text for text in shown)
    assert ledger.path is None
    for double in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(LedgerError, match="in PostgreSQL cannot be copied"):
            double(ledger)
    with ledger._store.transaction(write=False) as book:
        stored = repr(book.execute("SELECT * FROM discreet_budget").fetchall())
    assert CANARY not in stored
