"""`discreet test independence --many`: many tables from one file, the numbers of the library, bad tables named."""

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet.inference import adjust_pvalues, independence_many
from discreet.noise import Gaussian, Laplace

RNG = np.random.default_rng(1)
CELLS = RNG.poisson(60, (30, 2, 3)) + RNG.normal(0, 2.8, (30, 2, 3))
CELLS[4, 0] = -3.0
PVALUES = independence_many(np.delete(CELLS, 4, 0), Gaussian(2.8))


def long(cells: np.ndarray, first: int = 0) -> pl.DataFrame:
    """Tables in long form, their lines shuffled."""
    m, r, c = cells.shape
    table, row, column = np.indices(cells.shape).reshape(3, -1)
    frame = pl.DataFrame(
        {
            "table": [f"gene {first + t}" for t in table],
            "row": [f"r{i}" for i in row],
            "column": [f"c{j}" for j in column],
            "count": cells.ravel(),
            "n": np.full(m * r * c, 360),
        }
    )
    return frame.sample(fraction=1.0, shuffle=True, seed=1)


@pytest.fixture(autouse=True)
def _files(study: Path) -> None:
    long(CELLS).write_parquet("many.parquet")
    long(CELLS).write_csv("many.csv")


def pvalues(data: dict) -> dict[str, float | None]:
    return {result["table"]: result["pvalue"] for result in data["results"]}


@pytest.mark.parametrize("file", ["many.parquet", "many.csv"])
def test_the_numbers_are_the_librarys(discreet, file) -> None:
    data = discreet("test", "independence", "--many", file, "--noise", "gaussian:2.8", "--json").data()
    found = pvalues(data)
    assert len(found) == data["tables"] == 30
    assert found.pop("gene 4") is None
    expected = dict(zip([f"gene {k}" for k in range(30) if k != 4], PVALUES, strict=True))
    assert found == pytest.approx(expected, rel=1e-9)
    assert data["warnings"] == [data["warnings"][0]]
    assert "1 of 30 tables have no p-value (0 lack a cell): gene 4; " in data["warnings"][0]


@pytest.mark.parametrize("method", ["holm", "benjamini-hochberg", "benjamini-yekutieli"])
def test_adjusted_pvalues_and_the_file_of_them(discreet, method) -> None:
    command = ("test", "independence", "--many", "many.parquet", "--noise", "gaussian:2.8", "--adjust", method)
    data = discreet(*command, "--output", "p.csv", "--json").data()
    with Path("p.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["table"] for line in lines] == [result["table"] for result in data["results"]]
    adjusted = adjust_pvalues([np.nan if r["pvalue"] is None else r["pvalue"] for r in data["results"]], method)
    for line, result, value in zip(lines, data["results"], adjusted, strict=True):
        if result["pvalue"] is None:
            assert (line["pvalue"], line["adjusted"], result["adjusted"]) == ("", "", None)
        else:
            assert (float(line["pvalue"]), float(line["adjusted"])) == (result["pvalue"], result["adjusted"])
            assert result["adjusted"] == pytest.approx(value)
    assert "exists" in discreet(*command, "--output", "p.csv").refused()
    discreet(*command, "--output", "p.csv", "--force").done()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_readable_result(discreet, monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = discreet(
        "test", "independence", "--many", "many.parquet", "--noise", "gaussian:2.8", "--adjust", "holm", "-o", "p.csv"
    ).done()
    assert "tested       29 of 30 tables" in shown
    assert "estimated in each table" in shown
    assert "gene 4" in shown
    assert "adjusted" in shown
    assert "saved        p.csv" in shown
    assert max(map(len, shown.splitlines())) <= width


def test_a_public_n_as_a_number_or_a_column(discreet) -> None:
    command = ("test", "independence", "--many", "many.parquet", "--noise", "gaussian:2.8", "--json")
    number, column = discreet(*command, "--n", 360).data(), discreet(*command, "--n", "n").data()
    assert (number["n"], column["n"]) == (360, "n")
    assert number["results"] == column["results"]
    estimated = discreet(*command).data()
    assert estimated["results"] != number["results"]


def test_other_names_and_laws(discreet) -> None:
    renamed = long(CELLS).rename({"table": "gene", "row": "arm", "column": "allele", "count": "noisy"})
    renamed.write_parquet("renamed.parquet")
    data = discreet(
        *("test", "independence", "--many", "renamed.parquet", "--table", "gene", "--rows", "arm"),
        *("--columns", "allele", "--count", "noisy", "--noise", "laplace:2", "--seed", 3, "--json"),
    ).data()
    found = [result["pvalue"] for result in data["results"] if result["pvalue"] is not None]
    cells = {f"gene {k}": CELLS[k] for k in range(30)}
    order = [result["table"] for result in data["results"]]
    expected = independence_many(np.array([cells[name] for name in order if name != "gene 4"]), Laplace(2.0), rng=5)
    assert found == pytest.approx(expected, rel=0.1)


def test_tables_of_several_shapes_and_incomplete_ones(discreet) -> None:
    square = RNG.poisson(60, (5, 2, 2)) + RNG.normal(0, 2.8, (5, 2, 2))
    flat = RNG.poisson(60, (2, 1, 3)) + 0.5
    mixed = pl.concat([long(CELLS[:3]), long(square, 3), long(flat, 8)])
    missing = long(CELLS[5:6], 10).filter(~((pl.col("row") == "r1") & (pl.col("column") == "c2")))
    pl.concat([mixed, missing]).write_parquet("mixed.parquet")
    data = discreet("test", "independence", "--many", "mixed.parquet", "--noise", "gaussian:2.8", "--json").data()
    found = pvalues(data)
    assert [found[f"gene {k}"] for k in range(3)] == pytest.approx(independence_many(CELLS[:3], Gaussian(2.8)))
    assert [found[f"gene {k}"] for k in range(3, 8)] == pytest.approx(independence_many(square, Gaussian(2.8)))
    assert [found[f"gene {k}"] for k in (8, 9, 10)] == [None] * 3
    assert "3 of 11 tables have no p-value (1 lack a cell)" in data["warnings"][0]


@pytest.mark.parametrize(
    ("arguments", "words", "status"),
    [
        (("--many", "many.parquet"), "--many needs --noise", 2),
        (("--many", "none.parquet", "--noise", "laplace:4"), "there is no file", 1),
        (("--many", "czech.toml", "--noise", "laplace:4"), "ends in .csv or .parquet", 1),
        (("--many", "czech.csv", "--noise", "laplace:4"), "has no column 'table'; its columns are 'smoking'", 1),
        (("--many", "many.csv", "--noise", "laplace:4", "--count", "row"), "must hold numbers", 1),
        (("--many", "many.csv", "--noise", "laplace"), "such as laplace:4", 1),
        (("--many", "many.csv", "--noise", "cauchy:4"), "one of laplace, gaussian, projected-gaussian", 1),
        (("--many", "many.csv", "--noise", "laplace:much"), "must be a number", 1),
        (("--many", "many.csv", "--noise", "laplace:-1"), "scale", 1),
        (("--many", "many.csv", "--noise", "laplace:4", "--adjust", "fdr"), "method must be one of", 1),
        (("--many", "many.csv", "--noise", "laplace:4", "--n", "-5"), "positive number", 1),
        (("--many", "many.csv", "--noise", "laplace:4", "--plot", "p.png"), "--plot is for a single release", 2),
        (("--many", "many.csv", "--noise", "laplace:4", "-o", "many.csv", "--force"), "another file", 1),
        (("--many", "many.csv", "--noise", "laplace:4", "--statistic", "chi3"), "statistic must be", 1),
        (("t.json", "--many", "many.csv", "--noise", "laplace:4"), "not both", 2),
        (("t.json", "--noise", "laplace:4"), "go with --many only", 2),
        ((), "missing argument", 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_refused(discreet, arguments, words, status) -> None:
    assert words in discreet("test", "independence", *arguments).refused(status)


def test_two_counts_for_one_cell(discreet) -> None:
    pl.concat([long(CELLS), long(CELLS[:1])]).write_parquet("twice.parquet")
    refused = discreet("test", "independence", "--many", "twice.parquet", "--noise", "laplace:4").refused()
    assert "table 'gene 0' has two counts" in refused


def test_a_file_that_is_none(discreet) -> None:
    Path("broken.parquet").write_bytes(b"PAR1 and then nothing")
    assert (
        "cannot be read as PARQUET"
        in discreet("test", "independence", "--many", "broken.parquet", "--noise", "laplace:4").refused()
    )
