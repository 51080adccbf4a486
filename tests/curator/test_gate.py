"""The law of the protective noise, and what the gate refuses.

The statistical tests have a false-alarm probability of 1e-6 each (below 1e-4 for the file); they are never seeded, as
the gate has no seed. The law tests accept the declared scale and must reject one that is 10 % off in either direction,
by a chi-squared test on 40 equiprobable cells with n = 40,000 draws: over 100,000 simulated samples of each kind the
smallest statistic was 232 (Laplace) and 457 (Gaussian) against the critical 96.1, and the mean lies 7.3 or more of its
standard deviations above it, so a 10 % error is missed with probability below 1e-6, too.
"""

from __future__ import annotations

import math
import os
import pickle
import secrets
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.curator import gate
from discreet.curator.gate import GateDraw, check_draw, choose, draw_noise, grid_exponent, opendp_version
from discreet.errors import DiscreetError, InvalidInput, MissingExtra

ALARM = 1e-6
FAMILIES = ("laplace", "gaussian")
CANARY = 918273645


def noise(family: str, scale: float, size: int) -> np.ndarray:
    """Noise alone, in records."""
    draw = draw_noise([0] * size, family=family, scale=scale, cap=0)
    return np.array(draw.integers, float) * 2.0**-draw.exponent


def law(family: str, scale: float):
    return stats.laplace(scale=scale) if family == "laplace" else stats.norm(scale=scale)


def equiprobable_pvalue(x: np.ndarray, law, cells: int = 40) -> float:
    counts = np.bincount(np.minimum((law.cdf(x) * cells).astype(int), cells - 1), minlength=cells)
    return float(stats.chisquare(counts).pvalue)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scale", [0.3, 4.0, 1234.5, 2.0**21, 3.7e9])
def test_noise_has_the_declared_law_and_no_other_scale(family: str, scale: float) -> None:
    x = noise(family, scale, 40_000)
    assert equiprobable_pvalue(x, law(family, scale)) > ALARM
    assert stats.kstest(x, law(family, scale).cdf).pvalue > ALARM
    assert equiprobable_pvalue(x, law(family, 1.1 * scale)) < ALARM
    assert equiprobable_pvalue(x, law(family, scale / 1.1)) < ALARM


@pytest.mark.parametrize("family", FAMILIES)
def test_the_other_family_is_rejected(family: str) -> None:
    x = noise(family, 5.0, 20_000)
    other = "gaussian" if family == "laplace" else "laplace"
    same_variance = 5.0 * math.sqrt(2.0) if family == "laplace" else 5.0 / math.sqrt(2.0)
    assert equiprobable_pvalue(x, law(other, same_variance)) < ALARM


@pytest.mark.parametrize("family", FAMILIES)
def test_the_low_byte_is_uniform_whatever_the_count(family: str) -> None:
    """A float sampler leaves the count in the last bits of its output (Mironov 2012); grid integers do not."""
    for count in (0, 1, 999):
        draw = draw_noise([count] * 20_000, family=family, scale=4.0, cap=1000)
        low = np.bincount(np.array(draw.integers) % 256, minlength=256)
        assert stats.chisquare(low).pvalue > ALARM


@pytest.mark.parametrize("family", FAMILIES)
def test_cells_are_uncorrelated_and_counts_only_shift(family: str) -> None:
    counts = [0, 7, 300, 12]
    repeats = 10_000
    draw = draw_noise(counts * repeats, family=family, scale=2.0, cap=319)
    x = np.array(draw.integers, float).reshape(repeats, 4) * 2.0**-draw.exponent
    sd = 2.0 * (math.sqrt(2.0) if family == "laplace" else 1.0)
    standardised = (x - counts) / sd
    bound = stats.norm.isf(ALARM / 20)  # 4 means, 6 correlations, two-sided: together below 1e-6
    assert np.all(np.abs(standardised.mean(0)) * math.sqrt(repeats) < bound)
    products = np.array([(standardised[:, i] * standardised[:, j]).mean() for i in range(4) for j in range(i)])
    assert np.all(np.abs(products) * math.sqrt(repeats) < bound)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [1, 1000, gate.CHUNK + 1])
def test_every_size_gives_as_many_integers_on_the_grid(family: str, size: int) -> None:
    draw = draw_noise([5] * size, family=family, scale=4.0, cap=5)
    assert isinstance(draw, GateDraw)
    assert len(draw.integers) == size
    assert draw.exponent == 18
    assert all(type(z) is int for z in draw.integers)
    assert np.abs(np.array(draw.integers) * 2.0**-18 - 5).max() < 4.0 * gate.TAIL_SCALES


def test_chunks_keep_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "CHUNK", 7)
    counts = [1000 * i for i in range(50)]
    draw = draw_noise(counts, family="laplace", scale=1.0, cap=50_000)
    assert np.abs(np.array(draw.integers) * 2.0**-draw.exponent - counts).max() < 64


@pytest.mark.parametrize("family", FAMILIES)
def test_no_two_draws_agree(family: str) -> None:
    draws = {draw_noise([0] * 8, family=family, scale=4.0, cap=0).integers for _ in range(50)}
    assert len(draws) == 50


@pytest.mark.parametrize("family", FAMILIES)
def test_numpy_and_python_seeds_change_nothing(family: str) -> None:
    import random

    draws = set()
    for _ in range(3):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002  the legacy global generator is the one a hidden seed would reach
        draws.add(draw_noise([0] * 8, family=family, scale=4.0, cap=0).integers)
    assert len(draws) == 3


def test_there_is_no_seed_parameter() -> None:
    import inspect

    for function in (draw_noise, choose, check_draw):
        names = set(inspect.signature(function).parameters)
        assert not names & {"seed", "rng", "random_state", "generator"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # Python 3.12 warns of fork beside threads, which is the point
def test_forked_children_draw_different_noise() -> None:
    draw_noise([0], family="gaussian", scale=4.0, cap=0)  # the generator's state exists before the fork
    seen = []
    for _ in range(4):
        receiver, sender = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                draw = draw_noise([0] * 4, family="gaussian", scale=4.0, cap=0)
                os.write(sender, pickle.dumps((draw.integers, choose([1] * 2**16))))
            finally:
                os._exit(0)
        os.close(sender)
        with os.fdopen(receiver, "rb") as pipe:
            seen.append(pickle.loads(pipe.read()))
        os.waitpid(child, 0)
    seen.append((draw_noise([0] * 4, family="gaussian", scale=4.0, cap=0).integers, choose([1] * 2**16)))
    assert len({integers for integers, _ in seen}) == 5
    assert len({choice for _, choice in seen}) >= 2  # four equal choices of five: probability below 1e-12


def test_threads_draw_different_noise() -> None:
    with ThreadPoolExecutor(4) as pool:
        draws = list(pool.map(lambda _: draw_noise([0] * 4, family="laplace", scale=4.0, cap=0).integers, range(16)))
    assert len(set(draws)) == 16


# ---- the grid --------------------------------------------------------------------------------------------------------


@given(st.floats(gate.SMALLEST_SCALE, gate.LARGEST_SCALE))
def test_grid_exponent_is_the_smallest_that_is_fine_enough(scale: float) -> None:
    k = grid_exponent(scale)
    assert k >= 0
    assert scale * 2.0**k >= 2.0**20
    assert k == 0 or scale * 2.0 ** (k - 1) < 2.0**20


@pytest.mark.parametrize(
    ("scale", "k"),
    [(2.0**20, 0), (math.nextafter(2.0**20, 0), 1), (1, 20), (0.5, 21), (2.0**-40, 60), (2.0**56, 0)],
)
def test_grid_exponent_at_powers_of_two(scale: float, k: int) -> None:
    assert grid_exponent(scale) == k


# ---- what is refused -------------------------------------------------------------------------------------------------

BAD_SCALES = [
    0,
    0.0,
    -0.0,
    5e-324,
    -1.0,
    math.nan,
    math.inf,
    -math.inf,
    1e308,
    2.0**57,
    10**400,
    True,
    "4",
    None,
    [4.0],
    10**5000,
]


@pytest.mark.parametrize("scale", BAD_SCALES, ids=range(len(BAD_SCALES)))
@pytest.mark.parametrize("family", FAMILIES)
def test_bad_scales_are_refused(family: str, scale: object) -> None:
    with pytest.raises(InvalidInput, match="scale of noise"):
        draw_noise([1], family=family, scale=scale, cap=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="scale of noise"):
        check_draw(family=family, scale=scale, cap=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("family", ["Laplace", "", None, "geometric"])
def test_unknown_families_are_refused(family: object) -> None:
    with pytest.raises(InvalidInput, match="'laplace' or 'gaussian'"):
        draw_noise([1], family=family, scale=4.0, cap=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("cap", [-1, 1.0, True, None, "3", 2**63, 10**5000], ids=range(7))
def test_bad_caps_are_refused(cap: object) -> None:
    with pytest.raises(InvalidInput, match="cap"):
        draw_noise([0], family="laplace", scale=4.0, cap=cap)  # type: ignore[arg-type]


@pytest.mark.parametrize(("scale", "cap"), [(4.0, 2**45), (2.0**-40, 8), (1.0, 2**43), (2.0**56, 2**62)], ids=range(4))
def test_what_cannot_fit_64_bits_is_refused_from_public_numbers(scale: float, cap: int) -> None:
    with pytest.raises(InvalidInput, match="64-bit grid"):
        draw_noise([CANARY], family="laplace", scale=scale, cap=cap)


@given(st.floats(gate.SMALLEST_SCALE, gate.LARGEST_SCALE), st.integers(0, 2**63 - 1))
@settings(max_examples=200)
def test_what_is_admitted_fits_64_bits(scale: float, cap: int) -> None:
    try:
        k = check_draw(family="laplace", scale=scale, cap=cap)
    except InvalidInput:
        return
    assert cap * 2**k + 64 * int(math.ldexp(scale, k)) < 2**63


@pytest.mark.parametrize(
    "exact",
    [
        [],
        [CANARY, -1],
        [CANARY, 2**63],
        [CANARY, CANARY + 1],
        [CANARY, 1.0],
        [CANARY, True],
        [CANARY, None],
        [CANARY, math.nan],
        [CANARY, np.int64(3)],
        np.array([CANARY, 3]),
        np.ma.masked_array([CANARY, 3], [True, False]),
        "12",
        None,
    ],
    ids=range(13),
)
def test_broken_counts_give_one_constant_message(exact: object) -> None:
    with pytest.raises(DiscreetError) as caught:
        draw_noise(exact, family="laplace", scale=4.0, cap=CANARY)  # type: ignore[arg-type]
    assert str(caught.value) == "the gate takes a nonempty sequence of integers from 0 to the public cap"
    assert caught.value.__context__ is None


@pytest.mark.parametrize("answer", [[1], [1, 2, 3], [1, 2.0], [1, True], [1, 2**63], (1, 2), None])
def test_a_wrong_answer_of_the_sampler_is_not_released(monkeypatch: pytest.MonkeyPatch, answer: object) -> None:
    monkeypatch.setattr(gate, "_measurement", lambda *_: lambda _: answer)
    with pytest.raises(DiscreetError, match=r"^the noise could not be drawn$"):
        draw_noise([1, 2], family="laplace", scale=4.0, cap=2)


def test_a_failure_of_the_sampler_shows_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(part: list[int]) -> list[int]:
        raise ValueError(f"{part[0] >> 18} is not representable")

    monkeypatch.setattr(gate, "_measurement", lambda *_: leaky)
    with pytest.raises(DiscreetError) as caught:
        draw_noise([CANARY], family="laplace", scale=4.0, cap=CANARY)
    assert str(CANARY) not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_another_version_of_opendp_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opendp_version() == gate.OPENDP_VERSION == "0.16.0"
    monkeypatch.setattr(gate, "version", lambda _: "0.17.0")
    with pytest.raises(MissingExtra, match=r"opendp==0\.16\.0"):
        opendp_version()


# ---- choice ----------------------------------------------------------------------------------------------------------


def chosen(weights: list[int], size: int) -> np.ndarray:
    counts = Counter(choose(weights) for _ in range(size))
    return np.array([counts[i] for i in range(len(weights))])


@pytest.mark.parametrize(
    "weights",
    [[1, 1], [1, 2, 3, 4], [0, 5, 0, 1, 0], [2**200, 2**201, 2**199], [2**200 + 1, 3 * 2**200, 0, 7], [10**300] * 7],
    ids=range(6),
)
def test_choice_has_the_declared_probabilities(weights: list[int]) -> None:
    counts = chosen(weights, 20_000)
    possible = np.array([w * 10**6 // sum(weights) > 0 for w in weights])
    assert counts[~possible].sum() == 0
    p = np.array([w / sum(weights) for w in weights])[possible]
    assert stats.chisquare(counts[possible], 20_000 * p / p.sum()).pvalue > ALARM


def test_choice_rejects_wrong_probabilities() -> None:
    """The test of the test: 10 % more on one of four; noncentrality 178 against the critical 30.7, 5.6 sd above it."""
    counts = chosen([11, 10, 10, 10], 100_000)
    assert stats.chisquare(counts).pvalue < ALARM


@pytest.mark.parametrize("weights", [[1], [7], [0, 0, 3, 0], [2**50_000]], ids=range(4))
def test_a_sure_choice(weights: list[int]) -> None:
    assert {choose(weights) for _ in range(20)} == {max(range(len(weights)), key=weights.__getitem__)}


@pytest.mark.parametrize("u", range(6))
def test_every_ticket_belongs_to_its_weight(monkeypatch: pytest.MonkeyPatch, u: int) -> None:
    monkeypatch.setattr(secrets, "randbelow", lambda total: u)
    assert choose([0, 1, 2, 0, 3, 0]) == [1, 2, 2, 4, 4, 4][u]


@pytest.mark.parametrize(
    "weights",
    [[], [0], [0, 0], [CANARY, -1], [CANARY, 1.0], [CANARY, True], [CANARY, None], "12", None, np.array([1, 2])],
    ids=range(10),
)
def test_bad_weights_are_refused_without_showing_one(weights: object) -> None:
    with pytest.raises(InvalidInput, match="weights must be") as caught:
        choose(weights)  # type: ignore[arg-type]
    assert str(CANARY) not in str(caught.value)
