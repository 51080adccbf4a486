"""Homogeneity: do several samples have the same cell probabilities? (The test of sample proportions.)"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput, NotApplicable
from discreet.inference.assemble import Problem, assess
from discreet.inference.law import LimitLaw, TwoWay
from discreet.inference.null.problem import NullMethod, NullProblem, Seed
from discreet.inference.observed import (
    SMALLEST_TOTAL,
    Noise,
    NoisyTable,
    Table,
    groups_in_rows,
    observe,
    positive_margins,
    two_way,
)
from discreet.inference.result import TestResult
from discreet.inference.statistic.fitted import fit_homogeneity
from discreet.inference.statistic.refit import Refit, fitted_to_margins, fitted_to_sizes
from discreet.inference.statistic.rules import find_rule
from discreet.noise import JointNoise
from discreet.release import TableRelease

Floats = NDArray[np.float64]


def homogeneity(
    *tables: Table,
    statistic: str = "chi2",
    null: str | NullMethod = "auto",
    noise: Noise | Sequence[Noise] | None = None,
    n: float | Sequence[float | None] | None = None,
    rng: Seed = None,
) -> TestResult:
    """Test whether k samples have the same cell probabilities, validly under the noise of each.

    With public sample sizes n_g the expected counts are n_g theta-hat_j, theta-hat = sum of the noisy tables / sum n_g;
    the law has (k - 1)(p - 1) degrees of freedom and, because the noisy tables do not add up to n_g, the added term
    ||(F (x) qq') w||^2 (`discreet.inference.law`). Where any size is not public, all are estimated by the sums of the noisy
    cells and the test is the one of independence on the k x p table.

    Parameters
    ----------
    *tables : releases or arrays
        One noisy table a sample, all of one shape (each sample released on its own); or a single two-way table whose
        rows are the samples. In a release by the schema's fixed column its groups are the samples, on either axis; their
        sizes are public where the schema is complete, else (each has an other cell) estimated.
    noise, n
        For bare arrays: one law and size for all, or a sequence with one for each.
    statistic, null, rng
        As in `independence`.

    Returns
    -------
    TestResult

    References
    ----------
    Wang, Lee and Kifer (2015), theorem 4.

    Examples
    --------
    >>> from discreet import homogeneity
    >>> from discreet.noise import Laplace
    >>> result = homogeneity([41.7, 60.2, 96.4], [90.1, 101.3, 110.9], noise=Laplace(2.0), n=[200, 300], rng=1)
    >>> round(result.statistic, 6), result.df
    (7.99097, 2)
    """
    if not tables:
        raise InvalidInput("homogeneity needs at least two samples, or one two-way table whose rows are the samples")
    samples = _rows_of(tables[0], noise, n) if len(tables) == 1 else _separate(tables, noise, n)
    cells, noises, sizes, public, warned = samples
    totals = cells.sum(1) if not public else sizes
    pooled = cells.sum(0)
    if (pooled <= SMALLEST_TOTAL).any():
        raise NotApplicable(
            f"category {int(np.argmin(pooled))} has the noisy total {pooled.min():.4g} over all samples, not above 0, so "
            "expected counts cannot be formed; merge categories, or release with a larger budget"
        )
    function = find_rule(statistic).cellwise
    expected = np.outer(totals, pooled / totals.sum())
    theta = pooled / pooled.sum()
    law = LimitLaw(
        geometry=TwoWay(np.sqrt(totals / totals.sum()), np.sqrt(theta), public=public),
        scaling=1.0 / np.sqrt(np.outer(totals, theta).ravel()),
        noises=noises,
    )
    problem = Problem(
        test=f"Homogeneity of {cells.shape[0]} samples",
        cells=cells.ravel(),
        expected=expected.ravel(),
        null=NullProblem(
            law,
            refit=Refit(
                cells.ravel(),
                samples=tuple((size, theta) for size in sizes),
                noises=noises,
                statistic=fitted_to_sizes(function, sizes) if public else fitted_to_margins(function, rows=sizes.size),
            ),
            fit=lambda table: fit_homogeneity(table, sizes, public, noises),
        ),
        total=float(totals.sum()),
        total_is_public=public,
        effect_name="Cramer's V",
        largest_phi2=float(min(cells.shape) - 1),
        cautions=warned,
    )
    return assess(problem, statistic, null, rng)


Samples = tuple[Floats, tuple[JointNoise, ...], Floats, bool, tuple[str, ...]]


def _rows_of(table: Table, noise: Noise | Sequence[Noise] | None, n: float | Sequence[float | None] | None) -> Samples:
    """A two-way table whose rows are the samples; their sizes are public only if given one by one, or as fixed groups."""
    if isinstance(noise, Sequence):
        raise InvalidInput("one two-way table has one noise law, not a sequence")
    given = list(n) if isinstance(n, Sequence) else None
    public = given is not None and None not in given
    observed = two_way(groups_in_rows(table), None, None, noise, None if given is not None else n)  # type: ignore[arg-type]
    if observed.group_sizes is not None:
        if not observed.group_sizes.all():
            empty = observed.labels[0][int(np.argmin(observed.group_sizes))]
            raise NotApplicable(f"{observed.names[0]} {empty!r} has no records, so it is no sample; leave it out")
        return observed.cells, (observed.noise,), observed.group_sizes, True, observed.cautions
    if given is not None and len(given) != observed.cells.shape[0]:
        raise InvalidInput(f"the table has {observed.cells.shape[0]} rows, but n has {len(given)} sizes")
    sizes = np.array(given, float) if public else positive_margins(observed, 0)
    if (sizes <= 0).any() or not np.isfinite(sizes).all():
        raise InvalidInput("every size in n must be positive")
    return observed.cells, (observed.noise,), sizes, public, observed.cautions


def _separate(
    tables: Sequence[Table], noise: Noise | Sequence[Noise] | None, n: float | Sequence[float | None] | None
) -> Samples:
    """One table a sample, each with its own independent noise."""
    k = len(tables)
    laws = list(noise) if isinstance(noise, Sequence) else [noise] * k
    sizes = list(n) if isinstance(n, Sequence) else [n] * k
    if len(laws) != k or len(sizes) != k:
        raise InvalidInput(f"there are {k} samples, but {len(laws)} noise laws and {len(sizes)} sizes")
    _check_neighbours(tables)
    observed = [observe(t, law, size) for t, law, size in zip(tables, laws, sizes, strict=True)]
    first = observed[0]
    for other in observed[1:]:
        _check_alike(first, other)
    if first.cells.size < 2:
        raise InvalidInput("homogeneity needs at least two categories")
    if any(isinstance(t, TableRelease) for t in tables) and len({id(t) for t in tables}) < k:
        raise InvalidInput("the same release was given twice; its noise is not independent of itself")
    public = all(o.total_is_public for o in observed)
    cells = np.stack([o.cells.ravel() for o in observed])
    warned = tuple(dict.fromkeys(caution for o in observed for caution in o.cautions))
    return cells, tuple(o.noise for o in observed), np.array([o.total for o in observed]), public, warned


def _check_neighbours(tables: Sequence[Table]) -> None:
    """Guarantees about different neighbours are no common guarantee, so a result from both would have none to state."""
    schemas = [table.schema for table in tables if isinstance(table, TableRelease)]
    adjacencies = sorted({schema.adjacency for schema in schemas})
    if len(adjacencies) > 1:
        raise InvalidInput(
            f"the samples were released under different adjacencies ({', '.join(adjacencies)}); a test needs one for all"
        )
    protected = sorted({schema.protected for schema in schemas})
    if len(protected) > 1:
        raise InvalidInput(f"the samples protect different units ({', '.join(protected)}); a test needs one for all")


def _check_alike(first: NoisyTable, other: NoisyTable) -> None:
    if first.cells.shape != other.cells.shape:
        raise InvalidInput(f"the samples must have one shape, not {first.cells.shape} and {other.cells.shape}")
    if first.labels != other.labels:
        raise InvalidInput("the samples must have the same categories in the same order")
