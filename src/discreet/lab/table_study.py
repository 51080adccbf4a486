"""One chunk of a study on tables: draw true tables, add the noise, and put them to every method."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InvalidInput
from discreet.lab.chunks import Progress, simulate
from discreet.lab.designs.designs import Design
from discreet.lab.designs.draws import Draws, Method
from discreet.lab.designs.protection import Protection
from discreet.lab.methods.own_method import Own

Floats = NDArray[np.float64]
Store = str | os.PathLike[str] | None

CHUNK = 500


@dataclass(frozen=True, eq=False)
class TableTask:
    """What `simulate` repeats: the p-values of each method, a column a method in the order given (NaN: not applicable)."""

    design: Design
    protection: Protection
    methods: tuple[Method, ...]
    level: float | None

    def __call__(self, rng: np.random.Generator, count: int) -> dict[str, Floats]:
        noises = self.design.noises(self.protection.law)
        counts = self.design.draw(rng, count).astype(float)
        noisy = counts + self.design.noise(rng, noises, count)
        draws = Draws(self.design, self.protection, counts, noisy, noises, self.level)
        # Each method has a generator of its own, so that its numbers do not depend on which others are compared.
        seed = int(rng.integers(2**63))
        return {str(k): self._run(method, draws, seed) for k, method in enumerate(self.methods)}

    def _run(self, method: Method, draws: Draws, seed: int) -> Floats:
        return np.asarray(method.pvalues(draws, np.random.default_rng([seed, *method.name.encode()])), float)

    def configuration(self) -> dict[str, Any]:
        """All that decides the p-values; functions and objects of the user's own count by their names."""
        return {
            **self.design.configuration(),
            "noise": repr(self.protection.law),
            "guarantee": str(self.protection.stated),
            "methods": [method.name if isinstance(method, Own) else repr(method) for method in self.methods],
            "level": self.level,
        }


def pvalues_of(
    task: TableTask,
    repetitions: int,
    *,
    seed: int,
    store: Store = None,
    progress: Progress | None = None,
    n_jobs: int | None = 1,
    **more: Any,
) -> dict[str, Floats]:
    """The p-values of each method by its name, in the order of the repetitions; `more` goes into the configuration."""
    columns = simulate(
        task,
        repetitions,
        configuration={**task.configuration(), **more},
        seed=seed,
        chunk=CHUNK,
        store=store,
        progress=progress,
        n_jobs=n_jobs,
    )
    found = {method.name: columns[str(k)] for k, method in enumerate(task.methods)}
    for name, pvalues in found.items():
        if np.isnan(pvalues).all():
            raise InvalidInput(
                f"method {name!r} applies to none of the simulated tables of {task.design} under {task.protection.label}: "
                "the noise outweighs the data"
            )
    return found


def shared_progress(progress: Progress | None, done: int, total: int) -> Callable[[int, int], None] | None:
    """The progress of one part of a study, told as that of the whole: `done` of `total` are behind it."""
    if progress is None:
        return None
    report = progress
    return lambda part, _: report(done + part, total)
