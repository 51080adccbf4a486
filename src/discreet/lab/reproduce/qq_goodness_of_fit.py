"""Reliability of the test of goodness of fit: figure 5 of Wang, Lee and Kifer (2017)."""

from __future__ import annotations

from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.qq import Setting, study
from discreet.lab.reproduce.study import Study

NAME, TITLE = "qq-goodness-of-fit", "Are the p-values valid? Goodness of fit"
SOURCE = "Wang, Lee and Kifer (2017), figure 5"
SECONDS, FULL_SECONDS = 6, 400

SETTINGS = (
    Setting("goodness of fit", (200,), (0.25,) * 4),
    Setting("goodness of fit", (200,), (0.5, 0.5), 0.1),
    Setting("goodness of fit", (500,), (0.1, 0.2, 0.3, 0.4), 0.2),
    Setting("goodness of fit", (1000,), (0.1,) * 10, 0.1),
)


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 1,000 tables, 999 reference tables each; in full 10,000 and 10,000 as the paper."""
    tables, points = (10_000, 10_000) if full else (1_000, 999)
    null = f"{points:,} reference tables a test; the naive likelihood ratio is uncorrected"
    return study(NAME, TITLE, SETTINGS, tables, points, null, seed, bench)
