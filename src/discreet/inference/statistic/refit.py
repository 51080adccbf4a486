"""Tables simulated from the null that was fitted to a release, and the statistic with the nuisance fitted anew on each.

The parametric bootstrap of Kim, Lee, Kwak and Jung (2022, section 6): multinomial tables T* from the fitted probabilities
(clipped above 0 and renormalised), fresh noise by the release's own joint law, the same post-processing, the same
statistic with its expected counts formed from the simulated table. What the null says nothing about is held at its
released value: where a total is not public, T* is drawn with the released total N-hat, rounded, and then estimated again
from the noisy cells, as on the release.

A simulated table on which no expected counts can be formed (a noisy margin not above 0) has an infinite statistic, which
can only enlarge a p-value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.noise import JointNoise

Floats = NDArray[np.float64]
CellStatistic = Callable[[Floats, Floats], Floats]

_SMALLEST_EXPECTED = 1e-6  # records
_SMALLEST_SHARE = 1e-12


class Postprocess(Protocol):
    """What may be done to noisy tables before they are tested, e.g. `JamesStein`: flat cells along the last axis."""

    def shrink(self, cells: Floats, noise: JointNoise) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Refit:
    """The observed cells (flat), how to simulate others like them, and the statistic of many tables at once.

    `samples` are independent multinomials (size, probabilities) that fill the cells one after the other, and so do the
    joint laws `noises`.
    """

    cells: Floats
    samples: tuple[tuple[float, Floats], ...]
    noises: tuple[JointNoise, ...]
    statistic: Callable[[Floats], Floats]

    def observed(self, postprocess: Postprocess | None = None) -> float:
        """The statistic of the release itself, after the post-processing."""
        return float(self.statistic(self._processed(self.cells[None, :], postprocess))[0])

    def draw(self, size: int, generator: np.random.Generator, postprocess: Postprocess | None = None) -> Floats:
        """The statistic of `size` simulated tables."""
        counts = [
            generator.multinomial(max(1, round(total)), probabilities(shares), size) for total, shares in self.samples
        ]
        noise = [noise.sample(size, generator).reshape(size, -1) for noise in self.noises]
        tables = np.concatenate(noise, axis=1)
        tables += np.concatenate(counts, axis=1)
        return self.statistic(self._processed(tables, postprocess))

    def _processed(self, tables: Floats, postprocess: Postprocess | None) -> Floats:
        """Each release on its own, under its own noise."""
        if postprocess is None:
            return tables
        ends = np.cumsum([noise.size for noise in self.noises])[:-1]
        parts = np.split(tables, ends, axis=1)
        return np.concatenate(
            [postprocess.shrink(x, noise) for x, noise in zip(parts, self.noises, strict=True)], axis=1
        )


def probabilities(shares: Floats) -> Floats:
    """Fitted cell probabilities, clipped above 0 and renormalised."""
    positive = np.maximum(shares.ravel(), _SMALLEST_SHARE)
    return np.asarray(positive / positive.sum())


def fitted_to_given(function: CellStatistic, theta: Floats, n: float | None) -> Callable[[Floats], Floats]:
    """Goodness of fit: E = n theta, or N-hat theta where n is None."""

    def statistic(tables: Floats) -> Floats:
        totals = tables.sum(-1, keepdims=True) if n is None else np.full((len(tables), 1), n)
        return _where_defined(function, tables, totals * theta)

    return statistic


def fitted_to_margins(function: CellStatistic, rows: int) -> Callable[[Floats], Floats]:
    """Independence, and homogeneity where sizes are estimated: E_ij = Y_i. Y_.j / Y_.."""

    def statistic(tables: Floats) -> Floats:
        cells = tables.reshape(len(tables), rows, -1)
        margins = cells.sum(2), cells.sum(1)
        positive = np.minimum(margins[0].min(-1), margins[1].min(-1)) > _SMALLEST_EXPECTED
        expected = np.zeros_like(tables)
        a, b = (margin[positive] for margin in margins)
        expected[positive] = (a[:, :, None] * b[:, None, :] / a.sum(1)[:, None, None]).reshape(len(a), tables.shape[1])
        return _where_defined(function, tables, expected)

    return statistic


def fitted_to_sizes(function: CellStatistic, sizes: Floats) -> Callable[[Floats], Floats]:
    """Homogeneity of samples of public sizes: E_gj = n_g Y_.j / sum of all n_g."""
    shares = sizes / sizes.sum()

    def statistic(tables: Floats) -> Floats:
        pooled = tables.reshape(len(tables), shares.size, -1).sum(1)
        return _where_defined(function, tables, (shares[:, None] * pooled[:, None, :]).reshape(tables.shape))

    return statistic


def _where_defined(function: CellStatistic, tables: Floats, expected: Floats) -> Floats:
    """The statistic of each table, infinite where an expected count is not above 0."""
    defined = expected.min(-1) > _SMALLEST_EXPECTED
    if defined.all():
        return function(tables, expected)
    values = np.full(len(tables), np.inf)
    values[defined] = function(tables[defined], expected[defined])
    return values
