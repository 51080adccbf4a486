"""`discreet privacy`: implied guarantees, compositions and curves, in words and as data."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from discreet.privacy import GaussianDP, PureDP, TradeOff, compose

INFINITE = math.inf


def test_convert_one_kind(discreet) -> None:
    data = discreet("privacy", "convert", "--epsilon", 0.5, "--to", "gdp", "--json").data()
    assert data == {
        "command": "privacy convert",
        "guarantee": {"kind": "pure", "epsilon": 0.5},
        "implied": {"gdp": {"kind": "gdp", "mu": pytest.approx(0.62389259, abs=6e-9)}},
        "refused": {},
        "level": 0.05,
        "max_power": pytest.approx(0.05 * math.exp(0.5)),
        "bayes_factor": pytest.approx(math.exp(0.5)),
    }
    assert "mu = 0.623893" in discreet("privacy", "convert", "--epsilon", 0.5, "--to", "gdp").done()


def test_convert_at_a_delta(discreet) -> None:
    data = discreet("privacy", "convert", "--mu", 1, "--to", "approx", "--delta", 1e-5, "--json").data()
    assert data["implied"]["approx"] == {
        "kind": "approx",
        "epsilon": pytest.approx(4.37717810, abs=6e-9),
        "delta": 1e-5,
    }
    assert "epsilon = 4.37718 at delta = 1e-05" in discreet("privacy", "convert", "gdp:1", "--delta", 1e-5).done()
    # What is printed is implied: rounded up.
    assert GaussianDP(1).delta(4.37718) <= 1e-5


def test_convert_to_all_says_why_not(discreet) -> None:
    data = discreet("privacy", "convert", "approx:1,1e-6", "--json").data()
    assert set(data["refused"]) == {"pure", "gdp", "zcdp"}
    assert data["implied"]["approx"] == {"kind": "approx", "epsilon": pytest.approx(1.0), "delta": 1e-6}
    assert data["bayes_factor"] is None
    shown = discreet("privacy", "convert", "--rho", 0.1).done()
    assert "none: rho-zCDP does not imply sqrt(2 rho)-GDP" in shown
    assert "rho = 0.1" in shown
    assert "no bound on what one output does" in shown
    pure = discreet("privacy", "convert", "--epsilon", 1).done()
    assert "none" not in pure
    assert "multiplied by at most 2.71829" in pure


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("approx:1,1e-6", "--to", "gdp"), "implies no mu-GDP"),
        (("approx:1,1e-6", "--to", "zcdp"), "implies no rho-zCDP"),
        (("--rho", "0.1", "--to", "gdp"), "does not imply sqrt(2 rho)-GDP"),
        (("--mu", "1", "--to", "pure"), "implies no pure guarantee"),
        (("approx:1,1e-6", "--to", "approx", "--delta", "1e-7"), "implies no epsilon at delta = 1e-07"),
        (("--mu", "0.1", "--to", "approx", "--delta", "0.5"), "already at a smaller delta"),
        (("--mu", "-1"), "mu must be above 0"),
        (("gpd:1",), "did you mean gdp?"),
        (("laplace-table:4",), "give one guarantee"),
        (("gdp:1x2",), "give one guarantee"),
        (("gdp",), "KIND:NUMBER"),
        (("gdp:one",), "'one' is not a number"),
        (("approx:1",), "approx takes 2 numbers"),
        (("--mu", "1", "--to", "approx", "--delta", "2"), "delta must"),
    ],
)
def test_convert_refuses_with_the_reason(discreet, arguments, words) -> None:
    assert words in discreet("privacy", "convert", *arguments).refused()


@pytest.mark.parametrize("arguments", [(), ("--mu", 1, "--epsilon", 1), ("gdp:1", "--mu", 1), ("--mu", 1, "--to", "x")])
def test_convert_usage(discreet, arguments) -> None:
    discreet("privacy", "convert", *arguments).refused(2) if arguments else None
    if not arguments:
        assert discreet("privacy", "convert").status == 2


def test_compose_by_closed_form(discreet) -> None:
    data = discreet("privacy", "compose", "gdp:0.3", "gdp:0.4", "--json").data()
    assert data["guarantee"] == {"kind": "gdp", "mu": 0.5}
    assert data["mu"] == 0.5
    assert data["epsilon"] == pytest.approx(GaussianDP(0.5).epsilon(1e-6))
    assert "PureDP(epsilon=0.3)" in discreet("privacy", "compose", "pure:0.1x3").done()
    assert discreet("privacy", "compose", "zcdp:0.1", "zcdp:0.1", "--json").data()["mu"] is None


def test_compose_a_mixture(discreet) -> None:
    data = discreet("privacy", "compose", "pure:0.5", "gdp:1", "--delta", 1e-6, "--json").data()
    together = compose(GaussianDP(1), PureDP(0.5))
    assert data["guarantee"] is None
    assert data["parts"] == ["pure:0.5", "gdp:1"]
    assert data["mu"] == pytest.approx(together.to_gaussian().mu)
    assert data["epsilon"] == pytest.approx(together.epsilon(1e-6), rel=1e-6)
    assert data["max_power"] == pytest.approx(together.max_power(0.05), rel=1e-6)
    shown = discreet("privacy", "compose", "laplace-table:4x2", "laplace:0.5").done()
    assert "odds         multiplied by at most 4.48169" in shown  # e^(2 x 0.5 + 0.5)
    assert "implied for no mu" in discreet("privacy", "compose", "approx:1,1e-7", "gdp:1").done()


@pytest.mark.parametrize("part", ["gdp:1x0", "pure", "pure:0", "laplace-table:a", "nothing:1", "gdp:1,2", "gdp:1x"])
def test_compose_refuses_what_is_no_part(discreet, part) -> None:
    discreet("privacy", "compose", "pure:1", part).refused()


def test_curves(discreet) -> None:
    arguments = ("--mu", 1, "--epsilon", 0.5, "--laplace-table", 4, "--at", ".01,.05")
    data = discreet("privacy", "tradeoff", *arguments, "--plot", "f.png", "--json").data()
    assert data["alpha"] == [0.01, 0.05]
    assert data["plot"] == "f.png"
    assert Path("f.png").read_bytes().startswith(b"\x89PNG")
    curves = {row["curve"]: row for row in data["curves"]}
    assert list(curves) == ["pure:0.5", "gdp:1", "laplace-table:4"]
    assert curves["gdp:1"]["type_two"] == pytest.approx([0.9076377519, 0.7404889772], abs=1e-10)
    assert curves["laplace-table:4"]["mu"] == pytest.approx(TradeOff.laplace_table(4).mu)
    shown = discreet("privacy", "tradeoff", *arguments).done()
    assert "at 0.05" in shown
    assert "0.7405" in shown


def test_curves_of_every_kind_and_repeated(discreet) -> None:
    data = discreet(
        "privacy", "tradeoff", "--mu", 1, "--mu", 2, "--rho", 0.1, "--approx", "1,1e-6", "--laplace", 1, "--json"
    ).data()
    assert [row["curve"] for row in data["curves"]] == ["gdp:1", "gdp:2", "zcdp:0.1", "approx:1,1e-6", "laplace:1"]
    assert data["alpha"] == [0.01, 0.05, 0.1]
    assert data["curves"][3]["mu"] is None
    assert "none" in discreet("privacy", "tradeoff", "--approx", "1,1e-6").done()


def test_curves_that_are_refused(discreet) -> None:
    assert "at least one curve" in discreet("privacy", "tradeoff").refused(2)
    assert "between 0 and 1" in discreet("privacy", "tradeoff", "--mu", 1, "--at", "2").refused()
    assert "is not a number" in discreet("privacy", "tradeoff", "--mu", 1, "--at", "x").refused()
    assert "a picture's name" in discreet("privacy", "tradeoff", "--mu", 1, "--plot", "f.txt").refused()
    assert "drawn once" in discreet("privacy", "tradeoff", "--approx", "1,1e-6x2").refused()
    many = [argument for k in range(7) for argument in ("--mu", k + 1)]
    assert "up to 6 curves" in discreet("privacy", "tradeoff", *many, "--plot", "f.png").refused()


def test_without_dp_accounting_a_mixture_says_what_to_install(discreet, monkeypatch) -> None:
    import sys

    for name in [name for name in sys.modules if name.split(".")[0] == "dp_accounting"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    assert "pip install 'discreet[accounting]'" in discreet("privacy", "compose", "pure:1", "gdp:1").refused()
    assert "GaussianDP" in discreet("privacy", "compose", "gdp:1", "gdp:1").done()
