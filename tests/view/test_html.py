"""HTML of releases and results: complete, self-contained, and with every text escaped."""

from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

from discreet.noise import Laplace
from discreet.privacy.guarantee import PureDP
from discreet.release import TableRelease
from discreet.view.html import result_html

ATTACK = "<script>alert(1)</script>"
QUOTES = "\" onmouseover='x' &amp;"
ALLOWED = {"table", "caption", "b", "br", "span", "thead", "tbody", "tr", "th", "td"}


class Reader(HTMLParser):
    """Collects rows, and fails on a tag or attribute that the painter does not use, or on tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open, self.text = [], [], ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        assert tag in ALLOWED, tag
        assert {name for name, _ in attributes} <= {"style", "title"}
        if tag != "br":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def table(values, columns, **more):
    return TableRelease.from_counts(values, columns, noise=Laplace(4.0), **more)


def test_two_way_is_a_grid():
    release = table(
        [[230.5, 271.25], [268, 236.75]],
        {"smoking": ["no", "yes"], "systolic": ["lt140", "ge140"]},
        n=1000,
        other=-3.5,
        guarantee=PureDP(0.5),
    )
    read = Reader(release._repr_html_())
    assert read.rows == [
        ["smoking \\ systolic", "lt140", "ge140"],
        ["no", "230.5", "271.2"],
        ["yes", "268.0", "236.8"],
        ["other (strays)", "-3.5"],
    ]
    for text in ("± 12.0", "95% interval", "n = 1000", "Laplace noise, sd 5.66", str(release.guarantee)):
        assert text in read.text
    assert "one record is replaced" in release._repr_html_()
    assert "summed over systolic" in Reader(release.margin("smoking")._repr_html_()).text


@pytest.mark.parametrize("shape", [(3,), (2, 3, 4), (60, 3), (2, 30)])
def test_others_are_a_list_with_intervals(shape):
    columns = {f"v{i}": [f"c{j}" for j in range(k)] for i, k in enumerate(shape)}
    release = table(np.arange(np.prod(shape)).reshape(shape), columns, other=2.0)
    rows = Reader(release._repr_html_()).rows
    assert rows[0] == [*columns, "count", "95% interval"]
    assert rows[1] == [*["c0"] * len(shape), "0.0", "-12.0 to 12.0"]
    assert len(rows) <= 43
    assert rows[-1] == ["other (strays)", *[""] * (len(shape) - 1), "2.0"]
    if np.prod(shape) > 40:
        assert rows[-2] == [f"... {np.prod(shape) - 40} more"]


@pytest.mark.parametrize("shape", [(2,), (2, 2), (2, 2, 2)])
def test_hostile_names_and_categories_are_text(shape):
    columns = {f"{ATTACK}{i}": [f"{QUOTES}{i}", f"</td>{i}"] for i in range(len(shape))}
    html = table(np.ones(shape), columns, other=1.0)._repr_html_()
    read = Reader(html)
    assert "<script" not in html
    assert "</td>0" in {cell for row in read.rows for cell in row}
    assert "<script>" in read.text


def result(**change):
    parts = {
        "test": "Independence of smoking and systolic",
        "statistic_name": "Pearson's chi-squared",
        "statistic": 5.1551,
        "df": 1,
        "pvalue": 0.03264,
        "pvalue_error": 7.2e-5,
        "null": "conditional: limit law, averaged over the noise",
        "n": 1841.0,
        "n_is_public": True,
        "naive_pvalue": 0.0232,
        "effect": "Cramer's V 0.063 [0.000, 0.138] (95% interval)",
        "warnings": (),
    }
    return SimpleNamespace(**(parts | change))


def test_a_result_is_a_list_of_what_was_found():
    read = Reader(result_html(result()))
    found = dict(read.rows)
    assert found["statistic"] == "5.155"
    assert found["p-value"] == "0.033 (standard error 7e-05)"
    assert found["effect"].startswith("Cramer's V 0.063")
    assert found["ignoring the noise (not valid)"] == "p = 0.023"
    assert "n = 1,841" in read.text
    assert "estimated n = 1,841" in Reader(result_html(result(n_is_public=False))).text


def test_a_result_keeps_long_warnings_and_escapes_them():
    warning = "3 of 20 noisy cells are below 5 + 3 noise standard deviations (23): the limit law is approximate here"
    read = Reader(result_html(result(warnings=(warning, ATTACK), test=ATTACK)))
    assert ["warning", warning] in read.rows
    assert ["warning", ATTACK] in read.rows
    assert "<script" not in result_html(result(warnings=(warning, ATTACK), test=ATTACK))
