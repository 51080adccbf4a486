"""What a command prints: one JSON object, or calm text of the width of the terminal; errors as one line on stderr."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text


def console(*, stderr: bool = False) -> Console:
    """A console on what `sys.stdout` (or `sys.stderr`) is now. Nothing in a text is taken for markup."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def emit(data: Mapping[str, Any], view: Callable[[], RenderableType], *, as_json: bool) -> None:
    """Print the outcome of a command: `data` as one JSON object, or what `view` draws."""
    if as_json:
        sys.stdout.write(json.dumps(_plain(data), indent=2, ensure_ascii=True, allow_nan=False) + "\n")
    else:
        screen = console()
        with screen.capture() as capture:
            screen.print(view())
        sys.stdout.write("\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n")
    sys.stdout.flush()


def complain(text: str) -> None:
    """One line on stderr, however long, whatever it quotes."""
    line = Text.assemble(("error: ", "bold red"), printable(text))
    console(stderr=True).print(line, soft_wrap=True)


def note(text: str) -> None:
    """A remark on stderr, beside the output."""
    console(stderr=True).print(Text(printable(text), style="dim"), soft_wrap=True)


def printable(text: object) -> str:
    """The text with line ends and control characters escaped: a label from a file must not steer the terminal.

    >>> printable("a\\x1b[31m b")
    'a\\\\x1b[31m b'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


def facts(pairs: Sequence[tuple[str, RenderableType]]) -> Table:
    """Names on the left, quietly; what they are on the right."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in pairs:
        grid.add_row(f"  {name}", Text(printable(value)) if isinstance(value, str) else value)
    return grid


def heading(title: str, aside: str = "") -> Text:
    """The first line of an output."""
    return Text.assemble((printable(title), "bold"), (f"  {printable(aside)}" if aside else "", "dim"))


def warning(text: str) -> Text:
    """What the reader should beware of."""
    return Text(printable(text), style="yellow")


def probability(p: float) -> str:
    """A p-value, or its standard error, in a few digits; never as 0.

    >>> [probability(p) for p in (0.25, 0.0213, 1.24e-7, 0.0)]
    ['0.2500', '0.0213', '1.24e-07', '< 1e-300']
    """
    if p < 1e-300:
        return "< 1e-300"
    return f"{p:.4f}" if p >= 0.001 else f"{p:.2e}"


def _plain(value: Any) -> Any:
    """Values that JSON has: tuples as lists, and null for a number that is not finite."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
