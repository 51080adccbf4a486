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
