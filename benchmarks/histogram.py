"""A histogram of a 20-million-row Parquet column beside bare DuckDB, and the risk study of the perturbed histogram."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import numpy as np
from report import Row, interleaved, seconds

from discreet import Bounded, Curator, PureDP, Schema
from discreet.lab import BetaMixture, histogram_risk

ROWS = 20_000_000
CELLS = 50
SCHEMA = Schema({"share": Bounded(0, 1), "age": Bounded(0, 120, step=1)})
SERIES = Schema({"share": Bounded(0, 1)})


def make_file(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT random() AS share, (random() * 120)::INT AS age FROM range({ROWS})) TO '{path}' (FORMAT parquet)"
        )


def job(path: Path, column: str) -> None:
    with Curator(path, SCHEMA, budget=PureDP(1)) as curator:
        curator.histogram(column, CELLS if column == "share" else 40, PureDP(1))


def bare(path: Path, column: str) -> None:
    """Cut and counted, without clamping, coding or missing values."""
    cut = f"floor(share * {CELLS})::INT" if column == "share" else "age // 3"
    with duckdb.connect() as connection:
        connection.execute(f"SELECT {cut} AS cell, count(*) FROM '{path}' GROUP BY cell").fetchall()


def series(path: Path) -> None:
    with Curator(path, SERIES, budget=PureDP(1)) as curator:
        curator.series("share", 20, PureDP(1))


def risks() -> None:
    bins = np.unique(np.linspace(2, 100, 40).round().astype(int)).tolist()
    histogram_risk(BetaMixture([(10, 10)]), 1000, 0.1, bins, 20_000, 1)


def main() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        make_file(path)
        for column in ("share", "age"):
            ours, theirs, ratio = interleaved(
                lambda column=column: job(path, column), lambda column=column: bare(path, column), 7
            )
            rows.append(
                Row(
                    f"Curator.histogram of {ROWS:,} rows, Parquet, {column} [ratio 1.2]",
                    f"{ours:.3f} s",
                    f"bare DuckDB, connect, cut and GROUP BY {theirs:.3f} s",
                    ratio,
                )
            )
        rows.append(
            Row(f"Curator.series of {ROWS:,} rows, 20 terms", f"{seconds(lambda: series(path)):.3f} s", "", None)
        )
    rows.append(
        Row("histogram_risk: 20,000 simulations x 40 numbers of cells [20 s]", f"{seconds(risks):.1f} s", "", None)
    )
    return rows


if __name__ == "__main__":
    from report import show

    show(main())
