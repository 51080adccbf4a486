"""Hotelling's statistic from released moments: the difference of means in units of its standard error, noise included.

For two groups, h = n1 n2/(n1 + n2) and v_i the variance of the noise in one coordinate of a released mean,

    Sigma = ((n1 - 1) S1 + (n2 - 1) S2)/(n1 + n2 - 2) + h (v1 + v2) I,        t = h D' Sigma^-1 D,    D = m1 - m2.

h Var(D) is the common covariance of the records plus h (v1 + v2) I, which is what Sigma estimates; for Laplace noise h v_i are
the corrections c_1, c_2 of the source. It makes Sigma positive definite too, even where a released covariance is singular. For
one group and a given mean mu, h = n, Sigma = S + n v I and D = m - mu. Everything is on the cube [-1, 1]^d.

Source: Dunsche, Kutta and Dette (2022), Multivariate mean comparison under differential privacy, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import NotApplicable
from discreet.release.moments.moments_part import MomentsPart

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MeanComparison:
    """Two groups, or one and a given mean: what the statistic is made of.

    `given` is the mean on [-1, 1]^d that the one group is compared with; None for two groups.
    """

    parts: tuple[MomentsPart, ...]
    given: Floats | None = None

    def __post_init__(self) -> None:
        for part in self.parts:
            if part.n < 1:
                raise NotApplicable(f"{_group(part)} has no records, so it has no mean to compare")
        if sum(part.n - 1 for part in self.parts) < 1:
            raise NotApplicable("with one record a group there is no covariance: nothing to compare a difference with")

    @property
    def dimension(self) -> int:
        """d, the number of columns."""
        return self.parts[0].mean.size

    @property
    def h(self) -> float:
        """n1 n2/(n1 + n2), or n."""
        return 1.0 / sum(1.0 / part.n for part in self.parts)

    @property
    def noise_variance(self) -> float:
        """v1 + v2: the variance of the noise in one coordinate of the difference."""
        return sum(float(part.mean_noise.variance) for part in self.parts)

    @property
    def added(self) -> float:
        """h (v1 + v2), what the noise adds to every diagonal entry of the covariance."""
        return self.h * self.noise_variance

    @property
    def difference(self) -> Floats:
        """D on [-1, 1]^d."""
        other = self.parts[1].mean if self.given is None else self.given
        return np.asarray(self.parts[0].mean - other)

    def pooled(self, covariances: tuple[Floats, ...]) -> Floats:
        """The released covariances (..., d, d) of the groups, pooled with weights n_i - 1, without the noise of the means."""
        weights = np.array([part.n - 1.0 for part in self.parts]) / sum(part.n - 1.0 for part in self.parts)
        return np.asarray(sum(w * s for w, s in zip(weights, covariances, strict=True)))

    @cached_property
    def covariance(self) -> Floats:
        """The pooled released covariance, without the noise of the means: the estimate of the records' own."""
        return self.pooled(tuple(part.covariance for part in self.parts))

    @cached_property
    def statistic(self) -> float:
        """t of the release."""
        return float(t_squared(self.difference, self.covariance, self.h, self.added))

    @property
    def noise_share(self) -> float:
        """How much of the variance of the difference is the noise of the means, averaged over the columns: 0 to 1."""
        return self.added / (self.added + float(np.trace(self.covariance)) / self.dimension)

    @property
    def naive_pvalue(self) -> float:
        """What the chi-squared law would claim if the released moments were the exact ones: without any correction."""
        t = float(t_squared(self.difference, self.covariance, self.h, 0.0))
        return float(special.chdtrc(self.dimension, min(t, 1e300)))

    @property
    def question(self) -> str:
        """What is tested, in words."""
        labels = [part.label for part in self.parts]
        if self.given is not None:
            return "Mean as given" if labels[0] is None else f"Mean of {labels[0]} as given"
        if None in labels or labels[0] == labels[1]:
            return "Equal means of two samples"
        return f"Equal means of {labels[0]} and {labels[1]}"


def t_squared(difference: Floats, covariance: Floats, h: float, added: float) -> Floats:
    """h D' (S + added I)^-1 D for differences (..., d) and positive semidefinite covariances S (..., d, d).

    Along the eigenvectors of S no eigenvalue of the sum is below `added`, whatever rounding does to a singular S.
    """
    values, vectors = np.linalg.eigh(covariance)
    along = np.einsum("...ij,...i->...j", vectors, difference)
    variances = np.maximum(values, 0.0) + added
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = np.where(along == 0.0, 0.0, along**2 / variances)
    return np.asarray(h * terms.sum(-1))


def _group(part: MomentsPart) -> str:
    return "the group" if part.label is None else f"group {part.label!r}"
