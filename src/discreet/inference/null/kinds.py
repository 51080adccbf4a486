"""The noise draws behind a limit law, sorted into kinds: draws that move the scaled table alike.

Draws that are summed into the same cell move the table alike; they are of one kind and share a tilt, so that all there is
to compute is of the size of the table and not of the release it is a margin of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discreet.inference.law import LimitLaw
from discreet.noise import JointNoise
from discreet.noise.draw_law import DrawLaw

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

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
