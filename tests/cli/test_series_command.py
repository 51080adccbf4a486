"""`discreet release|price series`: what they print and save, and that a refusal charges nothing."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from discreet import load
from discreet.release import SeriesRelease

ASK = ("penguins.csv", "--schema", "penguins.toml", "--ledger", "p.ledger", "--column", "body_mass_g", "--epsilon", 1)


def test_the_printed_coefficients_are_the_saved_ones(discreet, penguins: Path) -> None:
    data = discreet("release", "series", *ASK, "--terms", 6, "-o", "s.json", "--plot", "s.png", "--json").data()
    release = load("s.json")
    assert isinstance(release, SeriesRelease)
    low, high = release.interval()
    assert data["coefficients"] == release.coefficients.tolist()
    assert (data["low"], data["high"]) == (low.tolist(), high.tolist())
    assert (data["column"], data["n"], data["noise_sd"]) == ("body_mass_g", 333, release.sd)
    assert Path("s.png").read_bytes().startswith(b"\x89PNG")
    assert data["remaining"] == {"epsilon": 49.0}


@pytest.mark.parametrize("width", [50, 80])
def test_coefficients_are_shown_in_the_width_of_the_terminal(discreet, penguins: Path, monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = discreet("release", "series", *ASK, "--terms", 45, "-o", "s.json").done()
    first, second = load("s.json").coefficients[:2]
    assert re.search(rf" 1 +{first:z.2f} ", shown)
    assert re.search(rf" 2 +{second:z.2f} ", shown)
    assert "9 more" in shown
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize(
    ("options", "reason", "status"),
    [
        (("--terms", 0), "1 to 100", 1),
        (("--terms", 101, "--plot", "s.png"), "at most 100", 1),
        (("--terms", 10**12, "--plot", "s.png"), "at most 100", 1),
        (("--terms", "two"), "--terms", 2),
        ((), "missing option '--terms'", 2),
        (("--terms", 3, "--column", "sex"), "categorical", 1),
    ],
)
def test_a_refusal_charges_and_writes_nothing(discreet, penguins: Path, options, reason, status) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    message = discreet("release", "series", *ASK, "-o", "s.json", *options).refused(status)
    assert reason.lower() in message.lower()
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_without_a_public_n_the_reason_is_given(discreet, penguins: Path) -> None:
    Path("a.toml").write_text(
        'adjacency = "add-remove"\n[columns]\nbody_mass_g = { lower = 2000, upper = 7000, step = 25 }\n'
    )
    for kind, more in (("series", ("--terms", 3)), ("sample", ())):
        ask = (*ASK, "--schema", "a.toml", *more)
        message = discreet("release", kind, *ask, "-o", "s.json", "--plot", "s.png").refused()
        assert "public" in message
        assert message == discreet("price", kind, *ask).refused()
    data = discreet("release", "histogram", *ASK, "--schema", "a.toml", "--bins", 5, "-o", "h.json", "--json").data()
    assert data["n"] is None


def test_the_price_of_a_series(discreet, penguins: Path) -> None:
    data = discreet("price", "series", *ASK, "--terms", 6, "--json").data()
    release = discreet("release", "series", *ASK, "--terms", 6, "-o", "s.json", "--json").data()
    assert data["noise_sd"] == release["noise_sd"]
    assert data["noise_squared_error"] == pytest.approx(6 * data["noise_sd"] ** 2)
    assert data["terms"] == 6
    # The largest change of six cosines together lies below twice their bound sqrt(2), and above that of the first.
    assert 2 * math.sqrt(2) * math.sqrt(2) / 333 < data["noise_sd"] < 6 * 2 * math.sqrt(2) * math.sqrt(2) / 333
    shown = discreet("price", "series", *ASK, "--terms", 6).done()
    assert "integrated squared error" in " ".join(shown.split())
