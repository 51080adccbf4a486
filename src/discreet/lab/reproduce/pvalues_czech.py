"""Private p-values of the Czech car workers: parts of figures 7, 9 and 11 of Wang, Lee and Kifer (2017).

Which of the tables the paper shows is not known to us. Ours go from strong to no evidence, from left to right.
"""

from __future__ import annotations

from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.counts import read
from discreet.lab.reproduce.private_pvalues import FIT, INDEPENDENCE, PROPORTIONS, Panel, study
from discreet.lab.reproduce.study import Study

NAME, TITLE = "pvalues-czech", "Private p-values of real tables: Czech car workers"
SOURCE = "Wang, Lee and Kifer (2017), figures 7, 9 and 11"
SECONDS, FULL_SECONDS = 25, 60

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0)


def panels() -> list[Panel]:
    """Three tables for each test."""
    counts = read("czech")
    found = [
        Panel(INDEPENDENCE, words, counts.margin(a, b))
        for a, b, words in (
            ("smoking", "physical_work", "smoking, physical work"),
            ("smoking", "mental_work", "smoking, mental work"),
            ("smoking", "family_history", "smoking, family history"),
        )
    ]
    found += [
        Panel(PROPORTIONS, words, counts.margin(a, b))
        for a, b, words in (
            ("lipoprotein_ratio", "systolic", "blood pressure by lipoprotein"),
            ("family_history", "mental_work", "mental work by family"),
            ("systolic", "physical_work", "physical work by pressure"),
        )
    ]
    for column, words in (
        ("mental_work", "mental work"),
        ("lipoprotein_ratio", "lipoprotein"),
        ("smoking", "smoking"),
    ):
        others = counts.margin(column, family_history="negative")
        cells = counts.margin(column, family_history="positive")
        found.append(Panel(FIT, f"{words}, as the others", cells, others / others.sum()))
    return found


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 40 draws of the noise, in full 100 as the paper."""
    source = "1,841 men; goodness of fit: the 260 with heart disease in the family, against the others"
    return study(NAME, TITLE, panels(), EPSILONS, source, full=full, seed=seed, bench=bench)
