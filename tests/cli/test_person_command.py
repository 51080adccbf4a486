"""`discreet release`, `price`, `check` and `run` where a person has several records."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from discreet import load

PAIR = ("visits.csv", "--schema", "visits.toml", "--by", "smoking,systolic", "--ledger", "czech.ledger")
SCHEMA = 'unit = "patient"\nmax_records = 3\n\n[columns]\nsmoking = ["no", "yes"]\nsystolic = ["lt140", "ge140"]\n'
VISITS = 1234


@pytest.fixture
def visits(study: Path) -> Path:
    draw = random.Random(5)
    with open(study / "visits.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient", "smoking", "systolic", "age"])
        for _ in range(VISITS):
            who = draw.choice(["", *map(str, range(200))])
            writer.writerow([who, draw.choice(["no", "yes"]), draw.choice(["lt140", "ge140"]), draw.randrange(100)])
    (study / "visits.toml").write_text(SCHEMA + "age = { lower = 0, upper = 100, step = 1 }\n")
    return study


def test_a_release_of_persons(discreet, ledger: Path, visits: Path) -> None:
    price = discreet("price", "table", *PAIR, "--epsilon", 0.5).done()
    shown = discreet("release", "table", *PAIR, "--epsilon", 0.5, "-o", "t.json").done()
    assert "one person (patient) replaced with all records, of which at most 3 count" in " ".join(shown.split())
    table = load("t.json")
    assert (table.scale, table.n, table.schema.unit, table.schema.max_records) == (12.0, None, "patient", 3)
    assert not any(each in price + shown + Path("t.json").read_text() for each in (f"{VISITS:,}", f"{VISITS}"))
    data = discreet("test", "independence", "t.json", "--json", "--seed", 1).data()
    assert data["n_is_public"] is False
    assert any("records of one person ('patient')" in warning for warning in data["warnings"])
    histogram = ("release", "histogram", "visits.csv", "--schema", "visits.toml", "--column", "age", "--bins", 5)
    discreet(*histogram, "--epsilon", 0.5, "--ledger", "czech.ledger", "-o", "h.json").done()
    assert load("h.json").scale == 12.0
    mean = ("release", "mean", "visits.csv", "--schema", "visits.toml", "--columns", "age", "--epsilon", 0.5)
    refused = discreet(*mean, "--ledger", "czech.ledger", "-o", "m.json").refused()
    assert "with unit='patient' there are table, histogram" in " ".join(refused.split())
    other = discreet(
        "release", "table", "czech.csv", "--schema", "czech.toml", *PAIR[3:], "--epsilon", 0.1, "-o", "u.json"
    ).refused()
    assert "person: patient" in " ".join(other.split())


def test_a_check_shows_no_number_of_records(discreet, visits: Path) -> None:
    shown = discreet("check", "visits.csv", "--schema", "visits.toml").done()
    assert f"{VISITS}" not in shown
    assert f"{VISITS:,}" not in shown
    (visits / "wrong.toml").write_text(SCHEMA.replace("patient", "patiemt"))
    refused = discreet("check", "visits.csv", "--schema", "wrong.toml").refused()
    assert "did you mean 'patient'" in refused


def test_a_run_of_persons(discreet, ledger: Path, visits: Path) -> None:
    (visits / "plan.toml").write_text(
        'name = "visits"\ntitle = "Visits"\n[source]\npath = "visits.csv"\nschema = "visits.toml"\n'
        '[budget]\nledger = "czech.ledger"\n'
        '[[release]]\nname = "pair"\nverb = "table"\ncolumns = ["smoking", "systolic"]\nepsilon = 0.5\n'
        '[[release]]\nname = "ages"\nverb = "histogram"\ncolumns = ["age"]\nbins = 5\nepsilon = 0.5\n'
        '[[test]]\nname = "related"\ntest = "independence"\nrelease = "pair"\n'
    )
    dry = discreet("run", "plan.toml", "--dry-run").done()
    assert f"{VISITS:,}" not in dry
    discreet("run", "plan.toml").done()
    (report,) = visits.rglob("report.html")
    text = report.read_text()
    assert "if one person (&#x27;patient&#x27;) were replaced by any other with all records" in text
    assert "records of one person" in text  # the warning of the test
    (saved,) = visits.rglob("related.json")
    assert json.loads(saved.read_text())["n_is_public"] is False
