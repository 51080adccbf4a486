"""What privacy costs a frequency table: the expected squared error of every mechanism under mu-GDP, before any release.

The comparison of Kim, Lee, Kwak and Jung (2022, section 5). For a table T of p cells and n records, sigma = sqrt(2)/mu:

    gaussian          T + N(0, sigma^2 I)                                            p sigma^2
    rank-deficient    the same, projected on the known total                         (p - 1) sigma^2
    JS0, JS           gaussian, shrunk toward zero / toward the average              equations 14 and 15
    rJS, rJSz         rank-deficient, shrunk in the Helmert basis / basis-free       proposition B.1; equation 15 - sigma^2
    laplace           Laplace noise at the smallest scale for tables, b_min(mu)      2 p b^2
    laplace-l1        Laplace noise calibrated by the L1 sensitivity alone           2 p b^2

The loss of a shrunk table depends on T. *Conditional* is the loss at the expected table, T = n theta; *unconditional* the
average over T ~ Multinomial(n, theta), by simulation of T only: given T every loss is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.estimate import JamesStein
from discreet.estimate.expected_loss import shrunken_loss
from discreet.noise import calibrate
from discreet.privacy import GaussianDP
from discreet.release.frames import to_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

SHRUNKEN: Mapping[str, tuple[JamesStein, int]] = MappingProxyType(
    {
        "JS0": (JamesStein("zero"), 3),
        "JS": (JamesStein("average"), 4),
        "rJS": (JamesStein("average", basis="helmert", rank_deficient=True), 5),
        "rJSz": (JamesStein("average", rank_deficient=True), 4),
    }
)
"""The estimators, and the least number of cells that each needs."""

MECHANISMS = ("gaussian", "rank-deficient", *SHRUNKEN, "laplace", "laplace-l1")

_CHUNK = 1 << 20  # numbers held at once: 8 MB


@dataclass(frozen=True)
class CostRow:
    """One mechanism at one setting: E||released - T||^2, its simulation error (0 where exact), and its ratio to "gaussian".

    All three are NaN where the table has too few cells for the estimator.
    """

    p: int
    n: int
    mu: float
    mechanism: str
    loss: float
    error: float
    relative: float


@dataclass(frozen=True)
class CostStudy:
    """Expected losses over settings; prints as a table of them.

    Attributes
    ----------
    rows : tuple of CostRow
        In the order p, n, mu, mechanism.
    cell_probabilities : str
        In words.
    conditional : bool
        Whether the losses are those at the expected table rather than averages over multinomial tables.
    """

    rows: tuple[CostRow, ...]
    cell_probabilities: str
    conditional: bool

    @property
    def settings(self) -> tuple[tuple[int, int], ...]:
        """The pairs (p, n), in order."""
        return tuple(dict.fromkeys((row.p, row.n) for row in self.rows))

    def loss(self, mechanism: str, *, mu: float, p: int | None = None, n: int | None = None) -> float:
        """The expected loss of one mechanism at one setting; p and n may be left out where there is only one."""
        p, n = self._setting(p, n)
        for row in self.rows:
            if (row.p, row.n, row.mu, row.mechanism) == (p, n, mu, mechanism):
                return row.loss
        raise InvalidInput(
            f"the study has no mechanism {mechanism!r} at mu = {mu}; mechanisms: {', '.join(MECHANISMS)}"
        )

    def curve(self, mechanism: str, p: int, n: int) -> tuple[list[float], list[float]]:
        """mu and the relative loss of one mechanism at one setting, without the undefined ones."""
        kept = [
            row for row in self.rows if (row.p, row.n, row.mechanism) == (p, n, mechanism) and not math.isnan(row.loss)
        ]
        kept.sort(key=lambda row: row.mu)
        return [row.mu for row in kept], [row.relative for row in kept]

    def to_frame(self, backend: str = "polars") -> Any:
        """One row a mechanism and setting, as a frame of `backend` ("polars", "pandas" or "pyarrow")."""
        names = CostRow.__dataclass_fields__
        return to_frame({name: [getattr(row, name) for row in self.rows] for name in names}, backend)

    def plot(self, *, p: int | None = None, n: int | None = None) -> Figure:
        """The losses over mu at one setting, relative to plain Gaussian noise (needs `discreet[plot]`)."""
        from discreet.view.cost_plot import cost_plot

        p, n = self._setting(p, n)
        subtitle = f"{p} cells, {self.cell_probabilities}; {n:,} records; " + (
            "at the expected table" if self.conditional else "averaged over multinomial tables"
        )
        return cost_plot({name: self.curve(name, p, n) for name in MECHANISMS}, subtitle)

    def _setting(self, p: int | None, n: int | None) -> tuple[int, int]:
        found = [s for s in self.settings if p in (None, s[0]) and n in (None, s[1])]
        if len(found) != 1:
            every = ", ".join(f"p={a} n={b}" for a, b in self.settings)
            raise InvalidInput(f"say which setting is meant by p= and n=; the study has {every}")
        return found[0]

    def __repr__(self) -> str:
        how = "at the expected table" if self.conditional else "averaged over multinomial tables"
        lines = [f"Expected squared error of a table under mu-GDP, {self.cell_probabilities}, {how}"]
        lines.append(f"{'p':>6} {'n':>9} {'mu':>7}" + "".join(f"{name:>{_width(name)}}" for name in MECHANISMS))
        for start in range(0, len(self.rows), len(MECHANISMS)):
            rows = self.rows[start : start + len(MECHANISMS)]
            losses = "".join(f"{_short(row.loss):>{_width(row.mechanism)}}" for row in rows)
            lines.append(f"{rows[0].p:>6} {rows[0].n:>9} {rows[0].mu:>7.4g}{losses}")
        return "\n".join(lines)


def cost(
    mus: float | Sequence[float],
    p: int | Sequence[int],
    n: int | Sequence[int],
    theta: ArrayLike | Literal["uniform", "linear"] | None = None,
    *,
    conditional: bool = False,
    draws: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> CostStudy:
    """The expected L2 loss of all mechanisms for tables, over mu, the number of cells and the number of records.

    Parameters
    ----------
    mus : number or sequence
        Privacy levels of Gaussian differential privacy.
    p : int or sequence
        Numbers of cells, at least 2.
    n : int or sequence
        Numbers of records.
    theta : None, "uniform", "linear" or array
        Cell probabilities: equal (the default), proportional to 1, 2, ..., p, or given (then p is their number).
    conditional : bool
        The loss at the expected table n theta, instead of its average over multinomial tables.
    draws : int
        Multinomial tables to average over.
    rng : numpy Generator or int, optional
        For these tables.

    Returns
    -------
    CostStudy
        With `.to_frame()` and `.plot()`.

    Examples
    --------
    >>> from discreet import lab
    >>> study = lab.cost([0.1, 1], p=10, n=1000, rng=1)
    >>> study.loss("gaussian", mu=1) > study.loss("rank-deficient", mu=1) > study.loss("rJS", mu=1)
    True
    """
    levels = [float(GaussianDP(mu).mu) for mu in _each(mus)]
    sizes, records = [_whole("p", k, 2) for k in _each(p)], [_whole("n", k, 1) for k in _each(n)]
    draws = _whole("draws", draws, 2)
    if not (levels and sizes and records):
        raise InvalidInput("give at least one mu, one p and one n")
    generator = np.random.default_rng(rng)
    rows: list[CostRow] = []
    for cells in sizes:
        probabilities = _probabilities(theta, cells)
        for size in records:
            tables = (
                size * probabilities[None, :]
                if conditional
                else generator.multinomial(size, probabilities, draws).astype(float)
            )
            for mu in levels:
                rows += _rows(tables, size, mu)
    return CostStudy(tuple(rows), _in_words(theta), conditional)


def _rows(tables: Floats, n: int, mu: float) -> list[CostRow]:
    """All mechanisms at one setting, averaged over the tables."""
    p, guarantee = tables.shape[1], GaussianDP(mu)
    sd = calibrate.gaussian(guarantee, l2_squared=2)
    losses = {"gaussian": (p * sd**2, 0.0), "rank-deficient": ((p - 1) * sd**2, 0.0)}
    for name, (estimator, least) in SHRUNKEN.items():
        losses[name] = (math.nan, math.nan) if p < least else _mean_loss(tables, sd, estimator)
    losses["laplace"] = 2 * p * calibrate.laplace_table(guarantee) ** 2, 0.0
    losses["laplace-l1"] = 2 * p * calibrate.laplace(guarantee, l1=2) ** 2, 0.0
    return [CostRow(p, n, mu, name, loss, error, loss / (p * sd**2)) for name, (loss, error) in losses.items()]


def _mean_loss(tables: Floats, sd: float, estimator: JamesStein) -> tuple[float, float]:
    """The mean over the tables, and its standard error (0 for a single table)."""
    step = max(1, _CHUNK // tables.shape[1])
    parts = [shrunken_loss(tables[i : i + step] / sd, estimator) for i in range(0, len(tables), step)]
    losses = np.concatenate(parts) * sd**2
    error = float(losses.std(ddof=1)) / math.sqrt(losses.size) if losses.size > 1 else 0.0
    return float(losses.mean()), error


def _probabilities(theta: ArrayLike | str | None, p: int) -> Floats:
    if theta is None or isinstance(theta, str):
        if theta not in (None, "uniform", "linear"):
            raise InvalidInput(f"theta must be 'uniform', 'linear' or an array of probabilities, not {theta!r}")
        weights = np.arange(1.0, p + 1.0) if theta == "linear" else np.ones(p)
        return np.asarray(weights / weights.sum())
    try:
        given = np.asarray(theta, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput("theta must be 'uniform', 'linear' or an array of probabilities") from None
    if given.shape != (p,):
        raise InvalidInput(f"theta has shape {given.shape}, but p = {p}: give one probability a cell")
    if not np.isfinite(given).all() or (given < 0).any() or abs(given.sum() - 1.0) > 1e-8:
        raise InvalidInput(f"theta must be probabilities >= 0 that sum to 1; these sum to {given.sum():.10g}")
    return np.asarray(given / given.sum())


def _in_words(theta: ArrayLike | str | None) -> str:
    if theta is None or isinstance(theta, str):
        return "probabilities proportional to 1, 2, ..., p" if theta == "linear" else "equal probabilities"
    return "given probabilities"


def _short(loss: float) -> str:
    return "-" if math.isnan(loss) else f"{loss:.4g}"


def _width(name: str) -> int:
    return max(len(name), 9) + 2


def _each(values: Any) -> list[Any]:
    return list(values) if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) else [values]


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidInput(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)
