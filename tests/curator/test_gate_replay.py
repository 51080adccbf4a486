"""Every verb replayed on neighbours: the same control flow, cost and texts; integers no further apart than was paid for.

Neighbours are searched by hypothesis among hostile values. The planted faults at the end are what the replay is for.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet import ApproxDP, Bounded, Curator, GaussianDP, PureDP, Schema, ZeroConcentratedDP
from discreet.curator import gate
from discreet.curator.releasing import count_noise
from discreet.curator.watching import watched, watcher
from discreet.errors import DiscreetError, InvalidInput
from discreet.lab.audit import replay
from discreet.mechanisms import ED, Gaussian, Laplace

TEXTS = st.sampled_from(["no", "yes", "n", "s", 1, "1", True, 1.0, " no", "", None, float("nan"), "x" * 99])
NUMBERS = st.sampled_from(
    [0, 100, 50, 0.5, 0.25, 1, -1, 99.5, -0.0, 5e-324, 1e308, math.inf, -math.inf, math.nan, None]
)
RECORD = st.tuples(TEXTS, TEXTS, NUMBERS, NUMBERS)
EXACT = {"table", "mean", "moments", "histogram", "series", "cdf", "select"}
reached: dict[str, float] = {}


def frame(records):
    columns = list(zip(*records, strict=True))
    kinds = {"smoking": object, "region": object, "age": float, "share": float}
    return pd.DataFrame(
        {name: pd.Series(values, dtype=kind) for (name, kind), values in zip(kinds.items(), columns, strict=True)}
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(RECORD, min_size=2, max_size=5), RECORD, st.integers(0, 4))
def test_replacing_one_record(sample_verb, public_schema, records, new, where):
    neighbour = list(records)
    neighbour[where % len(records)] = new
    guarantee = next(arg for arg in sample_verb.args if hasattr(arg, "kind"))
    found = replay(sample_verb.name, frame(records), frame(neighbour), public_schema, *sample_verb.args)
    if sample_verb.name not in EXACT:
        # A sampler that rejects asks as often as it must, and its law as a whole is what protects: see test_samplers.
        assert set(found.differences) <= {"the calls of the gate", "the release beyond the gate's answers"}
        return
    assert found.differences == ()
    assert found.refusal is None
    assert found.calls
    assert found.share(guarantee) <= 1 + 1e-9
    assert found.sound(guarantee)
    reached[sample_verb.name] = max(reached.get(sample_verb.name, 0.0), found.share(guarantee))


ENDS = {"smoking": ["no", "yes"], "region": ["n", "s"], "age": [0.0, 100.0], "share": [0.0, 1.0]}


def test_what_was_paid_for_is_needed(sample_verb, public_schema):
    """The ends of the scales come near the declared sensitivity; what stays far below it would waste accuracy.

    A moments release cannot reach it at once: its means are furthest apart where its covariances are not.
    """
    if sample_verb.name not in EXACT:
        pytest.skip("the law of a sampler is walked through in test_samplers")
    guarantee = next(arg for arg in sample_verb.args if hasattr(arg, "kind"))
    others = [("no", "n", 50.0, 0.5)] * 3
    best = reached.get(sample_verb.name, 0.0)
    for pair in (("no", "n", 0.0, 0.0), ("yes", "s", 100.0, 1.0)), (("no", "n", 0.0, 1.0), ("yes", "s", 33.0, 0.0)):
        found = replay(
            sample_verb.name, *(frame([*others, record]) for record in pair), public_schema, *sample_verb.args
        )
        best = max(best, found.share(guarantee))
    assert best > {"moments": 0.6, "select": 0.4}.get(sample_verb.name, 0.9)


@pytest.mark.parametrize("guarantee", [PureDP(0.7), GaussianDP(0.7), ZeroConcentratedDP(0.2), ApproxDP(1, 1e-6)])
@pytest.mark.parametrize("specification", [None, Laplace(), Laplace(integer=True), Gaussian(), Gaussian(integer=True)])
def test_the_declared_guarantee_is_reached_and_not_passed(guarantee, specification):
    if isinstance(guarantee, PureDP) and isinstance(specification, Gaussian):
        pytest.skip("refused")
    schema = Schema({"x": ["a", "b"]})
    pair = [pd.DataFrame({"x": ["a", "a", value]}) for value in ("a", "b")]
    found = replay("table", *pair, schema, "x", guarantee, specification)
    assert found.sound(guarantee)
    # discrete laws cost more in mu than their calls show, and Laplace noise under another guarantee has slack
    assert found.share(guarantee) > 0.2
    if specification is None and not isinstance(guarantee, ApproxDP):
        assert found.share(guarantee) == pytest.approx(1, rel=1e-6)


def test_a_record_added_or_removed(public_schema):
    schema = Schema({"x": ["a", "b"]}, adjacency="add-remove", max_rows=100)
    pair = [pd.DataFrame({"x": values}) for values in (["a", "b"], ["a", "b", "b"])]
    found = replay("table", *pair, schema, "x", PureDP(1))
    assert found.differences == ()
    assert (found.calls[0].l1, found.epsilon, found.cost.amount) == (1, 1.0, 1.0)


def test_records_two_apart_are_refused_by_public_size(public_schema):
    pair = [pd.DataFrame({"x": values}) for values in (["a", "b"], ["a", "b", "b"])]
    found = replay("table", *pair, Schema({"x": ["a", "b"]}), "x", PureDP(1))
    assert "the calls of the gate" in found.differences  # n is public here, so another cap: these are no neighbours


def test_what_is_refused_is_refused_alike():
    pair = [pd.DataFrame({"x": [value]}) for value in (0.1, 0.9)]
    found = replay("moments", *pair, Schema({"x": Bounded(0, 1, step=0.1)}), "x", PureDP(1))
    assert found.refusal is not None
    assert found.differences == ()
    assert found.calls == ()
    with pytest.raises(InvalidInput, match="needs the release's guarantee"):
        replay("table", *pair, Schema({"x": Bounded(0, 1)}), "x")
    with pytest.raises(InvalidInput, match="schema must be"):
        replay("table", *pair, {"x": 1}, "x", PureDP(1))


# ---- planted faults: what the replay must see ------------------------------------------------------------------------

SCHEMA = Schema({"x": ["a", "b", "c"], "z": Bounded(0, 10, step=1)})
FIRST = pd.DataFrame({"x": ["a", "b", "b", "c"], "z": [0.0, 3, 4, 5]})
SECOND = pd.DataFrame({"x": ["c", "b", "b", "c"], "z": [10.0, 3, 4, 5]})


def tampered(monkeypatch, family, change):
    """The gate as a family sees it, with a fault between the family and it."""

    class Tampered:
        def __getattr__(self, name):
            return getattr(gate, name)

        def draw_noise(self, exact, **public):
            return change(exact, public)

    monkeypatch.setattr(family, "gate", Tampered())


def drawn(exact, public):
    return gate.draw_noise(exact, **public)


def clipped(exact, draw):
    return gate.GateDraw(tuple(max(z, x << 18) for z, x in zip(draw.integers, exact, strict=True)), 18)


FAULTS = {
    "counts counted twice": lambda e, p: drawn([2 * x for x in e], p | {"cap": 2 * p["cap"]}),
    "half of the scale": lambda e, p: drawn(e, p | {"scale": p["scale"] / 2}),
    "scale from the records": lambda e, p: drawn(e, p | {"scale": p["scale"] + max(e) / 100}),
    "cap from the records": lambda e, p: drawn(e, p | {"cap": max(e)}),
    "empty cells left out": lambda e, p: drawn([x for x in e if x], p),
    "drawn again where a count is small": lambda e, p: [drawn(e, p) for _ in range(1 + (e[0] < 1))][-1],
    "no noise in one cell": lambda e, p: gate.GateDraw((e[0], *drawn(e, p).integers[1:]), 18),
    "clipped at the count": lambda e, p: clipped(e, drawn(e, p)),
    "another family where a count is large": lambda e, p: drawn(e, p | {"family": "gaussian" if max(e) > 2 else "laplace"}),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_seen(monkeypatch, fault):
    first = pd.DataFrame({"x": ["a", "b", "b", "c"], "z": [0.0] * 4})
    second = pd.DataFrame({"x": ["b", "b", "b", "c"], "z": [0.0] * 4})
    assert replay("table", first, second, SCHEMA, "x", PureDP(0.5)).sound(PureDP(0.5))
    tampered(monkeypatch, count_noise, FAULTS[fault])
    found = replay("table", first, second, SCHEMA, "x", PureDP(0.5))
    assert not found.sound(PureDP(0.5))


def test_a_warning_or_a_failure_that_depends_on_a_record_is_seen(monkeypatch):
    def warn(exact, public):
        if exact[0] == 0:
            warnings.warn("an empty cell", stacklevel=1)
        return drawn(exact, public)

    tampered(monkeypatch, count_noise, warn)
    assert "the warnings" in replay("table", FIRST, SECOND, SCHEMA, "x", PureDP(1)).differences

    def fail(exact, public):
        return drawn([x // exact[0] for x in exact], public)

    tampered(monkeypatch, count_noise, fail)
    assert "the release beyond the gate's answers" in replay("table", FIRST, SECOND, SCHEMA, "x", PureDP(1)).differences
    found = replay("table", SECOND, SECOND, SCHEMA, "x", PureDP(1))
    assert found.differences == ("the release fails on both (ZeroDivisionError)",)
    assert not found.sound(PureDP(1))


def test_the_idealised_mechanism_is_seen_to_draw_elsewhere():
    """`ED` says of itself that it draws outside of the gate, and the replay agrees.

    A noisy variance below zero is released as zero, on both data sets with a probability of about one half, and then nothing
    differs: one of 40 replays must, which fails by chance with a probability below 1e-8.
    """
    replays = (replay("moments", FIRST, SECOND, SCHEMA, "z", PureDP(1), ED()) for _ in range(40))
    assert any("the release beyond the gate's answers" in found.differences for found in replays)


# ---- the watcher switches no noise off -------------------------------------------------------------------------------


class Zeros:
    def draw_noise(self, exact, exponent, public):
        return [0] * len(exact)

    def choose(self, weights):
        return 0


def test_no_release_is_made_while_a_watcher_looks_on():
    with Curator(FIRST, SCHEMA, budget=PureDP(1)) as curator:
        assert curator.n == 4
        with watched(Zeros()), pytest.raises(DiscreetError, match="no release is made during a replay"):
            curator.table("x", PureDP(1))
        assert curator.ledger.entries() == ()
        assert watcher() is None
        curator.table("x", PureDP(1))


def test_another_thread_draws_as_ever():
    from concurrent.futures import ThreadPoolExecutor

    with watched(Zeros()), ThreadPoolExecutor(1) as pool:
        assert gate.draw_noise([5] * 8, family="laplace", scale=4.0, cap=5).integers == (0,) * 8
        elsewhere = pool.submit(gate.draw_noise, [5] * 8, family="laplace", scale=4.0, cap=5).result()
    assert len(set(elsewhere.integers)) == 8
    assert np.abs(np.array(elsewhere.integers) / 2**18 - 5).max() < 256


def test_a_watcher_leaves_when_the_block_fails():
    with pytest.raises(KeyError), watched(Zeros()):
        raise KeyError
    assert watcher() is None
