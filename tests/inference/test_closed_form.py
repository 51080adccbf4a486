"""The closed form as a null method: published p-values to nine digits, the conditional average, and what has none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from discreet import goodness_of_fit, homogeneity, independence
from discreet.errors import InvalidInput, NotAvailable
from discreet.inference import ClosedForm, Conditional
from discreet.inference.law import LimitLaw, OneWay, TwoWay
from discreet.inference.null.choose import find_null
from discreet.inference.null.problem import NullProblem
from discreet.noise import DiscreteGaussian, DiscreteLaplace, Gaussian, JointNoise, Laplace, ProjectedGaussian

TABLE = [[230.5, 271.25], [268, 236.75]]


@pytest.mark.parametrize(
    ("epsilon", "chi2", "lr"),
    [
        (0.1, 0.2542161522, 0.2540213770),
        (0.2, 0.0902309655, 0.0900972928),
        (0.5, 0.0326404344, 0.0325661256),
        (1.0, 0.0254263942, 0.0253635005),
    ],
)
@pytest.mark.parametrize("null", ["auto", "closed-form", ClosedForm()])
def test_published_p_values_under_laplace_noise(epsilon, chi2, lr, null):
    for statistic, reference in (("chi2", chi2), ("lr", lr)):
        result = independence(TABLE, noise=Laplace(2 / epsilon), n=1000, statistic=statistic, null=null)
        assert result.pvalue == pytest.approx(reference, abs=1.01e-10)
        assert result.pvalue_error < 1e-9 * result.pvalue
        assert "closed form" in result.null
        assert not any("imprecise" in text for text in result.warnings)


@pytest.mark.parametrize(("mu", "reference"), [(0.1, 0.0905998320), (0.5, 0.0254177032), (1.0, 0.0237313886)])
def test_published_p_values_under_gaussian_noise(mu, reference):
    result = independence(TABLE, noise=Gaussian(np.sqrt(2) / mu), n=1000)
    assert result.pvalue == pytest.approx(reference, abs=1.01e-10)


@pytest.mark.parametrize(
    ("law", "references"),
    [
        (Gaussian(np.sqrt(2) / 0.5), (0.080541, 0.076843, 0.077582)),
        (Laplace(4.0), (0.167462, 0.160854, 0.162478)),
    ],
)
def test_a_skewed_table_tells_the_joint_laws_apart(law, references):
    rows, columns = np.array([0.1, 0.9]), np.array([0.2, 0.8])
    noises = (law.on((2, 2)), JointNoise(law, (2, 2), centred=True), JointNoise(law, (2, 2), total=5, centred=True))
    for noise, reference in zip(noises, references, strict=True):
        scaling = 1 / np.sqrt(1000 * np.outer(rows, columns).ravel())
        limit = LimitLaw(TwoWay(np.sqrt(rows), np.sqrt(columns)), scaling, (noise,))
        assert ClosedForm().tail(NullProblem(limit), 4.0, None).pvalue == pytest.approx(reference, abs=6e-7)


@pytest.mark.parametrize(
    ("epsilon", "estimated", "projected"),
    [
        (0.2, (0.422886, 0.220133, 0.098170), (0.412260, 0.206284, 0.084939)),
        (0.5, (0.233236, 0.062990, 0.010297), (0.225637, 0.057554, 0.008179)),
        (1.0, (0.179122, 0.034052, 0.002838), (0.176352, 0.032746, 0.002587)),
    ],
)
def test_two_cells(epsilon, estimated, projected):
    theta, law = np.array([0.3, 0.7]), Laplace(2 / epsilon)
    cases = [(law.on((2,)), False, estimated), (JointNoise(law, (2,), centred=True), True, projected)]
    for noise, public, references in cases:
        limit = LimitLaw(OneWay(np.sqrt(theta), public), 1 / np.sqrt(200 * theta), (noise,))
        for t, reference in zip((2.0, 5.0, 10.0), references, strict=True):
            assert ClosedForm().tail(NullProblem(limit), t, None).pvalue == pytest.approx(reference, abs=6e-7)


def test_a_public_total_that_the_noise_moves_has_none():
    for test in (
        lambda null: goodness_of_fit([70.0, 130.0], [0.3, 0.7], noise=Laplace(4.0), n=200, null=null, rng=1),
        lambda null: homogeneity([40.0, 60.0], [70.0, 50.0], noise=Laplace(2.0), n=[100, 120], null=null, rng=1),
    ):
        with pytest.raises(NotAvailable, match="public total"):
            test("closed-form")
        assert "conditional" in test("auto").null


def test_more_degrees_of_freedom_need_gaussian_noise():
    table = np.full((3, 3), 50.0)
    with pytest.raises(NotAvailable, match="4 degrees of freedom"):
        independence(table, noise=Laplace(2.0), n=450, null="closed-form")
    assert (
        independence(table, noise=Laplace(2.0), n=450, rng=1).null
        == independence(table, noise=Laplace(2.0), n=450, null="conditional", rng=1).null
    )
    assert "closed form" in independence(table, noise=Gaussian(2.0), n=450).null


def test_far_tails_do_not_warn_of_imprecision():
    for noise in (Laplace(20.0), Gaussian(28.0), DiscreteLaplace(20.0)):
        result = independence([[450.0, 50.0], [50.0, 450.0]], noise=noise, n=1000)
        assert 0 < result.pvalue < 1e-12
        assert not any("imprecise" in text for text in result.warnings)


def random_problem(rng):
    """A test with a closed form: margins of every kind, one or several noises, estimated or projected totals."""
    kind = int(rng.integers(4))
    if kind == 0:
        rows, columns = rng.dirichlet(np.full(rng.integers(2, 5), 5.0)), rng.dirichlet(np.full(rng.integers(2, 5), 5.0))
        shape = (rows.size, columns.size)
        noise = JointNoise(Gaussian(rng.uniform(2, 15)), shape, centred=bool(rng.integers(2)))
        scaling = 1 / np.sqrt(800 * np.outer(rows, columns).ravel())
        return LimitLaw(TwoWay(np.sqrt(rows), np.sqrt(columns)), scaling, (noise,))
    if kind == 1:
        theta = rng.dirichlet(np.full(5, 4.0))
        noise = Gaussian(rng.uniform(2, 15)).on((5,))
        return LimitLaw(OneWay(np.sqrt(theta), bool(rng.integers(2))), 1 / np.sqrt(500 * theta), (noise,))
    laws = [Laplace(4.0), DiscreteLaplace(4.0), DiscreteGaussian(3.0)]
    rows, columns = rng.dirichlet([5.0, 5.0]), rng.dirichlet([5.0, 5.0])
    scaling = 1 / np.sqrt(800 * np.outer(rows, columns).ravel())
    first = laws[rng.integers(3)]
    noises = (
        (JointNoise(first, (2, 2), draws_per_cell=int(rng.integers(1, 4)), centred=bool(rng.integers(2))),)
        if kind == 2
        else (first.on((2,)), laws[rng.integers(3)].on((2,)))
    )
    return LimitLaw(TwoWay(np.sqrt(rows), np.sqrt(columns)), scaling, noises)


@pytest.mark.parametrize("seed", range(24))
def test_it_is_the_conditional_average_without_its_error(seed):
    rng = np.random.default_rng(seed)
    law = random_problem(rng)
    t = law.mean * rng.uniform(0.3, 2.5)
    closed = ClosedForm().tail(NullProblem(law), t, None)
    average = Conditional(points=4096).tail(NullProblem(law), t, seed)
    assert abs(closed.pvalue - average.pvalue) < 6 * average.error + 1e-9


def test_names_and_objects():
    assert isinstance(find_null("closed-form"), ClosedForm)
    assert isinstance(find_null("conditional"), Conditional)
    with pytest.raises(InvalidInput, match="'auto', 'closed-form', 'conditional'"):
        find_null("exact")


def test_a_projected_release_and_noise_near_zero():
    result = independence(np.array(TABLE) - np.mean(TABLE) + 250, noise=ProjectedGaussian(1e-6), n=1000)
    assert result.pvalue == pytest.approx(stats.chi2.sf(result.statistic, 1), rel=1e-6)
    for law in (Laplace(1e-6), DiscreteLaplace(0.01)):
        result = independence(TABLE, noise=law)
        assert result.pvalue == pytest.approx(stats.chi2.sf(result.statistic, 1), rel=1e-6)
