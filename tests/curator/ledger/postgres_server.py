"""A PostgreSQL server of one's own: data and socket in a temporary folder, stopped by its own process id.

The server refuses to run as root, so for root it runs as another user, to whom the folder belongs.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from urllib.parse import quote

SETTINGS = {
    "listen_addresses": "",
    "max_connections": 60,
    "shared_buffers": "16MB",
    "wal_level": "minimal",
    "max_wal_senders": 0,
    "autovacuum": "off",
    "log_min_messages": "panic",
    "restart_after_crash": "on",
}


MEMORY = Path("/dev/shm")


def fast_folder() -> Path | None:
    """A file system in memory with room, where a sync costs nothing: a killed process loses nothing there either."""
    roomy = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 2**30
    return MEMORY if roomy else None


def find_program(name: str) -> str | None:
    """On the path, or where Debian keeps it: the newest version."""
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    return shutil.which(name) or (str(installed[-1]) if installed else None)


def missing() -> str | None:
    """Why no server can be started here, or None."""
    for name in ("initdb", "postgres"):
        if find_program(name) is None:
            return f"PostgreSQL's {name} is not installed (Debian: apt-get install postgresql)"
    if _is_root() and shutil.which("setpriv") is None:
        return "PostgreSQL does not run as root, and setpriv is not installed"
    return None


class Server:
    """A running server; `address(schema)` is a new, empty place in it for one ledger."""

    process: subprocess.Popen[bytes]

    @classmethod
    def running_in(cls, folder: str) -> Server:
        """A server that another process has started, and will stop."""
        self = cls.__new__(cls)
        self.folder = Path(folder)
        return self

    def __init__(self, folder: Path | None = None, **settings: object) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir=folder or fast_folder()))
        self._settings = {**SETTINGS, **settings}
        if _is_root():
            shutil.chown(self.folder, "nobody")
        options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--username=curator", "--no-sync"]
        self._run(["initdb", *options, "-D", str(self.folder / "data")], check=True)
        self.start()

    def start(self) -> None:
        settings = [f"--{name}={value}" for name, value in self._settings.items()]
        sockets = f"--unix_socket_directories={self.folder}"
        command = self._command(["postgres", "-D", str(self.folder / "data"), sockets, *settings])
        import psycopg

        for _ in range(60):  # after a kill it refuses as long as a process of the old server is still ending
            self.process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder
            )
            while self.process.poll() is None:
                try:
                    self.execute("SELECT 1")
                    return
                except psycopg.OperationalError:
                    time.sleep(0.05)
            time.sleep(0.2)
        raise RuntimeError("the PostgreSQL server did not start")

    def address(self) -> str:
        """Of a new schema."""
        schema = f"ledger{uuid.uuid4().hex}"
        self.execute(f"CREATE SCHEMA {schema}")
        return self.uri(f"-csearch_path={schema}")

    def uri(self, options: str = "") -> str:
        return f"postgresql://curator@/postgres?host={quote(str(self.folder))}&options={quote(options)}"

    def execute(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.uri(), autocommit=True) as connection:
            connection.execute(statement)

    def kill(self) -> None:
        """As a power cut would: no checkpoint, no goodbye."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGQUIT)  # at once: what it holds is thrown away
        self.process.wait(timeout=60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _command(self, command: list[str]) -> list[str]:
        program = [find_program(command[0]) or command[0], *command[1:]]
        return ["setpriv", "--reuid=nobody", "--clear-groups", *program] if _is_root() else program

    def _run(self, command: list[str], **options: object) -> None:
        subprocess.run(
            self._command(command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.folder, **options
        )  # type: ignore[call-overload]


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
