"""Private p-values of the Rochdale households: parts of figures 7, 9 and 12 of Wang, Lee and Kifer (2017).

The paper's table for goodness of fit has n = 79, which only the households with a husband not employed have. Which other tables
it shows is not known to us. Ours go from strong to no evidence, from left to right.
"""

from __future__ import annotations

import numpy as np

from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.counts import read
from discreet.lab.reproduce.private_pvalues import FIT, INDEPENDENCE, PROPORTIONS, Panel, study
from discreet.lab.reproduce.study import Study

NAME, TITLE = "pvalues-rochdale", "Private p-values of real tables: Rochdale households"
SOURCE = "Wang, Lee and Kifer (2017), figures 7, 9 and 12"
SECONDS, FULL_SECONDS = 25, 60

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0)


def panels() -> list[Panel]:
    """Three tables for each test."""
    counts = read("rochdale")
    found = [
        Panel(INDEPENDENCE, words, counts.margin(a, b))
        for a, b, words in (
            ("wife_employed", "husband_schooling", "wife's work, his schooling"),
            ("wife_employed", "wife_age", "wife's work, her age"),
            ("husband_employed", "other_employed", "husband's work, others' work"),
        )
    ]
    found += [
        Panel(PROPORTIONS, words, counts.margin(a, b))
        for a, b, words in (
            ("wife_employed", "young_child", "young child by wife's work"),
            ("husband_employed", "young_child", "young child by his work"),
            ("young_child", "husband_schooling", "his schooling by child"),
        )
    ]
    alone = {"husband_employed": "no"}
    halves, others = np.array([0.5, 0.5]), counts.margin("other_employed", husband_employed="yes")
    found += [
        Panel(FIT, "wife's work, 1 : 1", counts.margin("wife_employed", **alone), halves),
        Panel(FIT, "wife's age, 1 : 1", counts.margin("wife_age", **alone), halves),
        Panel(FIT, "others' work, as the rest", counts.margin("other_employed", **alone), others / others.sum()),
    ]
    return found


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 40 draws of the noise, in full 100 as the paper."""
    source = "665 households; goodness of fit: the 79 whose husband is not employed"
    return study(NAME, TITLE, panels(), EPSILONS, source, full=full, seed=seed, bench=bench)
