"""`discreet release`: what it prints and saves, and that a refusal of any kind charges nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from discreet import Ledger, load
from discreet.cli.files import PICTURES
from discreet.errors import InvalidInput
from discreet.release import TableRelease

PAIR = ("czech.csv", "--schema", "czech.toml", "--by", "smoking,systolic", "--ledger", "czech.ledger")


def test_the_printed_object_is_the_saved_release(discreet, ledger: Path) -> None:
    data = discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json", "--json").data()
    release = load("t.json")
    low, high = release.interval()
    assert data["counts"] == release.counts.tolist()
    assert (data["low"], data["high"], data["level"]) == (low.tolist(), high.tolist(), 0.95)
    assert data["columns"] == {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}
    assert (data["n"], data["other"], data["output"], data["plot"]) == (1841, None, "t.json", None)
    assert (data["mechanism"], data["guarantee"]) == ("Laplace", {"kind": "pure", "epsilon": 0.5})
    assert (data["charged"], data["cost"], data["remaining"]) == (True, {"epsilon": 0.5}, {"epsilon": 1.5})
    assert data["command"] == "release table"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_is_shown_with_an_interval_for_each_cell(discreet, ledger: Path, monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json").done()
    assert shown.count("[") == 4
    for label in ("no", "yes", "lt140", "ge140"):
        assert label in shown
    assert "cost       epsilon = 0.5" in shown
    assert "remaining  epsilon = 1.5" in shown
    assert max(map(len, shown.splitlines())) <= width


def test_all_six_columns_are_listed_cell_by_cell(discreet, ledger: Path) -> None:
    columns = "smoking,mental_work,physical_work,systolic,lipoprotein_ratio,family_history"
    arguments = ("czech.csv", "--schema", "czech.toml", "--by", columns, "--ledger", ledger, "--epsilon", 1)
    shown = discreet("release", "table", *arguments, "-o", "t.json").done()
    assert "… 28 more" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("suffix", PICTURES)
def test_a_picture_is_saved(discreet, ledger: Path, suffix) -> None:
    data = discreet(
        "release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json", "--plot", f"table{suffix}", "--json"
    ).data()
    assert data["plot"] == f"table{suffix}"
    assert Path(data["plot"]).stat().st_size > 1000


def test_a_request_that_is_repeated_costs_nothing_more(discreet, ledger: Path) -> None:
    request = ("release", "table", *PAIR, "--epsilon", 0.5, "--request-id", "my request", "--json")
    first = discreet(*request, "-o", "one.json").data()
    again = discreet(*request, "-o", "two.json").data()
    assert (first["charged"], again["charged"]) == (True, False)
    assert again["remaining"] == first["remaining"] == {"epsilon": 1.5}
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert "nothing more" in discreet(*request[:-1], "-o", "three.json").done()
    other = discreet("release", "table", *PAIR, "--epsilon", 0.4, "--request-id", "my request", "-o", "four.json")
    assert "belongs to another request" in other.refused()


@pytest.mark.parametrize(
    ("options", "reason", "status"),
    [
        (
            ("--epsilon", 2.5, "-o", "t.json"),
            "requested epsilon = 2.5; remaining epsilon = 2.0; difference epsilon = 0.5",
            1,
        ),
        (("--epsilon", 0, "-o", "t.json"), "epsilon must be above 0", 1),
        (("--mu", 1, "-o", "t.json"), "no valid cost", 1),
        (("--epsilon", 1, "--mechanism", "gaussian", "-o", "t.json"), "Gaussian", 1),
        (("--epsilon", 1, "-o", "missing/t.json"), "there is no folder 'missing'", 1),
        (("--epsilon", 1, "-o", "."), "is a folder", 1),
        (("--epsilon", 1, "-o", "czech.csv", "--force"), "another file of this command", 1),
        (("--epsilon", 1, "-o", "czech.ledger", "--force"), "another file of this command", 1),
        (("--epsilon", 1, "-o", "czech.toml"), "another file of this command", 1),
        (("--epsilon", 1, "-o", "there.json"), "exists", 1),
        (("--epsilon", 1, "-o", "t.json", "--plot", "t.gif"), "ends in .png, .pdf or .svg", 1),
        (("--epsilon", 1, "-o", "t.json", "--plot", "missing/t.png"), "there is no folder 'missing'", 1),
        (("--epsilon", 1, "-o", "t.png", "--plot", "t.png"), "another file of this command", 1),
        (("--epsilon", 1, "-o", "t.json", "--by", "smoking,sistolic"), "did you mean 'systolic'", 1),
        (("--epsilon", 1, "-o", "t.json", "--by", "smoking,smoking"), "", 1),
        (("--epsilon", 1, "-o", "t.json", "--by", ","), "at least one column", 1),
        (("--epsilon", 1, "-o", "t.json", "--by", ",", "--plot", "t.png"), "", 1),
        (("--epsilon", 1, "-o", "t.json", "--by", "smoking,systolic,mental_work", "--plot", "t.png"), "one or two", 1),
        (("--epsilon", 1, "-o", "t.json", "--schema", "missing.toml"), "missing.toml", 1),
        (("--epsilon", 1, "-o", "t.json", "--ledger", "missing"), "discreet ledger create", 1),
        (("--epsilon", 1, "-o", "t.json", "--request-id", ""), "request_id", 1),
        (("--epsilon", 1), "missing option", 2),
        (("-o", "t.json"), "give one of --epsilon", 2),
    ],
)
def test_a_refusal_charges_and_writes_nothing(discreet, ledger: Path, options, reason, status) -> None:
    Path("there.json").write_text("mine")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    message = discreet("release", "table", *PAIR, *options).refused(status)
    assert reason.lower() in message.lower()
    assert Ledger(ledger).entries() == ()
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_force_overwrites_an_output(discreet, ledger: Path) -> None:
    Path("t.json").write_text("mine")
    discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json", "--force").done()
    assert isinstance(load("t.json"), TableRelease)


def test_a_picture_that_cannot_be_drawn_is_found_before_the_charge(discreet, ledger: Path, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise InvalidInput("no picture today")

    monkeypatch.setattr(TableRelease, "plot", fail)
    arguments = ("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json", "--plot", "t.png")
    assert discreet(*arguments).refused() == "no picture today"
    assert Ledger(ledger).entries() == ()


def test_a_release_that_could_not_be_saved_is_not_lost(discreet, ledger: Path, monkeypatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(TableRelease, "save", _full_disk)
        message = discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json").refused()
    assert message.startswith("the disk is full; the release is charged and kept in the ledger")
    (entry,) = Ledger(ledger).entries()
    assert f"--request-id {entry.request_id} " in message
    again = ("--epsilon", 0.5, "-o", "t.json", "--request-id", entry.request_id, "--json")
    data = discreet("release", "table", *PAIR, *again).data()
    assert (data["charged"], data["remaining"]) == (False, {"epsilon": 1.5})
    np.testing.assert_array_equal(data["counts"], load("t.json").counts)


def _full_disk(*_: object) -> None:
    raise InvalidInput("the disk is full")


def test_the_other_cell_is_shown(discreet, ledger: Path) -> None:
    schema = Path("czech.toml")
    schema.write_text(schema.read_text().replace("complete = true", "complete = false"))
    data = discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json", "--json").data()
    assert data["other"]["low"] < data["other"]["count"] < data["other"]["high"]
    assert "other (strays)" in discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "u.json").done()


def test_a_pair_of_epsilon_and_delta_is_charged_side_by_side(discreet) -> None:
    discreet("ledger", "create", "czech.ledger", "--epsilon", 1, "--delta", 1e-6).done()
    options = ("--epsilon", 0.25, "--delta", 1e-7, "-o", "t.json", "--json")
    data = discreet("release", "table", *PAIR, *options).data()
    assert data["cost"] == {"epsilon": 0.25, "delta": 1e-7}
    assert data["remaining"] == {"epsilon": 0.75, "delta": 9e-7}
    assert json.loads(Path("t.json").read_text())["n"] == 1841
