"""What every method of a study is given: simulated tables, true and noisy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from discreet.lab.designs.designs import Design, Noises
from discreet.lab.designs.protection import Protection

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Draws:
    """Simulated tables of one design: true `counts` and the `noisy` ones, both of shape (m, ...).

    `level` is what p-values are compared with; None where all of them are of interest, those in the far tail as well.
    """

    design: Design
    protection: Protection
    counts: Floats
    noisy: Floats
    noises: Noises
    level: float | None


@runtime_checkable
class Method(Protocol):
    """What `methods=` takes besides names and functions."""

    @property
    def name(self) -> str: ...
    def pvalues(self, draws: Draws, rng: np.random.Generator) -> Floats: ...


def labelled(name: str, statistic: str) -> str:
    """The name of a method with its statistic, unless that is Pearson's."""
    return name if statistic == "chi2" else f"{name}, {statistic}"
