"""The road from records to a release: what is charged when, what is refused for free, and what nobody may see."""

import copy
import json
import logging
import pickle
import traceback
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from discreet import ApproxDP, Bounded, Curator, GaussianDP, Ledger, PureDP, Schema, TableRelease, ZeroConcentratedDP
from discreet.curator import gate
from discreet.curator.releasing import count_noise
from discreet.errors import (
    BudgetExceeded,
    DiscreetError,
    InvalidInput,
    LedgerError,
    NoCost,
    NotAvailable,
    ReleaseFailed,
    SourceError,
)
from discreet.mechanisms import Gaussian, Laplace, ProjectedGaussian

SCHEMA = Schema({"smoking": ["no", "yes"], "pressure": ["low", "high"]})
COMPLETE = Schema({"smoking": ["no", "yes"], "pressure": ["low", "high"]}, complete=True)
RECORDS = pd.DataFrame(
    {"smoking": ["no"] * 50 + ["yes"] * 40 + ["perhaps"] * 10, "pressure": ["low", "high"] * 30 + ["low"] * 40}
)
TRUE = [25, 25, 35, 5, 10]  # row-major, then the strays
GUARANTEES = [PureDP(0.5), GaussianDP(0.5), ZeroConcentratedDP(0.1), ApproxDP(1.0, 1e-6)]


@pytest.fixture
def silent_gate(monkeypatch):
    """The gate without noise: whatever still differs from the exact counts was drawn elsewhere."""
    calls = []

    def draw_noise(exact, *, family, scale, cap, integer=False):
        calls.append({"exact": list(exact), "family": family, "scale": scale, "cap": cap})
        k = gate.grid_exponent(scale, integer=integer)
        return gate.GateDraw(tuple(x << k for x in exact), k)

    monkeypatch.setattr(count_noise.gate, "draw_noise", draw_noise)
    return calls


@pytest.mark.parametrize(
    ("guarantee", "mechanism"),
    [(PureDP(0.5), None), (PureDP(0.5), Laplace())]
    + [(g, m) for g in GUARANTEES[1:] for m in (None, Laplace(), Gaussian(), ProjectedGaussian())],
)
def test_nothing_but_the_gate_draws(silent_gate, guarantee, mechanism):
    with Curator(RECORDS, SCHEMA, budget=guarantee) as curator:
        table = curator.table(["smoking", "pressure"], guarantee, mechanism)
    assert table.counts.ravel().tolist() == pytest.approx(TRUE[:4], abs=1e-9)
    assert table.other == pytest.approx(TRUE[4], abs=1e-9)
    assert len(silent_gate) == 1
    assert silent_gate[0]["exact"] == TRUE
    assert silent_gate[0]["cap"] == 100


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_budget_admits_a_release_equal_to_itself_and_then_no_other(guarantee):
    with Curator(RECORDS, SCHEMA, budget=guarantee) as curator:
        assert curator.price("table", "smoking", guarantee).admitted
        curator.table("smoking", guarantee)
        assert not curator.price("table", "smoking", guarantee).admitted
        with pytest.raises(BudgetExceeded, match=r"requested .* remaining .* difference"):
            curator.table("smoking", guarantee)
        assert len(curator.ledger.entries()) == 1


def test_ten_tables_of_a_tenth_fit_one():
    with Curator(RECORDS, SCHEMA, budget=PureDP(1)) as curator:
        for _ in range(10):
            curator.table("smoking", PureDP(0.1))
        assert curator.ledger.remaining == 0
        with pytest.raises(BudgetExceeded):
            curator.table("smoking", PureDP(1e-9))


def test_a_laplace_table_on_a_gaussian_budget_costs_its_own_mu():
    with Curator(RECORDS, SCHEMA, budget=GaussianDP(1)) as curator:
        table = curator.table("smoking", PureDP(1))
        assert table.cost.currency == "mu"
        assert curator.ledger.spent == pytest.approx(0.70755154, abs=1e-7)
    with Curator(RECORDS, SCHEMA, budget=PureDP(1)) as curator:
        with pytest.raises(NoCost, match="no finite pure epsilon"):
            curator.table("smoking", GaussianDP(0.1))
        assert curator.ledger.entries() == ()


def test_a_release_says_what_it_is(tmp_path):
    Ledger.create(tmp_path / "a.ledger", GaussianDP(2))
    with Curator(RECORDS, COMPLETE, ledger=tmp_path / "a.ledger") as curator:
        table = curator.table(["pressure", "smoking"], GaussianDP(0.5))
    assert isinstance(table, TableRelease)
    assert table.column_names == ("pressure", "smoking")
    assert (table.n, table.adjacency, table.guarantee) == (100, "replace-one", GaussianDP(0.5))
    assert table.mechanism == "ProjectedGaussian"
    assert table.versions["opendp"] == gate.opendp_version()
    assert table.counts.sum() == pytest.approx(100, abs=1e-9)
    assert table.other is None
    assert all(isinstance(y, int) for y in table.drawn)
    table.save(tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text())["n"] == 100
    assert Ledger(tmp_path / "a.ledger").entries()[0].released


def test_price_spends_nothing_and_reads_only_n(silent_gate):
    with Curator(RECORDS, SCHEMA, budget=PureDP(1)) as curator:
        price = curator.price("table", ["smoking", "pressure"], PureDP(0.5))
        assert (str(price.cost), price.admitted, price.accuracy["cells"]) == ("epsilon = 0.5", True, 5)
        assert price.accuracy["noise_sd"] == pytest.approx(4 * np.sqrt(2))
        assert price.accuracy["half_width"] == pytest.approx(4 * np.log(20))
        assert curator.ledger.spent == 0
        assert "costs epsilon = 0.5" in str(price)
        assert "noise sd 5.657, half width (95 %) 11.98" in str(price)
        with pytest.raises(InvalidInput, match="unknown verb 'tabel'"):
            curator.price("tabel", "smoking", PureDP(0.5))
        with pytest.raises(InvalidInput, match="argument"):
            curator.price("table", "smoking")
    assert silent_gate == []


def test_a_price_leaves_the_names_of_columns_as_they_are():
    schema = Schema({"mass_of_a bird": Bounded(0, 100, step=1)})
    with Curator(pd.DataFrame({"mass_of_a bird": [1, 2]}), schema, budget=PureDP(1)) as curator:
        assert "noise sd of mass_of_a bird 141.4" in str(curator.price("mean", "mass_of_a bird", PureDP(0.5)))


def test_a_retry_returns_the_stored_release_and_costs_nothing_more():
    with Curator(RECORDS, SCHEMA, budget=PureDP(1)) as curator:
        first = curator.table("smoking", PureDP(0.5), request_id="monday")
        again = curator.table("smoking", PureDP(0.5), request_id="monday")
        assert first == again
        assert curator.ledger.spent == 0.5
        with pytest.raises(LedgerError, match="another request"):
            curator.table("pressure", PureDP(0.5), request_id="monday")
        assert curator.ledger.spent == 0.5


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda c: c.table("smokin", PureDP(0.5)), InvalidInput, "did you mean 'smoking'"),
        (lambda c: c.table([], PureDP(0.5)), InvalidInput, "at least one column"),
        (lambda c: c.table(["smoking", "smoking"], PureDP(0.5)), InvalidInput, "once"),
        (lambda c: c.table("smoking", 0.5), DiscreetError, "guarantee"),
        (lambda c: c.table("smoking", "PureDP(1)"), DiscreetError, "guarantee"),
        (lambda c: c.table("smoking", PureDP(0.5), "laplace"), InvalidInput, "specification"),
        (
            lambda c: c.table("smoking", PureDP(0.5), Laplace),
            InvalidInput,
            r"specification such as .*Laplace\(\), not <class",
        ),
        (lambda c: c.table(5, PureDP(0.5)), InvalidInput, "a name or a list of names, not 5"),
        (lambda c: c.table("smoking", PureDP(0.5), Gaussian()), NotAvailable, "no finite pure epsilon"),
        (lambda c: c.table("smoking", PureDP(1e-300)), InvalidInput, "scale"),
        (lambda c: c.table("smoking", PureDP(3)), BudgetExceeded, "difference"),
    ],
)
def test_what_is_refused_is_free(call, error, words):
    with Curator(RECORDS, SCHEMA, budget=PureDP(2)) as curator:
        with pytest.raises(error, match=words):
            call(curator)
        assert curator.ledger.entries() == ()


def test_too_many_records_or_cells_are_refused():
    with Curator(RECORDS, Schema({"smoking": ["no"]}, max_rows=99), budget=PureDP(2)) as curator:
        with pytest.raises(InvalidInput, match="max_rows = 99"):
            curator.table("smoking", PureDP(0.5))
    wide = Schema({f"c{i}": list(range(220)) for i in range(3)})
    frame = pd.DataFrame({f"c{i}": [0] for i in range(3)})
    with (
        Curator(frame, wide, budget=PureDP(2)) as curator,
        pytest.raises(InvalidInput, match="220 x 220 x 220 has 10,648,001 cells"),
    ):
        curator.table(["c0", "c1", "c2"], PureDP(0.5))


def test_a_curator_needs_exactly_one_budget(tmp_path):
    for arguments in ({}, {"ledger": tmp_path / "x", "budget": PureDP(1)}):
        with pytest.raises(InvalidInput, match=r"either ledger= .* or budget="):
            Curator(RECORDS, SCHEMA, **arguments)
    with pytest.raises(LedgerError):
        Curator(RECORDS, SCHEMA, ledger=tmp_path / "missing.ledger")
    with pytest.raises(InvalidInput, match="Schema"):
        Curator(RECORDS, {"smoking": ["no"]}, budget=PureDP(1))


def test_an_empty_frame_has_a_table_of_noise():
    with Curator(RECORDS.head(0), SCHEMA, budget=PureDP(1)) as curator:
        table = curator.table("smoking", PureDP(1))
        assert curator.n == 0
        assert np.abs(table.counts).max() < 2 * 64


def test_the_charge_comes_before_the_records_and_its_failure_says_nothing(monkeypatch):
    """The records change between counting and reading; a value in the engine's error reaches nobody."""
    frame = RECORDS.copy()
    with Curator(frame, SCHEMA, budget=PureDP(1)) as curator:
        assert curator.n == 100
        curator_reads = []

        def failing(*_args, **_kwargs):
            curator_reads.append(curator.ledger.spent)
            raise ValueError("CANARY-7319 is not a category")

        monkeypatch.setattr(type(curator._Curator__records), "tabulate", failing)
        with pytest.raises(ReleaseFailed) as failure:
            curator.table("smoking", PureDP(0.25))
        assert curator_reads == [0.25]
        assert curator.ledger.spent == 0.25
        assert failure.value.__cause__ is None
        assert failure.value.__context__ is None
        assert "CANARY" not in "".join(traceback.format_exception(failure.value, chain=True))


def test_every_failure_after_the_charge_has_one_message(monkeypatch):
    messages = set()
    for failure in (ValueError("CANARY"), MemoryError("CANARY"), BaseException("CANARY panic")):
        with Curator(RECORDS, SCHEMA, budget=PureDP(1)) as curator:
            _ = curator.n

            def fail(*_args, failure=failure, **_kwargs):
                raise failure

            monkeypatch.setattr(type(curator._Curator__records), "tabulate", fail)
            with pytest.raises(ReleaseFailed) as caught:
                curator.table("smoking", PureDP(0.25))
            messages.add(str(caught.value))
            assert not curator.ledger.entries()[0].released
    assert len(messages) == 1


def test_records_that_changed_since_n_was_counted_are_not_released():
    counts = iter([100, 101])
    frame = pl.LazyFrame({"smoking": ["no"] * 100}).map_batches(
        lambda f: pl.DataFrame({"smoking": ["no"] * next(counts)}), schema={"smoking": pl.String}
    )
    with Curator(frame, Schema({"smoking": ["no", "yes"]}), budget=PureDP(1)) as curator:
        assert curator.n == 100
        with pytest.raises(ReleaseFailed):
            curator.table("smoking", PureDP(0.5))
        assert curator.ledger.spent == 0.5


CANARY = "CANARY-7319-SECRET"


def test_no_exception_repr_log_or_pickle_shows_a_record(tmp_path, caplog, capsys):
    """A recognisable value in the data and a recognisable count; every failure provoked; everything searched."""
    caplog.set_level(logging.DEBUG)
    records = pd.DataFrame({"smoking": [CANARY] * 7319 + ["no"] * 100, "pressure": ["low"] * 7419})
    seen = []

    def provoke(call):
        try:
            seen.append(repr(call()))
        except BaseException as error:  # noqa: BLE001
            seen.append("".join(traceback.format_exception(error, chain=True)))
            seen.append(repr(error.args))

    bad_csv = tmp_path / "bad.csv"
    bad_csv.write_text(f"smoking,pressure\nno,low\n{CANARY},low,extra,fields\n")
    latin = tmp_path / "latin.csv"
    latin.write_bytes(f"smoking,pressure\n{CANARY}\xe9,low\n".encode("latin-1"))
    truncated = tmp_path / "cut.parquet"
    records.to_parquet(truncated)
    truncated.write_bytes(truncated.read_bytes()[:-60])
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for source in (records, pl.from_pandas(records), bad_csv, latin, truncated):
            provoke(
                lambda source=source: (
                    Curator(source, SCHEMA, budget=PureDP(1)).n if not hasattr(source, "columns") else 0
                )
            )
        curator = Curator(records, SCHEMA, budget=PureDP(1))
        for call in (
            lambda: curator,
            lambda: curator.ledger,
            lambda: curator.price("table", "smoking", PureDP(0.5)),
            lambda: curator.table("nothing", PureDP(0.5)),
            lambda: curator.table("smoking", PureDP(50)),
            lambda: pickle.dumps(curator),
            lambda: copy.copy(curator),
            lambda: copy.deepcopy(curator),
            lambda: curator.ledger.entries(),
            lambda: str(vars(curator)),
        ):
            provoke(call)
    everything = "\n".join([*seen, *(str(w.message) for w in warned), caplog.text, *capsys.readouterr()])
    assert CANARY not in everything
    assert "7319" not in everything
    assert len(seen) > 12


@pytest.mark.parametrize("content", ["", "smoking\n", "smoking,pressure\nno,low\nno\n", "smoking,pressure\nno,low,x\n"])
def test_an_unreadable_csv_has_one_message_and_is_free(tmp_path, content):
    path = tmp_path / "records.csv"
    path.write_text(content)
    ledger = Ledger.in_memory(PureDP(1))
    with pytest.raises((SourceError, InvalidInput)) as refused:
        Curator(path, SCHEMA, ledger=ledger).table("smoking", PureDP(0.5))
    assert "\n" not in str(refused.value)
    assert ledger.entries() == ()
