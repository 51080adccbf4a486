"""`discreet price`: says what a release would cost, and spends nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

PAIR = ("czech.csv", "--schema", "czech.toml", "--by", "smoking,systolic", "--ledger", "czech.ledger")


def test_the_price_of_a_table(discreet, ledger: Path) -> None:
    before = ledger.read_bytes()
    data = discreet("price", "table", *PAIR, "--epsilon", 0.5, "--json").data()
    assert data.pop("noise_sd") == pytest.approx(32**0.5)
    assert data.pop("half_width") == pytest.approx(11.98, abs=0.01)  # 4 log 20
    assert data == {
        "command": "price table",
        "columns": ["smoking", "systolic"],
        "guarantee": {"kind": "pure", "epsilon": 0.5},
        "mechanism": "Laplace",
        "cost": {"epsilon": 0.5},
        "remaining": {"epsilon": 2.0},
        "admitted": True,
        "refusal": None,
        "cells": 4,
        "level": 0.95,
    }
    shown = discreet("price", "table", *PAIR, "--epsilon", 0.5).done()
    assert "the budget has room for it" in shown
    assert ledger.read_bytes() == before


def test_a_price_beyond_the_budget_is_an_answer_not_an_error(discreet, ledger: Path) -> None:
    data = discreet("price", "table", *PAIR, "--epsilon", 3, "--json").data()
    assert data["admitted"] is False
    assert "requested epsilon = 3" in data["refusal"]
    assert "exceeds the budget" in discreet("price", "table", *PAIR, "--epsilon", 3).done()


@pytest.mark.parametrize("name", ["laplace", "gaussian", "projected"])
def test_each_mechanism_has_a_price_in_mu(discreet, name) -> None:
    discreet("ledger", "create", "czech.ledger", "--mu", 1).done()
    data = discreet("price", "table", *PAIR, "--mu", 0.5, "--mechanism", name, "--json").data()
    assert data["mechanism"].lower().startswith(name)
    assert data["cost"] == {"mu": 0.5}


def test_a_mechanism_without_a_cost_in_the_currency_is_refused(discreet, ledger: Path) -> None:
    assert "no valid cost" in discreet("price", "table", *PAIR, "--mu", 0.5).refused()


def test_an_unknown_mechanism_is_a_usage_error(discreet, ledger: Path) -> None:
    assert "--mechanism" in discreet("price", "table", *PAIR, "--epsilon", 1, "--mechanism", "magic").refused(2)


@pytest.mark.parametrize("left_out", ["--schema", "--by", "--ledger"])
def test_a_missing_option_is_named(discreet, left_out) -> None:
    at = PAIR.index(left_out)
    message = discreet("price", "table", *PAIR[:at], *PAIR[at + 2 :], "--epsilon", 1).refused(2)
    assert message == f"missing option '{left_out}' (see discreet price table --help)"


def test_column_names_may_contain_commas_and_blanks(discreet) -> None:
    discreet("ledger", "create", "l", "--epsilon", 1).done()
    Path("d.csv").write_text('"pressure, systolic",b c\nx,1\n')
    Path("d.toml").write_text('[columns]\n"pressure, systolic" = ["x", "y"]\n"b c" = ["1", "2"]\n')
    arguments = ("d.csv", "--schema", "d.toml", "--ledger", "l", "--epsilon", 1, "--json")
    data = discreet("price", "table", "--by", '"pressure, systolic", b c', *arguments).data()
    assert data["columns"] == ["pressure, systolic", "b c"]
