"""`discreet test hotelling`: the same numbers as the function, from files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet import Bounded, PureDP, Schema, hotelling
from discreet.cli.hotelling import given_mean
from discreet.errors import InvalidInput
from discreet.noise import Laplace
from discreet.release import MeanRelease, MomentsRelease, TableRelease
from discreet.release.moments.covariance_draws import EntryDraws

COLUMNS = {"height": Bounded(100, 220, step=1), "weight": Bounded(20, 200, step=1)}
SCALES = (86_406.0, 129_606.0, 194_406.0)


def moments(drawn, covariances, sizes, labels=None):
    schema = Schema({"kind": labels, **COLUMNS}, fixed="kind", complete=True) if labels else Schema(COLUMNS)
    means = MeanRelease(
        schema,
        tuple(COLUMNS),
        drawn=drawn,
        exponents=(0, 0),
        mechanism="Laplace",
        scales=(480.0, 720.0),
        n=sum(sizes),
        group_sizes=sizes if labels else None,
        guarantee=PureDP(1),
    )
    return MomentsRelease(means, EntryDraws("EntrywiseLaplace", "Laplace", SCALES, (0, 0, 0), covariances))


ONE = moments((14_150, 11_020), (160_000, 62_000, 200_000), (200,))
TWO = moments((22_900, 19_000), (260_000, 90_000, 300_000), (300,))
THREE = moments(
    (14_150, 11_020, 22_900, 19_000, 30_000, 29_000),
    (160_000, 62_000, 200_000, 260_000, 90_000, 300_000, 330_000, 99_000, 400_000),
    (200, 300, 400),
    ["old", "new", "very, very new"],
)


@pytest.fixture(autouse=True)
def _releases(study: Path) -> None:
    for name, release in {"one": ONE, "two": TWO, "three": THREE}.items():
        release.save(f"{name}.json")
    TableRelease.from_counts([3.0, 4.0], {"a": ["x", "y"]}, noise=Laplace(1.0)).save("table.json")


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (("one.json", "two.json"), hotelling(ONE, TWO, rng=1)),
        (("three.json", "--groups", "new, old"), hotelling(THREE, groups=("new", "old"), rng=1)),
        (
            ("three.json", "--groups", 'old,"very, very new"', "--null", "asymptotic"),
            hotelling(THREE, groups=("old", "very, very new"), null="asymptotic"),
        ),
        (("one.json", "--mean", "170, 75"), hotelling(ONE, mean=[170, 75], rng=1)),
        (("one.json", "--mean", "weight=75,height=170"), hotelling(ONE, mean=[170, 75], rng=1)),
        (
            ("three.json", "--groups", "new", "--mean", "170,75", "--replicates", "99"),
            hotelling(THREE, groups="new", mean=[170, 75], replicates=99, rng=1),
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_command_is_the_function(discreet, arguments, result) -> None:
    data = discreet("test", "hotelling", *arguments, "--seed", 1, "--json").data()
    assert data.pop("command") == "test hotelling"
    assert data.pop("releases") == [name for name in arguments if str(name).endswith(".json")]
    assert data.pop("plot") is None
    assert data == result.to_dict()


def test_the_readable_result_and_the_picture(discreet) -> None:
    shown = discreet("test", "hotelling", "one.json", "two.json", "--seed", 1, "--plot", "t.png").done()
    assert "Equal means of two samples" in shown
    assert "Mahalanobis distance" in shown
    assert "saved      t.png" in shown
    assert Path("t.png").stat().st_size > 1000
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("one.json",), 1, "one release without groups"),
        (("three.json",), 1, "say with groups= which 2 are meant"),
        (("three.json", "--groups", "old,nwe"), 1, "no group 'nwe', .*did you mean 'new'"),
        (("one.json", "two.json", "one.json"), 2, "give one or two releases, not 3"),
        (("one.json", "two.json", "--mean", "1,2"), 2, "--groups and --mean are for one release"),
        (("one.json", "--mean", "170"), 1, "mean must be 2 numbers"),
        (("one.json", "--mean", "tall,heavy"), 1, "--mean must be numbers separated by commas"),
        (("one.json", "--mean", "170,weight=75"), 1, "--mean must be numbers separated by commas"),
        (("one.json", "--mean", "17,75"), 1, r"outside of its declared bounds \[100, 220\]"),
        (("one.json", "two.json", "--null", "auto"), 1, "null must be one of 'bootstrap', 'asymptotic'"),
        (("one.json", "two.json", "--replicates", "0"), 1, "replicates must be a whole number of at least 1"),
        (("one.json", "table.json"), 1, "'table.json' holds a TableRelease; this test needs a MomentsRelease"),
        (("one.json", "nowhere.json"), 1, "nowhere.json"),
    ],
)
def test_what_is_refused(discreet, arguments, status, message) -> None:
    import re

    assert re.search(message, discreet("test", "hotelling", *arguments).refused(status))


def test_a_table_test_refuses_moments(discreet) -> None:
    assert "holds a MomentsRelease" in discreet("test", "independence", "one.json").refused()


def test_a_mean_in_words() -> None:
    assert given_mean("1.5") == [1.5]
    assert given_mean(' a = 1, "b, c=d" = -2e3') == {"a": 1.0, "b, c=d": -2000.0}
    for text in ("", "a=1,a=2", "1,,2", "a="):
        with pytest.raises(InvalidInput, match="NAME=NUMBER"):
            given_mean(text)
