"""What every `discreet release` command does: check, charge, release, save, print.

Before the charge everything that could prevent the result from reaching its file is checked: names, folders, the
picture. After it, should the file fail all the same, the ledger still holds the release under its request id.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Group, RenderableType

from discreet.cli.amounts import as_data, cost_as_data, in_words
from discreet.cli.boundary import confidential
from discreet.cli.files import check_ledger, check_output, check_picture, rehearse_picture, save_picture
from discreet.cli.output import emit, facts, heading, printable
from discreet.cli.progress import working
from discreet.cli.request import ReleaseOptions, SavedOptions
from discreet.errors import DiscreetError, InvalidInput

if TYPE_CHECKING:
    from discreet.curator import Curator
    from discreet.schema import Schema

Facts = list[tuple[str, RenderableType]]


class Shown(Protocol):
    """How one kind of release is shown: a module of this room has these four functions."""

    def title(self, release: Any) -> tuple[str, str]:
        """What it is, and how its numbers are to be read."""
        ...

    def numbers(self, release: Any) -> RenderableType:
        """Its numbers, as wide as the terminal allows."""
        ...

    def noise(self, release: Any) -> Facts:
        """Its noise and size, in words."""
        ...

    def as_data(self, release: Any) -> dict[str, Any]:
        """All of it as plain data."""
        ...


def publish(
    kind: str,
    options: SavedOptions,
    shown: Shown,
    make: Callable[[Curator, str], Any],
    rehearsal: Callable[[Schema], Any] | None = None,
    *,
    inputs: tuple[Path, ...] = (),
) -> None:
    """Make a release with `make(curator, request_id)`; `inputs` are the files that it reads beside the usual ones.

    `rehearsal(schema)` is a release of the same shape with made-up numbers; there is none where there is no picture.
    """
    from discreet.release.columnar import check_path

    plot = options.plot if isinstance(options, ReleaseOptions) else None
    read: tuple[str | Path, ...] = (options.data, options.schema, options.ledger, *inputs)
    check_ledger(options.ledger)
    check_path(str(options.output), kind)
    check_output(options.output, force=options.force, inputs=read)
    check_picture(plot, inputs=(*read, options.output))
    identity = options.request_id if options.request_id is not None else secrets.token_hex(8)
    with confidential(), working("reading the records"):
        from discreet.curator import Curator
        from discreet.schema import Schema

        declared = Schema.from_toml(options.schema)
        if plot is not None and rehearsal is not None:
            rehearse_picture(rehearsal(declared))
        with Curator(options.data, declared, ledger=options.ledger) as curator:
            earlier = any(entry.request_id == identity for entry in curator.ledger.entries())
            release = make(curator, identity)
    _save(release, options.output, plot, identity)
    outcome = {
        "command": f"release {kind}",
        "output": str(options.output),
        "plot": None if plot is None else str(plot),
        "request_id": identity,
        "charged": not earlier,
        "cost": cost_as_data(release.cost),
        "remaining": as_data(curator.ledger.currency, curator.ledger.remaining),
    }
    data = shown.as_data(release) if options.as_json else {}  # of a wide table it is long
    emit({**outcome, **data}, lambda: _view(release, shown, outcome), as_json=options.as_json)


def _save(release: Any, output: Path, plot: Path | None, identity: str) -> None:
    try:
        release.save(output)
        if plot is not None:
            save_picture(release, plot)
    except DiscreetError as problem:
        raise InvalidInput(
            f"{problem}; the release is charged and kept in the ledger: repeat the command with "
            f"--request-id {shlex.quote(identity)} to get it again at no cost"
        ) from None


def _neighbours(release: Any) -> str:
    fixed, unit = release.schema.fixed, release.schema.unit
    if unit is not None:
        what = "added or removed" if release.adjacency == "add-remove" else "replaced"
        return f"one person ({printable(unit)}) {what} with all records, of which at most {release.schema.max_records} count"
    if release.adjacency == "add-remove":
        return "one record added or removed"
    return "one record replaced" + ("" if fixed is None else f" by one of the same {printable(fixed)}")


def _view(release: Any, shown: Shown, outcome: dict[str, Any]) -> RenderableType:
    cost = in_words(outcome["cost"])
    pairs: Facts = [
        *shown.noise(release),
        ("guarantee", f"{release.guarantee}, {_neighbours(release)}"),
        ("cost", cost if outcome["charged"] else f"nothing more: this request was released before for {cost}"),
        ("remaining", in_words(outcome["remaining"])),
        ("saved", outcome["output"] if outcome["plot"] is None else f"{outcome['output']}, {outcome['plot']}"),
    ]
    return Group(heading(*shown.title(release)), "", shown.numbers(release), "", facts(pairs))
