"""Scale, guarantee and cost of each table mechanism, against reference numbers and exact fractions."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InvalidInput, NoCost, NotAvailable
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian, default_for_table
from discreet.mechanisms.table import up
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.cost import exact


@pytest.mark.parametrize(
    ("epsilon", "mu"), [(0.1, 0.07771544), (0.5, 0.37150845), (1, 0.70755154), (2, 1.30511210), (4, 2.31147972)]
)
def test_a_laplace_table_costs_the_mu_of_its_own_curve(epsilon, mu):
    mechanism = Laplace().for_table(PureDP(epsilon))
    assert mechanism.scale == pytest.approx(2 / epsilon, rel=1e-15)
    assert mechanism.cost("mu").amount == pytest.approx(mu, abs=6e-9)
    assert mechanism.cost("epsilon").amount == epsilon
    assert mechanism.cost("rho").amount == pytest.approx(epsilon * math.tanh(epsilon / 2), rel=1e-14)
    assert (mechanism.cost("approx").amount, mechanism.cost("approx").delta) == (epsilon, 0.0)


@pytest.mark.parametrize(
    ("mu", "b"), [(0.1, 15.4890975075), (0.5, 2.9161130614), (1, 1.3589053610), (3, 0.3574271065), (10, 0.0603969580)]
)
def test_a_laplace_table_under_a_gaussian_guarantee_has_the_smallest_valid_scale(mu, b):
    mechanism = Laplace().for_table(GaussianDP(mu))
    assert mechanism.scale == pytest.approx(b, rel=2e-10, abs=6e-11)  # as many digits as are printed
    assert mechanism.cost("mu").amount == mu
    # its own curve on the grid needs no more than was promised
    assert Laplace().for_table(PureDP(2 / mechanism.scale)).cost("mu").amount == pytest.approx(mu, rel=1e-9)


@pytest.mark.parametrize("specification", [Gaussian(), ProjectedGaussian()])
def test_gaussian_tables(specification):
    mechanism = specification.for_table(GaussianDP(0.5))
    assert mechanism.scale == pytest.approx(math.sqrt(8), rel=1e-10)
    assert Fraction(mechanism.scale) ** 2 >= Fraction(8) * (1 + Fraction(1, 2**36))
    assert mechanism.cost("mu").amount == 0.5
    assert mechanism.cost("rho").amount == pytest.approx(0.125, rel=1e-9)
    zcdp = specification.for_table(ZeroConcentratedDP(0.125))
    assert zcdp.cost("rho").amount == 0.125
    assert 0.5 < zcdp.cost("mu").amount < 0.5 * (1 + 1e-10)
    approximate = specification.for_table(ApproxDP(1.0, 1e-6))
    assert GaussianDP(approximate.cost("mu").amount).delta(1.0) == pytest.approx(1e-6, rel=1e-6)
    assert (approximate.cost("approx").amount, approximate.cost("approx").delta) == (1.0, 1e-6)


def test_the_projected_law_has_no_noise_in_the_total():
    law = ProjectedGaussian().for_table(GaussianDP(0.5)).law
    assert law.on((2, 3)).covariance.sum() == pytest.approx(0, abs=1e-12)
    assert law.on((2, 3), other=True).covariance.sum() == pytest.approx(8 * 6 / 7, rel=1e-9)


def test_what_has_no_valid_cost_is_refused_with_the_reason():
    gaussian = Gaussian().for_table(GaussianDP(1))
    with pytest.raises(NoCost, match="no finite pure epsilon"):
        gaussian.cost("epsilon")
    with pytest.raises(NoCost, match="many pairs"):
        gaussian.cost("approx")
    with pytest.raises(NotAvailable, match="no finite pure epsilon"):
        ProjectedGaussian().for_table(PureDP(1))
    with pytest.raises(NotAvailable, match="public total"):
        ProjectedGaussian().for_table(GaussianDP(1), "add-remove")
    with pytest.raises(InvalidInput, match="guarantee"):
        Laplace().for_table(0.5).cost("epsilon")


def test_the_default_mechanism_is_the_best_for_the_guarantee():
    assert default_for_table(PureDP(1)) == Laplace()
    assert default_for_table(GaussianDP(1)) == ProjectedGaussian()
    assert default_for_table(GaussianDP(1), "add-remove") == Gaussian()


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=500))
def test_costs_are_rounded_up_in_the_decimal_that_a_ledger_adds(number):
    rounded = up(number)
    assert exact(rounded) >= number
    assert exact(rounded) <= number * (1 + Fraction(1, 2**51))


@given(st.floats(1e-3, 100))
def test_the_claim_of_pure_differential_privacy_is_exact(epsilon):
    """epsilon = 2/b for the integers on the grid, as fractions: never more than the decimal that was promised."""
    scale = Laplace().for_table(PureDP(epsilon)).scale
    assert 2 / Fraction(scale) <= exact(epsilon)
