"""What a study compares: ways from simulated tables to p-values, ours and others'.

    Discreet        our tests of the noisy table
    Naive           the classical chi-squared law of the noisy table's statistic, as if there were no noise
    OutputNoise     the statistic of the true table plus noise of its own sensitivity, and a null law that knows that noise
    NonPrivate      the classical test of the true table: the ceiling
    Own             a function of the user's

Each has a name and `pvalues(draws, rng)`, which returns one p-value a table and NaN where the method does not apply to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discreet.errors import InvalidInput
from discreet.inference import MonteCarlo
from discreet.inference.assemble import LARGEST_STATISTIC
from discreet.inference.null.problem import NullMethod
from discreet.inference.statistic.cellwise import STATISTICS
from discreet.inference.statistic.rules import find_rule
from discreet.lab.designs.designs import Design
from discreet.lab.designs.draws import Draws, Method, labelled
from discreet.lab.methods.output_noise import OutputNoise
from discreet.lab.methods.own_method import Own
from discreet.lab.methods.table_tests import REFERENCES, table_pvalues

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Discreet:
    """Our test of the noisy table, with any statistic and null method of `independence`."""

    statistic: str = "chi2"
    null: str | NullMethod = "auto"
    label: str = ""

    @property
    def name(self) -> str:
        return self.label or labelled("discreet", self.statistic)

    def pvalues(self, draws: Draws, rng: np.random.Generator) -> Floats:
        return table_pvalues(draws.design, draws.noisy, draws.noises, self.statistic, self.null, rng, level=draws.level)


@dataclass(frozen=True)
class Naive:
    """The noisy table put into the classical test, as Johnson and Shmatikov (2013) do; "lr" is the likelihood ratio."""

    statistic: str = "chi2"
    label: str = ""

    @property
    def name(self) -> str:
        return self.label or labelled("naive", self.statistic)

    def pvalues(self, draws: Draws, rng: np.random.Generator) -> Floats:
        return _classical(draws.design, draws.noisy, self.statistic)


@dataclass(frozen=True)
class NonPrivate:
    """The classical test of the true table: what power could be without privacy."""

    statistic: str = "chi2"
    label: str = ""

    @property
    def name(self) -> str:
        return self.label or labelled("no privacy", self.statistic)

    def pvalues(self, draws: Draws, rng: np.random.Generator) -> Floats:
        return _classical(draws.design, draws.counts, self.statistic)


NAMES = ("discreet", "naive", "monte-carlo", "output", "no privacy")


def find_method(given: str | Method | Callable[..., Any], statistic: str) -> Method:
    """The method of that name, with that statistic; the object itself; or a function wrapped."""
    if isinstance(given, str):
        cellwise = statistic if statistic in STATISTICS else "chi2"  # what is a sum over the cells of any table
        known: dict[str, Callable[[], Method]] = {
            "discreet": lambda: Discreet(statistic),
            "naive": lambda: Naive(cellwise),
            "monte-carlo": lambda: Discreet(
                statistic, MonteCarlo(points=REFERENCES), labelled("monte-carlo", statistic)
            ),
            "output": lambda: OutputNoise(cellwise),
            "no privacy": lambda: NonPrivate(cellwise),
        }
        if given not in known:
            raise InvalidInput(
                f"a method is one of {', '.join(map(repr, NAMES))}, an object or a function, not {given!r}"
            )
        return known[given]()
    if isinstance(given, Method):
        return given
    if not callable(given):
        raise InvalidInput(f"a method is one of {', '.join(map(repr, NAMES))}, an object or a function, not {given!r}")
    own = Own(given)
    own.check()
    return own


def find_methods(given: Any, statistic: str) -> tuple[Method, ...]:
    """All methods of a study; one or more, with different names."""
    find_rule(statistic)
    each = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    methods = tuple(find_method(one, statistic) for one in each)
    names = [method.name for method in methods]
    if not methods or len(set(names)) < len(names):
        raise InvalidInput(f"give one or more methods with different names, not {names}; label= tells them apart")
    return methods


def _classical(design: Design, tables: Floats, statistic: str) -> Floats:
    """P(chi2_df >= statistic), NaN where a margin is not above 0."""
    values = design.statistics(tables, find_rule(statistic).cellwise)
    usable = values < LARGEST_STATISTIC
    pvalues = np.full(len(values), np.nan)
    pvalues[usable] = special.chdtrc(design.df, values[usable])
    return pvalues
