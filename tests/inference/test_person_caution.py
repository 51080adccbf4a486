"""The warning where a person has several records, and the level of the tests with and without them.

The level is simulated with a fixed seed: 4,000 tables a line, so that a true level of .05 comes out above .0672 or below .0328
with probability below 1e-6 (normal approximation of the binomial law, 5 standard deviations of .0034).
"""

import numpy as np
import pytest

from discreet import Curator, GaussianDP, Schema, goodness_of_fit, homogeneity, independence
from discreet.inference import independence_many
from discreet.noise import Laplace

SENTENCE = "up to 5 records of one person ('patient') are counted, and a test takes records as independent"


def released(most, columns=("x", "y"), seed=1):
    rng = np.random.default_rng(seed)
    frame = {"patient": rng.integers(0, 400, 2000), "x": rng.integers(0, 2, 2000), "y": rng.integers(0, 3, 2000)}
    pd = pytest.importorskip("pandas")
    schema = Schema({"x": [0, 1], "y": [0, 1, 2]}, unit="patient", max_records=most)
    with Curator(pd.DataFrame(frame), schema, budget=GaussianDP(5)) as curator:
        return curator.table(list(columns), GaussianDP(5))


def test_a_test_warns_where_a_person_has_several_records():
    several, single = released(5), released(1)
    for table, warned in ((several, 1), (single, 0)):
        for result in (
            independence(table, rng=1),
            goodness_of_fit(table, np.full((2, 3), 1 / 6), rng=1),
            homogeneity(table, rng=1),
            homogeneity(table.margin("x"), released(table.schema.max_records, ["x"], 2), rng=1),
            independence(released(table.schema.max_records, ["y", "x"], 3), "x", "y", rng=1),
        ):
            assert sum(SENTENCE in warning for warning in result.warnings) == warned
            assert (SENTENCE in repr(result)) == bool(warned)


def level(persons, each, alike, seed):
    """How often independence is rejected at .05 where all is independent but, perhaps, the records of a person."""
    rng = np.random.default_rng(seed)
    noise, tables = Laplace(2 * each / 1.0), 4000
    draws = rng.multinomial(persons if alike else persons * each, [1 / 4] * 4, tables) * (each if alike else 1)
    noisy = draws.reshape(tables, 2, 2) + noise.sample((tables, 2, 2), rng)
    return float((independence_many(noisy, noise) < 0.05).mean())


def test_the_level_with_one_record_a_person_is_the_nominal_one():
    assert level(1000, 1, False, 1) == pytest.approx(0.05, abs=0.0172)
    assert level(1000, 5, False, 2) == pytest.approx(0.05, abs=0.0172)  # several, and independent


def test_the_level_with_records_that_are_alike_is_not():
    assert level(1000, 5, True, 3) > 0.25
