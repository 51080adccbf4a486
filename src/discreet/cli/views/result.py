"""The result of a test as readable text: the same lines for every test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from discreet.cli.output import facts, heading, probability, warning

if TYPE_CHECKING:
    from discreet.inference import TestResult


def result_view(result: TestResult, effect: str, plot: Path | None) -> RenderableType:
    """Statistic, p-value, effect, null, what ignoring the noise would have claimed, warnings, and where the picture is."""
    size = f"n = {result.n:,.0f}" if result.n_is_public else f"estimated n = {result.n:,.0f}"
    error = f"standard error {probability(result.pvalue_error)}"
    pairs: list[tuple[str, Any]] = [
        ("statistic", f"{result.statistic:#.4g}, df {result.df}"),
        ("p-value", Text.assemble((probability(result.pvalue), "bold"), f"  ({error})")),
        ("effect", effect),
        ("null", result.null),
        ("naive", f"{probability(result.naive_pvalue)} is what one would claim by ignoring the noise; it is not valid"),
    ]
    pairs += [("beware", warning(text)) for text in result.warnings]
    if plot is not None:
        pairs.append(("saved", str(plot)))
    return Group(heading(result.test, f"{result.statistic_name}, {size}"), "", facts(pairs))
