"""The ledger's rules: what is charged, what is refused, and that a refusal charges nothing."""

from __future__ import annotations

import copy
import json
import math
import pickle
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from discreet.curator.ledger import Ledger
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError, NoCost
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP

REPLACE_ONE = {"adjacency": "replace-one", "unit": "record", "fixed": None}


def ask(request_id: str, specification: str = "a table", **changed: object) -> dict:
    return {"request_id": request_id, "specification": specification, **REPLACE_ONE, **changed}


@pytest.fixture(params=["file", "memory", "postgres"])
def make(request: pytest.FixtureRequest, tmp_path: Path):
    """A maker of ledgers, in a file, in memory and in PostgreSQL: all rules hold for each."""
    counter = iter(range(100))

    def new(budget: object, **options: str) -> Ledger:
        if request.param == "memory":
            return Ledger.in_memory(budget, **options)
        if request.param == "postgres":
            return Ledger.create(request.getfixturevalue("server").address(), budget, **options)
        return Ledger.create(tmp_path / f"{next(counter)}.ledger", budget, **options)

    return new


# ---- charging --------------------------------------------------------------------------------------------------------


def test_ten_charges_of_a_tenth_fill_one_exactly(make) -> None:
    ledger = make(PureDP(1.0))
    for i in range(10):
        ledger.charge(Cost("epsilon", 0.1), **ask(f"{i}"))
        assert ledger.spent == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0][i]
    assert ledger.remaining == 0.0
    with pytest.raises(BudgetExceeded):
        ledger.charge(Cost("epsilon", 1e-30), **ask("one more"))
    assert ledger.spent == 1.0


def test_the_squares_of_mu_add_up(make) -> None:
    ledger = make(GaussianDP(1.0))
    ledger.charge(Cost("mu", 0.6), **ask("a"))
    assert ledger.spent == 0.6
    assert ledger.remaining == 0.8
    ledger.charge(Cost("mu", 0.8), **ask("b"))
    assert (ledger.spent, ledger.remaining) == (1.0, 0.0)


def test_four_halves_of_mu_fit_and_two_rounded_up_roots_do_not(make) -> None:
    ledger = make(GaussianDP(1.0))
    for i in range(4):
        ledger.charge(Cost("mu", 0.5), **ask(f"{i}"))
    other = make(GaussianDP(1.0))
    root = math.nextafter(math.sqrt(0.5), 1.0)  # 0.7071067811865476, whose square prints above one half
    other.charge(Cost("mu", root), **ask("a"))
    with pytest.raises(BudgetExceeded):
        other.charge(Cost("mu", root), **ask("b"))


def test_epsilon_and_delta_add_up_side_by_side(make) -> None:
    ledger = make(ApproxDP(1.0, 1e-6))
    ledger.charge(Cost("approx", 0.5, 1e-7), **ask("a"))
    assert ledger.currency == "approx"
    assert ledger.spent == (0.5, 1e-7)
    assert ledger.remaining == (0.5, 9e-7)
    with pytest.raises(BudgetExceeded, match=r"difference epsilon = 0\.0, delta = 1e-07"):
        ledger.charge(Cost("approx", 0.1, 1e-6), **ask("b"))
    with pytest.raises(BudgetExceeded, match=r"difference epsilon = 0.1, delta = 0.0"):
        ledger.charge(Cost("approx", 0.6, 0.0), **ask("b"))
    ledger.charge(Cost("approx", 0.5, 0.0), **ask("b"))
    ledger.charge(Cost("approx", 0.0, 9e-7), **ask("c"))
    assert ledger.remaining == (0.0, 0.0)


def test_an_approximate_budget_kept_in_mu(make) -> None:
    """Balle and Wang's calibration: delta_1(4.3771781) = 1e-5."""
    ledger = make(ApproxDP(4.37717810, 1e-5), accounting="gdp")
    assert (ledger.currency, ledger.accounting) == ("mu", "gdp")
    assert ledger.remaining == pytest.approx(1.0, abs=1e-7)
    left = ledger.remaining
    ledger.charge(Cost("mu", left), **ask("a"))
    assert (ledger.spent, ledger.remaining) == (left, 0.0)
    assert "delta" not in repr(ledger.spent)


AWKWARD = [0.1, 0.3, 1 / 3, math.pi, 0.1 + 0.2, 1e-5, 1.23456789012345678e-12, 5e-324, 2.2e-16, 499.99999999999994, 7]


@pytest.mark.parametrize("x", AWKWARD)
@pytest.mark.parametrize("kind", ["epsilon", "mu", "rho", "approx"])
def test_a_budget_admits_its_own_equal_once(make, kind: str, x: float) -> None:
    budget = {"epsilon": PureDP, "mu": GaussianDP, "rho": ZeroConcentratedDP, "approx": lambda e: ApproxDP(e, 1e-7 / 3)}
    cost = Cost("approx", x, 1e-7 / 3) if kind == "approx" else Cost(kind, x)
    ledger = make(budget[kind](x))
    ledger.charge(cost, **ask("all of it"))
    with pytest.raises(BudgetExceeded):
        ledger.charge(cost, **ask("again"))
    spent = ledger.spent[0] if kind == "approx" else ledger.spent
    assert spent >= x
    if x > 1e-3:
        assert spent == x


@pytest.mark.parametrize("budget", [PureDP(1.0), GaussianDP(0.7), ZeroConcentratedDP(0.3)])
def test_what_remains_can_be_charged_and_nothing_more(make, budget: object) -> None:
    ledger = make(budget)
    ledger.charge(Cost(ledger.currency, 0.2 / 3), **ask("a"))
    left = ledger.remaining
    with pytest.raises(BudgetExceeded):
        ledger.charge(Cost(ledger.currency, math.nextafter(left, 1.0)), **ask("too much"))
    ledger.charge(Cost(ledger.currency, left), **ask("the rest"))
    assert ledger.remaining < 1e-8


def test_the_refusal_says_requested_remaining_and_difference_on_one_line(make) -> None:
    ledger = make(PureDP(1.0))
    ledger.charge(Cost("epsilon", 0.7), **ask("a"))
    with pytest.raises(BudgetExceeded) as caught:
        ledger.charge(Cost("epsilon", 0.5), **ask("b"))
    assert str(caught.value) == (
        "the charge exceeds the budget: requested epsilon = 0.5; remaining epsilon = 0.3; difference epsilon = 0.2; "
        "nothing was charged"
    )
    gaussian = make(GaussianDP(1.0))
    gaussian.charge(Cost("mu", 0.6), **ask("a"))
    with pytest.raises(BudgetExceeded, match=r"requested mu = 0\.9; remaining mu = 0\.8; difference mu = 0\.1;"):
        gaussian.charge(Cost("mu", 0.9), **ask("b"))


def test_check_refuses_alike_and_charges_nothing(make) -> None:
    ledger = make(PureDP(1.0))
    assert ledger.check(Cost("epsilon", 1.0)) is None
    assert ledger.entries() == ()
    with pytest.raises(BudgetExceeded):
        ledger.check(Cost("epsilon", 1.1))
    with pytest.raises(NoCost):
        ledger.check(Cost("mu", 0.1))
    ledger.charge(Cost("epsilon", 0.1), **ask("a"))
    ledger.check(Cost("epsilon", 0.9), **REPLACE_ONE)
    with pytest.raises(LedgerError, match="add-remove"):
        ledger.check(Cost("epsilon", 0.1), adjacency="add-remove", unit="record")


# ---- refusals --------------------------------------------------------------------------------------------------------

BAD_AMOUNTS = [0, 0.0, -0.0, -1, -1e-300, math.nan, math.inf, -math.inf, True, "1", None, 1j, [0.1], 10**400]


@pytest.mark.parametrize("amount", BAD_AMOUNTS, ids=range(len(BAD_AMOUNTS)))
@pytest.mark.parametrize("budget", [PureDP(1.0), GaussianDP(1.0), ZeroConcentratedDP(1.0)], ids=str)
def test_bad_amounts_are_refused(make, budget: object, amount: object) -> None:
    ledger = make(budget)
    with pytest.raises(InvalidInput):
        ledger.charge(Cost(ledger.currency, amount), **ask("a"))  # type: ignore[arg-type]
    assert ledger.entries() == ()


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0, 0), (-0.1, 0), (0.1, -1e-9), (0.1, 1), (0.1, 1.5), (math.nan, 0), (0.1, math.nan), (0.1, "0"), (0.1, True)],
)
def test_bad_pairs_are_refused(make, epsilon: float, delta: float) -> None:
    ledger = make(ApproxDP(1.0, 1e-3))
    with pytest.raises(InvalidInput):
        ledger.charge(Cost("approx", epsilon, delta), **ask("a"))
    assert ledger.entries() == ()


def test_a_delta_cannot_be_hidden_in_another_currency(make) -> None:
    ledger = make(PureDP(1.0))
    with pytest.raises(InvalidInput, match="delta"):
        ledger.charge(Cost("epsilon", 0.1, 1e-9), **ask("a"))
    assert ledger.spent == 0.0


@pytest.mark.parametrize("cost", [0.5, None, "epsilon = 0.5", Cost("euro", 1.0)], ids=range(4))
def test_what_is_no_cost_is_refused(make, cost: object) -> None:
    ledger = make(PureDP(1.0))
    with pytest.raises(InvalidInput):
        ledger.charge(cost, **ask("a"))  # type: ignore[arg-type]
    assert ledger.entries() == ()


@pytest.mark.parametrize("currency", ["mu", "rho", "approx"])
def test_another_currency_is_refused_with_the_reason(make, currency: str) -> None:
    ledger = make(PureDP(1.0))
    with pytest.raises(NoCost, match=r"adds up epsilon .* nothing was charged"):
        ledger.charge(Cost(currency, 0.1), **ask("a"))
    assert ledger.entries() == ()


@pytest.mark.parametrize(
    "other",
    [{"adjacency": "add-remove"}, {"unit": "patient_id"}, {"fixed": "group"}],
    ids=lambda other: next(iter(other)),
)
def test_neighbours_are_not_mixed(make, other: dict) -> None:
    ledger = make(PureDP(1.0))
    ledger.charge(Cost("epsilon", 0.1), **ask("a"))
    with pytest.raises(LedgerError, match=r"replace-one.*nothing was charged"):
        ledger.charge(Cost("epsilon", 0.1), **ask("b", **other))
    ledger.charge(Cost("epsilon", 0.1), **ask("b"))
    assert [entry.request_id for entry in ledger.entries()] == ["a", "b"]


def test_a_refused_first_charge_does_not_set_the_neighbours(make) -> None:
    ledger = make(PureDP(1.0))
    with pytest.raises(BudgetExceeded):
        ledger.charge(Cost("epsilon", 2.0), **ask("a", adjacency="add-remove"))
    ledger.charge(Cost("epsilon", 0.1), **ask("a"))


@pytest.mark.parametrize("name", ["request_id", "specification", "adjacency", "unit", "fixed"])
@pytest.mark.parametrize("value", ["", 3, b"x", "\ud800", True])
def test_texts_must_be_text(make, name: str, value: object) -> None:
    ledger = make(PureDP(1.0))
    with pytest.raises(InvalidInput, match=name):
        ledger.charge(Cost("epsilon", 0.1), **{**ask("a"), name: value})
    assert ledger.entries() == ()


def test_an_id_of_a_megabyte_is_refused(make) -> None:
    with pytest.raises(InvalidInput, match="1000 characters"):
        make(PureDP(1.0)).charge(Cost("epsilon", 0.1), **ask("x" * 2**20))


def test_hostile_ids_are_kept_apart_and_give_no_sql(make) -> None:
    ledger = make(PureDP(1.0))
    ids = ["a", "a ", "A", "'; DELETE FROM entry; --", '"', "a\0b", "a\0c", "é", "e\u0301", "а", "\u202ea", "x" * 1000]
    for request_id in ids:
        ledger.charge(Cost("epsilon", 0.01), **ask(request_id, specification=request_id))
        ledger.record_release(request_id, f"result of {request_id}")
    assert [entry.request_id for entry in ledger.entries()] == ids
    assert all(ledger.payload(request_id) == f"result of {request_id}" for request_id in ids)
    assert ledger.spent == 0.12


# ---- released, and asked again ---------------------------------------------------------------------------------------


def test_a_released_request_is_answered_again_for_nothing(make) -> None:
    ledger = make(PureDP(1.0))
    first = ledger.charge(Cost("epsilon", 1.0), **ask("a"))
    assert (first.seq, first.state, first.released, first.payload) == (1, "CHARGED", False, None)
    assert ledger.record_release("a", '{"counts": [1]}').payload == '{"counts": [1]}'
    again = ledger.charge(Cost("epsilon", 1.0), **ask("a"))  # the budget is exhausted, and this costs nothing
    assert (again.seq, again.state, again.released, again.payload) == (1, "RELEASED", True, '{"counts": [1]}')
    assert ledger.payload("a") == '{"counts": [1]}'
    assert ledger.spent == 1.0


@pytest.mark.parametrize(
    "other",
    [{"specification": "another"}, {"adjacency": "add-remove"}, {"unit": "person"}, {"fixed": "group"}, {"cost": 0.2}],
    ids=lambda other: next(iter(other)),
)
@pytest.mark.parametrize("released", [True, False])
def test_an_id_names_one_request_for_ever(make, other: dict, released: bool) -> None:
    ledger = make(PureDP(1.0))
    ledger.charge(Cost("epsilon", 0.1), **ask("a"))
    if released:
        ledger.record_release("a", "{}")
    other = dict(other)
    cost = Cost("epsilon", other.pop("cost", 0.1))
    with pytest.raises(LedgerError, match="belongs to another request"):
        ledger.charge(cost, **{**ask("a"), **other})
    assert ledger.spent == 0.1


def test_what_was_spent_and_not_released_stays_spent(make) -> None:
    ledger = make(PureDP(1.0))
    ledger.charge(Cost("epsilon", 0.1), **ask("a"))
    with pytest.raises(LedgerError, match=r"spent, not released.*use a new request_id"):
        ledger.charge(Cost("epsilon", 0.1), **ask("a"))
    assert ledger.spent == 0.1
    with pytest.raises(LedgerError, match="nothing was released"):
        ledger.payload("a")


def test_a_release_is_recorded_once_and_only_for_a_charge(make) -> None:
    ledger = make(PureDP(1.0))
    with pytest.raises(LedgerError, match="no charge 'a'"):
        ledger.record_release("a", "{}")
    ledger.charge(Cost("epsilon", 0.1), **ask("a"))
    for bad in ("", None, 3, b"{}", "\ud800"):
        with pytest.raises(InvalidInput):
            ledger.record_release("a", bad)  # type: ignore[arg-type]
    ledger.record_release("a", "{}")
    with pytest.raises(LedgerError, match="released before"):
        ledger.record_release("a", "{}")


def test_there_is_no_refund() -> None:
    assert not [name for name in dir(Ledger) if any(word in name for word in ("refund", "reset", "delete", "cancel"))]


# ---- the object ------------------------------------------------------------------------------------------------------


def test_entries_say_what_was_charged(make) -> None:
    ledger = make(GaussianDP(2.0))
    ledger.charge(Cost("mu", np.float64(1 / 3)), **ask("a", "smoking x systolic"))
    (entry,) = ledger.entries()
    assert entry.cost == Cost("mu", 1 / 3)
    assert (entry.request_id, entry.specification, entry.neighbours) == (
        "a",
        "smoking x systolic",
        ("replace-one", "record", None),
    )
    assert entry.when.tzinfo is not None
    assert abs(datetime.now(UTC) - entry.when) < timedelta(minutes=1)
    with pytest.raises(AttributeError):
        entry.seq = 7  # type: ignore[misc]


def test_a_ledger_is_opened_again_with_all_it_had(tmp_path: Path) -> None:
    path = tmp_path / "a b%20#?'é.ledger"
    ledger = Ledger.create(path, ApproxDP(1.5, 1e-6), accounting="gdp")
    ledger.charge(Cost("mu", 0.1), **ask("a"))
    ledger.record_release("a", json.dumps({"counts": [1, 2]}))
    again = Ledger(str(path))
    assert (again.budget, again.accounting, again.currency) == (ApproxDP(1.5, 1e-6), "gdp", "mu")
    assert again.entries() == ledger.entries()
    assert (again.spent, again.remaining) == (ledger.spent, ledger.remaining)
    assert again.payload("a") == '{"counts": [1, 2]}'
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("budget", [1.0, None, "1", PureDP, Cost("epsilon", 1.0)], ids=range(5))
def test_a_budget_is_a_guarantee(tmp_path: Path, budget: object) -> None:
    with pytest.raises(InvalidInput, match="budget must be PureDP"):
        Ledger.create(tmp_path / "x.ledger", budget)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        Ledger.in_memory(budget)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("accounting", ["gdp", "Sum", "", None, "pld"])
def test_accounting_by_another_rule_is_refused(tmp_path: Path, accounting: object) -> None:
    with pytest.raises(InvalidInput, match="'sum'"):
        Ledger.create(tmp_path / "x.ledger", PureDP(1.0), accounting=accounting)  # type: ignore[arg-type]
    if accounting != "gdp":
        with pytest.raises(InvalidInput, match="'sum' or 'gdp'"):
            Ledger.create(tmp_path / "x.ledger", ApproxDP(1.0, 1e-6), accounting=accounting)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_budget_in_memory_is_not_copied() -> None:
    ledger = Ledger.in_memory(PureDP(1.0))
    for double in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(LedgerError, match="cannot be copied"):
            double(ledger)
    assert ledger.path is None


def test_a_copy_of_a_ledger_is_the_same_file(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "x.ledger", PureDP(1.0))
    for same in (copy.copy(ledger), copy.deepcopy(ledger), pickle.loads(pickle.dumps(ledger))):
        same.charge(Cost("epsilon", 0.1), **ask(f"{id(same)}-{len(ledger.entries())}"))
    assert ledger.spent == 0.3


def test_the_representation_names_the_file_and_the_budget(tmp_path: Path) -> None:
    assert "PureDP" in repr(Ledger.create(tmp_path / "x.ledger", PureDP(2.0)))
    assert "in memory" in repr(Ledger.in_memory(PureDP(2.0)))
