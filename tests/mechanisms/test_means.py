"""Means: scales and costs as exact fractions, the privacy loss on the grid, and the law of what the gate draws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.curator.gate import draw_noise, grid_exponent
from discreet.errors import InvalidInput, NoCost, NotAvailable
from discreet.mechanisms import Gaussian, Laplace, default_for_mean
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.cost import exact
from discreet.privacy.laplace_curve import shift_mu
from discreet.privacy.laplace_vector import laplace_vector_mu

STEPS = st.lists(st.integers(1, 2**40), min_size=1, max_size=6)


@given(STEPS, st.floats(1e-3, 100))
def test_pure_differential_privacy_is_exact(steps, epsilon):
    mechanism = Laplace().for_mean(steps, PureDP(epsilon))
    spent = sum(Fraction(j) / Fraction(b) for j, b in zip(steps, mechanism.scales, strict=True))
    assert exact(epsilon) * (1 - Fraction(1, 10**15)) <= spent <= exact(epsilon)
    assert mechanism.cost("epsilon").amount == epsilon
    assert mechanism.cost("approx").amount == epsilon


@given(STEPS, st.floats(1e-3, 20))
def test_gaussian_differential_privacy_is_exact(steps, mu):
    mechanism = Gaussian().for_mean(steps, GaussianDP(mu))
    spent = sum((Fraction(j) / Fraction(s)) ** 2 for j, s in zip(steps, mechanism.scales, strict=True))
    assert spent * (1 + Fraction(1, 2**36)) <= exact(mu) ** 2
    assert float(spent) == pytest.approx(mu**2, rel=1e-10)
    assert mechanism.cost("rho").amount == pytest.approx(mu**2 / 2, rel=1e-10)


def test_the_noise_of_all_means_is_equal_after_rescaling():
    mechanism = Laplace().for_mean([100, 7, 2**20], PureDP(0.3))
    assert [2 * b / (j * 50) for b, j in zip(mechanism.scales, mechanism.steps, strict=True)] == pytest.approx(
        [2 * 3 / (50 * 0.3)] * 3
    )
    assert mechanism.law(50).scale == pytest.approx(0.4, rel=1e-14)
    # Dunsche, Kutta and Dette's number: 2 m d/(n epsilon), with variance 2 (2 m d/(n epsilon))^2 = c
    assert Laplace().for_mean([100] * 3, PureDP(0.5)).law(2000).variance == pytest.approx(7.2e-5, rel=1e-12)
    assert Gaussian().for_mean([100, 9], GaussianDP(0.5)).law(40).scale == pytest.approx(
        2 * math.sqrt(2) / (40 * 0.5), rel=1e-10
    )


@pytest.mark.parametrize("specification", [Laplace(), Gaussian()], ids=["laplace", "gaussian"])
@pytest.mark.parametrize(
    "guarantee", [GaussianDP(0.7), ZeroConcentratedDP(0.2), ApproxDP(1, 1e-6)], ids=["gdp", "zcdp", "approx"]
)
def test_every_guarantee_is_reached_and_hardly_more(specification, guarantee):
    mechanism = specification.for_mean([50, 3, 11], guarantee)
    other = PureDP if mechanism.family == "laplace" else GaussianDP
    restated = other(mechanism.cost("epsilon" if mechanism.family == "laplace" else "mu").amount)
    again = specification.for_mean([50, 3, 11], restated)
    assert again.scales == pytest.approx(mechanism.scales, rel=1e-7)
    if isinstance(guarantee, GaussianDP):
        assert guarantee.mu * (1 - 1e-8) <= again.cost("mu").amount <= guarantee.mu * (1 + 1e-9)
    elif isinstance(guarantee, ZeroConcentratedDP):
        assert again.cost("rho").amount == pytest.approx(guarantee.rho, rel=1e-9)
    elif mechanism.family == "gaussian":
        assert GaussianDP(again.cost("mu").amount).delta(1.0) == pytest.approx(1e-6, rel=1e-6)
    else:
        assert again.cost("epsilon").amount == 1


def test_costs_of_laplace_means():
    mechanism = Laplace().for_mean([10, 20, 30, 40], PureDP(2))
    assert mechanism.cost("rho").amount == pytest.approx(4 * 0.5 * math.tanh(0.25), rel=1e-11)
    assert mechanism.cost("mu").amount == pytest.approx(laplace_vector_mu([0.5] * 4), rel=1e-8)
    assert mechanism.cost("mu").amount < PureDP(2).to_gaussian().mu / 2
    # one column costs what one shifted coordinate does: -2 Phi^-1(e^(-1/2)/2)
    one = Laplace().for_mean([10], PureDP(1)).cost("mu").amount
    assert one == pytest.approx(-2 * stats.norm.ppf(math.exp(-0.5) / 2), rel=1e-9)


@pytest.mark.parametrize("amount", [1e-6, 4e-7, 1e-3])
@pytest.mark.parametrize("guarantee", [PureDP, GaussianDP], ids=["pure", "gdp"])
def test_mu_counts_the_grid_where_it_is_coarse(amount, guarantee):
    """A column of one step: the scale is 1/epsilon records and the grid has 2^20 steps in it or one record."""
    mechanism = Laplace().for_mean([1], guarantee(amount))
    (scale,) = mechanism.scales
    steps = scale * 2.0 ** grid_exponent(scale)
    excess = 2 * math.log1p(2 * math.sinh(1 / (4 * steps)) ** 2)  # 2 log cosh(1/(2 b_g))
    exact_mu = shift_mu(1 / scale + excess)
    assert (
        exact_mu <= mechanism.cost("mu").amount <= exact_mu * (1 + 2e-7)
    )  # 2^20 steps are counted where there are 2^21
    if amount < 2e-6:
        assert exact_mu > shift_mu(1 / scale) * (1 + 5e-8)  # so that the excess can be seen


def test_what_has_no_cost_and_what_is_refused():
    mechanism = Gaussian().for_mean([10], GaussianDP(1))
    with pytest.raises(NoCost, match=r"Gaussian under .* no finite pure epsilon"):
        mechanism.cost("epsilon")
    with pytest.raises(NoCost, match="many pairs"):
        mechanism.cost("approx")
    with pytest.raises(NotAvailable, match="no finite pure epsilon"):
        Gaussian().for_mean([10], PureDP(1))
    for specification in (Laplace(integer=True), Gaussian(integer=True)):
        with pytest.raises(NotAvailable, match="integer=True is for tables"):
            specification.for_mean([10], ZeroConcentratedDP(1))
        with pytest.raises(NotAvailable, match="integer=True is for tables"):
            specification.for_moments([10], 5, ZeroConcentratedDP(1))
    with pytest.raises(NotAvailable, match="divide by n"):
        Laplace().for_mean([10], PureDP(1), "add-remove")
    for steps in ([], [0], [1.5], [True], [-3]):
        with pytest.raises(InvalidInput, match="steps must be"):
            Laplace().for_mean(steps, PureDP(1))
    with pytest.raises(InvalidInput, match="guarantee"):
        Laplace().for_mean([10], 0.5)
    for n in (0, -1, True, 2.5):
        with pytest.raises(InvalidInput, match="at least 1 record"):
            mechanism.law(n)
    assert (default_for_mean(PureDP(1)), default_for_mean(GaussianDP(1))) == (Laplace(), Gaussian())


def worst_loss(steps, scales, n, grid):
    """The largest log-likelihood ratio between the noisy sums of neighbours, over all sets of records and all outcomes.

    On an integer grid of `grid` steps a unit, integer noise with P(z) ~ exp(-|z|/(scale grid)): the ratio of an outcome is
    the sum over columns of (|y - x'| - |y - x|)/(scale grid), largest beyond both sums.
    """
    points = list(itertools.product(*(range(j + 1) for j in steps)))
    worst = 0.0
    for others in itertools.combinations_with_replacement(points, n - 1):
        base = np.sum(others, axis=0) if others else np.zeros(len(steps), int)
        for old, new in itertools.permutations(points, 2):
            loss = 0.0
            for i, scale in enumerate(scales):
                x, y = (base[i] + old[i]) * grid, (base[i] + new[i]) * grid
                outcomes = np.arange(min(x, y) - 3, max(x, y) + 4)
                loss += (np.abs(outcomes - y) - np.abs(outcomes - x)).max() / (scale * grid)
            worst = max(worst, loss)
    return worst


@pytest.mark.parametrize(("steps", "n"), [((3,), 2), ((1, 2), 2), ((2, 1), 3), ((1, 1, 1), 2)])
def test_the_exact_privacy_loss_on_the_grid(steps, n):
    epsilon = 0.7
    scales = Laplace().for_mean(steps, PureDP(epsilon)).scales
    assert worst_loss(steps, scales, n, grid=2) == pytest.approx(epsilon, rel=1e-12)
    assert worst_loss(steps, [0.9 * b for b in scales], n, grid=2) > 1.1 * epsilon


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=3), st.integers(2, 30), st.integers(0, 2**32))
def test_no_neighbour_moves_a_sum_by_more_than_its_steps(steps, n, seed):
    rng = np.random.default_rng(seed)
    records = rng.integers(0, np.array(steps) + 1, (n, len(steps)))
    changed = records.copy()
    changed[rng.integers(n)] = rng.choice([0, 1]) * np.array(steps)
    mechanism = Laplace().for_mean(steps, PureDP(1))
    loss = sum(abs(int(x)) / b for x, b in zip((records - changed).sum(0), mechanism.scales, strict=True))
    assert loss <= 1


@pytest.mark.parametrize("specification", [Laplace(), Gaussian()], ids=["laplace", "gaussian"])
def test_the_gate_draws_the_stated_law_and_a_scale_off_by_a_tenth_is_found(specification):
    """Kolmogorov-Smirnov at 20,000 draws, level 1e-7; the wrong scale moves the law by .018 or more, 7 standard errors."""
    guarantee = PureDP(0.5) if specification == Laplace() else GaussianDP(0.5)
    mechanism, n = specification.for_mean([100, 40], guarantee), 30
    for column, scale in enumerate(mechanism.scales):
        draw = draw_noise([1000] * 20_000, family=mechanism.family, scale=scale, cap=3000)
        sums = np.array(draw.integers, float) * 2.0**-draw.exponent
        noise = 2 * (sums - 1000) / (mechanism.steps[column] * n)  # of the mean on [-1, 1]
        law = mechanism.law(n)
        assert stats.kstest(noise, law.cdf).pvalue > 1e-7
        assert stats.kstest(noise, type(law)(1.1 * law.scale).cdf).pvalue < 1e-3
