"""`discreet test`: the same numbers as the library, from files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet import goodness_of_fit, homogeneity, independence
from discreet.noise import Gaussian, Laplace
from discreet.release import TableRelease

NOISE = Laplace(4.0)
PAIR = TableRelease.from_counts(
    [[230.5, 271.25], [268, 236.75]], {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]}, noise=NOISE, n=1000
)
ONE = TableRelease.from_counts([52.25, 39.0, 61.75], {"group": ["a", "b", "c"]}, noise=NOISE, n=150)
TWO = TableRelease.from_counts([90.0, 31.5, 81.25], {"group": ["a", "b", "c"]}, noise=NOISE, n=200)
WIDE = TableRelease.from_counts(
    [[[60.0, 40.0], [30.0, 70.0]], [[55.0, 45.0], [35.0, 65.0]]],
    {name: ["0", "1"] for name in ("x", "y", "z")},
    noise=Gaussian(2.0),
    other=3.0,
)


@pytest.fixture(autouse=True)
def _releases(study: Path) -> None:
    for name, release in {"pair": PAIR, "one": ONE, "two": TWO, "wide": WIDE}.items():
        release.save(f"{name}.json")


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (("independence", "pair.json"), independence(PAIR, rng=1)),
        (("independence", "pair.json", "--statistic", "lr"), independence(PAIR, statistic="lr", rng=1)),
        (("independence", "pair.json", "--null", "monte-carlo"), independence(PAIR, null="monte-carlo", rng=1)),
        (("independence", "wide.json", "--rows", "x", "--columns", "z"), independence(WIDE, "x", "z", rng=1)),
        (("goodness-of-fit", "one.json", "--theta", ".25,.25,.5"), goodness_of_fit(ONE, [0.25, 0.25, 0.5], rng=1)),
        (("goodness-of-fit", "one.json", "--theta", "1/3, 1/3, 1/3"), goodness_of_fit(ONE, [1 / 3] * 3, rng=1)),
        (
            ("goodness-of-fit", "pair.json", "--theta", "1/4,1/4,1/4,1/4"),
            goodness_of_fit(PAIR, [[0.25] * 2] * 2, rng=1),
        ),
        (("homogeneity", "one.json", "two.json"), homogeneity(ONE, TWO, rng=1)),
        (("homogeneity", "pair.json"), homogeneity(PAIR, rng=1)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_command_is_the_function(discreet, arguments, result) -> None:
    data = discreet("test", *arguments, "--seed", 1, "--json").data()
    assert data.pop("command") == f"test {arguments[0]}"
    assert data.pop("releases") == [name for name in arguments if str(name).endswith(".json")]
    assert data.pop("plot") is None
    assert data == result.to_dict()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_readable_result(discreet, monkeypatch, width) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = discreet("test", "independence", "pair.json", "--seed", 1).done()
    assert "Independence of smoking and systolic" in shown
    assert "statistic  5.155, df 1" in shown
    assert "p-value    0.0326  (standard error" in shown
    assert "naive      0.0232" in shown
    assert max(map(len, shown.splitlines())) <= width


def test_warnings_are_shown(discreet) -> None:
    TableRelease.from_counts([[5, 9], [14, 40]], {"a": ["0", "1"], "b": ["0", "1"]}, noise=NOISE, n=70).save("few.json")
    assert "beware" in discreet("test", "independence", "few.json").done()
    assert discreet("test", "independence", "few.json", "--json").data()["warnings"]


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg"])
def test_a_picture_is_saved(discreet, suffix) -> None:
    shown = discreet("test", "homogeneity", "one.json", "two.json", "--plot", f"null{suffix}").done()
    assert f"saved      null{suffix}" in shown
    assert Path(f"null{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "reason", "status"),
    [
        (("independence", "missing.json"), "missing.json", 1),
        (("independence", "czech.csv"), "not a valid release file", 1),
        (("independence", "one.json"), "two rows and two columns", 1),
        (("independence", "wide.json"), "say which two", 1),
        (("independence", "wide.json", "--rows", "x"), "go together", 2),
        (("independence", "wide.json", "--rows", "x", "--columns", "w"), "unknown", 1),
        (("independence", "pair.json", "--statistic", "t"), "statistic must be", 1),
        (("independence", "pair.json", "--null", "none"), "null must be", 1),
        (("goodness-of-fit", "one.json", "--theta", "1/3,1/3,1/3", "--null", "closed-form"), "2 degrees of freedom", 1),
        (("independence", "pair.json", "--seed", "-1"), "--seed", 2),
        (("independence", "pair.json", "--plot", "p.bmp"), "ends in", 1),
        (("independence", "pair.json", "--plot", "missing/p.png"), "no folder", 1),
        (("independence", "pair.json", "--level", "0.9"), "no such option", 2),
        (("independence",), "missing argument", 2),
        (("goodness-of-fit", "one.json"), "missing option '--theta'", 2),
        (("goodness-of-fit", "one.json", "--theta", "0.5,0.5"), "has 3 cells", 1),
        (("goodness-of-fit", "one.json", "--theta", "0.5,0.5,0.5"), "must sum to 1", 1),
        (("goodness-of-fit", "one.json", "--theta", "1,1,-1"), "above 0", 1),
        (("goodness-of-fit", "one.json", "--theta", "a,b,c"), "separated by commas", 1),
        (("goodness-of-fit", "one.json", "--theta", "1/0,1/2,1/2"), "separated by commas", 1),
        (("goodness-of-fit", "one.json", "--theta", "nan,1/2,1/2"), "separated by commas", 1),
        (("homogeneity", "one.json", "pair.json"), "one shape", 1),
        (("homogeneity", "one.json"), "at least two", 1),
        (("homogeneity",), "missing argument", 2),
        (("independance", "pair.json"), "did you mean 'independence'", 2),
    ],
)
def test_a_refusal_is_one_line_that_says_what_to_do(discreet, arguments, reason, status) -> None:
    assert reason.lower() in discreet("test", *arguments).refused(status).lower()


def test_a_truncated_release_is_refused(discreet) -> None:
    content = Path("pair.json").read_bytes()
    for end in (0, 1, len(content) // 2, len(content) - 3):
        Path("cut.json").write_bytes(content[:end])
        assert "not a valid release file" in discreet("test", "independence", "cut.json").refused()
