"""A budget admits one release of its own size, to the last digit, and then no other: every mechanism, guarantee, currency."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from discreet import ApproxDP, Curator, GaussianDP, Ledger, PureDP, Schema, ZeroConcentratedDP
from discreet.curator.ledger import rule_for
from discreet.errors import BudgetExceeded, NoCost, NotAvailable
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian
from discreet.privacy import Cost
from discreet.privacy.gaussian_curve import mu_for

SCHEMA = Schema({"smoking": ["no", "yes"], "pressure": ["low", "high"]}, complete=True)
RECORDS = pd.DataFrame({"smoking": ["no", "yes", "no"], "pressure": ["low", "high", "high"]})
MECHANISMS = [Laplace(), Gaussian(), ProjectedGaussian()]
GUARANTEES = [
    PureDP(0.1),
    PureDP(1 / 3),
    GaussianDP(1e-3),
    GaussianDP(0.7),
    GaussianDP(5),
    ZeroConcentratedDP(0.1),
    ZeroConcentratedDP(1 / 7),
    ApproxDP(1.0, 1e-6),
    ApproxDP(0.3, 1e-9),
]
CURRENCIES = ["epsilon", "mu", "rho", "approx"]


def _budget(cost: Cost) -> PureDP | GaussianDP | ZeroConcentratedDP | ApproxDP:
    if cost.currency == "approx":
        return ApproxDP(cost.amount, cost.delta or 1e-9)
    return {"epsilon": PureDP, "mu": GaussianDP, "rho": ZeroConcentratedDP}[cost.currency](cost.amount)


def _admits_one_and_no_other(ledger: Ledger, guarantee: object, mechanism: object) -> None:
    with Curator(RECORDS, SCHEMA, ledger=ledger) as curator:
        assert curator.price("table", "smoking", guarantee, mechanism).admitted
        curator.table("smoking", guarantee, mechanism)
        assert len(ledger.entries()) == 1
        price = curator.price("table", "smoking", guarantee, mechanism)
        assert not price.admitted
        with pytest.raises(BudgetExceeded, match=r"requested .* remaining .* difference"):
            curator.table("smoking", guarantee, mechanism)
        assert len(ledger.entries()) == 1


@pytest.mark.parametrize("currency", CURRENCIES)
@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)
def test_a_budget_of_the_cost_of_a_release(mechanism, guarantee, currency) -> None:
    try:
        cost = mechanism.for_table(guarantee).cost(currency)
    except NotAvailable:
        assert isinstance(guarantee, PureDP)  # Gaussian noise under a pure guarantee
        assert not isinstance(mechanism, Laplace)
        return
    except NoCost:
        ledger = Ledger.in_memory(
            {"epsilon": PureDP(9), "approx": ApproxDP(9, 1e-3), "mu": GaussianDP(9), "rho": ZeroConcentratedDP(9)}[
                currency
            ]
        )
        with Curator(RECORDS, SCHEMA, ledger=ledger) as curator, pytest.raises(NoCost):
            curator.table("smoking", guarantee, mechanism)
        assert ledger.entries() == ()
        return
    _admits_one_and_no_other(Ledger.in_memory(_budget(cost)), guarantee, mechanism)


@pytest.mark.parametrize(
    ("guarantee", "mechanism"),
    [(PureDP(0.3), Laplace())]
    + [
        (guarantee, mechanism)
        for guarantee in (GaussianDP(0.3), ZeroConcentratedDP(0.3), ApproxDP(0.3, 1e-6))
        for mechanism in MECHANISMS
    ],
    ids=str,
)
def test_a_budget_equal_to_the_guarantee(guarantee, mechanism) -> None:
    """What the user typed is what is charged: the noise is enlarged for the grid, not the charge."""
    ledger = Ledger.in_memory(guarantee)
    with Curator(RECORDS, SCHEMA, ledger=ledger) as curator:
        curator.table("smoking", guarantee, mechanism)
        spent = ledger.spent[0] if isinstance(ledger.spent, tuple) else ledger.spent
        stated = float(next(iter({k: v for k, v in guarantee.to_dict().items() if k != "kind"}.values())))
        # A scale that is solved for, not computed, stays below the guarantee by a relative 1e-11 at most.
        assert stated * (1 - 1e-10) <= spent <= stated
        with pytest.raises(BudgetExceeded):
            curator.table("smoking", guarantee, mechanism)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("budget", [ApproxDP(1.0, 1e-6), ApproxDP(0.1, 1e-9), ApproxDP(4.0, 1e-3)], ids=str)
def test_a_budget_that_is_kept_in_mu(budget, mechanism) -> None:
    mu = mu_for(float(budget.epsilon), float(budget.delta))
    ledger = Ledger.in_memory(budget, accounting="gdp")
    assert ledger.currency == "mu"
    assert GaussianDP(mu).delta(float(budget.epsilon)) <= float(budget.delta) * (1 + 1e-9)
    _admits_one_and_no_other(ledger, GaussianDP(mu), mechanism)
    if not isinstance(mechanism, Laplace):
        _admits_one_and_no_other(Ledger.in_memory(budget, accounting="gdp"), budget, mechanism)
    # Two halves in mu^2 fit as well: what adds up is the square.
    halves = Ledger.in_memory(budget, accounting="gdp")
    with Curator(RECORDS, SCHEMA, ledger=halves) as curator:
        half = GaussianDP(math.nextafter(mu / math.sqrt(2), 0))
        for _ in range(2):
            curator.table("smoking", half, mechanism)
        with pytest.raises(BudgetExceeded):
            curator.table("smoking", GaussianDP(mu / 1000), mechanism)


def test_no_other_accounting_for_other_budgets() -> None:
    for budget in (PureDP(1), GaussianDP(1), ZeroConcentratedDP(1)):
        with pytest.raises(ValueError, match="accounting"):
            rule_for(budget, "gdp")
