"""The vector of exact integers: what it holds, that it cannot change, and that its sums are exact."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.release.integers import Integers, exact_sum

ANY = st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**80), 2**80)), max_size=20)


@settings(deadline=None)
@given(numbers=ANY)
def test_it_is_the_sequence_that_went_in(numbers):
    held = Integers(numbers)
    assert [*held] == numbers
    assert all(type(y) is int for y in held)
    assert (held == numbers, held == tuple(numbers), held == Integers(numbers)) == (True, True, True)
    assert held != [*numbers, 0]
    assert hash(held) == hash(tuple(numbers))
    assert len(held) == len(numbers)
    assert [held[i] for i in range(-len(held), len(held))] == numbers * 2
    assert held[1:5] == numbers[1:5]
    assert pickle.loads(pickle.dumps(held)) == copy.deepcopy(held) == held
    assert (held.total(), held.farthest()) == (sum(numbers), max(map(abs, numbers), default=0))
    assert held.at_most(17) == [min(y, 17) for y in numbers]
    assert repr(held) == repr(tuple(numbers)) or len(numbers) > 16


@pytest.mark.parametrize(
    ("numbers", "wide"), [([2**63 - 1, -(2**63)], False), ([2**63], True), ([-(2**63) - 1, 0], True), ([], False)]
)
def test_it_is_compact_where_all_fit(numbers, wide):
    assert (Integers(numbers).array.dtype == object) == wide


def test_it_does_not_change():
    source = np.arange(5)
    held = Integers(source)
    source[0] = 99
    assert held[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        held.array[0] = 1
    with pytest.raises(AttributeError):
        held._array = source
    with pytest.raises(TypeError):
        held[0] = 1


@pytest.mark.parametrize("array", [np.array([2**63], np.uint64), np.array([3], np.int8), np.array([2**70], object)])
def test_arrays_of_integers(array):
    assert [*Integers(array)] == [int(y) for y in array]


@pytest.mark.parametrize("bad", [[1.0], [True], ["1"], [None], np.array([1.5]), np.array([True]), np.eye(2, dtype=int)])
def test_what_is_no_integer_is_refused(bad):
    with pytest.raises(InvalidInput, match="a drawn number must be an integer"):
        Integers(bad, "a drawn number")


def test_a_long_one_prints_its_beginning():
    assert repr(Integers(range(10**6))) == "(0, 1, 2, 3, 4, 5, 6, 7, ... 1,000,000 numbers)"


@settings(deadline=None)
@given(rows=st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=4, max_size=4), min_size=1, max_size=9))
def test_sums_are_exact(rows):
    numbers = np.array(rows, np.int64)
    assert exact_sum(numbers, 0).tolist() == [sum(column) for column in zip(*rows, strict=True)]
    assert exact_sum(numbers, 1).tolist() == [sum(row) for row in rows]
