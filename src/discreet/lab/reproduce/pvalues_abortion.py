"""Private p-values of attitudes toward abortion in the General Social Survey of 1972: figures 7 to 12 of Wang, Lee and Kifer.

The table, 3 x 3 x 3 and n = 1,055, does not come with the package: it is read from gss1972_abortion.csv (religion, education,
attitude, count; Haberman 1978) in a folder that the user names.
"""

from __future__ import annotations

from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.counts import read_given
from discreet.lab.reproduce.private_pvalues import FIT, INDEPENDENCE, PROPORTIONS, Panel, study
from discreet.lab.reproduce.study import Study

NAME, TITLE = "pvalues-abortion", "Private p-values of real tables: attitudes toward abortion, 1972"
SOURCE = "Wang, Lee and Kifer (2017), figures 7, 10 and 11"
SECONDS, FULL_SECONDS = 30, 75
NEEDS_DATA = "gss1972_abortion"

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0)


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 40 draws of the noise, in full 100 as the paper."""
    counts = read_given(NEEDS_DATA, bench.data, "the 1972 survey's table of religion, education and attitude")
    found = [
        Panel(INDEPENDENCE, "education, attitude", counts.margin("education", "attitude")),
        Panel(INDEPENDENCE, "religion, attitude", counts.margin("religion", "attitude")),
        Panel(
            INDEPENDENCE, "education, attitude (Catholic)", counts.margin("education", "attitude", religion="catholic")
        ),
        Panel(PROPORTIONS, "attitude by education", counts.margin("education", "attitude")),
        Panel(PROPORTIONS, "education by religion", counts.margin("religion", "education")),
        Panel(PROPORTIONS, "attitude by religion (<= 8 y.)", counts.margin("religion", "attitude", education="le8")),
    ]
    everyone = counts.margin("attitude")
    for religion, words in (
        ("catholic", "Catholics, as all"),
        ("northern_protestant", "Northern Protestants, as all"),
        ("southern_protestant", "Southern Protestants, as all"),
    ):
        cells = counts.margin("attitude", religion=religion)
        found.append(Panel(FIT, words, cells, everyone / everyone.sum()))
    source = "General Social Survey 1972"
    return study(NAME, TITLE, found, EPSILONS, source, full=full, seed=seed, bench=bench)
