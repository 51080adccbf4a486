"""The numbers of separate derivations: quadrature, contour integrals and simulations that are not this package's code.

Sampled values are compared within 4 of their own reported standard errors at 65,536 points and a fixed seed, so each
test is deterministic; the last digits of a reference printed to four places are allowed for.
"""

import numpy as np
import pytest

from discreet.inference import Conditional, goodness_of_fit, homogeneity, independence
from discreet.inference.law import LimitLaw, OneWay, TwoWay
from discreet.inference.null.problem import NullProblem
from discreet.inference.statistic.cellwise import likelihood_ratio, pearson
from discreet.noise import Gaussian, JointNoise, Laplace, ProjectedGaussian

BALANCED = [[230.5, 271.25], [268, 236.75]]
PRECISE = Conditional(points=65536, rng=20261130)


def near(result_p, error, reference, digits=10):
    assert abs(result_p - reference) <= 4 * error + 0.5 * 10.0**-digits, (result_p, error, reference)
    assert error < 0.02 * reference


@pytest.mark.parametrize(
    ("epsilon", "chi2", "lr"),
    [
        (0.1, 0.2542161522, 0.2540213770),
        (0.2, 0.0902309655, 0.0900972928),
        (0.5, 0.0326404344, 0.0325661256),
        (1.0, 0.0254263942, 0.0253635005),
    ],
)
def test_balanced_table_under_laplace_noise(epsilon, chi2, lr):
    for statistic, reference in (("chi2", chi2), ("lr", lr)):
        result = independence(BALANCED, statistic=statistic, noise=Laplace(2 / epsilon), n=1000, null=PRECISE)
        near(result.pvalue, result.pvalue_error, reference)
    assert result.df == 1


def test_balanced_table_statistics_and_naive_claims():
    chi2 = independence(BALANCED, noise=Laplace(4), n=1000, rng=1)
    lr = independence(BALANCED, noise=Laplace(4), n=1000, rng=1, statistic="lr")
    assert chi2.statistic == pytest.approx(5.1550786203, abs=1e-10)
    assert lr.statistic == pytest.approx(5.1595038568, abs=1e-10)
    assert chi2.naive_pvalue == pytest.approx(0.0231784862, abs=1e-10)
    assert lr.naive_pvalue == pytest.approx(0.0231195009, abs=1e-10)


@pytest.mark.parametrize(("mu", "reference"), [(0.1, 0.0905998320), (0.5, 0.0254177032), (1.0, 0.0237313886)])
def test_balanced_table_under_gaussian_noise(mu, reference):
    result = independence(BALANCED, noise=Gaussian(np.sqrt(2) / mu), n=1000, null=PRECISE)
    near(result.pvalue, result.pvalue_error, reference)


def two_by_two(noise, n=1000, rows=(0.1, 0.9), columns=(0.2, 0.8)):
    rows, columns = np.array(rows), np.array(columns)
    scaling = 1 / np.sqrt(n * np.outer(rows, columns).ravel())
    return LimitLaw(TwoWay(np.sqrt(rows), np.sqrt(columns)), scaling, (noise,))


@pytest.mark.parametrize(
    ("law", "independent", "projected", "with_other"),
    [
        (Gaussian(np.sqrt(2) / 0.5), 0.080541, 0.076843, 0.077582),
        (Laplace(4.0), 0.167462, 0.160854, 0.162478),
    ],
)
def test_skewed_table_tells_the_joint_laws_apart(law, independent, projected, with_other):
    variants = {
        independent: law.on((2, 2)),
        projected: JointNoise(law, (2, 2), total=4, centred=True),
        with_other: JointNoise(law, (2, 2), total=5, centred=True),
    }
    for reference, noise in variants.items():
        tail = PRECISE.tail(NullProblem(two_by_two(noise)), 4.0, 3)
        near(tail.pvalue, tail.error, reference, digits=6)
        others = [r for r in variants if r != reference]
        assert all(abs(tail.pvalue - r) > 8 * tail.error for r in others)


ROWS, COLUMNS = np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.6])
THETA = np.array([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize(
    ("total", "centred", "weights", "p6", "p12"),
    [
        (6, False, (4.646448, 3.232441), 0.463390, 0.216805),
        (6, True, (4.638333, 3.226852), 0.462774, 0.216236),
        (7, True, (4.639489, 3.227654), 0.462862, 0.216317),
    ],
)
def test_independence_under_gaussian_noise(total, centred, weights, p6, p12):
    noise = JointNoise(Gaussian(np.sqrt(0.37 * 1000)), (3, 2), total=total, centred=centred)
    law = two_by_two(noise, rows=ROWS, columns=COLUMNS)
    assert law.mean == pytest.approx(sum(weights), abs=2e-6)
    for t, reference in ((6, p6), (12, p12)):
        tail = PRECISE.tail(NullProblem(law), t, 3)
        near(tail.pvalue, tail.error, reference, digits=6)


@pytest.mark.parametrize(
    ("total", "centred", "public", "weights", "p5", "p10"),
    [
        (4, False, True, (4.926266, 2.896449, 2.216131, 1.294488), 0.753539, 0.451282),
        (4, True, True, (4.385754, 2.718377, 2.145869), 0.643135, 0.348252),
        (4, False, False, (4.740584, 2.813287, 2.179462), 0.659512, 0.369606),
        (5, True, False, (4.452778, 2.739524, 2.154365), 0.646592, 0.352662),
    ],
)
def test_goodness_of_fit_under_gaussian_noise(total, centred, public, weights, p5, p10):
    noise = JointNoise(Gaussian(np.sqrt(0.4 * 500)), (4,), total=total, centred=centred)
    law = LimitLaw(OneWay(np.sqrt(THETA), public), 1 / np.sqrt(500 * THETA), (noise,))
    assert law.mean == pytest.approx(sum(weights), abs=3e-6)
    for t, reference in ((5, p5), (10, p10)):
        tail = PRECISE.tail(NullProblem(law), t, 3)
        near(tail.pvalue, tail.error, reference, digits=6)


@pytest.mark.parametrize(
    ("centred", "other", "public", "weights", "p10", "p16"),
    [
        (
            False,
            0,
            True,
            (1.694954, 1.422724, 1.333880, 1.215891, 1.203518, 1.131867, 0.271469, 0.170140),
            0.306174,
            0.071633,
        ),
        (True, 0, True, (1.616015, 1.377139, 1.312647, 1.208483, 1.191410, 1.127638), 0.263880, 0.057493),
        (False, 0, False, (1.680574, 1.416664, 1.329915, 1.214595, 1.201982, 1.131380), 0.274738, 0.062350),
        (True, 1, False, (1.628210, 1.384605, 1.316495, 1.210029, 1.193766, 1.128585), 0.266059, 0.058446),
    ],
)
def test_homogeneity_under_gaussian_noise(centred, other, public, weights, p10, p16):
    sizes = np.array([400.0, 600.0, 1000.0])
    noise = JointNoise(Gaussian(np.sqrt(32)), (4,), total=4 + other, centred=centred)
    law = LimitLaw(
        TwoWay(np.sqrt(sizes / 2000), np.sqrt(THETA), public), 1 / np.sqrt(np.outer(sizes, THETA).ravel()), (noise,) * 3
    )
    assert law.mean == pytest.approx(sum(weights), abs=5e-6)
    for t, reference in ((10, p10), (16, p16)):
        tail = PRECISE.tail(NullProblem(law), t, 3)
        near(tail.pvalue, tail.error, reference, digits=6)


def test_homogeneity_of_one_projected_release():
    sizes = np.array([400.0, 600.0, 1000.0])
    noise = JointNoise(Gaussian(np.sqrt(32)), (3, 4), total=12, centred=True)
    law = LimitLaw(
        TwoWay(np.sqrt(sizes / 2000), np.sqrt(THETA), True), 1 / np.sqrt(np.outer(sizes, THETA).ravel()), (noise,)
    )
    weights = (1.689293, 1.419211, 1.332563, 1.215530, 1.202723, 1.131638, 0.258404, 0.158046)
    assert law.mean == pytest.approx(sum(weights), abs=5e-6)
    for t, reference in ((10, 0.303467), (16, 0.070658)):
        tail = PRECISE.tail(NullProblem(law), t, 3)
        near(tail.pvalue, tail.error, reference, digits=6)


TWO_CELLS = {
    # epsilon: p at t = 2, 5, 10 for (public n, independent), (estimated total), (projected, public n)
    0.2: [(0.59614973, 0.33663722, 0.16195003), (0.422886, 0.220133, 0.098170), (0.412260, 0.206284, 0.084939)],
    0.5: [(0.28436223, 0.07832970, 0.01389435), (0.233236, 0.062990, 0.010297), (0.225637, 0.057554, 0.008179)],
    1.0: [(0.18946880, 0.03606713, 0.00306228), (0.179122, 0.034052, 0.002838), (0.176352, 0.032746, 0.002587)],
}


@pytest.mark.parametrize("epsilon", TWO_CELLS)
def test_goodness_of_fit_of_two_cells_under_laplace_noise(epsilon):
    theta = np.array([0.3, 0.7])
    draw = Laplace(2 / epsilon)
    laws = [
        (True, draw.on((2,))),
        (False, draw.on((2,))),
        (True, JointNoise(draw, (2,), total=2, centred=True)),
    ]
    for (public, noise), references in zip(laws, TWO_CELLS[epsilon], strict=True):
        law = LimitLaw(OneWay(np.sqrt(theta), public), 1 / np.sqrt(200 * theta), (noise,))
        for t, reference in zip((2, 5, 10), references, strict=True):
            tail = PRECISE.tail(NullProblem(law), t, 3)
            near(tail.pvalue, tail.error, reference, digits=6)


@pytest.mark.parametrize(
    ("centred", "public", "p5", "p10"), [(False, False, 0.6004, 0.3281), (True, True, 0.5934, 0.3172)]
)
def test_goodness_of_fit_of_four_cells_under_laplace_noise(centred, public, p5, p10):
    # The references are simulations with an error of .0005.
    noise = JointNoise(Laplace(np.sqrt(0.4 * 500 / 2)), (4,), total=4, centred=centred)
    law = LimitLaw(OneWay(np.sqrt(THETA), public), 1 / np.sqrt(500 * THETA), (noise,))
    for t, reference in ((5, p5), (10, p10)):
        tail = PRECISE.tail(NullProblem(law), t, 3)
        assert abs(tail.pvalue - reference) < 4 * np.hypot(tail.error, 0.0005)


@pytest.mark.parametrize(
    ("law", "tails"),
    [
        (
            LimitLaw(OneWay(np.sqrt(THETA), True), 1 / np.sqrt(500 * THETA), (Laplace(10).on((4,)),)),
            {8: 0.4893, 15: 0.2333},
        ),
        (two_by_two(Laplace(10).on((3, 2)), rows=ROWS, columns=COLUMNS), {6: 0.2964, 12: 0.1014}),
        (
            LimitLaw(
                TwoWay(np.sqrt([4 / 11, 7 / 11]), np.sqrt([0.25, 0.25, 0.5]), True),
                1 / np.sqrt(np.outer([400, 700], [0.25, 0.25, 0.5]).ravel()),
                (Laplace(10).on((3,)), Laplace(10).on((3,))),
            ),
            {6: 0.3672, 12: 0.1306},
        ),
    ],
    ids=["goodness of fit", "independence", "homogeneity"],
)
def test_laws_of_the_three_tests_under_laplace_noise(law, tails):
    means = {4: 11.3333333, 6: 5.1777778, 3: 6.2207792}
    assert min(abs(law.mean - mean) for mean in means.values()) < 1e-6
    for t, reference in tails.items():  # simulated to .001
        tail = PRECISE.tail(NullProblem(law), t, 3)
        assert abs(tail.pvalue - reference) < 0.003


def test_statistics_of_a_table_that_does_not_add_up():
    table, expected = np.array([52.3, 39.1, 61.8, 45.2]), np.full(4, 50.0)
    assert pearson(table, expected) == pytest.approx(5.7276, abs=1e-10)
    assert likelihood_ratio(table, expected) == pytest.approx(5.7395012767, abs=1e-9)


def test_sample_proportions_example():
    samples = [41.7, 60.2, 96.4], [90.1, 101.3, 110.9]
    chi2 = homogeneity(*samples, noise=Laplace(2), n=[200, 300], rng=1)
    lr = homogeneity(*samples, noise=Laplace(2), n=[200, 300], rng=1, statistic="lr")
    assert chi2.statistic == pytest.approx(7.9909704019, abs=1e-9)
    assert lr.statistic == pytest.approx(8.0539294570, abs=1e-9)
    assert chi2.naive_pvalue == pytest.approx(0.0183985173, abs=1e-9)


def test_one_release_given_as_a_projected_law():
    skewed = [[25.0, 75.5], [175.25, 724.25]]
    independent = independence(skewed, noise=Gaussian(2.83), n=1000, null=PRECISE).pvalue
    projected = independence(skewed, noise=ProjectedGaussian(2.83), n=1000, null=PRECISE).pvalue
    assert projected < independent


def test_goodness_of_fit_reference_through_the_public_function():
    # Laplace b = 4 at theta = (.3, .7), n = 200: choose cells whose statistic is exactly 5.
    shift = np.sqrt(5 * 200 * 0.3 * 0.7)
    result = goodness_of_fit([60 + shift, 140 - shift], [0.3, 0.7], noise=Laplace(4), n=200, null=PRECISE)
    assert result.statistic == pytest.approx(5.0)
    near(result.pvalue, result.pvalue_error, 0.07832970, digits=8)
