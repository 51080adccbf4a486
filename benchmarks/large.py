"""165 million records: table and test at epsilon = 0.0001 from one Parquet file, beside bare DuckDB on the same file.

    make bench-large                       (makes build/large.parquet first: SYNTHETIC records, about 15 seconds)
    python benchmarks/large.py FILE COLUMN,COLUMN SCHEMA.toml       (your own file)

The synthetic records have two columns, the number of passengers and the way of payment, of as many taxi rides as there were
in New York in 2014, with made-up proportions and a dependence of one part in a thousand.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
from report import Row, interleaved, peak_mb, seconds, show

from discreet import Curator, PureDP, Schema, independence

ROWS = 165_114_361
EPSILON = 1e-4
PASSENGERS = [1, 2, 3, 4, 5, 6]
PAYMENT = ["card", "cash", "no charge", "dispute", "unknown"]
SCHEMA = Schema({"passengers": PASSENGERS, "payment": PAYMENT})
COLUMNS = ["passengers", "payment"]
HERE = Path(__file__).resolve().parent.parent / "build"


def make(path: Path) -> None:
    """The synthetic file; the same records every time, as they are hashes of their row numbers."""
    path.parent.mkdir(exist_ok=True)
    u, v = "(hash(i) % 1000000) / 1e6", "(hash(i + 1000000007) % 1000000) / 1e6"
    passengers = f"CASE WHEN {u} < .70 THEN 1 WHEN {u} < .84 THEN 2 WHEN {u} < .88 THEN 3 WHEN {u} < .90 THEN 4 "
    passengers += f"WHEN {u} < .96 THEN 5 ELSE 6 END"
    lift = f"CASE WHEN {u} < .70 THEN .001 ELSE 0 END"
    payment = f"CASE WHEN {v} < .58 + {lift} THEN 'card' WHEN {v} < .97 THEN 'cash' WHEN {v} < .98 THEN 'no charge' "
    payment += f"WHEN {v} < .99 THEN 'dispute' ELSE 'unknown' END"
    part = path.with_suffix(".part")
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT ({passengers})::UTINYINT AS passengers, {payment} AS payment FROM range({ROWS}) r(i)) "
            f"TO '{part}' (FORMAT parquet, COMPRESSION zstd)"
        )
    part.rename(path)


def job(path: Path, schema: Schema, columns: list[str]) -> str:
    """End to end: from the file to a p-value."""
    with Curator(path, schema, budget=PureDP(1)) as curator:
        result = independence(curator.table(columns, PureDP(EPSILON)))
    return f"p = {result.pvalue:.3g}"


def bare(path: Path, columns: list[str]) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"SELECT {', '.join(columns)}, count(*) FROM '{path}' GROUP BY ALL").fetchall()


def main() -> None:
    if len(sys.argv) == 4:
        path, columns, schema = Path(sys.argv[1]), sys.argv[2].split(","), Schema.from_toml(sys.argv[3])
    else:
        path, columns, schema = HERE / "large.parquet", COLUMNS, SCHEMA
        if not path.exists():
            print(f"making {path} ({ROWS:,} synthetic records): {seconds(lambda: make(path)):.0f} s", flush=True)
    if "--once" in sys.argv:
        job(path, schema, columns)
        print(peak_mb())
        return
    result = job(path, schema, columns)
    ours, theirs, ratio = interleaved(lambda: job(path, schema, columns), lambda: bare(path, columns), 5)
    arguments = [sys.executable, __file__, "--once"] if len(sys.argv) != 4 else None
    peak = "" if arguments is None else f", peak {float(subprocess.check_output(arguments, text=True)):.0f} MB"
    what = f"from {path.name} ({path.stat().st_size / 2**20:,.0f} MB) to a p-value at epsilon = {EPSILON} [ratio 1.1, 1 GB]"
    show([Row(what, f"{ours:.2f} s{peak}; {result}", f"bare DuckDB, connect and GROUP BY {theirs:.2f} s", ratio)])


if __name__ == "__main__":
    main()
