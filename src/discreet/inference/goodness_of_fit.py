"""Goodness of fit: does a noisy table follow given cell probabilities?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.inference.assemble import Problem, assess
from discreet.inference.law import LimitLaw, OneWay
from discreet.inference.null.problem import NullMethod, NullProblem, Seed, Simulation
from discreet.inference.observed import Noise, NoisyTable, Table, observe
from discreet.inference.result import TestResult
from discreet.inference.statistic.fitted import fit_goodness
from discreet.inference.statistic.refit import Refit, fitted_to_given
from discreet.inference.statistic.rules import find_rule

Floats = NDArray[np.float64]


def goodness_of_fit(
    table: Table,
    theta: ArrayLike,
    *,
    statistic: str = "chi2",
    null: str | NullMethod = "auto",
    noise: Noise | None = None,
    n: float | None = None,
    rng: Seed = None,
) -> TestResult:
    """Test whether the cells follow the probabilities `theta`, validly under the noise of the table.

    With a public n the expected counts are n theta and, given the noise V,
    Q ~ ncx2(p - 1, kappa^2 (sum V^2/theta - (sum V)^2)) + kappa^2 (sum V)^2 with kappa^2 = 1/n; where the total of the
    declared cells is estimated (an `other` cell, or n=None) they are N-hat theta, N-hat the sum of the noisy cells, and
    the last term is absent.

    Parameters
    ----------
    table : TableRelease or array
        A release, or a bare noisy table with `noise` and `n`.
    theta : array of the table's shape
        Cell probabilities under the null: positive, summing to 1 (to 1e-8).
    statistic, null, noise, n, rng
        As in `independence`. `null="monte-carlo"` with a public n simulates multinomial tables with fresh noise, which is
        valid at any n, not only in the limit.

    Returns
    -------
    TestResult
        Its effect is Cohen's w = sqrt(phi^2).

    References
    ----------
    Wang, Lee and Kifer (2015), theorem 5 and section 5.

    Examples
    --------
    >>> from discreet import goodness_of_fit
    >>> from discreet.noise import Laplace
    >>> result = goodness_of_fit([52.3, 39.1, 61.8, 45.2], [.25] * 4, noise=Laplace(4.0), n=200, rng=1)
    >>> round(result.statistic, 4), result.df
    (5.7276, 3)
    """
    observed = observe(table, noise, n)
    probabilities = _check_theta(theta, observed)
    total, cells = observed.total, observed.cells.ravel()
    law = LimitLaw(
        geometry=OneWay(np.sqrt(probabilities), observed.total_is_public),
        scaling=1.0 / np.sqrt(total * probabilities),
        noises=(observed.noise,),
    )
    problem = Problem(
        test=f"Goodness of fit of {' x '.join(observed.names)}",
        cells=cells,
        expected=total * probabilities,
        null=NullProblem(
            law,
            exact=_simulation(observed, probabilities, statistic),
            refit=Refit(
                cells,
                samples=((total, probabilities),),
                noises=(observed.noise,),
                statistic=fitted_to_given(find_rule(statistic).cellwise, probabilities, observed.n),
            ),
            fit=lambda table: fit_goodness(table, probabilities, observed.n, observed.noise),
        ),
        total=total,
        total_is_public=observed.total_is_public,
        effect_name="Cohen's w",
        largest_phi2=float(1.0 / probabilities.min() - 1.0),
        cautions=observed.cautions,
    )
    return assess(problem, statistic, null, rng)


def _simulation(observed: NoisyTable, theta: Floats, statistic: str) -> Simulation | None:
    """Draws of the statistic on multinomial tables with fresh noise: exact where n is public, else there are none."""
    if observed.n is None or observed.n != int(observed.n):
        return None
    function = find_rule(statistic).cellwise
    size_of_table = int(observed.n)

    def draw(size: int, generator: np.random.Generator) -> Floats:
        tables = generator.multinomial(size_of_table, theta, size) + observed.noise.sample(size, generator).reshape(
            size, -1
        )
        return function(tables, size_of_table * theta)

    return draw


def _check_theta(theta: ArrayLike, observed: NoisyTable) -> Floats:
    try:
        given = np.array(theta, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput("theta must be an array of numbers") from None
    if given.shape != observed.cells.shape:
        raise InvalidInput(f"theta must have the table's shape {observed.cells.shape}, not {given.shape}")
    if given.size < 2:
        raise InvalidInput("goodness of fit needs at least two cells")
    if not np.isfinite(given).all() or (given <= 0).any():
        raise InvalidInput("every element of theta must be finite and above 0 (leave out cells that cannot occur)")
    if abs(given.sum() - 1.0) > 1e-8:
        raise InvalidInput(f"theta must sum to 1; it sums to {given.sum():.10g}")
    probabilities: Floats = given.ravel() / given.sum()
    return probabilities
