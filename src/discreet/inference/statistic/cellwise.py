"""The two chi-squared statistics of a noisy table against its expected counts.

    chi2    sum (T - E)^2 / E                         (Pearson)
    lr      2 sum { T log(T / E) - T + E }            (likelihood ratio, corrected: noisy cells need not add up to E)

Without the correction -T + E the likelihood ratio of a noisy table drifts off by 2 sum(T - E), which grows like sqrt(n)
(Wang, Lee and Kifer 2015, theorem 2). A noisy cell <= 0 has no logarithm: its T log T is taken as 0, as 0 log 0 is, and
-T + E stays; the two statistics keep the same limit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Statistic = Callable[[Floats, Floats], Floats]


def pearson(table: Floats, expected: Floats) -> Floats:
    """Pearson's chi-squared, summed over the last axis. `expected` must be positive."""
    return np.asarray((((table - expected) ** 2) / expected).sum(-1))


def likelihood_ratio(table: Floats, expected: Floats) -> Floats:
    """The corrected likelihood ratio, summed over the last axis. `expected` must be positive."""
    terms = special.xlogy(np.maximum(table, 0.0), table / expected) - table + expected
    return np.asarray(np.maximum(2.0 * terms.sum(-1), 0.0))  # every term is >= 0; rounding may say -1e-16


STATISTICS: dict[str, tuple[Statistic, str]] = {
    "chi2": (pearson, "Pearson's chi-squared"),
    "lr": (likelihood_ratio, "likelihood ratio"),
}
