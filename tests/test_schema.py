"""The schema: what is refused and with which words, and that nothing is lost in TOML, JSON, pickles and hashes."""

from __future__ import annotations

import copy
import json
import pickle
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from discreet.errors import InvalidInput
from discreet.schema import Bounded, Categorical, Schema, toml
from discreet.schema.canonical import spellings

SCHEMA = Schema(
    {"smoking": ["no", "yes"], "systolic bp": [140, 160], "flag": [True, False], "age": Bounded(0, 120, step=1)},
    complete=True,
    fixed="smoking",
    adjacency="add-remove",
    max_rows=1000,
)


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        ([], "must not be empty"),
        ([""], "must not be empty text"),
        (["a", "a"], "category 'a' is declared twice"),
        ([1, 1], "category 1 is declared twice"),
        ([1, "1"], "categories 1 and '1' have one canonical form"),
        ([1, "1.0"], "categories 1 and '1.0' have one canonical form"),
        ([True, "true"], "categories True and 'true' have one canonical form"),
        ([True, "TRUE"], "have one canonical form"),
        ([10**16, "1e+16"], "have one canonical form"),
        ([unicodedata.normalize(form, "\u00e9") for form in ("NFC", "NFD")], "have one canonical form"),
        (["\u212b", "\u00c5"], "have one canonical form"),
        ([None], "must be text, an integer or a boolean, got None"),
        ([1.5], "must be text, an integer or a boolean, got 1.5"),
        ([["a"]], "must be text, an integer or a boolean"),
        ([10**5000], "at most 40 digits"),
        (["\ud800"], "not valid Unicode"),
        ("no", "must be a list"),
        (5, "must be a list"),
        (None, "must be a list"),
        ({"no", "yes"}, "order is the order of the axis"),
        ({"no": 1}, "order is the order of the axis"),
    ],
)
def test_categories_that_are_refused(categories: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Categorical(categories)
    if not isinstance(categories, dict):
        with pytest.raises(InvalidInput, match=f"^column 'c': .*{message}"):
            Schema({"c": categories})


def test_categories_that_are_allowed() -> None:
    for categories in (
        ["a"],
        [0, False, "no"],
        ["1", "01", "1.0"],
        ["True", "true"],
        ["a", "A", " a", "a "],
        ["\x00", "\u202e"],
    ):
        assert Categorical(categories).categories == tuple(categories)
    column = Categorical(("cafe\u0301", 1, True, -3))
    assert column.labels == ("caf\u00e9", "1", "true", "-3")
    assert column.categories[0] == "cafe\u0301"
    plain = Categorical([np.int64(3), np.bool_(True), np.str_("a")]).categories
    assert [type(category) for category in plain] == [int, bool, str]
    assert len(column) == 4


def test_spellings_of_each_type() -> None:
    found = spellings(["2024-02-30", "2024-02-29", "20240229", "-0", "-7", "\u00b2", "true", False])
    assert set(found.dates.values()) == {1}
    assert found.integers == {20240229: 2, -7: 4}
    assert found.booleans == {True: 6, False: 7}
    assert found.texts["FaLsE"] == 7
    assert "True" not in found.texts
    assert spellings([2**53 + 1, 10**37, 0]).floats == {1e37: 1, 0.0: 2} if float(10**37) == 10**37 else {0.0: 2}
    assert spellings(["\u212b"]).texts.keys() == {"\u212b", "\u00c5", "A\u030a"}


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((1, 0), "lower = 1 must be below upper = 0"),
        ((1, 1), "must be below"),
        ((0, float("inf")), "upper must be a finite number"),
        ((float("nan"), 1), "lower must be a finite number"),
        ((None, 1), "lower must be a finite number, got None"),
        ((True, 2), "lower must be a finite number, got True"),
        (("0", 1), "lower must be a finite number"),
        ((0, 1, 0.3), "must be a whole number"),
        ((0, 1, 2), "must be a whole number"),
        ((0, 1, 0), "step = 0 must be positive"),
        ((0, 1, -1), "step = -1 must be positive"),
        ((0, 1, float("nan")), "step must be a finite number"),
        ((0, 1, None, 2), r"missing = 2 must lie within \[0, 1\]"),
    ],
)
def test_bounds_that_are_refused(bounds: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Bounded(*bounds)


def test_bounds_are_decimal_numbers() -> None:
    assert Bounded(0, 1, step=0.1).steps == 10
    assert Bounded(0.1, 0.7, step=0.2).steps == 3  # in binary 0.6/0.2 is 2.9999999999999996
    assert Bounded(-1e6, 1e6, 1e-3).steps == 2 * 10**9
    assert Bounded(0, 10**18, 1).steps == 10**18
    assert Bounded(0, 1).steps == 2**16
    assert Bounded(0, 0.3).exact_step == Fraction(3, 10 * 2**16)
    assert Bounded(np.float64(0), np.int64(5), 1) == Bounded(0, 5, 1)


@pytest.mark.parametrize(("missing", "code"), [(None, 2), (0, 0), (5, 5), (2.5, 3), (2.4, 2), (2, 2)])
def test_the_code_of_a_missing_number(missing: float | None, code: int) -> None:
    assert Bounded(0, 5, step=1, missing=missing).missing_code == code


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Schema({}), "at least one column"),
        (lambda: Schema([("a", ["x"])]), "columns must be a mapping"),
        (lambda: Schema({"": ["x"]}), "a column name must be non-empty text"),
        (lambda: Schema({1: ["x"]}), "a column name must be non-empty text, got 1"),
        (lambda: Schema({"a": ["x"]}, complete=1), "complete must be True or False, got 1"),
        (lambda: Schema({"a": ["x"]}, adjacency="bounded"), "one of 'replace-one', 'add-remove', got 'bounded'"),
        (lambda: Schema({"a": ["x"]}, max_rows=0), r"from 1 to 2\*\*40, got 0"),
        (lambda: Schema({"a": ["x"]}, max_rows=2**40 + 1), r"from 1 to 2\*\*40"),
        (lambda: Schema({"a": ["x"]}, max_rows=10.0), r"from 1 to 2\*\*40"),
        (lambda: Schema({"a": ["x"]}, max_rows=True), r"from 1 to 2\*\*40"),
        (lambda: Schema({"a": ["x"]}, fixed="b"), "unknown column 'b'; known: 'a'"),
        (lambda: Schema({"a": Bounded(0, 1)}, fixed="a"), "column 'a' is numeric"),
        (lambda: SCHEMA.categorical("smokin"), "unknown column 'smokin'; known: .*; did you mean 'smoking'?"),
        (lambda: SCHEMA.categorical("age"), "column 'age' is numeric"),
        (lambda: SCHEMA.categorical(["age"]), "unknown column"),
        (lambda: SCHEMA.select(["smoking", "agee"]), "unknown column 'agee'.*did you mean 'age'?"),
        (lambda: Schema({"a": ["x"]}).select([]), "at least one column"),
        (lambda: Schema.from_dict({"complete": True}), "needs a table 'columns'"),
        (lambda: Schema.from_dict({"columns": {"a": ["x"]}, "complet": True}), "unknown entry .*did you mean 'complete'"),
        (lambda: Schema.from_dict({"columns": {"a": {"lower": 0}}}), "bounds need both lower and upper"),
        (lambda: Schema.from_dict({"columns": {"a": {"lower": 0, "uper": 1}}}), "did you mean 'upper'"),
        (lambda: Schema.from_dict([]), "must be a mapping"),
    ],
)  # fmt: skip
def test_schemas_that_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()


def test_a_schema_is_a_value() -> None:
    twin = Schema.from_dict(json.loads(json.dumps(SCHEMA.to_dict())))
    assert twin == SCHEMA
    assert hash(twin) == hash(SCHEMA)
    assert pickle.loads(pickle.dumps(SCHEMA)) == copy.deepcopy(SCHEMA) == SCHEMA
    assert eval(repr(SCHEMA)) == SCHEMA
    assert Schema({"a": [0, 1]}) != Schema({"a": [False, True]})
    assert Schema({"a": [0, 1]}) != Schema({"a": ["0", "1"]})
    assert Schema({"a": ["x"], "b": ["y"]}) != Schema({"b": ["y"], "a": ["x"]})
    assert len({Categorical([0, 1]), Categorical([False, True]), Categorical([0, 1])}) == 2
    with pytest.raises(AttributeError):
        SCHEMA.complete = False  # type: ignore[misc]
    with pytest.raises(TypeError):
        SCHEMA.columns["new"] = Categorical(["a"])  # type: ignore[index]


def test_a_part_of_a_schema_keeps_what_a_neighbour_is() -> None:
    part = SCHEMA.select(["flag"])
    assert list(part) == ["flag", "smoking"]  # the fixed column says which records may replace which
    assert (part.complete, part.fixed, part.adjacency, part.max_rows) == (True, "smoking", "add-remove", 1000)
    assert list(Schema({"a": ["x"], "b": ["y"], "c": ["z"]}).select(["c", "a"])) == ["c", "a"]


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
categories = st.lists(st.one_of(texts, st.integers(-(2**70), 2**70), st.booleans()), min_size=1, max_size=6)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    columns=st.dictionaries(texts, categories, min_size=1, max_size=4),
    complete=st.booleans(),
    max_rows=st.integers(1, 2**40),
)
def test_toml_round_trip(columns: dict[str, Any], complete: bool, max_rows: int, tmp_path: Path) -> None:
    try:
        schema = Schema({**columns, "bounded": Bounded(-0.25, 1e16, 0.25, 1e-7)}, complete=complete, max_rows=max_rows)
    except InvalidInput:
        assume(False)
    schema.to_toml(tmp_path / "schema.toml")
    again = Schema.from_toml(tmp_path / "schema.toml")
    assert again == schema
    assert repr(again) == repr(schema)
    assert json.dumps(again.to_dict()) == json.dumps(schema.to_dict())


def test_toml_as_a_person_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "schema.toml"
    path.write_text('complete = true\n[columns]\nsmoking = ["no", "yes"]\nage = { lower = 0, upper = 120, step = 1 }\n')
    assert Schema.from_toml(path) == Schema({"smoking": ["no", "yes"], "age": Bounded(0, 120, 1)}, complete=True)
    assert toml.document(SCHEMA.to_dict()).startswith('complete = true\nfixed = "smoking"\nadjacency = "add-remove"')


@pytest.mark.parametrize(
    "contents", [b"", b"columns = 3", b"[columns]\na = [", b"\xff\xfe", b'[columns]\na = ["x"]\na = ["y"]']
)
def test_toml_that_is_refused(contents: bytes, tmp_path: Path) -> None:
    path = tmp_path / "schema.toml"
    path.write_bytes(contents)
    with pytest.raises(InvalidInput):
        Schema.from_toml(path)
    with pytest.raises(InvalidInput, match="cannot read the schema file"):
        Schema.from_toml(tmp_path / "none.toml")
    with pytest.raises(InvalidInput, match="cannot write the schema file"):
        SCHEMA.to_toml(tmp_path / "none" / "schema.toml")


# ---- persons with several records

PERSONS = Schema({"smoking": ["no", "yes"], "age": Bounded(0, 120, step=1)}, unit="patient id", max_records=5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "patient"}, "unit='patient' needs max_records="),
        ({"max_records": 5}, "max_records says how many records of one person count: it needs unit="),
        ({"unit": "", "max_records": 5}, "unit must be the name of the column"),
        ({"unit": 7, "max_records": 5}, "unit must be the name of the column"),
        ({"unit": ["patient"], "max_records": 5}, "unit must be the name of the column"),
        *(
            ({"unit": "patient", "max_records": most}, r"max_records must be a whole number from 1 to 2\*\*20, got ")
            for most in (0, -1, 2**20 + 1, 1.0, True, "5", np.int64(5))
        ),
        ({"unit": "smoking", "max_records": 5}, "the unit 'smoking' tells persons apart, so it cannot be tabulated"),
        ({"unit": "patient", "max_records": 5, "fixed": "smoking"}, "fixed='smoking' needs public numbers of records"),
    ],
)
def test_units_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Schema({"smoking": ["no", "yes"]}, **options)


def test_a_unit_is_kept_in_every_form(tmp_path: Path) -> None:
    PERSONS.to_toml(tmp_path / "schema.toml")
    assert 'unit = "patient id"\nmax_records = 5\n' in (tmp_path / "schema.toml").read_text()
    for again in (
        Schema.from_toml(tmp_path / "schema.toml"),
        Schema.from_dict(json.loads(json.dumps(PERSONS.to_dict()))),
        pickle.loads(pickle.dumps(PERSONS)),
        copy.deepcopy(PERSONS),
        PERSONS.select(["smoking", "age"]),
    ):
        assert again == PERSONS
        assert hash(again) == hash(PERSONS)
        assert repr(again) == repr(PERSONS)
    assert repr(PERSONS).endswith("unit='patient id', max_records=5)")
    assert PERSONS.select(["age"]).unit == "patient id"
    others = [
        Schema(PERSONS.columns),
        Schema(PERSONS.columns, unit="patient id", max_records=4),
        Schema(PERSONS.columns, unit="patient", max_records=5),
    ]
    assert len({PERSONS, *others}) == 4
    assert "unit" not in others[0].to_dict()  # as before there were units


def test_what_a_unit_makes_of_neighbours() -> None:
    assert (PERSONS.n_is_public, PERSONS.protected, PERSONS.most_records) == (False, "person: patient id", 5)
    plain = Schema(PERSONS.columns)
    assert (plain.n_is_public, plain.protected, plain.most_records) == (True, "record", 1)
    added = Schema(PERSONS.columns, adjacency="add-remove")
    assert (added.n_is_public, added.protected, added.most_records) == (False, "record", 1)
