"""How often a test of independence rejects a true null at .05 where a person has several records, alike or not.

    python docs/measure_persons.py            (a few seconds; prints a Markdown table)

A thousand persons, two columns of two categories that are independent and uniform, a release under PureDP(1) with
`max_records=k`: Laplace noise of scale 2k, and a total that is estimated. Records of a person are either independent, or all
alike. The seeds are fixed.
"""

from __future__ import annotations

import sys

import numpy as np

from discreet.inference import independence_many
from discreet.noise import Laplace

TABLES = 20_000
PERSONS = 1000


def level(each: int, alike: bool) -> float:
    """The share of tables of `each` records a person that are rejected at .05."""
    rng = np.random.default_rng(each)
    noise = Laplace(2.0 * each)
    drawn, copies = (PERSONS, each) if alike else (PERSONS * each, 1)
    counts = rng.multinomial(drawn, [1 / 4] * 4, TABLES).reshape(TABLES, 2, 2) * copies
    return float((independence_many(counts + noise.sample(counts.shape, rng), noise) < 0.05).mean())


if __name__ == "__main__":
    sys.stdout.write("| max_records | records of a person independent | alike |\n|---|---|---|\n")
    for each in (1, 2, 5, 20):
        sys.stdout.write(f"| {each} | {level(each, False):.3f} | {level(each, True):.3f} |\n")
