"""Mixtures of beta densities: the true densities of simulation studies on [0, 1], with all integrals in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from discreet.errors import InvalidInput

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BetaMixture:
    """The density sum_i w_i Beta(a_i, b_i).

    Parameters
    ----------
    shapes : sequence of pairs
        (a_i, b_i), each above 1/2 so that the density's square has an integral.
    weights : sequence of float, optional
        Above 0; they are divided by their sum. None: all alike.

    Examples
    --------
    >>> from discreet.lab import BetaMixture
    >>> peak = BetaMixture([(10, 10)])
    >>> round(peak.squared_integral, 9), peak.cell_probabilities(2)
    (2.541454145, array([0.5, 0.5]))
    """

    shapes: Sequence[tuple[float, float]]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        shapes = tuple((float(a), float(b)) for a, b in self.shapes)
        weights = np.ones(len(shapes)) if self.weights is None else np.asarray(self.weights, float)
        if not shapes or min(map(min, shapes)) <= 0.5 or weights.shape != (len(shapes),) or not (weights > 0).all():
            raise InvalidInput("a mixture needs pairs (a, b) above 1/2 and one weight above 0 for each")
        object.__setattr__(self, "shapes", shapes)
        object.__setattr__(self, "weights", tuple((weights / weights.sum()).tolist()))

    @property
    def _parts(self) -> list[tuple[float, float, float]]:
        assert self.weights is not None
        return [(w, a, b) for w, (a, b) in zip(self.weights, self.shapes, strict=True)]

    def pdf(self, x: ArrayLike) -> Floats:
        """The density at x in [0, 1]."""
        x = np.asarray(x, float)
        total = np.zeros(x.shape)
        for w, a, b in self._parts:
            total += w * np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))
        return total

    def cdf(self, x: ArrayLike) -> Floats:
        """P(X <= x)."""
        at: Floats = np.clip(np.asarray(x, float), 0.0, 1.0)
        return np.asarray(np.sum([w * special.betainc(a, b, at) for w, a, b in self._parts], axis=0))

    def cell_probabilities(self, cells: int) -> Floats:
        """The probability of each of `cells` equal cells of [0, 1]."""
        return np.diff(self.cdf(np.arange(cells + 1) / cells))

    @property
    def squared_integral(self) -> float:
        """int f^2 = sum_ij w_i w_j B(a_i + a_j - 1, b_i + b_j - 1) / (B(a_i, b_i) B(a_j, b_j))."""
        return float(
            sum(
                w * v * np.exp(special.betaln(a + c - 1, b + d - 1) - special.betaln(a, b) - special.betaln(c, d))
                for w, a, b in self._parts
                for v, c, d in self._parts
            )
        )

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` independent draws."""
        which = rng.choice(len(self.shapes), size, p=self.weights)
        a, b = np.array(self.shapes).T
        return np.asarray(rng.beta(a[which], b[which]))
