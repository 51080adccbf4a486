"""`discreet release|price mean|moments`: what they print and save, and that a refusal charges nothing."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from discreet import Ledger, load
from discreet.release import MeanRelease, MomentsRelease

EXAMPLES = Path(__file__).parents[2] / "examples"
ASK = ("banknote.csv", "--schema", "banknote.toml", "--columns", "Length,Diagonal", "--ledger", "bank.ledger")
ALL = "Length,Left,Right,Bottom,Top,Diagonal"


@pytest.fixture
def bank(discreet, study: Path) -> Path:
    """The bank notes, and a ledger with epsilon = 20."""
    for name in ("banknote.csv", "banknote.toml"):
        shutil.copy(EXAMPLES / name, study)
    discreet("ledger", "create", "bank.ledger", "--epsilon", 20).done()
    return Path("bank.ledger")


def test_the_printed_means_are_the_saved_ones(discreet, bank: Path) -> None:
    data = discreet("release", "mean", *ASK, "--epsilon", 2, "-o", "m.json", "--json").data()
    release = load("m.json")
    assert isinstance(release, MeanRelease)
    low, high = release.interval()
    assert (data["means"], data["low"], data["high"]) == (release.values.tolist(), low.tolist(), high.tolist())
    assert (data["columns"], data["groups"]) == (["Length", "Diagonal"], ["genuine", "counterfeit"])
    assert (data["fixed"], data["group_sizes"], data["n"]) == ("Status", [100, 100], 200)
    assert (data["mechanism"], data["guarantee"]) == ("Laplace", {"kind": "pure", "epsilon": 2.0})
    assert (data["charged"], data["cost"], data["remaining"]) == (True, {"epsilon": 2.0}, {"epsilon": 18.0})
    assert data["command"] == "release mean"


def test_the_printed_moments_are_the_saved_ones(discreet, bank: Path) -> None:
    data = discreet("release", "moments", *ASK, "--epsilon", 2, "-o", "m.json", "--json").data()
    release = load("m.json")
    assert isinstance(release, MomentsRelease)
    assert data["covariances"] == release.covariances.tolist()
    assert data["correlations"] == release.correlations.tolist()
    assert data["standard_deviations"] == release.standard_deviations.tolist()
    assert data["means"] == release.means.tolist()
    assert (data["mechanism"], data["idealised"]) == ("EntrywiseLaplace", False)


@pytest.mark.parametrize("width", [50, 80, 120])
@pytest.mark.parametrize("kind", ["mean", "moments"])
def test_means_are_shown_in_the_width_of_the_terminal(discreet, bank: Path, monkeypatch, kind, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = discreet("release", kind, *ASK, "--columns", ALL, "--epsilon", 2, "-o", "m.json").done()
    for label in (*ALL.split(","), "genuine", "counterfeit", "n = 200"):
        assert label in shown
    assert re.search(r"remaining +epsilon = 18\n", shown)
    assert max(map(len, shown.splitlines())) <= width
    assert shown.count("sd ") >= (12 if kind == "moments" and width > 50 else 0)


def test_without_groups(discreet, bank: Path) -> None:
    Path("banknote.toml").write_text(Path("banknote.toml").read_text().replace('fixed = "Status"', ""))
    for kind in ("mean", "moments"):
        shown = discreet("release", kind, *ASK, "--epsilon", 2, "-o", f"{kind}.json", "--plot", "m.png").done()
        assert "mean" in shown
        assert "one record replaced\n" in shown
        data = discreet("release", kind, *ASK, "--epsilon", 1, "-o", f"{kind}2.json", "--json").data()
        assert "groups" not in data
        assert len(data["means"]) == 2


@pytest.mark.parametrize("kind", ["mean", "moments"])
def test_a_picture_is_saved_and_rehearsed_before_the_charge(discreet, bank: Path, kind) -> None:
    data = discreet("release", kind, *ASK, "--epsilon", 1, "-o", "m.json", "--plot", "m.png", "--json").data()
    assert Path(data["plot"]).stat().st_size > 1000
    schema = json.dumps([f"label {i}" for i in range(7)] + ["genuine", "counterfeit"])
    text = Path("banknote.toml").read_text().replace('["genuine", "counterfeit"]', schema)
    Path("banknote.toml").write_text(text)
    message = discreet("release", kind, *ASK, "--epsilon", 1, "-o", "n.json", "--plot", "n.png").refused()
    assert "at most 6 groups" in message
    assert len(Ledger(bank).entries()) == 1


def test_an_idealised_release_says_so(discreet, bank: Path) -> None:
    shown = discreet("release", "moments", *ASK, "--epsilon", 2, "--mechanism", "ed", "-o", "m.json").done()
    assert "idealised" in shown
    assert "ED" in shown
    data = discreet("release", "moments", *ASK, "--epsilon", 2, "--mechanism", "ed", "-o", "n.json", "--json").data()
    assert data["idealised"] is True


def test_a_request_that_is_repeated_costs_nothing_more(discreet, bank: Path) -> None:
    for kind in ("mean", "moments"):
        request = ("release", kind, *ASK, "--epsilon", 1, "--request-id", f"my {kind}", "--json")
        first = discreet(*request, "-o", f"{kind}1.json").data()
        again = discreet(*request, "-o", f"{kind}2.json").data()
        assert (first["charged"], again["charged"]) == (True, False)
        assert Path(f"{kind}1.json").read_bytes() == Path(f"{kind}2.json").read_bytes()


@pytest.mark.parametrize("kind", ["mean", "moments"])
@pytest.mark.parametrize(
    ("options", "reason", "status"),
    [
        (("--epsilon", 21, "-o", "m.json"), "requested epsilon = 21", 1),
        (("--mu", 1, "-o", "m.json"), "no valid cost", 1),
        (("--epsilon", 1, "-o", "m.json", "--columns", "Length,Diagonale"), "did you mean 'Diagonal'", 1),
        (("--epsilon", 1, "-o", "m.json", "--columns", "Status"), "categorical", 1),
        (("--epsilon", 1, "-o", "m.json", "--columns", "Length,Length"), "named once", 1),
        (("--epsilon", 1, "-o", "m.json", "--columns", ","), "at least one numeric column", 1),
        (("--epsilon", 1, "-o", "m.json", "--columns", ",", "--plot", "m.png"), "at least one numeric column", 1),
        (("--epsilon", 1, "-o", "m.json", "--columns", "Status", "--plot", "m.png"), "categorical", 1),
        (("--epsilon", 1, "-o", "banknote.csv", "--force"), "another file of this command", 1),
        (("--epsilon", 1, "-o", "m.json", "--mechanism", "magic"), "--mechanism", 2),
        (("--epsilon", 1), "missing option", 2),
        (("-o", "m.json"), "give one of --epsilon", 2),
    ],
)
def test_a_refusal_charges_and_writes_nothing(discreet, bank: Path, kind, options, reason, status) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    message = discreet("release", kind, *ASK, *options).refused(status)
    assert reason.lower() in message.lower()
    assert Ledger(bank).entries() == ()
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_the_price_of_means(discreet, bank: Path) -> None:
    before = bank.read_bytes()
    data = discreet("price", "mean", *ASK, "--epsilon", 0.5, "--json").data()
    sd = 2**0.5 * 10 * 2 / (100 * 0.5)  # range 10, two columns, 100 records a group
    assert data.pop("noise_sd") == pytest.approx({"Length": sd, "Diagonal": sd})
    assert data == {
        "command": "price mean",
        "columns": ["Length", "Diagonal"],
        "guarantee": {"kind": "pure", "epsilon": 0.5},
        "mechanism": "Laplace",
        "cost": {"epsilon": 0.5},
        "remaining": {"epsilon": 20.0},
        "admitted": True,
        "refusal": None,
    }
    assert "the budget has room for it" in discreet("price", "mean", *ASK, "--epsilon", 0.5).done()
    assert bank.read_bytes() == before


def test_the_price_of_moments_names_a_better_mechanism(discreet, bank: Path) -> None:
    ask = ("price", "moments", *ASK, "--columns", ALL)
    data = discreet(*ask, "--epsilon", 0.5, "--json").data()
    assert data["mechanism"] == "EntrywiseLaplace"
    assert data["covariance_error"] > 1
    assert "ED() has a smaller expected error" in data["notes"][0]
    shown = discreet(*ask, "--epsilon", 0.5).done()
    assert "note" in shown
    assert "Frobenius" in shown
    better = discreet(*ask, "--epsilon", 0.5, "--mechanism", "ed", "--json").data()
    assert better["covariance_error"] < data["covariance_error"]
    assert "notes" not in better


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_each_mechanism_has_a_price_in_mu(discreet, bank: Path, name) -> None:
    discreet("ledger", "create", "mu.ledger", "--mu", 1).done()
    for kind in ("mean", "moments"):
        ask = ("price", kind, *ASK, "--ledger", "mu.ledger", "--mu", 0.5, "--mechanism", name, "--json")
        data = discreet(*ask).data()
        assert name in data["mechanism"].lower()
        assert data["cost"] == {"mu": 0.5}


@pytest.mark.parametrize("kind", ["mean", "moments"])
def test_no_value_of_a_record_is_shown(discreet, study: Path, kind) -> None:
    """Text where numbers should be: an answer or a refusal, and the canary in neither, nor in any file."""
    canary = "CANARY-73914"
    Path("t.csv").write_text(f"x,y\n1.5,{canary}\n2,3\n,nan\n4,5\n")
    Path("t.toml").write_text("[columns]\nx = { lower = 0, upper = 5, step = 0.5 }\ny = { lower = 0, upper = 5 }\n")
    discreet("ledger", "create", "t.ledger", "--epsilon", 5).done()
    ask = ("t.csv", "--schema", "t.toml", "--columns", "x,y", "--ledger", "t.ledger", "--epsilon", 1)
    for as_json in ((), ("--json",)):
        run = discreet("release", kind, *ask, "-o", f"m{len(as_json)}.json", *as_json)
        assert run.status in (0, 1)
        assert canary not in run.stdout + run.stderr
    for written in study.iterdir():
        assert written.name == "t.csv" or canary.encode() not in written.read_bytes()
