"""The statistics of the testbed, on many tables at once: of noisy tables with their own margins, or with the true ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]
Statistic = Callable[[Floats, Floats], Floats]
"""From tables (m, r, c) and their expected cells under independence (m or 1, r, c) to m numbers, large where dependent."""


def chi2(tables: Floats, expected: Floats) -> Floats:
    """Pearson's: sum (T - E)^2 / E. A cell whose expected count is not positive (noise can do that) is left out."""
    usable = np.broadcast_to(expected > 0, tables.shape)
    terms = np.divide((tables - expected) ** 2, expected, out=np.zeros(tables.shape), where=usable)
    return np.asarray(terms.sum((-2, -1)))


def likelihood_ratio(tables: Floats, expected: Floats) -> Floats:
    """2 sum T log(T / E), over the cells where both are positive."""
    usable = (tables > 0) & (expected > 0)
    ratio = np.divide(tables, expected, out=np.ones(tables.shape), where=usable)
    return np.asarray(2 * (np.where(usable, tables, 0.0) * np.log(ratio)).sum((-2, -1)))


def log_likelihood(tables: Floats, expected: Floats) -> Floats:
    """-log of the multinomial probability of the table at the fitted independence: log prod T! - log N! - sum T log(E / N).

    A negative noisy cell counts as 0 in its factorial, and a cell that is expected empty is left out of the last sum.
    """
    total = np.maximum(tables.sum((-2, -1)), 0.0)
    share = expected / np.maximum(expected.sum((-2, -1), keepdims=True), 1e-300)
    logs = np.log(share, out=np.zeros(share.shape), where=share > 0)
    factorials = gammaln(np.maximum(tables, 0.0) + 1).sum((-2, -1))
    return np.asarray(factorials - gammaln(total + 1) - (tables * logs).sum((-2, -1)))


def difference(tables: Floats, expected: Floats) -> Floats:
    """sum |T - E|: the statistic that one record moves least."""
    return np.asarray(np.abs(tables - expected).sum((-2, -1)))


STATISTICS: Mapping[str, Statistic] = MappingProxyType(
    {"chi2": chi2, "lr": likelihood_ratio, "ll": log_likelihood, "diff": difference}
)


def expected_cells(tables: Floats) -> Floats:
    """T_i. T_.j / T_.. of each table; negative noisy margins make it meaningless, and it is then not positive."""
    rows, columns = tables.sum(-1, keepdims=True), tables.sum(-2, keepdims=True)
    total = tables.sum((-2, -1), keepdims=True)
    products = np.where((rows > 0) & (columns > 0), rows * columns, 0.0)
    return np.asarray(np.divide(products, total, out=np.zeros(products.shape), where=total > 0))
