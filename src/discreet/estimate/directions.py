"""Which directions of a release are noisy, and how much: the space in which shrinkage is allowed to move.

Where nothing fixes a total, all p cells carry N(0, sd^2) noise of their own. After a projection on public totals only the
contrasts within each group are noisy (p minus one direction a group); and where a table has an `other` cell, only the
contrasts of its declared cells are shrunk. On these, Cov V = v (m I - c (m^2/M) J) is v m I, whatever was centred.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import NotAvailable
from discreet.noise import Gaussian, JointNoise

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Directions:
    """All directions, or (`contrasts_only`) those that leave the total of each group as it is.

    `order` lists the cells group by group (all groups have the same number of cells).
    """

    contrasts_only: bool
    groups: int = 1
    order: NDArray[np.intp] | None = None

    def split(self, cells: Floats) -> Floats:
        """(..., p) to (..., groups, p/groups)."""
        ordered = cells if self.order is None else cells[..., self.order]
        return ordered.reshape(*cells.shape[:-1], self.groups, -1)

    def joined(self, blocks: Floats) -> Floats:
        """The inverse of `split`."""
        ordered = blocks.reshape(*blocks.shape[:-2], -1)
        if self.order is None:
            return ordered
        cells = np.empty_like(ordered)
        cells[..., self.order] = ordered
        return cells


def gaussian_directions(noise: JointNoise) -> tuple[float, Directions]:
    """The sd of the noise in each direction that may be shrunk, and which these are; only for Gaussian noise."""
    if not isinstance(noise.law, Gaussian):
        raise NotAvailable(
            f"James-Stein shrinkage is for Gaussian noise, not {type(noise.law).__name__}: its gain is proved for normal "
            "noise only; release with Gaussian() or ProjectedGaussian()"
        )
    has_other = noise.total * noise.groups > noise.size * noise.draws_per_cell
    order = None if noise.groups == 1 else np.argsort(noise.group_of_cell, kind="stable")
    sd = float(np.sqrt(noise.law.variance * noise.draws_per_cell))
    return sd, Directions(noise.centred or has_other, noise.groups, order)
