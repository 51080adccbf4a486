"""From a CSV of 10^6 rows to a 6 x 4 table at epsilon = 1 to a valid p-value, in one process, timed after the imports.

Beside it, in the same process and interleaved, a bare DuckDB count of the same two columns of the same file, which has
neither noise nor a p-value. Memory is the peak of a fresh process that does the job once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from report import Row, interleaved, peak_mb, seconds, show

REGIONS = ["north", "south", "east", "west", "centre", "islands"]
STATUSES = ["single", "married", "widowed", "divorced"]


def write_csv(path: Path, rows: int = 10**6) -> None:
    """Region and status are independent; arm, age, income and bmi fill the file to about 40 MB."""
    rng = np.random.default_rng(0)
    columns = [
        rng.choice(REGIONS, rows),
        rng.choice(STATUSES, rows),
        rng.choice(["treatment", "placebo"], rows),
        rng.integers(18, 95, rows).astype(str),
        np.round(rng.lognormal(10, 0.5, rows), 2).astype(str),
        np.round(rng.normal(26, 4, rows), 3).astype(str),
    ]
    with open(path, "w", encoding="utf-8") as file:
        file.write("region,status,arm,age,income,bmi\n")
        file.write("\n".join(map(",".join, zip(*columns, strict=True))) + "\n")


def job(path: str) -> float:
    from discreet import Curator, PureDP, Schema, independence

    schema = Schema({"region": REGIONS, "status": STATUSES})
    with Curator(path, schema, budget=PureDP(1)) as curator:
        return independence(curator.table(["region", "status"], PureDP(1))).pvalue


def once(path: str) -> None:
    """Run in a fresh process: the job, then alternately a bare count and the job again."""
    import duckdb

    from discreet import Curator, independence  # noqa: F401

    first = seconds(lambda: job(path))
    peak = peak_mb()

    def bare() -> None:
        with duckdb.connect() as connection:
            connection.execute(f"SELECT region, status, count(*) FROM read_csv('{path}') GROUP BY ALL").fetchall()

    ours, theirs, ratio = interleaved(lambda: job(path), bare)
    print(json.dumps({"first": first, "peak": peak, "ours": ours, "bare": theirs, "ratio": ratio}))


def main() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "persons.csv")
        write_csv(path)
        size = os.path.getsize(path) / 2**20
        run = subprocess.run([sys.executable, __file__, str(path)], capture_output=True, text=True, check=True)
        m = json.loads(run.stdout)
    return [
        Row(
            f"CSV of 10^6 rows ({size:.0f} MB) to a 6 x 4 table to a p-value [0.2 s, 200 MB]",
            f"{m['ours']:.3f} s (first call {m['first']:.3f} s), peak {m['peak']:.0f} MB",
            f"bare DuckDB count of the same file {m['bare']:.3f} s",
            m["ratio"],
        )
    ]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        once(sys.argv[1])
    else:
        show(main())
