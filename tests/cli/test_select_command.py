"""`discreet release|price select`: the most frequent cell, candidates of a file, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet import Schema, load
from discreet.cli.score_file import read_candidates
from discreet.errors import FormatError
from discreet.release import SelectionRelease

ASK = ("penguins.csv", "--schema", "penguins.toml", "--ledger", "p.ledger", "--epsilon", 20)
SCORE = "candidate,Torgersen,Biscoe,Dream\nnowhere,0,0,0\nBiscoe twice,0,2,0\nsmall isles,1,0,1\n"


def test_the_printed_candidate_is_the_saved_one(discreet, penguins: Path) -> None:
    """124 of 333 penguins live on Dream, 163 on Biscoe: at epsilon = 20 another one has a probability below e^-100."""
    data = discreet("release", "select", *ASK, "--by", "island", "-o", "b.json", "--json").data()
    release = load("b.json")
    assert isinstance(release, SelectionRelease)
    assert data["selected"] == release.candidate == "Biscoe"
    assert data["candidates"] == ["Biscoe", "Dream", "Torgersen"]
    assert (data["columns"], data["n"], data["plot"]) == (["island"], 333, None)
    shown = discreet("release", "select", *ASK, "--by", "island", "-o", "c.json").done()
    assert "selected  Biscoe\n" in shown
    assert "one of 3 candidates" in shown


def test_candidates_of_a_file_are_scored_by_their_cells(discreet, penguins: Path) -> None:
    Path("score.csv").write_text(SCORE)
    data = discreet(
        "release", "select", *ASK, "--by", "island", "--score", "score.csv", "-o", "b.json", "--json"
    ).data()
    assert data["candidates"] == ["nowhere", "Biscoe twice", "small isles"]
    assert data["selected"] == "Biscoe twice"  # 326 against 170
    price = discreet("price", "select", *ASK, "--by", "island", "--score", "score.csv", "--json").data()
    assert price["candidates"] == 3


def test_a_file_may_name_the_cells_in_any_order(tmp_path: Path) -> None:
    schema = Schema({"a": ["x", "y"], "b": ["1", "2"]})
    path = tmp_path / "s.csv"
    path.write_text("name,y & 2,x & 1,x & 2,y & 1,other\none,22,11,12,21,9\n")
    found = read_candidates(path, schema, ["a", "b"])
    assert (found.names, found.score) == (["one"], [[11, 12, 21, 22, 9]])
    assert read_candidates(None, schema, ["a"]).names is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "needs a first line"),
        ("candidate,x,y\n", "needs a first line"),
        ("candidate,x\none,1\n", "the cells 'x', 'y'"),
        ("candidate,x,y,z\none,1,2,3\n", "the cells 'x', 'y'"),
        ("candidate,x,x\none,1,2\n", "the cells 'x', 'y'"),
        ("candidate,x,y\none,1\n", "line 2"),
        ("candidate,x,y\none,1,2\ntwo,1,0.5\n", "line 3"),
    ],
)
def test_a_file_that_is_not_a_score_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(content)
    with pytest.raises(FormatError, match=reason):
        read_candidates(path, Schema({"a": ["x", "y"]}), ["a"])


@pytest.mark.parametrize(
    ("options", "reason", "status"),
    [
        (("--by", "body_mass_g"), "numeric", 1),
        (("--by", ","), "one or more different names", 1),
        (("--by", "island", "--score", "none.csv"), "No such file", 1),
        (("--by", "island", "--score", "penguins.csv"), "first line", 1),
        (("--by", "island", "--score", "score.csv", "-o", "score.csv", "--force"), "another file of this command", 1),
        (("--by", "island", "--plot", "b.png"), "--plot", 2),
        (("--by", "island", "--mu", 1), "give one of", 2),
    ],
)
def test_a_refusal_charges_and_writes_nothing(discreet, penguins: Path, options, reason, status) -> None:
    Path("score.csv").write_text(SCORE)
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    message = discreet("release", "select", *ASK, "-o", "b.json", *options).refused(status)
    assert reason.lower() in message.lower()
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_the_price_of_a_selection(discreet, penguins: Path) -> None:
    data = discreet("price", "select", *ASK, "--by", "island,sex", "--json").data()
    assert (data["candidates"], data["level"]) == (6, 0.95)
    assert 0 < data["shortfall"] < 1
    assert "of the best" in discreet("price", "select", *ASK, "--by", "island,sex").done()
