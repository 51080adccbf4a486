"""Exact sums and histograms of a 20-million-row Parquet file of five columns, beside bare DuckDB queries on its doubles.

Ours opens the file, turns every value into its code (nulls, NaN and values out of bounds included) and adds up whole
numbers. The yardsticks connect and add up the raw doubles and their products, which rounds; or group by the floor of the
scaled value, which takes NaN for an error. Memory is the peak of a fresh process that does the job once.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import duckdb
from report import Row, interleaved, peak_mb, seconds

from discreet import Bounded, Schema
from discreet.curator.source import open_source

ROWS = 20_000_000
COLUMNS = {
    "share": Bounded(0, 1),
    "percent": Bounded(0, 100),
    "pressure": Bounded(80, 220, step=0.01),
    "age": Bounded(0, 120, step=1),
    "bmi": Bounded(10, 60, step=0.1),
}
VALUES = {
    "share": "random()",
    "percent": "100 * random()",
    "pressure": "100 + 80 * random()",
    "age": "round(120 * random())",
    "bmi": "round(15 + 40 * random(), 1)",
}
FLAWED = "CASE WHEN random() < .01 THEN NULL WHEN random() < .02 THEN 1e9 ELSE {} END"
BINS = 40


def make_files(folder: Path, rows: int) -> dict[str, Path]:
    """All values within bounds; and 1 % of nulls and 2 % of values far outside in every column."""
    clean = ", ".join(f"{value} AS {name}" for name, value in VALUES.items())
    flawed = ", ".join(f"{FLAWED.format(value)} AS {name}" for name, value in VALUES.items())
    files = {"within bounds": clean, "1 % null, 2 % outside": flawed}
    with quiet() as connection:
        for i, (name, chosen) in enumerate(files.items()):
            connection.execute(f"COPY (SELECT {chosen} FROM range({rows})) TO '{folder / str(i)}.parquet'")
            files[name] = str(folder / f"{i}.parquet")
    return {name: Path(path) for name, path in files.items()}


def quiet() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    return connection


def sums(path: Path) -> None:
    source = open_source(path, Schema(COLUMNS))
    source.sums(list(COLUMNS), products=True)
    source.close()


def histogram(path: Path) -> None:
    source = open_source(path, Schema(COLUMNS))
    source.count_bins(["percent"], [BINS])
    source.close()


def bare_sums(path: Path) -> None:
    names = list(COLUMNS)
    products = [f"sum({a} * {b})" for i, a in enumerate(names) for b in names[i:]]
    query = ", ".join(["count(*)", *(f"sum({name})" for name in names), *products])
    with quiet() as connection:
        connection.execute(f"SELECT {query} FROM '{path}'").fetchall()


def bare_histogram(path: Path) -> None:
    with quiet() as connection:
        connection.execute(f"SELECT floor(percent * {BINS / 100}) AS b, count(*) FROM '{path}' GROUP BY b").fetchall()


def in_a_fresh_process(job: str, path: Path) -> float:
    """Peak megabytes of one job."""
    out = subprocess.run([sys.executable, __file__, job, str(path)], check=True, capture_output=True, text=True).stdout
    return float(out.split()[1])


def main() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in make_files(Path(folder), ROWS).items():
            for what, target, ours, bare in (
                ("means and cross-products of 5 columns", 1.5, sums, bare_sums),
                (f"histogram of {BINS} bins of one column", 1.2, histogram, bare_histogram),
            ):
                time, theirs, ratio = interleaved(partial(ours, path), partial(bare, path), 11)
                peak = in_a_fresh_process(ours.__name__, path)
                rows.append(
                    Row(
                        f"Exact {what}, {ROWS:,} rows of Parquet, {name} [ratio {target}]",
                        f"{time:.3f} s, peak {peak:.0f} MB",
                        f"bare DuckDB on the doubles {theirs:.3f} s",
                        ratio,
                    )
                )
    return rows


if __name__ == "__main__":
    job = {"sums": sums, "histogram": histogram}[sys.argv[1]]
    print(seconds(lambda: job(Path(sys.argv[2]))), peak_mb())
