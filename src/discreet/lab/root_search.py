"""Where a simulated power crosses its target: bisection on what exact binomial intervals decide."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from discreet.errors import InvalidInput, NotAvailable
from discreet.lab.binomial import clopper_pearson
from discreet.lab.chunks import Progress
from discreet.lab.designs.designs import Design
from discreet.lab.designs.draws import Method
from discreet.lab.designs.protection import Protection, protect
from discreet.lab.methods.methods import Discreet
from discreet.lab.power_formula import projected_power
from discreet.lab.table_study import CHUNK, Store, TableTask, pvalues_of
from discreet.privacy import GaussianDP, PureDP

MOST_CANDIDATES = 60  # looks at the power that the confidence is shared among; bisection needs about 15
_LEAST, _MOST = 1e-4, 64.0  # of epsilon and mu
_MOST_RECORDS = 10**9


@dataclass(frozen=True)
class Candidate:
    """One candidate: how many of how many tables were rejected there."""

    value: float
    rejected: int
    repetitions: int

    @property
    def power(self) -> float:
        return self.rejected / self.repetitions


@dataclass(frozen=True, eq=False)
class PowerSearch:
    """What is varied, and the power at one value of it, by simulation or by formula."""

    design: Design
    noise: Any
    vary: str
    method: Method
    level: float
    seed: int
    store: Store
    n_jobs: int | None

    def __post_init__(self) -> None:
        if not isinstance(self.design, Design):
            raise InvalidInput(f"a study needs a design, such as lab.independence_design(...), not {self.design!r}")
        if self.vary not in ("n", "epsilon", "mu"):
            raise InvalidInput(f"vary must be 'n', 'epsilon' or 'mu', not {self.vary!r}")
        if (self.vary == "n") != (self.noise is not None):
            raise InvalidInput("give a guarantee or a law of noise where n varies, and none where epsilon or mu do")

    @property
    def start(self) -> float:
        return float(self.design.n) if self.vary == "n" else 0.5

    @property
    def ends(self) -> tuple[float, float]:
        return (float(2 * len(self.design.sizes)), float(_MOST_RECORDS)) if self.vary == "n" else (_LEAST, _MOST)

    def rounded(self, value: float) -> float:
        return math.ceil(value) if self.vary == "n" else float(f"{value:.4g}")

    def at(self, value: float) -> tuple[Design, Protection]:
        if self.vary == "n":
            return self.design.with_n(round(value)), protect(self.noise)
        return self.design, protect(PureDP(value) if self.vary == "epsilon" else GaussianDP(value))

    @property
    def has_formula(self) -> bool:
        if not isinstance(self.method, Discreet) or (self.method.statistic, self.method.null) != ("projected", "auto"):
            return False
        try:
            self.formula(self.start)
        except NotAvailable:
            return False
        return True

    def formula(self, value: float) -> float:
        if not isinstance(self.method, Discreet) or self.method.statistic != "projected":
            raise NotAvailable(
                "the formula is for the projected statistic; leave formula out, or take statistic='projected'"
            )
        return projected_power(*self.at(value), self.level)

    def rejected(self, value: float, look: int, tables: int) -> int:
        """How many of further tables are rejected; each look draws new ones."""
        task = TableTask(*self.at(value), (self.method,), level=self.level)
        found = pvalues_of(task, tables, seed=self.seed, store=self.store, n_jobs=self.n_jobs, look=look)
        return int((found[self.method.name] <= self.level).sum())


class Finder:
    """The search in progress: all candidates so far, and what they decide."""

    def __init__(
        self,
        search: PowerSearch,
        target: float,
        confidence: float,
        repetitions: int,
        tolerance: float,
        progress: Progress | None,
    ) -> None:
        self.search, self.target, self.tolerance, self.progress = search, target, tolerance, progress
        self.candidates: list[Candidate] = []
        self.looks = max(1, math.ceil(math.log2(repetitions / CHUNK)) + 1)
        self.repetitions = repetitions
        self.each = 1.0 - (1.0 - confidence) / (MOST_CANDIDATES * self.looks)

    def side(self, value: float) -> int:
        """-1 or 1 where the power is below or above the target beyond doubt; 0 where that stays open."""
        rejected, done, look = 0, 0, 0
        while True:
            more = min(max(CHUNK, done), self.repetitions - done)
            rejected += self.search.rejected(value, look, more)
            done, look = done + more, look + 1
            low, high = clopper_pearson(rejected, done, self.each)
            if not low <= self.target <= high or done >= self.repetitions:
                break
        self.candidates.append(Candidate(value, rejected, done))
        if self.progress is not None:
            self.progress(len(self.candidates), MOST_CANDIDATES)
        return -1 if high < self.target else int(low > self.target)

    def bracket(self) -> tuple[float, float]:
        """Values on both sides of the target, as near to each other as tolerance and repetitions allow."""
        low, high, undecided = self._around()
        while not undecided and not self._close(low, high) and len(self.candidates) < MOST_CANDIDATES:
            middle = self._between(low, high)
            side = self.side(middle)
            if side == 0:
                undecided.append(middle)
            elif side < 0:
                low = middle
            else:
                high = middle
        if undecided:
            low, high = self._approach(low, undecided[0], -1), self._approach(high, undecided[0], 1)
        return low, high

    def _around(self) -> tuple[float, float, list[float]]:
        """A first bracket, by doubling and halving from the start; and a value within it that stayed undecided, if any."""
        least, most = self.search.ends
        value, undecided = min(max(self.search.start, least), most), list[float]()
        low = high = 0.0
        factor = 2.0
        while not (low and high):
            if len(self.candidates) >= MOST_CANDIDATES // 2:
                raise InvalidInput(f"no bracket of the target power was found in {len(self.candidates)} candidates")
            side = self.side(value)
            if side == 0 and not undecided:
                undecided.append(value)
            if side < 0 or (side == 0 and low):
                low = value if side < 0 else low
                if value >= most:
                    raise self._out_of_reach(f"at {self.search.vary} = {most:g}, the most that is tried")
                value = min(value * factor, most)
            elif side > 0:
                high = value
                if value <= least:
                    raise self._out_of_reach(f"already at {self.search.vary} = {least:g}, the least that is tried")
                value = max(value / factor, least)
            else:
                value = max(value / factor, least)
            if self.search.vary == "n":
                value = float(round(value))
        return low, high, undecided

    def _out_of_reach(self, where: str) -> InvalidInput:
        return InvalidInput(
            f"the power is {self.candidates[-1].power:.3f} {where}: the target {self.target:g} lies beyond; "
            "change the design or the target"
        )

    def _approach(self, end: float, open_value: float, side: int) -> float:
        """`end` moved towards a value of undecided power as long as the power stays decided."""
        while not self._close(*sorted((end, open_value))) and len(self.candidates) < MOST_CANDIDATES:
            middle = self._between(*sorted((end, open_value)))
            if self.side(middle) != side:
                break
            end = middle
        return end

    def _between(self, low: float, high: float) -> float:
        middle = math.sqrt(low * high)
        return float(round(middle)) if self.search.vary == "n" else middle

    def _close(self, low: float, high: float) -> bool:
        return high <= low * (1 + self.tolerance) or (self.search.vary == "n" and high - low <= 1)

    def crossing(self, low: float, high: float) -> float:
        """Where a line through the probits of the simulated powers, over the root of the value, crosses the target.

        Weighted least squares with binomial weights, on the candidates in or near the interval.
        """
        near = [c for c in self.candidates if 0.7 * low <= c.value <= 1.4 * high]  # far ones would tilt the line
        if len({c.value for c in near}) < 2:
            near = sorted(self.candidates, key=lambda c: abs(c.power - self.target))[:2]
        x = np.sqrt([c.value for c in near])
        m = np.array([c.repetitions for c in near], float)
        share = (np.array([c.rejected for c in near]) + 0.5) / (m + 1)
        z = special.ndtri(share)
        slope_of_cdf = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        weights = np.sqrt(m * slope_of_cdf**2 / (share * (1 - share)))
        intercept, slope = np.linalg.lstsq(np.stack([weights, weights * x], 1), weights * z, rcond=None)[0]
        if not slope > 0:
            return float(x[np.argmin(np.abs(share - self.target))] ** 2)
        return float(max(0.0, (special.ndtri(self.target) - intercept) / slope) ** 2)


def formula_root(power: Callable[[float], float], search: PowerSearch, target: float) -> float:
    """The smallest value with at least the target power, by bisection on its logarithm; records to the whole number."""
    low, high = search.ends
    if power(high) < target:
        raise InvalidInput(
            f"the power is {power(high):.3f} at {search.vary} = {high:g}, the most that is tried: the target {target:g} "
            "is out of reach"
        )
    if power(low) >= target:
        return search.rounded(low)
    while high - low > 1 if search.vary == "n" else high > low * (1 + 1e-10):
        middle = math.sqrt(low * high)
        if search.vary == "n":
            middle = float(min(max(round(middle), low + 1), high - 1))
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    return search.rounded(high)
