"""Importance sampling for the far tail: one noise draw jumps, or all are somewhat larger.

With noise of exponential tails a large statistic comes about by one large draw among ordinary ones, or, where several draws
enter alike, by their sharing the way. Write tau_j = 2 min(u_j, 1 - u_j) for the uniform u_j behind draw j: small tau is a
large draw, of either sign. A draw is enlarged by tau_j = U^(1/kappa), kappa < 1 (for the Laplace law this is the Laplace law
of scale b / kappa). With probability alpha_0 no draw is enlarged, with beta all are, by one kappa, and with alpha_j draw j
alone, by kappa_j. Each point then counts with the weight

    1 / (alpha_0 + beta prod_j kappa tau_j^(kappa - 1) + sum_j alpha_j kappa_j tau_j^(kappa_j - 1))  <=  1 / alpha_0,

which is bounded, whatever the dimension and the law. Where ordinary draws suffice (little noise, or a small statistic)
alpha_0 is close to 1, and nothing is lost. (Asmussen and Glynn 2007, Stochastic Simulation, chapter VI.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.noise import JointNoise

Floats = NDArray[np.float64]

_LEAST_ORDINARY = 0.25  # alpha_0 in the far tail
_SHARED = 0.3  # of what is not ordinary, beta is this part


@dataclass(frozen=True, eq=False)
class Jumps:
    """How often, and how far, the draws of several independent noise tables jump.

    `chances` are (alpha_0, beta, alpha_1, ...), `exponents` kappa_1, ..., `common` is kappa.
    """

    noises: tuple[JointNoise, ...]
    chances: Floats
    exponents: Floats
    common: float

    @classmethod
    def towards(cls, noises: tuple[JointNoise, ...], contrasts: Floats, t: float) -> Jumps:
        """Jumps with which one draw alone can bring ||contrasts @ V||^2 to t: the likelier a draw's jump, the more often.

        If `contrasts` are scaled as those of `Projected`, chi-squared bounds what ordinary draws do by themselves.
        """
        ends = np.cumsum([noise.size for noise in noises])[:-1]
        parts = np.split(contrasts, ends, axis=-1)
        reached = []
        for noise, part in zip(noises, parts, strict=True):
            per_unit = np.linalg.norm(noise.pull_back(part), axis=0)
            reached.append(2.0 * noise.law.sf(np.sqrt(t) / np.maximum(per_unit, 1e-150)))
        tails = np.clip(np.concatenate(reached), 1e-280, 1.0)
        jumping, ordinary = 3.0 * float(tails.sum()), float(special.chdtrc(len(contrasts), t))
        ordinary = max(_LEAST_ORDINARY, ordinary / (ordinary + jumping))
        alone = tails / tails.sum() + 0.1 / tails.size
        alone *= (1.0 - _SHARED) / alone.sum()
        chances = np.concatenate([[ordinary], (1.0 - ordinary) * np.concatenate([[_SHARED], alone])])
        common = tails.size / (tails.size - float(np.log(tails.max())))
        return cls(noises, chances, 1.0 / np.maximum(1.5, -np.log(tails)), common)

    @property
    def dimension(self) -> int:
        """How many uniforms a noise table wants: one for the choice, and one for each draw."""
        return self.exponents.size + 1

    def noise(self, uniforms: Floats) -> tuple[Floats, Floats]:
        """Noise tables of shape (..., cells) and their weights from uniforms of shape (..., `dimension`)."""
        u = uniforms[..., 1:]
        sign = np.where(u < 0.5, 1.0, -1.0)
        chosen = np.searchsorted(np.cumsum(self.chances)[:-1], uniforms[..., 0], side="right")[..., None]
        powers = np.where(chosen - 2 == np.arange(self.exponents.size), 1.0 / self.exponents, 1.0)
        powers[chosen[..., 0] == 1] = 1.0 / self.common
        log_tau = np.maximum(np.log(2.0 * np.minimum(u, 1.0 - u)) * powers, -690.0)
        alone = (self.exponents * np.exp((self.exponents - 1.0) * log_tau)) @ self.chances[2:]
        every = np.exp(log_tau.shape[-1] * np.log(self.common) + (self.common - 1.0) * log_tau.sum(-1))
        weights = 1.0 / (self.chances[0] + self.chances[1] * every + alone)
        ends = np.cumsum([noise.dimension for noise in self.noises])[:-1]
        # The laws are symmetric, so the quantile is taken in the lower tail, where a float can hold a tail of 1e-300.
        parts = zip(
            self.noises, np.split(0.5 * np.exp(log_tau), ends, axis=-1), np.split(sign, ends, axis=-1), strict=True
        )
        return np.concatenate([n.mix(s * n.law.ppf(x)) for n, x, s in parts], axis=-1), weights
