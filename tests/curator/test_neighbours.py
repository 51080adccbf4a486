"""A deterministic audit: replay a release on neighbouring records and look at everything that reaches the gate.

For any two sets of records that differ in one record, the gate must be asked for the same noise of the same scale on the
same number of cells, and the exact integers may differ by no more than the declared sensitivity: 2 in L1, sqrt 2 in L2.
The search replaces records by hostile values; the declared sensitivity must be reached, or accuracy is wasted.
"""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Curator, GaussianDP, PureDP, Schema
from discreet.curator import gate
from discreet.curator.releasing import count_noise

VALUES = st.sampled_from(["a", "b", "c", "A", " a", "", None, float("nan"), 1, True, 1.0, "1", "d" * 50])
PAIRS = st.tuples(VALUES, VALUES)
SCHEMAS = {complete: Schema({"x": ["a", "b", 1], "y": ["c", True]}, complete=complete) for complete in (False, True)}
largest = {}


def observed_by_the_gate(records, schema, guarantee):
    frame = pd.DataFrame(
        {"x": pd.Series([r[0] for r in records], dtype=object), "y": pd.Series([r[1] for r in records], dtype=object)}
    )
    seen = []
    original = gate.draw_noise

    def spy(exact, **public):
        seen.append((list(exact), public))
        return original(exact, **public)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count_noise.gate, "draw_noise", spy)
        with Curator(frame, schema, budget=guarantee) as curator:
            table = curator.table(["x", "y"], guarantee)
            entries = [(e.cost, e.specification, e.neighbours, e.released) for e in curator.ledger.entries()]
    return seen, entries, (table.shape, table.has_other, table.scale, table.exponent, table.n)


@settings(max_examples=120, deadline=None)
@given(st.lists(PAIRS, min_size=1, max_size=6), PAIRS, st.integers(0, 5), st.booleans(), st.booleans())
def test_replacing_one_record_moves_the_gates_integers_by_the_declared_sensitivity(records, new, where, complete, pure):
    guarantee = PureDP(1) if pure else GaussianDP(1)
    neighbour = list(records)
    neighbour[where % len(records)] = new
    first = observed_by_the_gate(records, SCHEMAS[complete], guarantee)
    second = observed_by_the_gate(neighbour, SCHEMAS[complete], guarantee)
    assert first[1:] == second[1:]
    ((q, public),), ((r, other_public),) = first[0], second[0]
    assert public == other_public
    assert len(q) == len(r) == 6 + (not complete)
    assert sum(q) == sum(r) == len(records)
    l1 = sum(abs(a - b) for a, b in zip(q, r, strict=True))
    l2_squared = sum((a - b) ** 2 for a, b in zip(q, r, strict=True))
    assert l1 <= 2
    assert l2_squared <= 2
    largest[complete] = max(largest.get(complete, 0), l1)


def test_the_declared_sensitivity_is_reached():
    """Runs after the search above, in the same process; on its own it makes the one pair that reaches it."""
    for complete in (False, True):
        pair = [observed_by_the_gate([(v, "c")], SCHEMAS[complete], PureDP(1))[0][0][0] for v in ("a", "b")]
        reached = sum(abs(a - b) for a, b in zip(*pair, strict=True))
        assert max(reached, largest.get(complete, 0)) == 2
