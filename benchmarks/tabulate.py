"""A table of a 20-million-row Parquet file end to end through `Curator.table`, beside the bare DuckDB GROUP BY of the file.

Ours connects, counts n, prices, charges, groups, encodes, draws the noise and makes the release; the yardstick connects
and groups. Memory is the peak of a fresh process that does the job once. The hostile file has 20 million distinct texts,
none of them declared.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
from report import Row, interleaved, peak_mb, seconds

from discreet import Curator, PureDP, Schema

SMOKING = ["never", "former", "current", "unknown", "other", "pipe"]
SYSTOLIC = ["lt140", "ge140", "none", "missing"]
SCHEMA = Schema({"smoking": SMOKING, "systolic": SYSTOLIC})
ROWS = 20_000_000


def make_files(folder: Path, rows: int) -> dict[str, Path]:
    """Text as Parquet with a dictionary (as every writer makes it) and without, and hostile texts."""
    pick = "[{0}][1 + (random() * {1})::INT % {1}]"
    smoking = pick.format(", ".join(f"'{label}'" for label in SMOKING), len(SMOKING))
    systolic = pick.format(", ".join(f"'{label}'" for label in SYSTOLIC), len(SYSTOLIC))
    pair = f"SELECT {smoking} AS smoking, {systolic} AS systolic FROM range({rows})"
    hostile = f"SELECT 'person ' || hash(range) AS smoking, 'x' || range AS systolic FROM range({rows})"
    files = {
        "dictionary": (pair, ""),
        "plain": (pair, "(DICTIONARY_SIZE_LIMIT 0, STRING_DICTIONARY_PAGE_SIZE_LIMIT 1)"),
        "hostile": (hostile, ""),
    }
    with duckdb.connect() as connection:
        for name, (query, options) in files.items():
            connection.execute(f"COPY ({query}) TO '{folder / name}.parquet' {options}")
    return {name: folder / f"{name}.parquet" for name in files}


def job(path: Path) -> None:
    with Curator(path, SCHEMA, budget=PureDP(1)) as curator:
        curator.table(["smoking", "systolic"], PureDP(1))


def bare(query: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(query).fetchall()


def in_a_fresh_process(path: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of one job, imports not timed."""
    out = subprocess.run([sys.executable, __file__, str(path)], check=True, capture_output=True, text=True).stdout
    time, peak = map(float, out.split())
    return time, peak


def main() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(Path(folder), ROWS)
        for name in ("dictionary", "plain"):
            query = f"SELECT smoking, systolic, count(*) FROM '{files[name]}' GROUP BY ALL"
            ours, theirs, ratio = interleaved(lambda name=name: job(files[name]), lambda query=query: bare(query), 11)
            _, peak = in_a_fresh_process(files[name])
            rows.append(
                Row(
                    f"Curator.table of {ROWS:,} rows, Parquet, {name} encoding [ratio 1.15, 500 MB]",
                    f"{ours:.3f} s, peak {peak:.0f} MB",
                    f"bare DuckDB, connect and GROUP BY {theirs:.3f} s",
                    ratio,
                )
            )
        time, peak = in_a_fresh_process(files["hostile"])
        size = files["hostile"].stat().st_size / 2**20
        rows.append(
            Row(
                f"Curator.table of {ROWS:,} distinct undeclared texts [1 GB]",
                f"{time:.1f} s, peak {peak:.0f} MB",
                f"the file has {size:.0f} MB",
                None,
            )
        )
    return rows


if __name__ == "__main__":
    time = seconds(lambda: job(Path(sys.argv[1])))
    print(time, peak_mb())
