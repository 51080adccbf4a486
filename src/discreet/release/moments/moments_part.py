"""The released moments of one group, on the cube [-1, 1]^d: what tests and intervals of means work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from discreet.noise import DrawLaw

Floats = NDArray[np.float64]


class CovarianceLaw(Protocol):
    """A covariance mechanism as a simulation: what it would release for a true covariance."""

    def sample(self, covariances: Floats, rng: np.random.Generator) -> Floats:
        """For each covariance of a batch (..., d, d) on [-1, 1]^d, a released one: symmetric, positive semidefinite."""
        ...


@dataclass(frozen=True)
class MomentsPart:
    """Mean and covariance of one group, every column rescaled from its own public bounds to [-1, 1].

    Attributes
    ----------
    label : str or None
        The group's label in the fixed column; None where there is one group.
    n : int
        The public number of its records.
    mean : array (d,)
        The released mean: true mean + independent noise of the law `mean_noise` in every coordinate.
    covariance : array (d, d)
        The released covariance (divisor n - 1), positive semidefinite.
    mean_noise : DrawLaw
        The law of the noise of one coordinate of `mean`.
    covariance_noise : CovarianceLaw
        How the covariance was released, as a simulation.
    columns : tuple of str
    centres, half_widths : array (d,)
        A column's value is centre + half_width * rescaled value.
    """

    label: str | None
    n: int
    mean: Floats
    covariance: Floats
    mean_noise: DrawLaw
    covariance_noise: CovarianceLaw
    columns: tuple[str, ...]
    centres: Floats
    half_widths: Floats
