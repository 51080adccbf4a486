"""Far tails of tables of 100 cells, where several draws share the way, and of discrete noise, as rounded continuous noise."""

import numpy as np
import pytest
from scipy import special

from discreet.inference.law import LimitLaw, OneWay, TwoWay
from discreet.inference.null import kinds as module
from discreet.inference.null.big_jump import big_jump_tail
from discreet.inference.null.kinds import Kinds
from discreet.inference.null.largest import Largest
from discreet.inference.null.length import draw_lengths
from discreet.inference.tails.noncentral import noncentral_chi2_sf
from discreet.inference.tails.saddlepoint import quick_noncentral_chi2_sf
from discreet.noise import DiscreteLaplace, JointNoise, Laplace


def even(k):
    return np.full(k, 1 / k)


def zipf(k):
    return 1 / np.arange(1, k + 1) / (1 / np.arange(1, k + 1)).sum()


def one_way(theta, n, draw):
    return LimitLaw(OneWay(np.sqrt(theta), True), 1 / np.sqrt(n * theta), (draw.on((theta.size,)),))


def two_way(rows, columns, n, draw):
    theta = np.outer(rows, columns).ravel()
    noise = draw.on((rows.size, columns.size))
    return LimitLaw(TwoWay(np.sqrt(rows), np.sqrt(columns)), 1 / np.sqrt(n * theta), (noise,))


def statistic_at(law, p):
    """A t where the tail is about p."""
    low, high = 1.0, 1e5
    for _ in range(14):
        t = np.sqrt(low * high)
        low, high = (t, high) if big_jump_tail(law, t, 256, np.random.default_rng(1))[0] > p else (low, t)
    return float(np.sqrt(low * high))


def even_cells_tail(law, t):
    """Goodness of fit with equal cells and a public n, by two integrals over characteristic functions.

    Q = sum_k (g_k + a y_k)^2 given sum_k q g_k = 0, so that, over xi and then omega (Gil-Pelaez), with s = i omega,

        E e^(sQ) = (2 pi)^(-1/2) int (E exp(s (g + a y)^2 + i xi q g))^d d xi,
        E = (1 - 2 s)^(-1/2) e^(-xi^2 q^2/(2 - 4 s)) (h(1 - e) + h(1 + e))/2,   e = 2 i xi q a c,   c = s/(1 - 2 s),
        h(k) = int_0^inf e^(-k y + c a^2 y^2) dy = sqrt(pi) erfcx(k/z)/z,   z = 2 sqrt(-c) a.
    """
    d = law.scaling.size
    a, q = law.scaling[0] * law.noises[0].law.scale, d**-0.5
    end, step = 60.0 / np.sqrt(d * (1 + a**2)), np.pi / (5 * t)
    s = 1j * (np.arange(int(end / step)) + 0.5)[:, None] * step
    xi = np.arange(-9.0, 9.01, 0.3)
    c = s / (1 - 2 * s)
    z, e = 2 * np.sqrt(-c) * a, 2j * xi * q * a * c
    h = [special.wofz(1j * k / z) for k in (1 - e, 1 + e)]
    log_cell = np.log(np.sqrt(np.pi) * (h[0] + h[1]) / (2 * z * np.sqrt(1 - 2 * s))) - (xi * q) ** 2 / (2 - 4 * s)
    phi = np.exp(d * log_cell - s * t).sum(-1) * 0.3 / np.sqrt(2 * np.pi)
    return 0.5 + (phi / s.imag[:, 0]).imag.sum() * step / np.pi


LARGE = {
    "goodness of fit, even": lambda draw: one_way(even(100), 10_000, draw),
    "goodness of fit, skew": lambda draw: one_way(zipf(100), 10_000, draw),
    "10 x 10, even": lambda draw: two_way(even(10), even(10), 10_000, draw),
    "10 x 10, skew": lambda draw: two_way(zipf(10), zipf(10), 10_000, draw),
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("draw", [Laplace(20.0), DiscreteLaplace(20.0)], ids=["continuous", "discrete"])
@pytest.mark.parametrize(
    "p", [pytest.param(1e-3, marks=pytest.mark.slow), 1e-6, pytest.param(1e-10, marks=pytest.mark.slow)]
)
def test_a_hundred_cells(name, draw, p):
    """Epsilon = 0.1. Fixed seeds; the scatter of 16 runs has a relative standard error of a fifth, hence 4 % for 3 %."""
    law = LARGE[name](draw)
    t = statistic_at(law, p)
    runs = np.array([big_jump_tail(law, t, 4096, np.random.default_rng(seed)) for seed in range(16)])
    mean = runs[:, 0].mean()
    assert runs[:, 0].std(ddof=1) < 0.04 * mean
    assert runs[:, 1].mean() < 0.04 * mean
    if name == "goodness of fit, even" and isinstance(draw, Laplace) and p >= 1e-6:
        expected = even_cells_tail(law, t)
        assert abs(mean - expected) < 5 * np.sqrt((runs[:, 1] ** 2).sum()) / 16
        assert np.sqrt(np.mean((runs[:, 0] / expected - 1) ** 2)) < 0.04


DISCRETE = {
    "5 cells": lambda draw: one_way(np.array([0.5, 0.3, 0.15, 0.04, 0.01]), 500, draw),
    "3 x 4": lambda draw: two_way(even(3), even(4), 2000, draw),
    "5 x 5": lambda draw: two_way(even(5), even(5), 2000, draw),
    "margin": lambda draw: LimitLaw(
        TwoWay(np.sqrt(even(3)), np.sqrt(even(3))),
        np.full(9, 3 / np.sqrt(2000)),
        (JointNoise(draw, (3, 3), 4, 37, True),),
    ),
}


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.parametrize("scale", [1.0, 20.0])
@pytest.mark.parametrize("p", [0.05, 1e-4, 1e-12])
def test_discrete_noise_is_rounded_noise(name, scale, p, monkeypatch):
    """Proposals on the integers are another estimator, a rougher one at large scales; 5 standard errors, fixed seeds."""
    law = DISCRETE[name](DiscreteLaplace(scale))
    t = statistic_at(law, p)
    runs = np.array([big_jump_tail(law, t, 4096, np.random.default_rng(seed)) for seed in range(12)])
    mean = runs[:, 0].mean()
    assert runs[:, 0].std(ddof=1) < 0.03 * mean
    monkeypatch.setattr(module, "_LEAST_ROUNDED", np.inf)
    other = np.array([big_jump_tail(law, t, 16384, np.random.default_rng(seed)) for seed in range(100, 104)])
    error = np.sqrt((runs[:, 1] ** 2).sum() / 144 + (other[:, 1] ** 2).sum() / 16)
    assert abs(mean - other[:, 0].mean()) < 5 * error


@pytest.mark.parametrize("scale", [1.0, 3.7, 50.0])
def test_rounding_gives_the_discrete_law(scale):
    law = one_way(even(2), 100, DiscreteLaplace(scale))
    kinds = Kinds.of(law)
    assert kinds.all_laplace
    u = (np.arange(1 << 18) + 0.5) / (1 << 18)
    rounded = kinds.noise(np.stack([Laplace(1.0).ppf(u)] * 2, -1))[:, 0]
    values = np.arange(-8, 9)
    expected = np.tanh(0.5 / scale) * np.exp(-np.abs(values) / scale)
    assert [(rounded == v).mean() for v in values] == pytest.approx(expected, abs=1e-5)
    assert not Kinds.of(one_way(even(2), 100, DiscreteLaplace(0.9))).rounding


def test_the_largest_draws_are_tilted_together():
    """T_m has under its proposal the mean K_m'(eta), and the density's mean under the law itself is 1; 5 standard errors."""
    largest = Largest.towards(400.0, np.array([1.0] * 20 + [0.3] * 5), np.ones(25, bool))
    assert largest.counts == (2, 4)
    assert largest.among.tolist() == list(range(20))
    y = np.random.default_rng(2).laplace(size=(50_000, 25))
    ranks = np.arange(1, 21)
    for which, (m, eta) in enumerate(zip(largest.counts, largest.tilts, strict=True)):
        part = np.minimum(ranks, m) / ranks
        tilted = largest.stretch(y, np.full(len(y), which))
        assert (np.sign(tilted) == np.sign(y)).all()
        assert (tilted[:, 20:] == y[:, 20:]).all()
        sums = np.sort(np.abs(tilted[:, :20]))[:, -m:].sum(-1)
        assert largest.exponents(tilted)[:, which] == pytest.approx(eta * sums)
        assert abs(sums.mean() - (part / (1 - eta * part)).sum()) < 5 * sums.std() / np.sqrt(len(y))
        inverse = np.exp(largest.log_normalisers[which] - eta * sums)  # p/q at draws of q
        assert abs(inverse.mean() - 1) < 5 * inverse.std() / np.sqrt(len(y))


def test_lengths_are_weighted_gamma_draws():
    """Means of functions of R under the gamma law; stratified uniforms, so that the mean is good to a hundredth."""
    u = (np.arange(1 << 14) + 0.5) / (1 << 14)
    for t, kappa in ((30.0, None), (90.0, 0.1), (1000.0, None), (1e-3, 0.0), (1e9, 1.0)):
        added = None if kappa is None else np.full_like(u, kappa)
        lengths, weights = draw_lengths(t, 6, 12, np.full_like(u, 0.3), added, u)
        assert weights.max() <= 10.0 + 1e-9
        assert weights.mean() == pytest.approx(1.0, abs=0.02)
        assert (weights * (lengths > 15.0)).mean() == pytest.approx(special.gammaincc(12, 15.0), rel=0.03)


@pytest.mark.parametrize("df", [2, 5, 19, 81, 400])
def test_the_saddlepoint_agrees_with_the_sums(df):
    rng = np.random.default_rng(3)
    x = np.exp(rng.uniform(-2, 8, 4000))
    noncentrality = np.maximum(np.sqrt(x) + rng.uniform(-15, 6, 4000), 0.0) ** 2
    expected = noncentral_chi2_sf(x, df, noncentrality)
    matters = expected > 1e-200
    quick = quick_noncentral_chi2_sf(x, df, noncentrality)
    assert quick[matters] == pytest.approx(expected[matters], rel=1e-4)
    assert quick_noncentral_chi2_sf(900.0, df, noncentrality) == pytest.approx(
        noncentral_chi2_sf(900.0, df, noncentrality), rel=1e-4, abs=1e-200
    )
    assert quick_noncentral_chi2_sf(np.array([-1.0, 0.0]), df, np.array([500.0, 1e30])).tolist() == [1.0, 1.0]
