"""What several releases of the same records promise together."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy.cost import exact
from discreet.privacy.guarantee import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP
from discreet.privacy.parameters import round_up


def compose(*guarantees: Guarantee) -> Guarantee:
    """The tightest supported guarantee of several releases of the same records together, chosen adaptively or not.

    mu-GDP composes exactly to sqrt(sum of mu^2); epsilon-DP and rho-zCDP to the sum; (epsilon, delta)-DP, also with
    epsilon-DP among it, to the sums of epsilon and of delta. Parameters are read as the decimals that print them and the
    result is rounded up. Other mixtures need the privacy loss distribution: `NotAvailable`.

    Examples
    --------
    >>> from discreet.privacy import GaussianDP, PureDP, compose
    >>> compose(GaussianDP(0.3), GaussianDP(0.4))
    GaussianDP(mu=0.5)
    >>> compose(PureDP(0.1), PureDP(0.1), PureDP(0.1))
    PureDP(epsilon=0.3)
    """
    if not guarantees or not all(isinstance(g, Guarantee) for g in guarantees):
        raise InvalidInput(f"compose takes one or more guarantees, not {guarantees!r}")
    kinds = {g.kind for g in guarantees}
    if kinds == {"gdp"}:
        return GaussianDP(_root_up(sum((g.exact**2 for g in guarantees), Fraction(0))))
    if kinds == {"pure"}:
        return PureDP(round_up(sum(g.exact for g in guarantees)))
    if kinds == {"zcdp"}:
        return ZeroConcentratedDP(round_up(sum(g.exact for g in guarantees)))
    if kinds <= {"pure", "approx"}:
        pairs = [g.exact if g.kind == "approx" else (g.exact, Fraction(0)) for g in guarantees]
        epsilon, delta = (round_up(sum(column, Fraction(0))) for column in zip(*pairs, strict=True))
        if delta >= 1:
            raise NotAvailable("the deltas add up to 1 or more: together these releases protect nothing")
        return ApproxDP(epsilon, delta)
    raise NotAvailable(
        f"no closed form composes {' with '.join(type(g).__name__ for g in guarantees)}: that needs the privacy loss "
        "distribution; state all in one kind (PureDP.to_gaussian() where valid)"
    )


def _root_up(square: Fraction) -> float:
    """The smallest float whose printed decimal has at least that square."""
    with localcontext(prec=40):  # decimals keep the range: the square of a small mu would underflow
        root = float((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())
    while exact(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    while exact(below := math.nextafter(root, 0.0)) ** 2 >= square and below < root:
        root = below
    return root
