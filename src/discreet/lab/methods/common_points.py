"""Noise tables that all tables of a study share: tails of many limit laws at the points that were drawn for one of them.

    P(Q >= t) = E_V P(ncx2(df, noncentrality(V)) + added(V) >= t),

whatever the law, with V from the proposals of `discreet.inference.null.big_jump` for the law of the design's null, aimed at its
own 2 % point: there a study of levels and powers must be precise, and there, under Laplace noise, single large draws matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.inference.law import LimitLaw
from discreet.inference.null.big_jump import can_jump
from discreet.inference.null.monte_carlo import limit_draws
from discreet.inference.null.proposals import Proposals
from discreet.inference.null.shared_points import SCRAMBLINGS
from discreet.inference.tails.noncentral import noncentral_chi2_sf
from discreet.noise.sobol import uniform_points

Floats = NDArray[np.float64]

_AIM = 0.98  # quantile of the null that the proposals make for
_PILOT = 4096  # draws it is found by


@dataclass(frozen=True, eq=False)
class CommonPoints:
    """Noise cells V of shape (scramblings * points, cells), and their importance weights of shape (scramblings, points)."""

    cells: Floats
    weights: Floats

    @classmethod
    def of(cls, law: LimitLaw, points: int, rng: np.random.Generator) -> CommonPoints:
        """About `points` noise tables for laws near to `law`."""
        log2_points = max(1, math.ceil(math.log2(points / SCRAMBLINGS)))
        if not can_jump(law):
            uniforms = uniform_points(log2_points, law.dimension, SCRAMBLINGS, rng).reshape(-1, law.dimension)
            return cls(law.scaled_noise(uniforms) / law.scaling, np.ones((SCRAMBLINGS, 1 << log2_points)))
        aim = float(np.quantile(limit_draws(law, _PILOT, rng), _AIM))
        proposals = Proposals.towards(law, aim)
        uniforms = uniform_points(log2_points, proposals.dimension, SCRAMBLINGS, rng).reshape(-1, proposals.dimension)
        y = proposals.draws(uniforms)
        cells = law.scaled_draws(proposals.kinds.noise(y)) / law.scaling
        return cls(cells, proposals.weights(y, directions=False).reshape(SCRAMBLINGS, -1))

    def tail(self, law: LimitLaw, t: float) -> tuple[float, float]:
        """P(Q >= t) under a law with the same noise, and its standard error over the scramblings."""
        return self.tails(law, np.array([t]))[0]

    def tails(self, law: LimitLaw, ts: Floats) -> list[tuple[float, float]]:
        """The same at several values."""
        noncentrality, added = law.given(self.cells * law.scaling)
        found = []
        for t in ts.tolist():
            at = noncentral_chi2_sf(t if added is None else t - added, law.df, noncentrality)
            means = (self.weights * at.reshape(self.weights.shape)).mean(-1)
            found.append((min(1.0, float(means.mean())), float(means.std(ddof=1)) / math.sqrt(SCRAMBLINGS)))
        return found
