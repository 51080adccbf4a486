"""Scale and cost of table mechanisms where a person has up to k records, against trade-off curves by enumeration.

The oracle lists every outcome of integer noise with its probability under both tables, whatever counts move and by how much;
the level of the best likelihood-ratio test is the exact mu of the discrete law.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from discreet.errors import NotAvailable
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian, default_for_table
from discreet.privacy import ApproxDP, GaussianDP, PureDP, TradeOff, ZeroConcentratedDP
from discreet.privacy.cost import exact
from discreet.privacy.sensitivity import table as table_sensitivity

RECORDS = (1, 2, 5, 100)
ADJACENCIES = {"replace-one": 2, "add-remove": 1}
GUARANTEES = [PureDP(0.5), GaussianDP(0.5), ZeroConcentratedDP(0.1), ApproxDP(1.0, 1e-6)]
Losses = tuple[
    np.ndarray, np.ndarray
]  # probabilities of the losses -m, ..., m (in units) under the first and the second table


def laplace_losses(shift: int, scale: float) -> Losses:
    """|z| - |z - s| of noise z of the discrete Laplace law, exactly: -s and s have the tails' probabilities."""
    q = math.exp(-1 / scale)
    p = np.zeros(2 * shift + 1)
    p[0], p[-1] = 1 / (1 + q), q**shift / (1 + q)
    for z in range(1, shift):
        p[2 * z] = (1 - q) / (1 + q) * q**z
    return p, p[::-1]


def gaussian_losses(shift: int, scale: float) -> Losses:
    """s (2 z - s), of which e^(loss/(2 scale^2)) is the likelihood ratio."""
    z = np.arange(-int(12 * scale) - shift, int(12 * scale) + 2 * shift + 1)
    weight = np.exp(-(z**2) / (2 * scale**2))
    shifted = np.exp(-((z - shift) ** 2) / (2 * scale**2))
    losses = shift * (2 * z - shift)
    reach = int(np.abs(losses).max())
    p, q = np.zeros(2 * reach + 1), np.zeros(2 * reach + 1)
    p[losses + reach], q[losses + reach] = weight / weight.sum(), shifted / weight.sum()
    return p, q


def joint(each: list[Losses]) -> Losses:
    p, q = np.ones(1), np.ones(1)
    for one, other in each:
        p, q = np.convolve(p, one), np.convolve(q, other)
    return p, q


def level(losses: Losses, rarest: float = 1e-250) -> float:
    """mu, from the tests "the loss is at least j": both errors and their complements are summed from the small end."""
    (false_alarm, silence), (hit, miss) = (
        (np.cumsum(each[::-1])[::-1], np.append(0, np.cumsum(each)[:-1])) for each in losses
    )
    used = np.minimum(false_alarm, miss) > rarest
    return float((_quantile(hit, miss)[used] - _quantile(false_alarm, silence)[used]).max())


def _quantile(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Of the standard normal law, from the smaller of two probabilities that add up to 1."""
    smaller = special.ndtri_exp(np.log(np.maximum(np.minimum(below, above), 1e-300)))
    return np.where(below < above, smaller, -smaller)


def hockey_stick(losses: Losses, epsilons: np.ndarray) -> np.ndarray:
    p, q = losses
    return np.array([np.maximum(q - math.exp(epsilon) * p, 0).sum() for epsilon in epsilons])


def partitions(k: int, largest: int | None = None) -> list[tuple[int, ...]]:
    """The ways in which k records lie in cells."""
    if k == 0:
        return [()]
    top = k if largest is None else min(k, largest)
    return [(first, *rest) for first in range(top, 0, -1) for rest in partitions(k - first, first)]


def shifts(adjacency: str, k: int) -> list[tuple[int, ...]]:
    """All the ways in which k records go from some cells to others, or are added; the concentrated one first."""
    if adjacency == "add-remove":
        return partitions(k)
    return [old + new for old, new in itertools.product(partitions(k), repeat=2)]


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
@pytest.mark.parametrize("specification", [Laplace(), Gaussian()], ids=str)
def test_k_times_the_scale_of_one_record(specification, guarantee, adjacency):
    if isinstance(guarantee, PureDP) and specification == Gaussian():
        pytest.skip("refused")
    one = specification.for_table(guarantee, adjacency)
    for k in RECORDS:
        mechanism = specification.for_table(guarantee, adjacency, records=k)
        assert mechanism.scale == pytest.approx(k * one.scale, rel=1e-9)
        assert mechanism.scale >= k * one.scale * (1 - 1e-15)
        moved = ADJACENCIES[adjacency]
        assert (mechanism.sensitivity.l1, mechanism.sensitivity.l2_squared) == (moved * k, moved * k**2)
        currency = {"pure": "epsilon", "gdp": "mu", "zcdp": "rho", "approx": "approx"}[guarantee.kind]
        own = mechanism.cost(currency)
        assert own.amount == next(iter(vars(guarantee).values()))
        for other in ("epsilon", "mu", "rho", "approx"):
            if specification == Laplace() or other in ("mu", "rho"):
                assert mechanism.cost(other).amount == pytest.approx(one.cost(other).amount, rel=1e-9)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("k", RECORDS)
def test_pure_and_concentrated_claims_are_exact_fractions(k, adjacency):
    sensitivity = table_sensitivity(adjacency, records=k)
    for epsilon in (1e-3, 0.3, 1.0, 7.7):
        for specification in (Laplace(), Laplace(integer=True)):
            scale = Fraction(specification.for_table(PureDP(epsilon), adjacency, records=k).scale)
            assert sensitivity.l1 / scale <= exact(epsilon)
    for rho in (1e-3, 0.3, 2.2):
        for specification in (Gaussian(), Gaussian(integer=True)):
            scale = Fraction(specification.for_table(ZeroConcentratedDP(rho), adjacency, records=k).scale)
            assert Fraction(sensitivity.l2_squared) / (2 * scale**2) <= exact(rho)
    mu = Gaussian().for_table(GaussianDP(0.7), adjacency, records=k)
    assert Fraction(sensitivity.l2_squared) * (1 + Fraction(1, 2**36)) <= (exact(0.7) * Fraction(mu.scale)) ** 2


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("k", RECORDS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_mu_of_laplace_noise_by_enumeration(epsilon, k, adjacency):
    """On a grid of thousands of steps in k records. Its curve is above the continuous one of the rate corrected for it, and
    below that of its own rate, so two grids enclose the continuous mu; what is charged lies between them, too."""
    mechanism = Laplace().for_table(PureDP(epsilon), adjacency, records=k)
    rate, steps = k / mechanism.scale, 3000
    above = level(joint([laplace_losses(steps, steps / rate)] * ADJACENCIES[adjacency]))
    wider = steps / rate * (1 + rate / (2 * steps**2))
    assert steps / wider + 2 * math.log(math.cosh(1 / (2 * wider))) <= rate
    below = level(joint([laplace_losses(steps, wider)] * ADJACENCIES[adjacency]))
    assert below < mechanism.cost("mu").amount < above * (1 + 1e-10)
    assert above / below < 1 + 2e-6
    stated = Laplace().for_table(GaussianDP(above), adjacency, records=k)
    assert stated.scale == pytest.approx(mechanism.scale, rel=2e-6)


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("scale", [0.8, 3.0, 40.0])
def test_no_way_to_spread_the_records_is_easier_to_see(scale, k, adjacency):
    """All ways in which k records lie in cells, before and after: neither mu nor any delta is above that of one cell."""
    epsilons = np.linspace(0, 2 * k / scale, 60)
    found = {way: joint([laplace_losses(shift, scale) for shift in way]) for way in shifts(adjacency, k)}
    worst = found.pop((k,) * ADJACENCIES[adjacency])
    for way, losses in found.items():
        assert level(losses) < level(worst), way
        assert (hockey_stick(losses, epsilons) <= hockey_stick(worst, epsilons) + 1e-15).all(), way
    gaussian = {way: math.sqrt(sum(s * s for s in way)) for way in shifts(adjacency, k)}
    assert max(gaussian, key=gaussian.get) == (k,) * ADJACENCIES[adjacency]


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("scale", [0.6, 2.5, 20.0])
def test_what_discrete_laplace_noise_costs(scale, k, adjacency):
    """Group privacy is charged: exact for one record, and above the level of every shift for more."""
    moved = ADJACENCIES[adjacency]
    mechanism = Laplace(integer=True).for_table(PureDP(moved * k / scale), adjacency, records=k)
    assert mechanism.scale == pytest.approx(scale, rel=1e-14)
    levels = [level(joint([laplace_losses(s, scale) for s in way])) for way in shifts(adjacency, k)]
    charged = mechanism.cost("mu").amount
    assert max(levels) <= charged
    assert charged / max(levels) < 1 + 1e-10 if k == 1 else charged / max(levels) < 2
    stated = Laplace(integer=True).for_table(GaussianDP(1.3), adjacency, records=k)
    claims = [level(joint([laplace_losses(s, stated.scale) for s in way])) for way in shifts(adjacency, k)]
    assert max(claims) <= 1.3


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_what_discrete_gaussian_noise_costs(k, adjacency):
    for mu in (0.4, 2.0):
        mechanism = Gaussian(integer=True).for_table(GaussianDP(mu), adjacency, records=k)
        levels = [
            level(joint([gaussian_losses(s, mechanism.scale) for s in way]), 1e-12) for way in shifts(adjacency, k)
        ]
        assert (0.8 if mu < 1 else 0.3) * mu < max(levels) <= mu  # loose where s is near 3/2
        assert levels[0] == max(levels)  # all records in one cell
        assert mechanism.cost("mu").amount == mu
    approximate = Gaussian(integer=True).for_table(ApproxDP(1.0, 1e-6), adjacency, records=k)
    losses = joint([gaussian_losses(k, approximate.scale)] * ADJACENCIES[adjacency])
    assert hockey_stick(losses, np.array([1.0]))[0] <= 1e-6


def test_gaussian_noise_is_as_the_curve_of_its_shift():
    for k in RECORDS:
        mechanism = Gaussian().for_table(GaussianDP(0.8), records=k)
        curve = TradeOff.gaussian_shift([k, -k], np.eye(2) * mechanism.scale**2)
        assert curve.mu == pytest.approx(0.8, rel=1e-9)
        assert curve.mu <= 0.8
        approximate = Gaussian().for_table(ApproxDP(0.5, 1e-5), records=k)
        shifted = TradeOff.gaussian_shift([k, -k], np.eye(2) * approximate.scale**2)
        assert shifted.delta(0.5) == pytest.approx(1e-5, rel=1e-6)
        assert shifted.delta(0.5) <= 1e-5


def test_a_public_total_is_needed_for_a_projection():
    for k in (2, 5):
        with pytest.raises(NotAvailable, match=f"persons with up to {k} records each do not have; use Gaussian"):
            ProjectedGaussian().for_table(GaussianDP(1), records=k)
    assert default_for_table(GaussianDP(1), "add-remove") == Gaussian()
