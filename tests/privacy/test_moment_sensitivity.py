"""The five bounds on how far one record moves a covariance: searched for a larger value, and found attained."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.mechanisms import covariance_sensitivity
from discreet.privacy.moment_sensitivity import eigenvalue_constant_squared, entry_moves

CORNERS = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], float)


def moved(before, after):
    """The change in each norm, from the definition."""
    s, t = (np.atleast_2d(np.cov(records, rowvar=False)) for records in (before, after))
    difference = s - t
    eigenvalues = np.linalg.eigvalsh(difference)
    upper = difference[np.triu_indices(len(difference))]
    return {
        "operator": np.abs(eigenvalues).max(),
        "frobenius": np.linalg.norm(difference),
        "eigenvalues": np.abs(np.linalg.eigvalsh(s) - np.linalg.eigvalsh(t)).sum(),
        "entrywise": np.abs(upper).sum(),
        "gaussian": np.linalg.norm(upper),
        "nuclear": np.abs(eigenvalues).sum(),
    }


def exceeded(values, bounds):
    return [norm for norm, bound in bounds.items() if values[norm] > bound * (1 + 1e-12)]


@pytest.mark.parametrize(
    ("d", "c"),
    [(1, 4), (2, 8.9443), (3, 13.8564), (4, 18.3303), (5, 22.9783), (10, 46.1303), (30, 138.5641)],
)
def test_the_constant_of_the_eigenvalues(d, c):
    assert math.sqrt(eigenvalue_constant_squared(d)) == pytest.approx(c, abs=5e-5)
    assert eigenvalue_constant_squared(d) <= Fraction(64, 3) * d**2  # c_d <= (8/sqrt 3) d
    assert covariance_sensitivity(d, 7)["eigenvalues"] == pytest.approx(c / 7, abs=1e-5)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [2, 3, 10, 200])
def test_no_random_replacement_moves_more(d, n):
    rng = np.random.default_rng(100 * d + n)
    bounds = covariance_sensitivity(d, n)
    for _ in range(150):
        spread = rng.choice([0.0, 0.05, 1.0])
        others = np.clip(rng.choice([-1.0, 1.0], d) + spread * rng.normal(size=(n - 1, d)), -1, 1)
        old, new = (rng.choice([-1.0, 1.0], d) if rng.random() < 0.7 else rng.uniform(-1, 1, d) for _ in range(2))
        values = moved(np.vstack([others, old]), np.vstack([others, new]))
        assert not exceeded(values, bounds)
        assert values["nuclear"] <= bounds["eigenvalues"] * (1 + 1e-12)


@pytest.mark.parametrize(("d", "n"), [(1, 2), (1, 4), (2, 2), (2, 3), (3, 2)])
def test_no_replacement_between_corners_moves_more(d, n):
    bounds = covariance_sensitivity(d, n)
    corners = list(itertools.product([-1.0, 1.0], repeat=d))
    for others in itertools.combinations_with_replacement(corners, n - 1):
        for old, new in itertools.combinations(corners, 2):
            assert not exceeded(moved(np.array([*others, old]), np.array([*others, new])), bounds)


@pytest.mark.parametrize(("d", "n"), [(1, 2), (2, 5), (3, 40), (7, 3)])
def test_all_bounds_but_that_of_the_eigenvalues_are_attained(d, n):
    others = -np.ones((n - 1, d))
    values = moved(np.vstack([others, np.ones(d)]), np.vstack([others, -np.ones(d)]))
    bounds = covariance_sensitivity(d, n)
    for norm in ("operator", "frobenius", "entrywise", "gaussian"):
        assert values[norm] == pytest.approx(bounds[norm], rel=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 10])
def test_the_nuclear_norm_attains_the_bound_of_the_eigenvalues(d):
    j = max(range(1, d + 1), key=lambda j: j * (4 * d - 3 * j))
    others, far = -np.ones((20, d)), np.ones(d)
    near = np.where(np.arange(d) < j, -1.0, 1.0)
    values = moved(np.vstack([others, far]), np.vstack([others, near]))
    assert values["nuclear"] == pytest.approx(covariance_sensitivity(d, 21)["eigenvalues"], rel=1e-12)


def test_the_diameter_of_the_cube_would_be_too_small_for_the_eigenvalues():
    """All sets of 100 records at the corners of the square and all replacements between corners: 8.764/n, above 4 d/n."""
    n = 100
    counts = np.array([(i, j, k, n - 1 - i - j - k) for i in range(n) for j in range(n - i) for k in range(n - i - j)])
    mean = counts @ CORNERS / (n - 1)
    scatter = np.einsum("kc,ci,cj->kij", counts, CORNERS, CORNERS) - (n - 1) * mean[:, :, None] * mean[:, None, :]

    def eigenvalues(corner):
        u = corner - mean
        s = (scatter + (n - 1) / n * u[:, :, None] * u[:, None, :]) / (n - 1)
        trace, gap = s[:, 0, 0] + s[:, 1, 1], np.hypot(s[:, 0, 0] - s[:, 1, 1], 2 * s[:, 0, 1])
        return np.stack([trace + gap, trace - gap], -1) / 2

    found = [eigenvalues(corner) for corner in CORNERS]
    largest = n * max(np.abs(a - b).sum(-1).max() for a, b in itertools.combinations(found, 2))
    assert largest == pytest.approx(8.7641, abs=1e-4)
    assert 4 * 2 < largest <= n * covariance_sensitivity(2, n)["eigenvalues"]


ROUNDINGS = {
    "halves to even": round,
    "halves up": lambda x: math.floor(x + Fraction(1, 2)),
    "halves down": lambda x: math.ceil(x - Fraction(1, 2)),
    "halves away from zero": lambda x: int(math.copysign(math.floor(abs(x) + Fraction(1, 2)), x)),
}


def integer_covariance(records, rounding):
    """round((n Q - s s')/(n - 1)), the upper triangle, from the definition."""
    n, d = len(records), len(records[0])
    s = [sum(r[i] for r in records) for i in range(d)]
    return [
        rounding(Fraction(n * sum(r[i] * r[j] for r in records) - s[i] * s[j], n - 1))
        for i in range(d)
        for j in range(i, d)
    ]


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize(("steps", "n"), [((1,), 4), ((2,), 3), ((3,), 4), ((4,), 2), ((1, 1), 3), ((1, 2), 3)])
def test_an_integer_entry_moves_by_at_most_its_move(rounding, steps, n):
    """Every set of n records and every replacement."""
    points = list(itertools.product(*(range(j + 1) for j in steps)))
    largest = [0] * len(entry_moves(steps))
    for others in itertools.combinations_with_replacement(points, n - 1):
        found = [integer_covariance([*others, point], ROUNDINGS[rounding]) for point in points]
        for a, b in itertools.combinations(found, 2):
            largest = [max(m, abs(x - y)) for m, x, y in zip(largest, a, b, strict=True)]
    keeps = rounding in ("halves up", "halves down")  # those that commute with a shift by a whole number
    assert all(m <= bound + (not keeps) for m, bound in zip(largest, entry_moves(steps), strict=True))
    assert all(m >= bound for m, bound in zip(largest, entry_moves(steps), strict=True))


def test_larger_codes_at_the_extremes():
    steps, n = (2**20, 1000, 7), 12
    rng = np.random.default_rng(4)
    for _ in range(300):
        others = [tuple(int(rng.choice([0, j, rng.integers(j + 1)])) for j in steps) for _ in range(n - 1)]
        old, new = (tuple(int(rng.choice([0, j])) for j in steps) for _ in range(2))
        a, b = (integer_covariance([*others, record], ROUNDINGS["halves up"]) for record in (old, new))
        assert all(abs(x - y) <= move for x, y, move in zip(a, b, entry_moves(steps), strict=True))


def test_bad_input():
    with pytest.raises(InvalidInput, match="at least 2 records, not n = 1"):
        covariance_sensitivity(2, 1)
    with pytest.raises(InvalidInput, match="d must be a whole number"):
        covariance_sensitivity(0, 10)
    with pytest.raises(InvalidInput, match="n must be a whole number"):
        covariance_sensitivity(2, True)
