"""The p-values of our tests on many simulated tables of one design at once, by the same laws as the tests of single tables.

    independence      `independence_many`: closed forms for all tables together, or common noise points
    goodness of fit   one law for all tables: its tail is computed once, on a grid of values of the statistic
    homogeneity       a law a table, at common noise points
    anything else     the test itself, table by table

A study of power only asks on which side of its `level` a p-value lies: one that is doubtful is computed as that of a single
table is. A study of the p-values' law (`level=None`) does so with all that are imprecise, or below 0.001.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from discreet.errors import NotApplicable, NotAvailable
from discreet.inference import Conditional, MonteCarlo, independence_many, weighted_chi2_sf
from discreet.inference.assemble import LARGEST_STATISTIC
from discreet.inference.batch import Batch, form_batch
from discreet.inference.law import LimitLaw, OneWay, TwoWay
from discreet.inference.null.one_degree import one_degree_tail
from discreet.inference.null.problem import NullMethod, NullProblem
from discreet.inference.null.shared_points import shared_points_tail
from discreet.inference.null.weights import chi2_weights
from discreet.inference.statistic.cellwise import STATISTICS
from discreet.inference.statistic.rules import find_rule
from discreet.lab.designs.designs import Design, FitDesign, IndependenceDesign, Noises
from discreet.lab.methods.common_points import CommonPoints

Floats = NDArray[np.float64]

POINTS = 1024  # common noise tables
FEW_POINTS = 256  # for the projected statistic, whose points are drawn anew for every table
REFERENCES = 999  # reference draws a table: (1 + #)/1000 hits the usual levels exactly
FAR = 1e-3
SURE = 4.0  # standard errors between a p-value and the level that leave no doubt
DOUBTFUL = 0.03  # relative standard error above which a p-value is computed on its own

_GRID = 128


def table_pvalues(
    design: Design,
    tables: Floats,
    noises: Noises,
    statistic: str,
    null: str | NullMethod,
    rng: np.random.Generator,
    *,
    level: float | None,
) -> Floats:
    """p-values of the noisy `tables` (m, ...); NaN where the test does not apply to the table.

    With `null="auto"` the methods above; any other null method is asked table by table. Where "auto" has no closed form it is
    the conditional average at 1,024 common points, with a standard error of at most 3 % (for the projected statistic at
    256 points of the table's own), and 999 reference draws for "minp".
    """
    find_rule(statistic)
    if null == "auto" and statistic in STATISTICS:
        if isinstance(design, IndependenceDesign):
            return _independence(design, tables, noises, statistic, rng, level)
        cellwise = STATISTICS[statistic][0]
        values, pvalues = design.statistics(tables, cellwise), np.full(len(tables), np.nan)
        usable = values < LARGEST_STATISTIC
        together = _fit if isinstance(design, FitDesign) else _homogeneity
        pvalues[usable] = together(design, tables[usable], values[usable], noises, rng, level)
        return pvalues
    if null == "auto":
        null = _automatic(design, noises, statistic)
    return _one_by_one(design, tables, noises, statistic, null, rng)


def _automatic(design: Design, noises: Noises, statistic: str) -> str | NullMethod:
    if statistic == "minp":
        return MonteCarlo(points=REFERENCES)
    closed = design.df == 1 or all(noise.law.is_normal for noise in noises)
    return "auto" if closed else Conditional(points=FEW_POINTS)


def _one_by_one(
    design: Design, tables: Floats, noises: Noises, statistic: str, null: str | NullMethod, rng: np.random.Generator
) -> Floats:
    pvalues = np.full(len(tables), np.nan)
    for k, table in enumerate(tables):
        try:
            pvalues[k] = design.test(table, noises, statistic=statistic, null=null, rng=rng).pvalue
        except NotApplicable as refused:
            refusal = refused
    if np.isnan(pvalues).all():
        raise refusal
    return pvalues


def _independence(
    design: Design, tables: Floats, noises: Noises, statistic: str, rng: np.random.Generator, level: float | None
) -> Floats:
    noise, pvalues = noises[0], np.full(len(tables), np.nan)
    usable, batch = form_batch(tables, noise, np.full(len(tables), float(design.n)), STATISTICS[statistic][0])
    if not batch.size:
        return pvalues
    if level is None:
        pvalues[usable] = independence_many(tables[usable], noise, design.n, statistic, rng=rng)
    elif noise.law.is_normal:
        pvalues[usable] = weighted_chi2_sf(batch.statistics, batch.weights())
    elif design.df == 1 and (closed := _one_degree(batch)) is not None:
        pvalues[usable] = closed
    else:
        tails, errors = shared_points_tail(batch, POINTS, rng)
        pvalues[usable] = _refined(tails, errors, batch.statistics, batch.law, rng, level)
    return np.asarray(np.clip(pvalues, 0.0, 1.0))


def _one_degree(batch: Batch) -> Floats | None:
    try:
        parts = batch.chunks(200 * batch.noise.dimension)
        tails = [one_degree_tail(some.statistics, batch.noise, some.residual_map[:, 0]) for _, some in parts]
    except NotAvailable:  # the statistic of some table is out of the integral's reach
        return None
    return np.concatenate(tails)


def _fit(
    design: Design, tables: Floats, values: Floats, noises: Noises, rng: np.random.Generator, level: float | None
) -> Floats:
    theta = design.null.ravel()
    law = LimitLaw(OneWay(np.sqrt(theta), True), 1.0 / np.sqrt(design.n * theta), noises)
    if all(noise.law.is_normal for noise in noises):
        return np.asarray(np.clip(weighted_chi2_sf(values, chi2_weights(law)), 0.0, 1.0))
    if len(values) <= _GRID:
        return _at_common_points(law, values, lambda _: law, rng, level)
    # Between neighbouring points of this grid the logarithm of the tail is a straight line to some parts in 10^4.
    grid = np.linspace(math.sqrt(values.min()), math.sqrt(values.max()), _GRID) ** 2
    tails = np.array(CommonPoints.of(law, 2 * POINTS, rng).tails(law, grid))
    pvalues, errors = (np.exp(np.interp(values, grid, np.log(np.maximum(column, 1e-300)))) for column in tails.T)
    return _refined(pvalues, errors, values, lambda _: law, rng, level)


def _homogeneity(
    design: Design, tables: Floats, values: Floats, noises: Noises, rng: np.random.Generator, level: float | None
) -> Floats:
    sizes, pooled = np.array(design.sizes, float), tables.sum(1)
    thetas = pooled / pooled.sum(1, keepdims=True)
    shares = np.sqrt(sizes / sizes.sum())

    def law_at(theta: Floats) -> LimitLaw:
        return LimitLaw(
            TwoWay(shares, np.sqrt(theta), public=True), 1.0 / np.sqrt(np.outer(sizes, theta).ravel()), noises
        )

    if all(noise.law.is_normal for noise in noises):
        tails = [
            float(weighted_chi2_sf(t, chi2_weights(law_at(theta)))) for t, theta in zip(values, thetas, strict=True)
        ]
        return np.clip(tails, 0.0, 1.0)
    return _at_common_points(law_at(design.null[0]), values, lambda k: law_at(thetas[k]), rng, level)


def _at_common_points(
    null: LimitLaw, values: Floats, law: Callable[[int], LimitLaw], rng: np.random.Generator, level: float | None
) -> Floats:
    """The tails at `values`, each under its own law, at noise tables that were drawn for the law of the null."""
    points = CommonPoints.of(null, POINTS, rng)
    found = np.array([points.tail(law(k), float(t)) for k, t in enumerate(values)]).reshape(-1, 2)
    return _refined(found[:, 0], found[:, 1], values, law, rng, level)


def _refined(
    pvalues: Floats,
    errors: Floats,
    values: Floats,
    law: Callable[[int], LimitLaw],
    rng: np.random.Generator,
    level: float | None,
) -> Floats:
    """The p-values that need more than common points, computed anew by the method for a single table."""
    imprecise = errors > DOUBTFUL * pvalues
    again = imprecise | (pvalues < FAR) if level is None else imprecise & (np.abs(pvalues - level) < SURE * errors)
    for k in np.flatnonzero(again):
        pvalues[k] = Conditional().tail(NullProblem(law(int(k))), float(values[k]), rng).pvalue
    return np.clip(pvalues, 0.0, 1.0)
