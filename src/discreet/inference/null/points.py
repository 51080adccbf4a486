"""The uniform points behind an average over the noise: independent scramblings, in chunks that fit the memory."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from discreet.noise.sobol import MAX_DIMENSION, uniform_points

_CHUNK = 1 << 22  # numbers held at once: 32 MB


def uniform_chunks(dimension: int, points: int, generator: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """About `points` points in chunks (scramblings, points each, dimension), at least 16 scramblings in all."""
    scramblings = 16 if dimension <= MAX_DIMENSION else max(16, points // 16)
    log2_points = max(1, math.ceil(math.log2(points / scramblings)))
    step = max(1, _CHUNK // (dimension << log2_points))
    for start in range(0, scramblings, step):
        yield uniform_points(log2_points, dimension, min(step, scramblings - start), generator)
