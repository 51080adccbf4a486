"""James-Stein shrinkage of a noisy release: a smaller expected squared error at no cost in privacy.

With x = theta + N(0, sigma^2 I) in k dimensions, around a target that is known or estimated from x itself,

    target + (1 - (k - 2) sigma^2/||x - target||^2)(x - target)

has a smaller expected squared error than x, whatever theta is, as soon as k >= 3 (James and Stein 1961). Kim, Lee, Kwak
and Jung (2022) shrink p cells

    toward zero               all p directions,                           k = p        (their M_JS0)
    toward the average        the contrasts x - mean(x),                  k = p - 1    (M_JS)

and, where the noise was projected on the known total, only the d = p - 1 contrasts are noisy: their coordinates y = U'x in
an orthonormal basis are shrunk

    toward zero               y,               k = d      the same in every basis: called rJSz here
    toward their average      y - mean(y),     k = d - 1  depends on the basis (M_rJS)

Without a basis the second is taken as the first: the contrasts of the table are shrunk toward those of the table with
equal cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.estimate.basis import check_basis, contrasts, coordinates
from discreet.estimate.directions import Directions, gaussian_directions
from discreet.estimate.estimate import Estimate
from discreet.noise import JointNoise

Floats = NDArray[np.float64]
Toward = Literal["zero", "average"]

_WHOLE = Directions(contrasts_only=False)


class VectorRelease(Protocol):
    """What can be shrunk: values, and the joint law of their noise."""

    @property
    def values(self) -> Floats: ...
    @property
    def noise(self) -> JointNoise: ...


@dataclass(frozen=True, eq=False)
class JamesStein:
    """A James-Stein estimator as data: for `expected_loss`, and as the post-processing of `Bootstrap`.

    Parameters
    ----------
    toward : "zero" or "average"
        The target: zero in every cell (or coordinate), or the average over the cells (or coordinates).
    basis : None, "helmert" or array of shape (p, p - 1)
        In the sensitivity space of a table with a fixed total: None is the basis-free form; a basis makes `toward="average"`
        the estimator of the paper, which depends on it. Columns orthonormal, each summing to 0.
    rank_deficient : bool
        Whether only the contrasts of the cells are noisy, as after `ProjectedGaussian`. Where a release is at hand, its own
        law says so.
    positive_part : bool
        Whether a factor below 0 is replaced by 0. It never does worse, but the exact formulas hold for the plain operator.

    Examples
    --------
    >>> from discreet.estimate import JamesStein
    >>> JamesStein("average", basis="helmert", rank_deficient=True)
    JamesStein(toward='average', basis='helmert', rank_deficient=True)
    """

    toward: Toward = "zero"
    basis: ArrayLike | Literal["helmert"] | None = None
    rank_deficient: bool = False
    positive_part: bool = False

    def __post_init__(self) -> None:
        if self.toward not in ("zero", "average"):
            raise InvalidInput(f"toward must be 'zero' or 'average', not {self.toward!r}")
        if isinstance(self.basis, str) and self.basis != "helmert":
            raise InvalidInput(f"a basis is 'helmert' or a matrix, not {self.basis!r}")
        if self.basis is not None and not isinstance(self.basis, str):
            object.__setattr__(self, "basis", check_basis(self.basis))

    def shrink(self, cells: Floats, noise: JointNoise) -> Floats:
        """Shrunk cells, for one table or many: flat cells along the last axis, under the given noise."""
        sd, directions = gaussian_directions(noise)
        if self.rank_deficient and not directions.contrasts_only:
            directions = replace(directions, contrasts_only=True)
        return self.shrink_in(directions, np.asarray(cells, float), sd)[0]

    def shrink_in(self, directions: Directions, cells: Floats, sd: float) -> tuple[Floats, Floats]:
        """The shrunk cells, and the factor of each table."""
        part, restored, k = self.split(cells, directions)
        # At distance 0 there is nothing to shrink.
        distance = np.maximum(np.linalg.norm(part / sd, axis=-1, keepdims=True), 1e-150)
        factor = 1.0 - (k - 2.0) / distance**2
        if self.positive_part:
            factor = np.maximum(factor, 0.0)
        return restored(factor * part), factor[..., 0]

    def split(self, cells: Floats, directions: Directions) -> tuple[Floats, Callable[[Floats], Floats], int]:
        """What is shrunk of each table, the way back to its cells, and k, the dimension in which it moves."""
        k = self._dimension(cells.shape[-1], directions)
        if self.toward == "zero" and not directions.contrasts_only:
            return cells, lambda part: part, k
        whole = directions if directions.contrasts_only else _WHOLE
        blocks = whole.split(cells)
        means = blocks.mean(-1, keepdims=True)
        centred = blocks - means
        if self.toward == "zero" or self.basis is None:
            flat = centred.reshape(cells.shape)
            return flat, lambda part: whole.joined(part.reshape(blocks.shape) + means), k
        matrix = self._matrix
        y = coordinates(centred, matrix)
        average = y.mean((-2, -1), keepdims=True)
        flat = (y - average).reshape(*cells.shape[:-1], -1)
        return flat, lambda part: whole.joined(contrasts(part.reshape(y.shape) + average, matrix) + means), k

    def _dimension(self, p: int, directions: Directions) -> int:
        """k, or why there is none."""
        lost, matrix = self.lost(directions), self._matrix
        if self.basis is not None and not directions.contrasts_only:
            raise InvalidInput(
                "a basis is for the contrasts of a rank-deficient release; this noise has full rank: leave out basis="
            )
        if p - lost < 3:
            raise InvalidInput(
                f"James-Stein shrinkage {self._target(directions)} needs at least {3 + lost} cells, not {p}"
            )
        if matrix is not None and directions.groups > 1:
            raise InvalidInput("with fixed groups a basis is 'helmert' (within each group) or None, not a matrix")
        if matrix is not None and matrix.shape[0] != p:
            raise InvalidInput(f"the basis is for {matrix.shape[0]} cells, but there are {p}")
        return p - lost

    def lost(self, directions: Directions) -> int:
        """p - k: how many of the p directions are not shrunk."""
        if not directions.contrasts_only:
            return int(self.toward == "average")
        return directions.groups + int(self.toward == "average" and self.basis is not None)

    @property
    def _matrix(self) -> Floats | None:
        return self.basis if isinstance(self.basis, np.ndarray) else None

    def _target(self, directions: Directions) -> str:
        if not directions.contrasts_only:
            return "toward zero" if self.toward == "zero" else "toward the average"
        if self.toward == "average" and self.basis is not None:
            basis = "the Helmert basis" if self._matrix is None else "the given basis"
            return f"of the contrasts toward the average of their coordinates in {basis}"
        return "of the contrasts toward equal cells" + (" in each group" if directions.groups > 1 else "")

    def describe(self, directions: Directions) -> str:
        """The operator in words."""
        plain = "Positive-part James-Stein" if self.positive_part else "James-Stein"
        return f"{plain} shrinkage {self._target(directions)}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JamesStein) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        basis = self.basis if self._matrix is None else (self._matrix.shape, self._matrix.tobytes())
        return self.toward, basis, self.rank_deficient, self.positive_part

    def __repr__(self) -> str:
        matrix = self._matrix
        basis = repr(self.basis) if matrix is None else f"<{matrix.shape[0]} x {matrix.shape[1]} matrix>"
        parts = [f"toward={self.toward!r}"]
        parts += [f"basis={basis}"] * (self.basis is not None)
        parts += [f"{name}=True" for name in ("rank_deficient", "positive_part") if getattr(self, name)]
        return f"JamesStein({', '.join(parts)})"


def james_stein(
    release: VectorRelease,
    toward: Toward = "zero",
    basis: ArrayLike | Literal["helmert"] | None = None,
    positive_part: bool = False,
) -> Estimate:
    """Shrink a release with Gaussian noise; it keeps the guarantee of the release and spends nothing.

    Parameters
    ----------
    release : release with `values` and `noise`
        A table, or any vector, with Gaussian noise of one size. On a rank-deficient release (`ProjectedGaussian`) the
        contrasts of the cells are shrunk and their total stays; likewise on a table with an `other` cell, where only the
        contrasts of the declared cells are shrunk (dimension p - 1) and their total and `other` stay.
    toward, basis, positive_part
        As in `JamesStein`.

    Returns
    -------
    Estimate

    Raises
    ------
    NotAvailable
        If the noise is not Gaussian: the gain is proved for normal noise only.
    InvalidInput
        If there are too few cells (at least 3 toward zero, 4 toward the average or for contrasts, 5 with a basis), or the
        basis is not orthonormal or leaves the sensitivity space.

    References
    ----------
    Kim, Lee, Kwak and Jung (2022), Differentially private multivariate statistics with an application to contingency
    table analysis, equations 12 and 13, appendix B.

    Examples
    --------
    >>> from discreet.estimate import james_stein
    >>> from discreet.noise import Gaussian
    >>> from discreet.release import TableRelease
    >>> table = TableRelease.from_counts([12, -3, 5, 8, 0], {"x": list("abcde")}, noise=Gaussian(2.0), n=22)
    >>> james_stein(table)
    James-Stein shrinkage toward zero: distance times 0.9504 (dimension 5, noise sd 2)
    [11.4  -2.85  4.75  7.6   0.  ]
    """
    estimator = JamesStein(toward, basis, positive_part=positive_part)
    values = np.asarray(release.values, float)
    sd, directions = gaussian_directions(release.noise)
    shrunk, factor = estimator.shrink_in(directions, values.ravel(), sd)
    dimension = values.size - estimator.lost(directions)
    return Estimate(
        values=shrunk.reshape(values.shape),
        description=(
            f"{estimator.describe(directions)}: distance times {float(factor):.4g} "
            f"(dimension {dimension}, noise sd {sd:.4g})"
        ),
        factor=float(factor),
        sd=sd,
        dimension=dimension,
    )
