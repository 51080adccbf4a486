"""`discreet lab audit`: what it prints, draws and refuses, and its exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.lab.audit import tables


def test_an_audit_as_data(discreet) -> None:
    data = discreet("lab", "audit", "--epsilon", 2, "--draws", 600, "--distance", "1,2", "--json").data()
    certificates = data.pop("certificates")
    assert data == {
        "command": "lab audit",
        "mechanism": "Laplace",
        "scale": 1.0,
        "guarantee": {"kind": "pure", "epsilon": 2.0},
        "adjacency": "replace-one",
        "cells": 4,
        "alpha": 1e-6,
        "sound": True,
        "noise": {"n": 600, "faults": []},
        "plot": None,
    }
    assert [each["distance"] for each in certificates] == [1, 2]
    assert not any(each["violated"] or each["faults"] for each in certificates)
    assert all(0 <= each["lower_bound"] < 2 and each["n"] == 600 for each in certificates)


def test_an_audit_as_text_and_as_a_picture(discreet) -> None:
    shown = discreet("lab", "audit", "--mu", 1, "--draws", 600, "--plot", "audit.svg").done()
    assert "Audit of ProjectedGaussian" in shown
    assert "nothing was found; this is no proof" in shown
    assert "saved" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert Path("audit.svg").read_text("utf-8").startswith("<?xml")


def test_whole_numbers_and_other_neighbours(discreet) -> None:
    options = ("--epsilon", 1, "--integer", "--adjacency", "add-remove", "--draws", 600, "--json")
    data = discreet("lab", "audit", *options).data()
    assert (data["mechanism"], data["adjacency"], data["sound"]) == ("DiscreteLaplace", "add-remove", True)


def test_a_broken_promise_ends_with_1(discreet, monkeypatch) -> None:
    real = tables.table_mechanism

    def too_little_noise(guarantee, *args, **kwargs):
        release = real(guarantee, *args, **kwargs)
        return lambda counts: (release(counts) - counts) / 4 + counts

    monkeypatch.setattr(tables, "table_mechanism", too_little_noise)
    run = discreet("lab", "audit", "--mu", 2, "--mechanism", "gaussian", "--draws", 1500)
    assert run.status == 1
    assert "VIOLATED" in run.stdout
    assert "the promise is broken" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--epsilon", 1, "--distance", "near"), "--distance must be whole numbers"),
        (("--epsilon", 1, "--distance", "0"), "distances are whole numbers of at least 1"),
        (("--epsilon", 1, "--cells", 1), "at least 2 cells"),
        (("--epsilon", 1, "--draws", 5), "max_n must be a whole number of at least 100"),
        (("--epsilon", 1, "--draws", 200), "500 runs or more"),
        (("--epsilon", 1, "--alpha", 0), "alpha must be"),
        (("--mu", 1, "--integer"), "--integer goes with --mechanism laplace or gaussian"),
        (("--epsilon", 1, "--adjacency", "near"), "adjacency"),
        (("--epsilon", 1, "--mechanism", "gaussian"), "Gaussian noise has no finite pure epsilon"),
        (("--epsilon", 1, "--delta", 1e-6, "--distance", "2"), "group amplification"),
        (("--epsilon", 1, "--plot", "audit.gif"), "a picture's name ends in"),
    ],
)
def test_what_is_refused(discreet, arguments, message) -> None:
    assert message in discreet("lab", "audit", *arguments).refused()


def test_one_guarantee_is_needed(discreet) -> None:
    assert "give one of --epsilon, --mu and --rho" in discreet("lab", "audit").refused(2)
