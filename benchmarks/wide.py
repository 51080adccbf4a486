"""A table of a million cells beside the noise library's own draws of as many: what the release itself costs.

The yardstick is one call of OpenDP on a vector of a million zeros, at the same scale on the same grid. Both run on one
thread, so seconds are of processor time, which other programs disturb little.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from statistics import median

import pyarrow as pa
from opendp import domains, measurements, metrics, mod
from report import Row

from discreet import Curator, GaussianDP, PureDP, Schema
from discreet.curator.gate import draw_noise, grid_exponent
from discreet.mechanisms import default_for_table
from discreet.privacy.guarantee import Guarantee

SIDE = 1000
CELLS = SIDE * SIDE
SCHEMA = Schema({"home": list(range(SIDE)), "work": list(range(SIDE))}, complete=True)
RECORDS = pa.table({"home": list(range(SIDE)), "work": list(range(SIDE))})
REPEATS = 3
FAMILIES: dict[str, Guarantee] = {"laplace": PureDP(1), "gaussian": GaussianDP(1)}
SCALES = {
    family: default_for_table(g, "replace-one").for_table(g, "replace-one").scale for family, g in FAMILIES.items()
}


def job(family: str) -> None:
    """From the records to the release, which is stored in the ledger."""
    guarantee = FAMILIES[family]
    with Curator(RECORDS, SCHEMA, budget=guarantee) as curator:
        released = curator.table(["home", "work"], guarantee)
    if released.scale != SCALES[family]:
        raise AssertionError("the yardstick draws other noise than the release")


def gate(family: str) -> None:
    draw_noise([0] * CELLS, family=family, scale=SCALES[family], cap=SIDE)


def bare(family: str) -> None:
    vectors = domains.vector_domain(domains.atom_domain(T="i64"), size=CELLS)
    steps = math.ldexp(SCALES[family], grid_exponent(SCALES[family]))
    if family == "laplace":
        measurements.make_laplace(vectors, metrics.l1_distance(T="i64"), scale=steps)([0] * CELLS)
    else:
        measurements.make_gaussian(vectors, metrics.l2_distance(T=float), scale=steps)([0] * CELLS)


def processor_seconds(call: Callable[[str], object], family: str) -> float:
    start = time.process_time()
    call(family)
    return time.process_time() - start


def main() -> list[Row]:
    mod.enable_features("contrib")
    rows = []
    for family in FAMILIES:
        whole, drawn, yardstick = [], [], []
        for _ in range(REPEATS):
            whole.append(processor_seconds(job, family))
            drawn.append(processor_seconds(gate, family))
            yardstick.append(processor_seconds(bare, family))
        seconds = median(yardstick)
        bare_draws = f"OpenDP, one vector: {seconds:.2f} s, {CELLS / seconds:,.0f} draws a second"
        for what, ours in (
            (f"Curator.table of {CELLS:,} cells, {family} [ratio 1.1]", whole),
            ("the gate alone", drawn),
        ):
            ratio = median(a / b for a, b in zip(ours, yardstick, strict=True))
            rows.append(Row(what, f"{median(ours):.2f} s", bare_draws, ratio))
    return rows


if __name__ == "__main__":
    from report import show

    show(main())
