"""`discreet estimate`: what it says of releases, what it writes, and what it refuses. It needs no records and no ledger."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from discreet import Bounded, Curator, GaussianDP, PureDP, Schema, load
from discreet.cli import frame_file
from discreet.estimate import cdf_band, density, james_stein, simplex, synthesize
from discreet.noise import Gaussian, Laplace
from discreet.release import CdfRelease, HistogramRelease, SampleRelease, SelectionRelease, SeriesRelease, TableRelease

AGE = Schema({"age": Bounded(0, 120, step=1)})
HERE = {"schema": AGE, "n": 900}
DRAWN = {"exponent": 0, "mechanism": "Laplace", "scale": 4.0, "guarantee": PureDP(0.5)}
COUNTS = [[52.5, 31.0, 9.0], [-3.0, 20.0, 12.0]]


@pytest.fixture
def releases(study: Path) -> dict[str, object]:
    """One of each kind, saved under its name."""
    both = Schema({"age": Bounded(0, 120, step=1), "pulse": Bounded(40, 200, step=1)})
    rises = np.array([180, 50, 90, 100, 40, 20, 2]) * 2**20
    made = {
        "histogram": HistogramRelease(column_names=["age"], bins=[4], drawn=[210, 390, 300, -2], **HERE, **DRAWN),
        "two": HistogramRelease(
            schema=both, n=900, column_names=["age", "pulse"], bins=[2, 2], drawn=[210, 390, 300, -2], **DRAWN
        ),
        "series": SeriesRelease(
            column_name="age", drawn=[-200 * 2**20, -500 * 2**20], **HERE, **(DRAWN | {"scale": 2.0**22})
        ),
        "sample": SampleRelease(column_name="age", codes=[61, 18, 34, 34], mechanism="KolmogorovExponential", **HERE),
        "cdf": CdfRelease(
            column_name="age",
            drawn=rises.tolist(),
            **HERE,
            **(DRAWN | {"mechanism": "Gaussian", "scale": 4.0 * 2**20, "guarantee": GaussianDP(0.4)}),
        ),
        "table": TableRelease.from_counts(
            COUNTS, {"sex": ["f", "m"], "size": ["s", "m", "l"]}, noise=Laplace(4.0), n=120
        ),
        "gaussian": TableRelease.from_counts(
            COUNTS, {"sex": ["f", "m"], "size": ["s", "m", "l"]}, noise=Gaussian(4.0), n=120
        ),
        "select": SelectionRelease(
            schema=Schema({"sex": ["f", "m"]}), column_names=["sex"], candidates=["f", "m"], chosen=1, spread=1, n=9
        ),
    }
    for name, release in made.items():
        release.save(f"{name}.json")
    return made


def rows_of(path: str) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("kind", ["histogram", "series", "sample", "cdf"])
def test_a_density_is_that_of_the_library(discreet, releases, kind) -> None:
    given = density(releases[kind])
    ask = ("estimate", "density", f"{kind}.json", "--at", "20,61", "--plot", "d.png", "-o", "d.csv")
    data = discreet(*ask, "--json").data()
    assert data["quartiles"] == {"age": given.quantile([0.25, 0.5, 0.75]).tolist()}
    expected = zip([20.0, 61.0], given.pdf([20, 61]).tolist(), given.cdf([20, 61]).tolist(), strict=True)
    assert data["at"] == [{"x": x, "density": f, "share_below": share} for x, f, share in expected]
    assert Path("d.png").read_bytes().startswith(b"\x89PNG")
    rows = rows_of("d.csv")
    assert list(rows[0]) == ["from", "to", "share", "density"]
    assert (float(rows[0]["from"]), float(rows[-1]["to"])) == (0, 120)
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1)
    assert [float(row["density"]) * (float(row["to"]) - float(row["from"])) for row in rows] == pytest.approx(
        [float(row["share"]) for row in rows]
    )
    shown = discreet(*ask, "--force").done()
    low, middle, high = data["quartiles"]["age"]
    assert f"{low:.6g}, {middle:.6g}, {high:.6g}" in shown
    assert "━" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_density_of_two_columns_is_told_by_column(discreet, releases) -> None:
    given = density(releases["two"])
    data = discreet("estimate", "density", "two.json", "-o", "d.csv", "--plot", "d.png", "--json").data()
    assert data["columns"] == ["age", "pulse"]
    assert data["quartiles"]["pulse"] == given.marginal("pulse").quantile([0.25, 0.5, 0.75]).tolist()
    rows = rows_of("d.csv")
    assert list(rows[0]) == ["from_age", "to_age", "from_pulse", "to_pulse", "share", "density"]
    assert [float(row["share"]) for row in rows] == pytest.approx(given.masses.ravel().tolist())
    assert [float(row["density"]) for row in rows] == pytest.approx((given.masses / 60 / 80).ravel().tolist())
    assert "upper quartile" in discreet("estimate", "density", "two.json").done()
    alone = discreet("estimate", "density", "two.json", "--column", "pulse", "--at", 70, "--json").data()
    assert alone["columns"] == ["pulse"]
    assert alone["at"][0]["share_below"] == float(given.marginal("pulse").cdf(70))


def test_a_density_of_which_nothing_is_left_says_so(discreet, releases) -> None:
    HistogramRelease(column_names=["age"], bins=[2], drawn=[-1, -2], **HERE, **DRAWN).save("empty.json")
    assert discreet("estimate", "density", "empty.json", "--json").data()["fallback"] is True
    assert "no noisy count is above 0" in " ".join(discreet("estimate", "density", "empty.json").done().split())


@pytest.mark.parametrize("kind", ["histogram", "series", "sample"])
def test_quantiles_are_those_of_the_density(discreet, releases, kind) -> None:
    data = discreet("estimate", "quantile", f"{kind}.json", "--at", "0,0.3,1", "--json").data()
    found = density(releases[kind]).quantile([0, 0.3, 1]).tolist()
    assert [row["quantile"] for row in data["quantiles"]] == found
    assert data["level"] is None
    assert "low" not in data["quantiles"][0]
    assert "interval" not in discreet("estimate", "quantile", f"{kind}.json").done()


def test_quantiles_of_a_distribution_function_have_intervals(discreet, releases) -> None:
    ask = ("estimate", "quantile", "cdf.json", "--at", "0.25,0.5", "--level", 0.9, "--seed", 3)
    data = discreet(*ask, "--json").data()
    low, high = cdf_band(releases["cdf"], 0.9, rng=3).quantile([0.25, 0.5])
    assert [row["low"] for row in data["quantiles"]] == low.tolist()
    assert [row["high"] for row in data["quantiles"]] == high.tolist()
    for row in data["quantiles"]:
        assert row["low"] <= row["quantile"] <= row["high"]
    shown = discreet(*ask).done()
    assert "90% interval" in shown
    assert "about the records" in shown
    assert "about the population" in discreet(*ask, "--population").done()


def test_a_band_is_that_of_the_library(discreet, releases) -> None:
    ask = ("estimate", "cdf-band", "cdf.json", "--seed", 5, "--population", "-o", "b.csv", "--plot", "b.png")
    data = discreet(*ask, "--json").data()
    band = cdf_band(releases["cdf"], population=True, rng=5)
    assert (data["low"], data["high"]) == (band.lower.tolist(), band.upper.tolist())
    assert (data["half_width"], data["population"], data["level"]) == (band.half_width, True, 0.95)
    assert [float(row["low"]) for row in rows_of("b.csv")] == band.lower.tolist()
    assert Path("b.png").read_bytes().startswith(b"\x89PNG")
    shown = discreet(*ask, "--force").done()
    assert f"± {band.half_width:.3g}" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_shrunken_table_is_that_of_the_library(discreet, releases) -> None:
    ask = ("estimate", "james-stein", "gaussian.json", "--toward", "average", "--positive-part", "-o", "j.csv")
    data = discreet(*ask, "--json").data()
    found = james_stein(releases["gaussian"], "average", positive_part=True)
    assert data["estimate"] == found.values.tolist()
    assert (data["released"], data["factor"], data["dimension"]) == (COUNTS, found.factor, 5)
    rows = rows_of("j.csv")
    assert list(rows[0]) == ["sex", "size", "released", "estimate"]
    assert [(row["sex"], row["size"]) for row in rows[:4]] == [("f", "s"), ("f", "m"), ("f", "l"), ("m", "s")]
    assert [float(row["estimate"]) for row in rows] == found.values.ravel().tolist()
    shown = discreet(*ask, "--force").done()
    assert f"{found.values[0, 0]:.1f}" in shown
    assert "toward the average" in " ".join(shown.split())


@pytest.mark.parametrize("kind", ["table", "histogram"])
def test_the_nearest_table_is_that_of_the_library(discreet, releases, kind) -> None:
    data = discreet("estimate", "simplex", f"{kind}.json", "--json").data()
    assert data["estimate"] == simplex(releases[kind]).values.tolist()
    assert min(np.ravel(data["estimate"])) == 0
    shown = discreet("estimate", "simplex", f"{kind}.json").done()
    assert "estimate" in shown


def test_a_column_that_is_called_as_the_numbers_are(discreet, releases) -> None:
    TableRelease.from_counts([5.0, 3.0, 1.0], {"estimate": ["a", "b", "c"]}, noise=Gaussian(1.0), n=9).save("e.json")
    discreet("estimate", "james-stein", "e.json", "-o", "e.csv").done()
    assert list(rows_of("e.csv")[0]) == ["estimate", "noisy_released", "noisy_estimate"]


@pytest.mark.parametrize("kind", ["table", "histogram", "two", "series", "sample", "cdf"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_synthetic_records_are_records_of_the_schema(discreet, releases, kind, suffix) -> None:
    data = discreet("estimate", "synthesize", f"{kind}.json", "-o", f"r.{suffix}", "--seed", 4, "--json").data()
    release = releases[kind]
    assert data["rows"] == release.n
    with Curator(f"r.{suffix}", release.schema, budget=PureDP(1)) as curator:
        assert curator.n == release.n
        assert curator.check().clean
    if suffix == "csv":
        frame = synthesize(release, rng=4)
        assert [list(row.values()) for row in rows_of("r.csv")] == [[str(x) for x in row] for row in frame.rows()]
        assert data["columns"] == frame.columns


def test_synthetic_records_are_shown_and_never_overwrite(discreet, releases) -> None:
    ask = ("estimate", "synthesize", "table.json", "-o", "rows.csv", "--size", 12)
    shown = discreet(*ask).done()
    first = rows_of("rows.csv")
    assert len(first) == 12
    assert "12 synthetic records" in shown
    assert shown.count(" s") + shown.count(" m") + shown.count(" l") >= 5
    assert "exists" in discreet(*ask).refused()
    assert rows_of("rows.csv") == first
    discreet(*ask, "--size", 3, "--force").done()
    assert len(rows_of("rows.csv")) == 3
    assert discreet(*ask, "--size", 0, "--force", "--json").data()["rows"] == 0


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_any_frame_library_writes_the_same_rows(discreet, releases, monkeypatch, library) -> None:
    monkeypatch.setattr(frame_file, "find_spec", lambda name: name if name == library else None)
    discreet("estimate", "synthesize", "table.json", "-o", "r.csv", "--seed", 4).done()
    expected = synthesize(releases["table"], rng=4)
    assert [tuple(row.values()) for row in rows_of("r.csv")] == expected.rows()
    discreet("estimate", "cdf-band", "cdf.json", "-o", "b.csv", "--seed", 5).done()
    assert [float(row["high"]) for row in rows_of("b.csv")] == cdf_band(releases["cdf"], rng=5).upper.tolist()


def test_without_any_one_line_says_what_to_install(discreet, releases, monkeypatch) -> None:
    monkeypatch.setattr(frame_file, "find_spec", lambda _: None)
    message = discreet("estimate", "synthesize", "table.json", "-o", "r.csv").refused()
    assert "pip install 'discreet[arrow]'" in message
    assert "quartiles" in discreet("estimate", "density", "histogram.json").done()


def test_where_n_is_not_public_the_size_is_asked_for(discreet, releases) -> None:
    TableRelease.from_counts([5.0, 3.0], {"sex": ["f", "m"]}, noise=Laplace(1.0)).save("u.json")
    assert "--size" in discreet("estimate", "synthesize", "u.json", "-o", "u.csv").refused()
    assert discreet("estimate", "synthesize", "u.json", "-o", "u.csv", "--size", 7, "--json").data()["rows"] == 7


@pytest.mark.parametrize(
    ("arguments", "reason", "status"),
    [
        (("density", "table.json"), "kind table; this command needs histogram", 1),
        (("density", "none.json"), "no release file", 1),
        (("density", "czech.csv"), "not a valid release file", 1),
        (("density", "two.json", "--at", 3), "--column", 1),
        (("density", "two.json", "--column", "x"), "unknown column 'x'", 1),
        (("density", "histogram.json", "--column", "pulse"), "of column 'age'", 1),
        (("density", "histogram.json", "--at", "a"), "numbers separated by commas", 1),
        (("density", "histogram.json", "--at", "inf"), "finite", 1),
        (("density", "histogram.json", "-o", "d.txt"), ".csv or .parquet", 1),
        (("density", "histogram.json", "-o", "no/d.csv"), "no folder", 1),
        (("density", "histogram.json", "-o", "d.csv", "--plot", "d.doc"), "picture", 1),
        (("quantile", "two.json"), "--column", 1),
        (("quantile", "histogram.json", "--at", 1.5), "from 0 to 1", 1),
        (("quantile", "histogram.json", "--level", 0.9), "cdf release", 2),
        (("quantile", "cdf.json", "--level", 2), "between 0 and 1", 1),
        (("cdf-band", "histogram.json"), "needs cdf", 1),
        (("cdf-band", "cdf.json", "--simulations", 9), "cannot reach level", 1),
        (("james-stein", "table.json"), "Gaussian noise, not Laplace", 1),
        (("james-stein", "gaussian.json", "--basis", "helmert"), "full rank", 1),
        (("james-stein", "gaussian.json", "--toward", "ten"), "--toward", 2),
        (("james-stein", "select.json"), "kind select", 1),
        (("simplex", "cdf.json"), "kind cdf", 1),
        (("synthesize", "table.json"), "missing option '--output'", 2),
        (("synthesize", "select.json", "-o", "s.csv"), "kind select", 1),
        (("synthesize", "table.json", "-o", "table.json", "--force"), ".csv or .parquet", 1),
        (("synthesize", "table.json", "-o", "s.csv", "--size", -1), "--size", 2),
        (("synthesize", "table.json", "-o", "s.csv", "--size", 10**8), "--size", 2),
    ],
)
def test_what_is_refused_writes_nothing(discreet, releases, arguments, reason, status) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert reason.lower() in discreet("estimate", *arguments).refused(status).lower()
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_release_file_is_never_overwritten_by_rows(discreet, releases) -> None:
    Path("table.json").rename("table.csv")
    message = discreet("estimate", "synthesize", "table.csv", "-o", "table.csv", "--force").refused()
    assert "another file of this command" in message
    assert load("table.csv").n == 120
