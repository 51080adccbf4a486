"""Which guarantee implies which, and what several make together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet.errors import InvalidInput, NotAvailable
from discreet.privacy import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP, compose

SOME = [
    PureDP(0.5),
    PureDP(1),
    ApproxDP(1, 1e-6),
    ApproxDP(1, 1e-3),
    ApproxDP(4, 1e-3),
    ZeroConcentratedDP(0.1),
    ZeroConcentratedDP(0.5),
    GaussianDP(0.5),
    GaussianDP(1.25),
]


def test_within_a_kind_by_the_parameters() -> None:
    assert PureDP(1) <= PureDP(1)
    assert PureDP(1) < PureDP(2)
    assert PureDP(2) > PureDP(1)
    assert not PureDP(1) < PureDP(1)
    assert GaussianDP(0.3) <= GaussianDP(0.5)
    assert ZeroConcentratedDP(0.3) <= ZeroConcentratedDP(0.5)
    assert ApproxDP(1, 1e-6) <= ApproxDP(1, 1e-6)
    assert ApproxDP(1, 1e-6) < ApproxDP(2, 1e-5)
    assert not ApproxDP(1, 1e-5) <= ApproxDP(2, 1e-6)
    assert not ApproxDP(2, 1e-6) <= ApproxDP(1, 1e-5)


def test_across_kinds() -> None:
    assert PureDP(1) <= ApproxDP(1, 1e-9)
    assert not ApproxDP(1, 1e-9) <= PureDP(1)
    assert PureDP(1) <= PureDP(1).to_gaussian()
    assert not PureDP(1) <= GaussianDP(1.23203)
    assert PureDP(1) <= ZeroConcentratedDP(0.462118)
    assert not PureDP(1) <= ZeroConcentratedDP(0.462117)
    assert GaussianDP(1) <= ApproxDP(1, GaussianDP(1).delta(1.0))
    assert not GaussianDP(1) <= ApproxDP(1, 0.1269)
    assert GaussianDP(1) <= ZeroConcentratedDP(0.5)
    assert not ZeroConcentratedDP(0.5) <= GaussianDP(1)
    assert not ZeroConcentratedDP(0.5) <= GaussianDP(100)
    assert ZeroConcentratedDP(0.5) <= ApproxDP(4.73, 1e-5)
    assert not ZeroConcentratedDP(0.5) <= ApproxDP(4.72, 1e-5)


def test_it_is_a_partial_order() -> None:
    implies = np.array([[a <= b for b in SOME] for a in SOME])
    for i, j, k in itertools.product(range(len(SOME)), repeat=3):
        assert not (implies[i, j] and implies[j, k]) or implies[i, k], (SOME[i], SOME[j], SOME[k])
    assert np.all(implies.diagonal())
    assert not np.any(np.triu(implies & implies.T, 1))
    assert ZeroConcentratedDP(0.1) < ZeroConcentratedDP(0.5) > GaussianDP(0.5) >= PureDP(0.1)


def test_an_implication_shows_in_the_curves() -> None:
    alpha = np.linspace(0, 1, 101)
    for a, b in itertools.product(SOME, repeat=2):
        if a <= b:
            assert np.all(a.tradeoff()(alpha) >= b.tradeoff()(alpha) - 1e-9), (a, b)


def test_nothing_else_can_be_compared() -> None:
    with pytest.raises(TypeError):
        PureDP(1) <= 1.0  # noqa: B015
    assert PureDP(1) != 1.0
    assert PureDP(1) != GaussianDP(1)


def test_composition() -> None:
    assert compose(*[PureDP(0.1)] * 10) == PureDP(1)
    assert compose(GaussianDP(0.3), GaussianDP(0.4)) == GaussianDP(0.5)
    assert compose(*[ZeroConcentratedDP(0.1)] * 3) == ZeroConcentratedDP(0.3)
    assert compose(ApproxDP(0.1, 1e-6), PureDP(0.2), ApproxDP(0.3, 2e-6)) == ApproxDP(0.6, 3e-6)
    assert compose(PureDP(0.7)) == PureDP(0.7)


def test_a_composition_is_rounded_up() -> None:
    mu = compose(GaussianDP(1), GaussianDP(1))
    assert mu.exact**2 >= 2
    assert np.nextafter(mu.to_dict()["mu"], 0) ** 2 < 2


def test_small_levels_do_not_underflow() -> None:
    assert compose(GaussianDP(3e-300), GaussianDP(4e-300)) == GaussianDP(5e-300)
    assert compose(GaussianDP(1e-320)) == GaussianDP(1e-320)


def test_compositions_that_are_not_available() -> None:
    with pytest.raises(NotAvailable, match="add up to 1"):
        compose(ApproxDP(1, 0.6), ApproxDP(1, 0.6))
    for bad in ((), (1.0,), (PureDP(1), "x")):
        with pytest.raises(InvalidInput):
            compose(*bad)  # type: ignore[arg-type]
