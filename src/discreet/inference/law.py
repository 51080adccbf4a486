"""The limit law of a chi-squared statistic on a noisy table, given the noise.

Write V for the noise in the table's cells, theta for the cell probabilities under the null, w = H V for the noise on the
scale of the statistic (H diagonal) and g for standard normal cells. As n grows with noise sd / sqrt(n) fixed, every
chi-squared statistic of this package (Pearson's or the corrected likelihood ratio) has the limit

    Q = ||Pi (g + w)||^2 + ||K w||^2,        so that        Q | V ~ ncx2(df, ||Pi w||^2) + ||K w||^2,

Pi the projector off the fitted parameters and K the projector on the totals that the expected counts fix although the
noisy cells do not add up to them (K = 0 where the total is estimated from the same noisy cells).

    goodness of fit    q = sqrt(theta): Pi = I - qq', H = diag(N theta)^-1/2; K = qq' where n is public
    independence       Pi = (I - aa') (x) (I - bb'), a = sqrt(row probabilities), b = sqrt(column probabilities)
    homogeneity        the same with a = sqrt(share of each sample); K = (I - aa') (x) bb' where the sizes are public

Source: Wang, Lee and Kifer (2015), theorems 3-5, in the conditional form; Cov V may be singular or correlated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.inference.tails.noncentral import LARGEST
from discreet.noise import JointNoise

Floats = NDArray[np.float64]


class Geometry(Protocol):
    """The two orthogonal projectors Pi and K, applied to arrays (..., cells), and their diagonals."""

    @property
    def df(self) -> int: ...
    def residual(self, w: Floats) -> Floats: ...
    def fixed_totals(self, w: Floats) -> Floats: ...
    @property
    def residual_diagonal(self) -> Floats: ...
    @property
    def fixed_totals_diagonal(self) -> Floats: ...


@dataclass(frozen=True, eq=False)
class OneWay:
    """Goodness of fit: Pi = I - qq' and, where n is public, K = qq'."""

    q: Floats
    public: bool

    @property
    def df(self) -> int:
        return self.q.size - 1

    def residual(self, w: Floats) -> Floats:
        return w - (w @ self.q)[..., None] * self.q

    def fixed_totals(self, w: Floats) -> Floats:
        return (w @ self.q)[..., None] if self.public else np.zeros((*w.shape[:-1], 1))

    @property
    def residual_diagonal(self) -> Floats:
        return 1.0 - self.q**2

    @property
    def fixed_totals_diagonal(self) -> Floats:
        return self.q**2 * self.public


@dataclass(frozen=True, eq=False)
class TwoWay:
    """Independence and homogeneity: Pi = (I - aa') (x) (I - bb') and, where the row sizes are public, K = (I - aa') (x) bb'."""

    a: Floats
    b: Floats
    public: bool = False

    @property
    def df(self) -> int:
        return (self.a.size - 1) * (self.b.size - 1)

    def _off_rows(self, cells: Floats) -> Floats:
        return np.asarray(cells - self.a[:, None] * np.einsum("i,...ij->...j", self.a, cells)[..., None, :])

    def residual(self, w: Floats) -> Floats:
        cells = w.reshape(*w.shape[:-1], self.a.size, self.b.size)
        cells = cells - (cells @ self.b)[..., None] * self.b
        return self._off_rows(cells).reshape(w.shape)

    def fixed_totals(self, w: Floats) -> Floats:
        if not self.public:
            return np.zeros((*w.shape[:-1], 1))
        sums = w.reshape(*w.shape[:-1], self.a.size, self.b.size) @ self.b
        return sums - (sums @ self.a)[..., None] * self.a

    @property
    def residual_diagonal(self) -> Floats:
        return np.outer(1.0 - self.a**2, 1.0 - self.b**2).ravel()

    @property
    def fixed_totals_diagonal(self) -> Floats:
        return np.outer(1.0 - self.a**2, self.b**2).ravel() * self.public


@dataclass(frozen=True, eq=False)
class LimitLaw:
    """The law of Q above: `geometry` (Pi and K), the diagonal of H, and the noise of one or several independent releases.

    `noises` fill the cells one after the other (several only for homogeneity of separate releases).
    """

    geometry: Geometry
    scaling: Floats
    noises: tuple[JointNoise, ...]

    @property
    def df(self) -> int:
        """The degrees of freedom of Q when there is no noise."""
        return self.geometry.df

    @property
    def dimension(self) -> int:
        """How many independent noise draws Q depends on."""
        return sum(noise.dimension for noise in self.noises)

    def scaled_noise(self, uniforms: Floats) -> Floats:
        """w = H V of shape (..., cells) from uniform points of shape (..., `dimension`)."""
        ends = np.cumsum([noise.dimension for noise in self.noises])[:-1]
        parts = np.split(uniforms, ends, axis=-1)
        cells = [noise.from_uniform(part) for noise, part in zip(self.noises, parts, strict=True)]
        return np.concatenate(cells, axis=-1) * self.scaling

    def scaled_draws(self, draws: Floats) -> Floats:
        """w = H L Z of shape (..., cells) from draws Z of shape (..., `dimension`), those of the releases side by side."""
        ends = np.cumsum([noise.dimension for noise in self.noises])[:-1]
        parts = np.split(draws, ends, axis=-1)
        cells = [noise.mix(part) for noise, part in zip(self.noises, parts, strict=True)]
        return np.concatenate(cells, axis=-1) * self.scaling

    def given(self, w: Floats) -> tuple[Floats, Floats | None]:
        """(noncentrality ||Pi w||^2, added ||K w||^2) for each noise table w; the second is None where K = 0."""
        residual = self.geometry.residual(w)
        # Where noise outweighs a cell by 15 orders the tail is 1 long before the cap.
        noncentrality = np.minimum(np.einsum("...i,...i->...", residual, residual), LARGEST)
        if not self.geometry.fixed_totals_diagonal.any():
            return noncentrality, None
        totals = self.geometry.fixed_totals(w)
        return noncentrality, np.einsum("...i,...i->...", totals, totals)

    @cached_property
    def mean(self) -> float:
        """E Q = df + tr(Pi C) + tr(K C), C = H Cov(V) H: the sum of the weights of its chi-squared components."""
        total, start = float(self.df), 0
        diagonal = self.geometry.residual_diagonal + self.geometry.fixed_totals_diagonal
        for noise in self.noises:
            block = slice(start, start + noise.size)
            common = noise.common_covariance
            h = np.zeros_like(self.scaling)
            h[block] = self.scaling[block]
            total += (noise.cell_variance - common) * float(diagonal @ h**2)
            for group in range(noise.groups if common else 0):
                in_group = h.copy()
                in_group[block] *= noise.group_of_cell == group
                noncentrality, added = self.given(in_group)
                total += common * float(noncentrality + (0.0 if added is None else added))
            start += noise.size
        return total
