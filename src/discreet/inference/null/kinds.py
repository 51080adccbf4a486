"""The noise draws behind a limit law, sorted into kinds: draws that move the scaled table alike.

Draws that are summed into the same cell move the table alike; they are of one kind and share a tilt, so that all there is
to compute is of the size of the table and not of the release it is a margin of.

Discrete Laplace noise N with a scale b of at least one record is Laplace noise Z rounded towards the nearest number. With
q = e^(-1/b), P(|N| >= m) = 2 q^m/(1 + q) = P(|Z| >= m - c), so that

    N = sign(Z) floor(|Z| + c),    c = b (log 2 - log(1 + q)),    which is nearly 1/2,

and all that is done with Laplace draws can be done with Z. (Of a smaller scale most draws are 0, and Z says little of N.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discreet.inference.law import LimitLaw
from discreet.noise import DiscreteLaplace, JointNoise, Laplace
from discreet.noise.draw_law import DrawLaw

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_LEAST_ROUNDED = 1.0  # the smallest scale
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kinds of draws of a law, one after the other: where each starts, how many draws it has, its law and its scale.

    `blocks` has for each release the law before any rounding, the kinds and the draws that are its own, `rounding` the
    draws that are rounded and the c of their law.
    """

    starts: Indices
    sizes: Indices
    scales: Floats
    blocks: tuple[tuple[DrawLaw, slice, slice], ...]
    rounding: tuple[tuple[slice, float], ...] = ()

    @classmethod
    def of(cls, law: LimitLaw) -> Kinds:
        """In each group of each release: one kind a cell, and one for all draws of undeclared cells."""
        sizes, blocks, rounding, kinds, draws = [], [], [], 0, 0
        for noise in law.noises:
            cells, spare = noise.size // noise.groups, _spare(noise)
            group = [noise.draws_per_cell] * cells + [spare] * (spare > 0)
            sizes += group * noise.groups
            drawn, own = noise.law, slice(draws, draws + noise.dimension)
            if isinstance(drawn, DiscreteLaplace) and drawn.scale >= _LEAST_ROUNDED:
                rounding.append((own, drawn.scale * (math.log(2.0) - math.log1p(math.exp(-1.0 / drawn.scale)))))
                drawn = Laplace(drawn.scale)
            blocks.append((drawn, slice(kinds, len(sizes)), own))
            kinds, draws = len(sizes), own.stop
        scales = np.concatenate([np.full(noise.dimension, noise.law.scale) for noise in law.noises])
        counts = np.array(sizes, np.intp)
        return cls(np.cumsum(counts) - counts, counts, scales, tuple(blocks), tuple(rounding))

    @property
    def all_laplace(self) -> bool:
        """Whether every draw is a Laplace one, at least before rounding."""
        return all(isinstance(law, Laplace) for law, _, _ in self.blocks)

    def noise(self, y: Floats) -> Floats:
        """The noise draws, in records, from draws y in units of their scales: rounded where their law is discrete."""
        noise = y * self.scales
        for draws, c in self.rounding:
            some = noise[..., draws]
            noise[..., draws] = np.copysign(np.floor(np.abs(some) + c), some)
        return noise

    def total(self, y: Floats) -> Floats:
        """The sum of the draws of each kind: (..., draws) to (..., kinds)."""
        return y if self.sizes.size == y.shape[-1] else np.add.reduceat(y, self.starts, axis=-1)

    def spread(self, values: Floats) -> Floats:
        """Each draw the value of its kind: (..., kinds) to (..., draws)."""
        return values if self.sizes.size == self.scales.size else np.repeat(values, self.sizes, axis=-1)

    def each(self, function: Callable[[DrawLaw, Floats], Floats], values: Floats) -> Floats:
        """`function` of the law and the value of each kind; (..., kinds) to the same."""
        return np.concatenate([function(law, values[..., kinds]) for law, kinds, _ in self.blocks], axis=-1)


def products(law: LimitLaw, kinds: Kinds) -> tuple[Floats, Floats]:
    """The u_j'a_k of all kinds, a row for each j, and the shares s_j = ||Pi u_j||^2."""
    one_of_each = np.zeros((kinds.starts.size, kinds.scales.size))
    one_of_each[np.arange(kinds.starts.size), kinds.starts] = kinds.scales[kinds.starts]
    columns = law.scaled_draws(one_of_each)
    residual, totals = law.geometry.residual(columns), law.geometry.fixed_totals(columns)
    free = residual @ residual.T
    both = free + totals @ totals.T
    squares = np.maximum(both.diagonal(), _TINY)
    return both / np.sqrt(squares)[:, None], free.diagonal() / squares


def lengths(law: LimitLaw, kinds: Kinds) -> tuple[Floats, Floats]:
    """The ||a_j|| and the s_j, leaving the centring aside, which moves a draw by one part in M."""
    squares = law.scaling**2
    free = _on_kinds(law, squares * law.geometry.residual_diagonal)
    both = free + _on_kinds(law, squares * law.geometry.fixed_totals_diagonal)
    return np.sqrt(both) * kinds.scales[kinds.starts], free / np.maximum(both, _TINY)


def with_pairs(along: Floats, shares: Floats) -> tuple[Floats, Floats, Indices]:
    """The same with rows for u = (u_j + u_k)/norm and (u_j - u_k)/norm added, and the j of each row.

    Not for pairs that nearly cancel. s is only that of one of the two, between which it varies little.
    """
    first, second = np.triu_indices(along.shape[0], 1)
    cosines = along[first, second] / along.diagonal()[second]
    rows, places = [along], [np.arange(along.shape[0])]
    for sign in (1.0, -1.0):
        squares = 2.0 * (1.0 + sign * cosines)
        long = squares > 0.2
        j, k = first[long], second[long]
        rows.append((along[j] + sign * along[k]) / np.sqrt(squares[long])[:, None])
        places.append(j)
    of = np.concatenate(places)
    return np.concatenate(rows), shares[of], of


def _spare(noise: JointNoise) -> int:
    """The draws of a group that are in no declared cell."""
    return (noise.dimension - noise.size * noise.draws_per_cell) // noise.groups


def _on_kinds(law: LimitLaw, cells: Floats) -> Floats:
    """For each kind the value of its cell, 0 for the draws of undeclared cells."""
    found, start = [], 0
    for noise in law.noises:
        by_group = replace(noise, draws_per_cell=1, total=0, centred=False).pull_back(cells[start : start + noise.size])
        found.append(np.pad(by_group.reshape(noise.groups, -1), ((0, 0), (0, int(_spare(noise) > 0)))).ravel())
        start += noise.size
    return np.concatenate(found)
