"""A selection on the terminal: the chosen candidate, and among how many it was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from discreet.cli.output import printable
from discreet.cli.views.table import Facts
from discreet.release.labels import shortened

if TYPE_CHECKING:
    from discreet.curator import Price
    from discreet.release import SelectionRelease


def title(release: SelectionRelease) -> tuple[str, str]:
    """The columns, and how many candidates there were."""
    return " by ".join(release.column_names), f"one of {len(release.candidates):,} candidates"


def numbers(release: SelectionRelease) -> RenderableType:
    """The chosen one."""
    return Text.assemble("  selected  ", (printable(shortened(release.candidate, 60)), "bold"))


def noise(release: SelectionRelease) -> Facts:
    """How it was chosen."""
    size = "" if release.n is None else f"; n = {release.n:,}"
    return [("chosen", f"by the exponential mechanism; no score is released{size}")]


def as_data(release: SelectionRelease) -> dict[str, Any]:
    """The chosen candidate and what it is, as plain data."""
    return {
        "columns": list(release.column_names),
        "selected": release.candidate,
        "candidates": list(release.candidates),
        "n": release.n,
        "adjacency": release.adjacency,
        "guarantee": None if release.guarantee is None else release.guarantee.to_dict(),
    }


def accuracy(price: Price) -> tuple[dict[str, Any], Facts]:
    """How far the chosen one may be from the best."""
    candidates, shortfall = int(price.accuracy["candidates"]), price.accuracy["shortfall"]
    text = f"the score of the chosen one is within {shortfall:.3g} of the best, with probability 95% or more"
    data = {"candidates": candidates, "shortfall": shortfall, "level": 0.95}
    return data, [("candidates", f"{candidates:,}"), ("accuracy", text)]
