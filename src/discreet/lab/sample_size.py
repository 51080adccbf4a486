"""How many records, or how much epsilon or mu, a test needs for a target power.

Power is simulated, so its root is found stochastically: at each candidate tables are drawn until the exact binomial interval
of the power excludes the target, or the repetitions run out. A power above the target bounds the answer from above, one below
it from below, and the interval between shrinks by bisection. All intervals together hold with the stated confidence
(Bonferroni), so the answer lies in the interval with that confidence wherever power grows with what is varied. The estimate
in it is where a probit line through the simulated powers crosses the target. The projected statistic under Gaussian noise
has a formula for its power, whose root is found without simulation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from discreet.errors import InvalidInput
from discreet.lab.chunks import Progress
from discreet.lab.designs.designs import Design
from discreet.lab.methods.methods import find_method
from discreet.lab.root_search import Candidate, Finder, PowerSearch, formula_root
from discreet.lab.table_study import CHUNK, Store
from discreet.release.validation import probability_level, whole_number


@dataclass(frozen=True)
class SampleSize:
    """The number of records (or epsilon, or mu) that gives a test the target power; prints as a sentence.

    Attributes
    ----------
    value : int or float
        The estimate; records are rounded up.
    low, high : int or float
        Below `low` the power is less than the target and at `high` it is more, with `confidence`.
    vary : "n", "epsilon" or "mu"
    target, level, confidence : float
    how : str
        "simulation" or "noncentral formula" (then the interval is the value itself).
    candidates : tuple of Candidate
        What was simulated.
    """

    value: float
    low: float
    high: float
    vary: str
    target: float
    level: float
    confidence: float
    method: str
    how: str
    design: str
    candidates: tuple[Candidate, ...] = field(repr=False)

    @property
    def interval(self) -> tuple[float, float]:
        """(low, high)."""
        return self.low, self.high

    def __str__(self) -> str:
        show: Callable[[float], str] = (lambda x: f"{x:,.0f}") if self.vary == "n" else (lambda x: f"{x:.4g}")
        text = (
            f"{self.vary} = {show(self.value)} for a power of {self.target:g} at level {self.level:g} "
            f"({self.method}; {self.design})"
        )
        if self.how != "simulation":
            return f"{text}; by the {self.how}"
        tables = sum(candidate.repetitions for candidate in self.candidates)
        return (
            f"{text}; from {show(self.low)} to {show(self.high)} with {self.confidence:.0%} confidence, "
            f"by {tables:,} simulated tables"
        )


def sample_size(
    design: Design,
    noise: Any = None,
    *,
    target: float = 0.8,
    vary: str = "n",
    method: Any = "discreet",
    statistic: str = "chi2",
    level: float = 0.05,
    tolerance: float = 0.05,
    confidence: float = 0.99,
    repetitions: int = 8000,
    formula: bool | None = None,
    seed: int = 1,
    store: Store = None,
    progress: Progress | None = None,
    n_jobs: int | None = 1,
) -> SampleSize:
    """The n (or epsilon, or mu) that a test needs to detect the design's effect with the target power.

    Parameters
    ----------
    design : Design
        With an effect; its n is where the search starts (and what is held where epsilon or mu vary).
    noise : guarantee or law
        Where n varies; else left out.
    target : float
        The power wanted, above `level`.
    vary : "n", "epsilon" or "mu"
        What is sought: records, PureDP's epsilon (Laplace noise), or GaussianDP's mu (Gaussian noise).
    method, statistic, seed, store, n_jobs
        As in `power`, one method.
    level : float
        The nominal level of the test.
    tolerance : float
        Stop where `high` is at most 1 + tolerance times `low`.
    confidence : float
        With which the interval holds.
    repetitions : int
        Tables a candidate at most; with fewer the interval can stay wider than the tolerance.
    formula : bool, optional
        Whether to use the noncentral formula instead of simulation; by default where there is one.
    progress : callable, optional
        Told how many candidates are done, of the most there can be.

    Returns
    -------
    SampleSize

    Raises
    ------
    InvalidInput
        Where the target is out of reach, with the power at the end of the search.

    Examples
    --------
    >>> from discreet import GaussianDP, lab
    >>> design = lab.independence_design([0.5, 0.5], [0.5, 0.5], 1000, effect=0.1)
    >>> print(lab.sample_size(design, GaussianDP(0.5), statistic="projected"))  # doctest: +ELLIPSIS
    n = 816 for a power of 0.8 at level 0.05 (discreet, projected; independence 2 x 2, ...); by the noncentral formula
    """
    search = PowerSearch(
        design, noise, vary, find_method(method, statistic), probability_level(level), seed, store, n_jobs
    )
    target, confidence = probability_level(target), probability_level(confidence)
    if whole_number("repetitions", repetitions) < CHUNK:
        raise InvalidInput(f"repetitions must be at least {CHUNK}, not {repetitions}")
    if not isinstance(tolerance, int | float) or not 0 < tolerance < 10:
        raise InvalidInput(f"tolerance must be a number between 0 and 10, not {tolerance!r}")
    if target <= level:
        raise InvalidInput(f"the target power {target:g} must be above the level {level:g}")
    if design.is_null:
        raise InvalidInput("the design has no effect to detect; give it one, e.g. design.with_effect(0.1)")
    about = (vary, target, level, confidence, search.method.name)
    words = f"{design.test_name} {' x '.join(map(str, design.shape))}, {design.effect_name} {design.effect:.4g}" + (
        "" if vary == "n" else f", n = {design.n:,}"
    )
    if formula is None:
        formula = search.has_formula
    if formula:
        value = formula_root(search.formula, search, target)
        return SampleSize(value, value, value, *about, "noncentral formula", words, ())
    finder = Finder(search, target, confidence, repetitions, tolerance, progress)
    low, high = finder.bracket()
    estimate = min(max(search.rounded(finder.crossing(low, high)), low), high)
    return SampleSize(estimate, low, high, *about, "simulation", words, tuple(finder.candidates))
