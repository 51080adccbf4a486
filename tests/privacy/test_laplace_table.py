"""The Laplace curve of tables: reference numbers, an independent quadrature, and the integer law on a grid."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, optimize, special

from discreet.errors import InvalidInput
from discreet.noise import calibrate
from discreet.privacy import GaussianDP, TradeOff, laplace_table_mu
from discreet.privacy.laplace_curve import shift_for

# mu, the smallest scale, the scale from the L1 sensitivity alone
SCALES = [
    (0.1, 15.4890975076, 24.5733363497),
    (0.25, 6.0540907677, 9.5439005986),
    (0.5, 2.9161130614, 4.5472200191),
    (1, 1.3589053610, 2.0714029970),
    (1.5, 0.8487102170, 1.2637415315),
    (2, 0.5989995839, 0.8711754037),
    (3, 0.3574271065, 0.4968210359),
    (4, 0.2425133576, 0.3236207044),
    (5, 0.1769078493, 0.2278682352),
    (8, 0.0867743796, 0.1034451978),
    (10, 0.0603969580, 0.0695804587),
]


@pytest.mark.parametrize(("mu", "smallest", "by_l1"), SCALES)
def test_scales(mu: float, smallest: float, by_l1: float) -> None:
    assert calibrate.laplace_table(GaussianDP(mu)) == pytest.approx(smallest, rel=0, abs=1.1e-10)
    assert calibrate.laplace(GaussianDP(mu), 2) == pytest.approx(by_l1, rel=0, abs=1.1e-10)


def test_largest_shifts() -> None:
    for mu, shift in [
        (0.1, 0.0813890296),
        (0.5, 0.4398291685),
        (1, 0.9655291621),
        (2, 2.2957489289),
        (5, 8.7770021934),
    ]:
        assert shift_for(mu) == pytest.approx(shift, rel=0, abs=6e-11)


@pytest.mark.parametrize(
    ("a", "values", "mu"),
    [
        (0.5, [0.9728171817, 0.8640859086, 0.5603297491, 0.2581633246, 0.0735758882], 0.7075515359),
        (1, [0.9261094390, 0.6529613328, 0.3518191618, 0.0959572944, 0.0270670566], 1.3051121021),
        (2, [0.5593357407, 0.2546292610, 0.0764733826, 0.0129864076, 0.0036631278], 2.3114797229),
    ],
)
def test_curve_and_level(a: float, values: list[float], mu: float) -> None:
    f = TradeOff.laplace_table(1 / a)
    np.testing.assert_allclose(f([0.01, 0.05, 0.2, 0.5, 0.8]), values, atol=6e-11)
    assert laplace_table_mu(a) == pytest.approx(mu, rel=0, abs=6e-11)
    assert f.mu == laplace_table_mu(a)
    assert f.fixed_point == pytest.approx(math.exp(-a) * (a + 2) / 4, rel=1e-14)


def test_levels_of_pure_tables() -> None:
    for epsilon, exact in [(0.1, 0.07771544), (0.5, 0.37150845), (1, 0.70755154), (2, 1.30511210), (4, 2.31147972)]:
        assert laplace_table_mu(epsilon / 2) == pytest.approx(exact, rel=0, abs=6e-9)


def _exceeds(a: float, threshold: float) -> float:
    """P(log-likelihood ratio of the table's two shifted cells > threshold) under P, from the definition.

    One cell's ratio L = |x| - |x - a| is -a with probability 1/2, +a with e^-a/2, and 2x - a with density e^-x/2 between.
    The table's is the sum of two independent ones; under Q it is the same, negated.
    """

    def above(t: float) -> float:  # P(L > t)
        return 1.0 if t < -a else 0.0 if t >= a else 0.5 * math.exp(-0.5 * (t + a))

    kinks = sorted({min(max(0.5 * (threshold + a + s), 0.0), a) for s in (-a, a)})
    between = integrate.quad(
        lambda x: 0.5 * math.exp(-x) * above(threshold - 2 * x + a), 0, a, points=kinks, epsabs=1e-14, epsrel=1e-13
    )[0]
    return 0.5 * above(threshold + a) + between + 0.5 * math.exp(-a) * above(threshold - a)


@pytest.mark.parametrize("a", [0.1, 0.5, 1.0, 2.0, 6.0])
def test_against_quadrature_of_the_definition(a: float) -> None:
    f = TradeOff.laplace_table(1 / a)
    for threshold in np.concatenate([-np.linspace(0.03, 1.97, 9) * a, np.linspace(0.03, 1.97, 9) * a]).tolist():
        # Rejecting above the threshold errs with P(> t) under P and with Q(<= t) = P(>= -t) under Q.
        assert f(_exceeds(a, threshold)) == pytest.approx(_exceeds(a, -threshold), abs=1e-11)

    def level(threshold: float) -> float:
        return -float(special.ndtri(_exceeds(a, threshold)) + special.ndtri(_exceeds(a, -threshold)))

    best = optimize.minimize_scalar(
        lambda t: -level(t), bounds=(1e-6, 2 * a), method="bounded", options={"xatol": 1e-9}
    )
    assert laplace_table_mu(a) == pytest.approx(-best.fun, abs=1e-9)


@pytest.mark.parametrize("a", [1e-9, 1e-6, 1e-3, 0.05, 0.2499, 0.2501, 1.0, 10.0, 100.0, 1000.0])
def test_the_level_is_the_largest_along_the_curve(a: float) -> None:
    s = np.linspace(0, a, 20_001)
    log_alpha, log_beta = s - 2 * a + np.log1p(s) - math.log(4), -s + np.log(3 + s) - math.log(4)
    levels = -special.ndtri_exp(log_alpha) - special.ndtri_exp(log_beta)
    mu = laplace_table_mu(a)
    assert mu == pytest.approx(levels.max(), rel=1e-8, abs=1e-15)
    assert 0 < levels.argmax() < 20_000 or a < 1e-6  # inside: neither the first point nor the kink
    if a <= 1e-3:
        assert mu / a == pytest.approx(1.5734325403, rel=a + 1e-9)


@pytest.mark.parametrize("mu", [1e-300, 1e-9, 1e-6, 1e-3, 0.1, 0.7, 3.0, 20.0, 50.0, 500.0])
def test_the_smallest_scale_holds_and_less_does_not(mu: float) -> None:
    scale = calibrate.laplace_table(GaussianDP(mu))
    assert laplace_table_mu(1 / scale) <= mu
    assert laplace_table_mu(1 / (scale * (1 - 2e-11))) > mu


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0, 3.0, 8.0])
def test_at_the_smallest_scale_the_curve_touches_the_gaussian_one(mu: float) -> None:
    f = TradeOff.laplace_table(calibrate.laplace_table(GaussianDP(mu)))
    alpha = np.concatenate([np.geomspace(1e-12, 0.5, 40_000), np.linspace(0.5, 1, 2000)])
    assert (f(alpha) - TradeOff.gaussian(mu)(alpha)).min() >= -1e-14
    assert -1e-3 < (f(alpha) - TradeOff.gaussian(0.999 * mu)(alpha)).min() < -1e-7


@pytest.mark.parametrize("split", [0.01, 0.2, 0.35, 0.5])
@pytest.mark.parametrize("length", [0.2, 1.0, 5.0])
def test_one_coordinate_is_the_worst_shift_of_its_length(split: float, length: float) -> None:
    first, second = split * length, (1 - split) * length

    def one(epsilon: float, shift: float) -> float:  # delta of one coordinate, for epsilon of either sign
        if epsilon < 0:
            return 1 - math.exp(epsilon) + math.exp(epsilon) * one(-epsilon, shift)
        return max(0.0, -math.expm1(0.5 * (epsilon - shift)))

    for epsilon in np.linspace(0, 0.99, 7) * length:
        # The first coordinate's log-likelihood ratio under Q: +first with 1/2, -first with e^-first/2, else first - 2x.
        kinks = sorted({min(max(0.5 * (first - epsilon + s), 0.0), first) for s in (-second, 0.0, second)})
        pair = integrate.quad(
            lambda x, e=epsilon: 0.5 * math.exp(-x) * one(e - first + 2 * x, second),
            0,
            first,
            points=kinks,
            epsrel=1e-12,
        )[0]
        pair += 0.5 * one(epsilon - first, second) + 0.5 * math.exp(-first) * one(epsilon + first, second)
        assert pair <= one(epsilon, length) + 1e-12
        if split == 0.5:
            assert pair == pytest.approx(TradeOff.laplace_table(2 / length).delta(epsilon), abs=1e-11)


@pytest.mark.parametrize("grid_steps", [0.5, 2.0, 3.0, 4.5, 6.0])
@pytest.mark.parametrize("shift", [1, 2, 3, 8, 31])
def test_integer_noise_is_at_least_as_private_as_the_stated_continuous_curve(grid_steps: float, shift: int) -> None:
    """By enumeration: scale b_g grid steps, one record = `shift` steps, against the rate a + 2 log cosh(1/(2 b_g))."""
    values = np.arange(-int(60 * grid_steps) - shift, int(60 * grid_steps) + 2 * shift + 1)
    mass = np.tanh(1 / (2 * grid_steps)) * np.exp(-np.abs(values) / grid_steps)
    moved = np.tanh(1 / (2 * grid_steps)) * np.exp(-np.abs(values - shift) / grid_steps)
    ratio = np.abs(values) - np.abs(values - shift)  # the log-likelihood ratio times b_g, an integer
    index = ratio + shift
    under_p = np.bincount(index, mass, 2 * shift + 1)
    under_q = np.bincount(index, moved, 2 * shift + 1)
    # The other coordinate is shifted the other way and has the same ratio; two independent ones add up.
    type_one = np.cumsum(np.convolve(under_p, under_p)[::-1])
    type_two = 1 - np.cumsum(np.convolve(under_q, under_q)[::-1])
    rate = shift / grid_steps + 2 * math.log(math.cosh(1 / (2 * grid_steps)))
    curve = TradeOff.laplace_table(1 / rate)
    # Vertices suffice: between them the enumerated curve is a chord and the continuous one is convex.
    assert (type_two - curve(np.minimum(type_one, 1))).min() > -1e-13
    without = TradeOff.laplace_table(grid_steps / shift)
    if shift == 1:  # the correction is needed: at the rate of the continuous law the claim would be false
        assert (type_two - without(np.minimum(type_one, 1))).min() < -1e-5


def test_bad_rates() -> None:
    for a in (0, -1, math.nan, math.inf, True, "1"):
        with pytest.raises(InvalidInput, match="rate"):
            laplace_table_mu(a)  # type: ignore[arg-type]
