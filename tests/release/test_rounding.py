"""Exact entries as floats: each is the one nearest to the exact fraction, ties included."""

from fractions import Fraction

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.release.tables.rounding import Entries

WHOLE = st.one_of(
    st.integers(-5, 5),
    st.integers(-(2**63), 2**63 - 1),
    st.builds(lambda e, d: min(2**63 - 1, 2**e + d), st.integers(50, 62), st.integers(-3, 3)),
    st.builds(lambda e, d: max(-(2**63), -(2**e) + d), st.integers(50, 63), st.integers(-3, 3)),
)


def nearest(whole, part, draws, exponent):
    return float(Fraction(whole * draws + part, draws << exponent))


@settings(deadline=None, max_examples=400)
@given(
    whole=st.lists(WHOLE, min_size=1, max_size=12),
    draws=st.integers(1, 2**24),
    fraction=st.fractions(0, 1).filter(lambda f: f < 1),
    exponent=st.integers(0, 1074),
)
@example(whole=[2**53 + 1, 2**54 + 2, 2**53], draws=2, fraction=Fraction(1, 2), exponent=0)  # ties and not quite ties
@example(whole=[2**53 + 1, -(2**53) - 1, -1, 0], draws=10**7, fraction=Fraction(1, 10**7), exponent=20)
def test_every_entry_is_rounded_once(whole, draws, fraction, exponent):
    parts = (int(fraction * draws), 0, draws - 1)
    which = np.arange(len(whole)) % 3
    for held in (np.array(whole, np.int64), np.array(whole, object)):
        entries = Entries(held, which, parts, draws, exponent)
        wanted = [nearest(a, parts[r], draws, exponent) for a, r in zip(whole, which.tolist(), strict=True)]
        assert entries.floats(0, len(whole)).tolist() == wanted
        total = sum(a * draws + parts[r] for a, r in zip(whole, which.tolist(), strict=True))
        assert entries.total(len(whole)) == float(Fraction(total, draws << exponent))


def test_a_million_entries_in_chunks():
    """Every 9,973rd against the fraction, over the ends of the chunks."""
    rng = np.random.default_rng(3)
    whole = rng.integers(-(2**40), 2**40, 10**6)
    part = (np.arange(10**6) >= 999_999).astype(np.int8)
    entries = Entries(whole, part, (123_456, 7), 1_000_001, 19)
    some = [*range(0, 10**6, 9973), 65535, 65536, 999_999]
    counts = entries.floats(0, 10**6)
    assert [counts[i] for i in some] == [nearest(int(whole[i]), (123_456, 7)[part[i]], 1_000_001, 19) for i in some]
    assert entries.floats(500, 700).tolist() == counts[500:700].tolist()
