"""Which number of an output tells two data sets apart best: learnt on some outputs, used on others.

Candidates, each a score that tends to be larger on the second data set:

    projection   of the output on the difference of the means, each number in units of its variance
    clipped      the same after every number was clipped to the span of its two means: the likelihood of Laplace noise
    discriminant the same as the projection with all covariances: finds a combination of numbers in which there is little noise
    coordinate   the one number that tells most
    low bits     how many of the numbers need a binary digit finer than 2^-k: finds noise added in floating point
    atoms        how often this very output came on either data set: finds outputs that escaped the noise

The last two see what no scale can show, e.g. that the doubles which x + noise can reach depend on x (Mironov 2012).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Score = Callable[[Floats], Floats]

_BITS = (0, 1, 2, 3, 5, 8, 12, 16, 20, 24, 30, 40, 45, 50, 52, 54)
_MOST_FOR_DISCRIMINANT = 60  # numbers in an output; beyond, a covariance is not learnt from a few thousand outputs


@dataclass(frozen=True)
class Candidate:
    """A score with its name."""

    name: str
    score: Score


def candidates(zeros: Floats, ones: Floats) -> list[Candidate]:
    """The scores learnt from outputs of the first (zeros) and second (ones) data set, one output a row."""
    mean_0, mean_1 = zeros.mean(0), ones.mean(0)
    residuals = np.vstack([zeros - mean_0, ones - mean_1])
    variance = (residuals**2).mean(0)
    size = float(np.abs(residuals).max(initial=0.0) + np.abs(mean_1 - mean_0).max(initial=0.0)) or 1.0
    moved = mean_1 - mean_0
    tiny = (1e-9 * size) ** 2
    weights = moved / (variance + tiny)
    clipped = np.sign(moved) / (np.abs(residuals).mean(0) + 1e-9 * size)
    span = np.minimum(mean_0, mean_1), np.maximum(mean_0, mean_1)
    found = [
        Candidate("projection", _linear(weights)),
        Candidate("clipped", lambda outputs: np.asarray(np.clip(outputs, *span) @ clipped)),
    ]
    width = moved.size
    if 1 < width <= _MOST_FOR_DISCRIMINANT and residuals.shape[0] > 4 * width:
        covariance = residuals.T @ residuals / residuals.shape[0] + np.diag(np.full(width, tiny))
        values, vectors = np.linalg.eigh(covariance)
        rotated = vectors.T @ moved / np.maximum(values, tiny)
        found.append(Candidate("discriminant", _linear(vectors @ rotated)))
    if width > 1:
        best = int(np.argmax(np.abs(moved) / np.sqrt(variance + tiny)))
        found.append(Candidate("coordinate", _linear(np.sign(moved[best]) * np.eye(width)[best])))
    for k in _BITS:
        share_0, share_1 = _fine(zeros, k).mean(), _fine(ones, k).mean()
        if share_0 != share_1:
            found.append(Candidate(f"bits below 2^-{k}", _bits(k, 1.0 if share_1 > share_0 else -1.0)))
    atoms = _atoms(zeros, ones)
    return found if atoms is None else [*found, Candidate("atoms", atoms)]


def _atoms(zeros: Floats, ones: Floats) -> Score | None:
    """The log ratio of how often an output was seen on either; None where none came twice."""
    seen = [Counter(row.tobytes() for row in np.ascontiguousarray(rows + 0.0)) for rows in (zeros, ones)]
    if max(max(counter.values(), default=0) for counter in seen) < 2:
        return None
    every = seen[0].keys() | seen[1].keys()
    ratio = {atom: math.log((seen[1][atom] + 0.5) / (seen[0][atom] + 0.5)) for atom in every}
    return lambda outputs: np.array([ratio.get(row.tobytes(), 0.0) for row in np.ascontiguousarray(outputs + 0.0)])


def _linear(weights: Floats) -> Score:
    return lambda outputs: np.asarray(outputs @ weights)


def _bits(k: int, sign: float) -> Score:
    return lambda outputs: np.asarray(sign * _fine(outputs, k).sum(1))


def _fine(outputs: Floats, k: int) -> NDArray[np.bool_]:
    """Which numbers are no multiple of 2^-k: scaling by a power of two is exact."""
    scaled = np.ldexp(outputs, k)
    return np.asarray(scaled != np.floor(scaled))


def best_guess(zeros: Floats, ones: Floats) -> tuple[float, float]:
    """The threshold t of the guess "second data set if score >= t" with the most right guesses, and their share."""
    thresholds, false_alarms, hits = rates(zeros, ones)
    right = 0.5 * (1.0 - false_alarms + hits)
    best = int(right.argmax())
    return float(thresholds[best]), float(right[best])


def rates(zeros: Floats, ones: Floats) -> tuple[Floats, Floats, Floats]:
    """For every score seen: the shares of both data sets' outputs with at least that score."""
    thresholds = np.unique(np.concatenate([zeros, ones]))
    below_0 = np.searchsorted(np.sort(zeros), thresholds, side="left")
    below_1 = np.searchsorted(np.sort(ones), thresholds, side="left")
    return thresholds, 1.0 - below_0 / zeros.size, 1.0 - below_1 / ones.size
