"""The likelihood of a normal count plus Laplace noise, against quadrature, differences, and its two limits."""

import mpmath
import numpy as np
import pytest

from discreet.inference.statistic.likelihood import information, log_bayes_factor, log_density, score

CASES = [(v, b) for v in (1e-6, 0.3, 40.0, 1e4, 1e9) for b in (0.5, 10.0)]


def exact_log_density(x, v, b):
    """The closed form in 60 digits, where its cancellation does no harm."""
    with mpmath.workdps(60):
        x, v, b = map(mpmath.mpf, (x, v, b))
        root = mpmath.sqrt(2 * v)
        sides = [mpmath.exp(-s * x / b) * mpmath.erfc((v / b - s * x) / root) for s in (1, -1)]
        return float(v / (2 * b**2) + mpmath.log(sum(sides)) - mpmath.log(4 * b))


@pytest.mark.parametrize(("v", "b"), CASES)
def test_log_density_is_the_closed_form(v, b):
    sd = np.sqrt(v + 2 * b**2)
    for x in sd * np.array([0.0, 1e-3, 0.7, -2.0, 9.0]):
        if v / b**2 < 1e4:  # beyond, even 60 digits cancel
            assert log_density(x, v, b) == pytest.approx(exact_log_density(x, v, b), rel=1e-10, abs=1e-10)


def test_log_density_is_a_density_and_the_convolution():
    x = np.linspace(-400, 400, 400_001)
    assert np.exp(log_density(x, 30.0, 8.0)).sum() * 2e-3 == pytest.approx(1.0, rel=1e-9)
    z = np.linspace(-300, 300, 600_001)
    convolved = np.exp(-((5.0 - z) ** 2) / 60.0 - np.abs(z) / 8.0).sum() * 1e-3 / (np.sqrt(60.0 * np.pi) * 16.0)
    assert np.exp(log_density(5.0, 30.0, 8.0)) == pytest.approx(convolved, rel=1e-6)


@pytest.mark.parametrize(("v", "b"), CASES)
def test_score_is_minus_the_slope_of_the_log_density(v, b):
    sd = np.sqrt(v + 2 * b**2)
    x = sd * np.array([-3.0, -0.4, 0.05, 0.9, 2.5])
    step = 1e-4 * min(sd, np.sqrt(v) + b)
    slope = (log_density(x - step, v, b) - log_density(x + step, v, b)) / (2 * step)
    assert score(x, v, b) == pytest.approx(slope, rel=1e-5, abs=1e-7 / sd)
    assert (np.abs(score(x, v, b)) <= 1 / b).all()
    assert score(-x, v, b) == pytest.approx(-score(x, v, b), rel=1e-14)


def test_information_has_its_limits_and_lies_between_them():
    b = 7.0
    assert information(1e-14, b) == pytest.approx(1 / b**2, rel=1e-6)  # only noise: 1/b^2
    assert information(1e10, b) == pytest.approx(1e-10, rel=1e-6)  # hardly any noise: 1/v
    v = np.geomspace(1e-6, 1e8, 60)
    gain = information(v, b) * (v + 2 * b**2)  # over the quadratic statistic
    assert (gain[:-1] > gain[1:] - 1e-9).all()
    assert 1.99 < gain[0] <= 2.0
    assert gain[-1] == pytest.approx(1.0, abs=1e-5)


def test_information_is_the_mean_square_of_the_score():
    rng = np.random.default_rng(4)
    x = rng.normal(0.0, 5.0, 400_000) + rng.laplace(0.0, 6.0, 400_000)
    simulated = score(x, 25.0, 6.0) ** 2
    assert information(25.0, 6.0) == pytest.approx(simulated.mean(), abs=5 * simulated.std() / np.sqrt(x.size))


def test_bayes_factor_without_noise_is_a_function_of_chi_squared():
    v = np.array([20.0, 50.0, 400.0])
    x = np.array([[3.0, -9.0, 31.0], [0.0, 1.0, -1.0]])
    expected = 0.25 * (x**2 / v).sum(-1) - 1.5 * np.log(2.0)
    assert log_bayes_factor(x, v, np.full(3, 1e-4)) == pytest.approx(expected, rel=1e-7)
