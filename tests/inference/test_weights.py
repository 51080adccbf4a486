"""Weights of the limit law under Gaussian noise: published numbers, short cuts against the dense problem, means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from discreet.errors import NotAvailable
from discreet.inference import ClosedForm
from discreet.inference.law import LimitLaw, OneWay, TwoWay
from discreet.inference.null.problem import NullProblem
from discreet.inference.null.weights import MOST_CELLS, _by_product, _dense, chi2_weights
from discreet.noise import Gaussian, JointNoise, Laplace

THETA = np.array([0.1, 0.2, 0.3, 0.4])
ROWS, COLUMNS = np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.6])
SIZES = np.array([400.0, 600.0, 1000.0])


def one_way(noise, public):
    return LimitLaw(OneWay(np.sqrt(THETA), public), 1 / np.sqrt(500 * THETA), (noise,))


def two_way(noises, rows=ROWS, columns=COLUMNS, n=1000.0):
    scaling = 1 / np.sqrt(n * np.outer(rows, columns).ravel())
    return LimitLaw(TwoWay(np.sqrt(rows), np.sqrt(columns)), scaling, noises)


def samples(noises, public):
    scaling = 1 / np.sqrt(np.outer(SIZES, THETA).ravel())
    return LimitLaw(TwoWay(np.sqrt(SIZES / 2000), np.sqrt(THETA), public), scaling, noises)


def check(law, weights, tails):
    """Weights to six decimals, and tails, printed to six, to within two units of the last one."""
    assert chi2_weights(law) == pytest.approx(weights, abs=6e-7)
    for t, reference in tails.items():
        tail = ClosedForm().tail(NullProblem(law), float(t), None)
        assert tail.pvalue == pytest.approx(reference, abs=2.5e-6)
        assert 0 < tail.error < 1e-9 * tail.pvalue


GOODNESS = Gaussian(np.sqrt(0.4 * 500))


@pytest.mark.parametrize(
    ("total", "centred", "public", "weights", "tails"),
    [
        (4, False, True, (4.926266, 2.896449, 2.216131, 1.294488), {5: 0.753539, 10: 0.451282}),
        (4, True, True, (4.385754, 2.718377, 2.145869), {5: 0.643135, 10: 0.348252}),
        (4, False, False, (4.740584, 2.813287, 2.179462), {5: 0.659512, 10: 0.369606}),
        (5, True, False, (4.452778, 2.739524, 2.154365), {5: 0.646592, 10: 0.352662}),
    ],
)
def test_goodness_of_fit(total, centred, public, weights, tails):
    check(one_way(JointNoise(GOODNESS, (4,), total=total, centred=centred), public), weights, tails)


INDEPENDENCE = Gaussian(np.sqrt(0.37 * 1000))
FIXED_ROWS = (JointNoise(INDEPENDENCE, (2,), centred=True),) * 3
FIXED_ROWS_WITH_OTHER = (JointNoise(INDEPENDENCE, (2,), total=3, centred=True),) * 3


@pytest.mark.parametrize(
    ("noises", "weights", "tails"),
    [
        ((INDEPENDENCE.on((3, 2)),), (4.646448, 3.232441), {6: 0.463390, 12: 0.216805}),
        ((JointNoise(INDEPENDENCE, (3, 2), centred=True),), (4.638333, 3.226852), {6: 0.462774, 12: 0.216236}),
        ((JointNoise(INDEPENDENCE, (3, 2), total=7, centred=True),), (4.639489, 3.227654), {6: 0.462862, 12: 0.216317}),
        (FIXED_ROWS, (4.506200, 3.146578), {6: 0.453115, 12: 0.207370}),
        (FIXED_ROWS_WITH_OTHER, (4.552949, 3.175199), {6: 0.456578, 12: 0.210529}),
        ((JointNoise(INDEPENDENCE, (3, 2), centred=True, group_axis=0),), (4.5062, 3.146578), {6: 0.453115}),
        ((JointNoise(INDEPENDENCE, (3, 2), total=3, centred=True, group_axis=0),), (4.552949, 3.175199), {6: 0.456578}),
    ],
)
def test_independence(noises, weights, tails):
    check(two_way(noises), weights, tails)


SAMPLE = Gaussian(np.sqrt(32))


@pytest.mark.parametrize(
    ("noises", "public", "weights", "tails"),
    [
        (
            (SAMPLE.on((4,)),) * 3,
            True,
            (1.694954, 1.422724, 1.333880, 1.215891, 1.203518, 1.131867, 0.271469, 0.170140),
            {10: 0.306174, 16: 0.071633},
        ),
        (
            (JointNoise(SAMPLE, (4,), centred=True),) * 3,
            True,
            (1.616015, 1.377139, 1.312647, 1.208483, 1.191410, 1.127638),
            {10: 0.263880, 16: 0.057493},
        ),
        (
            (SAMPLE.on((4,)),) * 3,
            False,
            (1.680574, 1.416664, 1.329915, 1.214595, 1.201982, 1.131380),
            {10: 0.274738, 16: 0.062350},
        ),
        (
            (JointNoise(SAMPLE, (4,), total=5, centred=True),) * 3,
            False,
            (1.628210, 1.384605, 1.316495, 1.210029, 1.193766, 1.128585),
            {10: 0.266059, 16: 0.058446},
        ),
        (
            (JointNoise(SAMPLE, (3, 4), centred=True),),
            True,
            (1.689293, 1.419211, 1.332563, 1.215530, 1.202723, 1.131638, 0.258404, 0.158046),
            {10: 0.303467, 16: 0.070658},
        ),
    ],
)
def test_homogeneity(noises, public, weights, tails):
    check(samples(noises, public), weights, tails)


@pytest.mark.parametrize(
    ("total", "centred", "weight"), [(4, False, 2.496032), (4, True, 2.488095), (5, True, 2.489683)]
)
def test_two_by_two(total, centred, weight):
    noise = JointNoise(Gaussian(np.sqrt(250)), (2, 2), total=total, centred=centred)
    law = two_way((noise,), np.array([0.3, 0.7]), np.array([0.6, 0.4]))
    assert chi2_weights(law) == pytest.approx([weight], abs=6e-7)


def test_the_weights_of_a_published_implementation():
    law = two_way((INDEPENDENCE.on((3, 2)),))
    assert chi2_weights(law) == pytest.approx([4.64644799, 3.2324409], abs=5e-8)


@pytest.mark.parametrize("shape", [(2, 5), (4, 3), (6, 6)])
@pytest.mark.parametrize("public", [False, True])
def test_short_cuts_are_the_dense_problem(shape, public):
    rng = np.random.default_rng(3)
    rows, columns = rng.dirichlet(np.ones(shape[0])), rng.dirichlet(np.ones(shape[1]))
    law = two_way((Gaussian(5.0).on(shape),), rows, columns)
    law = replace(law, geometry=replace(law.geometry, public=public))
    cut, whole = [], Gaussian(5.0).on(shape)
    cut.append((whole,))
    cut.append((JointNoise(Gaussian(5.0), shape, total=shape[0] * shape[1] + 1, centred=True),))
    cut.append((JointNoise(Gaussian(5.0), shape, draws_per_cell=3, centred=True, group_axis=0),))
    cut.append(tuple(Gaussian(1.0 + i).on(shape[1:]) for i in range(shape[0])))
    cut.append(tuple(JointNoise(Gaussian(1.0 + i), shape[1:], centred=True) for i in range(shape[0])))
    for noises in cut:
        given = replace(law, noises=noises)
        dense = np.linalg.eigvalsh(_dense(given))[::-1]
        weights = chi2_weights(given)
        np.testing.assert_allclose(weights, dense[: weights.size], rtol=1e-10, atol=1e-12)
        assert np.abs(dense[weights.size :]).max(initial=0.0) < 1e-11 * dense[0]
        assert weights.sum() == pytest.approx(given.mean, rel=1e-10)
        assert (_by_product(given) is None) == (
            public and len(noises) == 1 and noises[0].centred and noises[0].groups == 1
        )


def test_rows_of_unlike_structure_take_the_dense_problem():
    noises = (Gaussian(3.0).on((2,)), JointNoise(Gaussian(3.0), (2,), centred=True), Gaussian(2.0).on((2,)))
    law = two_way(noises)
    assert _by_product(law) is None
    assert chi2_weights(law).sum() == pytest.approx(law.mean, rel=1e-12)


def test_the_size_of_the_dense_problem_is_limited():
    p = MOST_CELLS + 1
    law = LimitLaw(OneWay(np.full(p, p**-0.5), False), np.full(p, 0.1), (Gaussian(1.0).on((p,)),))
    with pytest.raises(NotAvailable, match="1,001"):
        chi2_weights(law)
    rows = np.full(60, 1 / 60)
    wide = two_way((Gaussian(3.0).on((60, 60)),), rows, rows, n=1e5)
    assert chi2_weights(wide) == pytest.approx(np.full(59 * 59, 1 + 9 * 3600 / 1e5), rel=1e-12)


def test_laplace_noise_has_no_weights():
    with pytest.raises(NotAvailable, match="Gaussian"):
        chi2_weights(one_way(Laplace(2.0).on((4,)), True))
