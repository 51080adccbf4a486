"""The noisy numbers of a table beside its declared cells, one by one, for everything that prints or tabulates them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from discreet.release.tables.table import TableRelease


class StrayCell(NamedTuple):
    """One such number: its label along each axis (None: none that is declared), its name in words, and its interval."""

    labels: tuple[str | None, ...]
    name: str
    value: float
    low: float
    high: float


def stray_cells(release: TableRelease, level: float = 0.95) -> Iterator[StrayCell]:
    """The cells of the undeclared group, where there is one, then the other cell, or that of each group.

    Examples
    --------
    >>> from discreet.noise import Gaussian
    >>> from discreet.release import TableRelease
    >>> table = TableRelease.from_counts([12.5, 31.0], {"sex": ["f", "m"]}, noise=Gaussian(2.0), other=1.5)
    >>> [(cell.labels, cell.name, cell.value) for cell in stray_cells(table)]
    [((None,), 'other (strays)', 1.5)]
    """
    around = release.other_interval(level)
    if release.other is None or around is None:
        return
    axes, fixed = release.column_names, release.schema.fixed
    low, high = (np.ravel(bound).tolist() for bound in around)
    others = np.ravel(release.other).tolist()
    if release.undeclared_group is None or fixed is None:
        yield StrayCell((None,) * len(axes), "other (strays)", others[0], low[0], high[0])
        return
    axis, half = axes.index(fixed), release.half_width(level)
    rest = [labels for i, labels in enumerate(release.labels) if i != axis]
    for cell, count in zip(product(*rest), release.undeclared_group.ravel().tolist(), strict=True):
        labels = (*cell[:axis], None, *cell[axis:])
        name = ", ".join((*cell[:axis], f"undeclared {fixed}", *cell[axis:]))
        yield StrayCell(labels, name, count, count - half, count + half)
    groups: list[str | None] = [*release.labels[axis], None]
    for label, *numbers in zip(groups, others, low, high, strict=True):
        labels = tuple(label if i == axis else None for i in range(len(axes)))
        of = f"undeclared {fixed}" if label is None else label
        yield StrayCell(labels, f"other (strays) of {of}", *numbers)


def number_of_strays(release: TableRelease) -> int:
    """How many cells `stray_cells` yields."""
    return len(release.drawn) - math.prod(release.shape)
