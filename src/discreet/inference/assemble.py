"""From the pieces of a test (statistic, law, null method) to its result."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import NotApplicable
from discreet.inference.caution import cautions
from discreet.inference.effect import EffectBasis
from discreet.inference.null.problem import NullMethod, NullProblem, Seed
from discreet.inference.result import TestResult
from discreet.inference.statistic.rules import find_rule

Floats = NDArray[np.float64]

SMALLEST_EXPECTED = 1e-6  # records; a cell expected to hold less says nothing but divides everything
LARGEST_STATISTIC = 1e24  # beyond, a double cannot resolve where the null law ends


@dataclass(frozen=True, eq=False)
class Problem:
    """A test before its null is computed: cells and expected counts (flat), the law, the total, and the effect's scale.

    `largest_phi2` is the value of phi^2 at complete association, `cautions` are warnings about the records themselves.
    """

    test: str
    cells: Floats
    expected: Floats
    null: NullProblem
    total: float
    total_is_public: bool
    effect_name: str
    largest_phi2: float
    cautions: tuple[str, ...]


def assess(problem: Problem, statistic: str, null: str | NullMethod, rng: Seed) -> TestResult:
    """Evaluate the statistic and its null law, and collect the result."""
    rule = find_rule(statistic)
    smallest = float(problem.expected.min())
    value = float(rule.cellwise(problem.cells, problem.expected)) if smallest > SMALLEST_EXPECTED else math.inf
    if not value < LARGEST_STATISTIC:
        raise NotApplicable(
            f"the smallest expected count is {smallest:.3g}, too small beside the noise for any chi-squared test; "
            "merge that category with another one, or release with a larger budget"
        )
    tail = rule.judge(value, problem.cells, problem.null, null, rng)
    residuals = (problem.cells - problem.expected) / np.sqrt(problem.expected)
    basis = EffectBasis(problem.effect_name, value, problem.null.law, problem.total, residuals, problem.largest_phi2)
    return TestResult(
        test=problem.test,
        statistic_name=rule.name,
        statistic=value if tail.statistic is None else tail.statistic,
        df=problem.null.law.df,
        pvalue=tail.pvalue,
        pvalue_error=tail.error,
        null=tail.description,
        n=problem.total,
        n_is_public=problem.total_is_public,
        naive_pvalue=float(special.chdtrc(problem.null.law.df, value)),
        warnings=(
            *problem.cautions,
            *cautions(
                problem.cells,
                problem.expected,
                problem.null.law.noises,
                tail,
                problem.total if problem.total_is_public else None,
            ),
        ),
        law=problem.null.law,
        basis=basis,
        curve=tail.curve,
    )
