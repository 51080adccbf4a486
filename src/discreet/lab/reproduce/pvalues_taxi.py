"""Private p-values of a table of 165 million taxi rides: figure 6 of Wang, Lee and Kifer (2017), on a SYNTHETIC stand-in.

The joint counts of passengers and payment of 2014 were not to be had. The stand-in has the true number of rides; its counts are
made up. It is read from SYNTHETIC_taxi2014_passenger_payment.csv (passenger_count, payment_type, count) in a folder that the
user names. Used are rides of 1 to 6 passengers paid by card or in cash.
"""

from __future__ import annotations

import numpy as np

from discreet.lab.reproduce.bench import PLAIN, Bench
from discreet.lab.reproduce.counts import read_given
from discreet.lab.reproduce.private_pvalues import FIT, INDEPENDENCE, PROPORTIONS, Panel, study
from discreet.lab.reproduce.study import Study

NAME, TITLE = "pvalues-taxi", "Private p-values of a very large table: SYNTHETIC taxi rides, a stand-in"
SOURCE = "Wang, Lee and Kifer (2017), figure 6 (synthetic stand-in)"
SECONDS, FULL_SECONDS = 20, 50
NEEDS_DATA = "SYNTHETIC_taxi2014_passenger_payment"

EPSILONS = (1e-6, 3e-6, 1e-5, 3e-5, 1e-4)


def run(*, full: bool = False, seed: int = 1, bench: Bench = PLAIN) -> Study:
    """Simulate it: 40 draws of the noise, in full 100 as the paper."""
    counts = read_given(NEEDS_DATA, bench.data, "a table of taxi rides by passengers and payment")
    whole = counts.margin("passenger_count", "payment_type")
    passengers = [counts.labels[0].index(str(k)) for k in range(1, 7)]
    cells = whole[np.ix_(passengers, [counts.labels[1].index(kind) for kind in ("CRD", "CSH")])]
    card, cash = cells.T
    found = [
        Panel(INDEPENDENCE, "passengers, payment", cells),
        Panel(PROPORTIONS, "passengers by payment", cells.T.copy()),
        Panel(FIT, "passengers in cash, as card", cash, card / card.sum()),
    ]
    source = "SYNTHETIC counts, not real ones"
    return study(NAME, TITLE, found, EPSILONS, source, full=full, seed=seed, bench=bench)
