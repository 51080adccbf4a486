"""The records of a person that count: the same integers on every engine, and those of the definition by brute force.

The brute force sorts the digests of all records of a person, as `discreet.curator.source.persons` states them; nothing of
what it is compared with is used.
"""

from __future__ import annotations

import datetime
import decimal
import hashlib
import json
import logging
import uuid
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.curator.source import open_source, persons
from discreet.errors import InvalidInput, SourceError
from discreet.schema import Bounded, Schema

NAN, INF = float("nan"), float("inf")
COLUMNS: dict[str, Any] = {
    "x": ["a", "b"],
    "y": [1, 2, 3],
    "n": Bounded(0, 10, step=1, missing=3),
    "m": Bounded(-1, 1, step=0.1),
}


def name_of(value: Any) -> str | None:
    """Whose record it is, from the specification alone: None is nobody else's."""
    if value is None or value != value:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if isinstance(value, float):
        return str(int(value)) if value == np.floor(value) and abs(value) < 2**63 else ""
    return str(value)


def that_count(
    who: list[Any], places: list[tuple[int, ...]], most: int, columns: list[str]
) -> Counter[tuple[int, ...]]:
    """The places of the records that count: of every person the `most` whose digests come first."""
    key = hashlib.md5(json.dumps(["who", *columns]).encode()).hexdigest()
    found: Counter[tuple[int, ...]] = Counter()
    records = defaultdict(list)
    for value, place in zip(who, places, strict=True):
        name = name_of(value)
        if name is None:
            found[place] += 1
        else:
            records[name].append(place)
    for name, own in records.items():
        digests, copies = [], Counter()
        for place in own:
            copies[place] += 1
            text = f"{key}|{','.join(map(str, place))}|{copies[place]}|{name}"
            digests.append((hashlib.md5(text.encode()).hexdigest(), place))
        found.update(place for _, place in sorted(digests)[:most])
    return found


def table_of(found: Counter[tuple[int, ...]], shape: tuple[int, ...], complete: bool) -> list[int]:
    counts = np.zeros(shape, int)
    other = 0
    for place, number in found.items():
        if min(place) < 0 and not complete:
            other += number
        else:
            counts[tuple(max(code, 0) for code in place)] += number
    return [*counts.ravel().tolist(), *([] if complete else [other])]


def records_of(n: int, seed: int) -> dict[str, Any]:
    """Columns x and y with strays, n and m with missing numbers; and their codes."""
    rng = np.random.default_rng(seed)
    x, y, number, small = (rng.integers(0, top, n).tolist() for top in (4, 5, 13, 40))
    return {
        "x": pa.array([("a", "b", "c", None)[i] for i in x], pa.string()),
        "y": pa.array([(1, 2, 3, 7, None)[i] for i in y], pa.int64()),
        "n": pa.array([(*range(11), -4, None)[i] for i in number], pa.int64()),
        "m": pa.array([round(-1.5 + 0.1 * i, 1) for i in small], pa.float64()),
        "codes": {
            "x": [(0, 1, -1, -1)[i] for i in x],
            "y": [(0, 1, 2, -1, -1)[i] for i in y],
            "n": [(*range(11), 0, 3)[i] for i in number],
            "m": [min(max(i - 5, 0), 20) for i in small],
        },
    }


def places_of(codes: dict[str, list[int]], columns: list[str], bins: list[int] | None = None) -> list[tuple[int, ...]]:
    if bins is None:
        return list(zip(*(codes[name] for name in columns), strict=True))
    steps = {"n": 10, "m": 20}
    cut = [
        [min(size - 1, code * size // steps[name]) for code in codes[name]]
        for name, size in zip(columns, bins, strict=True)
    ]
    return list(zip(*cut, strict=True))


def agrees(source: Any, seen: list[Any], codes: dict[str, list[int]], mosts: tuple[int, ...] = (2, 30)) -> None:
    """The tables and histograms of a source are those of the brute force; `seen` are the values of its unit."""
    for most in mosts:
        for columns, shape, complete in ((("y", "x"), (3, 2), False), (("x",), (2,), True)):
            opened = open_source(source, Schema(COLUMNS, unit="who", max_records=most, complete=complete))
            found = that_count(seen, places_of(codes, list(columns)), most, list(columns))
            assert opened.tabulate(columns) == table_of(found, shape, complete)
        for columns, bins in {("n",): [4], ("m", "n"): [20, 11]}.items():
            found = that_count(seen, places_of(codes, list(columns), bins), most, list(columns))
            assert opened.count_bins(columns, bins) == table_of(found, tuple(bins), True)


def sample(who: list[Any], dtype: pa.DataType, seed: int = 1) -> tuple[pa.Table, dict[str, list[int]]]:
    records = records_of(len(who), seed)
    codes = records.pop("codes")
    return pa.table({"who": pa.array(who, dtype), **records}), codes


RNG = np.random.default_rng(5)
STRANGE = [
    "p1", " p1", "p1 ", "P1", "it's", 'a "quoted" one', "\\", "\\n", "\\\\", "caf\u00e9", "cafe\u0301", "\U0001f600", "%s",
    "{x}", "null", "NaN", "7", "7.0", "07", "|", "1|2", ",", "a\nb", "x" * 500, "\u202e", "\ufeff",
]  # fmt: skip


def drawn(values: list[Any], n: int = 400) -> list[Any]:
    return [values[i] for i in RNG.integers(0, len(values), n)]


UNITS: dict[str, tuple[list[Any], pa.DataType]] = {
    "text": (drawn([f"p{i}" for i in range(60)]), pa.string()),
    "strange text": (drawn([*STRANGE, "", None]), pa.string()),
    "large strings": (drawn(STRANGE), pa.large_string()),
    "integers": (drawn(list(range(-20, 20))), pa.int64()),
    "integers with nulls": (drawn([*range(-20, 20), None]), pa.int64()),
    "small integers": (drawn([*range(-20, 20), None]), pa.int8()),
    "ids beyond the doubles": (drawn([2**53, 2**53 + 1, 2**63 - 1, 2**63 - 2, -(2**63), 1 - 2**63]), pa.int64()),
    "unsigned ids": (drawn([2**64 - 1, 2**64 - 2, 2**63, 2**53 + 1, 0]), pa.uint64()),
    "floats": (
        drawn([*map(float, range(12)), 2.0**53, 2.0**62, -0.0, 0.5, 1.5, 1e300, -1e19, INF, -INF, NAN, None]), pa.float64(),
    ),
    "single floats": (drawn([*map(float, range(12)), 2.0**24, 0.5, -0.0, INF, NAN, None]), pa.float32()),
    "dictionary": (drawn([*STRANGE, None]), pa.dictionary(pa.int32(), pa.string())),
    "dictionary of integers": (drawn([3, 5, 2**53 + 1, None]), pa.dictionary(pa.int32(), pa.int64())),
    "one person": (["p"] * 300, pa.string()),
    "nobody": ([None] * 300, pa.string()),
    "no records": ([], pa.string()),
}  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_every_engine_counts_the_records_of_the_definition(unit: str, engine: Any) -> None:
    who, dtype = UNITS[unit]
    table, codes = sample(who, dtype)
    agrees(engine(table), who, codes)


def test_a_csv_file_holds_the_same_persons(tmp_path: Path) -> None:
    """All its values are text; an empty one is null, whether quoted or not."""
    who = drawn([*STRANGE, "", 7, 2**64 - 1, None])
    records = records_of(len(who), 2)
    codes = records.pop("codes")
    lists = {"who": who, **{name: column.to_pylist() for name, column in records.items()}}
    pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in lists.items()}).to_csv(
        tmp_path / "records.csv", index=False, quoting=1
    )
    agrees(tmp_path / "records.csv", [str(value) if value else None for value in who], codes)


def test_python_objects_are_looked_at_one_by_one() -> None:
    class Name(str):
        def __str__(self) -> str:
            return "another"

    known = uuid.UUID("6f1c0000-0000-4000-8000-00000000abcd")
    odd = [
        True,
        False,
        0.5,
        decimal.Decimal(7),
        datetime.date(2024, 1, 1),
        b"7",
        ("7",),
        pd.Timestamp("2024-01-01"),
        object(),
        1e30,
    ]
    null = [None, NAN, pd.NA, pd.NaT, np.float64("nan")]
    alike = ["7", 7, 7.0, np.int8(7), np.float32(7), np.uint64(7), np.str_("7"), Name("7")]
    values = [*odd, *null, *alike, known, str(known), "\ud800", 2**64, 2**64 + 1, str(2**64)]
    who = [values[i] for i in RNG.integers(0, len(values), 400)]
    names = {id(value): None for value in null} | {id(value): "" for value in odd} | {id(value): "7" for value in alike}
    seen = [names[id(value)] if id(value) in names else str(value) for value in who]
    records = records_of(len(who), 3)
    codes = records.pop("codes")
    frame = pd.DataFrame(
        {"who": pd.Series(who, dtype=object), **{name: column.to_pandas() for name, column in records.items()}}
    )
    # half a surrogate pair cannot be hashed by the brute force's own encoding, so its person is renamed to no other one's
    keep = [value != "\ud800" for value in seen]
    frame, seen = frame[keep], [value for value, kept in zip(seen, keep, strict=True) if kept]
    agrees(
        frame, seen, {name: [c for c, kept in zip(column, keep, strict=True) if kept] for name, column in codes.items()}
    )
    alone = pd.DataFrame({"who": pd.Series(["\ud800"] * 9, dtype=object), "x": ["a"] * 9})
    assert open_source(alone, Schema({"x": ["a"]}, unit="who", max_records=4)).tabulate(["x"]) == [4, 0]


def test_enumerations_and_categories() -> None:
    who = drawn(["p", "q", "r", None])
    table, codes = sample(who, pa.string())
    enumerated = pl.from_arrow(table).with_columns(pl.col("who").cast(pl.Enum(["r", "q", "p"])))
    agrees(enumerated, who, codes)
    agrees(enumerated.lazy(), who, codes)
    frame = table.to_pandas()
    agrees(frame.assign(who=frame["who"].astype("category")), who, codes)
    mixed = drawn([7, "q", 2**53 + 1, None])
    agrees(frame.assign(who=pd.Categorical(mixed)), mixed, codes)
    chunks = pa.chunked_array([pa.array(who[:150]).dictionary_encode(), pa.array(who[150:]).dictionary_encode()])
    agrees(table.set_column(0, "who", chunks), who, codes)


def test_types_of_duckdb_and_the_settings_of_its_user() -> None:
    import duckdb

    who = drawn(["6f1c0000-0000-4000-8000-00000000abcd", "00000000-0000-4000-8000-000000000000", None])
    table, codes = sample(who, pa.string())
    connection = duckdb.connect()
    connection.register("records", table)
    agrees(connection.sql("SELECT * REPLACE (CAST(who AS UUID) AS who) FROM records"), who, codes)
    labels = ", ".join(f"'{name}'" for name in sorted(filter(None, set(who)), reverse=True))
    agrees(connection.sql(f"SELECT * REPLACE (CAST(who AS ENUM({labels})) AS who) FROM records"), who, codes)
    wide = drawn([2**100, 2**100 + 1, -(2**100), None])
    connection.register("wide", table.set_column(0, "who", pa.array([None if w is None else str(w) for w in wide])))
    agrees(connection.sql("SELECT * REPLACE (CAST(who AS HUGEINT) AS who) FROM wide"), wide, codes)
    for setting in ("default_order = 'DESC'", "default_null_order = 'NULLS_FIRST'", "default_collation = 'NOCASE'"):
        connection.execute(f"SET {setting}")
    named = drawn(["p", "P", "q", None])
    connection.register("named", table.set_column(0, "who", pa.array(named)))
    agrees(connection.sql("SELECT * FROM named"), named, codes)


def test_types_of_postgres(database: Any) -> None:
    one, other = "6f1c0000-0000-4000-8000-00000000abcd", "00000000-0000-4000-8000-000000000000"
    columns = {
        "u": ("uuid", [one, other, None]), "e": ("someone", ["p", "q", None]), "c": ("char(5)", ["p", "q  ", None]),
        "v": ("varchar(9) COLLATE nocase", ["p", "P", "q"]), "i": ("smallint", ["1", "2", None]),
        "d": ("client", ["1", "2", None]), "f": ("real", ["1", "0.5", "NaN"]),
    }  # fmt: skip
    n = 90
    who = {name: drawn(values, n) for name, (_, values) in columns.items()}
    records = records_of(n, 4)
    codes = records.pop("codes")
    with database.con.cursor() as cursor:
        cursor.execute("CREATE TYPE someone AS ENUM ('q', 'p')")
        cursor.execute("CREATE DOMAIN client AS bigint CHECK (value > 0)")
        cursor.execute("CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
        types = ", ".join(f"{name} {sql}" for name, (sql, _) in columns.items())
        cursor.execute(f"CREATE TABLE units ({types}, x text, y bigint, n bigint, m float8)")
        with cursor.copy("COPY units FROM STDIN") as copy:
            for row in zip(*who.values(), *(column.to_pylist() for column in records.values()), strict=True):
                copy.write_row(row)
    seen = who | {
        "c": [value if value is None else value.rstrip() for value in who["c"]],
        "f": [{"1": "1", "0.5": "", "NaN": None}[value] for value in who["f"]],
    }
    table = database.table("units")
    for name in columns:
        agrees(table.mutate(who=table[name]), seen[name], codes, (2,))
    for sql in ("numeric", "date", "bytea", "boolean", "int[]", "timestamptz", "interval"):
        with pytest.raises(InvalidInput, match="must hold text or whole numbers"):
            open_source(
                database.sql(f"SELECT NULL::{sql} AS who, 'a' AS x"), Schema({"x": ["a"]}, unit="who", max_records=1)
            )


REFUSED = {
    "dates": pa.date32(), "timestamps": pa.timestamp("us"), "booleans": pa.bool_(), "decimals": pa.decimal128(10, 1),
    "lists": pa.list_(pa.int64()), "bytes": pa.binary(), "time zones": pa.timestamp("us", tz="UTC"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_unit_that_cannot_tell_persons_apart_is_refused_by_its_type(case: str, engine: Any) -> None:
    """No record is read for it. A column of Python objects has no type that would say what they are."""
    table = pa.table({"who": pa.array([None, None], REFUSED[case]), "x": ["a", "b"]})
    source = engine(table)
    schema = Schema({"x": ["a", "b"]}, unit="who", max_records=2)
    frame = getattr(source, "_meta", source)
    if isinstance(frame, pd.DataFrame) and frame["who"].dtype == object:
        assert open_source(source, schema).tabulate(["x"]) == [1, 1, 0]
        return
    with pytest.raises(
        InvalidInput, match=r"the unit 'who' must hold text or whole numbers, which tell persons apart; it holds "
    ):
        open_source(source, schema)


def test_a_missing_unit_is_refused(engine: Any) -> None:
    source = engine(pa.table({"Who": ["p"], "x": ["a"]}))
    with pytest.raises(
        InvalidInput, match=r"unknown column, the unit of the schema 'who'; known: 'Who', 'x'; did you mean 'Who'"
    ):
        open_source(source, Schema({"x": ["a"]}, unit="who", max_records=2))


def test_no_order_of_rows_and_no_partition_matters(engine: Any) -> None:
    table, _ = sample(drawn([f"p{i}" for i in range(40)], 600), pa.string(), 6)
    schema = Schema(COLUMNS, unit="who", max_records=4)
    opened = open_source(engine(table), schema)
    shuffled = open_source(engine(table.take(np.random.default_rng(8).permutation(600))), schema)
    assert opened.tabulate(["x", "y"]) == shuffled.tabulate(["x", "y"])
    assert opened.count_bins(["n"], [10]) == shuffled.count_bins(["n"], [10])
    assert sum(opened.tabulate(["x", "y"])) == 160


def test_persons_with_about_as_many_records_as_count(engine: Any) -> None:
    """One less, as many, and one more."""
    who = [f"p{i}" for i in range(1, 8) for _ in range(i)]
    table = pa.table({"who": who, "x": [("a", "b")[i % 2] for i in range(len(who))]})
    source = engine(table)
    for most in range(1, 8):
        opened = open_source(source, Schema({"x": ["a", "b"]}, unit="who", max_records=most))
        assert sum(opened.tabulate(["x"])) == sum(min(i, most) for i in range(1, 8))


def test_the_choice_stays_as_it_was_published() -> None:
    """Literal numbers: with another choice, a further release of the same records would count other ones of a person."""
    assert persons.key_of("patient", ["smoking", "systolic"]) == "e1d05cdf98a7fa773418db5287d92d92"
    assert persons.kept("p7", {(0, 0): 3, (1, -1): 2, (2, 1): 5}, 3, "0" * 32) == {(0, 0): 2, (2, 1): 1}
    assert persons.kept("caf\u00e9", {(0,): 2, (1,): 2}, 1, "0" * 32) == {(0,): 1}


def test_more_copies_than_take_part(tmp_path: Path) -> None:
    """Of equal records of a person 65,536 take part in the choice; but all count where she has no more than count anyway."""
    n = 70_000
    table = pa.table({"who": ["p"] * n + ["q"] * 3, "x": ["a"] * n + ["b"] * 3})
    pq.write_table(table, tmp_path / "r.parquet")
    for most, expected in {n: [n, 3], n - 1: [65_536, 3], 65_537: [65_536, 3], 1: [1, 1]}.items():
        schema = Schema({"x": ["a", "b"]}, unit="who", max_records=most, complete=True)
        for source in (table, tmp_path / "r.parquet"):
            assert open_source(source, schema).tabulate(["x"]) == expected


def test_columns_with_more_cells_than_64_bits_can_number() -> None:
    """Occupied cells are numbered as they are met: 2^60 of them could be."""
    names = [f"c{i}" for i in range(60)]
    rng = np.random.default_rng(13)
    places = [tuple(place) for place in rng.integers(-1, 1, (6, 60)).tolist()]
    chosen = [places[i] for i in rng.integers(0, 6, 40)]
    who = drawn(["p", "q", "r"], 40)
    values = {name: [("a", None)[place[i]] for place in chosen] for i, name in enumerate(names)}
    table = pa.table({"who": who, **values})
    complete = open_source(
        table.to_pandas(), Schema({name: ["a"] for name in names}, unit="who", max_records=5, complete=True)
    )
    assert complete.tabulate(names) == [15]
    schema = Schema({name: ["a"] for name in names}, unit="who", max_records=5)
    expected = table_of(that_count(who, chosen, 5, names), (1,) * 60, False)
    for source in (table, table.to_pandas()):
        assert open_source(source, schema).tabulate(names) == expected
    wide = open_source(table, schema)._reader.persons("who", {name: schema.columns[name] for name in names}, 5)
    assert {tuple(place): number for place, number in wide if number} == that_count(who, chosen, 5, names)


def test_parts_of_the_persons_are_whole_persons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is read in parts of its persons, whatever equal persons look like: 0.0 and -0.0, and all that are no number."""
    import duckdb

    from discreet.curator.source import table_files

    def full(*_: Any) -> None:
        raise duckdb.OutOfMemoryException

    monkeypatch.setattr(table_files, "_ROWS_SORTED", 40)
    for listed in (True, False):
        if not listed:  # the persons with more records than count do not fit into the memory
            monkeypatch.setattr(table_files, "_ROWS_SORTED", 400)
            monkeypatch.setattr(table_files.FileReader, "_few_and_many", full)
        for unit in ("floats", "strange text", "integers with nulls"):
            who, dtype = UNITS[unit]
            table, codes = sample(who, dtype, 7)
            pq.write_table(table, tmp_path / "r.parquet")
            agrees(tmp_path / "r.parquet", who, codes, (2,))


@pytest.mark.parametrize("kind", ["integers", "text"])
def test_a_hundred_thousand_records_in_three_engines(kind: str) -> None:
    import duckdb

    rng = np.random.default_rng(11)
    n = 100_000
    whole = rng.zipf(1.3, n) % 30_000  # some persons with thousands of records, many with one
    who = whole if kind == "integers" else np.char.add("p-", whole.astype(str))
    records = records_of(n, 12)
    records.pop("codes")
    table = pa.table({"who": who, **records})
    for most in (1, 7, 1000):
        answers = []
        for source in (table.to_pandas(), pl.from_arrow(table).lazy(), duckdb.connect().from_arrow(table)):
            opened = open_source(source, Schema(COLUMNS, unit="who", max_records=most))
            answers.append((opened.tabulate(["x", "y"]), opened.count_bins(["n", "m"], [5, 7])))
        assert answers[0] == answers[1] == answers[2]
        assert sum(answers[0][0]) == int(np.minimum(np.unique(whole, return_counts=True)[1], most).sum())


def test_dask_moves_nothing_that_could_fail_to_be_moved(caplog: Any, capfd: Any) -> None:
    """On workers of their own: columns of mixed Python objects, and persons of half a surrogate pair."""
    distributed = pytest.importorskip("dask.distributed")
    n = 60
    who = [
        "\ud800",
        7,
        "7",
        "p",
        uuid.UUID(int=5),
        None,
        (1, 2),
        b"x",
        10**5000,
        0.5,
        datetime.date(2024, 1, 1),
        "canary7",
    ]
    frame = pd.DataFrame(
        {"who": pd.Series([who[i % 12] for i in range(n)], dtype=object),
         "x": pd.Series([("a", 1, [3], None, b"q")[i % 5] for i in range(n)], dtype=object)}
    )  # fmt: skip
    schema = Schema({"x": ["a", 1]}, unit="who", max_records=4)
    expected = open_source(frame, schema).tabulate(["x"])
    assert (
        sum(expected) == 4 * 6 + 5
    )  # 7 and "7" are one, the five values that are no person are one, five are nobody's
    with dask.config.set({"dataframe.convert-string": False}):
        parts = dd.from_map(lambda i: frame.iloc[i * 7 : i * 7 + 7], range(9), meta=frame.iloc[:0])
    assert open_source(parts, schema).tabulate(["x"]) == expected
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL):
        assert open_source(parts, schema).tabulate(["x"]) == expected
    lying = parts.map_partitions(lambda part: part.values, meta=frame.iloc[:0])
    with pytest.raises(SourceError, match="a partition of the Dask frame cannot be read or counted"):
        open_source(lying, schema).tabulate(["x"])
    assert "canary" not in caplog.text + "".join(capfd.readouterr())
