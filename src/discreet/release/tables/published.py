"""A noisy table that someone else published, as a release: the numbers as printed, and the law stated with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.release.integers import HIGH, LOW, Integers
from discreet.release.tables.table import LAWS, Law, TableRelease
from discreet.release.validation import whole_number
from discreet.schema import Schema

if TYPE_CHECKING:
    from discreet.privacy.guarantee import Guarantee


def from_counts(
    values: ArrayLike,
    columns: Mapping[str, Any],
    *,
    noise: Law,
    n: int | None = None,
    other: float | None = None,
    guarantee: Guarantee | None = None,
) -> TableRelease:
    """A `TableRelease` from published numbers.

    Parameters
    ----------
    values : array of numbers
        The noisy counts of the declared cells.
    columns : mapping of str to sequence
        Each column's name and its categories, in the order of the axes of `values`.
    noise : Laplace, Gaussian or ProjectedGaussian
        The law of the noise in one cell, from `discreet.noise`.
    n : int, optional
        The number of records, where it is public.
    other : float, optional
        The noisy number of records in none of the declared cells; None says that there are no such records.
    guarantee : Guarantee, optional
        What the publisher promised. It is passed on, not checked.

    Returns
    -------
    TableRelease
        Every number is a whole number of steps of a binary grid, so `counts` are the published numbers bit by bit. A
        projected table with a known n is projected again, which removes what the publisher's rounding left of
        (sum - n).

    Raises
    ------
    InvalidInput
        If the shape does not fit the categories, a number is not finite, or a projected table does not add up to n
        (within 1/2 a cell, as numbers rounded to whole records would).

    Examples
    --------
    >>> from discreet.noise import Gaussian
    >>> from discreet.release import TableRelease
    >>> TableRelease.from_counts([12.5, 31.0], {"sex": ["f", "m"]}, noise=Gaussian(2.0), other=1.5).other
    1.5
    """
    if type(noise).__name__ not in LAWS:
        raise InvalidInput(f"noise= must be the law of one cell, one of {', '.join(LAWS)}, not {noise!r}")
    schema = Schema(columns, complete=other is None)
    names = tuple(schema.columns)
    shape = tuple(len(schema.categorical(name).labels) for name in names)
    numbers = _numbers(values)
    if numbers.shape != shape:
        raise InvalidInput(f"values of shape {numbers.shape} do not fit the categories, which need shape {shape}")
    drawn, exponent = _on_grid(numbers.ravel(), other)
    release = TableRelease(
        schema=schema,
        column_names=names,
        drawn=drawn,
        exponent=exponent,
        mechanism=type(noise).__name__,
        scale=noise.scale,
        guarantee=guarantee,
        n=None if n is None else whole_number("n", n),
    )
    total = Fraction(drawn.total(), 2**exponent)
    if release.projected and n is not None and abs(total - n) > Fraction(len(drawn), 2):
        raise InvalidInput(
            f"a projected table adds up to n = {n}, these numbers to {float(total):.6g}; "
            "give the missing records as other=, or noise=Gaussian(...) if the table was not projected"
        )
    return release


def _numbers(values: ArrayLike) -> np.ndarray[tuple[Any, ...], np.dtype[Any]]:
    try:
        numbers = np.asarray(values)
    except ValueError:
        raise InvalidInput("values must be a rectangular array of numbers") from None
    if numbers.dtype.kind not in "iuf":
        raise InvalidInput(f"values must be numbers, not of type {numbers.dtype}")
    return numbers


def _on_grid(numbers: NDArray[Any], other: float | None) -> tuple[Integers, int]:
    """The numbers as whole multiples of 2^-k, and the smallest such k."""
    also = [] if other is None else [_exact(other)]
    steps = None if numbers.dtype.kind != "f" or numbers.dtype.itemsize > 8 else _steps(numbers.astype(float))
    if numbers.dtype.kind != "f":
        whole, exponent = Integers(numbers), 0
    elif steps is not None:
        whole, exponent = steps
    else:
        exact = [_exact(x) for x in numbers.tolist()]
        exponent = max(x.denominator.bit_length() - 1 for x in exact)
        whole = Integers([int(x * 2**exponent) for x in exact])
    if not also:
        return whole, exponent
    finer = max(also[0].denominator.bit_length() - 1 - exponent, 0)
    last = int(also[0] * 2 ** (exponent + finer))
    if finer or not LOW <= last <= HIGH:
        return Integers([*(y << finer for y in whole), last]), exponent + finer
    return Integers(np.append(whole.array, np.array(last, whole.array.dtype))), exponent


def _steps(numbers: NDArray[np.float64]) -> tuple[Integers, int] | None:
    """The same for floats whose multiples all fit into 64 bits, at once; None for others."""
    if not np.isfinite(numbers).all():
        return None
    fraction, power = np.frexp(numbers)
    digits = np.ldexp(fraction, 53).astype(np.int64)  # the number is digits 2^(power - 53)
    _, lowest = np.frexp((digits & -digits).astype(float))
    places = (53 - power) - (lowest - 1)
    exponent = int(places.max(initial=0, where=digits != 0))
    if int(power.max()) + exponent > 62:
        return None
    return Integers(np.ldexp(numbers, exponent).astype(np.int64)), exponent


def _exact(number: Any) -> Fraction:
    """A finite float as the dyadic fraction that it is."""
    if isinstance(number, bool) or not isinstance(number, int | float | np.integer | np.floating):
        raise InvalidInput(f"a count must be a number, not {number!r}")
    if not math.isfinite(number):
        raise InvalidInput(f"a count must be finite, not {number!r}")
    return Fraction(int(number)) if isinstance(number, int | np.integer) else Fraction(float(number))
