"""What an estimator hands back: the better numbers, and what was done to get them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Numbers estimated from a release.

    Attributes
    ----------
    values : array
        The estimate, in the shape of the release's values (read-only).
    description : str
        What was done, in one line.
    factor : float
        By what the distance from the target was multiplied: 1 leaves the release as it is, 0 gives the target; below 0
        the plain operator has overshot it.
    sd : float
        The standard deviation of the noise in each direction that was shrunk.
    dimension : int
        The number of these directions.
    """

    values: Floats
    description: str
    factor: float
    sd: float
    dimension: int

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=float)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    def __array__(self, dtype: np.dtype[np.generic] | None = None, copy: bool | None = None) -> NDArray[np.generic]:
        return np.array(self.values, dtype=dtype)

    def __repr__(self) -> str:
        with np.printoptions(precision=2, suppress=True, threshold=60, linewidth=100):
            return f"{self.description}\n{self.values}"
