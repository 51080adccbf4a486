"""Means with covariances: budget split, scales, exact privacy loss of the integer covariance, and ED's constants."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from discreet.errors import InvalidInput, NoCost, NotAvailable
from discreet.mechanisms import (
    ED,
    EntrywiseGaussian,
    EntrywiseLaplace,
    Gaussian,
    Laplace,
    default_for_moments,
    ed_is_better,
)
from discreet.mechanisms.moments.share import split
from discreet.noise import EigenNoise
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from discreet.privacy.cost import exact
from discreet.privacy.laplace_vector import laplace_vector_mu


@given(st.floats(1e-3, 100), st.floats(0.01, 0.99))
def test_both_parts_together_keep_the_guarantee(amount, share):
    for kind, add in ((PureDP, lambda x: x), (ZeroConcentratedDP, lambda x: x), (GaussianDP, lambda x: x**2)):
        first, second = split(kind(amount), share, "gaussian")
        assert add(first.exact) + add(second.exact) <= add(kind(amount).exact)
        assert float(add(first.exact)) == pytest.approx(share * add(amount), rel=1e-12)
        assert float(add(first.exact) + add(second.exact)) == pytest.approx(add(amount), rel=1e-12)


def test_parts_of_an_approximate_guarantee():
    first, second = split(ApproxDP(1, 1e-6), 0.5, "gaussian")
    assert GaussianDP(math.hypot(first.mu, second.mu)).delta(1.0) == pytest.approx(1e-6, rel=1e-6)
    assert split(ApproxDP(1, 1e-6), 0.5, "laplace") == (PureDP(0.5), PureDP(0.5))


@pytest.mark.parametrize(("d", "epsilon"), [(1, 0.5), (2, 1.0), (5, 3.0)])
def test_the_entries_on_the_cube_have_the_noise_of_their_sensitivity(d, epsilon):
    n, steps = 300, [10**6, 2**40, 10**7, 10**6, 2**31][:d]
    laplace = EntrywiseLaplace().for_moments(steps, n, PureDP(epsilon)).covariance.law(n)
    assert np.array(laplace.scales) == pytest.approx(2 * d * (d + 1) / (n * epsilon / 2), rel=2e-12)
    gaussian = EntrywiseGaussian().for_moments(steps, n, GaussianDP(epsilon)).covariance.law(n)
    assert np.array(gaussian.scales) == pytest.approx(
        math.sqrt(8 * d * (d + 1)) / (n * epsilon / math.sqrt(2)), rel=1e-10
    )


@pytest.mark.parametrize(
    "specification", [EntrywiseLaplace(), EntrywiseGaussian(), ED()], ids=["laplace", "gaussian", "ed"]
)
@pytest.mark.parametrize("amount", [1e-300, 1e-100, 1e-9, 500.0])
def test_guarantees_at_the_ends_of_their_range(specification, amount):
    for kind in (PureDP, ZeroConcentratedDP, GaussianDP):
        try:
            mechanism = specification.for_moments([10, 3, 2**40], 2, kind(amount))
        except (InvalidInput, NotAvailable) as refused:
            assert amount < 1e-50 or "pure epsilon" in str(refused)
            continue
        for currency in ("mu", "rho"):
            assert 0 < mechanism.cost(currency).amount < math.inf


@given(st.lists(st.integers(1, 2**20), min_size=1, max_size=5), st.floats(1e-2, 50), st.floats(0.05, 0.95))
def test_the_shares_of_all_entries_add_up_to_the_guarantee(steps, amount, share):
    pure = EntrywiseLaplace(share).for_moments(steps, 50, PureDP(amount))
    gauss = EntrywiseGaussian(share).for_moments(steps, 50, GaussianDP(amount))
    d = len(steps)
    for mechanism, power in ((pure, 1), (gauss, 2)):
        spent = sum((Fraction(j) / Fraction(b)) ** power for j, b in zip(steps, mechanism.mean.scales, strict=True))
        scales = mechanism.covariance.entry_scales
        spent += sum(
            (Fraction(steps[i] * steps[j]) / Fraction(scales[i][j])) ** power for i in range(d) for j in range(i, d)
        )
        assert spent <= exact(amount) ** power
        assert float(spent) == pytest.approx(amount**power, rel=1e-9)
        assert all(scales[i][j] == scales[j][i] for i in range(d) for j in range(d))


def integer_covariance(records):
    n, d = len(records), len(records[0])
    s = [sum(r[i] for r in records) for i in range(d)]
    return [
        math.floor(Fraction(n * sum(r[i] * r[j] for r in records) - s[i] * s[j], n - 1) + Fraction(1, 2))
        for i in range(d)
        for j in range(i, d)
    ]


@pytest.mark.parametrize(("steps", "n"), [((3,), 3), ((10,), 2), ((1, 1), 3), ((2, 3), 2)])
def test_the_exact_privacy_loss_of_the_integer_covariance(steps, n):
    """Over every set of records and every replacement: the sum of |C - C'|/scale, which outcomes beyond both attain."""
    mechanism = EntrywiseLaplace().for_moments(steps, n, PureDP(2)).covariance
    points = list(itertools.product(*(range(j + 1) for j in steps)))
    worst = 0.0
    for others in itertools.combinations_with_replacement(points, n - 1):
        found = [integer_covariance([*others, point]) for point in points]
        for a, b in itertools.combinations(found, 2):
            worst = max(worst, sum(abs(x - y) / b for x, y, b in zip(a, b, mechanism.vector.scales, strict=True)))
    assert 1 - 1e-9 <= worst <= 1


def test_costs_in_other_currencies():
    steps, d = [100, 100], 2
    laplace = EntrywiseLaplace(share=0.4).for_moments(steps, 50, PureDP(1))
    assert laplace.cost("epsilon").amount == 1
    assert laplace.cost("approx").amount == 1
    rates = [0.2] * d + [0.2] * 3
    assert laplace.cost("mu").amount == pytest.approx(laplace_vector_mu(rates), rel=1e-7)
    assert laplace.cost("rho").amount == pytest.approx(5 * 0.2 * math.tanh(0.1), rel=1e-9)
    gaussian = EntrywiseGaussian().for_moments(steps, 50, GaussianDP(1))
    assert gaussian.cost("mu").amount == 1
    assert gaussian.cost("rho").amount == pytest.approx(0.5, rel=1e-9)
    with pytest.raises(NoCost, match=r"EntrywiseGaussian under .* no finite pure epsilon"):
        gaussian.cost("epsilon")
    stated = EntrywiseLaplace().for_moments(steps, 50, GaussianDP(0.5))
    assert stated.cost("mu").amount == 0.5
    assert laplace_vector_mu([float(shift) for shift in (stated.mean.vector + stated.covariance.vector).shifts]) == (
        pytest.approx(0.5, rel=1e-6)
    )
    assert Laplace().for_moments(steps, 50, PureDP(1)) == EntrywiseLaplace().for_moments(steps, 50, PureDP(1))
    assert Gaussian().for_moments(steps, 50, GaussianDP(1)) == EntrywiseGaussian().for_moments(steps, 50, GaussianDP(1))


def test_the_constants_of_ed():
    one = ED().for_moments([100], 400, PureDP(1)).covariance.law(400)
    assert one.eigenvalue_scale == pytest.approx(4 / (400 * 0.5), rel=1e-10)
    for d, c in ((2, math.sqrt(80)), (3, math.sqrt(192)), (10, 46.130250)):
        law = ED(share=0.25).for_moments([100] * d, 400, PureDP(1)).covariance.law(1000)
        assert law.eigenvalue_scale == pytest.approx(c / (1000 * 0.375), rel=1e-7)
        assert law.exponent == pytest.approx(0.375 / (d - 1) * 1000 / c, rel=1e-7)


def bingham_normaliser(s, exponent):
    """log of the mean of exp(exponent u'Su) over the circle: exponent tr/2 + log I_0(exponent gap/2)."""
    values = np.linalg.eigvalsh(s)
    x = exponent * (values[1] - values[0]) / 2
    return exponent * values.sum() / 2 + math.log(special.ive(0, x)) + x


def worst_direction_loss(n, exponent, seed, tries):
    """The largest log density ratio of ED's direction found for two columns, exactly, over sets of records and neighbours."""
    rng = np.random.default_rng(seed)
    corners = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], float)
    worst = 0.0
    for _ in range(tries):
        weights = rng.dirichlet(np.full(4, rng.choice([0.1, 0.3, 1.0])))
        mean = weights @ corners
        scatter = (n - 1) * (corners - mean).T @ ((corners - mean) * weights[:, None])
        u, v = (corners[rng.integers(4)] - mean for _ in range(2))
        s, t = ((scatter + (n - 1) / n * np.outer(w, w)) / (n - 1) for w in (u, v))
        ratio = exponent * np.linalg.eigvalsh(s - t)  # the extremes of exponent u'(S - S')u
        worst = max(worst, np.abs(ratio - bingham_normaliser(s, exponent) + bingham_normaliser(t, exponent)).max())
    return worst


@pytest.mark.parametrize(("n", "used"), [(3, 0.5), (100, 0.75), (20_000, 0.95)])
def test_the_exact_privacy_loss_of_a_direction(n, used):
    """epsilon_i = 1; the bound is nearly reached, so half as much again of exponent would be found."""
    covariance = ED().for_moments([100] * 2, n, PureDP(4)).covariance  # 2 for the covariance, 1 for the one direction
    exponent = covariance.law(n).exponent
    worst = worst_direction_loss(n, exponent, seed=n, tries=1500)
    assert used < worst <= 1
    if n > 1000:
        assert worst_direction_loss(n, 1.1 * exponent, seed=n, tries=1500) > 1


def test_ed_is_labelled_and_never_a_default():
    mechanism = ED().for_moments([100] * 2, 50, PureDP(1))
    assert mechanism.idealised
    assert mechanism.covariance.vector is None
    assert not EntrywiseLaplace().for_moments([100] * 2, 50, PureDP(1)).idealised
    assert default_for_moments(PureDP(1)) == EntrywiseLaplace()
    assert default_for_moments(GaussianDP(1)) == EntrywiseGaussian()
    with pytest.raises(NotAvailable, match="ED promises pure epsilon"):
        ED().for_moments([100], 50, GaussianDP(1))
    assert mechanism.cost("epsilon").amount == mechanism.cost("approx").amount == 1
    parts = 2 * 0.25 * math.tanh(0.125) + 2 * 0.25 * math.tanh(0.125)  # two means; eigenvalues and one direction
    assert mechanism.cost("rho").amount == pytest.approx(parts, rel=1e-9)
    mu = math.sqrt(
        laplace_vector_mu([0.25] * 2) ** 2
        + (-2 * stats.norm.ppf(math.exp(-0.125) / 2)) ** 2
        + PureDP(0.25).to_gaussian().mu ** 2
    )
    assert mechanism.cost("mu").amount == pytest.approx(mu, rel=1e-7)
    assert mechanism.cost("mu").amount < PureDP(1).to_gaussian().mu


@pytest.mark.parametrize("n", [2, 3, 1000])
@pytest.mark.parametrize("specification", [EntrywiseLaplace(), ED()], ids=["entrywise", "ed"])
def test_a_constant_column_and_few_records_give_a_finite_positive_matrix(specification, n):
    law = specification.for_moments([5, 5, 5], n, PureDP(1)).covariance.law(n)
    released = law.sample(np.zeros((50, 3, 3)), np.random.default_rng(3))
    assert np.isfinite(released).all()
    assert np.linalg.eigvalsh(released).min() >= -1e-12 * np.abs(released).max()


def test_where_ed_is_better():
    """From the errors of both under epsilon_c = .25: entrywise noise wins but for few records and many columns."""
    assert [ed_is_better(d, n, 0.25) for d, n in ((1, 100), (2, 10_000), (5, 10_000), (10, 1000), (10, 100_000))] == [
        False,
        False,
        False,
        True,
        False,
    ]


def test_bad_input():
    for specification in (EntrywiseLaplace(), EntrywiseGaussian(), ED()):
        guarantee = GaussianDP(1) if isinstance(specification, EntrywiseGaussian) else PureDP(1)
        for n in (0, 1, True, 3.0):
            with pytest.raises(InvalidInput, match="at least 2 records in every group"):
                specification.for_moments([10], n, guarantee)
        with pytest.raises(NotAvailable, match="add-remove"):
            specification.for_moments([10], 5, guarantee, "add-remove")
        with pytest.raises(InvalidInput, match="steps must be"):
            specification.for_moments([], 5, guarantee)
        with pytest.raises(InvalidInput, match="at least 2 records, not n = 1"):
            specification.for_moments([10], 5, guarantee).covariance.law(1)
    for share in (0, 1, -0.1, True, "half", math.nan):
        with pytest.raises(InvalidInput, match="share"):
            ED(share=share)
    with pytest.raises(NotAvailable, match="no finite pure epsilon"):
        EntrywiseGaussian().for_moments([10], 5, PureDP(1))
    with pytest.raises(InvalidInput, match="guarantee"):
        EntrywiseLaplace().for_moments([10], 5, "epsilon = 1")


def test_the_law_follows_the_group_size():
    mechanism = ED().for_moments([100] * 2, 50, PureDP(1)).covariance
    assert isinstance(mechanism.law(50), EigenNoise)
    assert mechanism.law(100).eigenvalue_scale == pytest.approx(mechanism.law(50).eigenvalue_scale / 2)
    assert mechanism.law(100).exponent == pytest.approx(2 * mechanism.law(50).exponent)
