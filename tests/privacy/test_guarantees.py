"""The four guarantees: validation, printing, conversions with reference numbers, groups, what they mean to a tester."""

from __future__ import annotations

import copy
import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, ZeroConcentratedDP, guarantee_from_dict

ONE_OF_EACH = [PureDP(0.5), ApproxDP(1, 1e-6), ZeroConcentratedDP(0.5), GaussianDP(1)]


def test_they_print_as_they_are_written() -> None:
    assert [repr(g) for g in ONE_OF_EACH] == [
        "PureDP(epsilon=0.5)",
        "ApproxDP(epsilon=1.0, delta=1e-06)",
        "ZeroConcentratedDP(rho=0.5)",
        "GaussianDP(mu=1.0)",
    ]


@pytest.mark.parametrize("kind", [PureDP, ZeroConcentratedDP, GaussianDP, lambda e: ApproxDP(e, 1e-6)])
@pytest.mark.parametrize(
    "value", [0, -1, -0.0, math.nan, math.inf, -math.inf, 500.1, 1e308, 10**400, True, np.True_, "1", None, [1.0], 1j]
)
def test_bad_parameters_are_refused(kind: type, value: object) -> None:
    with pytest.raises(InvalidInput, match="must be"):
        kind(value)


@pytest.mark.parametrize("delta", [0, 1, -1e-9, 1.5, math.nan, True, "1e-6", None])
def test_bad_delta_is_refused(delta: object) -> None:
    with pytest.raises(InvalidInput, match="delta must be"):
        ApproxDP(1, delta)  # type: ignore[arg-type]


def test_beyond_500_nothing_is_protected() -> None:
    assert PureDP(500).epsilon == 500
    for kind in (PureDP, ZeroConcentratedDP, GaussianDP):
        with pytest.raises(InvalidInput, match=r"at most 500 .beyond it nothing is protected.*not 501"):
            kind(501)


@pytest.mark.parametrize("value", [2, np.int64(2), np.float32(2), Decimal(2), Fraction(4, 2)])
def test_other_numbers_become_floats(value: float) -> None:
    g = GaussianDP(value)
    assert g == GaussianDP(2.0)
    assert type(g.mu) is float
    assert PureDP(value).epsilon == 2.0


@pytest.mark.parametrize("g", ONE_OF_EACH)
def test_copies_and_dictionaries_are_equal(g: Guarantee) -> None:
    for other in (
        pickle.loads(pickle.dumps(g)),
        copy.deepcopy(g),
        guarantee_from_dict(json.loads(json.dumps(g.to_dict()))),
    ):
        assert other == g
        assert hash(other) == hash(g)
        assert other.epsilon(1e-3) == g.epsilon(1e-3)
    with pytest.raises(AttributeError):
        g.mu = 3.0  # type: ignore[attr-defined]


def test_dictionaries() -> None:
    assert PureDP(0.1).to_dict() == {"kind": "pure", "epsilon": 0.1}
    assert ApproxDP(0.1, 1e-5).to_dict() == {"kind": "approx", "epsilon": 0.1, "delta": 1e-5}
    assert ZeroConcentratedDP(0.1).to_dict() == {"kind": "zcdp", "rho": 0.1}
    assert GaussianDP(0.1).to_dict() == {"kind": "gdp", "mu": 0.1}
    with pytest.raises(InvalidInput, match="did you mean 'pure'"):
        guarantee_from_dict({"kind": "pur", "epsilon": 1})
    for bad in ({"kind": "pure"}, {"kind": "pure", "epsilon": 1, "delta": 0.1}, {"kind": ["pure"]}, {}, 3):
        with pytest.raises(InvalidInput):
            guarantee_from_dict(bad)  # type: ignore[arg-type]


def test_exact_is_the_printed_decimal() -> None:
    assert PureDP(0.1).exact == Fraction(1, 10)
    assert GaussianDP(0.3).exact == Fraction(3, 10)
    assert ZeroConcentratedDP(0.7).exact == Fraction(7, 10)
    assert ApproxDP(0.1, 1e-6).exact == (Fraction(1, 10), Fraction(1, 10**6))


@pytest.mark.parametrize(
    ("mu", "deltas", "at_1e_5"),
    [
        (0.5, [5.2440323288e-2, 6.8295949831e-3, 9.4391686349e-6], 1.99309140),
        (1, [0.23842170813, 0.12693673751, 2.0923635821e-2], 4.37717810),
        (2, [0.59918561853, 0.50986166005, 0.33189799878], 9.99725615),
    ],
)
def test_gaussian_delta_and_epsilon(mu: float, deltas: list[float], at_1e_5: float) -> None:
    g = GaussianDP(mu)
    np.testing.assert_allclose(g.delta([0.5, 1, 2]), deltas, rtol=2e-10)
    assert g.epsilon(1e-5) == pytest.approx(at_1e_5, abs=1e-8)
    np.testing.assert_allclose(g.epsilon(g.delta(np.array([0.5, 1, 2]))), [0.5, 1, 2], rtol=1e-11)
    assert g.epsilon(0.0) == math.inf
    assert g.epsilon(1.0) == 0


def _delta_by_mpmath(mu: float, epsilon: float) -> float:
    with mp.workdps(350):
        m, e = mp.mpf(mu), mp.mpf(epsilon)
        return float(mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m))


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.1, 0.999, 1.001, 3.0, 20.0, 50.0])
@pytest.mark.parametrize("distance", [0.0, 0.3, 1.0, 3.0, 8.0, 36.0])
def test_gaussian_delta_has_no_cancellation(mu: float, distance: float) -> None:
    for epsilon in (mu * distance, 0.5 * mu**2 + mu * distance):
        assert GaussianDP(mu).delta(epsilon) == pytest.approx(_delta_by_mpmath(mu, epsilon), rel=1e-11, abs=0)


def test_pure_delta_and_epsilon_are_those_of_randomised_response() -> None:
    e = 1.0
    p, q = math.exp(e) / (1 + math.exp(e)), 1 / (1 + math.exp(e))
    g = PureDP(e)
    assert g.delta(0.0) == pytest.approx(p - q, rel=1e-14)
    assert g.delta(0.4) == pytest.approx(p - math.exp(0.4) * q, rel=1e-14)
    assert g.delta(1.0) == g.delta(7.0) == 0
    assert g.epsilon(0.0) == 1.0
    np.testing.assert_allclose(g.epsilon(g.delta([0.1, 0.5, 0.9])), [0.1, 0.5, 0.9], rtol=1e-13)
    assert g.epsilon(0.5) == 0
    assert PureDP(500).delta(1.0) == 1.0


def test_approximate_delta_and_epsilon_contain_the_guarantee_itself() -> None:
    g = ApproxDP(1, 1e-6)
    assert g.epsilon == 1.0
    assert g.delta == 1e-6
    assert g.delta(1.0) == g.delta(9.0) == 1e-6
    assert g.epsilon(1e-6) == 1.0
    assert g.epsilon(9e-7) == math.inf
    np.testing.assert_allclose(g.epsilon(g.delta([0.1, 0.5, 0.9])), [0.1, 0.5, 0.9], rtol=1e-13)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-10, 1e-3, 0.5, 0.999, 1.0, 1.001, 2.0, 30.0, 500.0])
def test_pure_to_gaussian_at_any_size(epsilon: float) -> None:
    with mp.workdps(350):
        e = mp.mpf(epsilon)
        tail = 1 / (1 + mp.exp(e))  # mu = -2 Phi^-1(tail): check by the distribution function, whose digits are known
        mu = mp.mpf(PureDP(epsilon).to_gaussian().mu)
        if epsilon < 1:
            assert abs((mp.ncdf(mu / 2) - mp.mpf(1) / 2) / (mp.tanh(e / 2) / 2) - 1) < 1e-14
        else:
            assert abs(mp.ncdf(-mu / 2) / tail - 1) < 1e-13 * max(1, epsilon)


def test_reference_conversions_of_pure_to_gaussian() -> None:
    found = [PureDP(e).to_gaussian().mu for e in (0.1, 0.5, 1, 2, 4)]
    np.testing.assert_allclose(found, [0.12530901, 0.62389259, 1.23203539, 2.35796149, 4.19447809], atol=6e-9)


def test_conversions_that_are_false_are_refused() -> None:
    with pytest.raises(NotAvailable, match=r"0\.46212.*0\.9614.*1\.2320"):
        ZeroConcentratedDP(0.5).to_gaussian()
    with pytest.raises(NotAvailable, match="1 - delta"):
        ApproxDP(1, 1e-9).to_gaussian()
    assert GaussianDP(2).to_gaussian() == GaussianDP(2)


def test_conversions_to_zero_concentrated() -> None:
    assert PureDP(1).to_zero_concentrated().rho == pytest.approx(0.46211715726, abs=1e-11)
    assert GaussianDP(0.5).to_zero_concentrated() == ZeroConcentratedDP(0.125)


def test_groups() -> None:
    assert PureDP(0.1).group(3) == PureDP(0.3)
    assert GaussianDP(0.1).group(3) == GaussianDP(0.3)
    assert ZeroConcentratedDP(0.1).group(3) == ZeroConcentratedDP(0.9)
    grouped = ApproxDP(0.1, 1e-6).group(3)
    assert grouped.epsilon == 0.3
    assert float(grouped.delta) == pytest.approx(1e-6 * (1 + math.exp(0.1) + math.exp(0.2)), rel=1e-13)
    assert ApproxDP(0.1, 1e-6).group(1) == ApproxDP(0.1, 1e-6)
    with pytest.raises(NotAvailable, match="delta would reach 1"):
        ApproxDP(1, 0.1).group(5)
    for k in (0, -1, 1.5, True, "2"):
        with pytest.raises(InvalidInput, match="whole number"):
            PureDP(0.1).group(k)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="nothing is protected"):
        PureDP(100).group(6)


def test_what_a_tester_can_reach() -> None:
    assert PureDP(1).max_power(0.05) == pytest.approx(0.05 * math.e, rel=1e-14)
    assert PureDP(1).max_power(0.9) == pytest.approx(1 - 0.1 / math.e, rel=1e-14)
    assert PureDP(1).max_power(1e-30) == pytest.approx(math.e * 1e-30, rel=1e-13)
    assert GaussianDP(1).max_power(0.05) == pytest.approx(1 - 0.7404889772, abs=1e-10)
    assert ApproxDP(1, 0.01).max_power(0) == 0.01
    np.testing.assert_array_equal(GaussianDP(1).max_power([0.0, 1.0]), [0.0, 1.0])
    assert PureDP(2).bayes_factor() == math.exp(2)
    assert [g.bayes_factor() for g in ONE_OF_EACH[1:]] == [math.inf] * 3
    for level in (-0.1, 1.1, math.nan, "a", True):
        with pytest.raises(InvalidInput, match="level must"):
            PureDP(1).max_power(level)  # type: ignore[arg-type]


@pytest.mark.parametrize("g", ONE_OF_EACH)
def test_questions_take_numbers_and_arrays(g: Guarantee) -> None:
    assert isinstance(g.delta(0.3), float)
    assert isinstance(g.epsilon(0.3), float)
    assert g.delta(np.array([[0.1, 0.2]])).shape == (1, 2)
    assert g.epsilon([0.1, 0.2, 0.3]).shape == (3,)
    assert np.all(np.diff(g.delta([0.0, 0.1, 0.2, 0.4, 1.0])) <= 0)
    for bad in (-0.1, math.nan, "1"):
        with pytest.raises(InvalidInput):
            g.delta(bad)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput):
            g.epsilon(bad)  # type: ignore[arg-type]
