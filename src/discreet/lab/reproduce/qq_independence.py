"""Reliability of the tests of independence: figure 3, and the left of figure 2, of Wang, Lee and Kifer (2017)."""

from __future__ import annotations

from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.qq import Setting, study
from discreet.lab.reproduce.study import Study

NAME, TITLE = "qq-independence", "Are the p-values valid? Independence"
SOURCE = "Wang, Lee and Kifer (2017), figures 2 and 3"
SECONDS, FULL_SECONDS = 10, 50

SETTINGS = (
    Setting("independence", (1000,), (0.5, 0.5), columns=(0.5, 0.5)),
    Setting("independence", (1000,), (0.5, 0.5), 0.1, columns=(0.5, 0.5)),
    Setting("independence", (2000,), (0.2, 0.3, 0.5), 0.1, columns=(0.4, 0.6)),
    Setting("independence", (5000,), (0.25,) * 4, 0.1, columns=(0.25,) * 4),
)


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 2,000 tables of each null, in full 10,000 as the paper."""
    null = "p averaged over the noise"
    return study(NAME, TITLE, SETTINGS, 10_000 if full else 2_000, 0, null, seed, bench)
