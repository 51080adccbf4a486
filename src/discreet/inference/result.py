"""The result of a test: scipy's field names, how the null was computed and how precisely, and what to beware of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.display import draw
from discreet.inference.effect import Effect
from discreet.inference.law import LimitLaw
from discreet.inference.mahalanobis import Distance
from discreet.inference.null.conditional import conditional_tail, scaled_noise
from discreet.inference.null.problem import NullCurve
from discreet.release.frames import to_frame

Floats = NDArray[np.float64]
EffectSize = Effect | Distance


class Basis(Protocol):
    """What an effect size is computed from."""

    def effect(self, level: float = 0.95) -> EffectSize: ...


@dataclass(frozen=True, eq=False)
class TestResult:
    """The result of a test on noisy numbers; prints as a readable summary.

    Attributes
    ----------
    statistic : float
        The value of the statistic on the noisy table or means.
    pvalue : float
        P(statistic at least this large) under the null with the noise taken into account.
    pvalue_error : float
        Numerical or Monte-Carlo standard error of `pvalue` as an evaluation of the stated null law.
    df : int
        Degrees of freedom of the statistic without noise.
    test, statistic_name, null : str
        Which test, which statistic, and by which method its null distribution was computed.
    n : float
        The number of records that the test counts with: the public n, or the sum of the noisy declared cells.
    n_is_public : bool
        Which of the two `n` is.
    naive_pvalue : float
        What the classical chi-squared law would claim by ignoring the noise. For comparison only: it is not valid.
    warnings : tuple of str
        Where the approximation is poor; computed from released numbers only.
    effect : Effect or Distance
        De-biased effect size with a 95 % interval.
    """

    __test__ = False  # not a test class, whatever pytest makes of the name

    test: str
    statistic_name: str
    statistic: float
    df: int
    pvalue: float
    pvalue_error: float
    null: str
    n: float
    n_is_public: bool
    naive_pvalue: float
    warnings: tuple[str, ...]
    law: LimitLaw | None = field(repr=False)
    basis: Basis = field(repr=False)
    curve: NullCurve | Callable[[], NullCurve] | None = field(default=None, repr=False)

    @cached_property
    def effect(self) -> EffectSize:
        """De-biased effect size with a 95 % interval; `effect_at(level)` for another level."""
        return self.basis.effect()

    def effect_at(self, level: float) -> EffectSize:
        """The effect size with its interval at `level`."""
        return self.basis.effect(level)

    @cached_property
    def null_curve(self) -> NullCurve:
        """The null density under the noise, from 0 to beyond the statistic; that of the simulated statistics, if any."""
        if self.curve is not None:
            return self.curve() if callable(self.curve) else self.curve
        assert self.law is not None, "a result without a limit law has a curve"
        w = np.concatenate([c.reshape(-1, c.shape[-1]) for c in scaled_noise(self.law, 512, np.random.default_rng(0))])
        end = 1.25 * max(self.statistic, 2.5 * self.law.mean)
        edges = np.linspace(0.0, end, 161)
        tails = np.array([conditional_tail(self.law, t, w).mean() for t in edges])
        return NullCurve((edges[1:] + edges[:-1]) / 2, -np.diff(tails) / np.diff(edges))

    def summary(self) -> str:
        """The result in a few lines of text."""
        n = f"n = {self.n:,.0f}" if self.n_is_public else f"estimated n = {self.n:,.0f}"
        lines = [
            f"{self.test} ({self.statistic_name}, {n})",
            f"  statistic {self.statistic:.4g}, df {self.df}, p-value {_chance(self.pvalue)} "
            f"(standard error {_small(self.pvalue_error)})",
            f"  effect    {self.effect}",
            f"  null      {self.null}",
            f"  ignoring the noise one would have claimed p = {_chance(self.naive_pvalue)} (not valid)",
        ]
        return "\n".join(lines + [f"  warning   {text}" for text in self.warnings])

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "test": self.test,
            "statistic_name": self.statistic_name,
            "statistic": self.statistic,
            "df": self.df,
            "pvalue": self.pvalue,
            "pvalue_error": self.pvalue_error,
            "null": self.null,
            "n": self.n,
            "n_is_public": self.n_is_public,
            "naive_pvalue": self.naive_pvalue,
            "effect_name": self.effect.name,
            "effect": self.effect.value,
            "effect_low": self.effect.low,
            "effect_high": self.effect.high,
            "effect_level": self.effect.level,
            "warnings": list(self.warnings),
        }

    def to_frame(self, backend: str = "polars") -> Any:
        """One row with the fields of the result, as a frame of `backend` ("polars", "pandas" or "pyarrow")."""
        data = self.to_dict()
        data["warnings"] = "; ".join(self.warnings)
        return to_frame({key: [value] for key, value in data.items()}, backend)

    def plot(self, **options: Any) -> Any:
        """The null density with the tail shaded, as a matplotlib figure (needs `discreet[plot]`)."""
        return draw("plot", self, **options)

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return str(draw("html", self))


def _small(p: float) -> str:
    return f"{p:.4f}" if p >= 0.001 or p == 0 else f"{p:.2e}"


def _chance(p: float) -> str:
    """A p-value; one that is too small for a float is said to be so, not to be 0."""
    return _small(p) if p > 0 else "below 1e-300"
