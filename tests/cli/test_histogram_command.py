"""`discreet release|price histogram`: what they print and save, and that a refusal charges nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet import Ledger, load
from discreet.release import HistogramRelease

ASK = ("penguins.csv", "--schema", "penguins.toml", "--ledger", "p.ledger", "--epsilon", 1)
MASS = ("--column", "body_mass_g", "--bins", 20)
BOTH = ("--columns", "body_mass_g,flipper_length_mm", "--bins", "5,4")


def test_the_printed_counts_are_the_saved_ones(discreet, penguins: Path) -> None:
    data = discreet("release", "histogram", *ASK, *MASS, "-o", "h.json", "--json").data()
    release = load("h.json")
    assert isinstance(release, HistogramRelease)
    low, high = release.interval()
    assert (data["counts"], data["low"], data["high"]) == (release.counts.tolist(), low.tolist(), high.tolist())
    assert data["edges"] == [release.edges[0].tolist()]
    assert (data["command"], data["columns"], data["bins"]) == ("release histogram", ["body_mass_g"], [20])
    assert (data["mechanism"], data["noise_sd"], data["n"]) == ("Laplace", release.sd, 333)
    assert (data["charged"], data["cost"], data["remaining"]) == (True, {"epsilon": 1.0}, {"epsilon": 49.0})


def test_two_columns_and_another_mechanism(discreet, penguins: Path) -> None:
    ask = (*ASK[:3], "--ledger", "mu.ledger", "--mu", 1, *BOTH, "--mechanism", "gaussian")
    data = discreet("release", "histogram", *ask, "-o", "h.json", "--json").data()
    release = load("h.json")
    assert release.bins == (5, 4)
    assert data["counts"] == release.counts.tolist()
    assert data["mechanism"] == "Gaussian"


@pytest.mark.parametrize("width", [50, 80, 120])
@pytest.mark.parametrize("columns", [MASS, BOTH], ids=["one", "two"])
def test_counts_are_shown_in_the_width_of_the_terminal(discreet, penguins: Path, monkeypatch, width, columns) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = discreet("release", "histogram", *ASK, *columns, "-o", "h.json").done()
    release = load("h.json")
    assert max(map(len, shown.splitlines())) <= width
    for count in release.counts.ravel():
        assert re.search(rf"(?<![\d.]){count:z.1f}(?!\d)", shown), count
    for edge in release.edges[0]:
        assert f"{edge:g}" in shown
    assert re.search(r"remaining +epsilon = 49\n", shown)


def test_a_histogram_of_many_cells_is_cut_short(discreet, penguins: Path) -> None:
    shown = discreet("release", "histogram", *ASK, "--column", "body_mass_g", "--bins", 200, "-o", "h.json").done()
    assert "164 more cells" in shown
    assert len(shown.splitlines()) < 60


def test_a_picture_is_rehearsed_before_the_charge(discreet, penguins: Path) -> None:
    data = discreet("release", "histogram", *ASK, *MASS, "-o", "h.json", "--plot", "h.png", "--json").data()
    assert Path(data["plot"]).read_bytes().startswith(b"\x89PNG")
    three = ("--columns", "body_mass_g,flipper_length_mm,bill_depth_mm", "--bins", 2)
    message = discreet("release", "histogram", *ASK, *three, "-o", "i.json", "--plot", "i.png").refused()
    assert "one or two columns" in message
    assert len(Ledger("p.ledger").entries()) == 1


def test_a_request_that_is_repeated_costs_nothing_more(discreet, penguins: Path) -> None:
    request = ("release", "histogram", *ASK, *MASS, "--request-id", "masses", "--json")
    first, again = discreet(*request, "-o", "1.json").data(), discreet(*request, "-o", "2.json").data()
    assert (first["charged"], again["charged"]) == (True, False)
    assert Path("1.json").read_bytes() == Path("2.json").read_bytes()


@pytest.mark.parametrize(
    ("options", "reason", "status"),
    [
        ((*MASS[:2], "--bins", 0), "from 1 to 200", 1),
        ((*MASS[:2], "--bins", 201), "from 1 to 200", 1),
        ((*MASS[:2], "--bins", 10**12, "--plot", "h.png"), "from 1 to 200", 1),
        ((*MASS[:2], "--bins", "3,4"), "1 columns need 1 numbers", 1),
        ((*MASS[:2], "--bins", "many"), "whole numbers separated by commas", 2),
        (("--column", "body_mass", "--bins", 3), "did you mean 'body_mass_g'", 1),
        (("--column", "island", "--bins", 3, "--plot", "h.png"), "categorical", 1),
        (("--column", ",", "--bins", 3), "one or more different columns", 1),
        (("--column", "body_mass_g"), "missing option '--bins'", 2),
        ((*MASS, "--mechanism", "magic"), "--mechanism", 2),
        ((*MASS, "--mechanism", "gaussian"), "epsilon", 1),
        ((*MASS, "--epsilon", 51), "requested epsilon = 51", 1),
    ],
)
def test_a_refusal_charges_and_writes_nothing(discreet, penguins: Path, options, reason, status) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    message = discreet("release", "histogram", *ASK, "-o", "h.json", *options).refused(status)
    assert reason.lower() in message.lower()
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_the_price_of_a_histogram(discreet, penguins: Path) -> None:
    before = Path("p.ledger").read_bytes()
    data = discreet("price", "histogram", *ASK, *MASS, "--json").data()
    assert data.pop("noise_sd") == pytest.approx(8**0.5)
    assert data.pop("half_width") == pytest.approx(5.991, abs=1e-3)  # 2 log 20
    assert data == {
        "command": "price histogram",
        "columns": ["body_mass_g"],
        "guarantee": {"kind": "pure", "epsilon": 1.0},
        "mechanism": "Laplace",
        "cost": {"epsilon": 1.0},
        "remaining": {"epsilon": 50.0},
        "admitted": True,
        "refusal": None,
        "cells": 20,
        "level": 0.95,
    }
    shown = discreet("price", "histogram", *ASK, *MASS[:2], "--bins", 150).done()
    assert "hold 1 or 2 grid points" in " ".join(shown.split())
    assert Path("p.ledger").read_bytes() == before
