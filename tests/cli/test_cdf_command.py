"""`discreet release|price cdf`: what they print and save, and that a refusal charges nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet import load
from discreet.release import CdfRelease

ASK = ("penguins.csv", "--schema", "penguins.toml", "--ledger", "mu.ledger", "--column", "body_mass_g", "--mu", 1)


def test_the_printed_numbers_are_the_saved_ones(discreet, penguins: Path) -> None:
    data = discreet("release", "cdf", *ASK, "-o", "f.json", "--plot", "f.png", "--json").data()
    release = load("f.json")
    assert isinstance(release, CdfRelease)
    low, high = release.interval()
    assert data["cumulative"] == release.cumulative.tolist()
    assert (data["low"], data["high"]) == (low.tolist(), high.tolist())
    assert data["edges"] == release.edges.tolist()
    assert len(data["edges"]) == 201
    assert Path("f.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("width", [50, 80])
def test_some_edges_are_shown_in_the_width_of_the_terminal(discreet, penguins: Path, monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = discreet("release", "cdf", *ASK, "--points", 50, "-o", "f.json").done()
    release = load("f.json")
    assert f"{release.edges[1]:g}" in shown
    assert f"{release.cumulative[0] / 333:z.3f}" in shown
    assert f"{release.cumulative[-1] / 333:z.3f}" in shown
    assert "(16 of 49 edges)" in shown
    assert "one edge at a time" in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= width
    few = discreet("release", "cdf", *ASK, "--points", 4, "-o", "g.json").done()
    assert [few.count(f" {edge} ") for edge in (3250, 4500, 5750)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("options", "reason", "status"),
    [
        (("--points", 1, "--plot", "f.png"), "2 to 8192", 1),
        (("--points", 201), "from 2 to 200", 1),
        (("--points", 10**12, "--plot", "f.png"), "2 to 8192", 1),
        (("--column", "sex"), "categorical", 1),
        (("--mu", 21), "requested mu = 21", 1),
    ],
)
def test_a_refusal_charges_and_writes_nothing(discreet, penguins: Path, options, reason, status) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    message = discreet("release", "cdf", *ASK, "-o", "f.json", *options).refused(status)
    assert reason.lower() in message.lower()
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_under_pure_dp_the_alternatives_are_named(discreet, penguins: Path) -> None:
    pure = (*ASK[:3], "--ledger", "p.ledger", "--column", "body_mass_g", "--epsilon", 1)
    message = discreet("release", "cdf", *pure, "-o", "f.json").refused()
    assert "no finite pure epsilon" in message
    assert "histogram" in message


def test_the_price_of_a_distribution_function(discreet, penguins: Path) -> None:
    data = discreet("price", "cdf", *ASK, "--json").data()
    release = discreet("release", "cdf", *ASK, "-o", "f.json", "--json").data()
    assert data["largest_noise_sd"] == max(release["noise_sds"])
    assert data["share_sd"] == pytest.approx(data["largest_noise_sd"] / 333)
    assert data["cells"] == 200
    assert "at each of 199 edges" in discreet("price", "cdf", *ASK).done()
