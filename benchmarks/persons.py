"""20 million visits of 2 million persons: a release of at most k records a person from one Parquet file.

    make bench-persons                     (makes build/persons.parquet first: SYNTHETIC records, about 20 seconds)

Beside each stands bare DuckDB on the same file: the number of persons, which is the least that a bound for each needs to know.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
from report import Row, peak_mb, seconds, show

from discreet import Bounded, Curator, PureDP, Schema

ROWS, PERSONS = 20_000_000, 2_000_000
FILE = Path(__file__).resolve().parent.parent / "build" / "persons.parquet"
COLUMNS = {"smoking": [0, 1], "region": [0, 1, 2, 3, 4], "age": Bounded(0, 99, step=1)}


def make(path: Path) -> None:
    """The synthetic file; the same records every time, as they are hashes of their row numbers."""
    path.parent.mkdir(exist_ok=True)
    columns = {"patient": PERSONS, "smoking": 2, "region": 5, "age": 100}
    drawn = ", ".join(f"(hash(i + {k * 1000000007}) % {n})::INTEGER AS {c}" for k, (c, n) in enumerate(columns.items()))
    part = path.with_suffix(".part")
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT {drawn} FROM range({ROWS}) r(i)) TO '{part}' (FORMAT parquet, COMPRESSION zstd)"
        )
    part.rename(path)


def job(verb: str, most: int) -> None:
    """One release."""
    schema = Schema(COLUMNS, unit="patient", max_records=most)
    with Curator(FILE, schema, budget=PureDP(1)) as curator:
        arguments = (["smoking", "region"],) if verb == "table" else ("age", 20)
        getattr(curator, verb)(*arguments, PureDP(1))


def bare() -> None:
    with duckdb.connect() as connection:
        connection.execute(f"SELECT count(*) FROM (SELECT patient FROM '{FILE}' GROUP BY patient)").fetchall()


def main() -> None:
    if len(sys.argv) == 3:
        print(seconds(lambda: job(sys.argv[1], int(sys.argv[2]))), peak_mb())
        return
    if not FILE.exists():
        print(f"making {FILE} ({ROWS:,} synthetic records): {seconds(lambda: make(FILE)):.0f} s", flush=True)
    rows = []
    for verb, most in (("table", 5), ("table", 50), ("histogram", 5), ("histogram", 50)):
        theirs = min(seconds(bare) for _ in range(3))
        output = subprocess.check_output([sys.executable, __file__, verb, str(most)], text=True)
        ours, peak = map(float, output.split())
        what = f"{verb} of 20 million records, 2 million persons, max_records = {most} [1 GB]"
        yardstick = f"bare DuckDB, GROUP BY person {theirs:.2f} s"
        rows.append(Row(what, f"{ours:.1f} s, peak {peak:.0f} MB", yardstick, ours / theirs))
    show(rows)


if __name__ == "__main__":
    main()
