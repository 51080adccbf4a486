"""Private p-values of home zone, work zone and income: figure 8 of Wang, Lee and Kifer (2017), on a SYNTHETIC stand-in.

The table of Yang, Fienberg and Rinaldo (2012), 4 x 4 x 16 and n = 2,291, was not to be had; the stand-in has its shape and size
and is made up. It is read from SYNTHETIC_home_work_income.csv (home_zone, work_zone, income_cat, count) in a folder that the
user names.
"""

from __future__ import annotations

from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.counts import read_given
from discreet.lab.reproduce.private_pvalues import INDEPENDENCE, Panel, study
from discreet.lab.reproduce.study import Study

NAME, TITLE = "pvalues-census", "Private p-values of a small table with many cells: SYNTHETIC census, a stand-in"
SOURCE = "Wang, Lee and Kifer (2017), figure 8 (synthetic stand-in)"
SECONDS, FULL_SECONDS = 30, 75
NEEDS_DATA = "SYNTHETIC_home_work_income"

EPSILONS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 40 draws of the noise, in full 100 as the paper."""
    counts = read_given(NEEDS_DATA, bench.data, "a table of home zone, work zone and income")
    found = [
        Panel(INDEPENDENCE, "home, work", counts.margin("home_zone", "work_zone")),
        Panel(INDEPENDENCE, "home, income", counts.margin("home_zone", "income_cat")),
        Panel(INDEPENDENCE, "work, income", counts.margin("work_zone", "income_cat")),
    ]
    source = "SYNTHETIC counts, not real ones"
    return study(NAME, TITLE, found, EPSILONS, source, full=full, seed=seed, bench=bench)
