"""The far tail under Laplace-type noise, against quadratures that share nothing with it but the law of Q given the noise."""

import time

import numpy as np
import pytest
from scipy import integrate, special, stats

from discreet import independence
from discreet.inference import Conditional
from discreet.inference.law import LimitLaw, OneWay, TwoWay
from discreet.inference.null.big_jump import big_jump_tail, can_jump
from discreet.inference.null.conditional import conditional_tail, scaled_noise
from discreet.inference.null.kinds import Kinds
from discreet.inference.null.problem import NullProblem
from discreet.inference.null.proposals import Proposals
from discreet.inference.null.radial import radial_tail, tail_along
from discreet.inference.null.tilted import log_normaliser, tilted_ppf
from discreet.noise import DiscreteGaussian, DiscreteLaplace, Gaussian, JointNoise, Laplace


def one_way(theta, n, noise, public=True):
    theta = np.array(theta)
    return LimitLaw(OneWay(np.sqrt(theta), public), 1 / np.sqrt(n * theta), (noise,))


def two_way(rows, columns, n, *noises, public=False):
    theta = np.outer(rows, columns).ravel()
    return LimitLaw(TwoWay(np.sqrt(rows), np.sqrt(columns), public), 1 / np.sqrt(n * theta), noises)


def even(k):
    return np.full(k, 1 / k)


def one_draw_at_a_time(law):
    """w for the unit value of each draw, in units of its scale: (draws, cells)."""
    return law.scaled_draws(np.diag(np.concatenate([np.full(n.dimension, n.law.scale) for n in law.noises])))


def contrast_tail(law, t):
    """df = 1, K = 0: P((g + sum_j a_j y_j)^2 >= t) by the trapezoid rule along the vertical line through the saddle."""
    residual = law.geometry.residual(one_draw_at_a_time(law))
    a = residual @ np.linalg.svd(residual)[2][0]
    laws = [noise.law for noise in law.noises for _ in range(noise.dimension)]
    x = np.sqrt(t)

    def exponent(s):
        return s**2 / 2 + sum(draw.log_mgf(s * b / draw.scale) for draw, b in zip(laws, a, strict=True)) - s * x

    reach = min(1 / abs(b) for draw, b in zip(laws, a, strict=True) if np.isfinite(draw.mgf_radius))
    lines = reach * (1 - np.geomspace(1, 1e-6, 2000)[1:])
    c = lines[np.argmin(exponent(lines + 0j).real - np.log(lines))]
    y = np.linspace(0, 40, 100_001)
    top = exponent(np.array([c + 0j]))[0].real
    return 2 * np.exp(top) * np.trapezoid((np.exp(exponent(c + 1j * y) - top) / (c + 1j * y)).real, y) / np.pi


def two_cell_tail(law, t):
    """Goodness of fit with two cells and a public n: over both draws, by Gauss and Legendre on each quadrant."""
    node, weight = np.polynomial.legendre.leggauss(500)
    s = (node + 1) / 2
    v, dv = 80 * s**1.5, 60 * s**0.5 * weight
    total = 0.0
    for sign in (1, -1):
        w = law.scaled_draws(np.stack(np.meshgrid(v, sign * v, indexing="ij"), -1) * law.noises[0].law.scale)
        given, added = law.given(w)
        r, d = np.sqrt(np.maximum(t - added, 0)), np.sqrt(given)
        tail = np.where(added >= t, 1.0, special.ndtr(d - r) + special.ndtr(-d - r))
        total += dv @ (np.exp(-v[:, None] - v) * tail) @ dv
    return total / 2


ROWS, COLUMNS = np.array([0.4, 0.6]), np.array([0.3, 0.7])
ONE_DEGREE = {
    "2 x 2": (two_way(even(2), even(2), 1000, Laplace(10.0).on((2, 2))), [21.5, 55.2, 153.9]),
    "2 x 2, skew": (two_way(ROWS, COLUMNS, 1000, Laplace(10.0).on((2, 2))), [29.3, 90.7, 313.0]),
    "2 x 2, centred, with other": (
        two_way(ROWS, COLUMNS, 1000, JointNoise(Laplace(10.0), (2, 2), total=5, centred=True)),
        [28.7, 87.4, 297.0],
    ),
    "2 x 2 margin of a centred release": (
        two_way(ROWS, COLUMNS, 1000, JointNoise(Laplace(6.0), (2, 2), 3, 13, True)),
        [26.0, 75.0, 240.0],
    ),
    "discrete": (two_way(ROWS, COLUMNS, 30, DiscreteLaplace(1.0).on((2, 2))), [15.8, 41.3, 124.7]),
    "discrete, hardly any noise": (two_way(ROWS, COLUMNS, 30, DiscreteLaplace(0.3).on((2, 2))), [11.0, 24.4, 52.1]),
    "two releases, Laplace and Gaussian": (
        two_way(ROWS, COLUMNS, 1000, Laplace(8.0).on((2,)), Gaussian(12.0).on((2,))),
        [21.9, 63.4, 210.0],
    ),
    "two releases, Laplace and discrete": (
        two_way(ROWS, COLUMNS, 1000, Laplace(8.0).on((2,)), DiscreteLaplace(3.0).on((2,))),
        [19.7, 59.4, 203.0],
    ),
}
# Three cells, theta = (.2, .3, .5), n = 600, Laplace(10): 100^3 nodes in each octant, the last digit uncertain.
THREE_CELLS = {
    "public n": (
        one_way([0.2, 0.3, 0.5], 600, Laplace(10.0).on((3,))),
        {25: 1.56923e-2, 70: 2.63076e-4, 220: 1.67508e-7},
    ),
    "centred": (
        one_way([0.2, 0.3, 0.5], 600, JointNoise(Laplace(10.0), (3,), centred=True)),
        {25: 7.7700e-3, 70: 4.9652e-5, 220: 2.96068e-9},
    ),
}
CASES = [
    *((name, law, t, contrast_tail(law, t)) for name, (law, values) in ONE_DEGREE.items() for t in values),
    *(("3 cells, " + name, law, t, p) for name, (law, values) in THREE_CELLS.items() for t, p in values.items()),
]


@pytest.mark.parametrize(("name", "law", "t", "expected"), CASES, ids=[f"{c[0]}, t = {c[2]}" for c in CASES])
def test_the_tail_is_that_of_the_quadrature_and_the_error_is_honest(name, law, t, expected):
    """Fixed seeds; the scatter over 16 scramblings is t-distributed with 15 degrees, beyond 5 with probability 1.6e-4."""
    found = np.array([big_jump_tail(law, t, 4096, np.random.default_rng(seed)) for seed in range(12)])
    assert np.sqrt(np.mean((found[:, 0] / expected - 1) ** 2)) < 0.03
    assert np.max(np.abs(found[:, 0] - expected) / found[:, 1]) < 5
    assert abs(found[:, 0].mean() / expected - 1) < 4 * np.sqrt((found[:, 1] ** 2).sum()) / 12 / expected + 2e-4


@pytest.mark.parametrize(("t", "scale"), [(5.67, 10), (21.0, 10), (87.2, 10), (330.0, 10), (1293.0, 10), (51.6, 0.7)])
def test_goodness_of_fit_with_two_cells(t, scale):
    law = one_way([0.3, 0.7], 200, Laplace(float(scale)).on((2,)))
    expected = two_cell_tail(law, t)
    found = np.array([big_jump_tail(law, t, 4096, np.random.default_rng(seed)) for seed in range(12)])
    assert np.sqrt(np.mean((found[:, 0] / expected - 1) ** 2)) < 0.01
    assert np.max(np.abs(found[:, 0] - expected) / found[:, 1]) < 5


def test_the_two_cell_quadrature_is_that_of_the_notes():
    law = one_way([0.3, 0.7], 200, Laplace(10.0).on((2,)))
    assert [two_cell_tail(law, t) for t in (2, 5, 10)] == pytest.approx([0.59614973, 0.33663722, 0.16195003], abs=3e-5)


THETA = np.array([0.5, 0.3, 0.15, 0.04, 0.01])
MORE_DEGREES = {
    "5 cells": one_way(THETA, 500, Laplace(4.0).on((5,))),
    "5 cells, n estimated, centred": one_way(THETA, 500, JointNoise(Laplace(4.0), (5,), centred=True), public=False),
    "3 x 4": two_way(even(3), even(4), 2000, Laplace(20 / 3).on((3, 4))),
    "3 x 4, skew": two_way([0.6, 0.3, 0.1], [0.5, 0.3, 0.15, 0.05], 2000, Laplace(20 / 3).on((3, 4))),
    "2 x 3": two_way(even(2), even(3), 1000, Laplace(10.0).on((2, 3))),
    "5 x 5": two_way(even(5), even(5), 2000, Laplace(4.0).on((5, 5))),
    "homogeneity": two_way(ROWS, [0.25, 0.25, 0.5], 1100, Laplace(10.0).on((3,)), Laplace(5.0).on((3,)), public=True),
    "margin": two_way(even(3), even(3), 2000, JointNoise(Laplace(3.0), (3, 3), 4, 37, True)),
    "fixed groups": two_way(
        ROWS, even(3), 1000, JointNoise(Laplace(8.0), (2, 3), 1, 4, True, group_axis=0), public=True
    ),
}


def statistic_at(law, p):
    """A t where the tail is about p."""
    low, high = 0.5, 1e5
    for _ in range(16):
        t = np.sqrt(low * high)
        low, high = (t, high) if big_jump_tail(law, t, 512, np.random.default_rng(1))[0] > p else (low, t)
    return float(np.sqrt(low * high))


@pytest.mark.parametrize("name", MORE_DEGREES)
def test_with_more_degrees_of_freedom_it_agrees_with_plain_averages_where_these_are_good(name):
    law = MORE_DEGREES[name]
    for p in (0.3, 0.05, 2e-3):
        t = statistic_at(law, p)
        ours = big_jump_tail(law, t, 4096, np.random.default_rng(3))
        w = scaled_noise(law, 1 << 17, np.random.default_rng(4))
        plain = np.concatenate([conditional_tail(law, t, part).mean(-1) for part in w])
        error = plain.std(ddof=1) / 4
        assert abs(ours[0] - plain.mean()) < 5 * np.hypot(ours[1], error)
        assert ours[1] < 0.03 * ours[0]


@pytest.mark.parametrize("name", MORE_DEGREES)
@pytest.mark.parametrize("p", [1e-3, 1e-6, 1e-12])
def test_far_out_the_error_is_below_three_per_cent_and_the_length_of_the_noise_makes_no_difference(
    name, p, monkeypatch
):
    """Averaging over whole noise tables, not directions, is another estimator; 24 runs, 5 standard errors of their means."""
    law = MORE_DEGREES[name]
    t = statistic_at(law, p)
    runs = np.array([big_jump_tail(law, t, 4096, np.random.default_rng(seed)) for seed in range(24)])
    mean = runs[:, 0].mean()
    assert runs[:, 0].std(ddof=1) < 0.03 * mean
    assert runs[:, 1].mean() < 0.03 * mean
    assert 0.6 < runs[:, 1].mean() / runs[:, 0].std(ddof=1) < 1.8
    monkeypatch.setattr(Kinds, "all_laplace", False)  # no law is one whose length is integrated out
    whole = np.array([big_jump_tail(law, t, 8192, np.random.default_rng(seed)) for seed in range(100, 108)])
    error = np.sqrt((runs[:, 1] ** 2).sum() / 24**2 + (whole[:, 1] ** 2).sum() / 8**2)
    assert abs(mean - whole[:, 0].mean()) < 5 * error


@pytest.mark.parametrize("rows", [10, 23, 40])
def test_large_tables_have_honest_errors(rows):
    """Up to 512 kinds of draws the tilts are written out, above 1,023 draws the points are pseudo-random."""
    law = two_way(even(rows), even(rows), 50 * rows**2, Laplace(5.0).on((rows, rows)))
    for factor, largest in ((1.1, 0.05), (1.3, 0.25)):
        t = law.mean * factor
        small = big_jump_tail(law, t, 1024, np.random.default_rng(1))
        other = big_jump_tail(law, t, 2048, np.random.default_rng(2))
        assert abs(small[0] - other[0]) < 5 * np.hypot(small[1], other[1])
        assert other[1] < largest * other[0]


def test_ordinary_pvalues_are_no_less_precise_than_plain_averages():
    for name in ("5 cells", "3 x 4, skew", "5 x 5", "homogeneity"):
        law = MORE_DEGREES[name]
        for p in (0.8, 0.3, 0.05):
            t = statistic_at(law, p)
            ours = np.mean([big_jump_tail(law, t, 4096, np.random.default_rng(seed))[1] for seed in range(6)])
            plain = []
            for seed in range(6):
                w = scaled_noise(law, 4096, np.random.default_rng(seed))
                plain.append(np.concatenate([conditional_tail(law, t, v).mean(-1) for v in w]).std(ddof=1) / 4)
            assert ours < 1.15 * np.mean(plain) + 1e-4 * p


def test_the_public_method_uses_it():
    law, (_, t, _) = ONE_DEGREE["2 x 2"]
    tail = Conditional(rng=1).tail(NullProblem(law), t, None)
    assert abs(tail.pvalue / contrast_tail(law, t) - 1) < 0.02
    assert "importance sampling" in tail.description
    assert Conditional(rng=1).tail(NullProblem(law), 0.0, None).pvalue == 1.0
    far = independence([[370.0, 130.0], [130.0, 370.0]], noise=Laplace(20), n=1000, null=Conditional(), rng=1)
    assert 0 < far.pvalue_error < 0.01 * far.pvalue


def test_only_noise_with_exponential_tails_jumps():
    assert can_jump(ONE_DEGREE["discrete"][0])
    assert not can_jump(two_way(ROWS, COLUMNS, 100, Gaussian(3.0).on((2, 2))))
    assert not can_jump(two_way(ROWS, COLUMNS, 100, DiscreteGaussian(3.0).on((2, 2))))


@pytest.mark.parametrize("draw", [Laplace(3.0), DiscreteLaplace(3.0), DiscreteLaplace(0.4), Gaussian(2.0)])
@pytest.mark.parametrize("tilt", [-0.9, 0.0, 0.4, 0.95])
def test_a_tilted_law_has_the_tilted_distribution(draw, tilt):
    """Midpoints of 2^18 equal slices: their mean and second moment are the derivatives of the log normaliser."""
    u = (np.arange(1 << 18) + 0.5) / (1 << 18)
    y = tilted_ppf(draw, np.full_like(u, tilt), u)
    assert (np.diff(y) >= 0).all()
    h = 1e-4
    k = [float(log_normaliser(draw, np.array(tilt + d))) for d in (-h, 0.0, h)]
    assert y.mean() == pytest.approx((k[2] - k[0]) / (2 * h), abs=1e-4, rel=1e-3)
    assert y.var() == pytest.approx((k[2] - 2 * k[1] + k[0]) / h**2, rel=1e-2)


@pytest.mark.parametrize("name", ["margin", "5 x 5"])
def test_weights_are_ratios_of_densities_that_average_to_one(name):
    law = MORE_DEGREES[name]
    proposals = Proposals.towards(law, 45.0)
    assert 0 < proposals.ordinary < 0.2
    assert proposals.ordinary + proposals.chances.sum() + proposals.shared * len(
        proposals.largest.counts
    ) == pytest.approx(1)
    rng = np.random.default_rng(5)
    y = proposals.draws(rng.random((1 << 16, proposals.dimension)))
    # Q is even in y and only one sign of each tilt is drawn, so that the weight itself averages to 1 over both signs.
    for points, directions in ((y, False), (y / np.abs(y).sum(-1, keepdims=True), True)):
        w = proposals.weights(points, directions)
        assert w.max() <= 1 / proposals.ordinary
        assert abs(w.mean() - 1) < 5 * w.std() / 256


def test_draws_of_one_cell_are_of_one_kind():
    kinds = Kinds.of(MORE_DEGREES["margin"])
    assert kinds.sizes.tolist() == [4] * 9 + [1]
    assert kinds.starts.tolist() == [*range(0, 37, 4)]
    assert Kinds.of(MORE_DEGREES["fixed groups"]).sizes.tolist() == [1] * 8
    values = np.arange(10.0)
    assert kinds.total(kinds.spread(values)).tolist() == (values * kinds.sizes).tolist()


@pytest.mark.parametrize(
    ("t", "df", "draws", "lam", "kappa"),
    [(9, 4, 12, 0.01, 0), (9, 4, 12, 1, 0), (60, 6, 12, 4, 0), (60, 6, 6, 2, 3), (12, 1, 2, 0.5, 2), (12, 1, 2, 0, 2)],
)
def test_the_length_is_integrated_out(t, df, draws, lam, kappa):
    def integrand(r):
        x = t - r * r * kappa
        tail = 1.0 if x <= 0 else stats.ncx2.sf(x, df, r * r * lam) if r * r * lam else stats.chi2.sf(x, df)
        return stats.gamma.pdf(r, draws) * tail

    wall = np.sqrt(t / kappa) if kappa else 60.0
    expected = sum(integrate.quad(integrand, *ends, limit=200)[0] for ends in ((0, wall), (wall, 120)))
    given, added = np.array([float(lam)]), np.array([float(kappa)])
    assert radial_tail(t, df, draws, given, added) == pytest.approx(expected, rel=1e-6)
    assert tail_along(t, df, draws, given, added if kappa else None) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("t", [1e-12, 1e8, 1e16, 1e24])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_nothing_overflows(t, scale):
    for law in (
        one_way(THETA, 500, Laplace(scale).on((5,))),
        one_way(THETA, 500, DiscreteLaplace(scale).on((5,))),
        two_way(even(3), even(3), 20, JointNoise(Laplace(scale), (3, 3), 2, 19, True)),
    ):
        p, error = big_jump_tail(law, t, 64, np.random.default_rng(1))
        assert 0 <= p <= 1
        assert 0 <= error < np.inf


def test_it_is_fast():
    """A 5 x 5 table takes 8 ms; the bound is for a machine that does other things as well."""
    law = MORE_DEGREES["5 x 5"]
    took = []
    for seed in range(5):
        start = time.thread_time()
        big_jump_tail(law, 90.0, 4096, np.random.default_rng(seed))
        took.append(time.thread_time() - start)
    assert min(took) < 0.05
