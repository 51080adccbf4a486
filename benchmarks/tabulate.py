"""Speed and memory of `Source.tabulate` beside a bare DuckDB query of the same file, interleaved in one run.

Run: python benchmarks/tabulate.py [rows]. Files are made in a temporary folder; each memory figure is the peak of a child
process of its own. Every time is the median of the repetitions; the ratio is the median of the ratios of neighbouring runs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from discreet import Schema
from discreet.curator.source import open_source

SMOKING = ["never", "former", "current", "unknown", "other", "pipe"]
SYSTOLIC = ["lt140", "ge140", "none", "missing"]
SCHEMA = Schema({"smoking": SMOKING, "systolic": SYSTOLIC})
PAIR = ["smoking", "systolic"]
REPEATS = 7

_CHILD = """
import sys, time
sys.path.insert(0, {folder!r})
from tabulate import PAIR, SCHEMA, open_source
start = time.perf_counter()
source = open_source({path!r}, SCHEMA)
number = source.count_rows()
assert sum(source.tabulate(PAIR)) == number
seconds = time.perf_counter() - start
status = open("/proc/self/status").read()  # getrusage would count the parent's pages at the fork
print(int(status.split("VmHWM:")[1].split()[0]) / 1024, seconds)
"""


def make_files(folder: Path, rows: int) -> dict[str, Path]:
    """The files: text as Parquet with and without dictionaries, integers, hostile texts, and a CSV of 10^6 rows."""
    connection = duckdb.connect()
    pick = "[{0}][1 + (random() * {1})::INT % {1}]"
    smoking = pick.format(", ".join(f"'{label}'" for label in SMOKING), len(SMOKING))
    systolic = pick.format(", ".join(f"'{label}'" for label in SYSTOLIC), len(SYSTOLIC))
    plain = "(DICTIONARY_SIZE_LIMIT 0, STRING_DICTIONARY_PAGE_SIZE_LIMIT 1)"
    queries = {
        "text.parquet": (f"SELECT {smoking} AS smoking, {systolic} AS systolic FROM range({rows})", ""),
        "plain.parquet": (f"SELECT {smoking} AS smoking, {systolic} AS systolic FROM range({rows})", plain),
        "hostile.parquet": (
            f"SELECT 'person ' || hash(range) AS smoking, 'x' || range AS systolic FROM range({rows})",
            "",
        ),
        "million.csv": (
            f"SELECT range AS id, {smoking} AS smoking, {systolic} AS systolic, random() AS score, "
            f"(random() * 100)::INT AS age, 'city ' || (random() * 1000)::INT AS city FROM range(1000000)",
            "(HEADER)",
        ),
    }
    for name, (query, options) in queries.items():
        connection.execute(f"COPY ({query}) TO '{folder / name}' {options}")
    return {name: folder / name for name in queries}


def timed(action: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def compare(label: str, ours: Callable[[], object], bare: Callable[[], object]) -> None:
    """Print the medians of both and of their ratio, interleaved."""
    ours(), bare()
    pairs = [(timed(ours), timed(bare)) for _ in range(REPEATS)]
    ratio = statistics.median(a / b for a, b in pairs)
    mine, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"{label:<44} {mine:8.3f} s   bare {theirs:8.3f} s   ratio {ratio:5.2f}")


def memory(label: str, path: Path) -> None:
    """Print the peak resident memory and the time of count and table in a fresh process."""
    code = _CHILD.format(folder=str(Path(__file__).parent), path=str(path))
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    peak, seconds = map(float, out.split())
    print(f"{label:<44} {seconds:8.3f} s   peak {peak:6.0f} MB")


def main(rows: int) -> None:
    """Make the files and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(Path(folder), rows)
        bare = duckdb.connect()
        for name in ("text.parquet", "plain.parquet"):
            query = f"SELECT smoking, systolic, count(*) FROM '{files[name]}' GROUP BY ALL"
            source = open_source(files[name], SCHEMA)
            compare(f"{name}: table", lambda s=source: s.tabulate(PAIR), lambda q=query: bare.sql(q).fetchall())
        path = files["million.csv"]
        count = f"SELECT count(*) FROM read_csv('{path}')"
        group = f"SELECT smoking, systolic, count(*) FROM read_csv('{path}') GROUP BY ALL"
        source = open_source(path, SCHEMA)
        compare("million.csv: count", source.count_rows, lambda: bare.sql(count).fetchall())
        compare("million.csv: table", lambda: source.tabulate(PAIR), lambda: bare.sql(group).fetchall())

        def whole() -> None:
            opened = open_source(path, SCHEMA)
            opened.count_rows(), opened.tabulate(PAIR)

        compare("million.csv: open, count and table / bare count", whole, lambda: bare.sql(count).fetchall())
        for name, file in files.items():
            memory(f"{name}: {file.stat().st_size / 1e6:.0f} MB on disk", file)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000_000)
