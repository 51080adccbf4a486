"""Mechanisms whose guarantee is pure epsilon whatever the records are: what they promise, and what they cost."""

from __future__ import annotations

from discreet.errors import InvalidInput, NotAvailable
from discreet.mechanisms.table import Stated, no_cost, own_cost
from discreet.privacy import Cost, PureDP
from discreet.privacy.cost import Currency
from discreet.privacy.guarantee import Guarantee


def pure_only(name: str, guarantee: Guarantee) -> PureDP:
    """The guarantee as `PureDP`, or the reason why no other kind is stated."""
    if isinstance(guarantee, PureDP):
        return guarantee
    if not isinstance(guarantee, Guarantee):
        raise InvalidInput(f"a guarantee is needed, such as PureDP(0.5), not {guarantee!r}")
    raise NotAvailable(
        f"{name} promises pure epsilon: state PureDP(epsilon), not {guarantee}; a budget of another kind is then charged "
        "what this epsilon implies"
    )


def pure_cost(mechanism: Stated, currency: Currency, *, bounded_range: bool = False) -> Cost:
    """What an epsilon-DP mechanism costs in each currency, whatever else is known of it.

    epsilon; (epsilon, 0); mu = 2 Phi^-1(e^eps/(1 + e^eps)); rho = epsilon tanh(epsilon/2), or, where the log-likelihood
    ratio of neighbours stays within an interval of length epsilon (`bounded_range`: the exponential mechanism), epsilon^2/8
    if that is less (Cesar and Rogers 2021, lemma 3.4).
    """
    guarantee = mechanism.guarantee
    assert isinstance(guarantee, PureDP)
    epsilon = float(guarantee.epsilon)
    if currency == "epsilon":
        return own_cost(guarantee)
    if currency == "approx":
        return Cost("approx", epsilon, 0.0)
    if currency == "rho":
        rho = guarantee.to_zero_concentrated().rho
        return Cost("rho", (min(rho, epsilon * epsilon / 8) if bounded_range else rho) * (1 + 1e-12))
    if currency == "mu":
        return Cost("mu", guarantee.to_gaussian().mu * (1 + 1e-12))
    raise no_cost(mechanism, currency, "the currency is unknown")
