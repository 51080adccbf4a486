"""Samples and selections as HTML for notebooks."""

from __future__ import annotations

import numpy as np

from discreet.display import painter
from discreet.release.choices.chosen import statement
from discreet.release.choices.sample import SampleRelease
from discreet.release.choices.sample_text import law_in_words
from discreet.release.choices.selection import SelectionRelease
from discreet.view.html import table

MOST = 12
SHARES = (0, 10, 25, 50, 75, 90, 100)


@painter("html", SampleRelease)
def sample_html(release: SampleRelease) -> str:
    """The points where they are few, else their quantiles."""
    note = f"{release.size} points · {law_in_words(release)} · {release.facts}"
    if release.size <= MOST:
        head, lines = ["", "point"], [[str(i + 1), f"{x:.6g}"] for i, x in enumerate(release.points.tolist())]
    else:
        found = np.quantile(release.points, [share / 100 for share in SHARES], method="inverted_cdf").tolist()
        head, lines = ["quantile", "value"], [[f"{s} %", f"{x:.6g}"] for s, x in zip(SHARES, found, strict=True)]
    return table(f"{release.column_name}: sample", note, head, lines, left=1, hover=statement(release))


@painter("html", SelectionRelease)
def selection_html(release: SelectionRelease) -> str:
    """The chosen candidate."""
    lines = [["selected", release.candidate], ["candidates", str(len(release.candidates))]]
    title = " x ".join(release.column_names) + ": selection"
    return table(title, release.facts, [], lines, left=2, hover=statement(release))
