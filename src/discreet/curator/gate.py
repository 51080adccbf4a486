"""The one door through which protective randomness is drawn: integer noise, and exact choice by integer weights.

Two primitives, both without a seed. `draw_noise` adds OpenDP's exact discrete Laplace or Gaussian noise to integers on
a public grid of step 2^-k, fine enough (at least 2^20 steps in one scale) that the continuous law describes it; with
`integer=True` on the whole numbers themselves, k = 0, where only the discrete law does. `choose` picks an index with
probability proportional to an integer weight of any size, from the kernel's bits.

OpenDP checks neither the scale (0 and 5e-324 pass), nor the length, nor that a sum stays within 64 bits. All of that is
excluded here from public quantities *before* the call. After it, type, length and range are asserted: what leaves are
integers, so they lie on the grid, and none is further away than the public cap and 64 scales. These assertions
look at noisy numbers and public bounds only, so a failure is as private as the release would have been. What goes wrong
with the confidential integers themselves gives one constant message.

A long vector is drawn in chunks. That changes nothing in what is promised: the noise of every number is an independent draw
of one law, whoever asks for it, so the chunks laid end to end have the very law of one call, the product over all numbers.
The proof of the guarantee is about that product and the sensitivity of the whole vector (`discreet.mechanisms`), not about a
chunk: the map of OpenDP's measurement, which would speak of a chunk's own neighbours, is never asked. Nor does the cut show
anything, as it depends on the length alone.
"""

from __future__ import annotations

import math
import secrets
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from discreet.curator.watching import watcher
from discreet.errors import DiscreetError, InvalidInput, MissingExtra
from discreet.release.integers import Integers

Family = Literal["laplace", "gaussian"]

OPENDP_VERSION = "0.16.0"
"""The one version whose noise has passed the tests of this package's gate."""

FINE_BITS = 20
"""One scale is at least 2^20 grid steps. Then the discrete Gaussian is mu-GDP with mu inflated by less than 2^-36."""

SMALLEST_SCALE, LARGEST_SCALE = 2.0**-40, 2.0**56
"""Beyond these the grid would need more than 64 bits even for an empty table (64 scales must lie below 2^63 steps)."""

SMALLEST_INTEGER_SCALE = 2.0**-6
"""On the whole numbers; below, all noise is 0 but for a probability of 2 exp(-64)."""

TAIL_SCALES = 64
"""Room for the noise: |noise| > 64 scales has probability exp(-64) or less, and OpenDP would then clamp, not wrap."""

CHUNK = 2**16
"""Cells drawn in one call: it bounds the memory, and one cell's noise does not show in the time of so many."""

_FAILED = "the noise could not be drawn"
_BAD_INTEGERS = {
    False: "the gate takes a nonempty sequence of integers from 0 to the public cap",
    True: "the gate takes a nonempty sequence of integers from minus the public cap to the public cap",
}
_BAD_WEIGHTS = "weights must be a sequence of Python integers, none negative and not all zero"


@dataclass(frozen=True)
class GateDraw:
    """Integers with noise, on the grid of step 2^-exponent: the noisy number of a cell is `integer * 2**-exponent`."""

    integers: Integers
    exponent: int


def opendp_version() -> str:
    """The version of OpenDP that draws the noise; it is recorded in every release.

    Raises
    ------
    MissingExtra
        OpenDP is not installed, or another version than the one whose noise was tested.
    """
    try:
        installed = version("opendp")
    except PackageNotFoundError:
        raise MissingExtra("drawing noise needs OpenDP: pip install 'discreet[curator]'") from None
    if installed != OPENDP_VERSION:
        raise MissingExtra(
            f"OpenDP {installed} is installed, but noise is drawn with the tested version only: "
            f"pip install opendp=={OPENDP_VERSION}"
        )
    return installed


def grid_exponent(scale: float, *, integer: bool = False) -> int:
    """The smallest k >= 0 for which `scale` is at least 2^20 steps of the grid 2^-k; 0 with `integer`.

    Parameters
    ----------
    scale : float
        Laplace scale b or Gaussian standard deviation, in records; from 2^-40 (with `integer` 2^-6) to 2^56.
    integer : bool
        The whole numbers are the grid.

    Examples
    --------
    >>> from discreet.curator.gate import grid_exponent
    >>> grid_exponent(4.0), grid_exponent(2.0**20), grid_exponent(1e9)
    (18, 0, 0)
    """
    if isinstance(scale, bool) or not isinstance(scale, (int, float)):
        raise InvalidInput(f"the scale of noise must be a number, not {scale!r}")
    if not isinstance(integer, bool):
        raise InvalidInput("integer= must be True or False")
    smallest, in_words = (SMALLEST_INTEGER_SCALE, "2^-6") if integer else (SMALLEST_SCALE, "2^-40")
    if not smallest <= scale <= LARGEST_SCALE:  # False for NaN, too
        given = (
            repr(scale) if isinstance(scale, float) else "such an integer"
        )  # Python prints no integer of 4,300 digits
        raise InvalidInput(f"the scale of noise must lie between {in_words} and 2^56, not {given}")
    if integer:
        return 0
    _, binary_exponent = math.frexp(scale)  # scale = m 2^e with 1/2 <= m < 1, so scale >= 2^(e - 1)
    return max(0, FINE_BITS + 1 - binary_exponent)


def check_draw(*, family: Family, scale: float, cap: int, integer: bool = False) -> int:
    """All that `draw_noise` refuses without looking at a record, to be asked before a charge; the grid exponent.

    The largest number with noise must stay below 2^63: cap 2^k + 64 scale 2^k < 2^63. OpenDP must be there, too.

    Examples
    --------
    >>> from discreet.curator.gate import check_draw
    >>> check_draw(family="laplace", scale=4.0, cap=1841)
    18
    """
    if family not in get_args(Family):
        raise InvalidInput(f"the family of noise must be 'laplace' or 'gaussian', not {family!r}")
    k = grid_exponent(scale, integer=integer)
    if isinstance(cap, bool) or not isinstance(cap, int) or not 0 <= cap < 2**63:
        raise InvalidInput("the public cap on a count must be an integer from 0 to 2^63 - 1")
    if _reach(cap, scale, k) >= 2**63:
        raise InvalidInput(
            f"counts of up to {cap} with noise of scale {scale!r} do not fit the 64-bit grid of step 2^-{k}: "
            "lower the public cap on rows (max_rows in the schema), or ask for more noise (a smaller epsilon, mu or rho)"
        )
    _enable()
    return k


def draw_noise(
    exact: Sequence[int] | Integers,
    *,
    family: Family,
    scale: float,
    cap: int,
    signed: bool = False,
    integer: bool = False,
) -> GateDraw:
    """The exact integers with noise: for each x, the integer x 2^k + Z with Z discrete Laplace or Gaussian.

    P(Z = z) is proportional to exp(-|z| / s) ("laplace") or exp(-z^2 / 2 s^2) ("gaussian"), with s = scale 2^k grid
    steps and k = `grid_exponent(scale)`, independently for every x. There is no seed.

    Parameters
    ----------
    exact : list or tuple of int, or Integers
        Confidential integers, each in 0 ... cap; at least one.
    family : "laplace" or "gaussian"
    scale : float
        Laplace scale b or Gaussian standard deviation, in records.
    cap : int
        A *public* bound on every integer (for counts the public n, or the schema's `max_rows`).
    signed : bool
        The integers lie in -cap ... cap, as sums of products do, not in 0 ... cap.
    integer : bool
        k = 0: noise on the whole numbers, of the discrete law itself. Exact in epsilon and rho; in mu it is not what
        the continuous law is (see `discreet.mechanisms.integer`).

    Raises
    ------
    InvalidInput
        A public argument is not allowed; the message names public quantities only.
    DiscreetError
        The integers are not as promised or the draw failed; the message is constant.

    Examples
    --------
    >>> from discreet.curator.gate import draw_noise
    >>> draw = draw_noise([20, 0, 35], family="laplace", scale=4.0, cap=55)
    >>> len(draw.integers), draw.exponent
    (3, 18)
    """
    k = check_draw(family=family, scale=scale, cap=cap, integer=integer)
    if not isinstance(signed, bool):
        raise InvalidInput("signed= must be True or False")
    if not _within(exact, -cap if signed else 0, cap):
        raise DiscreetError(_BAD_INTEGERS[signed])
    if (looking_on := watcher()) is not None:
        public = {"family": family, "scale": scale, "cap": cap, "signed": signed, "integer": integer}
        return GateDraw(Integers(looking_on.draw_noise(exact, k, public)), k)
    reach = _reach(cap, scale, k)
    # All of it fits: |x| 2^k <= cap 2^k, and with noise at most the reach, both below 2^63 by `check_draw`.
    whole = (exact if isinstance(exact, Integers) else Integers(exact)).array
    drawn = np.empty(len(whole), np.int64)
    for start in range(0, len(whole), CHUNK):
        part = whole[start : start + CHUNK] << k
        noisy = _add_noise(part, family, math.ldexp(scale, k))
        if noisy is None or not _within(noisy, -reach, reach):
            raise DiscreetError(_FAILED)
        drawn[start : start + CHUNK] = noisy
    return GateDraw(Integers(drawn), k)


def choose(weights: Sequence[int]) -> int:
    """An index i with probability exactly weights[i] / sum(weights), from the kernel's random bits.

    Parameters
    ----------
    weights : sequence of int
        Python integers of any size, none negative, not all zero. They may be confidential: no message shows one.

    Examples
    --------
    >>> from discreet.curator.gate import choose
    >>> choose([0, 2**200, 0])
    1
    """
    allowed = isinstance(weights, (list, tuple)) and all(type(w) is int and w >= 0 for w in weights)
    cumulative = list(accumulate(weights)) if allowed else []
    if not cumulative or cumulative[-1] == 0:
        raise InvalidInput(_BAD_WEIGHTS)
    if (looking_on := watcher()) is not None:
        return looking_on.choose(weights)
    # u is uniform on 0 ... total - 1; the first index whose cumulative weight exceeds u has exactly weights[i] such u.
    return bisect_right(cumulative, secrets.randbelow(cumulative[-1]))


def _reach(cap: int, scale: float, k: int) -> int:
    """How far from 0 a number with noise may lie, in grid steps: from public quantities alone."""
    return (cap << k) + TAIL_SCALES * int(math.ldexp(scale, k) + 1)


def _within(numbers: object, low: int, high: int) -> bool:
    """Whether these are what was promised: plain Python integers (no booleans, no NumPy scalars) from `low` to `high`."""
    if isinstance(numbers, Integers):
        return len(numbers) > 0 and low <= int(numbers.array.min()) and int(numbers.array.max()) <= high
    if not isinstance(numbers, (list, tuple)) or len(numbers) == 0:
        return False
    return all(type(x) is int and low <= x <= high for x in numbers)


def _add_noise(part: NDArray[np.int64], family: Family, steps: float) -> list[int] | None:
    """One call of OpenDP; None on any failure.

    OpenDP's own messages print the number they fail on, and an exception raised while another is handled keeps it as
    its context. So the failure is returned as a value, and the caller raises the constant message outside any handler.
    """
    try:
        noisy = _measurement(family, steps, len(part))(part)
    except Exception:  # noqa: BLE001  the cause would show a record's value; the caller reports a constant
        return None
    if type(noisy) is not list or len(noisy) != len(part):
        return None
    return noisy


def _measurement(family: Family, steps: float, size: int) -> Any:
    """OpenDP's measurement on vectors of `size` 64-bit integers (the default integer type would have 32 bits)."""
    from opendp import (
        domains,
        measurements,
        metrics,
    )  # the modules themselves: its prelude imports frame libraries, too

    vectors = domains.vector_domain(domains.atom_domain(T="i64"), size=size)
    if family == "laplace":
        return measurements.make_laplace(vectors, metrics.l1_distance(T="i64"), scale=steps)
    return measurements.make_gaussian(vectors, metrics.l2_distance(T=float), scale=steps)


@cache
def _enable() -> None:
    """OpenDP's version is checked and its additive noise switched on, once a process and before the first draw."""
    opendp_version()
    from opendp import mod

    mod.enable_features("contrib")
