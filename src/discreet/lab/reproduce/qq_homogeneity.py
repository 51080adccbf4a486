"""Reliability of the test of sample proportions: figure 4, and the right of figure 2, of Wang, Lee and Kifer (2017)."""

from __future__ import annotations

from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.qq import Setting, study
from discreet.lab.reproduce.study import Study

NAME, TITLE = "qq-homogeneity", "Are the p-values valid? Sample proportions"
SOURCE = "Wang, Lee and Kifer (2017), figures 2 and 4"
SECONDS, FULL_SECONDS = 8, 600

SETTINGS = (
    Setting("homogeneity", (500, 500), (0.25,) * 4),
    Setting("homogeneity", (500, 500), (0.5, 0.5), 0.1),
    Setting("homogeneity", (400, 700), (0.25, 0.25, 0.5), 0.2),
    Setting("homogeneity", (2000, 1000), (0.1, 0.2, 0.3, 0.4), 0.1),
)


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 1,000 pairs of tables, 999 reference points; in full 10,000 and 10,000 as the paper."""
    tables, points = (10_000, 10_000) if full else (1_000, 999)
    null = f"{points:,} reference points a test"
    return study(NAME, TITLE, SETTINGS, tables, points, null, seed, bench)
