"""A function of the user's on the same bench as the methods of this package."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput, NotApplicable
from discreet.lab.designs.designs import HomogeneityDesign
from discreet.lab.designs.draws import Draws

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Own:
    """A function of the user's: `function(cells, noise, n, rng)` of one noisy table, or `function(tables)` of all of them.

    `noise` is the joint law and n the number of records; for homogeneity both are tuples, one for each sample. The function
    returns a p-value, or raises `NotApplicable` where it has none; `function(tables)` returns one p-value a table.
    """

    function: Callable[..., Any]
    label: str = ""

    @property
    def name(self) -> str:
        return self.label or str(getattr(self.function, "__name__", type(self.function).__name__))

    @cached_property
    def _parameters(self) -> int:
        try:
            found = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            raise InvalidInput(f"the parameters of method {self.name!r} cannot be found out") from None
        needed = sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in found)
        if needed not in (1, 4):
            raise InvalidInput(
                f"a method is a function (cells, noise, n, rng) of one table or (tables) of many; {self.name!r} has {needed} "
                "parameters that must be given"
            )
        return needed

    def check(self) -> None:
        """Refuse a function with other parameters before anything is simulated."""
        _ = self._parameters

    def pvalues(self, draws: Draws, rng: np.random.Generator) -> Floats:
        if self._parameters == 1:
            return self._checked(np.asarray(self.function(draws.noisy), float), len(draws.noisy))
        sizes = draws.design.sizes
        many = isinstance(draws.design, HomogeneityDesign)
        noise, n = (draws.noises, sizes) if many else (draws.noises[0], sizes[0])
        found, refused = np.empty(len(draws.noisy)), np.zeros(len(draws.noisy), bool)
        for k, cells in enumerate(draws.noisy):
            try:
                found[k] = float(self.function(cells, noise, n, rng))
            except NotApplicable:
                found[k], refused[k] = 1.0, True
        checked = self._checked(found, len(found))
        checked[refused] = np.nan
        return checked

    def _checked(self, pvalues: Floats, tables: int) -> Floats:
        if pvalues.shape != (tables,):
            raise InvalidInput(f"method {self.name!r} returned an array of shape {pvalues.shape} for {tables} tables")
        wrong = ~((pvalues >= 0) & (pvalues <= 1))
        if wrong.any():
            first = int(np.argmax(wrong))
            raise InvalidInput(
                f"method {self.name!r} returned {pvalues[first]:g} as the p-value of simulated table {first}"
            )
        return np.array(pvalues)
