"""What a study simulates: tables from given cell probabilities, the test they are meant for, and how far off its null they are.

A design knows the null that is nearest to its cell probabilities, and the direction from it to them; so one design serves for a
whole curve over the effect or the number of records. Its effect is phi / sqrt(largest phi^2) of the expected table,

    phi^2 = sum (theta - null)^2 / null,

which is Cramer's V for independence and homogeneity, and Cohen's w (without the division) for goodness of fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import InvalidInput
from discreet.inference import TestResult, goodness_of_fit, homogeneity, independence
from discreet.inference.null.problem import NullMethod, Seed
from discreet.inference.statistic.cellwise import Statistic
from discreet.inference.statistic.refit import fitted_to_given, fitted_to_margins, fitted_to_sizes
from discreet.noise import JointNoise
from discreet.release.validation import whole_number

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Noises = tuple[JointNoise, ...]

NULL = 1e-9  # an effect below this is rounding
MOST_RECORDS = 2**53


class CellNoise(Protocol):
    """A law of per-cell noise, such as `discreet.noise.Laplace(4.0)`."""

    def on(self, shape: tuple[int, ...]) -> JointNoise: ...


@dataclass(frozen=True, eq=False)
class Design:
    """Base of the three designs: cell probabilities, those of the nearest null, and the public sizes of the samples.

    Attributes
    ----------
    theta, null : array
        Of one shape. For homogeneity each row is one sample and sums to 1; else the whole sums to 1.
    sizes : tuple of int
        The number of records; for homogeneity that of each sample.
    direction : array
        What is added to `null` for an effect of 1; an effect of `theta` itself gives `theta`.
    """

    theta: Floats
    null: Floats
    sizes: tuple[int, ...]
    direction: Floats

    test_name = ""
    effect_name = "Cramer's V"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one table."""
        return self.theta.shape

    @property
    def n(self) -> int:
        """The number of records in all."""
        return sum(self.sizes)

    @property
    def df(self) -> int:
        """The degrees of freedom of the test."""
        raise NotImplementedError

    @property
    def weights(self) -> Floats:
        """The share of each sample, so that `weights * theta` sums to 1."""
        return np.ones(1)

    @property
    def largest_phi2(self) -> float:
        """By what phi^2 is divided in the effect."""
        return float(min(self.shape) - 1)

    @cached_property
    def effect(self) -> float:
        """Cramer's V or Cohen's w of the expected table; 0 under the null."""
        return effect_size(self.theta - self.null, self.null, self.weights, self.largest_phi2)

    @property
    def is_null(self) -> bool:
        """Whether the null hypothesis holds."""
        return self.effect < NULL

    def with_effect(self, effect: float) -> Self:
        """The same null, with an effect of this size in the design's direction; refused where it leaves the simplex."""
        if isinstance(effect, bool) or not isinstance(effect, int | float | np.floating) or not math.isfinite(effect):
            raise InvalidInput(f"an effect must be a finite number, not {effect!r}")
        theta = self.null + float(effect) * self.direction
        _check_cells(theta, f"an effect of {effect:g} ({self.effect_name})")
        return replace(self, theta=theta)

    def with_n(self, n: int) -> Self:
        """The same probabilities with n records in all (samples in proportion, each of at least one record)."""
        n = record_count(n)
        ends = [round(n * share) for share in np.cumsum(np.array(self.sizes) / self.n)]
        sizes = tuple(int(k) for k in np.diff([0, *ends]))
        if min(sizes) < 1:
            raise InvalidInput(f"n = {n} records leave one of the {len(sizes)} samples empty")
        return replace(self, sizes=sizes)

    def draw(self, rng: np.random.Generator, count: int) -> Counts:
        """`count` tables of true counts, of shape (count, *shape)."""
        return rng.multinomial(self.sizes[0], self.theta.ravel(), count).reshape(count, *self.shape)

    def noises(self, law: CellNoise) -> Noises:
        """The joint law of the noise in one table, or in each sample: what a release of a complete table has."""
        return (law.on(self.shape),)

    def noise(self, rng: np.random.Generator, noises: Noises, count: int) -> Floats:
        """`count` noise tables, of shape (count, *shape)."""
        return np.stack([noise.sample(count, rng) for noise in noises], 1).reshape(count, *self.shape)

    def statistics(self, tables: ArrayLike, cellwise: Statistic) -> Floats:
        """The statistic of each table, noisy or not; infinite where no expected counts can be formed."""
        raise NotImplementedError

    def test(self, cells: Floats, noises: Noises, *, statistic: str, null: str | NullMethod, rng: Seed) -> TestResult:
        """The test of one noisy table."""
        raise NotImplementedError

    def configuration(self) -> dict[str, Any]:
        """All that decides what is drawn, as plain data."""
        return {"test": self.test_name, "sizes": list(self.sizes), "theta": self.theta.tolist()}

    def __str__(self) -> str:
        n = " + ".join(f"{size:,}" for size in self.sizes)
        effect = "the null" if self.is_null else f"{self.effect_name} {self.effect:.4g}"
        return f"{self.test_name} {' x '.join(map(str, self.shape))}, n = {n}, {effect}"


class IndependenceDesign(Design):
    """One two-way table of n records; the null is the product of its margins. Made by `independence_design`."""

    test_name = "independence"

    @property
    def df(self) -> int:
        return (self.shape[0] - 1) * (self.shape[1] - 1)

    def statistics(self, tables: ArrayLike, cellwise: Statistic) -> Floats:
        return fitted_to_margins(cellwise, self.shape[0])(_flat(tables))

    def test(self, cells: Floats, noises: Noises, *, statistic: str, null: str | NullMethod, rng: Seed) -> TestResult:
        return independence(cells, statistic=statistic, null=null, noise=noises[0], n=self.n, rng=rng)


class FitDesign(Design):
    """One table of n records, tested against given probabilities. Made by `fit_design`."""

    test_name = "goodness of fit"
    effect_name = "Cohen's w"

    @property
    def df(self) -> int:
        return self.theta.size - 1

    @property
    def largest_phi2(self) -> float:
        return 1.0

    def statistics(self, tables: ArrayLike, cellwise: Statistic) -> Floats:
        return fitted_to_given(cellwise, self.null.ravel(), float(self.n))(_flat(tables))

    def test(self, cells: Floats, noises: Noises, *, statistic: str, null: str | NullMethod, rng: Seed) -> TestResult:
        return goodness_of_fit(cells, self.null, statistic=statistic, null=null, noise=noises[0], n=self.n, rng=rng)

    def configuration(self) -> dict[str, Any]:
        return {**super().configuration(), "tested": self.null.tolist()}


class HomogeneityDesign(Design):
    """Several samples of public sizes, each released by itself; the null is their pooled law. Made by `homogeneity_design`."""

    test_name = "homogeneity"

    @property
    def df(self) -> int:
        return (self.shape[0] - 1) * (self.shape[1] - 1)

    @property
    def weights(self) -> Floats:
        return np.array(self.sizes, float)[:, None] / self.n

    def with_n(self, n: int) -> Self:
        # Rounded sizes have a pooled law and an effect of their own; what is asked for is the effect.
        resized, weights = super().with_n(n), super().with_n(n).weights
        direction = self.direction - (weights * self.direction).sum(0)
        direction = direction / effect_size(direction, self.null, weights, self.largest_phi2)
        return replace(resized, direction=direction).with_effect(self.effect)

    def draw(self, rng: np.random.Generator, count: int) -> Counts:
        samples = [rng.multinomial(size, row, count) for size, row in zip(self.sizes, self.theta, strict=True)]
        return np.stack(samples, 1)

    def noises(self, law: CellNoise) -> Noises:
        return tuple(law.on(self.shape[1:]) for _ in self.sizes)

    def statistics(self, tables: ArrayLike, cellwise: Statistic) -> Floats:
        return fitted_to_sizes(cellwise, np.array(self.sizes, float))(_flat(tables))

    def test(self, cells: Floats, noises: Noises, *, statistic: str, null: str | NullMethod, rng: Seed) -> TestResult:
        return homogeneity(
            *cells, statistic=statistic, null=null, noise=list(noises), n=[float(k) for k in self.sizes], rng=rng
        )


def effect_size(change: Floats, null: Floats, weights: Floats, largest_phi2: float) -> float:
    """phi / sqrt(largest phi^2) of what `change` adds to `null`."""
    phi2 = float((weights * change**2 / null).sum())
    return math.sqrt(phi2 / largest_phi2)


def _flat(tables: ArrayLike) -> Floats:
    array = np.asarray(tables, float)
    return array.reshape(len(array), -1)


def _check_cells(theta: Floats, what: str) -> None:
    worst = np.unravel_index(int(theta.argmin()), theta.shape)
    low, high = float(theta.min()), float(theta.max())
    if low < 0 or high > 1:
        if low >= 0:
            worst = np.unravel_index(int(theta.argmax()), theta.shape)
        cell = ", ".join(str(int(k)) for k in worst)
        raise InvalidInput(f"{what} leaves the simplex: cell ({cell}) would have probability {float(theta[worst]):.4g}")


def record_count(value: Any) -> int:
    """A number of records that is allowed."""
    n = whole_number("a number of records", value)
    if not 1 <= n <= MOST_RECORDS:
        raise InvalidInput(f"a number of records must lie in 1 ... 2^53, not {n}")
    return n
