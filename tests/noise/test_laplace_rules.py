"""Laplace tables under mu by three rules, and where they cross the Gaussian mechanisms (Kim, Lee, Kwak and Jung 2022)."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath as mp
import pytest
from scipy import optimize

from discreet.errors import InvalidInput
from discreet.noise import calibrate
from discreet.privacy import GaussianDP, PureDP, TradeOff, laplace_table_mu

# mu; the smallest scale; by the L1 sensitivity; by way of pure DP; the variance of a cell at the smallest scale
RULES = [
    (0.1, 15.4890975076, 24.5733363497, 25.0634292869, 479.82428320),
    (0.25, 6.0540907677, 9.5439005986, 10.0193838085, 73.30403005),
    (0.5, 2.9161130614, 4.5472200191, 4.9990290711, 17.00743077),
    (1, 1.3589053610, 2.0714029970, 2.4784211728, 3.69324756),
    (1.5, 0.8487102170, 1.2637415315, 1.6293890119, 1.44061806),
    (2, 0.5989995839, 0.8711754037, 1.1988482430, 0.71760100),
    (3, 0.3574271065, 0.4968210359, 0.7584948737, 0.25550827),
    (4, 0.2425133576, 0.3236207044, 0.5318906439, 0.11762546),
    (5, 0.1769078493, 0.2278682352, 0.3940561165, 0.06259277),
    (8, 0.0867743796, 0.1034451978, 0.1930488921, 0.01505959),
    (10, 0.0603969580, 0.0695804587, 0.1327580651, 0.00729559),
]


@pytest.mark.parametrize(("mu", "smallest", "by_l1", "by_pure", "variance"), RULES)
def test_the_three_rules(mu: float, smallest: float, by_l1: float, by_pure: float, variance: float) -> None:
    g = GaussianDP(mu)
    assert calibrate.laplace_table(g) == pytest.approx(smallest, rel=0, abs=1.1e-10)
    assert calibrate.laplace_table_l1_rule(g) == pytest.approx(by_l1, rel=0, abs=1.1e-10)
    assert calibrate.laplace_table_pure_rule(g) == pytest.approx(by_pure, rel=0, abs=1.1e-10)
    assert 2 * calibrate.laplace_table(g) ** 2 == pytest.approx(variance, rel=0, abs=6e-9)


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.3, 0.999, 1.0, 7.0, 20.0, 50.0])
def test_the_rules_are_valid_and_rounded_to_the_safe_side(mu: float) -> None:
    g = GaussianDP(mu)
    scales = [calibrate.laplace_table(g), calibrate.laplace_table_l1_rule(g), calibrate.laplace_table_pure_rule(g)]
    assert scales == sorted(scales)
    assert all(laplace_table_mu(1 / scale) <= mu for scale in scales)
    with mp.workdps(400):
        tail = mp.ncdf(-mp.mpf(mu) / 2)
        for scale, needed in zip(scales[1:], (-1 / mp.log(2 * tail), 2 / mp.log(1 / tail - 1)), strict=True):
            assert 0 <= mp.mpf(scale) / needed - 1 < 3e-12
    if mu <= 50:  # the definition of the last rule: the pure guarantee of that scale implies mu-GDP
        assert PureDP(min(500.0, 2 / scales[2])).to_gaussian().mu <= mu * (1 + 1e-12)


@pytest.mark.parametrize(
    ("epsilon", "exact", "by_l1", "by_pure"),
    [
        (0.1, 0.07771544, 0.12232593, 0.12530901),
        (0.5, 0.37150845, 0.56176432, 0.62389259),
        (1, 0.70755154, 1.03006400, 1.23203539),
        (2, 1.30511210, 1.80090519, 2.35796149),
        (4, 2.31147972, 2.98677882, 4.19447809),
    ],
)
def test_a_pure_laplace_table_in_mu(epsilon: float, exact: float, by_l1: float, by_pure: float) -> None:
    assert TradeOff.laplace_table(2 / epsilon).mu == pytest.approx(exact, rel=0, abs=6e-9)
    assert TradeOff.laplace(epsilon).mu == pytest.approx(by_l1, rel=0, abs=6e-9)
    assert PureDP(epsilon).to_gaussian().mu == pytest.approx(by_pure, rel=0, abs=6e-9)


def _crossing(rule: Callable[[GaussianDP], float], cells: float) -> float:
    """The mu at which Laplace noise, variance 2 b^2 a cell, costs as much as (p - 1)/p of Gaussian noise, 2/mu^2 a cell."""
    share = 1.0 if math.isinf(cells) else (cells - 1) / cells
    return float(optimize.brentq(lambda mu: rule(GaussianDP(mu)) * mu - math.sqrt(share), 1.0, 30.0, xtol=1e-12))


@pytest.mark.parametrize(
    ("cells", "mu"),
    [
        (math.inf, 3.68706066),  # the Gaussian mechanism without projection, for every number of cells
        (2, 7.75143137),
        (3, 5.92915137),
        (4, 5.23988916),
        (5, 4.87553417),
        (10, 4.23447994),
        (20, 3.95049170),
        (100, 3.73821666),
    ],
)
def test_below_which_mu_gaussian_noise_is_better(cells: float, mu: float) -> None:
    assert _crossing(calibrate.laplace_table, cells) == pytest.approx(mu, rel=0, abs=6e-9)


@pytest.mark.parametrize(("cells", "mu"), [(math.inf, 6.13008139), (2, 9.80111192), (5, 7.19635557), (10, 6.62128917)])
def test_the_same_by_the_l1_rule(cells: float, mu: float) -> None:
    assert _crossing(calibrate.laplace_table_l1_rule, cells) == pytest.approx(mu, rel=0, abs=6e-9)


@pytest.mark.parametrize("rule", [calibrate.laplace_table_l1_rule, calibrate.laplace_table_pure_rule])
def test_the_rules_start_from_mu(rule: Callable[[object], float]) -> None:
    for bad in (PureDP(1), 1.0):
        with pytest.raises(InvalidInput, match=r"GaussianDP\(mu\)"):
            rule(bad)
