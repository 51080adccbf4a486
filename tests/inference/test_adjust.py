"""Adjusted p-values against SciPy's, against numbers from the literature, and against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discreet.errors import InvalidInput
from discreet.inference import adjust_pvalues
from discreet.inference.adjust import METHODS

# Benjamini and Hochberg (1995), section 4: fifteen comparisons of two thrombolytic treatments.
THROMBOLYSIS = np.array(
    [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1.0,
    ]
)


def test_the_example_of_benjamini_and_hochberg() -> None:
    assert (adjust_pvalues(THROMBOLYSIS) <= 0.05).sum() == 4  # as in their paper
    assert (adjust_pvalues(THROMBOLYSIS, "holm") <= 0.05).sum() == 3


def test_holm_by_hand() -> None:
    assert adjust_pvalues([0.02, 0.01, 0.015, 0.5], "holm") == pytest.approx([0.045, 0.04, 0.045, 0.5])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_false_discovery_rates_are_scipys(p: list[float]) -> None:
    for method, short in (("benjamini-hochberg", "bh"), ("benjamini-yekutieli", "by")):
        assert adjust_pvalues(p, method) == pytest.approx(stats.false_discovery_control(p, method=short), abs=1e-15)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.floats(0.001, 0.999))
def test_holm_rejects_what_its_steps_reject(p: list[float], alpha: float) -> None:
    ordered = np.sort(p)
    fits = ordered * np.arange(len(p), 0, -1) <= alpha
    stepped = len(p) if fits.all() else int(np.argmin(fits))
    assert (adjust_pvalues(p, "holm") <= alpha).sum() == stepped


@given(st.lists(st.floats(0, 1) | st.just(float("nan")), max_size=40), st.sampled_from(METHODS))
def test_nan_is_a_test_that_was_not_made(p: list[float], method: str) -> None:
    values = np.array(p)
    adjusted = adjust_pvalues(values, method)
    known = ~np.isnan(values)
    assert np.isnan(adjusted[~known]).all()
    assert adjusted[known] == pytest.approx(adjust_pvalues(values[known], method))
    assert (adjusted[known] >= values[known]).all()
    assert (adjusted[known] <= 1).all()


def test_any_shape_and_no_numbers_at_all() -> None:
    table = THROMBOLYSIS.reshape(3, 5)
    assert adjust_pvalues(table).shape == (3, 5)
    assert adjust_pvalues([]).shape == (0,)


@pytest.mark.parametrize(
    ("p", "method", "words"),
    [
        ([0.1, 1.2], "holm", "lie in"),
        ([-0.1], "holm", "lie in"),
        ([0.1], "bonferroni", "one of benjamini-hochberg, benjamini-yekutieli, holm"),
        ([0.1], "benjamini-hochburg", "did you mean 'benjamini-hochberg'"),
        (["a"], "holm", "array of numbers"),
    ],
)
def test_what_is_refused(p: list[float], method: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        adjust_pvalues(p, method)
