"""Counting samples by their order statistics: against listing, against the other method, against SciPy's KS law."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from scipy import stats

from discreet.mechanisms.choices.order_band import Paths, count_ordered, uniform
from discreet.mechanisms.choices.small_ball import small_ball


def bands(number):
    rng = random.Random(7)
    for _ in range(number):
        grid, size = rng.randint(2, 6), rng.randint(1, 4)
        yield (
            sorted(rng.randint(0, grid - 1) for _ in range(size)),
            sorted(rng.randint(1, grid) for _ in range(size)),
            grid,
        )


def listed(lower, upper, grid):
    return [
        z
        for z in product(range(grid), repeat=len(lower))
        if all(a <= x < b for a, x, b in zip(lower, sorted(z), upper, strict=True))
    ]


def test_counts_are_those_of_a_list():
    possible = 0
    for lower, upper, grid in bands(300):
        samples = listed(lower, upper, grid)
        assert count_ordered(lower, upper) == len(samples)
        if samples:
            possible += 1
            assert Paths.within(lower, upper, grid).total == len(samples)
    assert possible > 150


def law_of(draw):
    """The exact law of what `draw(choose)` returns: every sequence of choices is walked through."""
    law, waiting = Counter(), [[]]
    while waiting:
        fixed, taken, chance = waiting.pop(), [], [Fraction(1)]

        def choose(weights, fixed=fixed, taken=taken, chance=chance):
            possible = [i for i, weight in enumerate(weights) if weight]
            if len(taken) < len(fixed):
                index = fixed[len(taken)]
            else:
                index = possible[0]
                waiting.extend([*taken, other] for other in possible[1:])
            taken.append(index)
            chance[0] *= Fraction(weights[index], sum(weights))
            return index

        law[draw(choose)] += chance[0]
    return law


def test_all_samples_in_a_band_are_drawn_equally_often():
    for lower, upper, grid in bands(40):
        samples = listed(lower, upper, grid)
        if samples:
            paths = Paths.within(lower, upper, grid)
            expected = Counter()
            for z in samples:
                expected[tuple(sorted(z))] += Fraction(1, len(samples))
            assert law_of(lambda choose, paths=paths: tuple(paths.draw(choose))) == expected


@pytest.mark.parametrize("width", [1, 2, 1000, 1025, 2500])
def test_every_number_is_equally_likely(width):
    assert law_of(lambda choose: uniform(choose, width)) == dict.fromkeys(range(width), Fraction(1, width))


def test_a_band_around_the_diagonal_is_the_law_of_kolmogorov():
    for size, radius in ((5, Fraction(3, 10)), (40, Fraction(1, 8)), (200, Fraction(3, 40)), (400, Fraction(1, 50))):
        unit = math.lcm(radius.denominator, size)
        lower = [max(0, int((Fraction(j, size) - radius) * unit)) for j in range(1, size + 1)]
        upper = [min(unit, int((Fraction(j - 1, size) + radius) * unit)) for j in range(1, size + 1)]
        exact = float(Fraction(count_ordered(lower, upper), unit**size))
        assert exact == pytest.approx(stats.kstwo.cdf(float(radius), size), rel=1e-6)
        assert exact == pytest.approx(small_ball(size, float(radius)), rel=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 25, 100, 1000, 5000])
def test_small_balls_are_those_of_scipy(size):
    """SciPy's own error reaches 6e-7: see the exact fractions above."""
    for step in range(1, 30):
        for radius in (0.5 / size + step / (6 * size), 0.02 + step / 30):
            assert small_ball(size, radius) == pytest.approx(stats.kstwo.cdf(radius, size), rel=1e-6, abs=1e-280)


def test_small_ball_reference_values():
    published = {
        (25, 0.1): 0.057318,
        (100, 0.05): 0.046784,
        (100, 0.04): 0.0046925,
        (400, 0.02): 0.0037043,
        (225, 0.03): 0.016183,
    }
    for (size, radius), value in published.items():
        assert small_ball(size, radius) == pytest.approx(value, rel=2e-5)
    assert (small_ball(4, 0.125), small_ball(4, 1.0), small_ball(1, 0.75)) == (0.0, 1.0, 0.5)
