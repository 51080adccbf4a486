"""Where and how the simulations of a figure run: on how many workers, with which store, and where its tables lie.

A figure is a list of jobs. Each job is a task repeated, seeded and stored by its configuration (`discreet.lab.chunks`), so the
same seed gives the same figure whatever the number of workers, and whether or not it was interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.lab.chunks import Task, simulate

Progress = Callable[[int, int], None]
"""Told how many steps are done, of how many."""

STEPS = 1000


@dataclass(frozen=True)
class Job:
    """A task to be repeated; `work` is what one repetition takes, compared with those of the other jobs."""

    task: Task
    repetitions: int
    configuration: Mapping[str, Any]
    chunk: int = 500
    work: float = 1.0


@dataclass(frozen=True)
class Bench:
    """What a figure runs with.

    Attributes
    ----------
    progress : function, optional
        Told how many thousandths of the figure are done.
    store : path, optional
        A folder that keeps every finished chunk, so that an interrupted figure goes on where it stopped.
    n_jobs : int or None
        Workers, as in joblib: -1 is all cores.
    data : path, optional
        A folder with tables that do not come with the package.
    """

    progress: Progress | None = None
    store: str | os.PathLike[str] | None = None
    n_jobs: int | None = 1
    data: str | os.PathLike[str] | None = None

    def simulate(self, jobs: Sequence[Job], seed: int) -> list[dict[str, NDArray[Any]]]:
        """The columns of every job, in order."""
        total = sum(job.repetitions * job.work for job in jobs)
        before, found = 0.0, []
        for job in jobs:
            found.append(
                simulate(
                    job.task,
                    job.repetitions,
                    configuration=job.configuration,
                    seed=seed,
                    chunk=job.chunk,
                    store=self.store,
                    progress=self._part(before / total, job.repetitions * job.work / total),
                    n_jobs=self.n_jobs,
                )
            )
            before += job.repetitions * job.work
        return found

    def _part(self, start: float, share: float) -> Progress | None:
        tell = self.progress
        if tell is None:
            return None
        return lambda done, of: tell(int(np.rint(STEPS * (start + share * done / of))), STEPS)


PLAIN = Bench()
"""One worker, no store, no word of progress, no further tables."""
