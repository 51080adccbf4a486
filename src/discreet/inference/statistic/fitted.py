"""The null hypothesis fitted to a noisy table: expected cells, and the directions in which the unknown part can move them.

The unknown probabilities are fitted in two steps (Kifer and Rogers 2017; Gaboardi et al. 2016): the noisy table is
projected on the tables that could be true, {x >= 0, sum x = N}, and x takes the place of the true counts: its margins are
the maximum-likelihood estimate. The cells then deviate from their expectation E = N theta by

    Y - E = A + V + (nuisance),        Cov A = diag(E) - sum_g E_g E_g' / N_g,        V the noise,

one block g for each sample whose size is fixed. What the null does not fix are the `tangents` (theta is estimated), and the
totals: a public total says nothing about the noisy sum (which is left out: direction 1), an estimated one moves all cells
of the sample along E_g.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import NotApplicable
from discreet.noise import JointNoise

Floats = NDArray[np.float64]
Fit = Callable[[NDArray[np.float64]], "FittedNull"]  # from flat noisy cells

LARGEST_TABLE = 2_000  # cells; the covariance is written out, and solving with it takes some seconds
SMALLEST_MARGIN = 1e-6  # records


@dataclass(frozen=True, eq=False)
class FittedNull:
    """A noisy table, its expectation under the fitted null, and what the null leaves open.

    `cells`, `expected` are flat; `totals` has one N_g for each sample; `tangents` has a column for each direction.
    """

    cells: Floats
    expected: Floats
    totals: Floats
    public: bool
    tangents: Floats
    noises: tuple[JointNoise, ...]

    @property
    def residual(self) -> Floats:
        """Y - E."""
        return self.cells - self.expected

    def by_sample(self, values: Floats) -> Floats:
        """The columns of a block matrix: `values` of each sample in a column of its own, of shape (cells, samples)."""
        k = self.totals.size
        blocks = values.reshape(k, 1, -1) * np.eye(k)[:, :, None]
        return blocks.transpose(0, 2, 1).reshape(-1, k)

    @property
    def open_directions(self) -> Floats:
        """What no contrast may depend on: the totals (1 where public, E_g where estimated) and the tangents, as columns."""
        totals = self.by_sample(np.ones_like(self.expected) if self.public else self.expected)
        return np.concatenate([totals, self.tangents], axis=1)

    @property
    def sampling_covariance(self) -> Floats:
        """Cov A = diag(E) - sum_g E_g E_g' / N_g."""
        e = self.by_sample(self.expected)
        return np.asarray(np.diag(self.expected) - (e / self.totals) @ e.T)

    @property
    def noise_covariance(self) -> Floats:
        """Cov V, one block for each independent release."""
        whole = np.zeros((self.cells.size, self.cells.size))
        start = 0
        for noise in self.noises:
            end = start + noise.size
            whole[start:end, start:end] = noise.covariance
            start = end
        return whole

    @property
    def noise_sds(self) -> Floats:
        """The standard deviation of the noise in each cell."""
        return np.concatenate([np.full(noise.size, noise.cell_sd) for noise in self.noises])

    def draw_noise(self, size: int, generator: np.random.Generator) -> Floats:
        """`size` draws of V, of shape (size, cells); for null distributions."""
        return np.concatenate([noise.sample(size, generator).reshape(size, -1) for noise in self.noises], axis=-1)

    @property
    def exact(self) -> bool:
        """Whether the null is one distribution of tables (given probabilities, public n): it needs no limit law."""
        return self.public and not self.tangents.size and all(float(total).is_integer() for total in self.totals)

    @property
    def drawn_from(self) -> str:
        """In words, what `draw_residuals` draws from."""
        return "multinomial tables with fresh noise (finite-sample)" if self.exact else "limit law"

    def draw_residuals(self, size: int, generator: np.random.Generator) -> Floats:
        """`size` draws of Y - E: from the null itself where it is `exact`, else A + V with A normal, the limit."""
        if self.exact:
            return self.draw_tables(size, generator) - self.expected
        g = generator.standard_normal((size, self.cells.size)) * np.sqrt(self.expected)
        e = self.by_sample(self.expected)
        of_sample = self.by_sample(np.ones_like(self.expected))
        return g - (g @ of_sample / self.totals) @ e.T + self.draw_noise(size, generator)

    def draw_tables(self, size: int, generator: np.random.Generator) -> Floats:
        """`size` noisy tables from the fitted null itself: multinomial samples with fresh noise."""
        shares = self.expected.reshape(self.totals.size, -1)
        parts = [
            generator.multinomial(max(1, round(float(total))), share / share.sum(), size)
            for total, share in zip(self.totals, shares, strict=True)
        ]
        return np.concatenate(parts, axis=-1) + self.draw_noise(size, generator)


def fit_goodness(cells: Floats, theta: Floats, n: float | None, noise: JointNoise) -> FittedNull:
    """Given probabilities `theta`: nothing is fitted but, where `n` is None, the total."""
    total = float(cells.sum()) if n is None else n
    nothing = np.empty((cells.size, 0))
    return FittedNull(cells, total * theta, np.array([total]), n is not None, nothing, (noise,))


def fit_independence(cells: Floats, n: float | None, noise: JointNoise) -> FittedNull:
    """theta_ij = p_i q_j; the tangents are (e_i - e_last) (x) q and p (x) (e_j - e_last)."""
    total = float(cells.sum()) if n is None else n
    fitted = on_simplex(cells, total).reshape(noise.shape)
    p, q = _positive(fitted.sum(1)) / total, _positive(fitted.sum(0)) / total
    tangents = np.concatenate([np.kron(_differences(p.size), q[:, None]), np.kron(p[:, None], _differences(q.size))], 1)
    return FittedNull(cells, total * np.outer(p, q).ravel(), np.array([total]), n is not None, tangents, (noise,))


def fit_homogeneity(cells: Floats, totals: Floats, public: bool, noises: tuple[JointNoise, ...]) -> FittedNull:
    """One theta for all samples; the tangents are N_g (e_j - e_last) in every sample g at once."""
    tables = cells.reshape(totals.size, -1)
    if not public:
        totals = _positive(tables.sum(1))
    fitted = sum(on_simplex(table, float(size)) for table, size in zip(tables, totals, strict=True))
    theta = _positive(np.asarray(fitted)) / totals.sum()
    tangents = np.kron(totals[:, None] / totals.sum(), _differences(theta.size))
    return FittedNull(cells, np.outer(totals, theta).ravel(), totals, public, tangents, noises)


def on_simplex(cells: Floats, total: float) -> Floats:
    """The table nearest to `cells` among those with x >= 0 and sum x = `total` (> 0): max(cells - tau, 0).

    Examples
    --------
    >>> on_simplex(np.array([6.0, 5.0, -2.0]), 9.0)
    array([5., 4., 0.])
    """
    falling = np.sort(cells)[::-1]
    taus = (np.cumsum(falling) - total) / np.arange(1, cells.size + 1)
    kept = np.flatnonzero(falling > taus)[-1]
    return np.asarray(np.maximum(cells - taus[kept], 0.0))


def _differences(k: int) -> Floats:
    """The columns e_i - e_last, i < k."""
    return np.concatenate([np.eye(k - 1), -np.ones((1, k - 1))])


def _positive(margin: Floats) -> Floats:
    """The margin itself, if every category of it is fitted with some records."""
    if not (margin > SMALLEST_MARGIN).all():
        raise NotApplicable(
            f"category {int(np.argmin(margin))} of a margin is fitted with no record, so the null says nothing about it; "
            "merge that category with another one, or release with a larger budget"
        )
    return margin
