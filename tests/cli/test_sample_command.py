"""`discreet release|price sample`: each mechanism, what is printed and saved, and that a refusal charges nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet import load
from discreet.release import SampleRelease

ASK = ("penguins.csv", "--schema", "penguins.toml", "--ledger", "p.ledger", "--column", "body_mass_g", "--epsilon", 1)
SMALL = "[columns]\nbody_mass_g = { lower = 2000, upper = 7000, step = 250 }\n"


@pytest.mark.parametrize(
    ("options", "mechanism", "size", "parameters"),
    [
        ((), "KolmogorovExponential", 33, {}),
        (("--size", 7), "KolmogorovExponential", 7, {}),
        (("--mechanism", "mean"), "MeanExponential", 1, {}),
        (
            ("--mechanism", "series", "--terms", 2, "--size", 2, "--schema", "small.toml"),
            "SeriesExponential",
            2,
            {"terms": 2},
        ),
        (
            ("--mechanism", "smoothed", "--cells", 4, "--uniform-share", 0.5, "--size", 20),
            "SmoothedHistogram",
            20,
            {"cells": 4, "delta": 0.5},
        ),
    ],
)
def test_each_mechanism_makes_the_sample_that_was_asked_for(
    discreet, penguins: Path, options, mechanism, size, parameters
) -> None:
    Path("small.toml").write_text(SMALL)
    data = discreet("release", "sample", *ASK, *options, "-o", "z.json", "--plot", "z.png", "--json").data()
    release = load("z.json")
    assert isinstance(release, SampleRelease)
    assert data["points"] == release.points.tolist()
    assert (data["mechanism"], data["size"], data["parameters"]) == (mechanism, size, parameters)
    assert (release.mechanism, release.size, dict(release.parameters)) == (mechanism, size, parameters)
    assert Path("z.png").read_bytes().startswith(b"\x89PNG")
    price = discreet("price", "sample", *ASK, *options, "--json").data()
    assert (price["mechanism"], price["size"]) == (mechanism, size)


@pytest.mark.parametrize("width", [50, 80])
def test_points_are_shown_in_the_width_of_the_terminal(discreet, penguins: Path, monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = discreet("release", "sample", *ASK, "--size", 5, "-o", "few.json").done()
    assert re.search(r"  ".join(f"{x:g}" for x in load("few.json").points), shown)
    shown = discreet("release", "sample", *ASK, "-o", "many.json").done()
    release = load("many.json")
    assert re.search(rf" 0 % +{release.points[0]:g}\n", shown)
    assert re.search(rf" 100 % +{release.points[-1]:g}\n", shown)
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize(
    ("options", "reason", "status"),
    [
        (("--size", 0, "--plot", "z.png"), "from 1 to 1,000,000", 1),
        (("--size", 1001), "at most 1,000 points", 1),
        (("--mechanism", "mean", "--size", 2), "size 1", 1),
        (("--mechanism", "series"), "needs --terms", 2),
        (("--mechanism", "series", "--terms", 3, "--size", 9), "more than 10^15", 1),
        (("--mechanism", "smoothed", "--uniform-share", 1), "delta", 1),
        (("--mechanism", "smoothed", "--uniform-share", 0.001), "the smallest that does", 1),
        (("--mechanism", "smoothed", "--cells", 0), "from 1 to 200", 1),
        (("--cells", 3), "go with --mechanism smoothed", 2),
        (("--terms", 3), "goes with --mechanism series", 2),
        (("--mechanism", "magic"), "--mechanism", 2),
        (("--column", "species"), "categorical", 1),
    ],
)
def test_a_refusal_charges_and_writes_nothing(discreet, penguins: Path, options, reason, status) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    message = discreet("release", "sample", *ASK, "-o", "z.json", *options).refused(status)
    assert reason.lower() in message.lower()
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_the_accuracy_of_each_mechanism_is_in_the_price(discreet, penguins: Path) -> None:
    for options, words, key in (
        ((), "expected KS distance to the records", "expected_ks"),
        (("--mechanism", "mean"), "steps of the column's grid", "expected_steps"),
        (("--mechanism", "smoothed"), "comes from the uniform distribution", "uniform_share"),
    ):
        assert words in " ".join(discreet("price", "sample", *ASK, *options).done().split())
        assert discreet("price", "sample", *ASK, *options, "--json").data()[key] > 0
