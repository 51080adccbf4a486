"""The report is one file that loads nothing, escapes everything, and can be read on light and on dark screens."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from discreet import TableRelease, independence
from discreet.errors import MissingExtra
from discreet.noise import Laplace
from discreet.view import report as module
from discreet.view.report import Budget, Item, Report, Table, report_html

HOSTILE = "<script>alert(1)</script> \"'&\x00\x1b[31m\u202e"
VOID = {"meta", "img", "br"}


@pytest.fixture(scope="module")
def release() -> TableRelease:
    columns: Any = {"smoking": ["no", "yes"], "pressure": ["low", "high"]}
    return TableRelease.from_counts([[50.5, 40.25], [30.0, 61.0]], columns, noise=Laplace(2.0), n=182)


@pytest.fixture(scope="module")
def report(release: TableRelease) -> Report:
    return Report(
        title="A study",
        summary="One release.",
        promise="Noise was added.",
        results=Table(("test", "p-value"), (("pressure", "0.001"),), "A note.", links="test"),
        budget=Budget(
            Table(("release", "cost"), (("smoking", "epsilon = 0.5"),), "Left: 1.", links="release"), 0.25, 0.125
        ),
        releases=(Item("smoking", "a table", release, "releases/smoking.json", ("A note.",)),),
        tests=(
            Item("pressure", "independence", independence(release), "tests/pressure.json"),
            Item("other", "independence", "the total is not above 0", "tests/other.json"),
        ),
        plan='name = "study"\n\n[source]\n',
        versions="discreet 0.1.0",
    )


class Page(HTMLParser):
    """The elements of a page, which must be properly nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_nothing_is_loaded(report: Report) -> None:
    text = report_html(report)
    page = Page(text)
    assert not {"script", "link", "iframe", "object", "base", "form"} & {tag for tag, _ in page.elements}
    assert all(str(image["src"]).startswith("data:image/png;base64,") for image in page.all("img"))
    assert not re.search(r"url\(|@import|https?:", text)
    assert not any(key.startswith("on") for _, attributes in page.elements for key in attributes)
    assert page.all("meta")[1]["content"] == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def test_links_lead_to_the_items_and_their_files(report: Report) -> None:
    page = Page(report_html(report))
    places = {f"#{attributes['id']}" for _, attributes in page.elements if "id" in attributes}
    links = [str(link["href"]) for link in page.all("a")]
    assert {link for link in links if link.startswith("#")} == {"#test-pressure", "#release-smoking"} <= places
    assert [link for link in links if not link.startswith("#")] == [
        "releases/smoking.json",
        "tests/pressure.json",
        "tests/other.json",
    ]


def test_pictures_are_inside_and_described(report: Report) -> None:
    images = Page(report_html(report)).all("img")
    assert [image["alt"] for image in images] == ["Picture of smoking", "Picture of pressure"]
    for image in images:
        assert base64.b64decode(str(image["src"]).split(",")[1]).startswith(b"\x89PNG\r\n")


def test_without_matplotlib_there_are_no_pictures(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise MissingExtra("pictures need matplotlib")

    monkeypatch.setattr("discreet.view.theme.new_figure", missing)
    monkeypatch.setattr("discreet.view.table_plot.new_figure", missing)
    monkeypatch.setattr("discreet.view.null_plot.new_figure", missing)
    text = report_html(report)
    assert Page(text).all("img") == []
    assert "Pictures need matplotlib: discreet[plot]." in text


def test_a_wide_table_has_numbers_and_no_picture(report: Report) -> None:
    columns: Any = {name: ["a", "b"] for name in "xyz"}
    wide = TableRelease.from_counts([[[9.0, 8.0], [7.0, 6.0]]] * 2, columns, noise=Laplace(2.0))
    text = report_html(Report(**{**vars(report), "releases": (Item("wide", "a table", wide, "w.json"),), "tests": ()}))
    assert Page(text).all("img") == []
    assert "x x y x z: noisy counts" in text


def test_every_text_is_escaped(report: Report, release: TableRelease) -> None:
    hostile_columns: Any = {HOSTILE.replace("\x00", ""): ["no", "<i>yes</i>"]}
    hostile = TableRelease.from_counts([5.0, 6.0], hostile_columns, noise=Laplace(2.0))
    rows = ((HOSTILE, HOSTILE),)
    table = Table((HOSTILE, HOSTILE), rows, HOSTILE, links="test")
    items = (Item(HOSTILE, HOSTILE, HOSTILE, HOSTILE, (HOSTILE,)), Item("b", HOSTILE, hostile, HOSTILE))
    text = report_html(
        Report(HOSTILE, HOSTILE, HOSTILE, table, Budget(table, 0.5, 0.0), items, items, HOSTILE + "\n", HOSTILE)
    )
    page = Page(text)
    assert not {"script", "i"} & {tag for tag, _ in page.elements}
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    allowed = {
        "id",
        "class",
        "style",
        "href",
        "src",
        "alt",
        "title",
        "role",
        "aria-label",
        "lang",
        "charset",
        "content",
    }
    assert {key for _, attributes in page.elements for key in attributes} <= allowed | {"http-equiv", "name", "scope"}


def test_the_same_report_is_the_same_page(report: Report) -> None:
    assert report_html(report) == report_html(report)


def test_the_plan_keeps_its_lines(report: Report) -> None:
    assert "<pre>name = &quot;study&quot;\n\n[source]\n</pre>" in report_html(report)


def test_the_bar_shows_whose_the_budget_was(report: Report) -> None:
    text = report_html(report)
    assert 'style="width:25.000%" title="this study: 25.0% of the budget"' in text
    assert "Spent: this study 25.0%; other releases 12.5%." in text


def luminance(colour: str) -> float:
    """Of #rgb or #rrggbb, after WCAG 2.2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    channels = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_texts_can_be_read_on_both_screens(scheme: int) -> None:
    """A contrast of 4.5 at least, which WCAG 2.2 (AA) asks of small text."""
    colours = dict(re.findall(r"--(\w+): (#\w+)", module.STYLE.split("@media")[scheme]))
    for ink in ("ink", "soft", "warn"):
        for paper in ("paper", "card"):
            light, dark = sorted((luminance(colours[ink]), luminance(colours[paper])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, paper)
