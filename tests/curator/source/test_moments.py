"""Sums, products and histograms of codes: the same integers from every engine, and those of an oracle in Python's integers."""

from __future__ import annotations

import datetime
import decimal
import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.curator.source import Source, open_source
from discreet.curator.source.frames import FrameReader
from discreet.errors import InvalidInput, SourceError
from discreet.schema import Bounded, Schema

NAN, INF = float("nan"), float("inf")
D = decimal.Decimal
DAY = datetime.date(2024, 1, 31)


GRIDS = {
    "tenths": Bounded(0, 1, step=0.1),
    "whole": Bounded(-5, 5, step=1, missing=2),
    "default": Bounded(0, 100),
    "fine": Bounded(-1e6, 1e6, step=0.01, missing=1e6),
    "wide": Bounded(0, 2**60, step=2**40),
    "one step": Bounded(0, 1, step=1),
    "finest": Bounded(-1, 1, step=1e-9),
}

CASES: dict[str, tuple[list[Any], pa.DataType]] = {
    "floats": ([0.3, 0.35, 0.05, NAN, None, INF, -INF, -0.0, 5e-324, -5e-324, 1e308, -1e308,
                0.5, 2.5, 2.4999, 0.1 + 0.2, 1.0], pa.float64()),
    "only nulls": ([None, None], pa.float64()),
    "only NaN": ([NAN, NAN], pa.float64()),
    "null type": ([None, None, None], pa.null()),
    "no records": ([], pa.float64()),
    "no records of text": ([], pa.string()),
    "single floats": ([0.1, 0.35, NAN, None, INF, 3.4e38, 1e-45, 16777217.0], pa.float32()),
    "integers": ([0, 1, -1, None, 2**53, 2**53 + 1, 2**63 - 1, -(2**63),
                  2**60, 2**60 - 1, 2**59 + 2**39, 2**59 + 2**39 - 1], pa.int64()),
    "integers without null": ([3, 2**53 + 1, -7], pa.int64()),
    "small integers": ([0, 127, -128, None], pa.int8()),
    "unsigned": ([0, 2**64 - 1, 2**63, 2**53 + 1, None, 2**60 - 1], pa.uint64()),
    "booleans": ([True, False, None, True], pa.bool_()),
    "booleans without null": ([True, False, True], pa.bool_()),
    "decimals": ([D("0.35"), D("0.3"), D("-7"), D("1E+9"), None, D("0.0001")], pa.decimal128(20, 4)),
    "wide decimals": ([D("0.3499999999999999999999999999"), D("0.35"), D("9999999999.5"), None], pa.decimal128(38, 28)),
    "text": (["0.3", ".35", "1e-1", " 2 ", "+3", "5.", "x", "", None, "1_0", "nan", "inf", "-Infinity", "1e400", "true",
              "FALSE", "yes", "0x1", "1,5", "\u0663", "9007199254740993", "0." + "3" * 2000,
              "-0", "+-1", "1\x1f", "tru\u00e9"], pa.string()),
    "large strings": (["0.3", "x", None], pa.large_string()),
    "dictionary": (["0.3", "x", None, "0.3"], pa.dictionary(pa.int32(), pa.string())),
    "dates": ([DAY, None], pa.date32()),
    "timestamps": ([datetime.datetime(1970, 1, 1, 0, 0, 1), None], pa.timestamp("us")),
    "time zones": ([datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC), None], pa.timestamp("ns", tz="UTC")),
    "times": ([datetime.time(0, 0, 1), None], pa.time64("us")),
    "durations": ([datetime.timedelta(seconds=1), None], pa.duration("us")),
    "lists": ([[1.0], [], None], pa.list_(pa.float64())),
    "records": ([{"a": 1.0}, None], pa.struct([("a", pa.float64())])),
    "bytes": ([b"1", b"\xff", None], pa.binary()),
}  # fmt: skip
TEXTS = {"text", "large strings", "dictionary", "no records of text"}


def _place(value: Any) -> Fraction | float | None:
    """The number a value is, exactly and as it prints; None where it is missing. Written apart from the package."""
    if isinstance(value, str):
        if value.lower() in ("true", "false"):
            return Fraction(value.lower() == "true")
        plain = value.strip(" \t\n\v\f\r")
        if plain.lower().lstrip("+-") in ("inf", "infinity"):
            return -INF if plain.startswith("-") else INF
        if not plain or "_" in plain or set(plain.lower()) - set("0123456789.e+-"):
            return None
        try:
            return Fraction(D(plain))
        except decimal.InvalidOperation:
            return None
    if isinstance(value, bool | int | D):
        return Fraction(value)
    if isinstance(value, float) and not math.isnan(value):
        return value if math.isinf(value) else Fraction(D(repr(value)))
    return None


def oracle(column: Bounded, value: Any) -> int:
    place = _place(value)
    if place is None:
        return column.missing_code
    lower, upper = column.exact_bounds
    if place <= lower or place >= upper:
        return 0 if place <= lower else column.steps
    # A number beyond 17 digits counts as its nearest double.
    rounded = Fraction(D(repr(float(place)))) if float(place) != place else place
    return math.floor((rounded - lower) / column.exact_step + Fraction(1, 2))


def expected_moments(codes: list[list[int]]) -> tuple[int, tuple[int, ...], tuple[tuple[int, ...], ...]]:
    products = tuple(tuple(sum(a * b for a, b in zip(x, y, strict=True)) for y in codes) for x in codes)
    return len(codes[0]), tuple(map(sum, codes)), products


def as_tuples(found: Any) -> list[tuple[int, tuple[int, ...], tuple[tuple[int, ...], ...]]]:
    return [(part.n, part.sums, part.products) for part in found]


@pytest.mark.parametrize("case", CASES)
def test_every_engine_gives_the_integers_of_the_oracle(case: str, numeric_engine: Any, request: Any) -> None:
    if case == "durations" and "parquet" in request.node.name:
        pytest.skip("Parquet has no durations: the file holds integers")
    values, dtype = CASES[case]
    array = pa.array(values, dtype)
    held = array.to_pylist()  # single floats as the doubles they are
    records = numeric_engine(pa.table(dict.fromkeys(GRIDS, array)))
    if "ibis postgres" in request.node.name and case in TEXTS:
        with pytest.raises(InvalidInput, match=r"column 'tenths' holds text, and PostgreSQL has no way .* cast it"):
            open_source(records, Schema(GRIDS))
        return
    source = open_source(records, Schema(GRIDS))
    codes = {name: [oracle(column, value) for value in held] for name, column in GRIDS.items()}
    (found,) = source.sums(list(GRIDS), products=True)
    assert (found.n, found.sums, found.products) == expected_moments(list(codes.values()))
    assert all(type(number) is int for number in [found.n, *found.sums, *itertools.chain(*found.products)])
    (plain,) = source.sums(["whole"], products=False)
    assert (plain.n, plain.sums, plain.products) == (len(values), (sum(codes["whole"]),), ())
    for name in ("tenths", "whole", "one step"):
        counts = source.count_codes(name)
        assert counts == [codes[name].count(j) for j in range(GRIDS[name].steps + 1)]
        assert all(type(number) is int for number in counts)
    chosen, bins = ["default", "fine", "tenths"], [7, 64, 4]
    cells = [0] * math.prod(bins)
    for row in zip(*(codes[name] for name in chosen), strict=True):
        cell = 0
        for j, name, m in zip(row, chosen, bins, strict=True):
            cell = cell * m + min(m - 1, j * m // GRIDS[name].steps)
        cells[cell] += 1
    assert source.count_bins(chosen, bins) == cells


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize(
    ("labels", "values", "dtype"),
    [
        (["b", "a"], ["a", "b", None, "z", "a", "b"], pa.string()),
        ([1, 0], [0, 1, None, 7, 0, 1], pa.int64()),
        ([True, False], [False, True, None, None, False, True], pa.bool_()),
        (["never"], ["a", "b", None, "z", "a", "b"], pa.string()),
        (["a"], [[1], [2], None, [3], [4], [5]], pa.list_(pa.int64())),
        (["b", "a"], ["a", "b", None, "z", "a", "b"], pa.dictionary(pa.int8(), pa.string())),
    ],
)
def test_groups(
    numeric_engine: Any, complete: bool, labels: list[Any], values: list[Any], dtype: pa.DataType, request: Any
) -> None:
    x: list[Any] = [0.1, 0.2, 0.3, NAN, None, 9.0]
    y: list[Any] = ["1", "2", "x", "4", "5", None]
    if "ibis postgres" in request.node.name:  # numbers that are text are refused there
        y = [1.0, 2.0, None, 4.0, 5.0, None]
    schema = Schema(
        {"g": labels, "x": Bounded(0, 1, step=0.1), "y": Bounded(0, 1e6, step=0.01)}, fixed="g", complete=complete
    )
    source = open_source(numeric_engine(pa.table({"x": x, "g": pa.array(values, dtype), "y": y})), schema)
    groups: list[list[list[int]]] = [[[], []] for _ in range(len(labels) + (not complete))]
    for label, *row in zip(values, x, y, strict=True):
        which = labels.index(label) if label in labels else (0 if complete else len(labels))
        for column, name, value in zip(groups[which], ("x", "y"), row, strict=True):
            column.append(oracle(schema.numeric(name), value))
    found = source.sums(("x", "y"), products=True)
    assert as_tuples(found) == [expected_moments(codes) for codes in groups]
    if "never" not in labels:
        assert source.count_groups() == [part.n for part in found]


def test_no_records_with_groups(numeric_engine: Any) -> None:
    schema = Schema({"g": ["a", "b"], "x": Bounded(0, 1)}, fixed="g")
    table = pa.table({"x": pa.array([], pa.float64()), "g": pa.array([], pa.string())})
    source = open_source(numeric_engine(table), schema)
    assert as_tuples(source.sums(["x"], products=True)) == [(0, (0,), ((0,),))] * 3
    assert source.count_codes("x") == [0] * (2**16 + 1)


def test_sums_beyond_64_bits(numeric_engine: Any) -> None:
    schema = Schema({"x": Bounded(0, 2**32, step=2), "y": Bounded(0, 2**31, step=1)})
    table = pa.table({"x": [2.0**32] * 9, "y": pa.array([2**31, 2**31 - 1, 3] * 3, pa.int64())})
    (found,) = open_source(numeric_engine(table), schema).sums(["x", "y"], products=True)
    y = 3 * (2**32 + 2)
    assert found.sums == (9 * 2**31, y)
    assert found.products == ((9 * 2**62, 2**31 * y), (2**31 * y, 3 * (2**62 + (2**31 - 1) ** 2 + 9)))


NASTY = st.one_of(
    st.floats(),
    st.sampled_from(
        [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, -0.0, 5e-324, 1.0, 0.3, NAN, INF, -INF]
    ),
    st.floats(-0.2, 1.2),
    st.none(),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(NASTY, NASTY, st.sampled_from(["a", "b", "c", None])), max_size=30))
def test_random_records_in_every_engine(in_memory: Any, rows: list[tuple[Any, Any, Any]]) -> None:
    columns = {"x": Bounded(0, 1, step=0.1), "y": Bounded(-1, 2, missing=0.2)}
    schema = Schema({**columns, "g": ["a", "b"]}, fixed="g")
    x, y, g = ([row[i] for row in rows] for i in range(3))
    table = pa.table({"x": pa.array(x, pa.float64()), "y": pa.array(y, pa.float64()), "g": pa.array(g, pa.string())})
    answers = []
    for build in in_memory.values():
        source = open_source(build(table), schema)
        answers.append((as_tuples(source.sums(["x", "y"], products=True)), source.count_bins(["y", "x"], [50, 3])))
    assert all(answer == answers[0] for answer in answers)
    counts = [0] * 11
    for value in x:
        counts[oracle(columns["x"], value)] += 1
    if not any(_is_close_to_a_tie(value) for value in x):
        assert source.count_codes("x") == counts


def _is_close_to_a_tie(value: float | None) -> bool:
    place = None if value is None or not math.isfinite(value) else Fraction(D(repr(value))) * 10 + Fraction(1, 2)
    return place is not None and 0 < math.ceil(place) - place < Fraction(1, 2**44)


def test_many_blocks_add_up() -> None:
    """More records than one block, in an order that mixes the groups; NumPy's integers are wide enough here."""
    rng = np.random.default_rng(7)
    n = 300_001
    x, y, g = rng.random(n), rng.normal(size=n), rng.integers(0, 4, n)
    schema = Schema({"x": Bounded(0, 1), "y": Bounded(-2, 2, step=1e-6), "g": [0, 1, 2]}, fixed="g")
    table = pa.table({"x": x, "y": y, "g": g})
    a = np.floor(x * 65536 + 0.5).astype(np.int64)
    b = np.floor((np.clip(y, -2, 2) + 2) * 1e6 + 0.5).astype(np.int64)
    expected = []
    for label in (0, 1, 2, 3):
        p, q = a[g == label], b[g == label]
        pq_, qq = int((p * q).sum()), sum(int(v) ** 2 for v in q)
        expected.append((len(p), (int(p.sum()), int(q.sum())), ((int((p * p).sum()), pq_), (pq_, qq))))
    for source in (table, table.to_pandas(), pl.from_arrow(table), pl.from_arrow(table).lazy(), _relation(table)):
        assert as_tuples(open_source(source, schema).sums(["x", "y"], products=True)) == expected


def _relation(table: pa.Table) -> Any:
    return duckdb.connect().from_arrow(table)


@pytest.mark.parametrize("bins", [1, 2, 3, 7, 40, 254, 255, 256, 1000, 65_535, 65_536, 70_000])
def test_bins_of_every_code(bins: int) -> None:
    """All codes of grids whose number of steps the bins divide or not, in DuckDB's arithmetic and in Python's."""
    for steps in (1, 2, 3, 10, 254, 255, 256, 999, 2**16):
        codes = np.array([*range(steps + 1), -3, steps + 1, steps + 300])
        table = pa.table({"x": pa.array([*codes.tolist(), None, NAN, INF], pa.float64())})
        clamped = [*np.clip(codes, 0, steps).tolist(), steps // 2, steps // 2, steps]
        expected = [0] * bins
        for j in clamped:
            expected[min(bins - 1, j * bins // steps)] += 1
        schema = Schema({"x": Bounded(0, steps, step=1)})
        assert open_source(_relation(table), schema).count_bins(["x"], [bins]) == expected
        assert open_source(table, schema).count_bins(["x"], [bins]) == expected


def test_bins_of_the_finest_grid() -> None:
    """Codes just below and at the edges of bins, where the products come near to 2**53."""
    steps = 2**31 - 1
    for bins in (3, 40, 255, 65_535, 2**22 + 1):
        edges = {-(-b * steps // bins) + shift for b in range(0, bins + 1, max(1, bins // 500)) for shift in (-1, 0, 1)}
        codes = sorted(j for j in edges if 0 <= j <= steps)
        expected = [0] * bins
        for j in codes:
            expected[min(bins - 1, j * bins // steps)] += 1
        source = open_source(
            _relation(pa.table({"x": pa.array(codes, pa.float64())})), Schema({"x": Bounded(0, steps, step=1)})
        )
        assert source.count_bins(["x"], [bins]) == expected


def test_an_engine_that_narwhals_alone_knows() -> None:
    """A lazy frame of an engine other than Polars, for which DuckDB stands in here."""
    table = pa.table(
        {
            "x": [0.1, 0.25, NAN, None, INF, -INF, 9.0],
            "n": pa.array([2**62, -1, 3, None, 0, 1, 2], pa.int64()),
            "t": ["0.5", "x", None, "1", "TRUE", "0.25", "7"],
            "d": pa.array([DAY] * 7),
            "b": [True, False, None, True, True, True, True],
            "g": ["a", "b", "a", "z", None, "b", "a"],
        }
    )
    columns = dict.fromkeys("xntdb", Bounded(0, 1, step=0.1, missing=0.2))
    for names in (list("xndb"), list("xntdb"), ["d"], ["x"]):
        for fixed in (None, "g"):
            schema = Schema({**columns, "g": ["b", "a"]}, fixed=fixed)
            lazy = Source(FrameReader(nw.from_native(_relation(table))), schema)
            eager = open_source(table, schema)
            assert as_tuples(lazy.sums(names, products=True)) == as_tuples(eager.sums(names, products=True))
            assert as_tuples(lazy.sums(names, products=False)) == as_tuples(eager.sums(names, products=False))
            assert lazy.count_bins(names, [3] * len(names)) == eager.count_bins(names, [3] * len(names))
            assert lazy.diagnose() == eager.diagnose()


# What only one library can hold.


def _codes(values: Any, column: Bounded | None = None) -> list[int]:
    return open_source(pd.DataFrame({"a": values}), Schema({"a": column or Bounded(0, 2, step=1)})).count_codes("a")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.Series([True, 1, 1.0, "1", "True", D(1), np.int8(1), np.float16(1), Fraction(1)], dtype=object), [0, 9, 0]),
        (pd.Series([None, NAN, pd.NA, pd.NaT, "x", [1], {2}, b"2", 2j, DAY, object()], dtype=object), [0, 11, 0]),
        (pd.Series([2, 10**400, -(10**400), INF], dtype=object), [1, 0, 3]),
        (pd.Categorical([0, 2, None, 2]), [1, 1, 2]),
        (pd.Categorical(["0", "two", None, "2"]), [1, 2, 1]),
        (pd.Categorical([True, False, None]), [1, 2, 0]),
        (pd.Categorical([], categories=["a"]), [0, 0, 0]),
        (pd.array([2, None, 0], dtype="Int64"), [1, 1, 1]),
        (pd.array([2**64 - 1, None], dtype="UInt64"), [0, 1, 1]),
        (pd.array([True, None, False], dtype="boolean"), [1, 2, 0]),
        (pd.array([0.5, None, 1.5], dtype="Float32"), [0, 2, 1]),
        (pd.array(["0", None, "2"], dtype="string"), [1, 1, 1]),
        (pd.arrays.SparseArray([2.0, 0.0, 0.0, NAN]), [2, 1, 1]),
        (np.array([2, 0], dtype=np.float16), [1, 0, 1]),
        (np.array([2, 0], dtype=np.complex128), [0, 2, 0]),
        (np.array([2, 0], dtype=">f8"), [1, 0, 1]),
        (np.array([2, 0], dtype=np.longdouble), [1, 0, 1]),
        (pd.period_range("2024-01", periods=2, freq="M"), [0, 2, 0]),
        (pd.interval_range(0, 2), [0, 2, 0]),
        (pd.to_datetime(["2024-01-01", None]), [0, 2, 0]),
        (pd.to_timedelta([0, None], unit="s"), [0, 2, 0]),
        (pd.Series([pd.Timestamp("2024-01-01")]).dt.tz_localize("Europe/Berlin"), [0, 1, 0]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_pandas_types(values: Any, expected: list[int]) -> None:
    assert _codes(values) == expected


def test_pandas_indexes_do_not_matter() -> None:
    schema = Schema({"a": Bounded(0, 9, step=1), "g": ["x", "y"]}, fixed="g")
    frame = pd.DataFrame({"a": pd.Series([1, "2", 3.0], dtype=object), "g": ["x", "y", "x"]})
    for index in ([7, 7, 7], [2, 0, 1], pd.MultiIndex.from_tuples([(1, 2), (1, 2), (3, 4)])):
        frame.index = pd.Index(index)
        assert [part.sums for part in open_source(frame, schema).sums(["a"], products=False)] == [(4,), (2,), (0,)]


def test_polars_types_eager_and_lazy() -> None:
    frame = pl.DataFrame(
        {
            "o": pl.Series(["1", 2, True, None, [1]], dtype=pl.Object),
            "c": pl.Series(["1", "2", "x", None, "1"], dtype=pl.Categorical),
            "e": pl.Series(["1", "2", "x", None, "1"], dtype=pl.Enum(["x", "2", "1"])),
            "i": pl.Series([1, 2, 10**30, None, -(10**30)], dtype=pl.Int128),
            "d": pl.Series([D("1"), D("2"), D("0.5"), None, D("1.5")], dtype=pl.Decimal(20, 2)),
            "a": pl.Series([[1.0], [2.0], None, [0.0], [0.0]], dtype=pl.Array(pl.Float64, 1)),
            "b": [1, 0, 2, 1, 1],
        }
    )
    names = list(frame.columns)
    schema = Schema(dict.fromkeys(names, Bounded(0, 2, step=1, missing=0)))
    expected = [[2, 2, 1], [2, 2, 1], [2, 2, 1], [2, 1, 2], [1, 2, 2], [5, 0, 0], [1, 3, 1]]
    for source in (frame, frame.lazy()):
        opened = open_source(source, schema)
        assert [opened.count_codes(name) for name in names] == expected
        (found,) = opened.sums(names, products=False)
        assert found.sums == tuple(b + 2 * c for _, b, c in expected)
        (found,) = opened.sums(names[1:], products=True)
        assert found.sums == tuple(b + 2 * c for _, b, c in expected[1:])


def test_pyarrow_dictionaries_of_numbers_in_chunks() -> None:
    chunks = pa.chunked_array([pa.array([1, 2, None]).dictionary_encode(), pa.array([0, 1]).dictionary_encode()])
    source = open_source(pa.table({"a": chunks}), Schema({"a": Bounded(0, 2, step=1, missing=2)}))
    assert source.count_codes("a") == [1, 2, 2]


def test_duckdb_types() -> None:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE t (h HUGEINT, u UHUGEINT, e ENUM('1', 'x'), d DECIMAL(4, 1), w DECIMAL(38, 10), "
        "c VARCHAR COLLATE NOCASE, j JSON, i INTERVAL, m TIMESTAMP, b BIT, s UUID)"
    )
    connection.execute(
        "INSERT INTO t VALUES (2::HUGEINT ** 126, 1, '1', 1.0, 0.5, 'TRUE', '1', INTERVAL 1 DAY, 'infinity', '1', uuid()), "
        "(-1, 2, 'x', 0.5, 2, 'yes', NULL, NULL, NULL, NULL, NULL)"
    )
    schema = Schema(dict.fromkeys("huedwcjimbs", Bounded(0, 2, step=1, missing=0)))
    source = open_source(connection.table("t"), schema)
    found = {name: source.count_codes(name) for name in schema}
    assert found == {
        "h": [1, 0, 1], "u": [0, 1, 1], "e": [1, 1, 0], "d": [0, 2, 0], "w": [0, 1, 1], "c": [1, 1, 0],
        **{name: [2, 0, 0] for name in "jimbs"},
    }  # fmt: skip


# Files, and what must never be shown.


def test_a_file_is_summed_within_its_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "hostile.parquet"
    duckdb.connect().execute(
        f"COPY (SELECT 'text ' || range AS g, range / 3e5 AS x, range || '.5' AS t FROM range(300000)) TO '{path}'"
    )
    schema = Schema({"g": ["a"], "x": Bounded(0, 1, step=0.5), "t": Bounded(0, 300_000, step=1)}, fixed="g")
    config = dict(__import__("discreet.curator.source.files", fromlist=["_CONFIG"])._CONFIG, memory_limit="30MB")
    monkeypatch.setattr("discreet.curator.source.files._CONFIG", config)
    source = open_source(path, schema)
    nothing, everything = source.sums(["x", "t"], products=True)
    assert nothing.n == 0
    assert (everything.n, everything.sums[1]) == (300_000, 300_000 * 300_001 // 2)
    assert source.count_codes("x") == [75_000, 150_000, 75_000]


@pytest.mark.parametrize("relation", [False, True])
@pytest.mark.parametrize("dtype", [pa.float64(), pa.float32()])
@pytest.mark.parametrize(
    "x", [[0.25, NAN, 0.5, NAN], [0.25, None, 0.5, NAN], [5.0, NAN, 6.0], [-5.0, NAN], [0.25, NAN, 7.0]]
)
def test_nan_that_the_statistics_of_a_file_leave_out(x: list[Any], dtype: Any, relation: bool, tmp_path: Path) -> None:
    """Such a Parquet file says that all its values lie in 0.25 ... 0.5, and DuckDB believes that it has no NaN."""
    path = tmp_path / "records.parquet"
    pq.write_table(pa.table({"x": pa.array(x, dtype)}), path)
    column = Bounded(0, 1, step=0.1, missing=0.9)
    source = open_source(duckdb.connect().read_parquet(str(path)) if relation else path, Schema({"x": column}))
    codes = [oracle(column, value) for value in x]
    (found,) = source.sums(["x"], products=True)
    assert (found.n, found.sums, found.products) == expected_moments([codes])
    assert source.count_codes("x") == [codes.count(j) for j in range(11)]
    assert source.count_bins(["x"], [3]) == [sum(min(2, j * 3 // 10) == b for j in codes) for b in range(3)]
    (flaws,) = source.diagnose().numbers
    missing = sum(value is None or value != value for value in x)
    assert (flaws.missing, flaws.below, flaws.above, flaws.not_numbers) == (
        missing,
        sum(value is not None and value < 0 for value in x),
        sum(value is not None and value > 1 for value in x),
        0,
    )


CANARY = "canary7391"


def _fails_silently(ask: Any) -> None:
    with pytest.raises(SourceError, match="the records cannot be read") as caught:
        ask()
    assert caught.value.__context__ is None
    assert CANARY not in repr(caught.value)


def test_engines_that_fail_show_no_value(tmp_path: Path) -> None:
    schema = Schema({"x": Bounded(0, 1)})
    failing = duckdb.connect().sql(
        f"SELECT CASE WHEN range < 5 THEN 1.5 ELSE error('{CANARY}') END AS x FROM range(10)"
    )
    cast = pl.LazyFrame({"x": ["1", CANARY]}).with_columns(pl.col("x").cast(pl.Float64))
    path = tmp_path / "records.csv"
    path.write_text(f"x,y\n1,2\n{CANARY}\n")
    broken = tmp_path / "records.parquet"
    pq.write_table(pa.table({"x": [f"{CANARY}{i}" for i in range(1000)]}), broken)
    whole = bytearray(broken.read_bytes())
    whole[20:400] = b"\xff" * 380
    broken.write_bytes(bytes(whole))
    for records in (failing, cast, path, broken):
        for ask in ("sums", "bins", "codes", "diagnose"):
            source = open_source(records, schema)
            _fails_silently(
                {
                    "sums": lambda source=source: source.sums(["x"], products=True),
                    "bins": lambda source=source: source.count_bins(["x"], [3]),
                    "codes": lambda source=source: source.count_codes("x"),
                    "diagnose": source.diagnose,
                }[ask]
            )


def test_a_closed_source_and_a_representation(numeric_engine: Any) -> None:
    source = open_source(numeric_engine(pa.table({"x": [0.25]})), Schema({"x": Bounded(0, 1)}))
    (found,) = source.sums(["x"], products=True)
    assert repr(found) == "<Moments of 1 columns: confidential>"
    source.close()
    _fails_silently(lambda: source.sums(["x"], products=False))


def test_columns_and_bins_asked_for() -> None:
    source = open_source(pa.table({"x": [1], "g": ["a"]}), Schema({"x": Bounded(0, 1), "g": ["a"]}))
    for columns in ([], ["x", "x"], "x", ["g"], ["z"]):
        with pytest.raises(InvalidInput):
            source.sums(columns, products=True)
    for bins in ([], [0], [1, 2], [True], [2.0], ["2"], 5):
        with pytest.raises(InvalidInput, match="bins must be one whole number from 1 for each of 1 columns"):
            source.count_bins(["x"], bins)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="at most 2\\*\\*24 are counted"):
        source.count_bins(["x"], [2**24 + 1])


@pytest.mark.parametrize("upper", [120, 10**6], ids=["groups first", "row by row"])
@pytest.mark.parametrize("outliers", [0, 2**17 + 1000], ids=["few values", "more values than are grouped"])
def test_integers_in_parquet_are_binned_alike_on_every_way(tmp_path: Path, upper: int, outliers: int) -> None:
    """By groups where the declared bounds hold few integers, else in SQL; also where outliers are too many to group."""
    rng = np.random.default_rng(3)
    values = [*rng.integers(-50, upper + 50, 3000).tolist(), *range(10**9, 10**9 + outliers), -(2**63), 2**63 - 1, None]
    path = tmp_path / "integers.parquet"
    pq.write_table(pa.table({"x": pa.array(values, pa.int64())}), path)
    column, size = Bounded(0, upper, step=1, missing=7), 40
    codes = [7 if v is None else min(max(v, 0), upper) for v in values]
    expected = np.bincount([min(j * size // upper, size - 1) for j in codes], minlength=size)
    assert open_source(path, Schema({"x": column})).count_bins(["x"], [size]) == expected.tolist()
