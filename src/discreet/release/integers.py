"""A fixed sequence of exact integers, as compact as its numbers allow: 64-bit ones in one block, larger ones one by one.

A table of ten million cells is 80 MB in this form; as Python integers it would be five times as much, and every step over
them a hundred times as slow. Nothing is rounded on the way in or out: what iteration and indexing give are Python integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from discreet.release.validation import whole_number

LOW, HIGH = -(2**63), 2**63 - 1
_AT_ONCE = 2**16
_SHOWN = 16

Vector = NDArray[Any]
"""Of dtype int64, or of Python integers (dtype object)."""


class Integers(Sequence[int]):
    """An immutable vector of integers; equal to a tuple or list of the same numbers, and printed as a tuple.

    Parameters
    ----------
    numbers : iterable of int, or array of integers
        Copied, but from another `Integers`.
    name : str
        What one of them is, for the message about one that is no integer.

    Examples
    --------
    >>> from discreet.release.integers import Integers
    >>> numbers = Integers([3, -1, 2**40])
    >>> numbers, numbers[0], numbers == (3, -1, 2**40), numbers.total()
    ((3, -1, 1099511627776), 3, True, 1099511627778)
    >>> numbers.array.dtype, Integers([2**63]).array.dtype
    (dtype('int64'), dtype('O'))
    """

    __slots__ = ("_array",)
    _array: Vector

    def __init__(self, numbers: Iterable[Any] | Vector, name: str = "a number") -> None:
        array = numbers._array if isinstance(numbers, Integers) else _compact(numbers, name)
        array.setflags(write=False)
        object.__setattr__(self, "_array", array)

    @property
    def array(self) -> Vector:
        """The numbers, read-only: of dtype int64 where all of them fit, else of Python integers."""
        return self._array

    def total(self) -> int:
        """The exact sum."""
        return int(exact_sum(self._array, 0))

    def farthest(self) -> int:
        """The largest absolute value; 0 where there is no number."""
        return max(-int(self._array.min()), int(self._array.max()), 0) if len(self) else 0

    def at_most(self, cap: int) -> Integers:
        """min(x, cap) for each x."""
        return Integers(np.minimum(self._array, cap))

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[int]:
        parts = range(0, len(self), _AT_ONCE)
        return chain.from_iterable(self._array[start : start + _AT_ONCE].tolist() for start in parts)

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Integers: ...
    def __getitem__(self, place: int | slice) -> int | Integers:
        return Integers(self._array[place]) if isinstance(place, slice) else int(self._array[place])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Integers):
            return bool(np.array_equal(self._array, other._array))
        if isinstance(other, tuple | list):
            return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))  # as it is equal to that tuple

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("integers of a release cannot be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return Integers, (self._array,)

    def __repr__(self) -> str:
        if len(self) <= _SHOWN:
            return repr(tuple(self))
        return f"({', '.join(map(str, self[: _SHOWN // 2]))}, ... {len(self):,} numbers)"


def exact_sum(numbers: Vector, axis: int) -> Any:
    """The exact sums along an axis: an array (or one number) of dtype int64 where that holds them, else Python integers.

    Examples
    --------
    >>> import numpy as np
    >>> int(exact_sum(np.array([2**62, 2**62, 3]), 0)) - 2**63
    3
    """
    if numbers.dtype == object or not numbers.size:
        return numbers.sum(axis)
    farthest = max(-int(numbers.min()), int(numbers.max()))
    if farthest * numbers.shape[axis] <= HIGH:
        return numbers.sum(axis, dtype=np.int64)
    # Two halves of 32 bits each, whose own sums stay within 64 bits for up to 2^31 numbers.
    upper, lower = (numbers >> 32).sum(axis, dtype=np.int64), (numbers & 0xFFFFFFFF).sum(axis, dtype=np.int64)
    return np.asarray(upper).astype(object) * 2**32 + np.asarray(lower).astype(object)


def _compact(numbers: Iterable[Any] | Vector, name: str) -> Vector:
    """A new vector of dtype int64, or of Python integers where one of them is beyond."""
    if isinstance(numbers, np.ndarray):
        if numbers.ndim == 1 and numbers.dtype.kind in "iu" and (numbers.dtype != np.uint64 or _fits(numbers)):
            return numbers.astype(np.int64)
        numbers = numbers.tolist()
    exact = [whole_number(name, number) for number in numbers]
    try:
        return np.array(exact, np.int64)
    except OverflowError:
        held = np.empty(len(exact), object)
        held[:] = exact
        return held


def _fits(numbers: Vector) -> bool:
    return not numbers.size or int(numbers.max()) <= HIGH
