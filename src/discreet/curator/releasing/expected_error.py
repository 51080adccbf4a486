"""How accurate released means and covariances will be: from public quantities, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.mechanisms import ed_is_better
from discreet.mechanisms.moments.means import MeanMechanism
from discreet.mechanisms.moments.moments import MomentsMechanism
from discreet.privacy import PureDP
from discreet.release.groups import Groups
from discreet.release.moments.coded import half_widths
from discreet.schema import Schema

REFERENCE_VARIANCE, REFERENCE_CORRELATION = 1.0 / 3.0, 0.5
"""The covariance for which an error is stated: columns uniform on their bounds, any two with correlation 1/2."""

SEED = 20_211_007_996
MOST_COMPARED = 30  # columns; above, simulating ED would take seconds


def mean_accuracy(schema: Schema, names: Sequence[str], mechanism: MeanMechanism, groups: Groups) -> dict[str, float]:
    """The standard deviation of the noise in each mean of the smallest group, in the column's units."""
    law = mechanism.law(min(groups.sizes[: groups.declared]))
    widths = half_widths([schema.numeric(name) for name in names])
    sd = float(np.sqrt(law.variance))
    return {f"noise_sd of {name}": sd * width for name, width in zip(names, widths.tolist(), strict=True)}


def covariance_accuracy(mechanism: MomentsMechanism, n: int) -> dict[str, float]:
    """E of the Frobenius norm of (released - true) covariance on [-1, 1]^d in a group of n records, simulated.

    The true one is a public reference, the seed is fixed, and the relative standard error is about 1 %.
    """
    d = len(mechanism.mean.steps)
    true = REFERENCE_VARIANCE * ((1 - REFERENCE_CORRELATION) * np.eye(d) + REFERENCE_CORRELATION)
    size = 1000 if d <= 5 else 200 if d <= MOST_COMPARED else 20
    released = mechanism.covariance.law(n).sample(np.broadcast_to(true, (size, d, d)), np.random.default_rng(SEED))
    return {"covariance_error": float(np.sqrt(((released - true) ** 2).sum((-1, -2))).mean())}


def note_on_ed(mechanism: MomentsMechanism, n: int) -> tuple[str, ...]:
    """That `ED()` would have the smaller expected error, where it would: so few records, so many columns."""
    covariance, d = mechanism.covariance.guarantee, len(mechanism.mean.steps)
    if mechanism.idealised or not isinstance(covariance, PureDP) or d > MOST_COMPARED:
        return ()
    if not ed_is_better(d, n, covariance.epsilon):
        return ()
    return (
        f"With {n} records and {d} columns ED() has a smaller expected error of the covariance (for columns uniform on their "
        "bounds with correlations 1/2); its guarantee is idealised.",
    )
