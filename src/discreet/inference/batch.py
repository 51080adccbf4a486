"""Many two-way tables of one shape at once: statistics, the parts of their limit laws, and which tables have none.

Notation of `law`, for each table: a, b the roots of the row and column probabilities, U_a an orthonormal basis of what is
orthogonal to a (r - 1 columns), and H = diag(N theta)^-1/2. In the basis U = U_a (x) U_b of the residuals,

    Q = ||g + B V||^2,      B = U'H,      g standard normal in (r - 1)(c - 1) dimensions.

Under Gaussian noise Q is a sum of chi-squares whose weights are the eigenvalues of I + B Cov(V) B'. With independent noise
of variance v they are 1 + v rho_k gamma_l / N, the rho those of U_a' diag(1/theta_row) U_a, the gamma those of the columns.
With covariance z between any two cells of a block and v + z for a cell itself, Cov V = v I + z (blocks of ones).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.inference.assemble import LARGEST_STATISTIC, SMALLEST_EXPECTED
from discreet.inference.law import LimitLaw, TwoWay
from discreet.inference.observed import SMALLEST_TOTAL, is_plausible
from discreet.inference.statistic.cellwise import Statistic
from discreet.noise import JointNoise

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]

_HELD = 1 << 21  # numbers held at once: 16 MB


@dataclass(frozen=True, eq=False)
class Batch:
    """The tables that have a test: their statistics (m,), roots of margins (m, r) and (m, c), and totals N (m,)."""

    statistics: Floats
    a: Floats
    b: Floats
    totals: Floats
    noise: JointNoise

    @property
    def size(self) -> int:
        return int(self.statistics.size)

    @property
    def df(self) -> int:
        return int((self.a.shape[1] - 1) * (self.b.shape[1] - 1))

    def __getitem__(self, chosen: slice) -> Batch:
        return Batch(self.statistics[chosen], self.a[chosen], self.b[chosen], self.totals[chosen], self.noise)

    def chunks(self, numbers: int) -> Iterator[tuple[slice, Batch]]:
        """Parts of the batch, so small that with `numbers` numbers a table they fit into a fixed memory."""
        step = max(1, _HELD // max(1, numbers))
        for start in range(0, self.size, step):
            part = slice(start, min(start + step, self.size))
            yield part, self[part]

    def law(self, k: int) -> LimitLaw:
        """The limit law of table k by itself."""
        scaling = 1.0 / (np.sqrt(self.totals[k]) * np.outer(self.a[k], self.b[k]).ravel())
        return LimitLaw(TwoWay(self.a[k], self.b[k]), scaling, (self.noise,))

    @property
    def residual_map(self) -> Floats:
        """B of shape (m, df, cells): the noise in the residuals is B V."""
        rows, columns = _basis(self.a) / self.a[:, :, None], _basis(self.b) / self.b[:, :, None]
        scaled = np.einsum("mik,mjl->mklij", rows, columns) / np.sqrt(self.totals)[:, None, None, None, None]
        return np.asarray(scaled.reshape(self.size, self.df, self.noise.size))

    def weights(self) -> Floats:
        """The weights of the chi-squared components of Q under Gaussian noise, of shape (m, df)."""
        common = self.noise.common_covariance
        own = self.noise.cell_variance - common
        if common == 0.0:
            products = _spectrum(self.a)[:, :, None] * _spectrum(self.b)[:, None, :]
            return 1.0 + (own / self.totals)[:, None] * products.reshape(self.size, self.df)
        blocks = (self.noise.group_of_cell[:, None] == np.arange(self.noise.groups)).astype(float)
        result = np.empty((self.size, self.df))
        for part, some in self.chunks(self.df * (self.noise.size + 3 * self.df)):
            maps = some.residual_map
            sums = maps @ blocks
            added = own * maps @ maps.transpose(0, 2, 1) + common * sums @ sums.transpose(0, 2, 1)
            result[part] = 1.0 + np.linalg.eigvalsh(added)
        return result


def form_batch(tables: Floats, noise: JointNoise, n: Floats | None, statistic: Statistic) -> tuple[Marks, Batch]:
    """Which of the tables (m, r, c) have a test (margins and expected counts above 0, finite, n plausible), and these."""
    usable: Marks = np.asarray(np.isfinite(tables).all((1, 2)))
    cells = np.where(usable[:, None, None], tables, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        rows, columns, grand = cells.sum(2), cells.sum(1), cells.sum((1, 2))
        usable &= (rows > SMALLEST_TOTAL).all(1) & (columns > SMALLEST_TOTAL).all(1) & np.isfinite(grand)
        usable &= grand > SMALLEST_TOTAL
    if n is not None:
        usable &= is_plausible(n, grand, noise)
    cells, grand = cells[usable], grand[usable]
    theta_rows, theta_columns = rows[usable] / grand[:, None], columns[usable] / grand[:, None]
    expected = grand[:, None, None] * theta_rows[:, :, None] * theta_columns[:, None, :]
    flat, expected = cells.reshape(len(cells), noise.size), expected.reshape(len(cells), noise.size)
    reached = expected.min(-1, initial=np.inf) > SMALLEST_EXPECTED
    values = np.full(len(cells), np.inf)
    values[reached] = statistic(flat[reached], expected[reached])
    kept = values < LARGEST_STATISTIC
    usable[usable] = kept
    totals = grand[kept] if n is None else n[usable]
    return usable, Batch(values[kept], np.sqrt(theta_rows[kept]), np.sqrt(theta_columns[kept]), totals, noise)


def _basis(a: Floats) -> Floats:
    """Orthonormal columns orthogonal to the unit vector a (with positive entries), (m, k, k - 1): Householder's reflection."""
    m, k = a.shape
    basis = np.empty((m, k, k - 1))
    basis[:, 0] = -a[:, 1:]
    basis[:, 1:] = np.eye(k - 1) - a[:, 1:, None] * (a[:, 1:] / (1.0 + a[:, :1]))[:, None, :]
    return basis


def _spectrum(a: Floats) -> Floats:
    """The eigenvalues of U' diag(a)^-2 U, of shape (m, k - 1)."""
    if a.shape[1] == 2:
        return (1.0 / (a[:, 0] * a[:, 1]) ** 2 - 2.0)[:, None]
    scaled = _basis(a) / a[:, :, None]
    return np.asarray(np.linalg.eigvalsh(scaled.transpose(0, 2, 1) @ scaled))
