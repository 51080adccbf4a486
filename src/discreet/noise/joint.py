"""The joint law V = L Z of a table's noise: independent draws Z through a public matrix L that is never written out.

Every law that a table meets here (Kim et al. 2022, section 3; the projection with an undeclared cell; margins) is of
one form. M independent draws Z_1 ... Z_M are made; where the table was projected on its public total they are centred;
each released cell is the sum of its own m draws:

    L = S (I - c J/M),   S = (I_p (x) 1_m', 0),   J = 11',   c = 1 if centred else 0,   M >= p m.

    table as drawn               m = 1, M = p  (M = p + 1 with an undeclared cell that is left out)
    margin of it                 m = the number of cells summed into one, M as in the parent

so that Cov V = v (m I_p - c (m^2/M) J_p), v the variance of one draw. Only the four numbers are stored.

Where the schema fixes a column, each of its k groups is a block of that form with M draws and a centring of its own:
L = I_k (x) L_block, Cov V = v I_k (x) (m I - c (m^2/M) J). The sum over all groups is one block again, with k m draws in
each cell and k M in all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.noise.draw_law import DrawLaw
from discreet.noise.single_cell import cell_cdf, cell_ppf, cell_sf

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JointNoise:
    """The joint law of the noise in the declared cells of a table.

    Parameters
    ----------
    law : DrawLaw
        The law of one draw, e.g. `Laplace(4.0)`.
    shape : tuple of int
        The shape of the released table; p is its number of cells.
    draws_per_cell : int
        m, the number of independent draws summed into one released cell (1 but for margins).
    total : int or float
        M, the number of draws made for the whole release, or for each group; defaults to p m, or to that of a group. Of
        Gaussian noise it need not be whole (see `lumped`): the covariance is what it says.
    centred : bool
        Whether the mean of all M draws is subtracted from each (the rank-deficient mechanism).
    group_axis : int, optional
        The axis along which the noise falls apart into independent blocks, one a group (a table by a fixed column).

    Examples
    --------
    >>> from discreet.noise import Gaussian
    >>> Gaussian(1.0).on((2,), other=True).covariance
    array([[1., 0.],
           [0., 1.]])
    >>> from discreet.noise import ProjectedGaussian
    >>> ProjectedGaussian(2.0).on((2, 2), group_axis=0).covariance
    array([[ 2., -2.,  0.,  0.],
           [-2.,  2.,  0.,  0.],
           [ 0.,  0.,  2., -2.],
           [ 0.,  0., -2.,  2.]])
    """

    law: DrawLaw
    shape: tuple[int, ...]
    draws_per_cell: int = 1
    total: int | float = 0
    centred: bool = False
    group_axis: int | None = None

    def __post_init__(self) -> None:
        shape = tuple(int(k) for k in self.shape)
        if not shape or min(shape) < 1:
            raise InvalidInput(f"a table's noise needs a shape of positive sizes, not {self.shape!r}")
        object.__setattr__(self, "shape", shape)
        if self.group_axis is not None and not 0 <= self.group_axis < len(shape):
            raise InvalidInput(f"the axis of the groups lies in 0 ... {len(shape) - 1}, not {self.group_axis!r}")
        needed = math.prod(shape) // self.groups * self.draws_per_cell
        object.__setattr__(self, "total", self.total or needed)
        if self.draws_per_cell < 1 or self.total < needed:
            raise InvalidInput(f"{self.total} draws cannot fill {needed}")
        if self.total % 1 and not self.law.is_normal:
            raise InvalidInput("only Gaussian noise is the same in parts of a draw")

    @property
    def size(self) -> int:
        """p, the number of released cells."""
        return math.prod(self.shape)

    @property
    def groups(self) -> int:
        """k, the number of independent blocks."""
        return 1 if self.group_axis is None else self.shape[self.group_axis]

    @cached_property
    def block(self) -> JointNoise:
        """The law of one block, its cells in a row; all blocks have the same."""
        return replace(self, shape=(self.size // self.groups,), group_axis=None)

    @property
    def group_of_cell(self) -> NDArray[np.intp]:
        """For each cell, in row-major order, the number of its block."""
        return self._joined(np.broadcast_to(np.arange(self.groups)[:, None], (self.groups, self.size // self.groups)))

    def _split(self, cells: Floats) -> Floats:
        """(..., p) in row-major order to (..., k, p/k), one row a block."""
        if self.group_axis is None:
            return cells[..., None, :]
        ahead = cells.shape[:-1]
        table = np.moveaxis(cells.reshape(*ahead, *self.shape), len(ahead) + self.group_axis, len(ahead))
        return table.reshape(*ahead, self.groups, -1)

    def _joined(self, blocks: NDArray[Any]) -> NDArray[Any]:
        """The inverse of `_split`."""
        ahead = blocks.shape[:-2]
        if self.group_axis is not None:
            rest = [k for axis, k in enumerate(self.shape) if axis != self.group_axis]
            table = blocks.reshape(*ahead, self.groups, *rest)
            blocks = np.moveaxis(table, len(ahead), len(ahead) + self.group_axis)
        return blocks.reshape(*ahead, self.size)

    @property
    def cell_variance(self) -> float:
        """The variance of each cell: v m (1 - c m/M)."""
        m = self.draws_per_cell
        return self.law.variance * m * (1.0 - (m / self.total if self.centred else 0.0))

    @property
    def cell_sd(self) -> float:
        """The standard deviation of each cell."""
        return math.sqrt(self.cell_variance)

    @property
    def variance(self) -> Floats:
        """The variance of each cell, in the shape of the table."""
        return np.full(self.shape, self.cell_variance)

    @property
    def common_covariance(self) -> float:
        """The covariance of any two different cells of one block: -v c m^2/M (0 where independent)."""
        return -self.law.variance * self.draws_per_cell**2 / self.total if self.centred else 0.0

    @property
    def covariance(self) -> Floats:
        """Cov V, of shape (p, p), in row-major order of the cells. Refused above 10,000 cells, where nothing needs it."""
        if self.size > 10_000:
            raise InvalidInput(f"the covariance of {self.size} cells is not written out; use .variance and .sample")
        group = self.group_of_cell
        shared = self.common_covariance * (group[:, None] == group)
        return np.asarray(self.law.variance * self.draws_per_cell * np.eye(self.size) + shared)

    @property
    def total_variance(self) -> float:
        """The variance of the noise in the sum of all cells; 0 where all that was drawn is centred and released."""
        c = self.size // self.groups
        return self.size * max(0.0, self.cell_variance + (c - 1) * self.common_covariance)

    @property
    def lumped(self) -> JointNoise:
        """The same joint law of as few draws as there are cells: the m draws of a cell as one, where m is large enough.

        V = S - (m/M) (sum of all draws), S_i the sum of the draws of cell i. So with m draws as one, S_i is one draw and M/m
        takes the place of M; where that is not whole, a Gaussian law is given by its covariance alone.

        Examples
        --------
        >>> from discreet.noise import ProjectedGaussian
        >>> wide = ProjectedGaussian(2.0).on((100, 100, 2), other=True).margin((2,))
        >>> wide.dimension, wide.lumped.dimension
        (20001, 2)
        >>> bool(abs(wide.covariance - wide.lumped.covariance).max() < 1e-8)
        True
        """
        from discreet.noise.summed import FEWEST, summed

        m, whole = self.draws_per_cell, self.total % self.draws_per_cell == 0
        if m < FEWEST or (self.centred and not whole and not self.law.is_normal):
            return self
        total = (self.total // m if whole else self.total / m) if self.centred else 0
        return replace(self, law=summed(self.law, m), draws_per_cell=1, total=total)

    @property
    def _centring(self) -> tuple[int, float]:
        """Of how many draws of a block the mean is subtracted, times m and times which factor.

        Of all M, and 1. Where M is not whole (Gaussian), of the p m in its cells, times 1 - sqrt(1 - p m/M): that has the
        same covariance.
        """
        inside = self.size // self.groups * self.draws_per_cell
        return (inside, 1.0 - math.sqrt(1.0 - inside / self.total)) if self.total % 1 else (int(self.total), 1.0)

    def mix(self, draws: Floats) -> Floats:
        """V = L Z: from draws of shape (..., M), or (..., `dimension`), to cells of shape (..., p)."""
        if self.group_axis is not None:
            return self._joined(self.block.mix(draws.reshape(*draws.shape[:-1], self.groups, -1)))
        p, m = self.size, self.draws_per_cell
        cells = draws[..., : p * m].reshape(*draws.shape[:-1], p, m).sum(-1) if m > 1 else draws[..., :p]
        return cells - self._centring[1] * m * draws.mean(-1, keepdims=True) if self.centred else cells

    def pull_back(self, weights: Floats) -> Floats:
        """L'w: the coefficients on the draws of the contrast sum w_i V_i; from (..., p) to (..., `dimension`)."""
        weights = np.asarray(weights, float)
        if self.group_axis is not None:
            blocks = self.block.pull_back(self._split(weights))
            return np.asarray(blocks).reshape(*weights.shape[:-1], self.dimension)
        m, (averaged, factor) = self.draws_per_cell, self._centring
        spare = self.dimension - self.size * m
        spread = np.repeat(weights, m, axis=-1)
        spread = np.concatenate([spread, np.zeros((*weights.shape[:-1], spare))], axis=-1)
        return spread - factor * m * weights.sum(-1, keepdims=True) / averaged if self.centred else spread

    @property
    def dimension(self) -> int:
        """The number of independent draws that the released cells depend on."""
        return self.groups * self._centring[0] if self.centred else self.size * self.draws_per_cell

    def from_uniform(self, points: Floats) -> Floats:
        """Cells of shape (..., p) from uniform points of shape (..., `dimension`) by the quantile function of a draw."""
        return self.mix(self.law.ppf(points))

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Floats:
        """`size` simulated noise tables, of shape `(size, *shape)`. For studies; never the noise that protects records."""
        draws = self.law.sample((size, self.dimension), np.random.default_rng(rng))
        return self.mix(draws).reshape(size, *self.shape)

    @property
    def cell_coefficients(self) -> tuple[tuple[float, int | float], ...]:
        """One cell as a sum of draws: pairs (coefficient, how many draws carry it)."""
        m, share = self.draws_per_cell, self.draws_per_cell / self.total
        if not self.centred:
            return ((1.0, m),)
        return tuple((a, k) for a, k in ((1.0 - share, m), (-share, self.total - m)) if k and a)

    def sf(self, x: ArrayLike) -> Floats:
        """P(noise of one cell > x)."""
        if not self.cell_coefficients:  # the sum of a whole centred block: no noise at all
            return np.where(np.asarray(x, float) < 0, 1.0, 0.0)
        return cell_sf(self.law, self.cell_coefficients, np.asarray(x, float))

    def cdf(self, x: ArrayLike) -> Floats:
        """P(noise of one cell <= x). The law is symmetric, so the lower tail keeps its relative accuracy."""
        if not self.cell_coefficients:
            return np.where(np.asarray(x, float) < 0, 0.0, 1.0)
        return cell_cdf(self.law, self.cell_coefficients, np.asarray(x, float))

    def ppf(self, u: float) -> float:
        """The quantile of the noise of one cell, for 0 < u < 1."""
        if not self.cell_coefficients:
            return 0.0
        return cell_ppf(self.law, self.cell_coefficients, u, self.cell_sd)

    def characteristic_function(self, t: ArrayLike) -> Floats:
        """E exp(itV) of one cell."""
        t = np.asarray(t, float)
        factors = [self.law.characteristic_function(a * t) ** k for a, k in self.cell_coefficients]
        return np.asarray(np.prod(factors, axis=0))

    def moment_generating_function(self, s: ArrayLike) -> Floats:
        """E exp(sV) of one cell for real s; infinite where a draw's is."""
        s = np.asarray(s, float)
        reach = max(abs(a) for a, _ in self.cell_coefficients)
        inside = np.abs(s) * reach < self.law.mgf_radius
        safe = np.where(inside, s, 0.0)
        log = sum(k * self.law.log_mgf(a * safe).real for a, k in self.cell_coefficients)
        return np.where(inside, np.exp(log), np.inf)

    def margin(self, axes: tuple[int, ...]) -> JointNoise:
        """The joint law of the table summed over all axes but `axes` (in the order given).

        Summed over the groups, k blocks of M draws become one of k M: the mean of each is 1/k of the mean of all, k m times.
        """
        if len(set(axes)) != len(axes) or not axes or not all(0 <= a < len(self.shape) for a in axes):
            raise InvalidInput(f"a margin keeps distinct axes among 0 ... {len(self.shape) - 1}, not {axes!r}")
        kept = tuple(self.shape[a] for a in axes)
        summed = self.size // math.prod(kept)
        group_axis = axes.index(self.group_axis) if self.group_axis in axes else None
        total = self.total if group_axis is not None else self.total * self.groups
        return JointNoise(self.law, kept, self.draws_per_cell * summed, total, self.centred, group_axis)


def table_noise(
    law: DrawLaw, shape: tuple[int, ...], *, other: bool, centred: bool = False, group_axis: int | None = None
) -> JointNoise:
    """The law of a table as it is drawn: one draw a declared cell, and one for the other cell (of each group)."""
    noise = JointNoise(law, shape, centred=centred, group_axis=group_axis)
    return replace(noise, total=noise.total + 1) if other else noise
