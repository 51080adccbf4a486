"""The session of the README, as a user types it: processes of their own, a folder with a blank in its name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_from_records_to_a_p_value(process, study: Path) -> None:
    process("ledger", "create", "czech.ledger", "--epsilon", 2).done()
    assert "no strays in" in process("check", "czech.csv", "--schema", "czech.toml").done()
    pair = (
        "czech.csv",
        "--schema",
        "czech.toml",
        "--by",
        "smoking,systolic",
        "--epsilon",
        0.5,
        "--ledger",
        "czech.ledger",
    )
    assert "the budget has room for it" in process("price", "table", *pair).done()
    table = process("release", "table", *pair, "-o", "t.json", "--plot", "table.png").done()
    assert "95% intervals" in table
    assert "remaining  epsilon = 1.5" in table
    test = process("test", "independence", "t.json", "--plot", "null.pdf", "--seed", 1).done()
    assert "p-value" in test
    assert "effect     Cramer's V" in test
    assert "not\n             valid" in test
    assert "25% spent" in process("ledger", "show", "czech.ledger").done()
    assert (study / "table.png").read_bytes().startswith(b"\x89PNG")
    assert (study / "null.pdf").read_bytes().startswith(b"%PDF")
    assert json.loads((study / "t.json").read_text())["kind"] == "table"
    assert sorted(p.name for p in study.iterdir()) == sorted(
        ["czech.csv", "czech.toml", "czech.ledger", "t.json", "table.png", "null.pdf"]
    )


def test_a_seed_repeats_a_test_exactly(discreet, ledger: Path) -> None:
    arguments = ("czech.csv", "--schema", "czech.toml", "--by", "smoking,systolic", "--epsilon", 1, "--ledger", ledger)
    discreet("release", "table", *arguments, "-o", "t.json").done()
    one, two = (discreet("test", "independence", "t.json", "--seed", 3, "--json").done() for _ in range(2))
    assert one == two


def test_the_installed_script_is_the_same_program() -> None:
    script = Path(sys.executable).with_name("discreet")
    printed = subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout
    module = subprocess.run([sys.executable, "-m", "discreet", "--version"], capture_output=True, text=True, check=True)
    assert printed == module.stdout
    assert printed.startswith("discreet ")
