"""`discreet lab reproduce`: the figures from the shell."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from discreet.lab import reproduce


@pytest.fixture
def two_figures(monkeypatch):
    """A register of two: one that is quick, one whose table is not at hand."""
    names = ("testbed", "pvalues-census")
    monkeypatch.setattr(reproduce, "FIGURES", {name: reproduce.FIGURES[name] for name in names})


def test_the_list(discreet) -> None:
    data = discreet("lab", "reproduce", "list", "--json").data()
    assert [figure["name"] for figure in data["figures"]] == list(reproduce.FIGURES)
    needs = {figure["name"]: figure["needs"] for figure in data["figures"] if figure["needs"]}
    assert needs["pvalues-abortion"] == "gss1972_abortion.csv"
    assert set(needs) == {"pvalues-abortion", "pvalues-taxi", "pvalues-census"}
    text = discreet("lab", "reproduce", "list").done()
    for name in reproduce.FIGURES:
        assert name in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_figure_with_its_picture_and_numbers(discreet) -> None:
    pytest.importorskip("matplotlib")
    command = ("lab", "reproduce", "testbed", "--seed", 7, "--plot", "t.png", "--csv", "t.csv")
    data = discreet(*command, "--json").data()
    assert (data["name"], data["seed"], data["full"], data["saved"]) == ("testbed", 7, False, ["t.png", "t.csv"])
    assert Path("t.png").read_bytes().startswith(b"\x89PNG")
    with Path("t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["statistic"] for row in rows] == [row["statistic"] for row in data["rows"]]
    assert [float(row["mean"]) for row in rows] == [row["mean"] for row in data["rows"]]
    assert "'t.csv' exists" in discreet(*command).refused()
    text = discreet(*command, "--force").done()
    assert "saved t.png" in text
    assert "48 rows of table, n, statistic, perturb" in text
    assert max(map(len, text.splitlines())) <= 80


def test_numbers_that_fit_the_terminal_are_shown(discreet, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "130")
    lines = discreet("lab", "reproduce", "testbed").done().splitlines()
    assert sum("smoking, mental work" in line and " ll " in line for line in lines) == 2
    assert max(map(len, lines)) <= 130


def test_all_makes_what_it_can(discreet, two_figures) -> None:
    pytest.importorskip("matplotlib")
    run = discreet("lab", "reproduce", "all", "--folder", "some figures", "--json")
    data = run.data()
    assert [figure["name"] for figure in data["figures"]] == ["testbed"]
    assert data["skipped"] == [{"name": "pvalues-census", "needs": "SYNTHETIC_home_work_income.csv"}]
    assert sorted(path.name for path in Path("some figures").iterdir()) == ["testbed.csv", "testbed.png"]
    assert set(data["figures"][0]["saved"]) == {str(path) for path in Path("some figures").iterdir()}


def test_what_is_refused(discreet) -> None:
    assert "did you mean 'testbed'" in discreet("lab", "reproduce", "testbet").refused()
    assert "--folder" in discreet("lab", "reproduce", "all").refused(2)
    assert "--folder goes with all" in discreet("lab", "reproduce", "testbed", "--folder", "x").refused(2)
    assert "--plot" in discreet("lab", "reproduce", "all", "--folder", "x", "--plot", "a.png").refused(2)
    assert "ends in" in discreet("lab", "reproduce", "testbed", "--plot", "a.jpeg").refused()
    assert "--workers" in discreet("lab", "reproduce", "testbed", "--workers", 0).refused()
    assert "with --data" in discreet("lab", "reproduce", "pvalues-taxi").refused()
    assert "no folder 'nowhere'" in discreet("lab", "reproduce", "testbed", "--data", "nowhere").refused()
    assert not Path("x").exists()
