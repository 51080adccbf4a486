"""The tables behind the figures, and the bench: the same numbers by any number of workers, and after an interruption."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from discreet.errors import InvalidInput
from discreet.lab.reproduce.bench import Bench, Job
from discreet.lab.reproduce.counts import BUNDLED, read

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_tables_that_come_with_the_package():
    czech, rochdale = read("czech"), read("rochdale")
    assert (int(czech.cells.sum()), czech.cells.shape) == (1841, (2,) * 6)
    assert (int(rochdale.cells.sum()), rochdale.cells.shape) == (665, (2,) * 8)
    assert int((rochdale.cells > 0).sum()) == 91
    sources = (BUNDLED / "README.md").read_text("utf-8")
    for file in BUNDLED.glob("*.csv"):
        assert f"`{file.name}`" in sources


def test_the_czech_table_is_that_of_the_example_records():
    table = read("czech")
    counted = np.zeros_like(table.cells)
    with (EXAMPLES / "czech.csv").open(newline="") as file:
        for record in csv.DictReader(file):
            where = (labels.index(record[name]) for name, labels in zip(table.names, table.labels, strict=True))
            counted[tuple(where)] += 1
    assert (counted == table.cells).all()


def test_margins():
    table = read("rochdale")
    both = table.margin("other_employed", "wife_age")
    assert (table.margin("wife_age", "other_employed") == both.T).all()
    parts = [table.margin("wife_age", husband_employed=level) for level in ("yes", "no")]
    assert (sum(parts) == table.margin("wife_age")).all()
    assert sorted(table.margin("wife_age", husband_employed="no").tolist()) == [37, 42]
    with pytest.raises(InvalidInput, match="no column 'dog', only wife_employed"):
        table.margin("dog")
    with pytest.raises(InvalidInput, match="asian has no category 'maybe', only"):
        table.margin("wife_age", asian="maybe")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must have a header and rows"),
        ("a,count\n", "must have a header and rows"),
        ("a,b,count\nx,3\n", "must have a header and rows"),
        ("a,count\nx,-3\n", "must hold counts"),
        ("a,count\nx,1.5\n", "must hold counts"),
        ("a,count\nx,\xb2\n", "must hold counts"),
    ],
)
def test_what_is_no_table(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match=words):
        read("t", tmp_path)
    (tmp_path / "t.csv").write_bytes(b"a,count\n\xff\xfe,1\n")
    with pytest.raises(InvalidInput, match="not a CSV file of text"):
        read("t", tmp_path)


def draws(shift, rng, count):
    return {"x": shift + rng.random(count)}


def jobs(count=40):
    return [Job(partial(draws, k), count, {"k": k}, chunk=10, work=k + 1.0) for k in range(3)]


def values(found):
    return [columns["x"].tolist() for columns in found]


def test_workers_do_not_change_numbers():
    pytest.importorskip("joblib")
    assert values(Bench(n_jobs=2).simulate(jobs(), 5)) == values(Bench().simulate(jobs(), 5))
    assert values(Bench().simulate(jobs(), 6)) != values(Bench().simulate(jobs(), 5))


def test_an_interrupted_figure_goes_on(tmp_path):
    pytest.importorskip("pyarrow")

    def stop(done, of):
        if done > 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Bench(progress=stop, store=tmp_path).simulate(jobs(), 5)
    kept = len(list(tmp_path.rglob("*.parquet")))
    assert 0 < kept < 12
    steps = []
    found = Bench(progress=lambda done, of: steps.append(done), store=tmp_path).simulate(jobs(), 5)
    assert len(list(tmp_path.rglob("*.parquet"))) == 12
    assert values(found) == values(Bench().simulate(jobs(), 5))
    assert steps == sorted(steps)
    assert steps[-1] == 1000
