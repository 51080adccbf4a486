"""Tables of many cells: counted as arrays, drawn in chunks, stored in the ledger as a block, the same in every way."""

from __future__ import annotations

import duckdb
import numpy as np
import polars as pl
import pytest
from scipy import stats

from discreet import Curator, Ledger, PureDP, Schema, load
from discreet.curator import gate
from discreet.curator.ledger import book
from discreet.curator.source import open_source, table_files, tables
from discreet.errors import DiscreetError
from discreet.release.integers import Integers

SHAPE = (60, 50, 40)
NAMES = ["a", "b", "c"]
RECORDS = 150_000


def schema_of(complete: bool) -> Schema:
    return Schema({name: list(range(k)) for name, k in zip(NAMES, SHAPE, strict=True)}, complete=complete)


def records(strays: bool) -> tuple[pl.DataFrame, np.ndarray]:
    """Records at random, some with codes below or above the declared ones; and their counts, by NumPy."""
    rng = np.random.default_rng(19)
    codes = [rng.integers(-strays, k + strays, RECORDS) for k in SHAPE]
    known = np.all([(x >= 0) & (x < k) for x, k in zip(codes, SHAPE, strict=True)], axis=0)
    counts = np.zeros(SHAPE, int)
    np.add.at(counts, tuple(x[known] for x in codes), 1)
    return pl.DataFrame(dict(zip(NAMES, codes, strict=True))), np.append(counts.ravel(), RECORDS - known.sum())


def test_a_wide_table_from_the_file_to_the_ledger_and_back(tmp_path):
    """120,001 cells; the noise of all of them against its law (Kolmogorov, false alarm 1e-6), true counts subtracted."""
    frame, counts = records(strays=True)
    frame.write_parquet(tmp_path / "r.parquet")
    schema = schema_of(complete=False)
    Ledger.create(tmp_path / "l.ledger", PureDP(1))
    with Curator(tmp_path / "r.parquet", schema, ledger=tmp_path / "l.ledger") as curator:
        table = curator.table(NAMES, PureDP(1), request_id="wide")
        again = curator.table(NAMES, PureDP(1), request_id="wide")
        assert again == table
        assert curator.ledger.spent == 1.0
    stored = Ledger(tmp_path / "l.ledger").payload("wide")
    assert len(stored) < 8 * len(table.drawn)
    assert (tmp_path / "l.ledger").stat().st_size < 9 * len(table.drawn)
    noise = np.append(table.counts.ravel(), table.other) - counts
    assert stats.kstest(noise, stats.laplace(scale=table.scale).cdf).pvalue > 1e-6
    assert stats.kstest(noise * 1.05, stats.laplace(scale=table.scale).cdf).pvalue < 1e-6
    at_the_cut = noise[gate.CHUNK - 1 :: gate.CHUNK]
    assert len(set(at_the_cut.tolist())) == at_the_cut.size
    table.save(tmp_path / "t.parquet")
    assert load(tmp_path / "t.parquet") == table
    small = table.margin("b")
    assert small.drawn == [*table.drawn.array[:-1].reshape(SHAPE).sum((0, 2)).tolist(), table.drawn[-1]]


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("way", ["groups first", "row by row", "in parts", "polars", "pandas", "arrow"])
def test_every_way_of_counting_gives_the_counts_of_numpy(tmp_path, monkeypatch, way, complete):
    frame, counts = records(strays=not complete)
    source = {"polars": lambda: frame, "pandas": frame.to_pandas, "arrow": frame.to_arrow}.get(way)
    if source is None:
        frame.write_parquet(tmp_path / "r.parquet")
        monkeypatch.setattr(table_files, "_MOST_GROUPS", 10**7 if way == "groups first" else 1)
        monkeypatch.setattr(table_files, "_CELLS_AT_ONCE", 2**21 if way == "row by row" else 50_000)
    opened = open_source(tmp_path / "r.parquet" if source is None else source(), schema_of(complete))
    found = opened.tabulate(NAMES)
    assert isinstance(found, Integers)
    assert np.array_equal(found.array, counts[:-1] if complete else counts)
    turned = opened.tabulate(NAMES[::-1]).array
    assert np.array_equal(turned[: counts.size - 1], counts[:-1].reshape(SHAPE).transpose(2, 1, 0).ravel())


def test_the_groups_are_read_in_more_parts_where_memory_does_not_hold_them(tmp_path, monkeypatch):
    frame, counts = records(strays=True)
    frame.write_parquet(tmp_path / "r.parquet")
    monkeypatch.setattr(table_files, "_MOST_GROUPS", 1)
    read, count = [], tables.TableReader._row_by_row

    def fails_for_few_parts(self, columns, part=0, parts=1):
        read.append((part, parts))
        if parts < 16:
            raise duckdb.OutOfMemoryException("a value of a record")
        return count(self, columns, part, parts)

    monkeypatch.setattr(tables.TableReader, "_row_by_row", fails_for_few_parts)
    found = open_source(tmp_path / "r.parquet", schema_of(complete=False)).tabulate(NAMES)
    assert np.array_equal(found.array, counts)
    assert read == [(0, 1)] * 2 + [(0, 4)] * 2 + [(part, 16) for part in range(16)]


@pytest.mark.parametrize("value", [1, 2])
def test_dozens_of_columns_of_one_category_are_counted_in_blocks(tmp_path, monkeypatch, value):
    """Their combinations of known and stray pass 2^63, which one number for all of them could not tell apart."""
    monkeypatch.setattr(table_files, "_MOST_GROUPS", 1)
    names = [f"c{i}" for i in range(70)]
    frame = pl.DataFrame({name: [1, 1, value if i == 68 else 1] for i, name in enumerate(names)} | {"x": [1, 2, 3]})
    frame.write_parquet(tmp_path / "r.parquet")
    schema = Schema({name: [1] for name in names} | {"x": [1, 2, 3]})
    expected = [1, 1, 1, 0] if value == 1 else [1, 1, 0, 1]
    assert open_source(tmp_path / "r.parquet", schema).tabulate([*names, "x"]) == expected
    assert tables._blocks([2] * 70) == [slice(0, 62), slice(62, 70)]
    assert tables._blocks([100, 100, 1000]) == [slice(0, 3)]


@pytest.mark.parametrize("bad", [Integers([]), Integers([5, -1]), Integers([9, 5]), Integers([5, 2**70])])
def test_a_vector_that_is_not_as_promised_gives_the_constant_message(bad):
    with pytest.raises(
        DiscreetError, match=r"^the gate takes a nonempty sequence of integers from 0 to the public cap$"
    ):
        gate.draw_noise(bad, family="laplace", scale=4.0, cap=8)


def test_a_vector_and_a_list_are_drawn_alike(monkeypatch):
    seen = []
    monkeypatch.setattr(gate, "_measurement", lambda *_: lambda part: seen.append(part) or part.tolist())
    for exact in ([3, 0, 8], (3, 0, 8), Integers([3, 0, 8])):
        draw = gate.draw_noise(exact, family="laplace", scale=4.0, cap=8)
        assert draw.integers == [3 << 18, 0, 8 << 18]
        assert type(draw.integers) is Integers
    assert all(part.dtype == np.int64 and part.tolist() == [3 << 18, 0, 8 << 18] for part in seen)


def test_the_largest_numbers_do_not_overflow():
    """The cap and the scale that only just fit into 64 bits, with true counts at the cap."""
    cap = 2**43 - 200
    draw = gate.draw_noise([cap, 0], family="laplace", scale=1.0, cap=cap)
    assert abs(draw.integers[0] / 2**20 - cap) < 64
    assert abs(draw.integers[1]) < 64 * 2**20


@pytest.mark.parametrize("held", [1, 60, 10**6])
def test_large_payloads_are_read_one_by_one(tmp_path, monkeypatch, held):
    from discreet.privacy import Cost

    ledger = Ledger.create(tmp_path / "l.ledger", PureDP(1))
    for i in range(6):
        request = {
            "request_id": f"r{i}",
            "specification": "s",
            "adjacency": "replace-one",
            "unit": "record",
            "fixed": None,
        }
        ledger.charge(Cost("epsilon", 0.1), **request)
        if i != 3:
            ledger.record_release(f"r{i}", str(i) * 25)
    asked = []
    monkeypatch.setattr(book, "_HELD", held)
    with ledger._transaction(write=False) as opened:
        execute = opened.execute

        def watched(statement, values=()):
            asked.append(values)
            return execute(statement, values)

        monkeypatch.setattr(opened, "execute", watched, raising=False)
        found = [(row.request_id, payload) for row, payload in opened.released()]
    assert found == [(f"r{i}", str(i) * 25) for i in range(6) if i != 3]
    assert len(asked) - 1 == {1: 5, 60: 3, 10**6: 1}[held]
    Ledger(tmp_path / "l.ledger")  # opens: all seals agree
