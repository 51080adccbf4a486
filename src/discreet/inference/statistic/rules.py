"""From what a user types for `statistic=` to a rule: how the statistic is formed, and how its null is computed.

    chi2, lr     a sum over cells (`statistics`), judged by any null method
    projected    the quadratic statistic of Kifer and Rogers (`projected`)
    minp         the smaller p-value of that and a Bayes factor (`minp`)

The last two find the null's unknowns by themselves (`fitted`). Effect sizes and the naive p-value stay those of Pearson's
chi-squared, whichever of these statistics is tested with: a rule's `cellwise` is the statistic that they are measured by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import InvalidInput, NotApplicable, NotAvailable
from discreet.inference.null.bootstrap import Bootstrap
from discreet.inference.null.choose import Auto, find_null
from discreet.inference.null.closed_form import ClosedForm
from discreet.inference.null.conditional import Conditional
from discreet.inference.null.density import chi_squared_curve, smooth_curve
from discreet.inference.null.monte_carlo import MonteCarlo
from discreet.inference.null.problem import NullCurve, NullMethod, NullProblem, Seed, Tail
from discreet.inference.statistic.cellwise import STATISTICS, Statistic, pearson
from discreet.inference.statistic.fitted import Fit
from discreet.inference.statistic.minp import rank_pair
from discreet.inference.statistic.projected import Projected, project

Floats = NDArray[np.float64]

AVERAGED = Conditional(points=16_384)  # 1-2 % at p = .05, 3-5 % at 1e-5, in some hundredths of a second
CURVE_DRAWS = 4_000


class Rule(Protocol):
    """A statistic and the way to its null law."""

    @property
    def name(self) -> str: ...
    @property
    def cellwise(self) -> Statistic: ...
    def judge(self, value: float, cells: Floats, problem: NullProblem, null: str | NullMethod, rng: Seed) -> Tail:
        """The tail probability on flat `cells`, and the statistic where it is not `value`, which is `cellwise` of them."""
        ...


@dataclass(frozen=True)
class CellwiseRule:
    """Pearson's chi-squared or the likelihood ratio, by any null method."""

    cellwise: Statistic
    name: str

    def judge(self, value: float, cells: Floats, problem: NullProblem, null: str | NullMethod, rng: Seed) -> Tail:
        return find_null(null).tail(problem, value, rng)


@dataclass(frozen=True)
class ProjectedRule:
    """Kifer and Rogers: in closed form where there is one (Gaussian noise), else averaged over the noise, or simulated."""

    name: str = "projected statistic"
    cellwise: Statistic = pearson

    def judge(self, value: float, cells: Floats, problem: NullProblem, null: str | NullMethod, rng: Seed) -> Tail:
        fit = _fit(problem)
        statistic = project(fit(cells))
        t = float(statistic.statistic(statistic.fitted.residual))
        curve = partial(_projected_curve, statistic, t)
        method = find_null(null)
        if isinstance(method, Auto | ClosedForm):
            try:
                p, error = statistic.closed_tail(t)
                return Tail(p, error, "closed form: limit law without Monte-Carlo error", t, curve)
            except NotAvailable:
                if isinstance(method, ClosedForm):
                    raise
                method = AVERAGED
        if isinstance(method, Bootstrap):
            return self._bootstrap(method, t, fit, problem, rng)
        if not isinstance(method, Conditional | MonteCarlo):
            raise NotAvailable(
                "statistic='projected' takes null='auto', 'closed-form', 'conditional', 'monte-carlo' or 'bootstrap', or "
                "an object of one of these classes"
            )
        generator = np.random.default_rng(method.rng if rng is None else rng)
        if isinstance(method, Conditional):
            p, error = statistic.average_tail(t, method.points, generator)
            return Tail(p, error, "conditional: limit law, averaged over the noise by importance sampling", t, curve)
        p, error = statistic.count_tail(t, method.points, generator)
        return Tail(
            p, error, f"monte-carlo: {method.points:,} reference points, {statistic.fitted.drawn_from}", t, curve
        )

    def _bootstrap(self, method: Bootstrap, t: float, fit: Fit, problem: NullProblem, rng: Seed) -> Tail:
        """Tables from the fitted null, each with the null fitted anew."""
        if problem.refit is None:
            raise NotAvailable("this test has no null that tables can be simulated from; use null='auto'")

        def refitted(tables: Floats) -> Floats:
            return np.array([_refitted(table, fit) for table in tables])

        tail = method.tail(replace(problem, refit=replace(problem.refit, statistic=refitted)), t, rng)
        return replace(tail, statistic=t) if tail.statistic is None else tail


@dataclass(frozen=True)
class MinpRule:
    """The smaller p-value of the projected statistic and the Bayes factor, by reference draws."""

    name: str = "min-p of projected statistic and Bayes factor"
    cellwise: Statistic = pearson

    def judge(self, value: float, cells: Floats, problem: NullProblem, null: str | NullMethod, rng: Seed) -> Tail:
        statistic = project(_fit(problem)(cells))
        if statistic.gaussian:
            raise NotApplicable(
                "statistic='minp' is for Laplace noise and its like; with Gaussian noise nothing is gained over "
                "statistic='projected': use that"
            )
        method = find_null(null)
        if isinstance(method, Auto):
            method = MonteCarlo()
        if not isinstance(method, MonteCarlo):
            raise NotAvailable(
                "statistic='minp' is ranked among its own reference draws: null must be 'auto', 'monte-carlo' or "
                "MonteCarlo(points=...)"
            )
        generator = np.random.default_rng(method.rng if rng is None else rng)
        ranked = rank_pair(statistic, method.points, generator)
        p, value = ranked.pvalue, float(special.chdtri(statistic.df, ranked.observed))
        draws = special.chdtri(statistic.df, ranked.reference[:CURVE_DRAWS])
        return Tail(
            pvalue=p,
            error=math.sqrt(p * (1.0 - p) / method.points),
            description=f"monte-carlo: {method.points:,} ranked reference draws, {statistic.fitted.drawn_from}",
            statistic=value,
            curve=partial(smooth_curve, draws, value),
        )


def find_rule(name: str) -> Rule:
    """The rule of that name; a clear error for any other."""
    if name in STATISTICS:
        return CellwiseRule(*STATISTICS[name])
    if name == "projected":
        return ProjectedRule()
    if name == "minp":
        return MinpRule()
    raise InvalidInput(f"statistic must be 'chi2', 'lr', 'projected' or 'minp', not {name!r}")


def _fit(problem: NullProblem) -> Fit:
    if problem.fit is None:
        raise NotAvailable("this test has the statistics 'chi2' and 'lr' only")
    return problem.fit


def _projected_curve(statistic: Projected, t: float) -> NullCurve:
    if statistic.gaussian:
        return chi_squared_curve(statistic.df, t)
    return smooth_curve(statistic.draws(CURVE_DRAWS, np.random.default_rng(0)), t)


def _refitted(table: Floats, fit: Fit) -> float:
    """The projected statistic of a simulated table; infinite where it cannot be formed, which can only enlarge a p-value."""
    try:
        fitted = fit(table)
    except NotApplicable:
        return math.inf
    return float(project(fitted).statistic(fitted.residual))
