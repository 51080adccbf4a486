"""What a test looks at: the noisy cells, the joint law of their noise, and the total, public or estimated.

A release says all three itself. A bare array (a table published elsewhere) needs `noise=`, and `n=` where the number of
records in the declared cells is public; without `n` the total is estimated from the noisy cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput, NotApplicable
from discreet.noise import JointNoise
from discreet.release import TableRelease

Floats = NDArray[np.float64]


class CellNoise(Protocol):
    """A law of per-cell noise, such as `discreet.noise.Laplace(4.0)`."""

    def on(self, shape: tuple[int, ...], *, other: bool = False) -> JointNoise: ...


Noise = CellNoise | JointNoise
Table = TableRelease | ArrayLike


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Noisy cells, the joint law of the noise, the public total of these cells (None: estimated) and the axes' labels."""

    cells: Floats
    noise: JointNoise
    n: float | None
    labels: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]

    @property
    def total(self) -> float:
        """N: the public total, or N-hat, the sum of the noisy cells."""
        return float(self.cells.sum()) if self.n is None else self.n

    @property
    def total_is_public(self) -> bool:
        return self.n is not None


SMALLEST_TOTAL = 1e-6  # records: what is less than this is not a positive total, whatever its sign


def observe(table: Table, noise: Noise | None = None, n: float | None = None) -> NoisyTable:
    """The noisy table behind a release, or behind a bare array with `noise` and `n`; `InvalidInput` if that is not enough."""
    if isinstance(table, TableRelease):
        if noise is not None or n is not None:
            raise InvalidInput("a release states its own noise and n; leave out noise= and n=")
        public = float(table.n) if table.n is not None and table.total_is_public else None
        observed = NoisyTable(table.counts, table.noise, public, table.labels, table.column_names)
    else:
        observed = _observe_array(table, noise, n)
    if not observed.total > SMALLEST_TOTAL:
        raise NotApplicable(
            f"the noisy cells sum to {observed.total:.6g}, not above 0: the noise outweighs the data and no test applies"
        )
    return observed


def _observe_array(table: ArrayLike, noise: Noise | None, n: float | None) -> NoisyTable:
    try:
        cells = np.array(table, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput("a table must be a release or an array of numbers") from None
    if cells.ndim not in (1, 2) or not cells.size or not np.isfinite(cells).all():
        raise InvalidInput(f"a table must have one or two axes and finite numbers; this one has shape {cells.shape}")
    if noise is None:
        raise InvalidInput(
            "a bare array needs noise=, the law of the noise in its cells, e.g. noise=discreet.noise.Laplace(4)"
        )
    joint = noise if isinstance(noise, JointNoise) else noise.on(cells.shape)
    if joint.shape != cells.shape:
        raise InvalidInput(
            f"the noise is that of a table of shape {joint.shape}, but the table has shape {cells.shape}"
        )
    labels = tuple(tuple(str(i) for i in range(k)) for k in cells.shape)
    names = ("row", "column")[: cells.ndim] if cells.ndim == 2 else ("cell",)
    return NoisyTable(cells, joint, _size(n), labels, names)


def _size(n: object) -> float | None:
    if n is None:
        return None
    if isinstance(n, bool) or not isinstance(n, Real) or not math.isfinite(n) or n <= 0:
        raise InvalidInput(f"n must be a positive number of records, or None (estimated), not {n!r}")
    return float(n)


def two_way(table: Table, rows: str | None, columns: str | None, noise: Noise | None, n: float | None) -> NoisyTable:
    """The two-way noisy table of the named columns (a margin where the release has more); refuses fewer than 2 x 2."""
    if isinstance(table, TableRelease):
        if rows is not None or columns is not None:
            if rows is None or columns is None or rows == columns:
                raise InvalidInput("give both rows= and columns=, two different columns of the release")
            table = table.margin([rows, columns])
        elif len(table.shape) > 2:
            names = ", ".join(table.column_names)
            raise InvalidInput(
                f"the release has {len(table.shape)} columns ({names}); say which two are meant (rows, columns)"
            )
    elif rows is not None or columns is not None:
        raise InvalidInput(
            "rows= and columns= name columns of a release; a bare array has its rows and columns in order"
        )
    observed = observe(table, noise, n)
    if observed.cells.ndim != 2 or min(observed.cells.shape) < 2:
        raise InvalidInput(
            f"this test needs at least two rows and two columns, not a table of shape {observed.cells.shape}"
        )
    return observed


def positive_margins(observed: NoisyTable, axis: int) -> Floats:
    """The noisy sums along the other axis, for `axis` 0 (rows) or 1 (columns); `NotApplicable` unless all are above 0."""
    sums = observed.cells.sum(1 - axis)
    if (sums <= SMALLEST_TOTAL).any():
        worst = int(np.argmin(sums))
        raise NotApplicable(
            f"the noisy total of {observed.names[axis]} {observed.labels[axis][worst]!r} is {sums[worst]:.4g}, not above 0, so "
            "expected counts cannot be formed; merge that category with another one, or release with a larger budget"
        )
    return np.asarray(sums)
