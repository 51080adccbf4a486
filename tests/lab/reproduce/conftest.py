"""Figures at a tiny size, and made-up tables in place of those that do not come with the package."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from discreet.lab.reproduce.bench import Bench

COLUMNS = {
    "gss1972_abortion": {
        "religion": ("northern_protestant", "southern_protestant", "catholic"),
        "education": ("le8", "9to12", "ge13"),
        "attitude": ("positive", "mixed", "negative"),
    },
    "SYNTHETIC_taxi2014_passenger_payment": {
        "passenger_count": tuple("0123456"),
        "payment_type": ("CRD", "CSH", "UNK"),
    },
    "SYNTHETIC_home_work_income": {
        "home_zone": tuple("1234"),
        "work_zone": tuple("1234"),
        "income_cat": tuple(map(str, range(1, 17))),
    },
}


@pytest.fixture(scope="session")
def made_up_tables(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made up tables")
    rng = np.random.default_rng(1)
    for name, columns in COLUMNS.items():
        rows = [",".join([*columns, "count"])]
        rows += [",".join([*cell, str(rng.integers(200, 400))]) for cell in product(*columns.values())]
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", "utf-8")
    return folder


@pytest.fixture
def tiny(monkeypatch) -> None:
    """Every simulation is repeated four times only."""
    whole = Bench.simulate

    def few(self, jobs, seed):
        return whole(self, [replace(job, repetitions=min(job.repetitions, 4)) for job in jobs], seed)

    monkeypatch.setattr(Bench, "simulate", few)
