"""Independence of two columns of a noisy table."""

from __future__ import annotations

import numpy as np

from discreet.inference.assemble import Problem, assess
from discreet.inference.law import LimitLaw, TwoWay
from discreet.inference.null.problem import NullMethod, NullProblem, Seed
from discreet.inference.observed import Noise, Table, positive_margins, two_way
from discreet.inference.result import TestResult
from discreet.inference.statistic.fitted import fit_independence
from discreet.inference.statistic.refit import Refit, fitted_to_margins
from discreet.inference.statistic.rules import find_rule


def independence(
    table: Table,
    rows: str | None = None,
    columns: str | None = None,
    *,
    statistic: str = "chi2",
    null: str | NullMethod = "auto",
    noise: Noise | None = None,
    n: float | None = None,
    rng: Seed = None,
) -> TestResult:
    """Test whether two columns are independent, with a p-value that is valid although noise was added to the table.

    The expected counts are `E_ij = Y_i. Y_.j / Y_..` of the noisy table Y; the statistic has (r - 1)(c - 1) degrees of
    freedom and, given the noise V, the limit law ncx2((r-1)(c-1), ||Pi w||^2) with `w = V / sqrt(N theta_i. theta_.j)`.
    Its p-value averages over V by the release's own joint law, projected and marginal noise included.

    Parameters
    ----------
    table : TableRelease or array of shape (r, c)
        A release with two columns (or more, with `rows` and `columns`), or a bare noisy table with `noise` and `n`.
    rows, columns : str, optional
        The two columns of a wider release; all others are summed out.
    statistic : "chi2", "lr", "projected" or "minp"
        Pearson's chi-squared, the corrected likelihood ratio, the projected statistic of Kifer and Rogers, or (for Laplace
        noise) the smaller p-value of that and a Bayes factor. The last two have more power where expected counts differ
        much. The effect size is that of Pearson's statistic in any case.
    null : "auto", "closed-form", "conditional", "monte-carlo", "bootstrap" or an object
        How the null law is computed, e.g. `Conditional(points=65536)`; "auto" is the closed form where there is one
        (`ClosedForm`), else the conditional average.
    noise : law or JointNoise
        For a bare array: e.g. `discreet.noise.Laplace(4.0)`, the noise in each cell.
    n : number, optional
        For a bare array: the public number of records in the table; None where it is not public (then it is estimated).
    rng : numpy Generator or int, optional
        For the simulation of the null law.

    Returns
    -------
    TestResult

    Raises
    ------
    NotApplicable
        Where a noisy row or column total is not above 0, so that no expected counts exist.

    References
    ----------
    Wang, Lee and Kifer (2015), Revisiting differentially private hypothesis tests for categorical data, theorem 3.
    Kifer and Rogers (2017), A new class of private chi-square hypothesis tests (`statistic="projected"`).

    Examples
    --------
    >>> from discreet import independence
    >>> from discreet.noise import Laplace
    >>> result = independence([[230.5, 271.25], [268, 236.75]], noise=Laplace(4.0), n=1000, rng=7)
    >>> round(result.statistic, 4), result.df
    (5.1551, 1)
    >>> 0.032 < result.pvalue < 0.0333 and result.naive_pvalue < 0.0232
    True
    """
    observed = two_way(table, rows, columns, noise, n)
    row_sums, column_sums = positive_margins(observed, 0), positive_margins(observed, 1)
    grand = float(observed.cells.sum())
    theta_rows, theta_columns = row_sums / grand, column_sums / grand
    law = LimitLaw(
        geometry=TwoWay(np.sqrt(theta_rows), np.sqrt(theta_columns)),
        scaling=1.0 / np.sqrt(observed.total * np.outer(theta_rows, theta_columns).ravel()),
        noises=(observed.noise,),
    )
    problem = Problem(
        test=f"Independence of {observed.names[0]} and {observed.names[1]}",
        cells=observed.cells.ravel(),
        expected=grand * np.outer(theta_rows, theta_columns).ravel(),
        null=NullProblem(
            law,
            refit=Refit(
                observed.cells.ravel(),
                samples=((observed.total, np.outer(theta_rows, theta_columns)),),
                noises=(observed.noise,),
                statistic=fitted_to_margins(find_rule(statistic).cellwise, rows=theta_rows.size),
            ),
            fit=lambda table: fit_independence(table, observed.n, observed.noise),
        ),
        total=observed.total,
        total_is_public=observed.total_is_public,
        effect_name="Cramer's V",
        largest_phi2=float(min(observed.cells.shape) - 1),
        cautions=observed.cautions,
    )
    return assess(problem, statistic, null, rng)
