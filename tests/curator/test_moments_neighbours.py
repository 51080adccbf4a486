"""A deterministic audit of means and moments: replay them on neighbouring records and add up what reaches the gate.

For any two sets of records that differ in one record the gate must be asked for the same noise on as many integers, and
the privacy loss that the exact integers then have must stay within the guarantee: the sum of |difference|/scale within
epsilon under Laplace noise, the sum of (difference/scale)^2 within mu^2 under Gaussian noise, in exact arithmetic. The
search goes over corners, ends and hostile values; what was declared must almost be reached, or accuracy is wasted.
"""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Bounded, Curator, GaussianDP, PureDP, Schema
from discreet.curator import gate
from discreet.curator.releasing.moments import plan_mean, plan_moments
from discreet.curator.releasing.plan import PublicSize
from discreet.curator.source.moments import Moments

COLUMNS = {"x": Bounded(0, 1, step=0.5), "y": Bounded(-3, 4, step=1), "z": Bounded(0, 10)}
STEPS = [column.steps for column in COLUMNS.values()]
SCHEMA = Schema({"g": ["a", "b"]} | COLUMNS, fixed="g")
VALUES = st.sampled_from(
    [None, float("nan"), float("inf"), float("-inf"), 0.0, 0.25, 0.5, 1.0, 4.0, -3.0, 10.0, 1e308, -0.0]
)
RECORD = st.tuples(VALUES, VALUES, VALUES)
GUARANTEES = {"laplace": PureDP(1), "gaussian": GaussianDP(1)}


def asked(make, draw=gate.draw_noise):
    """Everything that the gate is asked for, while it draws as always or by `draw`."""
    calls = []

    def spy(exact, **public):
        calls.append((list(exact), public))
        return draw(exact, **public)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "draw_noise", spy)
        return calls, make()


def no_noise(exact, **_):
    return gate.GateDraw(tuple(exact), 0)


def loss(first, second):
    """What one release could tell two neighbours apart by: in epsilon, or in mu squared."""
    total = Fraction(0)
    assert len(first) == len(second)
    for (one, public), (other, same) in zip(first, second, strict=True):
        assert public == same
        assert len(one) == len(other)
        power = 1 if public["family"] == "laplace" else 2
        total += sum(
            (Fraction(abs(a - b)) / Fraction(public["scale"])) ** power for a, b in zip(one, other, strict=True)
        )
    return total


def from_records(labels, records, verb, guarantee):
    frame = pd.DataFrame(
        {"g": pd.Series(labels, dtype=object)}
        | {name: pd.Series([r[i] for r in records], dtype=float) for i, name in enumerate(COLUMNS)}
    )
    with Curator(frame, SCHEMA, budget=guarantee) as curator:
        release = getattr(curator, verb)(list(COLUMNS), guarantee)
        means = release if verb == "mean" else release.mean
        entries = [(e.cost, e.specification, e.neighbours, e.released) for e in curator.ledger.entries()]
    return entries, means.scales, means.exponents, means.group_sizes


@pytest.mark.parametrize("verb", ["mean", "moments"])
@settings(max_examples=40, deadline=None)
@given(
    groups=st.tuples(*[st.lists(RECORD, min_size=2, max_size=4)] * 2),
    strays=st.lists(RECORD, max_size=3),
    new=RECORD,
    where=st.integers(0, 30),
    family=st.sampled_from([*GUARANTEES]),
)
def test_replacing_a_record_of_real_frames_stays_within_the_guarantee(verb, groups, strays, new, where, family):
    records = [*groups[0], *groups[1], *strays]
    labels = ["a"] * len(groups[0]) + ["b"] * len(groups[1]) + ["z"] * len(strays)
    neighbour = list(records)
    neighbour[where % len(records)] = new
    guarantee = GUARANTEES[family]
    first, public = asked(lambda: from_records(labels, records, verb, guarantee))
    second, same = asked(lambda: from_records(labels, neighbour, verb, guarantee))
    assert public == same
    assert loss(first, second) <= 1


class Codes:
    """Records as a list of codes, nothing but their sums seen."""

    def __init__(self, codes):
        self.codes = np.array(codes, dtype=object)

    def sums(self, columns, *, products):
        square = self.codes.T @ self.codes
        q = tuple(tuple(map(int, row)) for row in square) if products else ()
        return [Moments(len(self.codes), tuple(map(int, self.codes.sum(0))), q)]


def of_codes(codes, verb, family):
    planner = {"mean": plan_mean, "moments": plan_moments}[verb]
    currency = {"laplace": "epsilon", "gaussian": "mu"}[family]
    plan = planner(Schema(COLUMNS), PublicSize(len(codes)), currency, list(COLUMNS), GUARANTEES[family])
    return asked(lambda: plan.make(Codes(codes)), no_noise)[0]


@pytest.mark.parametrize("family", GUARANTEES)
@pytest.mark.parametrize("verb", ["mean", "moments"])
def test_a_climb_over_codes_never_passes_the_guarantee_and_comes_near_it(verb, family):
    """Random starts in corners and inside, then any change of a record or of the replacement that raises the loss."""
    rng, best = np.random.default_rng(11), Fraction(0)

    def anywhere():
        return [int(rng.choice([0, j, rng.integers(0, j + 1)])) for j in STEPS]

    for _ in range(6):
        codes = [anywhere() for _ in range(int(rng.integers(2, 6)))]
        new, found = anywhere(), Fraction(-1)
        for _ in range(60):
            trial, other = [list(code) for code in codes], list(new)
            (other if rng.random() < 0.4 else trial[rng.integers(len(trial))])[rng.integers(3)] = anywhere()[
                rng.integers(3)
            ]
            trial = [[min(c, j) for c, j in zip(code, STEPS, strict=True)] for code in trial]
            other = [min(c, j) for c, j in zip(other, STEPS, strict=True)]
            value = loss(of_codes(trial, verb, family), of_codes([other, *trial[1:]], verb, family))
            assert value <= 1
            if value >= found:
                codes, new, found = trial, other, value
        best = max(best, found)
    assert best > 0.5


@pytest.mark.parametrize("family", GUARANTEES)
@pytest.mark.parametrize("verb", ["mean", "moments"])
def test_from_all_lower_to_all_upper_ends_the_guarantee_is_used_up(verb, family):
    """All sums move by J, all entries of C by J_a J_b."""
    low, high = [0, 0, 0], STEPS
    for n in (2, 3, 50):
        rest = [[0, 0, 0]] * (n - 1)
        value = loss(of_codes([low, *rest], verb, family), of_codes([high, *rest], verb, family))
        assert 1 - 1e-9 <= value <= 1
