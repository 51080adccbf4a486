"""Places for ledgers in both back ends, and how to ask for a charge."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent

RUNNING = "DISCREET_TEST_POSTGRES"
"""Names the folder of a server that runs already (the mutants' tests share one)."""


def _load(name: str) -> ModuleType:
    """A helper beside this file; the tests are no package."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules[name] = module
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


postgres_server = _load("postgres_server")


@pytest.fixture(scope="session")
def server(leave_out: Callable[[str, str], None]) -> Iterator[postgres_server.Server]:
    """One PostgreSQL server for all tests of a worker."""
    reason = postgres_server.missing()
    if reason is not None:
        leave_out("postgresql", reason)
    pytest.importorskip("psycopg")
    if RUNNING in os.environ:
        yield postgres_server.Server.running_in(os.environ[RUNNING])
        return
    running = postgres_server.Server()
    yield running
    running.stop()


def _places(backend: str, request: pytest.FixtureRequest, folder: Path) -> Callable[[], str]:
    if backend == "postgres":
        return request.getfixturevalue("server").address
    numbers = iter(range(10_000))
    return lambda: str(folder / f"{next(numbers)}.ledger")


@pytest.fixture(params=["sqlite", "postgres"])
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def new_place(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """A maker of places where no ledger is yet."""
    return _places(backend, request, tmp_path)


@pytest.fixture
def place(new_place: Callable[[], str]) -> str:
    """A place where no ledger is yet."""
    return new_place()


class Nursery:
    """Another interpreter, which carries out tasks (see child.py)."""

    def __init__(self) -> None:
        command = [sys.executable, str(HERE / "child.py")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, task: object) -> None:
        self.process.stdin.write(f"{json.dumps(task)}\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]

    def answer(self) -> Any:
        return json.loads(self.process.stdout.readline())  # type: ignore[union-attr]

    def live(self, place: object, **task: object) -> tuple[int, list[str]]:
        """How a life on a ledger ended, and what it told (see `live` there)."""
        self.send({"do": "live", "place": str(place), "name": "x", "cost": 0.1, **task})
        answer = self.answer()
        return answer["status"], answer["lines"]

    def stop(self) -> None:
        self.process.communicate()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    one = Nursery()
    yield one
    one.stop()


@pytest.fixture(scope="session")
def racers() -> Iterator[list[Nursery]]:
    """Eight separate interpreters: a fork of one that has opened a ledger would share its locks and hide a missing one."""
    eight = [Nursery() for _ in range(8)]
    yield eight
    for each in eight:
        each.stop()


@pytest.fixture
def fast_folder() -> Iterator[Path]:
    """In memory where there is room: a killed process, unlike a power cut, loses nothing there."""
    with tempfile.TemporaryDirectory(dir=postgres_server.fast_folder()) as folder:
        yield Path(folder)
