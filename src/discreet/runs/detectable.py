"""What a test could detect, before its releases are paid: the smallest effect that it finds with power 0.8 at level 0.05.

Under the null a noisy table deviates from its expectation by A + V, sampling and noise, and an effect e adds e d to that, d
the shift by an effect of 1. The statistics are squares of what they see of it through a matrix M,

    T(e) = ||M (A + V + e d)||^2 = T(0) + 2 e <M(A + V), M d> + e^2 ||M d||^2,

with M = F for the projected statistic, and Pi H above K H for Pearson's and the likelihood ratio (`statistic.projected` and
`inference.law` have these letters). So A + V is drawn once, with the noise that the release would have; the quantile of
T(0) is the critical value, and the e that is sought is a root. It is a limit under local alternatives, as `lab.power_formula`
is, and agrees with that where the noise is Gaussian.

Nothing here looks at records: probabilities that are not public are taken to be even, and the direction of the effect is a
trend over the categories, as in `lab.independence_design`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.inference.law import Geometry, OneWay, TwoWay
from discreet.inference.observed import groups_in_rows
from discreet.inference.statistic.fitted import (
    LARGEST_TABLE,
    FittedNull,
    fit_goodness,
    fit_homogeneity,
    fit_independence,
)
from discreet.inference.statistic.projected import project
from discreet.lab.designs.designs import Design
from discreet.lab.designs.make_designs import fit_design, homogeneity_design, independence_design
from discreet.release import TableRelease
from discreet.runs.inference_step import TestStep

Floats = NDArray[np.float64]

POWER, LEVEL = 0.8, 0.05
ASSUMPTION = (
    "at even margins unless these are public, for a trend over the categories, all records being in declared ones"
)

_SEED = 20240229
_NUMBERS = 1 << 24  # drawn at most
_MOST, _LEAST = 1 << 17, 1 << 13  # tables drawn; the effect is then right to about 0.3 and 1 per cent
_CHUNK = 1 << 20


@dataclass(frozen=True)
class SmallestEffect:
    """The smallest effect that a test finds with power `POWER` at level `LEVEL`, under `ASSUMPTION`.

    Attributes
    ----------
    name : str
        "Cramer's V" or "Cohen's w".
    value : float or None
        None where there is none.
    why_not : str
        Why not; "" where there is one.
    """

    name: str = ""
    value: float | None = None
    why_not: str = ""


@dataclass(frozen=True, eq=False)
class _Setting:
    """The null that a test would be of: the `design` with its public sizes, fitted, and the geometry of Pearson's statistic."""

    design: Design
    fitted: FittedNull
    geometry: Geometry

    @property
    def shift(self) -> Floats:
        """d: what an effect of 1 adds to the expected counts."""
        sizes = np.array(self.design.sizes, float)
        return np.asarray((sizes.reshape(-1, *[1] * (self.design.direction.ndim - 1)) * self.design.direction).ravel())


def smallest_effect(test: TestStep, releases: Sequence[Any]) -> SmallestEffect:
    """The smallest effect that the test finds, from what is public of releases of these shapes, sizes and noise."""
    if test.subject is None:
        return SmallestEffect(why_not=f"there is no formula for {test.test}")
    if test.subject.statistic not in ("chi2", "lr", "projected"):
        return SmallestEffect(why_not=f"there is no formula for the statistic {test.subject.statistic!r}")
    tables = test.subject.tables(releases)
    if any(table.n is None for table in tables):
        return SmallestEffect(why_not="the number of records is not public")
    if sum(table.noise.size for table in tables) > LARGEST_TABLE:
        return SmallestEffect(why_not=f"the table has more than {LARGEST_TABLE:,} cells")
    try:
        setting = _SETTINGS[test.test](tables, test.subject.theta)
    except InvalidInput as problem:  # no records in a group, or in all
        return SmallestEffect(why_not=str(problem))
    effect = _root(*_quadratic(setting, test.subject.statistic))
    try:
        setting.design.with_effect(effect)
    except InvalidInput:
        return SmallestEffect(setting.design.effect_name, None, "not even the largest possible effect is found")
    return SmallestEffect(setting.design.effect_name, effect)


def _independence(tables: Sequence[TableRelease], _: Floats | None) -> _Setting:
    (table,) = tables
    sizes = _group_sizes(table)
    rows, columns = (np.full(k, 1 / k) for k in table.shape)
    if sizes is not None:
        rows, columns = (rows, sizes / sizes.sum()) if table.group_axis else (sizes / sizes.sum(), columns)
    n = int(table.n or 0) if sizes is None else int(sizes.sum())
    design = independence_design(rows, columns, n)
    public = float(n) if table.total_is_public else None
    fitted = fit_independence(n * design.null.ravel(), public, table.noise)
    return _Setting(design, fitted, TwoWay(np.sqrt(rows), np.sqrt(columns)))


def _goodness_of_fit(tables: Sequence[TableRelease], theta: Floats | None) -> _Setting:
    (table,) = tables
    design = fit_design(np.ravel(theta if theta is not None else []), int(table.n or 0))
    public = float(design.n) if table.total_is_public else None
    fitted = fit_goodness(design.n * design.null, design.null, public, table.noise)
    return _Setting(design, fitted, OneWay(np.sqrt(design.null), table.total_is_public))


def _homogeneity(tables: Sequence[TableRelease], _: Floats | None) -> _Setting:
    public = all(table.total_is_public for table in tables)
    if len({table.shape for table in tables}) > 1:
        raise InvalidInput("the samples have different shapes")
    if len(tables) > 1:
        sizes, cells = [int(table.n or 0) for table in tables], tables[0].noise.size
    else:
        tables = [groups_in_rows(tables[0])]  # type: ignore[list-item]
        groups, (rows, cells) = _group_sizes(tables[0]), tables[0].shape
        whole, rest = divmod(int(tables[0].n or 0), rows)
        sizes = [whole + (row < rest) for row in range(rows)] if groups is None else [int(size) for size in groups]
        public = public and groups is not None
    design = homogeneity_design(np.full(cells, 1 / cells), sizes)
    totals = np.array(sizes, float)
    expected = (totals[:, None] * design.null).ravel()
    fitted = fit_homogeneity(expected, totals, public, tuple(table.noise for table in tables))
    return _Setting(design, fitted, TwoWay(np.sqrt(totals / totals.sum()), np.sqrt(design.null[0]), public))


_SETTINGS: dict[str, Callable[[Sequence[TableRelease], Floats | None], _Setting]] = {
    "independence": _independence,
    "goodness-of-fit": _goodness_of_fit,
    "homogeneity": _homogeneity,
}


def _group_sizes(table: TableRelease) -> Floats | None:
    """The public sizes of the groups on an axis of the table."""
    if table.group_sizes is None or table.group_axis is None:
        return None
    return np.array(table.group_sizes[: table.shape[table.group_axis]], float)


def _quadratic(setting: _Setting, statistic: str) -> tuple[Floats, Floats, float]:
    """T(0) and <M(A + V), M d> of many draws, and ||M d||^2."""
    fitted, rng = setting.fitted, np.random.default_rng(_SEED)
    if statistic == "projected":
        contrasts = project(fitted).contrasts
    else:
        scaled = np.diag(1.0 / np.sqrt(fitted.expected))
        contrasts = np.concatenate([setting.geometry.residual(scaled), setting.geometry.fixed_totals(scaled)], 1).T
    seen = contrasts @ setting.shift
    draws = min(_MOST, max(_LEAST, _NUMBERS // fitted.expected.size))
    step = max(1, _CHUNK // fitted.expected.size)
    null, along = [], []
    for start in range(0, draws, step):
        values = fitted.draw_residuals(min(step, draws - start), rng) @ contrasts.T
        null.append((values**2).sum(-1))
        along.append(values @ seen)
    return np.concatenate(null), np.concatenate(along), float(seen @ seen)


def _root(null: Floats, along: Floats, square: float) -> float:
    """The e at which a share `POWER` of null + 2 e along + e^2 square reaches the 1 - `LEVEL` quantile of null."""
    critical = float(np.quantile(null, 1.0 - LEVEL))

    def power(effect: float) -> float:
        return float((null + 2.0 * effect * along + effect**2 * square >= critical).mean())

    low, high = 0.0, 1.0 / np.sqrt(square)
    while power(high) < POWER:
        low, high = high, 2.0 * high
    while high - low > 1e-4 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if power(middle) < POWER else (low, middle)
    return float(high)
