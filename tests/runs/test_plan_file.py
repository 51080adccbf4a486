"""A plan is read strictly: what it does not say rightly is refused with one line that helps, before any record is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from discreet import GaussianDP, PureDP, Schema, ZeroConcentratedDP
from discreet.errors import InvalidInput
from discreet.mechanisms import ED, Exponential, Gaussian, Laplace, SeriesDistance, SmoothedHistogram
from discreet.privacy import ApproxDP
from discreet.runs import RunPlan, read_plan

HEAD = """
name = "study"
[source]
path = "czech.csv"
schema = "czech.toml"
[budget]
ledger = "czech.ledger"
"""
SMOKING = """
[[release]]
name = "smoking"
verb = "table"
columns = ["smoking", "systolic"]
epsilon = 0.5
"""
TEST = """
[[test]]
name = "pressure"
test = "independence"
release = "smoking"
"""

Write = Callable[..., RunPlan]


def test_the_example_is_read(study: Path) -> None:
    plan = read_plan(study / "czech_plan.toml")
    assert (plan.name, plan.output, plan.source) == ("czech", study / "czech-run", str(study / "czech.csv"))
    assert [step.name for step in plan.releases] == ["smoking-systolic", "work"]
    assert plan.releases[0].guarantee == PureDP(0.5)
    assert plan.releases[1].what == "table of mental_work, physical_work, family_history"
    assert {test.test for test in plan.tests} == {"independence", "goodness-of-fit"}
    assert plan.schema == Schema.from_toml(study / "czech.toml")
    assert plan.request_id("work") == "run czech: work"


def test_a_schema_may_stand_in_the_plan(plan: Write, study: Path) -> None:
    inline = HEAD.replace(
        'schema = "czech.toml"',
        'schema = { complete = true, columns = { smoking = ["no", "yes"], age = { lower = 0, upper = 9 } } }',
    )
    assert list(plan(SMOKING, head=inline).schema.columns) == ["smoking", "age"]


def test_every_verb_is_read(plan: Write) -> None:
    column = 'columns = ["a", "b"]\n'
    promises = {"a": "epsilon = 1", "b": "epsilon = 1\ndelta = 1e-6", "c": "mu = 0.5", "d": "rho = 0.1"}
    steps = {
        "table": column + 'mechanism = "gaussian"',
        "mean": column + 'mechanism = "laplace"',
        "moments": column + 'mechanism = "ed"',
        "histogram": 'columns = "a"\nbins = 20',
        "series": 'column = "a"\nterms = 8',
        "cdf": 'column = "a"\npoints = 64',
        "sample": 'column = "a"\nsize = 5\nmechanism = "series"\nterms = 3',
        "select": column + 'candidates = ["x", "y"]\nscore = [[1, 0, 0, 0], [0, 1, 0, 0]]',
    }
    parts = [f'[[release]]\nname = "{verb}"\nverb = "{verb}"\n{text}\nepsilon = 1\n' for verb, text in steps.items()]
    parts += [
        f'[[release]]\nname = "{name}-p"\nverb = "table"\ncolumns = "a"\n{text}\n' for name, text in promises.items()
    ]
    read = {step.name: step for step in plan(*parts).releases}
    assert read["table"].arguments == {"columns": ["a", "b"], "mechanism": Gaussian(), "guarantee": PureDP(1)}
    assert read["mean"].arguments["mechanism"] == Laplace()
    assert read["moments"].arguments["mechanism"] == ED()
    assert read["histogram"].arguments == {"column": ["a"], "bins": 20, "guarantee": PureDP(1)}
    assert read["series"].arguments == {"column": "a", "terms": 8, "guarantee": PureDP(1)}
    assert read["cdf"].arguments["points"] == 64
    assert read["sample"].arguments["mechanism"] == Exponential(SeriesDistance(3))
    assert read["select"].arguments["score"] == [[1, 0, 0, 0], [0, 1, 0, 0]]
    promised = [read[f"{name}-p"].guarantee for name in promises]
    assert promised == [PureDP(1), ApproxDP(1, 1e-6), GaussianDP(0.5), ZeroConcentratedDP(0.1)]


def test_a_smoothed_sample_has_its_own_options(plan: Write) -> None:
    part = '[[release]]\nname = "s"\nverb = "sample"\ncolumn = "a"\nmechanism = "smoothed"\ncells = 8\nepsilon = 1\n'
    assert plan(part).releases[0].arguments["mechanism"] == SmoothedHistogram(8, None)


def test_seeds_are_a_function_of_the_names(plan: Write) -> None:
    first = plan(SMOKING, TEST).tests[0].seed
    assert plan(SMOKING, "WORK", TEST).tests[0].seed == first
    assert plan(SMOKING, TEST.replace("pressure", "other")).tests[0].seed != first
    assert plan(SMOKING, TEST + "seed = 7\n").tests[0].seed == 7


REFUSED = {
    "an unknown entry": (["titel = 'x'"], "unknown entry of the plan 'titel'; known: .*; did you mean 'title'"),
    "no release": ([], r"the plan needs at least one \[\[release\]\]"),
    "no name": ([SMOKING.replace('name = "smoking"', "")], r"the 1. \[\[release\]\] needs the entry 'name'"),
    "a path as a name": (
        [SMOKING.replace('"smoking"\n', '"../smoking"\n', 1)],
        "a name has 1 to 64 letters of A-Z, digits, - and _",
    ),
    "a name twice": (
        [SMOKING, SMOKING.replace('"smoking"\n', '"Smoking"\n', 1)],
        r"two \[\[release\]\] have the name 'Smoking'",
    ),
    "an unknown verb": (
        [SMOKING.replace('"table"', '"tabel"')],
        "unknown verb of release 'smoking' 'tabel'; .*did you mean 'table'",
    ),
    "no verb": ([SMOKING.replace('verb = "table"', "")], "release 'smoking' needs the entry 'verb': table, mean"),
    "an entry of another verb": ([SMOKING + "bins = 3\n"], "unknown entry of release 'smoking' 'bins'"),
    "no columns": (
        [SMOKING.replace("columns", "column")],
        "unknown entry of release 'smoking' 'column'; .*did you mean 'columns'",
    ),
    "no guarantee": ([SMOKING.replace("epsilon = 0.5", "")], "release 'smoking' needs one of epsilon, mu and rho"),
    "two guarantees": ([SMOKING + "mu = 1\n"], "release 'smoking' needs one of epsilon, mu and rho"),
    "delta alone": ([SMOKING.replace("epsilon = 0.5", "mu = 1\ndelta = 1e-6")], "delta goes with epsilon only"),
    "a negative epsilon": ([SMOKING.replace("0.5", "-0.5")], "release 'smoking': epsilon must be .*-0.5"),
    "an infinite epsilon": ([SMOKING.replace("0.5", "inf")], "release 'smoking': epsilon must be .*inf"),
    "a text as epsilon": ([SMOKING.replace("0.5", '"0.5"')], "release 'smoking': epsilon must be a number, not '0.5'"),
    "a truth as epsilon": ([SMOKING.replace("0.5", "true")], "release 'smoking': epsilon must be a number, not True"),
    "an unknown mechanism": (
        [SMOKING + 'mechanism = "laplac"\n'],
        "unknown mechanism of release 'smoking' 'laplac'; .*did you mean 'laplace'",
    ),
    "empty columns": ([SMOKING.replace('["smoking", "systolic"]', "[]")], r"columns must be a list of texts, not \[\]"),
    "a test of nothing": (
        [SMOKING, TEST.replace('"smoking"', '"smokin"')],
        "unknown release of test 'pressure' 'smokin'; .*did you mean 'smoking'",
    ),
    "an unknown test": (
        [SMOKING, TEST.replace("independence", "independance")],
        "unknown test of test 'pressure' 'independance'; .*did you mean 'independence'",
    ),
    "half of a margin": ([SMOKING, TEST + 'rows = "smoking"\n'], "rows and columns go together"),
    "an unknown statistic": (
        [SMOKING, TEST + 'statistic = "chi"\n'],
        "unknown statistic of test 'pressure' 'chi'; .*did you mean 'chi2'",
    ),
    "an unknown null": ([SMOKING, TEST + 'null = "exact"\n'], "unknown null of test 'pressure' 'exact'"),
    "a negative seed": ([SMOKING, TEST + "seed = -1\n"], "seed must be 0 or more"),
    "means of a table": (
        [SMOKING, TEST.replace("independence", "hotelling")],
        "test 'pressure' needs a release with verb = 'moments', and 'smoking' has verb = 'table'",
    ),
    "no theta": ([SMOKING, TEST.replace("independence", "goodness-of-fit")], "test 'pressure' needs the entry 'theta'"),
    "a text as theta": (
        [SMOKING, TEST.replace("independence", "goodness-of-fit") + 'theta = ["a"]\n'],
        "theta must be a list of numbers, or of rows of numbers",
    ),
    "one sample twice": (
        [SMOKING, '[[test]]\nname = "h"\ntest = "homogeneity"\nreleases = ["smoking", "smoking"]\n'],
        "the samples must be different releases",
    ),
    "terms of a plain sample": (
        ['[[release]]\nname = "s"\nverb = "sample"\ncolumn = "a"\nterms = 3\nepsilon = 1\n'],
        "terms goes with mechanism = 'series'",
    ),
    "bins that are no number": (
        ['[[release]]\nname = "h"\nverb = "histogram"\ncolumns = "a"\nbins = 2.5\nepsilon = 1\n'],
        "release 'h': bins must be a",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_right_is_refused(plan: Write, case: str) -> None:
    parts, message = REFUSED[case]
    head = f"{parts[0]}\n{HEAD}" if case == "an unknown entry" else HEAD
    with pytest.raises(InvalidInput, match=message) as refused:
        plan(*([SMOKING] if case == "an unknown entry" else parts), head=head)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('name = "study"', ""), "the plan needs the entry 'name'"),
        (("czech.toml", "other.toml"), "cannot read the schema file"),
        (('schema = "czech.toml"', ""), r"\[source\] needs the entry 'schema'"),
        (('ledger = "czech.ledger"', "epsilon = 2"), r"unknown entry of \[budget\] 'epsilon'; known: 'ledger'"),
        (("[budget]", "[budgets]"), "unknown entry of the plan 'budgets'; .*did you mean 'budget'"),
        (('"czech.ledger"', '"postgresql://me:secret@host/base"'), r"\[budget\] ledger has a password in it"),
        (('path = "czech.csv"', "path = 3"), r"\[source\]: path must be text, not 3"),
        (('path = "czech.csv"', 'path = "czech.csv'), "is not TOML: "),
    ],
)
def test_a_head_that_is_not_right_is_refused(plan: Write, change: tuple[str, str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        plan(SMOKING, head=HEAD.replace(*change))
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_none_is_refused(study: Path) -> None:
    with pytest.raises(InvalidInput, match=r"there is no plan '.*missing.toml'"):
        read_plan(study / "missing.toml")
    (study / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(InvalidInput, match="is not UTF-8 text"):
        read_plan(study / "latin.toml")
    (study / "large.toml").write_bytes(b"#" * 2**23)
    with pytest.raises(InvalidInput, match="is larger than"):
        read_plan(study / "large.toml")


def test_another_output_can_be_named(study: Path) -> None:
    assert read_plan(study / "czech_plan.toml", output="elsewhere").output == Path("elsewhere")
