"""The exact law of the KS distance under the exponential mechanism, on the continuum: what the paper's formula says.

The curator's sampler works on a grid. This module computes the same law for real numbers in [0, 1], as a reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from discreet.errors import InvalidInput
from discreet.mechanisms.choices.order_band import count_ordered
from discreet.privacy.parameters import parameter, whole


def ks_law(records: Sequence[float], size: int, epsilon: float) -> tuple[float, dict[Fraction, float]]:
    """The log normaliser and the law of KS(F_x, F_z) for z drawn with density prop. to exp(-epsilon n KS/2) on [0, 1]^k.

    The volume of {z: KS <= v} is a polynomial in the records (Steck 1971) and is computed in exact fractions for every
    possible v = q/lcm(n, k). KS <= v says |i/n - N/k| <= v and |(i - 1)/n - N/k| <= v for N = #{z < x_(i)}.

    Parameters
    ----------
    records : sequence of float
        Different numbers in [0, 1]; a handful.
    size : int
        k.
    epsilon : float

    Returns
    -------
    log_normaliser : float
        log of the integral of exp(-epsilon n KS/2) over [0, 1]^k.
    probabilities : dict
        From each value of KS to its probability.

    Examples
    --------
    >>> from discreet.lab import ks_law
    >>> log_normaliser, law = ks_law([0.2, 0.35, 0.8], size=2, epsilon=2.0)
    >>> print(f"{log_normaliser:.12f}", {str(v): round(p, 5) for v, p in law.items()})
    -1.671423705329 {'1/3': 0.2642, '1/2': 0.37984, '2/3': 0.33478, '1': 0.02119}
    """
    k, rate = whole("size", size), parameter("epsilon", epsilon) * len(records) / 2
    x = sorted(Fraction(str(value)) for value in records)
    if not x or x[0] < 0 or x[-1] > 1 or len(set(x)) < len(x):
        raise InvalidInput("records must be one or more different numbers in [0, 1]")
    unit = math.lcm(*(value.denominator for value in x))
    places = [int(value * unit) for value in x]
    scale = math.lcm(len(x), k)
    volumes = [_volume(places, unit, k, Fraction(q, scale)) for q in range(scale + 1)]
    weights = {
        Fraction(q, scale): float(volumes[q] - (volumes[q - 1] if q else 0)) * math.exp(-rate * q / scale)
        for q in range(scale + 1)
        if volumes[q] > (volumes[q - 1] if q else 0)
    }
    total = math.fsum(weights.values())
    return math.log(total), {value: weight / total for value, weight in weights.items()}


def _volume(places: Sequence[int], unit: int, k: int, radius: Fraction) -> Fraction:
    n = len(places)
    least = [math.ceil(k * (Fraction(i, n) - radius)) for i in range(1, n + 1)]
    most = [math.floor(k * (Fraction(i - 1, n) + radius)) for i in range(1, n + 1)]
    if any(a > b for a, b in zip(least, most, strict=True)):
        return Fraction(0)
    upper = [min((x for x, a in zip(places, least, strict=True) if a >= j), default=unit) for j in range(1, k + 1)]
    lower = [max((x for x, b in zip(places, most, strict=True) if b < j), default=0) for j in range(1, k + 1)]
    return Fraction(count_ordered(lower, upper), unit**k)
