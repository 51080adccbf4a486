"""How strong the association is: phi^2 and Cramer's V, with the degrees of freedom and the noise taken out.

Q over-states the association by what it would be without any: E Q under the null, the sum of the weights of its law.

    phi^2-hat = max(0, Q - E_0 Q) / N,        V-hat = sqrt(phi^2-hat / (smaller number of categories - 1))

The interval inverts the noncentral law. An association of size phi moves the scaled cells by a vector of length
sqrt(N) phi; along the direction u of the observed residuals,

    P_phi(Q >= t) = E_V P(ncx2(df, ||sqrt(N) phi u + Pi w||^2) + ||K w||^2 >= t),

which increases in phi; the ends are the phi where it is alpha/2 and 1 - alpha/2 (0 where even phi = 0 is above). Like the
test it is the limit law, under local alternatives (Steiger and Fouladi 1997 for the noiseless case).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.inference.law import LimitLaw
from discreet.inference.null.conditional import scaled_noise
from discreet.inference.tails.noncentral import noncentral_chi2_sf

Floats = NDArray[np.float64]

_POINTS = 512
_GRID = 49


@dataclass(frozen=True)
class Effect:
    """An effect size with its interval.

    `name` is "Cramer's V" (0 none ... 1 complete) or "Cohen's w"; `phi2` is the de-biased Q / N it comes from.
    """

    name: str
    value: float
    low: float
    high: float
    level: float
    phi2: float

    @property
    def contingency(self) -> float:
        """Pearson's contingency coefficient sqrt(phi2 / (1 + phi2)), of the same de-biased phi2."""
        return math.sqrt(self.phi2 / (1.0 + self.phi2))

    def __str__(self) -> str:
        return f"{self.name} {self.value:.3f} [{self.low:.3f}, {self.high:.3f}] ({self.level:.0%} interval)"


@dataclass(frozen=True, eq=False)
class EffectBasis:
    """What an effect size is computed from: Q, its law, N, the observed scaled residuals, and phi^2's largest value."""

    name: str
    statistic: float
    law: LimitLaw
    total: float
    residuals: Floats
    largest_phi2: float

    def effect(self, level: float = 0.95) -> Effect:
        """The de-biased effect with its interval at `level` (strictly between 0 and 1)."""
        if not 0 < level < 1:
            raise InvalidInput(f"level must lie strictly between 0 and 1, not {level!r}")
        phi2 = max(0.0, self.statistic - self.law.mean) / self.total
        low, high = (s**2 / self.total for s in self._shift_interval(level))
        value, low, high = (math.sqrt(min(1.0, x / self.largest_phi2)) for x in (phi2, low, high))
        return Effect(self.name, value, low, high, level, phi2)

    def _shift_interval(self, level: float) -> tuple[float, float]:
        """The shifts s = sqrt(N) phi where P_s(Q >= t) is alpha/2 and 1 - alpha/2."""
        direction = self.law.geometry.residual(self.residuals)
        length = float(np.linalg.norm(direction))
        unit = direction / length if length > 0 else np.zeros_like(direction)
        # A fixed scrambling: an effect size is a function of the release, not of a seed.
        w = np.concatenate(
            [c.reshape(-1, c.shape[-1]) for c in scaled_noise(self.law, _POINTS, np.random.default_rng(0))]
        )
        noncentrality, added = self.law.given(w)
        along = self.law.geometry.residual(w) @ unit
        t = self.statistic if added is None else self.statistic - added
        spread = math.sqrt(float(noncentrality.max()))
        shifts = np.linspace(0.0, 1.0, _GRID) ** 1.5 * (math.sqrt(self.statistic) + spread + 6.0)
        moved = shifts[:, None] ** 2 + 2.0 * shifts[:, None] * along + noncentrality
        tails = noncentral_chi2_sf(t, self.law.df, np.maximum(moved, 0.0)).mean(-1)
        tails = np.maximum.accumulate(tails)
        # Between grid points the tail is close to linear on the log-odds scale.
        odds = np.log(np.clip(tails, 1e-300, None)) - np.log(np.clip(1.0 - tails, 1e-16, None))
        alpha = 1.0 - level
        ends = [math.log(q / (1.0 - q)) for q in (alpha / 2, 1.0 - alpha / 2)]
        low, high = (float(np.interp(end, odds, shifts)) for end in ends)
        return low, high
