"""Shaping of what is printed."""

from __future__ import annotations

import io
import json
import math
import time

import pytest
from rich.console import Console

from discreet.cli import output, progress
from discreet.cli.amounts import bars, share_spent


def test_json_has_null_for_numbers_that_are_not_finite(capsys) -> None:
    output.emit({"a": math.nan, "b": (1, [math.inf, 2.5]), "c": {"d": "é\x1b"}}, lambda: "", as_json=True)
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert json.loads(printed) == {"a": None, "b": [1, [None, 2.5]], "c": {"d": "é\x1b"}}


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[31mred", "bell\a", "\ud800", "[bold]markup[/bold]", ":smile:"])
def test_an_error_is_one_line_and_steers_no_terminal(capsys, text) -> None:
    output.complain(text + " and " + "a long text " * 30)
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert printed[:-1].isprintable()
    assert printed.startswith("error: ")


def test_text_that_looks_like_markup_is_printed_as_it_is(capsys) -> None:
    output.complain("column '[bold]' :smile:")
    assert capsys.readouterr().err == "error: column '[bold]' :smile:\n"


def test_the_share_of_a_budget_counts_what_adds_up() -> None:
    assert share_spent("epsilon", 0.5, 1.5) == 0.25
    assert share_spent("mu", 0.6, 0.8) == pytest.approx(0.36)
    assert share_spent("rho", 1.0, 0.0) == 1.0


def test_a_bar_is_full_only_when_nothing_is_left() -> None:
    assert "─" not in bars({"rho": 1.0}, {"rho": 0.0}).plain
    assert "─" in bars({"rho": 1.0}, {"rho": 1e-6}).plain


@pytest.mark.parametrize(("terminal", "seconds", "shown"), [(True, 0.3, True), (True, 0.0, False), (False, 0.3, False)])
def test_progress_is_for_long_work_on_a_terminal(monkeypatch, terminal, seconds, shown) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(progress, "PATIENCE", 0.1)
    monkeypatch.setattr(progress, "console", lambda *, stderr: Console(file=stream, force_terminal=terminal))
    with progress.working("counting the records"):
        time.sleep(seconds)
    assert ("counting the records" in stream.getvalue()) == shown
