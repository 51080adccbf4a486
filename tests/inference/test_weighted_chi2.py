"""Weighted sums of chi-squared variables against closed forms and series of positive terms in many digits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.errors import InvalidInput
from discreet.inference import weighted_chi2_sf

DEPTHS = (0.999, 0.9, 0.5, 0.1, 5e-2, 1e-3, 1e-6, 1e-12, 1e-30, 1e-100, 1e-290)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 40, 1000])
def test_equal_weights_are_one_chi_squared(k):
    t = stats.chi2.isf(DEPTHS, k)
    np.testing.assert_allclose(weighted_chi2_sf(2.5 * t, np.full(k, 2.5)), stats.chi2.sf(t, k), rtol=1e-10)
    # The same by the integral, which weights that are all but equal need.
    nearly = np.full(k + 1, 2.5)
    nearly[0] = 2.5e-14
    np.testing.assert_allclose(weighted_chi2_sf(2.5 * t, nearly), stats.chi2.sf(t, k), rtol=2e-9 if k > 900 else 1e-10)


def test_one_weight_is_two_normal_tails():
    x = np.array([0.1, 1.0, 7.0, 20.0, 36.0])
    np.testing.assert_allclose(weighted_chi2_sf(3 * x**2, [3.0]), 2 * stats.norm.sf(x), rtol=1e-12)
    shifted = stats.norm.sf(x - 1.5) + stats.norm.sf(x + 1.5)
    np.testing.assert_allclose(weighted_chi2_sf(3 * x**2, [3.0], [2.25]), shifted, rtol=1e-10)


def in_pairs(t, pairs):
    """Every weight twice: a sum of exponential variables, P = sum_j e^(-t/2a_j) prod_k a_j/(a_j - a_k)."""
    total = mp.mpf(0)
    for j, a in enumerate(pairs):
        term = mp.e ** (-mp.mpf(t) / (2 * a))
        for k, b in enumerate(pairs):
            term *= 1 if k == j else mp.mpf(a) / (mp.mpf(a) - mp.mpf(b))
        total += term
    return total


@pytest.mark.parametrize("pairs", [(1.0, 0.9), (3.0, 1.0, 0.25), (5.0, 1e-3), (2.0, 1.75, 1.5, 1.25, 1.0, 0.5, 0.125)])
@pytest.mark.parametrize("t", [0.01, 1.0, 6.0, 30.0, 200.0, 1300.0, 2600.0])
def test_pairs_of_weights_by_partial_fractions(pairs, t):
    with mp.workdps(60):
        reference = in_pairs(t, pairs)
        computed = weighted_chi2_sf(t, pairs * 2)
        in_range = reference > 1e-300
        assert (abs(computed / reference - 1) < 1e-10) if in_range else (computed < 1e-300)


def ruben(t, weights, shifts, terms):
    """Ruben's (1962) series in central chi-squared tails, all terms positive, and what is left out."""
    w, d = [mp.mpf(x) for x in weights], [mp.mpf(x) for x in shifts]
    beta, n = min(w), len(w)
    q = [1 - beta / x for x in w]
    g = [
        sum(qi**r + r * beta * di / wi * qi ** (r - 1) for qi, di, wi in zip(q, d, w, strict=True))
        for r in range(1, terms)
    ]
    a = [mp.e ** (-sum(d) / 2) * mp.sqrt(mp.fprod(beta / x for x in w))]
    for k in range(1, terms):
        a.append(sum(g[k - r - 1] * a[r] for r in range(k)) / (2 * k))
    y = mp.mpf(t) / (2 * beta)
    c = mp.mpf(n) / 2
    tail, step = mp.gammainc(c, y, regularized=True), y**c * mp.e**-y / mp.gamma(c + 1)
    total = mp.mpf(0)
    for k in range(terms):
        total += a[k] * tail
        tail += step
        step *= y / (c + k + 1)
    return total, 1 - sum(a)


@pytest.mark.parametrize(
    ("weights", "shifts"),
    [
        ((4.926266, 2.896449, 2.216131, 1.294488), (0, 0, 0, 0)),
        ((1.0, 0.8, 0.5), (2.0, 0.0, 7.5)),
        ((2.0, 1.2, 1.1, 1.0, 0.7), (0.5, 12.0, 0.0, 3.0, 1.0)),
    ],
)
@pytest.mark.parametrize("deviations", [-1.2, 0.3, 3.0, 9.0, 22.0])
def test_by_rubens_series(weights, shifts, deviations):
    w, d = np.array(weights), np.array(shifts, float)
    t = max(0.3, float((w * (1 + d)).sum() + deviations * np.sqrt(2 * (w**2 * (1 + 2 * d)).sum())))
    with mp.workdps(40):
        reference, left_out = ruben(t, weights, shifts, 450)
        assert left_out < 1e-12 * reference
        assert float(weighted_chi2_sf(t, w, d) / reference - 1) == pytest.approx(0, abs=1e-10)


def test_a_tail_of_1e_12_to_nine_digits():
    weights, shifts, t = (1.0, 0.8, 0.5), (2.0, 0.0, 7.5), 75.0
    with mp.workdps(40):
        reference, _ = ruben(t, weights, shifts, 400)
        assert 1e-13 < reference < 1e-11
        assert float(weighted_chi2_sf(t, weights, shifts) / reference - 1) == pytest.approx(0, abs=1e-10)


def test_many_at_once_are_each_alone():
    rng = np.random.default_rng(4)
    weights, shifts = rng.exponential(1.0, (3, 50, 4)), rng.exponential(2.0, (3, 50, 4))
    weights[0, :, 2:], t = 0.0, rng.exponential(20.0, (3, 50))
    together = weighted_chi2_sf(t, weights, shifts)
    alone = [[float(weighted_chi2_sf(t[i, j], weights[i, j], shifts[i, j])) for j in range(50)] for i in range(3)]
    np.testing.assert_allclose(together, alone, rtol=1e-12)
    padded = weighted_chi2_sf(t[0], weights[0, :, :2], shifts[0, :, :2])
    np.testing.assert_allclose(together[0], padded, rtol=1e-12)
    assert weighted_chi2_sf(t[:, :1], weights[0, :1]).shape == (3, 1)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.floats(1e-8, 1e8), min_size=1, max_size=6),
    st.lists(st.floats(0, 1e3), min_size=6, max_size=6),
    st.floats(1e-12, 1e12),
)
def test_a_tail_is_a_probability_that_falls_and_scales(weights, shifts, t):
    w, d = np.array(weights), np.array(shifts[: len(weights)])
    p = weighted_chi2_sf([t, 1.01 * t, 1.1 * t], w, d)
    assert ((p >= 0) & (p <= 1)).all()
    assert (np.diff(p) <= 1e-10 * p[:-1]).all()
    np.testing.assert_allclose(weighted_chi2_sf(8 * t, 8 * w, d), p[0], rtol=1e-10)
    np.testing.assert_allclose(weighted_chi2_sf(t, w[::-1], d[::-1]), p[0], rtol=1e-10)


def test_the_ends():
    assert weighted_chi2_sf([-1.0, 0.0, -np.inf, np.inf, 1e-300, 1e300], [1.0, 0.5]).tolist() == [1, 1, 1, 0, 1, 0]
    assert weighted_chi2_sf([0.0, 1e-9, 4.0], [0.0, 0.0]).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.nan, [1.0]), "NaN"),
        ((1.0, [1.0, -1.0]), "at least 0"),
        ((1.0, [1.0, np.inf]), "finite"),
        ((1.0, 2.0), "last axis"),
        ((1.0, []), "last axis"),
        (([1.0, 2.0], [[1.0], [1.0], [1.0]]), "does not fit"),
        ((1.0, [1.0, 2.0], [-1.0, 0.0]), "noncentralities"),
        ((1.0, [1.0, 2.0], [1.0, 0.0, 3.0]), "do not fit"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        weighted_chi2_sf(*arguments)
