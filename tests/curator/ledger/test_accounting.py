"""The ledger's arithmetic against an independent recomputation in fractions, on random histories."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.curator.ledger import Ledger
from discreet.curator.ledger.accounting import UNIT, rule_for, total
from discreet.errors import BudgetExceeded
from discreet.privacy.cost import Cost
from discreet.privacy.guarantee import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP

BUDGETS = {"epsilon": PureDP, "mu": GaussianDP, "rho": ZeroConcentratedDP}
amounts = st.one_of(
    st.floats(1e-320, 400.0),
    st.floats(1e-3, 2.0),
    st.sampled_from([0.1, 0.2, 0.3, 1 / 3, 0.7, 1e-9, 0.5**0.5, 5e-324]),
    st.decimals("0.001", "1", places=3).map(float),
)


def fraction(x: float) -> Fraction:
    return Fraction(Decimal(repr(x)))


@pytest.mark.parametrize("currency", list(BUDGETS))
@settings(max_examples=150, deadline=None)
@given(budget=amounts, history=st.lists(amounts, max_size=12))
def test_random_histories(currency: str, budget: float, history: list[float]) -> None:
    """Granted exactly what fits; `spent` never below the exact sum, nor a float above what covers it."""
    power = 2 if currency == "mu" else 1
    ledger = Ledger.in_memory(BUDGETS[currency](budget))
    exact_sum, slack = Fraction(0), Fraction(len(history) + 1, UNIT)
    for i, amount in enumerate(history):
        cost = fraction(amount) ** power
        try:
            ledger.charge(
                Cost(currency, amount),
                request_id=f"{i}",
                specification="x",
                adjacency="replace-one",
                unit="record",
                fixed=None,
            )
        except BudgetExceeded:
            assert exact_sum + cost > fraction(budget) ** power - slack
        else:
            exact_sum += cost
            assert exact_sum < fraction(budget) ** power + slack
        spent, left = fraction(ledger.spent) ** power, fraction(ledger.remaining) ** power
        assert spent >= exact_sum
        assert left <= fraction(budget) ** power - exact_sum + Fraction(1, UNIT)
    if all(amount > 1e-3 for amount in [budget, *history]):
        assert exact_sum <= fraction(budget) ** power  # nothing was rounded


@settings(max_examples=100, deadline=None)
@given(
    budget=st.tuples(amounts, st.floats(1e-12, 0.5)),
    history=st.lists(st.tuples(amounts, st.one_of(st.just(0.0), st.floats(1e-12, 0.5))), max_size=12),
)
def test_random_histories_of_pairs(budget: tuple[float, float], history: list[tuple[float, float]]) -> None:
    rule = rule_for(ApproxDP(*budget), "sum")
    spent, sums, slack = rule.units(Cost("approx", 0.0, 5e-324)), [Fraction(0), Fraction(0)], Fraction(14, UNIT)
    for epsilon, delta in history:
        units = rule.units(Cost("approx", epsilon, delta))
        fits = total([spent, units]).within(rule.total)
        after = [sums[0] + fraction(epsilon), sums[1] + fraction(delta)]
        if fits:
            spent, sums = total([spent, units]), after
            assert all(a < fraction(b) + slack for a, b in zip(after, budget, strict=True))
        else:
            assert any(a > fraction(b) - slack for a, b in zip(after, budget, strict=True))
        assert all(fraction(s) >= a for s, a in zip(rule.display_spent(spent), sums, strict=True))


@pytest.mark.parametrize("currency", list(BUDGETS))
@settings(max_examples=300, deadline=None)
@given(budget=amounts)
def test_every_budget_admits_its_own_equal_once(currency: str, budget: float) -> None:
    rule = rule_for(BUDGETS[currency](budget), "sum")
    whole = rule.units(Cost(currency, budget))
    assert whole.within(rule.total)
    assert not total([whole, whole]).within(rule.total)
    assert rule.display_left(total([])) >= budget
    assert rule.display_left(whole) == 0.0


@pytest.mark.parametrize("currency", list(BUDGETS))
def test_ten_thousand_histories_are_never_below_an_exact_sum(currency: str) -> None:
    """Every prefix of 10,000 histories, with costs over 300 orders of magnitude; equal to it where nothing is rounded."""
    rng, power = np.random.default_rng(20261130), 2 if currency == "mu" else 1
    rule = rule_for(BUDGETS[currency](400.0), "sum")
    for i in range(10_000):
        size = rng.integers(1, 5)
        costs = 10.0 ** rng.uniform(-300, 2, size) if i % 2 else rng.uniform(1e-3, 2.0, size)
        spent, exact_sum = total([]), Fraction(0)
        for cost in map(float, costs):
            spent = total((spent, rule.units(Cost(currency, cost))))
            exact_sum += fraction(cost) ** power
            assert 0 <= Fraction(spent.main, UNIT) - exact_sum <= Fraction(int(size), UNIT)
            assert i % 2 or Fraction(spent.main, UNIT) == exact_sum


@settings(max_examples=100, deadline=None)
@given(part=st.decimals("0.001", "5", places=6), n=st.integers(1, 40))
def test_n_equal_parts_fill_a_budget_exactly(part: Decimal, n: int) -> None:
    rule = rule_for(PureDP(float(part * n)), "sum")
    assert total([rule.units(Cost("epsilon", float(part)))] * n) == rule.total


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (1.0, 1e-5), (4.0, 1e-9), (0.01, 0.1), (10.0, 1e-12)])
def test_the_largest_mu_of_an_approximate_budget_holds_its_delta(epsilon: float, delta: float) -> None:
    rule = rule_for(ApproxDP(epsilon, delta), "gdp")
    mu = rule.display_left(total([]))
    assert GaussianDP(mu).delta(epsilon) <= delta * (1 + 1e-12)
    assert GaussianDP(mu * (1 + 1e-9)).delta(epsilon) > delta
