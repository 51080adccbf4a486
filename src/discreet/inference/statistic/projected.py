"""The projected statistic of Kifer and Rogers (2017): the noisy residuals in units of their covariance, noise included.

Let S = Cov A + Cov V be the covariance of the cells Y about their expectation E, sampling and noise together, and K a basis
of the contrasts that depend on nothing that the null leaves open (`FittedNull.open_directions`). Then

    T = z' (K' S K)^-1 z,    z = K'(Y - E).

This one formula is (a) for given probabilities and a public n, r' P S^-1 P r, P = I - 11'/p; the same number is
r' (P S P)^+ r, so that full noise and rank-deficient noise lead to one statistic; (b) for an estimated total, e' S_e^+ e with
e = (I - theta 1') Y; (c) for composite nulls, the minimum over one linear step of the nuisance, e' C e with
C = M - M G (G' M G)^-1 G' M. With F = L^-1 K', L L' = K' S K, it is T = ||F (Y - E)||^2.

Under the null and Gaussian noise T is chi-squared. For other laws F A is normal given the noise, with variances lambda_i < 1
in suitable axes, so T | V is a weighted sum of noncentral chi-squares with these weights, and that is averaged over V. With
one degree of freedom T is the square of a normal variable plus noise, and its tail is one integral (`one_degree`).
Pearson's statistic divides by the sampling variance alone, so a cell with few records and much noise drowns the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import NotApplicable, NotAvailable
from discreet.inference.null.one_degree import RELATIVE_ERROR, one_degree_sf
from discreet.inference.null.points import uniform_chunks
from discreet.inference.statistic.fitted import LARGEST_TABLE, FittedNull
from discreet.inference.statistic.jumps import Jumps
from discreet.inference.tails.noncentral import LARGEST, noncentral_chi2_sf

Floats = NDArray[np.float64]

_SMALLEST_WEIGHT = 1e-6  # a contrast with a millionth of sampling variance is all noise; 0 could not be divided by
_CHUNK = 1 << 21  # numbers held at once


@dataclass(frozen=True, eq=False)
class Projected:
    """The statistic for one fitted null, and its limit law. `contrasts` is F above, of shape (df, cells)."""

    fitted: FittedNull
    contrasts: Floats

    @property
    def df(self) -> int:
        """The degrees of freedom, and the mean of T whatever the law of the noise."""
        return int(self.contrasts.shape[0])

    def statistic(self, residuals: Floats) -> Floats:
        """T for residuals Y - E of shape (..., cells)."""
        return np.asarray(((residuals @ self.contrasts.T) ** 2).sum(-1))

    @property
    def gaussian(self) -> bool:
        """Whether all noise is normal, so that T is chi-squared."""
        return all(noise.law.is_normal for noise in self.fitted.noises)

    @cached_property
    def _axes(self) -> tuple[Floats, Floats]:
        """(weights lambda_i, contrasts in the axes where F A has independent components)."""
        variance = self.contrasts @ self.fitted.sampling_covariance @ self.contrasts.T
        weights, axes = np.linalg.eigh(variance)
        return np.clip(weights, _SMALLEST_WEIGHT, 1.0), axes.T @ self.contrasts

    def closed_tail(self, t: float) -> tuple[float, float]:
        """P(T >= t) and a bound of its error: chi-squared under Gaussian noise, an integral with one degree of freedom."""
        if self.gaussian:
            p = float(special.chdtrc(self.df, t))
            return p, 1e-14 * p
        if self.df > 1:
            raise NotAvailable(
                f"with {self.df} degrees of freedom the projected statistic has a closed form under Gaussian noise only; "
                "choose null='conditional'"
            )
        weights, contrasts = self._axes
        ends = np.cumsum([noise.size for noise in self.fitted.noises])[:-1]
        parts = zip(self.fitted.noises, np.split(contrasts[0] / np.sqrt(weights[0]), ends), strict=True)
        p = float(one_degree_sf(t / weights[0], [(noise.law, noise.pull_back(part)) for noise, part in parts]))
        return p, RELATIVE_ERROR * p

    def average_tail(self, t: float, points: int, generator: np.random.Generator) -> tuple[float, float]:
        """P(T >= t) and its standard error, from about `points` Sobol points in at least 16 scramblings.

        The noise is drawn with jumps. Of each component's variance lambda_i the smallest, lambda, is integrated in closed
        form and the rest is drawn: what is left is lambda times a noncentral chi-squared variable.
        """
        weights, contrasts = self._axes
        smallest, jumps = weights[0], Jumps.towards(self.fitted.noises, contrasts, t)
        means = []
        for uniforms in uniform_chunks(jumps.dimension + self.df, points, generator):
            noise, importance = jumps.noise(uniforms[..., : jumps.dimension])
            normal = np.sqrt(weights - smallest) * special.ndtri(uniforms[..., jumps.dimension :])
            noncentrality = np.minimum(((noise @ contrasts.T + normal) ** 2).sum(-1) / smallest, LARGEST)
            tails = noncentral_chi2_sf(t / smallest, self.df, noncentrality)
            means.append((tails * importance).mean(-1))
        every = np.concatenate(means)
        return min(1.0, float(every.mean())), float(every.std(ddof=1) / math.sqrt(every.size))

    def count_tail(self, t: float, points: int, generator: np.random.Generator) -> tuple[float, float]:
        """(1 + #{T_i >= t}) / (1 + m) from m = `points` draws, and its binomial standard error."""
        p = (1 + int((self.draws(points, generator) >= t).sum())) / (1 + points)
        return p, math.sqrt(p * (1.0 - p) / points)

    def draws(self, size: int, generator: np.random.Generator) -> Floats:
        """`size` draws of T under the null: multinomial tables with fresh noise where that is exact, else the limit."""
        step = max(1, _CHUNK // self.contrasts.size)
        sizes = (min(step, size - start) for start in range(0, size, step))
        return np.concatenate([self.statistic(self.fitted.draw_residuals(k, generator)) for k in sizes])


def project(fitted: FittedNull) -> Projected:
    """The projected statistic for a fitted null; `NotApplicable` where the table is too large to write its covariance."""
    cells = fitted.cells.size
    if cells > LARGEST_TABLE:
        raise NotApplicable(
            f"the projected statistic writes the covariance of the cells out, and {cells:,} cells are more than the "
            f"{LARGEST_TABLE:,} that it is meant for; use statistic='chi2'"
        )
    open_directions = fitted.open_directions
    basis = np.linalg.qr(open_directions, mode="complete")[0][:, open_directions.shape[1] :]
    covariance = basis.T @ (fitted.sampling_covariance + fitted.noise_covariance) @ basis
    return Projected(fitted, np.linalg.solve(np.linalg.cholesky(covariance), basis.T))
