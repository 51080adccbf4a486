"""`discreet lab cost`: the comparison of mechanisms from the shell."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_the_costs_as_data(discreet) -> None:
    data = discreet("lab", "cost", "--cells", 5, "--records", 100, "--mu", "0.1,1", "--seed", 1, "--json").data()
    losses = {(row["mu"], row["mechanism"]): row["loss"] for row in data.pop("losses")}
    assert data == {
        "command": "lab cost",
        "cells": 5,
        "records": 100,
        "theta": "uniform",
        "conditional": False,
        "draws": 2000,
        "plot": None,
    }
    assert losses[0.1, "gaussian"] == pytest.approx(1000)
    assert losses[0.1, "rJSz"] == pytest.approx(437, rel=0.02)
    assert losses[1, "laplace"] == pytest.approx(18.466, rel=5e-5)
    assert len(losses) == 16


def test_the_costs_as_a_table(discreet) -> None:
    shown = discreet("lab", "cost", "--conditional", "--theta", "linear").done()
    assert "10 cells, 1,000 records" in shown
    assert "probabilities proportional to 1, 2, ..., p, at the expected table" in shown
    assert "1800" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_given_probabilities_and_missing_estimators(discreet) -> None:
    data = discreet("lab", "cost", "--cells", 3, "--theta", "1/2,1/4,0.25", "--mu", "1", "--json").data()
    losses = {row["mechanism"]: row["loss"] for row in data["losses"]}
    assert losses["JS"] is None
    assert losses["JS0"] < losses["gaussian"] == pytest.approx(6)
    assert data["theta"] == [0.5, 0.25, 0.25]


def test_levels_in_geometric_progression_and_the_picture(discreet) -> None:
    data = discreet("lab", "cost", "--mu", "0.1:10:5", "--draws", 20, "--plot", "cost.svg", "--json").data()
    levels = sorted({row["mu"] for row in data["losses"]})
    assert levels == pytest.approx([0.1, 10**-0.5, 1, 10**0.5, 10])
    assert Path("cost.svg").read_text("utf-8").startswith("<?xml")
    assert "saved cost.svg" in discreet("lab", "cost", "--draws", 20, "--plot", "cost.svg").done()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mu", "small"), "--mu must be numbers separated by commas"),
        (("--mu", "1:0.1:5"), "0 < A < B"),
        (("--mu", "-1"), "mu must be"),
        (("--theta", "flat"), "--theta must be numbers"),
        (("--theta", "0.5,0.5"), "give one probability a cell"),
        (("--cells", 1), "p must be a whole number of at least 2, not 1"),
        (("--plot", "cost.gif"), "a picture's name ends in"),
    ],
)
def test_what_is_refused(discreet, arguments, message) -> None:
    assert message in discreet("lab", "cost", *arguments).refused()
