"""A table of ten million cells end to end: from a Parquet file of 20 million records to files, margins and tests.

    python benchmarks/very_wide.py            10^7 cells: about five minutes on an idle core
    python benchmarks/very_wide.py 1000000    10^6 cells, 2 million records

The yardstick is what cannot be saved: OpenDP's own call for the noise of so many cells, drawn in the same chunks in the same
run. Memory is the peak of the process that did all of it; making the file of made-up records is not timed.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
from report import peak_mb, seconds

from discreet import Curator, GaussianDP, Ledger, PureDP, Schema, load
from discreet.curator import gate
from discreet.inference import independence_pairs
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian

MECHANISMS = {
    "Laplace": (Laplace(), PureDP(1)),
    "Gaussian": (Gaussian(), GaussianDP(1)),
    "projected": (ProjectedGaussian(), GaussianDP(1)),
}
SHAPES = {10**6: (100, 100, 10, 10), 10**7: (100, 100, 100, 10)}
NAMES = ["area", "occupation", "age", "sector"]
"""How many categories each column has; the schema is complete, so there is no further cell."""


def schema_of(cells: int) -> Schema:
    return Schema({name: list(range(k)) for name, k in zip(NAMES, SHAPES[cells], strict=True)}, complete=True)


def make_file(path: Path, cells: int) -> None:
    """Two records for each cell, in cells at random: about 14 % of the cells stay empty."""
    pick = ", ".join(
        f"(hash(i * 4 + {place}) % {k})::USMALLINT AS {name}"
        for place, (name, k) in enumerate(zip(NAMES, SHAPES[cells], strict=True))
    )
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {pick} FROM range({2 * cells}) r(i)) TO '{path}'")


def bare_draws(family: gate.Family, scale: float, cells: int) -> None:
    """OpenDP's calls alone."""
    k = gate.check_draw(family=family, scale=scale, cap=2 * cells)
    for start in range(0, cells, gate.CHUNK):
        part = np.zeros(min(gate.CHUNK, cells - start), np.int64)
        gate._measurement(family, math.ldexp(scale, k), len(part))(part)


def steps(path: Path, cells: int, name: str) -> None:
    """One release and what is done with it, each step timed; printed one line a step."""
    folder, schema, (mechanism, guarantee) = path.parent, schema_of(cells), MECHANISMS[name]
    ledger = Ledger.create(folder / f"{name}.ledger", guarantee)
    made = []
    with Curator(path, schema, ledger=ledger) as curator:

        def release() -> None:
            made.append(curator.table(NAMES, guarantee, mechanism=mechanism, request_id="r"))

        say("release: file read, noise drawn, ledger written", release)
        table = made[0]
        family = "laplace" if name == "Laplace" else "gaussian"
        say("    of which OpenDP's own draws, in a run of their own", lambda: bare_draws(family, table.scale, cells))
        say("    of which reading the file", lambda: curator._Curator__records.tabulate(NAMES))
        size = (folder / f"{name}.ledger").stat().st_size
        print(f"    the ledger's file has {size / 1e6:.0f} MB", flush=True)
        say("the same request again, answered from the ledger", release)
    assert made[0] == made[1]
    say("counts", lambda: table.counts)
    say("intervals", table.interval)
    say("all six pairs: margins and tests", lambda: independence_pairs(table))
    for suffix in ("json", "parquet", "arrow"):
        file = folder / f"{name}.{suffix}"
        say(f"save as .{suffix}", lambda file=file: table.save(file))
        print(f"    {file.stat().st_size / 1e6:.0f} MB", flush=True)
        say(f"load the .{suffix}", lambda file=file: load(file))
    say("repr", lambda: repr(table))
    print(f"peak memory so far: {peak_mb():,.0f} MB", flush=True)
    say("to_frame('polars')", table.to_frame)
    print(f"peak memory: {peak_mb():,.0f} MB", flush=True)


def say(what: str, call: Callable[[], object]) -> None:
    """Seconds by the clock, and of processor time, which other programs disturb little."""
    before = time.process_time()
    elapsed = seconds(call)
    print(f"{what}: {elapsed:.2f} s (processor {time.process_time() - before:.2f} s)", flush=True)


def main() -> None:
    cells = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        make_file(path, cells)
        for name in MECHANISMS:
            print(f"{name}, {cells:,} cells", flush=True)
            subprocess.run([sys.executable, __file__, str(cells), str(path), name], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 3:
        steps(Path(sys.argv[2]), int(sys.argv[1]), sys.argv[3])
    else:
        main()
