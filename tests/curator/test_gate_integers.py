"""Noise on the whole numbers, signed integers, and what is asserted of every draw.

Random tests have a false-alarm probability of 1e-6 each; a scale that is 10 % off passes the law tests with probability
below 1e-38 (noncentral chi-squared on the integers, 60,000 draws).
"""

from __future__ import annotations

import ast
import itertools
import math
import os
import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from discreet import ApproxDP, Curator, GaussianDP, PureDP, Schema, ZeroConcentratedDP, load
from discreet.curator import gate
from discreet.curator.gate import check_draw, draw_noise
from discreet.errors import DiscreetError, InvalidInput, NoCost, NotAvailable
from discreet.lab.audit import check_noise
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.integer import TAU_SQUARED, discrete_laplace_mu
from discreet.noise import Gaussian as GaussianLaw
from discreet.noise import Laplace as LaplaceLaw

ALARM = 1e-6
FAMILIES = ("laplace", "gaussian")


def pmf(family: str, scale: float, reach: int) -> np.ndarray:
    """P(Z = z) for |z| <= reach by direct summation, not by the library's laws."""
    z = np.arange(-reach, reach + 1, dtype=float)
    weight = np.exp(-np.abs(z) / scale) if family == "laplace" else np.exp(-(z**2) / (2 * scale**2))
    return weight / weight.sum()


def integer_pvalue(x: np.ndarray, family: str, scale: float) -> float:
    reach = int(60 * scale) + 60
    p = pmf(family, scale, reach)
    counts = np.bincount(x + reach, minlength=p.size)
    common = p * x.size >= 10
    merged = np.append(counts[common], counts[~common].sum())
    expected = np.append(p[common], p[~common].sum()) * x.size
    return float(stats.chisquare(merged[expected > 0], expected[expected > 0] * (merged.sum() / expected.sum())).pvalue)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scale", [0.6, 1.0, 3.0])
def test_the_discrete_law_and_no_other_scale(family: str, scale: float) -> None:
    draw = draw_noise([7] * 60_000, family=family, scale=scale, cap=7, integer=True)
    assert draw.exponent == 0
    x = np.array(draw.integers) - 7
    assert integer_pvalue(x, family, scale) > ALARM
    assert integer_pvalue(x, family, 1.1 * scale) < ALARM
    assert integer_pvalue(x, family, scale / 1.1) < ALARM


@pytest.mark.parametrize("family", FAMILIES)
def test_signed_integers(family: str) -> None:
    cap = 10**6
    draw = draw_noise([-cap, 0, cap, -3], family=family, scale=2.0, cap=cap, signed=True)
    assert np.abs(np.array(draw.integers) * 2.0**-draw.exponent - [-cap, 0, cap, -3]).max() < 2 * gate.TAIL_SCALES


@pytest.mark.parametrize("family", FAMILIES)
def test_every_number_of_a_call_has_noise_of_its_own(monkeypatch: pytest.MonkeyPatch, family: str) -> None:
    """Number by number, first and last of every piece of a long call, too: 2,000 calls of seven numbers in pieces of 3."""
    monkeypatch.setattr(gate, "CHUNK", 3)
    calls = [draw_noise([5] * 7, family=family, scale=2.0, cap=5) for _ in range(2000)]
    noise = np.array([call.integers for call in calls]) * 2.0 ** -calls[0].exponent - 5
    law = LaplaceLaw(2.0) if family == "laplace" else GaussianLaw(2.0)
    assert check_noise(noise, law, exponent=calls[0].exponent).faults == ()


@pytest.mark.parametrize("bad", [[-6], [6], [5, -6], [0, True], [0, 1.0], [], None, "5"], ids=range(8))
def test_broken_signed_integers_give_one_constant_message(bad: object) -> None:
    with pytest.raises(DiscreetError) as caught:
        draw_noise(bad, family="laplace", scale=1.0, cap=5, signed=True)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "the gate takes a nonempty sequence of integers from minus the public cap to the public cap"
    )
    assert caught.value.__context__ is None


@pytest.mark.parametrize("scale", [2.0**-7, 0.01, 0, math.nan, 2.0**57, True, "1"], ids=range(7))
def test_scales_that_are_refused_on_the_whole_numbers(scale: object) -> None:
    with pytest.raises(InvalidInput, match="scale of noise"):
        check_draw(family="laplace", scale=scale, cap=1, integer=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["signed", "integer"])
@pytest.mark.parametrize("value", [1, None, "yes", np.True_], ids=range(4))
def test_options_are_booleans(option: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=f"{option}= must be True or False"):
        draw_noise([1], family="laplace", scale=1.0, cap=1, **{option: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("far", [1, -1])
def test_a_draw_out_of_reach_is_not_released(monkeypatch: pytest.MonkeyPatch, far: int) -> None:
    """Beyond the cap and 64 scales no noise comes; the assertion is on public bounds and the noisy number only."""
    k = check_draw(family="laplace", scale=4.0, cap=10)
    reach = (10 << k) + 64 * int(4.0 * 2**k + 1)
    monkeypatch.setattr(gate, "_measurement", lambda *_: lambda part: [far * reach for _ in part])
    assert draw_noise([3], family="laplace", scale=4.0, cap=10).integers == (far * reach,)
    monkeypatch.setattr(gate, "_measurement", lambda *_: lambda part: [far * (reach + 1) for _ in part])
    with pytest.raises(DiscreetError, match=r"^the noise could not be drawn$"):
        draw_noise([3], family="laplace", scale=4.0, cap=10)


DRAW = """
from discreet.curator.gate import choose, draw_noise
both = [(family, integer) for family in ("laplace", "gaussian") for integer in (False, True)]
drawn = [draw_noise([0] * 12, family=f, scale=40.0, cap=0, integer=i).integers for f, i in both]
drawn.append(tuple(choose([1] * 256) for _ in range(12)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 warns of fork beside threads
def test_processes_draw_different_noise() -> None:
    """Twelve numbers of scale 40 (or of 256 choices) agree in two processes with probability below 1e-20."""
    here: dict[str, list[tuple[int, ...]]] = {}
    exec(DRAW, here)  # the generator's state exists before the forks
    seen = [here["drawn"]]
    for _ in range(3):
        receiver, sender = os.pipe()
        if os.fork() == 0:
            try:
                exec(DRAW, here)
                os.write(sender, repr(here["drawn"]).encode())
            finally:
                os._exit(0)
        os.close(sender)
        with os.fdopen(receiver, "rb") as pipe:
            seen.append(ast.literal_eval(pipe.read().decode()))
        os.wait()
    for _ in range(2):
        new = subprocess.run([sys.executable, "-c", DRAW + "print(drawn)"], capture_output=True, check=True)
        seen.append(ast.literal_eval(new.stdout.decode()))
    for kind in zip(*seen, strict=True):
        assert len(set(map(tuple, kind))) == len(seen)


# ---- what it costs ---------------------------------------------------------------------------------------------------


def smallest_mu(family: str, scale: float, shifts: tuple[int, ...], digits: int = 40) -> float:
    """The mu of the exact trade-off curve, by listing all outcomes: the largest level of any likelihood-ratio test."""
    reach = int((30 if family == "laplace" else 8) * scale) + 2
    with mpmath.workdps(digits):
        step = mpmath.mpf(scale)
        weight = {
            z: mpmath.exp(-abs(z) / step) if family == "laplace" else mpmath.exp(-(z**2) / (2 * step**2))
            for z in range(-reach - 1, reach + 2)
        }
        total = sum(weight.values())
        law = {z: w / total for z, w in weight.items()}
        ratios: dict[int, list[mpmath.mpf]] = {}
        for point in itertools.product(range(-reach, reach + 1), repeat=len(shifts)):
            p = mpmath.fprod(law[z] for z in point)
            q = mpmath.fprod(law[z - s] for z, s in zip(point, shifts, strict=True))
            key = (
                sum(abs(z) - abs(z - s) for z, s in zip(point, shifts, strict=True))
                if family == "laplace"
                else sum(2 * z * s for z, s in zip(point, shifts, strict=True))
            )
            entry = ratios.setdefault(key, [mpmath.mpf(0), mpmath.mpf(0)])
            entry[0] += p
            entry[1] += q
        alpha, power, best = mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0)
        for key in sorted(ratios, reverse=True):
            alpha, power = alpha + ratios[key][0], power + ratios[key][1]
            if alpha > 1e-12 and power < 1 - 1e-12:
                quantile = lambda u: mpmath.sqrt(2) * mpmath.erfinv(2 * u - 1)  # noqa: E731
                best = max(best, quantile(power) - quantile(alpha))
        return float(best)


@pytest.mark.parametrize("scale", [0.4, 1.0, 2.5])
@pytest.mark.parametrize("shifts", [(1, -1), (1,)])
def test_the_mu_of_discrete_laplace_noise_is_exact(scale: float, shifts: tuple[int, ...]) -> None:
    exact = smallest_mu("laplace", scale, shifts)
    assert discrete_laplace_mu(scale, len(shifts)) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 9.0, 30.0, 1e3, 1e6])
def test_the_mu_of_discrete_laplace_noise_to_all_digits(scale: float) -> None:
    with mpmath.workdps(60):
        p = 1 / (1 + mpmath.exp(-1 / mpmath.mpf(scale)))
        quantile = lambda u: mpmath.sqrt(2) * mpmath.erfinv(2 * u - 1)  # noqa: E731
        exact = quantile(1 - (1 - p) ** 2) - quantile(1 - p**2)
        given = discrete_laplace_mu(scale, 2)
        assert exact < given < exact * (1 + 3e-12)


@pytest.mark.parametrize("mu", [0.05, 0.5, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_the_scale_of_discrete_laplace_noise_is_the_smallest(mu: float, adjacency: str) -> None:
    mechanism = Laplace(integer=True).for_table(GaussianDP(mu), adjacency)
    counts = 2 if adjacency == "replace-one" else 1
    assert discrete_laplace_mu(mechanism.scale, counts) <= mu
    assert discrete_laplace_mu(mechanism.scale * (1 - 1e-11), counts) > mu * (1 - 1e-11)
    assert mechanism.scale > Laplace().for_table(GaussianDP(mu), adjacency).scale  # whole numbers cost more


@pytest.mark.parametrize("s", [1.6, 2.0, 3.0, 5.0])
@pytest.mark.parametrize("shifts", [(1, -1), (1,)])
def test_the_mu_of_the_integer_gaussian_is_bounded_by_what_is_charged(s: float, shifts: tuple[int, ...]) -> None:
    """The true level lies above l2/s, so that claim would be false, and below the bound that is charged."""
    exact = smallest_mu("gaussian", s, shifts, digits=30)
    l2 = math.sqrt(len(shifts))
    mechanism = Gaussian(integer=True).for_table(
        ZeroConcentratedDP(l2**2 / (2 * s**2)), "replace-one" if len(shifts) == 2 else "add-remove"
    )
    assert mechanism.scale == pytest.approx(s, rel=1e-12)
    assert l2 / s < exact < mechanism.cost("mu").amount
    assert mechanism.cost("mu").amount == pytest.approx(l2 / math.sqrt(s**2 - 2.25), rel=1e-12)


def test_the_lemma_of_the_integer_gaussian() -> None:
    """The law of a continuous Gaussian that is rounded at random, by quadrature, against the integer Gaussian."""
    s, tau = 2.0, 1.0
    with mpmath.workdps(25):
        root = mpmath.sqrt(s**2 - tau**2)
        phi = lambda x, sd: mpmath.exp(-(x**2) / (2 * sd**2)) / (sd * mpmath.sqrt(2 * mpmath.pi))  # noqa: E731
        theta = lambda y: sum(phi(j - y, tau) for j in range(int(y) - 12, int(y) + 13))  # noqa: E731
        e = 2 * mpmath.exp(-2 * mpmath.pi**2 * tau**2)
        law = pmf("gaussian", s, 60)
        for k in (0, 1, 4):
            rounded = mpmath.quad(lambda y, k=k: phi(y, root) * phi(k - y, tau) / theta(y), range(-14, 16, 2))
            assert abs(mpmath.log(rounded / law[60 + k])) < 4 * e + mpmath.mpf(10) ** -13
        bound = 2 * 4 * 2 * mpmath.exp(-2 * mpmath.pi**2 * float(TAU_SQUARED))
        assert bound < mpmath.mpf(10) ** -18


def test_costs_in_all_currencies() -> None:
    laplace = Laplace(integer=True).for_table(PureDP(0.5))
    assert (laplace.name, laplace.scale, laplace.integer) == ("DiscreteLaplace", 4.0, True)
    assert laplace.cost("epsilon").amount == 0.5
    assert laplace.cost("rho").amount == pytest.approx(0.5 * math.tanh(0.25), rel=1e-14)
    assert (laplace.cost("approx").amount, laplace.cost("approx").delta) == (0.5, 0.0)
    gaussian = Gaussian(integer=True).for_table(GaussianDP(0.5))
    assert gaussian.scale == pytest.approx(math.sqrt(8 + 2.25), rel=1e-12)
    assert Fraction(gaussian.scale) ** 2 >= 8 + Fraction(9, 4)
    assert gaussian.cost("mu").amount == 0.5
    assert gaussian.cost("rho").amount == pytest.approx(1 / 10.25, rel=1e-12)
    with pytest.raises(NoCost, match="no finite pure epsilon"):
        gaussian.cost("epsilon")
    with pytest.raises(NoCost, match=r"1\.5 or less"):
        Gaussian(integer=True).for_table(ZeroConcentratedDP(0.5)).cost("mu")
    with pytest.raises(NotAvailable):
        Gaussian(integer=True).for_table(PureDP(1))
    with pytest.raises(InvalidInput, match="too strong"):
        Gaussian(integer=True).for_table(ApproxDP(1e-18, 1e-6))
    approximate = Gaussian(integer=True).for_table(ApproxDP(1, 1e-6))
    mu = approximate.cost("mu").amount
    assert GaussianDP(mu).delta(1.0) <= 1e-6
    assert GaussianDP(mu * (1 + 1e-6)).delta(1.0) > 1e-6


def test_a_release_on_the_whole_numbers(tmp_path) -> None:
    records = pd.DataFrame({"smoking": ["no"] * 30 + ["yes"] * 20})
    schema = Schema({"smoking": ["no", "yes"]}, complete=True)
    for guarantee, specification in (
        (PureDP(1), Laplace(integer=True)),
        (ZeroConcentratedDP(0.02), Gaussian(integer=True)),
    ):
        with Curator(records, schema, budget=guarantee) as curator:
            table = curator.table("smoking", guarantee, specification)
        assert table.exponent == 0
        assert table.mechanism.startswith("Discrete")
        assert (table.counts == np.round(table.counts)).all()
        assert np.abs(table.counts - [30, 20]).max() < 64 * table.scale
        table.save(tmp_path / "table.json")
        assert load(tmp_path / "table.json") == table
