"""`discreet check`: the one command that shows values of records, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

STRAYS = "\n".join(["smoking,systolic", *["no,lt140"] * 5, *["Yes,ge140"] * 3, " yes,ge140", "perhaps,", "yez,ge140"])


@pytest.fixture
def strays(study: Path) -> None:
    Path("strays.csv").write_text(STRAYS + "\n")
    Path("strays.toml").write_text('[columns]\nsmoking = ["no", "yes"]\nsystolic = ["lt140", "ge140"]\n')


def test_clean_records(discreet) -> None:
    data = discreet("check", "czech.csv", "--schema", "czech.toml", "--json").data()
    assert (data["clean"], data["rows"], data["confidential"]) == (True, 1841, True)
    assert "CONFIDENTIAL" in discreet("check", "czech.csv", "--schema", "czech.toml").done()


@pytest.mark.usefixtures("strays")
def test_strays_come_with_their_likely_cause(discreet) -> None:
    smoking, systolic = discreet("check", "strays.csv", "--schema", "strays.toml", "--json").data()["columns"]
    causes = {stray["value"]: (stray["count"], stray["hint"].split(":")[0]) for stray in smoking["values"]}
    assert smoking["strays"] == 6
    assert causes == {"Yes": (3, "case"), " yes": (1, "blanks"), "perhaps": (1, "undeclared"), "yez": (1, "spelling")}
    assert [stray["value"] for stray in systolic["values"]] == [None]


@pytest.mark.usefixtures("study")
def test_numbers_that_are_none_or_out_of_bounds(discreet) -> None:
    Path("ages.csv").write_text("age,dose\n34,1\n,2\nn/a,3\n151,4\n-1,5\n200,6\n")
    Path("ages.toml").write_text("[columns]\nage = { lower = 0, upper = 120 }\ndose = { lower = 0, upper = 9 }\n")
    data = discreet("check", "ages.csv", "--schema", "ages.toml", "--json").data()
    assert data["clean"] is False
    assert data["numbers"] == [
        {"name": "age", "missing": 1, "below": 1, "above": 2, "not_numbers": 1},
        {"name": "dose", "missing": 0, "below": 0, "above": 0, "not_numbers": 0},
    ]
    shown = discreet("check", "ages.csv", "--schema", "ages.toml").done()
    assert "null or NaN" in shown
    assert "151" not in shown
    assert "all within bounds in  dose" in shown


@pytest.mark.usefixtures("strays")
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_fits_the_terminal(discreet, monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = discreet("check", "strays.csv", "--schema", "strays.toml").done()
    assert "CONFIDENTIAL" in shown
    assert "' yes'" in shown
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.usefixtures("strays")
def test_a_promise_of_completeness_that_is_broken_is_pointed_out(discreet) -> None:
    schema = Path("strays.toml")
    schema.write_text("complete = true\n" + schema.read_text())
    assert "counts as the first category" in " ".join(
        discreet("check", "strays.csv", "--schema", schema).done().split()
    )


def test_under_add_remove_the_number_of_records_is_not_shown(discreet) -> None:
    schema = Path("czech.toml")
    schema.write_text('adjacency = "add-remove"\n' + schema.read_text())
    shown = discreet("check", "czech.csv", "--schema", schema)
    assert "1,841" not in shown.done()
    assert discreet("check", "czech.csv", "--schema", schema, "--json").data()["rows"] is None


def test_control_characters_in_a_value_do_not_reach_the_terminal(discreet) -> None:
    Path("strays.toml").write_text('[columns]\nsmoking = ["no", "yes"]\n')
    Path("hostile.csv").write_text("smoking\nno\n\x1b[2J[red]markup\n", newline="")
    shown = discreet("check", "hostile.csv", "--schema", "strays.toml").done()
    assert "\x1b" not in shown
    assert "[red]markup" in shown
