"""The report of a study: one HTML page that loads nothing, readable on light and dark screens and on paper.

Everything in it is either text, which is escaped, or a release or result that draws itself. Pictures are PNG files inside the
page; where matplotlib is missing there are none.
"""

from __future__ import annotations

import base64
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO

from discreet.display import draw
from discreet.errors import DiscreetError, MissingExtra

DOTS_PER_INCH = 160
SHORT = 20  # characters

STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #59626f; --line: #d5dae0; --paper: #fff; --card: #f5f7f9;
  --own: #0072b2; --other: #9aa4b0; --warn: #9a4a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --soft: #a5adb8; --line: #3b444f; --paper: #14181d;
  --card: #1c2229; --own: #56b4e9; --other: #6b7683; --warn: #f0a35e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 62rem; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .8rem; padding-top: .8rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.02rem; margin: 0 0 .2rem; }
p { margin: .4rem 0; max-width: 46rem; }
a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: 2px; }
.lead { font-size: 1.1rem; }
.soft { color: var(--soft); font-size: .875rem; }
.warn { color: var(--warn); }
.scroll { overflow-x: auto; }
table.list { border-collapse: collapse; width: 100%; font-size: .875rem; font-variant-numeric: tabular-nums; }
table.list th, table.list td { text-align: left; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
table.list .short { white-space: nowrap; }
table.list th { font-weight: 600; color: var(--soft); white-space: nowrap; }
.bar { display: flex; height: .6rem; margin: 1rem 0 .5rem; border-radius: .3rem; overflow: hidden; background: var(--line);
  max-width: 46rem; print-color-adjust: exact; }
.bar .own { background: var(--own); } .bar .other { background: var(--other); }
article { background: var(--card); border-radius: .6rem; padding: 1rem 1.1rem 1.1rem; margin: 1rem 0; break-inside: avoid; }
article .sides { display: flex; flex-wrap: wrap; gap: 1.2rem; align-items: flex-start; margin-top: .7rem; }
article .sides > .scroll { flex: 1 1 22rem; min-width: 0; }
figure { margin: 0; flex: 0 1 26rem; } figure img { display: block; width: 100%; border-radius: .4rem; background: #fff; }
pre { font: 13px/1.5 ui-monospace, monospace; background: var(--card); border-radius: .6rem; padding: 1rem; overflow-x: auto; }
@media print { body { padding: 0; max-width: none; } article { border: 1px solid var(--line); } }
"""

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class Table:
    """Texts in rows below a head. The first column's names lead to the items of that kind, `links`."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str
    links: str


@dataclass(frozen=True)
class Budget:
    """What each release has cost, and the parts of the budget that they and others have taken."""

    table: Table
    own_share: float
    other_share: float


@dataclass(frozen=True)
class Item:
    """A release, a test result, or a text that says why there is no result; with the file that it is in."""

    name: str
    what: str
    subject: object
    file: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """What is said, from the top of the page to its end."""

    title: str
    summary: str
    promise: str
    results: Table | None
    budget: Budget
    releases: tuple[Item, ...]
    tests: tuple[Item, ...]
    plan: str
    versions: str


def report_html(report: Report) -> str:
    """The page. The same report gives the same page, byte by byte, with the same programs."""
    results = "" if report.results is None else f"<h2>Tests</h2>\n{_table(report.results)}"
    details = "" if not report.tests else f"<h2>Tests in detail</h2>\n{_items(report.tests, 'test')}"
    pictures = "" if _can_draw() else " Pictures need matplotlib: discreet[plot]."
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(report.title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>{_text(report.title)}</h1>
<p class="lead">{_text(report.summary)}</p>
<p class="soft">{_text(report.promise)}</p>
</header>
{results}
<h2>Budget</h2>
{_budget(report.budget)}
<h2>Releases</h2>
{_items(report.releases, "release")}
{details}
<h2>The plan</h2>
<pre>{_text(report.plan, lines=True)}</pre>
<p class="soft">Made with {_text(report.versions)}.{pictures}</p>
</body>
</html>
"""


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.head)
    rows = "\n".join(f"<tr>{_first(table.links, row[0])}{_cells(row[1:])}</tr>" for row in table.rows)
    body = f'<table class="list"><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>'
    return f'<div class="scroll">{body}</div>\n<p class="soft">{_text(table.note)}</p>'


def _first(kind: str, name: str) -> str:
    return f'<td><a href="#{kind}-{_text(name)}">{_text(name)}</a></td>'


def _cells(texts: Sequence[str]) -> str:
    """Numbers and other short texts stay on one line."""
    classes = (' class="short"' if len(text) <= SHORT else "" for text in texts)
    return "".join(f"<td{kind}>{_text(text)}</td>" for kind, text in zip(classes, texts, strict=True))


def _budget(budget: Budget) -> str:
    parts = [("own", budget.own_share, "this study")]
    if budget.other_share:
        parts.append(("other", budget.other_share, "other releases"))
    bar = "".join(
        f'<span class="{kind}" style="width:{100 * share:.3f}%" title="{whose}: {share:.1%} of the budget"></span>'
        for kind, share, whose in parts
    )
    words = "; ".join(f"{whose} {share:.1%}" for _, share, whose in parts)
    return f'{_table(budget.table)}\n<div class="bar" role="img" aria-label="Spent: {words}">{bar}</div>' + (
        f'<p class="soft">Spent: {words}.</p>'
    )


def _items(items: Sequence[Item], kind: str) -> str:
    return "\n".join(_item(item, kind) for item in items)


def _item(item: Item, kind: str) -> str:
    notes = "".join(f'<p class="soft">{_text(note)}</p>' for note in item.notes)
    if isinstance(item.subject, str):
        shown = f'<p class="warn">Not applicable: {_text(item.subject)}</p>'
    else:
        shown = f'<div class="scroll">{draw("html", item.subject)}</div>{_picture(item)}'
    return f"""<article id="{kind}-{_text(item.name)}">
<h3>{_text(item.name)}</h3>
<p class="soft">{_text(item.what)} · <a href="{_text(item.file)}">{_text(item.file)}</a></p>
{notes}
<div class="sides">{shown}</div>
</article>"""


def _picture(item: Item) -> str:
    """The subject's own picture, or nothing where it has none: three axes or more, too many categories, no matplotlib."""
    image = BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a font without some character; the picture then shows a box
            figure = draw("plot", item.subject)
            figure.savefig(image, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    except (DiscreetError, TypeError):
        return ""
    data = base64.b64encode(image.getvalue()).decode()
    return f'<figure><img alt="Picture of {_text(item.name)}" src="data:image/png;base64,{data}"></figure>'


def _can_draw() -> bool:
    from discreet.view.theme import new_figure

    try:
        new_figure("", "")
    except MissingExtra:
        return False
    return True


def _text(text: str, *, lines: bool = False) -> str:
    """The text without control characters, escaped."""
    kept = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", " ", text)
    return escape(kept if lines else " ".join(kept.split()))
