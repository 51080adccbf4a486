"""A recognisable value in the records is never printed, whatever fails; `check` alone shows values."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from discreet.cli.boundary import UNEXPECTED
from discreet.curator.source import Source

CANARY = "CANARY-73914"
SCHEMA = '[columns]\nsmoking = ["no", "yes"]\nsystolic = ["lt140", "ge140"]\n'
HEAD = "smoking,systolic\n"
FILES = {
    "good.csv": (HEAD + f"no,lt140\n{CANARY},ge140\n" * 40).encode(),
    "ragged.csv": (HEAD + f"no,lt140\n{CANARY}\nno,lt140,{CANARY},1,2\n").encode(),
    "latin.csv": HEAD.encode() + f"no,{CANARY}\xe9\xff\n".encode("latin-1") * 3,
    "quoted.csv": (HEAD + f'no,"{CANARY}\n' * 3).encode(),
    "nul.csv": (HEAD + f"no,\0{CANARY}\n").encode(),
    "headless.csv": f"{CANARY},{CANARY}\nno,lt140\n".encode(),
    "not.parquet": CANARY.encode(),
}
BY = ("--schema", "s.toml", "--by", "smoking,systolic", "--epsilon", "0.1", "--ledger", "l")


@pytest.fixture(autouse=True)
def _records(discreet) -> None:
    Path("s.toml").write_text(SCHEMA)
    for name, content in FILES.items():
        Path(name).write_bytes(content)
    discreet("ledger", "create", "l", "--epsilon", 10).done()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["text", "json"])
def test_no_command_that_releases_shows_a_value(discreet, name, as_json) -> None:
    runs = [
        discreet("price", "table", name, *BY, *as_json),
        discreet("release", "table", name, *BY, "-o", "t.json", "--plot", "t.svg", *as_json),
        discreet("release", "table", name, *BY, "--by", "smoking,blood", "-o", "u.json", *as_json),
        discreet("ledger", "show", "l", *as_json),
    ]
    for run in runs:
        assert run.status in (0, 1)
        if run.status:
            run.refused()
        if name != "headless.csv":  # the names of columns are public: an error may list them
            assert CANARY not in run.stdout + run.stderr
    for written in ("l", "t.json", "t.svg"):
        assert not Path(written).exists() or CANARY.encode() not in Path(written).read_bytes()


@pytest.mark.parametrize("step", ["count_rows", "tabulate"])
@pytest.mark.parametrize("failure", [ValueError, OSError, BaseException, MemoryError, SystemExit])
def test_what_an_engine_says_is_not_shown(discreet, monkeypatch, step, failure) -> None:
    def fail(*_: object) -> None:
        warnings.warn(f"could not convert {CANARY}", stacklevel=1)
        raise failure(f"could not convert {CANARY}")

    monkeypatch.setattr(Source, step, fail)
    message = discreet("release", "table", "good.csv", *BY, "-o", "t.json").refused()
    assert CANARY not in message
    if step == "count_rows":
        assert message == UNEXPECTED
        assert discreet("ledger", "show", "l", "--json").data()["spent"] == {"epsilon": 0.0}
    else:
        assert "after its charge" in message
        assert discreet("ledger", "show", "l", "--json").data()["spent"] == {"epsilon": 0.1}
        assert "not released" in discreet("ledger", "show", "l").done()
    assert not Path("t.json").exists()


def test_check_shows_no_value_where_the_file_is_damaged(discreet) -> None:
    for name in ("ragged.csv", "latin.csv", "not.parquet"):
        assert CANARY not in discreet("check", name, "--schema", "s.toml").refused()


def test_an_interrupt_ends_with_130_and_points_to_the_ledger(discreet, monkeypatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Source, "tabulate", interrupt)
    run = discreet("release", "table", "good.csv", *BY, "-o", "t.json")
    assert run.status == 130
    assert run.stdout == ""
    assert "discreet ledger show" in run.stderr
    assert "Traceback" not in run.stderr


NUMBER = "73914.25"  # far outside of the declared bounds: it counts as the upper one, and is shown nowhere
NUMERIC = {
    "good.csv": "x,y\n" + f"1.5,no\n{NUMBER},yes\n-{NUMBER},{CANARY}\n,no\n" * 20,
    "text.csv": "x,y\n" + f"1.5,no\n{CANARY},yes\n" * 20,
    "ragged.csv": f"x,y\n1.5,no\n{NUMBER}\n2,no,{CANARY},{NUMBER}\n",
}
KINDS = {
    "histogram": ("--column", "x", "--bins", 4, "--epsilon", 1, "--ledger", "l"),
    "series": ("--column", "x", "--terms", 3, "--epsilon", 1, "--ledger", "l"),
    "sample": ("--column", "x", "--epsilon", 1, "--ledger", "l"),
    "select": ("--by", "y", "--epsilon", 1, "--ledger", "l"),
    "cdf": ("--column", "x", "--mu", 1, "--ledger", "m"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_release_of_a_distribution_shows_a_value(discreet, kind) -> None:
    Path("n.toml").write_text('[columns]\nx = { lower = 0, upper = 4, step = 0.5 }\ny = ["no", "yes"]\n')
    discreet("ledger", "create", "m", "--mu", 10).done()
    released = 0
    for name, content in NUMERIC.items():
        Path(name).write_text(content)
        for as_json in ((), ("--json",)):
            ask = (name, "--schema", "n.toml", *KINDS[kind], *as_json)
            runs = [discreet("price", kind, *ask), discreet("release", kind, *ask, "-o", "r.json", "--force")]
            if runs[1].status == 0:
                released += 1
                if kind != "select":
                    runs.append(discreet("estimate", "density", "r.json", *as_json, "--plot", "d.svg"))
                    runs.append(discreet("estimate", "synthesize", "r.json", *as_json, "-o", "s.csv", "--force"))
                    assert runs[2].status == runs[3].status == 0
            for run in runs:
                assert run.status in (0, 1)
                if run.status:
                    run.refused()
                assert CANARY not in run.stdout + run.stderr
                assert NUMBER not in run.stdout + run.stderr
    assert released >= 2
    for written in ("l", "m", "r.json", "d.svg", "s.csv"):
        content = Path(written).read_bytes() if Path(written).exists() else b""
        assert CANARY.encode() not in content
        assert NUMBER.encode() not in content


@pytest.mark.parametrize(
    ("kind", "step"), [("histogram", "count_bins"), ("series", "count_codes"), ("select", "tabulate")]
)
def test_what_an_engine_says_of_numbers_is_not_shown(discreet, monkeypatch, kind, step) -> None:
    def fail(*_: object) -> None:
        raise ValueError(f"could not convert {CANARY}")

    Path("n.toml").write_text('[columns]\nx = { lower = 0, upper = 4, step = 0.5 }\ny = ["no", "yes"]\n')
    Path("good.csv").write_text(NUMERIC["good.csv"])
    monkeypatch.setattr(Source, step, fail)
    message = discreet("release", kind, "good.csv", "--schema", "n.toml", *KINDS[kind], "-o", "r.json").refused()
    assert "after its charge" in message
    assert CANARY not in message
    assert not Path("r.json").exists()
