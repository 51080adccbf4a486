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
from discreet.inference.caution import dependence
from discreet.inference.cells import read_cells
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
    """Noisy cells, the joint law of the noise, the public total of these cells (None: estimated) and the axes' labels.

    `group_sizes` are the public totals along the axis of a fixed column (`noise.group_axis`); None where they are not public.
    `cautions` are warnings about the records themselves.
    """

    cells: Floats
    noise: JointNoise
    n: float | None
    labels: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    group_sizes: Floats | None = None
    cautions: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """N: the public total, or N-hat, the sum of the noisy cells."""
        return float(self.cells.sum()) if self.n is None else self.n

    @property
    def total_is_public(self) -> bool:
        return self.n is not None


MOST_DRAWS = 2**14
MANY = 16

SMALLEST_TOTAL = 1e-6  # records: what is less than this is not a positive total, whatever its sign


def observe(table: Table, noise: Noise | None = None, n: float | None = None) -> NoisyTable:
    """The noisy table behind a release, or behind a bare array with `noise` and `n`; `InvalidInput` if that is not enough."""
    if isinstance(table, TableRelease):
        if noise is not None or n is not None:
            raise InvalidInput("a release states its own noise and n; leave out noise= and n=")
        public = float(table.n) if table.n is not None and table.total_is_public else None
        grouped = table.group_sizes is not None and table.group_axis is not None and table.total_is_public
        sizes = np.array(table.group_sizes, float) if grouped else None
        noise_of, warned = _few_draws(table.noise), dependence(table.schema)
        observed = NoisyTable(table.counts, noise_of, public, table.labels, table.column_names, sizes, warned)
    else:
        observed = _observe_array(table, noise, n)
    if not observed.total > SMALLEST_TOTAL:
        raise NotApplicable(
            f"the noisy cells sum to {observed.total:.6g}, not above 0: the noise outweighs the data and no test applies"
        )
    if observed.n is not None and not is_plausible(observed.n, observed.cells.sum(), observed.noise):
        raise InvalidInput(
            f"n={observed.n:.10g} is too small: the noisy cells sum to {observed.cells.sum():.6g}, with noise of standard "
            f"deviation {_total_sd(observed.noise):.3g} in the sum; give the number of records in this table, or leave n out"
        )
    return observed


def is_plausible(n: ArrayLike, cells: ArrayLike, noise: JointNoise) -> NDArray[np.bool_]:
    """Whether n records can be a table whose noisy cells sum to `cells`, noise and rounding to whole numbers considered.

    Only an n that is too small is implausible beyond doubt: 40 standard deviations (Laplace noise goes so far with
    probability e^-56). One that is too large may count records outside of the table; `caution` warns of it.
    """
    return np.asarray(np.asarray(cells) * (1 - 1e-9) - np.asarray(n) <= 40.0 * _total_sd(noise) + noise.size)


def _total_sd(noise: JointNoise) -> float:
    """The standard deviation of the noise in the sum of all cells."""
    return math.sqrt(noise.total_variance)


def _observe_array(table: ArrayLike, noise: Noise | None, n: float | None) -> NoisyTable:
    given = read_cells(table)
    cells = given.values
    if cells.ndim not in (1, 2) or not cells.size or not np.isfinite(cells).all():
        raise InvalidInput(f"a table must have one or two axes and finite numbers; this one has shape {cells.shape}")
    joint = joint_noise(noise, cells.shape)
    return NoisyTable(cells, joint, _size(n), given.labels, given.names)


def joint_noise(noise: Noise | None, shape: tuple[int, ...]) -> JointNoise:
    """The joint law of the noise in a bare table of this shape; `InvalidInput` for what is no law, or one of another shape."""
    if noise is None:
        raise InvalidInput(
            "a bare array needs noise=, the law of the noise in its cells, e.g. noise=discreet.noise.Laplace(4)"
        )
    if not isinstance(noise, JointNoise) and (isinstance(noise, type) or not hasattr(noise, "on")):
        raise InvalidInput(f"noise= must be a law with its scale, e.g. discreet.noise.Laplace(4), not {noise!r}")
    joint = noise if isinstance(noise, JointNoise) else noise.on(shape)
    if joint.shape != shape:
        raise InvalidInput(f"the noise is that of a table of shape {joint.shape}, but the table has shape {shape}")
    return _few_draws(joint)


def _few_draws(noise: JointNoise) -> JointNoise:
    """The same law; of a margin of a wide table with the many draws of a cell as one, as none of them matters by itself.

    Below that the draws are kept one by one: then a far tail can be sought along each (`null.big_jump`).
    """
    return noise.lumped if noise.dimension > MOST_DRAWS and noise.draws_per_cell >= MANY else noise


def _size(n: object) -> float | None:
    if n is None:
        return None
    if isinstance(n, bool) or not isinstance(n, Real) or not math.isfinite(n) or n <= 0:
        raise InvalidInput(f"n must be a positive number of records, or None (estimated), not {n!r}")
    return float(n)


def groups_in_rows(table: Table) -> Table:
    """A two-way release by a fixed column with its groups as rows; any other table as it is."""
    if isinstance(table, TableRelease) and len(table.shape) == 2 and table.group_axis == 1:
        return table.margin(table.column_names[::-1])
    return table


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
