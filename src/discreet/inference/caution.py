"""Warnings of a test, from released numbers only: where its limit law is a poor guide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.inference.null.problem import Tail
from discreet.inference.postprocessed import signs_of_postprocessing
from discreet.noise import JointNoise
from discreet.release.labels import shortened
from discreet.schema import Schema

Floats = NDArray[np.float64]


def dependence(schema: Schema) -> tuple[str, ...]:
    """The warning for a table in which a person has several records: their dependence is no part of any null law here."""
    if schema.most_records == 1:
        return ()
    return (
        f"up to {schema.most_records} records of one person ({shortened(str(schema.unit))!r}) are counted, and a test takes "
        "records as independent: where a person's records are alike the p-value is too small; a release with max_records=1 "
        "has no such records",
    )


def cautions(
    cells: Floats, expected: Floats, noises: tuple[JointNoise, ...], tail: Tail, n: float | None = None
) -> tuple[str, ...]:
    """Cells below 5 + 3 noise standard deviations, tails that were hardly reached, deep tails of small tables, and signs
    that the numbers were changed after the noise (`n`: the total of the table, where it is public).

    A tail that few noise tables reach is an average of rare large terms: most runs miss them and come out too small, with
    an error that is too small as well. An error above a fifth of the p-value is the sign of it.
    """
    sds = np.concatenate([np.full(noise.size, noise.cell_sd) for noise in noises])
    bounds = 5.0 + 3.0 * sds
    few = cells.ravel() < bounds
    found = [*signs_of_postprocessing(cells, noises, n)]
    if few.any():
        found.append(
            f"{int(few.sum())} of {few.size} noisy cells are below 5 + 3 noise standard deviations "
            f"({bounds[few].max():.4g}): the limit law is approximate here"
        )
    smallest = float(expected.min())
    if tail.error > 0.2 * tail.pvalue:
        found.append(
            f"the p-value is imprecise (standard error {tail.error:.1g}) and may be too small: so far in the tail, ask for "
            "more points, e.g. null=Conditional(points=1_000_000)"
        )
    if tail.pvalue < 1e-3 and smallest < 20 and float(sds.min()) < np.sqrt(smallest):
        found.append(
            f"the smallest expected count is {smallest:.3g}: so far out, the limit law's p-value is too small by up to a "
            "factor of about 4"
        )
    return tuple(found)
