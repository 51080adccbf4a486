"""`discreet ledger`."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet import ApproxDP, GaussianDP, Ledger, PureDP, ZeroConcentratedDP


@pytest.mark.parametrize(
    ("options", "budget", "remaining"),
    [
        (("--epsilon", 2), PureDP(2), {"epsilon": 2.0}),
        (("--mu", 1), GaussianDP(1), {"mu": 1.0}),
        (("--rho", 0.1), ZeroConcentratedDP(0.1), {"rho": 0.1}),
        (("--epsilon", 1, "--delta", 1e-6), ApproxDP(1, 1e-6), {"epsilon": 1.0, "delta": 1e-6}),
    ],
)
def test_create_makes_the_budget(discreet, options, budget, remaining) -> None:
    data = discreet("ledger", "create", "my ledger", *options, "--json").data()
    assert data["command"] == "ledger create"
    assert data["budget"] == budget.to_dict()
    assert data["remaining"] == remaining
    assert set(data["spent"].values()) == {0.0}
    assert Ledger("my ledger").budget == budget
    assert discreet("ledger", "show", "my ledger", "--json").data() == {**data, "command": "ledger show"}


def test_a_budget_kept_by_gdp_counts_in_mu(discreet) -> None:
    options = ("--epsilon", 1, "--delta", 1e-6, "--accounting", "gdp")
    data = discreet("ledger", "create", "l", *options, "--json").data()
    assert (data["accounting"], data["currency"], list(data["remaining"])) == ("gdp", "mu", ["mu"])
    assert "accounting by GDP" in discreet("ledger", "show", "l").done()


def test_show_lists_the_charges(discreet, ledger: Path) -> None:
    pair = ("czech.csv", "--schema", "czech.toml", "--by", "smoking,systolic", "--ledger", ledger)
    assert "nothing was charged yet" in discreet("ledger", "show", ledger).done()
    discreet("release", "table", *pair, "--epsilon", 0.5, "-o", "t.json", "--request-id", "first").done()
    (entry,) = discreet("ledger", "show", ledger, "--json").data()["entries"]
    assert entry.pop("when").endswith("+00:00")
    assert entry.pop("head") == Ledger(ledger).head
    assert entry == {
        "number": 1,
        "what": "table of smoking, systolic",
        "cost": {"epsilon": 0.5},
        "released": True,
        "request_id": "first",
    }
    shown = discreet("ledger", "show", ledger).done()
    assert "25% spent" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())


@pytest.mark.parametrize("options", [(), ("--epsilon", 1, "--mu", 1), ("--delta", 0.1), ("--mu", 1, "--delta", 0.1)])
def test_a_guarantee_must_be_one_of_four(discreet, options) -> None:
    assert "see discreet ledger create --help" in discreet("ledger", "create", "l", *options).refused(2)
    assert not Path("l").exists()


@pytest.mark.parametrize("number", ["0", "-1", "nan", "inf", "1e400", "501"])
@pytest.mark.parametrize("option", ["--epsilon", "--mu", "--rho"])
def test_numbers_that_are_no_guarantee_are_refused(discreet, option, number) -> None:
    message = discreet("ledger", "create", "l", option, number).refused()
    assert message.startswith(f"{option[2:]} must be")
    assert not Path("l").exists()


def test_text_is_no_number(discreet) -> None:
    assert "--epsilon" in discreet("ledger", "create", "l", "--epsilon", "half").refused(2)


def test_an_existing_ledger_is_not_overwritten(discreet, ledger: Path) -> None:
    before = ledger.read_bytes()
    assert "exists" in discreet("ledger", "create", ledger, "--epsilon", 5).refused()
    assert ledger.read_bytes() == before


def test_what_is_no_ledger_is_refused(discreet) -> None:
    assert "discreet ledger create" in discreet("ledger", "show", "missing").refused()
    assert "not a ledger" in discreet("ledger", "show", "czech.csv").refused()
    Path("empty").touch()
    assert "empty" in discreet("ledger", "show", "empty").refused()


def test_a_witness_is_made_and_asked(discreet) -> None:
    data = discreet("ledger", "create", "l", "--mu", 1, "--witness", "w", "--json").data()
    assert data["witness"] == str(Path("w").resolve())
    assert (data["head"], data["ledger_id"]) == (Ledger("l").head, Ledger("l").ledger_id)
    assert Path("w").read_text().rstrip().endswith(data["head"])
    Path("w").rename("v")
    assert "cannot be read" in discreet("ledger", "show", "l").refused()
    shown = discreet("ledger", "show", "l", "--witness", "v").done()
    assert data["head"][:16] in shown
    assert "new witness" in discreet("ledger", "witness", "l", "w").done()
    assert "exists" in discreet("ledger", "witness", "l", "v").refused()
    assert discreet("ledger", "show", "l", "--json").data()["head"] == data["head"]


def test_an_address_is_taken_and_never_shown(discreet) -> None:
    secret = "postgresql://curator:hunter2-canary@127.0.0.1:1/x?connect_timeout=1"
    for command in (("ledger", "show", secret), ("ledger", "create", secret, "--mu", 1)):
        message = discreet(*command).refused()
        assert "PostgreSQL cannot be reached" in message
        assert "hunter2" not in message
