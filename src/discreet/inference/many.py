"""Independence in many noisy tables at once: the p-values of `independence`, sharing what the tables have in common."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import DiscreetWarning, InvalidInput, NotApplicable, NotAvailable
from discreet.inference.batch import Batch, form_batch
from discreet.inference.cells import to_floats
from discreet.inference.independence import independence
from discreet.inference.null.choose import find_null
from discreet.inference.null.conditional import Conditional
from discreet.inference.null.one_degree import one_degree_tail
from discreet.inference.null.problem import NullMethod, NullProblem, Seed
from discreet.inference.null.shared_points import shared_points_tail
from discreet.inference.observed import Noise, joint_noise
from discreet.inference.statistic.cellwise import STATISTICS
from discreet.inference.statistic.rules import find_rule
from discreet.inference.tails.weighted_chi2 import weighted_chi2_sf
from discreet.noise import JointNoise

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]

POINTS = 1024
DOUBTFUL = 0.03  # relative error above which a table's p-value is computed on its own
FAR = 1e-3  # p-value below which it is, whatever the error says
MOST_CELLS = 1024
NAMED = 10


def independence_many(
    tables: ArrayLike | Sequence[ArrayLike],
    noise: Noise,
    n: ArrayLike | None = None,
    statistic: str = "chi2",
    null: str | NullMethod = "auto",
    rng: Seed = None,
) -> Floats:
    """Test independence in each of many noisy tables of one shape; the p-values of `independence`, much faster.

    With `null="auto"` and Pearson's or the likelihood-ratio statistic,

    - Gaussian noise, projected or not, and tables of one degree of freedom under any noise have closed forms: the same
      numbers as the single test's, to 1e-9, for all tables together;
    - otherwise the conditional average is taken at 1,024 noise tables that all tables share. Where its standard error is
      above 3 % of the p-value, or the p-value below 0.001, the table is tested on its own as a single one is. So the
      standard error is at most 3 %, or what the single test's is.

    All other statistics and null methods take the tables one after the other.

    Parameters
    ----------
    tables : array_like of shape (m, r, c)
        Noisy counts, of any numeric type; r and c at least 2.
    noise : law or JointNoise
        The noise in each table, e.g. `discreet.noise.Gaussian(2.8)`; independent tables or margins of one release alike.
    n : number or array_like of shape (m,), optional
        The public number of records in every table, or in each; None where it is not public (then it is estimated).
    statistic, null, rng
        As in `independence`.

    Returns
    -------
    ndarray of shape (m,)
        p-values in [0, 1]. NaN for a table that no test applies to (a noisy row or column total not above 0, a count that
        is not finite, an n far below the sum of the cells), with one `DiscreetWarning` that names them.

    Raises
    ------
    InvalidInput
        For arguments that are not allowed, whatever the tables; a single bad table raises nothing.

    Examples
    --------
    >>> from discreet.inference import adjust_pvalues, independence_many
    >>> from discreet.noise import Gaussian
    >>> tables = [[[40.1, 61.7, 22.4], [58.9, 42.0, 19.2]], [[51.3, 49.8, 20.5], [47.7, 52.6, 21.0]]]
    >>> p = independence_many(tables, Gaussian(2.8))
    >>> p.round(4)
    array([0.0498, 0.9179])
    >>> adjust_pvalues(p, "holm").round(4)
    array([0.0996, 0.9179])
    """
    cells = _stack(tables)
    joint = joint_noise(noise, cells.shape[1:])
    totals = _totals(n, len(cells))
    find_null(null)  # an unknown name is refused even where there is no table
    usable, batch = form_batch(cells, joint, totals, find_rule(statistic).cellwise)
    generator = np.random.default_rng(rng)
    pvalues = np.full(len(cells), np.nan)
    if statistic in STATISTICS and (null == "auto" or null == "closed-form" or type(null) is Conditional):
        pvalues[usable] = _together(batch, null, generator)
    else:
        pvalues[usable] = _one_by_one(
            cells[usable], joint, None if n is None else batch.totals, statistic, null, generator
        )
    _warn_of_nan(pvalues)
    return pvalues


def _together(batch: Batch, null: str | NullMethod, rng: np.random.Generator) -> Floats:
    """The p-values of a batch: in closed form where there is one, else at common noise points.

    A table that is left to the single test has a generator of its own seed, so that its p-value depends on no other table.
    """
    seed = int(rng.integers(2**63))
    if not batch.size:
        return np.empty(0)
    if null in ("auto", "closed-form"):
        if batch.noise.law.is_normal and batch.noise.size <= MOST_CELLS:
            return np.asarray(np.clip(weighted_chi2_sf(batch.statistics, batch.weights()), 0.0, 1.0))
        if batch.df == 1:
            return _one_degree(batch, null, seed)
    points = null.points if isinstance(null, Conditional) else POINTS
    if null == "closed-form" or batch.noise.size > MOST_CELLS:
        return np.array([_alone(batch, k, null, seed) for k in range(batch.size)])
    pvalues, errors = shared_points_tail(batch, points, np.random.default_rng(seed))
    for k in np.flatnonzero((errors > DOUBTFUL * pvalues) | (pvalues < FAR)):
        pvalues[k] = _alone(batch, int(k), null, seed)
    return pvalues


def _one_degree(batch: Batch, null: str | NullMethod, seed: int) -> Floats:
    pvalues = np.empty(batch.size)
    for part, some in batch.chunks(200 * batch.noise.dimension):
        try:
            pvalues[part] = one_degree_tail(some.statistics, batch.noise, some.residual_map[:, 0])
        except NotAvailable:  # for one of them; the others need not do without
            pvalues[part] = [_alone(some, k, null, seed) for k in range(some.size)]
    return np.asarray(np.clip(pvalues, 0.0, 1.0))


def _alone(batch: Batch, k: int, null: str | NullMethod, seed: int) -> float:
    problem = NullProblem(batch.law(k))
    return find_null(null).tail(problem, float(batch.statistics[k]), np.random.default_rng(seed)).pvalue


def _one_by_one(
    tables: Floats,
    noise: JointNoise,
    totals: Floats | None,
    statistic: str,
    null: str | NullMethod,
    rng: np.random.Generator,
) -> Floats:
    """The p-values of `independence` itself, NaN where it does not apply; its own error where it applies to no table."""
    pvalues = np.full(len(tables), np.nan)
    refusal = None
    for k, table in enumerate(tables):
        n = None if totals is None else float(totals[k])
        try:
            pvalues[k] = independence(table, statistic=statistic, null=null, noise=noise, n=n, rng=rng).pvalue
        except NotApplicable as refused:
            refusal = refused
    if refusal is not None and np.isnan(pvalues).all():
        raise refusal
    return pvalues


def _stack(tables: ArrayLike | Sequence[ArrayLike]) -> Floats:
    cells = to_floats(tables)
    if cells.ndim != 3 or min(cells.shape[1:]) < 2:
        raise InvalidInput(
            f"tables must have the shape (m, r, c) with at least two rows and two columns each, not {cells.shape}"
        )
    return cells


def _totals(n: ArrayLike | None, m: int) -> Floats | None:
    if n is None:
        return None
    totals = to_floats(n)
    if totals.shape not in ((), (m,)) or not (np.isfinite(totals) & (totals > 0)).all():
        raise InvalidInput(
            f"n must be None (estimated), a positive number of records, or {m} of them, one a table; this has shape "
            f"{totals.shape}"
        )
    return np.broadcast_to(totals, (m,))


def _warn_of_nan(pvalues: Floats) -> None:
    lost = np.flatnonzero(np.isnan(pvalues))
    if not lost.size:
        return
    named = ", ".join(map(str, lost[:NAMED])) + (", ..." if lost.size > NAMED else "")
    warnings.warn(
        f"{lost.size} of {pvalues.size} tables have no p-value (NaN): {named}; a noisy row or column total is not above 0, a "
        "count is not finite, or n is far below the sum of the cells",
        DiscreetWarning,
        stacklevel=3,
    )
