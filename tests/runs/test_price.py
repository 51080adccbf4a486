"""A plan is checked, priced and rehearsed as a whole: what would be refused in its middle is refused before its beginning."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from discreet import Curator, GaussianDP, Ledger, PureDP, Schema
from discreet.curator.batch import Call, quote
from discreet.errors import BudgetExceeded, DiscreetError, InvalidInput, LedgerError, NoCost, NotAvailable
from discreet.privacy import ApproxDP
from discreet.privacy.cost import Cost
from discreet.runs import RunPlan, price_plan, read_plan, run_plan

EXAMPLES = Path(__file__).parents[2] / "examples"
BANKNOTES = """
name = "notes"
[source]
path = "banknote.csv"
schema = "banknote.toml"
[budget]
ledger = "czech.ledger"
[[release]]
name = "sizes"
verb = "moments"
columns = ["Length", "Diagonal"]
epsilon = 1
[[test]]
name = "sizes"
test = "hotelling"
release = "sizes"
"""

Write = Callable[..., RunPlan]


def test_costs_add_up_exactly(plan: Write, study: Path) -> None:
    """Ten releases of 0.1 fit into what nineteen more of 0.1 leave of 2.9, in decimals; the eleventh does not."""
    tenth = '[[release]]\nname = "r{}"\nverb = "table"\ncolumns = "smoking"\nepsilon = 0.1\n'
    (study / "czech.ledger").unlink()
    ledger = Ledger.create(study / "czech.ledger", PureDP(2.9))
    for i in range(19):
        ledger.charge(
            Cost("epsilon", 0.1),
            request_id=str(i),
            specification="x",
            adjacency="replace-one",
            unit="record",
            fixed=None,
        )
    fits = price_plan(plan(*(tenth.format(i) for i in range(10))))
    assert (fits.refusal, fits.to_pay, fits.remaining) == (None, Cost("epsilon", 1.0), Cost("epsilon", 1.0))
    assert [line.remaining.amount for line in fits.lines if line.remaining] == [
        0.9,
        0.8,
        0.7,
        0.6,
        0.5,
        0.4,
        0.3,
        0.2,
        0.1,
        0.0,
    ]
    over = price_plan(plan(*(tenth.format(i) for i in range(11))))
    assert [line.remaining is None for line in over.lines] == [False] * 10 + [True]
    assert over.refusal == (
        "the releases that are not made yet cost epsilon = 1.1 together, and the ledger has epsilon = 1 left: there is no "
        "room from 'r10' on; nothing was charged"
    )


def test_squares_of_mu_add_up(plan: Write, study: Path) -> None:
    (study / "czech.ledger").unlink()
    Ledger.create(study / "czech.ledger", GaussianDP(0.5))
    part = '[[release]]\nname = "{}"\nverb = "table"\ncolumns = "smoking"\nmu = {}\n'
    priced = price_plan(plan(part.format("a", 0.3), part.format("b", 0.4)))
    assert (priced.cost, priced.refusal) == (Cost("mu", 0.5), None)
    assert [line.remaining for line in priced.lines] == [Cost("mu", 0.4), Cost("mu", 0.0)]
    assert price_plan(plan(part.format("a", 0.3), part.format("b", 0.401))).refusal is not None


def test_epsilon_and_delta_add_up(plan: Write, study: Path) -> None:
    (study / "czech.ledger").unlink()
    Ledger.create(study / "czech.ledger", ApproxDP(2, 1e-6))
    part = '[[release]]\nname = "{}"\nverb = "table"\ncolumns = "smoking"\nepsilon = 0.5\ndelta = {}\n'
    priced = price_plan(plan(part.format("a", 4e-7), part.format("b", 6e-7)))
    assert (priced.cost, priced.refusal) == (Cost("approx", 1.0, 1e-6), None)
    assert price_plan(plan(part.format("a", 5e-7), part.format("b", 6e-7))).refusal is not None


def test_an_overspending_plan_spends_nothing(plan: Write, study: Path) -> None:
    large = plan("SMOKING", "WORK", '[[release]]\nname = "more"\nverb = "table"\ncolumns = "smoking"\nepsilon = 0.6\n')
    with pytest.raises(BudgetExceeded, match=r"cost epsilon = 2.1 together.* left: there is no room from 'more' on"):
        run_plan(large)
    assert Ledger(study / "czech.ledger").entries() == ()
    assert not large.output.exists()


def test_pricing_writes_and_spends_nothing(plan: Write, study: Path) -> None:
    before = {path: path.read_bytes() for path in study.iterdir() if path.name != "plan.toml"}
    read = plan("SMOKING", "WORK", "TEST")
    price_plan(read)
    (study / "plan.toml").unlink()
    assert {path: path.read_bytes() for path in study.iterdir()} == before


REFUSED = {
    "an unknown column": (
        ["SMOKING", '[[release]]\nname = "w"\nverb = "table"\ncolumns = ["smokin"]\nepsilon = 1\n'],
        InvalidInput,
        "release 'w': unknown column 'smokin'; known: .*; did you mean 'smoking'",
    ),
    "a numeric verb of a category": (
        ['[[release]]\nname = "w"\nverb = "mean"\ncolumns = "smoking"\nepsilon = 1\n'],
        InvalidInput,
        "release 'w': column 'smoking' is categorical",
    ),
    "a mechanism without a cost": (
        ['[[release]]\nname = "w"\nverb = "table"\ncolumns = "smoking"\nmu = 1\n'],
        NoCost,
        "release 'w': ",
    ),
    "an unknown margin": (
        [
            "WORK",
            '[[test]]\nname = "t"\ntest = "independence"\nrelease = "work"\nrows = "mental_work"\ncolumns = "smoking"\n',
        ],
        InvalidInput,
        "test 't': .*'smoking'",
    ),
    "three columns and no margin": (
        ["WORK", '[[test]]\nname = "t"\ntest = "independence"\nrelease = "work"\n'],
        InvalidInput,
        "test 't': ",
    ),
    "probabilities of other cells": (
        ["SMOKING", '[[test]]\nname = "t"\ntest = "goodness-of-fit"\nrelease = "smoking"\ntheta = [0.5, 0.5]\n'],
        InvalidInput,
        "test 't': the table has 4 cells .2 x 2., but theta has 2 numbers",
    ),
    "probabilities that are none": (
        [
            "SMOKING",
            '[[test]]\nname = "t"\ntest = "goodness-of-fit"\nrelease = "smoking"\nmargin = "smoking"\ntheta = [0.5, 0.6]\n',
        ],
        InvalidInput,
        "test 't': ",
    ),
    "a null that the noise does not have": (
        [
            '[[release]]\nname = "w"\nverb = "table"\ncolumns = ["smoking", "systolic"]\nepsilon = 1\n',
            '[[test]]\nname = "t"\ntest = "homogeneity"\nrelease = "w"\nnull = "closed-form"\nstatistic = "minp"\n',
        ],
        NotAvailable,
        "test 't': ",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_made_is_refused_before_anything_is_spent(plan: Write, study: Path, case: str) -> None:
    parts, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message) as refused:
        run_plan(plan(*parts))
    assert "\n" not in str(refused.value)
    assert Ledger(study / "czech.ledger").entries() == ()


def test_missing_records_and_ledgers_are_refused(plan: Write, study: Path) -> None:
    (study / "czech.csv").unlink()
    with pytest.raises(DiscreetError, match="no file"):
        price_plan(plan("SMOKING"))
    (study / "czech.ledger").unlink()
    with pytest.raises(LedgerError, match=r"czech\.ledger"):
        price_plan(plan("SMOKING"))


@pytest.fixture
def notes(study: Path) -> Path:
    for name in ("banknote.csv", "banknote.toml"):
        shutil.copy(EXAMPLES / name, study)
    return study


def test_tests_of_means_are_rehearsed(notes: Path) -> None:
    path = notes / "notes.toml"
    path.write_text(BANKNOTES)
    assert price_plan(read_plan(path)).refusal is None
    path.write_text(BANKNOTES + 'groups = ["genuine", "counterfit"]\n')
    with pytest.raises(InvalidInput, match=r"test 'sizes': .*'counterfit'"):
        price_plan(read_plan(path))
    path.write_text(BANKNOTES + 'groups = ["genuine"]\nmean = { Length = 214.9 }\n')
    with pytest.raises(InvalidInput, match=r"test 'sizes': .*Diagonal"):
        price_plan(read_plan(path))


PENGUINS = [
    ("table", {"columns": ["island", "sex"]}),
    ("table", {"columns": ["island", "species"]}),
    ("mean", {"columns": ["body_mass_g"]}),
    ("moments", {"columns": ["body_mass_g", "bill_depth_mm"]}),
    ("histogram", {"column": "body_mass_g", "bins": 10}),
    ("series", {"column": "body_mass_g", "terms": 4}),
    ("sample", {"column": "body_mass_g", "size": 3}),
    ("select", {"columns": ["island"]}),
]


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("fixed", ["species", None])
def test_every_verb_can_be_rehearsed(complete: bool, fixed: str | None) -> None:
    """The rehearsal has the shape, noise and public size of the release, with and without groups and strays."""
    from discreet.curator.batch import make, rehearse

    declared = {**Schema.from_toml(EXAMPLES / "penguins.toml").to_dict(), "complete": complete}
    declared.pop("fixed")
    schema = Schema.from_dict({**declared, **({} if fixed is None else {"fixed": fixed})})
    with Curator(EXAMPLES / "penguins.csv", schema, budget=PureDP(100)) as curator:
        calls = [
            Call(str(i), verb, {**arguments, "guarantee": PureDP(1)}, str(i))
            for i, (verb, arguments) in enumerate(PENGUINS)
        ]
        for line in quote(curator, calls).lines:
            rehearsed, real = rehearse(curator, line), make(curator, line)
            assert type(rehearsed) is type(real)
            assert (rehearsed.n, rehearsed.schema, rehearsed.cost) == (real.n, real.schema, real.cost)
            if hasattr(real, "values"):
                assert rehearsed.values.shape == real.values.shape


def test_a_rehearsal_knows_no_record(study: Path) -> None:
    """Tables that differ in all but the public size are rehearsed alike."""
    from discreet.curator.batch.made_up import MadeUpRecords

    schema = Schema.from_toml(study / "czech.toml")
    lines = (study / "czech.csv").read_text().splitlines()
    (study / "same.csv").write_text("\n".join([lines[0], *[lines[1]] * (len(lines) - 1)]))
    made_up = []
    for name in ("czech.csv", "same.csv"):
        with Curator(study / name, schema, budget=PureDP(1)) as curator:
            made_up.append(MadeUpRecords(curator.schema, curator._public_size).tabulate(("smoking", "systolic")))
    assert made_up[0] == made_up[1] == [461, 460, 460, 460]
