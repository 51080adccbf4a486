"""Progress of long work that counts its steps: a bar with the time left, on stderr, where someone watches a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from discreet.cli.output import console
from discreet.cli.progress import PATIENCE


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yields what to call with the steps done and their number; the bar shows from the second second on."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
    )
    task, begun = bar.add_task(what), time.monotonic()

    def tell(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)
        if not bar.live.is_started and time.monotonic() - begun > PATIENCE:
            bar.start()

    try:
        yield tell
    finally:
        bar.stop()
