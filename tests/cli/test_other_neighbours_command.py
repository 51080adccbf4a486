"""`discreet release` and its kin under add-remove and under a fixed column."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from discreet import load

PAIR = ("czech.csv", "--schema", "other.toml", "--by", "smoking,systolic", "--ledger", "czech.ledger")
COLUMNS = '[columns]\nsmoking = ["no", "yes"]\nsystolic = ["lt140", "ge140"]\n'


@pytest.fixture
def schema(study: Path):
    def write(text: str) -> Path:
        path = study / "other.toml"
        path.write_text(text + COLUMNS)
        return path

    return write


def test_add_remove(discreet, ledger: Path, schema) -> None:
    schema('adjacency = "add-remove"\n')
    price = discreet("price", "table", *PAIR, "--epsilon", 0.5).done()
    shown = discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json").done()
    table = load("t.json")
    assert (table.scale, table.n, table.adjacency) == (2.0, None, "add-remove")
    assert "one record added or removed" in shown
    assert "1,841" not in price + shown
    assert "1841" not in price + shown + Path("t.json").read_text()
    data = discreet("test", "independence", "t.json", "--json", "--seed", 1).data()
    assert data["n_is_public"] is False
    refused = discreet("release", "table", *PAIR, "--mu", 0.5, "-o", "u.json").refused()
    assert "pure" in refused or "currency" in refused or "epsilon" in refused


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_table_by_a_fixed_column(discreet, ledger: Path, schema, monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    schema('fixed = "smoking"\n')
    with open("czech.csv") as file:
        smokers = sum(row["smoking"] == "yes" for row in csv.DictReader(file))
    shown = discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json").done()
    for words in ("other (strays) of no", "undeclared smoking", "by one of the same smoking"):
        assert words in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= width
    data = discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "u.json", "--json", "--plot", "u.svg").data()
    table = load("u.json")
    assert data["group_sizes"] == [1841 - smokers, smokers, 0] == list(table.group_sizes)
    assert data["other"]["count"] == table.other.tolist()
    assert data["undeclared_group"] == table.undeclared_group.tolist()
    assert data["fixed"] == "smoking"
    tested = discreet("test", "homogeneity", "t.json", "--json", "--seed", 1).data()
    assert tested["df"] == 1
    refused = discreet("release", "table", *PAIR[:4], "smoking", *PAIR[5:], "--epsilon", 0.5, "-o", "v.json").refused()
    assert "tabulate another column by it" in refused


def test_one_ledger_keeps_one_kind_of_neighbours(discreet, ledger: Path, schema) -> None:
    schema('fixed = "smoking"\n')
    discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json").done()
    schema('adjacency = "add-remove"\n')
    assert "add-remove" in discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "u.json").refused()
