"""The proposals of `big_jump`: exponentially tilted noise, towards each direction in which a large draw moves the table.

Draws that are summed into the same cell move the table alike; they are of one kind and share a tilt, so that all there is
to compute is of the size of the table and not of the release it is a margin of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discreet.inference.law import LimitLaw
from discreet.inference.null.tilted import log_normaliser, tilted_ppf
from discreet.noise import JointNoise
from discreet.noise.draw_law import DrawLaw

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_ORDINARY = 0.1  # the smallest chance of untilted noise
_WRITTEN_OUT = 512  # kinds up to which all products a_j'a_k are written out; beyond, a proposal tilts its own kind only
_NEGLIGIBLE = 1e-5  # proposals of a smaller chance than this, beside the most likely one, are left out
_REACHES = -np.expm1(-np.linspace(0.25, 7.0, 28))  # a draw of mean 1/(1 - reach): from ordinary to a thousand scales
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kinds of draws of a law, one after the other: where each starts, how many draws it has, its law and its scale."""

    starts: Indices
    sizes: Indices
    scales: Floats
    blocks: tuple[tuple[DrawLaw, slice, slice], ...]  # of each release: law, its kinds, its draws

    @classmethod
    def of(cls, law: LimitLaw) -> Kinds:
        """In each group of each release: one kind a cell, and one for all draws of undeclared cells."""
        sizes, blocks, kinds, draws = [], [], 0, 0
        for noise in law.noises:
            cells, spare = noise.size // noise.groups, _spare(noise)
            group = [noise.draws_per_cell] * cells + [spare] * (spare > 0)
            sizes += group * noise.groups
            blocks.append((noise.law, slice(kinds, len(sizes)), slice(draws, draws + noise.dimension)))
            kinds, draws = len(sizes), draws + noise.dimension
        scales = np.concatenate([np.full(noise.dimension, noise.law.scale) for noise in law.noises])
        counts = np.array(sizes, np.intp)
        return cls(np.cumsum(counts) - counts, counts, scales, tuple(blocks))

    def total(self, y: Floats) -> Floats:
        """The sum of the draws of each kind: (..., draws) to (..., kinds)."""
        return y if self.sizes.size == y.shape[-1] else np.add.reduceat(y, self.starts, axis=-1)

    def spread(self, values: Floats) -> Floats:
        """Each draw the value of its kind: (..., kinds) to (..., draws)."""
        return values if self.sizes.size == self.scales.size else np.repeat(values, self.sizes, axis=-1)

    def each(self, function: Callable[[DrawLaw, Floats], Floats], values: Floats) -> Floats:
        """`function` of the law and the value of each kind; (..., kinds) to the same."""
        return np.concatenate([function(law, values[..., kinds]) for law, kinds, _ in self.blocks], axis=-1)


@dataclass(frozen=True, eq=False)
class Proposals:
    """The tilted laws q_j.

    `tilts` holds tau_j, a row over the kinds for each proposal; or, where each tilts its own kind only, the vector of these.
    `ordinary` is the chance alpha_0, `chances` are the alpha_j, `log_normalisers` the K_j.
    """

    kinds: Kinds
    tilts: Floats
    ordinary: float
    chances: Floats
    log_normalisers: Floats

    @classmethod
    def towards(cls, law: LimitLaw, t: float) -> Proposals:
        """The proposals for P(Q >= t): theta_j is where Chernoff's bound is smallest, among 28 values."""
        kinds = Kinds.of(law)
        all_products = kinds.sizes.size <= _WRITTEN_OUT
        along, shares = _products(law, kinds) if all_products else _lengths(law, kinds)

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
        chances = np.exp(bound - bound.max())
        kept = chances > _NEGLIGIBLE if all_products else np.ones_like(x, bool)
        chances = chances[kept] * ((1.0 - ordinary) / chances[kept].sum())
        tilts = ((theta[:, None] if all_products else theta) * along)[kept]
        return cls(kinds, tilts, ordinary, chances, log_normalisers[kept])

    @property
    def dimension(self) -> int:
        """The uniform numbers that a point takes: one for each draw, and one that chooses where there is a choice."""
        return self.kinds.scales.size + int(self.ordinary < 1.0)

    def draws(self, uniforms: Floats) -> Floats:
        """Points y of shape (points, draws) from uniform ones of shape (points, `dimension`), the first of which chooses."""
        if self.ordinary == 1.0:
            return np.concatenate(
                [law.ppf(uniforms[:, draws]) / law.scale for law, _, draws in self.kinds.blocks], axis=-1
            )
        ends = self.ordinary + np.cumsum(self.chances)
        chosen = np.minimum(np.searchsorted(ends, uniforms[:, 0], side="right"), self.chances.size - 1)
        if self.tilts.ndim == 2:
            tilts = self.tilts[chosen]
        else:
            tilts = np.zeros((chosen.size, self.tilts.size))
            tilts[np.arange(chosen.size), chosen] = self.tilts[chosen]
        tilts[uniforms[:, 0] < self.ordinary] = 0.0
        tilts = self.kinds.spread(tilts)
        y = np.empty_like(tilts)
        for law, _, draws in self.kinds.blocks:
            y[:, draws] = tilted_ppf(law, tilts[:, draws], uniforms[:, 1:][:, draws])
        return y

    def weights(self, y: Floats, directions: bool) -> Floats:
        """p/q at the points y, or, if all draws are Laplace, at their `directions` y/|y|, which are given."""
        if self.ordinary == 1.0:
            return np.ones(y.shape[0])
        constants = np.log(np.maximum(self.chances, _TINY)) - self.log_normalisers - np.log(2.0)
        totals, draws = self.kinds.total(y), y.shape[-1]
        dot = totals @ self.tilts.T if self.tilts.ndim == 2 else totals * self.tilts
        up, down = (-draws * np.log1p(-dot), -draws * np.log1p(dot)) if directions else (dot, -dot)
        with np.errstate(over="ignore"):  # a proposal that is overwhelmingly more likely to come here: weight 0
            ratio = (np.exp(constants + up) + np.exp(constants + down)).sum(-1)
        return np.asarray(1.0 / (self.ordinary + ratio))


def _chance_of_ordinary(bounds: Floats) -> float:
    """alpha_0: the larger, the less has to be sought; 1 where no large draw is needed, as even points do best unweighted."""
    if bounds.max() > 0.1 and bounds.sum() > 0.6:
        return 1.0
    return min(max(_ORDINARY, float(bounds.sum())), 1.0 - _ORDINARY)


def _spare(noise: JointNoise) -> int:
    """The draws of a group that are in no declared cell."""
    return (noise.dimension - noise.size * noise.draws_per_cell) // noise.groups


def _products(law: LimitLaw, kinds: Kinds) -> tuple[Floats, Floats]:
    """The u_j'a_k of all kinds, a row for each j, and the s_j."""
    one_of_each = np.zeros((kinds.starts.size, kinds.scales.size))
    one_of_each[np.arange(kinds.starts.size), kinds.starts] = kinds.scales[kinds.starts]
    columns = law.scaled_draws(one_of_each)
    residual, totals = law.geometry.residual(columns), law.geometry.fixed_totals(columns)
    free = residual @ residual.T
    products = free + totals @ totals.T
    squares = np.maximum(products.diagonal(), _TINY)
    return products / np.sqrt(squares)[:, None], free.diagonal() / squares


def _lengths(law: LimitLaw, kinds: Kinds) -> tuple[Floats, Floats]:
    """The ||a_j|| and the s_j, leaving the centring aside, which moves a draw by one part in M."""
    squares = law.scaling**2
    free = _on_kinds(law, squares * law.geometry.residual_diagonal)
    both = free + _on_kinds(law, squares * law.geometry.fixed_totals_diagonal)
    return np.sqrt(both) * kinds.scales[kinds.starts], free / np.maximum(both, _TINY)


def _on_kinds(law: LimitLaw, cells: Floats) -> Floats:
    """For each kind the value of its cell, 0 for the draws of undeclared cells."""
    found, start = [], 0
    for noise in law.noises:
        by_group = replace(noise, draws_per_cell=1, total=0, centred=False).pull_back(cells[start : start + noise.size])
        found.append(np.pad(by_group.reshape(noise.groups, -1), ((0, 0), (0, int(_spare(noise) > 0)))).ravel())
        start += noise.size
    return np.concatenate(found)
