"""Do two groups have the same means? Hotelling's test on released means and covariances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import InvalidInput
from discreet.inference.hotelling_bootstrap import null_draws
from discreet.inference.mahalanobis import DistanceBasis
from discreet.inference.mean_caution import asymptotic_cautions, bootstrap_cautions
from discreet.inference.mean_comparison import MeanComparison
from discreet.inference.mean_groups import Given, Moments, comparison_of
from discreet.inference.null.density import chi_squared_curve, smooth_curve
from discreet.inference.null.problem import Seed
from discreet.inference.result import TestResult
from discreet.release.moments.moments_part import MomentsPart

Floats = NDArray[np.float64]

NULLS = ("bootstrap", "asymptotic")


def hotelling(
    x: Moments | MomentsPart,
    y: Moments | MomentsPart | None = None,
    *,
    mean: Given | None = None,
    groups: Sequence[Any] | str | None = None,
    null: str = "bootstrap",
    replicates: int = 1000,
    rng: Seed = None,
) -> TestResult:
    """Test whether means are equal, with a p-value that is valid although noise was added to means and covariances.

    `t = h D' Sigma^-1 D` with `D` the difference of the released means, `h = n1 n2/(n1 + n2)` (n for one group) and `Sigma`
    the pooled released covariance plus `h (v1 + v2) I`, v_i the variance of the noise in one coordinate of mean i. All columns
    are first rescaled from their own bounds to [-1, 1]. With one column it is the private t-test.

    The groups must be independent samples: no person in both. (Then a person's data are in one group only, and two releases
    at epsilon are together epsilon-differentially private where the groups are public; where a person may be in either
    group, their costs add up.)

    Parameters
    ----------
    x : MomentsRelease
        With its groups, where its schema has `fixed=`; else one sample.
    y : MomentsRelease, optional
        The other sample: same columns, same bounds; any mechanism, any guarantee.
    mean : sequence of d numbers or mapping from column to number, optional
        Compare one group with this mean, in the columns' own units.
    groups : pair of labels, or one label with `mean`, optional
        Which groups of x, where it has more than needed.
    null : "bootstrap" or "asymptotic"
        Simulated releases (the default), or the chi-squared law with d degrees of freedom, which is for many records, few
        columns and little noise only.
    replicates : int
        B, the number of simulated releases; `p = (1 + #{t* >= t})/(B + 1)`.
    rng : numpy Generator or int, optional
        For the simulation.

    Returns
    -------
    TestResult
        `effect` is the de-biased Mahalanobis distance (Cohen's d for one column).

    Raises
    ------
    InvalidInput
        For releases with different columns or bounds, unknown groups, a mean outside of the bounds.
    NotApplicable
        For a group without records, or no group with more than one.

    Notes
    -----
    The covariances are pooled, as if equal. The simulated groups have each its own, so that the bootstrap's level does not
    rest on their being equal; the chi-squared law's does where the groups differ in size.

    References
    ----------
    Dunsche, Kutta and Dette (2022), Multivariate mean comparison under differential privacy, section 3.

    Examples
    --------
    >>> from discreet import Bounded, PureDP, Schema, hotelling
    >>> from discreet.release import MeanRelease, MomentsRelease
    >>> from discreet.release.moments.covariance_draws import EntryDraws
    >>> schema = Schema({"height": Bounded(100, 220, step=1), "weight": Bounded(20, 200, step=1)})
    >>> def sample(sums, products):  # as Curator.moments releases it: noisy sums of codes, noisy centred cross-products
    ...     means = MeanRelease(schema, ("height", "weight"), drawn=sums, exponents=(0, 0), mechanism="Laplace",
    ...         scales=(480.0, 720.0), n=200, guarantee=PureDP(1))
    ...     scales = (86_406.0, 129_606.0, 194_406.0)
    ...     return MomentsRelease(means, EntryDraws("EntrywiseLaplace", "Laplace", scales, (0, 0, 0), products))
    >>> x, y = sample((14_150, 11_020), (160_000, 62_000, 280_000)), sample((17_650, 13_430), (190_000, 90_000, 240_000))
    >>> result = hotelling(x, y, replicates=4000, rng=1)
    >>> round(result.statistic, 3), result.df
    (11.174, 2)
    >>> 0.01 < result.pvalue < 0.02 and result.naive_pvalue < 1e-6
    True
    """
    comparison = comparison_of(x, y, mean, groups)
    if null not in NULLS:
        raise InvalidInput(f"null must be one of {', '.join(map(repr, NULLS))}, not {null!r}")
    if isinstance(replicates, bool) or not isinstance(replicates, int | np.integer) or replicates < 1:
        raise InvalidInput(f"replicates must be a whole number of at least 1, not {replicates!r}")
    return compare(comparison, null, int(replicates), np.random.default_rng(rng))


def compare(comparison: MeanComparison, null: str, replicates: int, rng: np.random.Generator) -> TestResult:
    """The test of a comparison that was checked before."""
    t, d = comparison.statistic, comparison.dimension
    basis = DistanceBasis(comparison)
    if null == "bootstrap":
        draws = null_draws(comparison, replicates, rng)
        pvalue = (1 + int((draws >= t).sum())) / (1 + replicates)
        error = math.sqrt(pvalue * (1 - pvalue) / replicates)
        how = f"bootstrap: {replicates:,} simulated releases of means and covariances with fresh noise"
        warnings = bootstrap_cautions(comparison, draws)
        curve = partial(smooth_curve, draws, t, d)
    else:
        pvalue, error = float(special.chdtrc(d, t)), 0.0
        how = f"asymptotic: chi-squared with {d} degree{'s' * (d > 1)} of freedom, for many records and little noise"
        warnings = asymptotic_cautions(comparison)
        curve = partial(chi_squared_curve, d, t)
    return TestResult(
        test=comparison.question,
        statistic_name=("Hotelling's t-squared" if d > 1 else "squared t") + f" of {_few(comparison.parts[0].columns)}",
        statistic=t,
        df=d,
        pvalue=pvalue,
        pvalue_error=error,
        null=how,
        n=float(sum(part.n for part in comparison.parts)),
        n_is_public=True,
        naive_pvalue=comparison.naive_pvalue,
        warnings=warnings,
        law=None,
        basis=basis,
        curve=curve,
    )


def _few(columns: tuple[str, ...], most: int = 3) -> str:
    return ", ".join(columns[:most]) + (f" and {len(columns) - most} more" if len(columns) > most else "")
