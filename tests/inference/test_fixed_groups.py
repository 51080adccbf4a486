"""Tests on a table by a fixed column, whose noise falls apart into one block a group.

Weights and probabilities are those of a separate derivation (eigenvalues; contour integrals). Sampled tails are compared
within 4 of their own standard errors at 65,536 points and a fixed seed.
"""

import numpy as np
import pytest

from discreet import Schema
from discreet.errors import InvalidInput, NotApplicable
from discreet.inference import Conditional, MonteCarlo, goodness_of_fit, homogeneity, independence
from discreet.inference.law import LimitLaw, TwoWay
from discreet.inference.null.problem import NullProblem
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian
from discreet.release import TableRelease

PRECISE = Conditional(points=65536, rng=20261130)
FAST = Conditional(points=256)


def weights(law):
    """The eigenvalues of Pi (I + H Cov(V) H) Pi + K H Cov(V) H K, written out."""
    cells = np.eye(law.scaling.size)
    cov = law.noises[0].covariance * np.outer(law.scaling, law.scaling)
    pi, k = law.geometry.residual(cells), law.geometry.fixed_totals(cells)
    k = k.reshape(len(cells), -1)
    both = np.concatenate([pi @ (np.eye(len(cells)) + cov) @ pi, pi @ cov @ k], 1)
    lower = np.concatenate([k.T @ cov @ pi, k.T @ cov @ k], 1)
    values = np.linalg.eigvalsh(np.concatenate([both, lower]))[::-1]
    return values[values > 1e-9]


def agrees(law, expected, tails):
    np.testing.assert_allclose(weights(law), expected, atol=6e-7)
    assert law.mean == pytest.approx(sum(expected), abs=4e-6)
    for t, reference in tails:
        tail = PRECISE.tail(NullProblem(law), t, 3)
        assert abs(tail.pvalue - reference) <= 4 * tail.error + 6e-7
        assert tail.error < 0.002


@pytest.mark.parametrize(
    ("draws", "expected", "p6", "p12"),
    [(2, (4.506200, 3.146578), 0.453115, 0.207370), (3, (4.552949, 3.175199), 0.456578, 0.210529)],
)
@pytest.mark.parametrize("group_axis", [0, 1])
def test_independence_with_fixed_rows(draws, expected, p6, p12, group_axis):
    """The groups in the rows, and the same table transposed."""
    a, b = np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.6])
    rows, columns = (a, b) if group_axis == 0 else (b, a)
    shape = (rows.size, columns.size)
    noise = JointNoise(Gaussian(np.sqrt(0.37 * 1000)), shape, total=draws, centred=True, group_axis=group_axis)
    scaling = 1 / np.sqrt(1000 * np.outer(rows, columns).ravel())
    law = LimitLaw(TwoWay(np.sqrt(rows), np.sqrt(columns)), scaling, (noise,))
    agrees(law, expected, [(6, p6), (12, p12)])


@pytest.mark.parametrize(
    ("draws", "public", "expected", "p10", "p16"),
    [
        (4, True, (1.616015, 1.377139, 1.312647, 1.208483, 1.191410, 1.127638), 0.263880, 0.057493),
        (5, False, (1.628210, 1.384605, 1.316495, 1.210029, 1.193766, 1.128585), 0.266059, 0.058446),
    ],
)
def test_homogeneity_of_fixed_groups(draws, public, expected, p10, p16):
    theta, sizes = np.array([0.1, 0.2, 0.3, 0.4]), np.array([400, 600, 1000])
    noise = JointNoise(Gaussian(np.sqrt(32)), (3, 4), total=draws, centred=True, group_axis=0)
    geometry = TwoWay(np.sqrt(sizes / 2000), np.sqrt(theta), public=public)
    law = LimitLaw(geometry, 1 / np.sqrt(np.outer(sizes, theta).ravel()), (noise,))
    agrees(law, expected, [(10, p10), (16, p16)])


def by_group(complete, mechanism="ProjectedGaussian", sizes=(400, 600, 1000), columns=("g", "x")):
    """A release of 3 groups by 3 categories with little noise; with strays one more group and an other cell in each."""
    schema = Schema({"g": ["a", "b", "c"], "x": [0, 1, 2]}, fixed="g", complete=complete)
    rng = np.random.default_rng(4)
    shares = [0.2, 0.3, 0.5] if complete else [0.2, 0.3, 0.4, 0.1]
    sizes = sizes if complete else (*sizes, 50)
    counts = np.array([rng.multinomial(n, shares) for n in sizes]) + rng.normal(0, 4, (len(sizes), len(shares))).round()
    cells = [*counts[:3, :3].ravel(), *counts[3:, :3].ravel(), *(counts[:, 3] if not complete else [])]
    table = TableRelease(
        schema, ("g", "x"), tuple(map(int, cells)), 0, mechanism, 4.0, n=sum(sizes), group_sizes=tuple(sizes)
    )
    return table.margin(columns)


@pytest.mark.parametrize("mechanism", ["ProjectedGaussian", "Laplace"])
def test_a_complete_release_knows_the_sizes_of_its_groups(mechanism):
    table, transposed = (by_group(True, mechanism, columns=c) for c in (("g", "x"), ("x", "g")))
    result = homogeneity(table, null=PRECISE)
    law = {"ProjectedGaussian": ProjectedGaussian, "Laplace": Laplace}[mechanism](4.0).on((3, 3), group_axis=0)
    bare = homogeneity(table.counts, noise=law, n=[400, 600, 1000], null=PRECISE)
    assert (result.statistic, result.pvalue, result.n) == (bare.statistic, bare.pvalue, 2000)
    assert result.n_is_public
    assert homogeneity(transposed, null=PRECISE).pvalue == result.pvalue
    independent = independence(table, null=PRECISE)
    if mechanism == "ProjectedGaussian":  # then the noisy rows add up to their sizes
        assert independent.statistic == pytest.approx(result.statistic, rel=1e-12)
        assert independent.pvalue == pytest.approx(result.pvalue, rel=1e-12)
    else:
        assert independent.statistic != pytest.approx(result.statistic, rel=1e-6)
    for null in ("monte-carlo", "bootstrap"):
        other = homogeneity(table, null=null, rng=1)
        assert abs(other.pvalue - result.pvalue) < 6 * other.pvalue_error + 0.01


def test_a_release_with_other_cells_estimates_the_sizes():
    table = by_group(False)
    result = homogeneity(table, null=PRECISE)
    law = ProjectedGaussian(4.0).on((3, 3), other=True, group_axis=0)
    bare = independence(table.counts, noise=law, null=PRECISE)
    assert (result.statistic, result.pvalue) == pytest.approx((bare.statistic, bare.pvalue), rel=1e-12)
    assert not result.n_is_public
    assert result.n == pytest.approx(table.counts.sum())
    # the law of one projection of the whole table would be another one
    wrong = independence(table.counts, noise=ProjectedGaussian(4.0).on((3, 3), other=True), null=PRECISE)
    assert wrong.pvalue != pytest.approx(result.pvalue, rel=1e-4)


def test_goodness_of_fit_of_a_margin_over_the_groups():
    result = goodness_of_fit(by_group(True, columns=("x",)), [0.2, 0.3, 0.5], null=PRECISE)
    assert result.n_is_public
    assert 0 < result.pvalue < 1
    assert not goodness_of_fit(by_group(False, columns=("x",)), [0.2, 0.3, 0.5]).n_is_public


def test_what_is_refused():
    with pytest.raises(NotApplicable, match="'b' has no records"):
        homogeneity(by_group(True, sizes=(400, 0, 1000)))
    with pytest.raises(InvalidInput, match="at least two rows"):
        homogeneity(by_group(True).margin("g"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "other"), [(ProjectedGaussian(np.sqrt(2) / 0.1), True), (Laplace(10.0), False)], ids=str
)
def test_homogeneity_of_a_release_by_group_keeps_its_level(law, other):
    """mu = .1 and epsilon = .2, skewed cells, groups of 1,000 and 2,000, a fifth of the records strays.

    12,000 tables: .05 -+ 5.5 standard errors is .039 ... .061.
    """
    sizes, theta = (1000, 2000), np.array([0.15, 0.25, 0.6]) * (1 - 0.2 * other)
    noise = law.on((2, 3), other=other, group_axis=0)
    rng = np.random.default_rng(31)
    rejected, naive = [], []
    for _ in range(12_000):
        counts = np.array([rng.multinomial(n, [*theta, max(0.0, 1 - theta.sum())])[:3] for n in sizes])
        noisy = counts + noise.sample(1, rng)[0]
        result = homogeneity(noisy, noise=noise, n=None if other else sizes, null=FAST, rng=rng)
        rejected.append(result.pvalue <= 0.05)
        naive.append(result.naive_pvalue <= 0.05)
    assert 0.039 < np.mean(rejected) < 0.061
    assert np.mean(naive) > 0.09


@pytest.mark.slow
def test_reference_points_of_a_release_by_group_are_draws_of_its_limit_law():
    table = by_group(False)
    precise = homogeneity(table, null=PRECISE)
    counted = homogeneity(table, null=MonteCarlo(points=200_000), rng=5)
    assert abs(counted.pvalue - precise.pvalue) < 5.5 * counted.pvalue_error
