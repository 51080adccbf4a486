"""A process that uses a ledger and is killed, or meets a failing disk, at a named point.

It reads one task a line, in JSON. A task that is to end badly runs in a fork of this process, which itself has never
opened a ledger, so the fork inherits no lock; it costs milliseconds where a new interpreter costs half a second. Races are
between several of these processes and nothing is forked.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any

from discreet.curator.ledger import Ledger
from discreet.curator.ledger.sqlite import SqliteBook
from discreet.curator.ledger.witness import Witness
from discreet.errors import BudgetExceeded, DiscreetError
from discreet.privacy.cost import Cost

ASK = {"specification": "a table", "adjacency": "replace-one", "unit": "record", "fixed": None}


def charge(ledger: Ledger, request_id: str, cost: float) -> None:
    ledger.charge(Cost(ledger.currency, cost), request_id=request_id, **ASK)


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


# ---- the operating system refuses ------------------------------------------------------------------------------------

CALLS = {
    "x86_64": (0xC000003E, {"write": (18,), "sync": (74, 75), "unlink": (87, 263)}),
    "aarch64": (0xC00000B7, {"write": (68,), "sync": (82, 83), "unlink": (35,)}),
}
KILL, FAIL = 0x80000000, 0x00050000


def arm_system_call(kind: str, action: int) -> None:
    """From now on this process is killed at such a call, or the call fails (Linux's seccomp filter; no way back)."""
    architecture, calls = CALLS[platform.machine()]
    numbers = calls[kind]
    program = [(0x20, 0, 0, 4), (0x15, 1, 0, architecture), (0x06, 0, 0, 0x7FFF0000), (0x20, 0, 0, 0)]
    for number in numbers:
        program += [(0x15, 0, 1, number), (0x06, 0, 0, action)]
    program.append((0x06, 0, 0, 0x7FFF0000))

    class Instruction(ctypes.Structure):
        _fields_ = (("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("k", ctypes.c_uint))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.POINTER(Instruction)))

    instructions = (Instruction * len(program))(*program)
    filtered = Program(len(program), instructions)
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero) or libc.prctl(
        22, ctypes.c_ulong(2), ctypes.byref(filtered), zero, zero
    ):
        raise OSError(ctypes.get_errno(), "no seccomp here")


# ---- named points ----------------------------------------------------------------------------------------------------


def book_of(ledger: Ledger) -> type:
    if ledger.path is not None:
        return SqliteBook
    from discreet.curator.ledger.postgres import PostgresBook

    return PostgresBook


def after(owner: Any, name: str, action: Callable[..., None]) -> None:
    original = getattr(owner, name)

    def wrapped(*arguments: Any) -> Any:
        result = original(*arguments)
        action()
        return result

    setattr(owner, name, wrapped)


def before(owner: Any, name: str, action: Callable[..., None]) -> None:
    original = getattr(owner, name)

    def wrapped(*arguments: Any) -> Any:
        action()
        return original(*arguments)

    setattr(owner, name, wrapped)


def half_a_line(witness: Witness, text: str) -> None:
    with witness.path.open("a") as file:
        file.write(text[: len(text) // 2])
    die()


def die_with_commit_on_its_way() -> None:
    from discreet.curator.ledger import postgres

    original = postgres._run

    def run(connection: Any, statement: str, values: Any = ()) -> Any:
        if statement == "COMMIT":
            connection.pgconn.send_query(b"COMMIT")
            connection.pgconn.flush()
            die()
        return original(connection, statement, values)

    postgres._run = run  # type: ignore[assignment]


def die_in_commit(ledger: Ledger, step: str, kind: str) -> None:
    """Once the statement `step` has run: on the first write, sync or unlink of the commit; in PostgreSQL as it is sent."""
    if ledger.path is None:
        after(book_of(ledger), step, die_with_commit_on_its_way)
    else:
        after(SqliteBook, step, lambda: arm_system_call(kind, KILL))


POINTS: dict[str, Callable[[Ledger], object]] = {
    "opened": die,
    "in the transaction": lambda ledger: before(book_of(ledger), "find", die),
    "looked up": lambda ledger: after(book_of(ledger), "find", die),
    "taken": lambda ledger: after(book_of(ledger), "take", die),
    "appended": lambda ledger: after(book_of(ledger), "append", die),
    "commit: first write": lambda ledger: die_in_commit(ledger, "append", "write"),
    "commit: first sync": lambda ledger: die_in_commit(ledger, "append", "sync"),
    "commit: journal removed": lambda ledger: die_in_commit(ledger, "append", "unlink"),
    "committed": lambda ledger: before(Witness, "append", die),
    "half a line in the witness": lambda ledger: setattr(Witness, "_append", half_a_line),
    "witnessed": lambda ledger: after(Witness, "append", die),
    "charged": lambda ledger: before(Ledger, "record_release", die),
    "releasing": lambda ledger: after(book_of(ledger), "release", die),
    "release commit: first write": lambda ledger: die_in_commit(ledger, "release", "write"),
    "release commit: journal removed": lambda ledger: die_in_commit(ledger, "release", "unlink"),
    "release committed": lambda ledger: before(Ledger, "_released", die),
    "released": lambda ledger: None,
}


def fail(number: int, *kinds: str) -> Callable[[Ledger], None]:
    def arm(ledger: Ledger) -> None:
        for kind in kinds:
            arm_system_call(kind, FAIL | number)

    return arm


def small_files(ledger: Ledger) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit = os.stat(ledger.path or ledger.place).st_size + 2000
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


FAULTS: dict[str, Callable[[Ledger], object]] = {
    "file-size limit": small_files,
    "disk full": fail(errno.ENOSPC, "write"),
    "write error": fail(errno.EIO, "write"),
    "sync error": fail(errno.EIO, "sync"),
    "journal cannot be removed": fail(errno.EIO, "unlink"),
}


# ---- tasks -----------------------------------------------------------------------------------------------------------


def live(task: dict[str, Any], say: Callable[[str], None]) -> None:
    """Charge and release for ever (or `times`), and tell of each once it returned."""
    ledger = Ledger(task["place"])
    say("opened")
    {**POINTS, **FAULTS, None: lambda _: None}[task.get("point")](ledger)
    for i in range(task.get("times", 10**9)):
        request_id = f"{task['name']}-{i}"
        try:
            charge(ledger, request_id, task["cost"])
            say(f"charged {request_id}")
            ledger.record_release(request_id, f"payload of {request_id}")
            say(f"released {request_id}")
        except BudgetExceeded:
            return
        except DiscreetError as refused:
            say(f"refused {refused}")


def start(task: dict[str, Any]) -> tuple[int, int]:
    """A fork that lives so: its process id, and where it tells from."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            live(task, lambda line: void(os.write(writing, f"{line}\n".encode())))
            status = 0
        except DiscreetError as refused:
            os.write(writing, f"refused {refused}\n".encode())
        finally:
            os._exit(status)
    os.close(writing)
    return child, reading


def void(_: object) -> None:
    """What it is given is not needed."""


def finish(child: int, reading: int) -> dict[str, Any]:
    """What a fork told before its end, and that end."""
    with os.fdopen(reading) as told:
        lines = told.read().split("\n")[:-1]
    return {"status": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "lines": lines}


def race(task: dict[str, Any]) -> dict[str, Any]:
    """Attempts as fast as possible, after a word that all have opened the ledger; with `same`, all under one id."""
    ledger = Ledger(task["place"])
    print(json.dumps("ready"), flush=True)
    sys.stdin.readline()
    granted, refused = [], []
    for i in range(task["attempts"]):
        request_id = f"{i}" if task.get("same") else f"{task['name']}-{i}"
        try:
            charge(ledger, request_id, task["cost"])
            granted.append(request_id)
        except BudgetExceeded:
            refused.append("budget")
        except DiscreetError as problem:
            refused.append(str(problem))
    return {"granted": granted, "refused": refused}


def main() -> None:
    for line in sys.stdin:
        task = json.loads(line)
        answer = race(task) if task["do"] == "race" else finish(*start(task))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
