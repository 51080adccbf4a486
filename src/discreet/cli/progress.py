"""A sign of life on stderr for work that takes longer than a second, and only where someone watches a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from discreet.cli.output import console

PATIENCE = 1.0  # seconds


@contextmanager
def working(what: str) -> Iterator[None]:
    """Shows `what` with a spinner while the block runs, from the second second on."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield
        return
    status = screen.status(what)
    timer = Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
