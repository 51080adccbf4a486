"""The proposals of `big_jump`: exponentially tilted noise, towards each direction in which a large draw moves the table.

One uniform number chooses the proposal and the next is behind the draw that it enlarges, whichever that is: these two are
the most even of a Sobol point, and what they do to Q is most of what any do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.inference.law import LimitLaw
from discreet.inference.null.kinds import Kinds, lengths, products, with_pairs
from discreet.inference.null.largest import Largest
from discreet.inference.null.tilted import log_normaliser, tilted_ppf
from discreet.noise import Laplace

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_ORDINARY = 0.1  # the smallest chance of untilted noise
_SHARED = 0.2  # of what is not ordinary, the part of the proposals in which several draws share the way
_PAIRED = 16  # kinds of several draws each up to which there is a proposal for each pair of them
_WRITTEN_OUT = 512  # kinds up to which all products a_j'a_k are written out; beyond, a proposal tilts its own kind only
_NEGLIGIBLE = 1e-5  # proposals of a smaller chance than this, beside the most likely one, are left out
_REACHES = -np.expm1(-np.linspace(0.25, 7.0, 28))  # a draw of mean 1/(1 - reach): from ordinary to a thousand scales
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Proposals:
    """The tilted laws q_j.

    `tilts` holds tau_j, a row over the kinds for each proposal; or, where each tilts its own kind only, the vector of these.
    `first_draws` are the places of the draws j, `ordinary` is the chance alpha_0, `chances` are the alpha_j,
    `log_normalisers` the K_j. `largest` are the proposals that several draws share, each with the chance `shared`.
    """

    kinds: Kinds
    tilts: Floats
    first_draws: Indices
    ordinary: float
    chances: Floats
    log_normalisers: Floats
    largest: Largest
    shared: float

    @classmethod
    def towards(cls, law: LimitLaw, t: float) -> Proposals:
        """The proposals for P(Q >= t): theta_j is where Chernoff's bound is smallest, among 28 values."""
        kinds = Kinds.of(law)
        all_products = kinds.sizes.size <= _WRITTEN_OUT
        along, shares = products(law, kinds) if all_products else lengths(law, kinds)
        each_length = kinds.spread(along.diagonal() if all_products else along)
        first_draws = kinds.starts
        paired = kinds.sizes.max() > 1 and kinds.sizes.size <= _PAIRED
        if paired:
            along, shares, pairs = with_pairs(along, shares)
            first_draws = first_draws[pairs]

        def over_draws(values: Floats) -> Floats:
            return values @ kinds.sizes if all_products else values * kinds.sizes

        variances = over_draws(kinds.each(lambda draw, a: a**2 * (draw.variance / draw.scale**2), along))
        x = np.sqrt(np.maximum(t - law.mean + shares + variances, 0.0))
        # Short of where E exp(tilt y) is infinite, and of what would be asked for without any noise.
        relative = kinds.each(lambda draw, a: np.abs(a) / (draw.mgf_radius * draw.scale), along)
        relative = relative.max(-1) if all_products else relative
        reach = np.minimum(1.0 / np.maximum(relative, _TINY), x / np.maximum(shares, _TINY))
        bound, theta, log_normalisers = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
        for trial in np.multiply.outer(_REACHES, reach):
            tilts = (trial[:, None] if all_products else trial) * along
            k = over_draws(kinds.each(log_normaliser, tilts))
            exponent = k + 0.5 * shares * trial**2 - trial * x
            better = exponent < bound
            bound = np.where(better, exponent, bound)
            theta = np.where(better, trial, theta)
            log_normalisers = np.where(better, k, log_normalisers)
        ordinary = _chance_of_ordinary(np.exp(bound))
        # Pairs come about in many ways that the bound, taken in one direction, does not count.
        chances = np.exp((bound - bound.max()) * (0.5 if paired else 1.0))
        kept = chances > _NEGLIGIBLE if all_products else np.ones_like(x, bool)
        laplace = np.concatenate(
            [np.full(draws.stop - draws.start, isinstance(one, Laplace)) for one, _, draws in kinds.blocks]
        )
        largest = Largest.towards(t - law.mean, each_length, laplace & (not paired))
        shared = _SHARED * (1.0 - ordinary) if largest.counts else 0.0
        chances = chances[kept] * ((1.0 - ordinary - shared) / chances[kept].sum())
        tilts = ((theta[:, None] if all_products else theta) * along)[kept]
        shared /= max(1, len(largest.counts))
        return cls(kinds, tilts, first_draws[kept], ordinary, chances, log_normalisers[kept], largest, shared)

    @property
    def dimension(self) -> int:
        """The uniform numbers that a point takes: one for each draw, and one that chooses where there is a choice."""
        return self.kinds.scales.size + int(self.ordinary < 1.0)

    def draws(self, uniforms: Floats) -> Floats:
        """Points y of shape (points, draws) from uniform ones of shape (points, `dimension`), the first of which chooses."""
        if self.ordinary == 1.0:
            return self._untilted(uniforms)
        several = np.full(len(self.largest.counts), self.shared)
        ends = np.cumsum(np.concatenate([[self.ordinary], self.chances, several]))
        chosen = np.minimum(np.searchsorted(ends, uniforms[:, 0], side="right"), ends.size - 1) - 1
        tilted = np.flatnonzero((chosen >= 0) & (chosen < self.chances.size))
        by = chosen[tilted]
        tilts = np.zeros((chosen.size, self.kinds.sizes.size))
        if self.tilts.ndim == 2:
            tilts[tilted] = self.tilts[by]
        else:
            tilts[tilted, by] = self.tilts[by]
        tilts = self.kinds.spread(tilts)
        each = uniforms[:, 1:].copy()
        enlarged = each[tilted, self.first_draws[by]]
        each[tilted, self.first_draws[by]] = each[tilted, 0]
        each[tilted, 0] = enlarged
        y = np.empty_like(tilts)
        for law, _, draws in self.kinds.blocks:
            y[:, draws] = tilted_ppf(law, tilts[:, draws], each[:, draws])
        shared = np.flatnonzero(chosen >= self.chances.size)
        if shared.size:
            y[shared] = self.largest.stretch(y[shared], chosen[shared] - self.chances.size)
        return y

    def weights(self, y: Floats, directions: bool) -> Floats:
        """p/q at the points y, or, if all draws are Laplace, at their `directions` y/|y|, which are given."""
        if self.ordinary == 1.0:
            return np.ones(y.shape[0])
        constants = np.log(np.maximum(self.chances, _TINY)) - self.log_normalisers - np.log(2.0)
        shared = np.log(max(self.shared, _TINY)) - self.largest.log_normalisers
        totals = self.kinds.total(y)
        dot, sums = totals @ self.tilts.T if self.tilts.ndim == 2 else totals * self.tilts, self.largest.exponents(y)
        draws = y.shape[-1]
        ratio = np.full(y.shape[0], self.ordinary)
        with np.errstate(over="ignore"):  # a proposal that is overwhelmingly more likely to come here: weight 0
            for constant, exponent in ((constants, dot), (constants, -dot), (shared, sums)):
                averaged = -draws * np.log1p(-exponent) if directions else exponent  # e^exponent over the length of y
                ratio += np.exp(constant + averaged).sum(-1)
        return np.asarray(1.0 / ratio)

    def _untilted(self, uniforms: Floats) -> Floats:
        return np.concatenate([law.ppf(uniforms[:, draws]) / law.scale for law, _, draws in self.kinds.blocks], axis=-1)


def _chance_of_ordinary(bounds: Floats) -> float:
    """alpha_0: the larger, the less has to be sought; 1 where no large draw is needed, as even points do best unweighted."""
    if bounds.max() > 0.1 and bounds.sum() > 0.6:
        return 1.0
    return min(max(_ORDINARY, float(bounds.sum())), 1.0 - _ORDINARY)
