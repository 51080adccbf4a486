"""`discreet check`: which records do not match the schema, and why. Confidential: for the curator's own eyes."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from discreet.cli.boundary import confidential
from discreet.cli.options import Data, Json, SchemaFile, example
from discreet.cli.output import emit, facts, heading, printable, warning
from discreet.cli.progress import working

if TYPE_CHECKING:
    from discreet.curator.source import Diagnosis

EXAMPLE = example("discreet check czech.csv --schema czech.toml")
CONFIDENTIAL = "CONFIDENTIAL: exact counts and raw values of the records, not for release"


def check(data: Data, schema: SchemaFile, as_json: Json = False) -> None:
    """Show the records that do not match the schema, and the likely cause.

    What it prints is CONFIDENTIAL: exact counts and raw values, for the curator's own eyes. Spends nothing.
    """
    with confidential(), working("reading the records"):
        from discreet.curator.source import open_source
        from discreet.schema import Schema

        declared = Schema.from_toml(schema)
        source = open_source(data, declared)
        try:
            rows = source.count_rows() if declared.n_is_public else None
            diagnosis = source.diagnose()
        finally:
            source.close()
    outcome = {
        "command": "check",
        "confidential": True,
        "data": data,
        "schema": str(schema),
        "rows": rows,
        "complete": declared.complete,
        "clean": diagnosis.clean,
        "columns": [_column(column) for column in diagnosis.columns],
        "numbers": [asdict(column) for column in diagnosis.numbers],
    }
    emit(outcome, lambda: _view(outcome, diagnosis), as_json=as_json)


def _column(column: Any) -> dict[str, Any]:
    values = [{"value": s.value, "type": s.type, "count": s.count, "hint": s.hint} for s in column.values]
    return {"name": column.name, "strays": column.count, "values": values}


def _view(outcome: dict[str, Any], diagnosis: Diagnosis) -> RenderableType:
    rows = "" if outcome["rows"] is None else f"{outcome['rows']:,} records"
    parts: list[RenderableType] = [
        heading(f"{outcome['data']} against {outcome['schema']}", rows),
        Text(CONFIDENTIAL, style="bold red"),
        "",
    ]
    if any(column.count for column in diagnosis.columns):
        parts += [_strays(diagnosis), ""]
        if outcome["complete"]:
            parts += [
                warning("The schema promises complete = true, so a stray counts as the first category of its column."),
                "",
            ]
    if any(column.count for column in diagnosis.numbers):
        parts += [_numbers(diagnosis), ""]
    matching = {
        "no strays in": [column.name for column in diagnosis.columns if not column.count],
        "all within bounds in": [column.name for column in diagnosis.numbers if not column.count],
    }
    if shown := [(kind, ", ".join(names)) for kind, names in matching.items() if names]:
        parts.append(facts(shown))
    return Group(*parts)


def _numbers(diagnosis: Diagnosis) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", border_style="bright_black", show_edge=False)
    table.add_column("column", overflow="fold", min_width=8)
    for kind in ("null or NaN", "below", "above", "not a number"):
        table.add_column(kind, justify="right", no_wrap=True)
    for column in diagnosis.numbers:
        if column.count:
            counts = column.missing, column.below, column.above, column.not_numbers
            table.add_row(Text(printable(column.name)), *(f"{count:,}" for count in counts))
    return table


def _strays(diagnosis: Diagnosis) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", border_style="bright_black", show_edge=False)
    table.add_column("column", overflow="fold", min_width=8)
    table.add_column("value", overflow="fold", min_width=6)
    table.add_column("type", overflow="fold", style="dim")
    table.add_column("records", justify="right", no_wrap=True)
    table.add_column("likely cause", overflow="fold", min_width=20)
    for column in diagnosis.columns:
        if not column.count:
            continue
        for index, stray in enumerate(column.values):
            value = Text("null", "dim") if stray.value is None else Text(printable(repr(stray.value)))
            name = Text(printable(column.name)) if index == 0 else ""
            table.add_row(name, value, Text(printable(stray.type)), f"{stray.count:,}", Text(printable(stray.hint)))
        rest = column.count - sum(stray.count for stray in column.values)
        if rest > 0:
            table.add_row("", Text("others", "dim"), "", f"{rest:,}", "")
    return table
